package tiles

import (
	"context"
	"errors"
	"fmt"
	"image"

	"trowel.example/internal/files/output"
)

// For a scene with an earlier time ([format.Since]), only the tiles that have changed since are drawn, and the
// tiles above them. The unchanged tiles needed to compose them are read from the folder or, if missing there,
// drawn and set aside until the end, without becoming part of the folder. Processes that draw parts also read
// the folder, if they may.

// findThen determines the levels at the earlier time, if the scene has one. Areas that have become empty are
// included, because their tiles must be removed.
func (p *Pyramid) findThen() error {
	if p.Scene.Since == nil {
		return nil
	}
	b, err := p.Scene.Since.Bounds(p.Look)
	if err != nil {
		return err
	}
	p.since, p.fresh = p.Scene.Since, make(map[string]bool)
	if p.then, err = p.levelsOf(b); err != nil {
		return err
	}
	for level := range p.levels {
		if level < len(p.then) {
			p.levels[level] = p.levels[level].Union(p.then[level])
		}
	}
	if p.Was != nil {
		if p.was, err = p.Was(); err == nil && p.was != nil {
			err = p.sameStyle(p.was)
		}
	}
	return err
}

// source returns the folder with the earlier tiles, or nil.
func (p *Pyramid) source() *output.Collection {
	if p.folder != nil {
		return p.folder
	}
	return p.was
}

// style returns a hash of the properties that all tiles share.
func (p *Pyramid) style() output.Hash { return p.key([]byte(p.Scene.Style)) }

// sameStyle returns an error if the tiles in a folder were drawn with other settings, so that new tiles would
// not fit.
func (p *Pyramid) sameStyle(folder *output.Collection) error {
	if p.since == nil {
		return nil
	}
	if page, ok := folder.Piece(pageName); ok && page.Key != p.style() {
		return errors.New("the existing tiles were drawn with other options (view, scale, colours ...): all tiles must be " +
			"drawn again, without --since")
	}
	return nil
}

// stays reports whether a file not written in this run is kept: an unchanged tile.
func (p *Pyramid) stays(file string) bool {
	level, at, ok := placeOf(file)
	return ok && p.since != nil && level < len(p.levels) && at.In(p.levels[level]) && !p.fresh[file]
}

// placeOf returns the level and position of the tile with a file name.
func placeOf(file string) (level int, at image.Point, ok bool) {
	_, err := fmt.Sscanf(file, "%d/%d/%d.png", &level, &at.X, &at.Y)
	return level, at, err == nil && level >= 0 && name(level, at.X, at.Y) == file
}

// noteTile records a changed tile.
func (p *Pyramid) noteTile(t Tile) {
	if p.since == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh[t.Name] = true
	if level, at, _ := placeOf(t.Name); t.Content == (output.Hash{}) && level < len(p.then) && at.In(p.then[level]) {
		p.gone = append(p.gone, t.Name)
	}
}

// forgetLevels records the tiles of levels that no longer exist.
func (p *Pyramid) forgetLevels() {
	for level := len(p.levels); level < len(p.then); level++ {
		r := p.then[level]
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				p.gone = append(p.gone, name(level, x, y))
			}
		}
	}
}

// again returns the tiles of a level that must be remade: those above changed tiles, and all tiles of a new
// level.
func (p *Pyramid) again(level int) map[string]bool {
	if p.since == nil {
		return nil
	}
	again := make(map[string]bool)
	below := p.levels[level-1]
	for y := below.Min.Y; y < below.Max.Y; y++ {
		for x := below.Min.X; x < below.Max.X; x++ {
			if level >= len(p.then) || p.fresh[name(level-1, x, y)] {
				again[name(level, x>>1, y>>1)] = true
			}
		}
	}
	return again
}

// putAside stores an unchanged tile, unless the folder contains it.
func (p *Pyramid) putAside(t Tile) (err error) {
	switch {
	case t.Content == output.Hash{} || t.PNG == nil && p.here:
		return nil
	case t.PNG == nil:
		if p.was != nil {
			if piece, ok := p.was.Piece(t.Name); ok && piece.Content == t.Content {
				t.PNG, err = p.was.Read(t.Name)
			}
		}
		if t.PNG == nil {
			return errors.Join(fmt.Errorf("%s: the tile existed when its part was drawn, and is missing now", t.Name), err)
		}
	}
	return p.folder.Aside(t.Name, t.Key, t.Content, t.PNG)
}

// changedIn reports whether any of the tiles of level 0 has changed.
func (p *Pyramid) changedIn(ctx context.Context, tiles image.Rectangle) (bool, error) {
	return p.since.Changed(ctx, p.Look, image.Rectangle{Min: tiles.Min.Mul(side), Max: tiles.Max.Mul(side)})
}

// renew draws the changed tiles of a part. If the tile that covers the part is unchanged, renew puts it as an
// aside, because tiles above may be composed of it.
func (p *Pyramid) renew(ctx context.Context, s square, put func(Tile) error) error {
	changed := make([]map[image.Point]bool, s.Level+1)
	for level := range changed {
		changed[level] = make(map[image.Point]bool)
	}
	for y := s.Tiles.Min.Y; y < s.Tiles.Max.Y; y++ {
		for x := s.Tiles.Min.X; x < s.Tiles.Max.X; x++ {
			ok, err := p.changedIn(ctx, image.Rect(x, y, x+1, y+1))
			if err != nil {
				return err
			}
			for level := range changed {
				if ok || level >= len(p.then) {
					changed[level][image.Pt(x>>level, y>>level)] = true
				}
			}
		}
	}
	r := &renewal{p, s, changed, put}
	t, err := r.tile(ctx, s.Level, s.at(s.Level).Min)
	if err == nil && t.Aside && t.Content != (output.Hash{}) {
		err = put(t)
	}
	return err
}

// renewal is a part of which only the changed tiles are drawn.
type renewal struct {
	*Pyramid
	square  square
	changed []map[image.Point]bool // by level
	put     func(Tile) error
}

// tile returns a tile. It puts the tile and those below it, if they have changed.
func (r *renewal) tile(ctx context.Context, level int, at image.Point) (t Tile, err error) {
	t = Tile{Name: name(level, at.X, at.Y), Aside: !r.changed[level][at]}
	if was := r.source(); t.Aside && was != nil {
		if piece, ok := was.Piece(t.Name); ok {
			t.Key, t.Content = piece.Key, piece.Content
			return t, nil
		}
	}
	aside := t.Aside
	if err := ctx.Err(); err != nil {
		return t, err
	}
	if level == 0 {
		t, err = r.drawTile(ctx, at.X, at.Y)
	} else {
		below, made := r.square.at(level-1), records{make(map[string]Tile), r.source()}
		for i := range 4 {
			child := image.Pt(2*at.X+i%2, 2*at.Y+i/2)
			if !child.In(below) {
				continue
			}
			c, err := r.tile(ctx, level-1, child)
			if err != nil {
				return t, err
			}
			made.of[c.Name] = c
		}
		t, err = r.shrink(made, below, level, at.X, at.Y)
	}
	if t.Aside = aside; err == nil && !aside {
		err = r.put(t)
	}
	return t, err
}
