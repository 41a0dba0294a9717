package tiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// Tile is a record of the work: a rendered tile.
type Tile struct {
	Name    string      // path in the folder
	Key     output.Hash // hash of its input
	Content output.Hash // hash of its pixels; 0: the tile is empty and has no file
	PNG     []byte      // nil: the file in the folder is valid, or File names it
	File    work.Ref    // the file that the part has stored; the zero value: none
	Aside   bool        // unchanged: used only to compose other tiles

	Missing []format.Missing // for a tile of level 0
}

// Refers returns the file of the tile.
func (t Tile) Refers() (work.Ref, bool) { return t.File, t.File.Size > 0 }

const (
	// squareLevel is the level of the tile that covers a part: 64 tiles of level 0, some seconds of work.
	squareLevel = 3
	// maxLevel is the maximum level of a requested part.
	maxLevel = 6
)

// square is the data of a part.
type square struct {
	Level int             `json:"level"`           // level of the tile that covers the part
	Tiles image.Rectangle `json:"tiles"`           // tiles of level 0 in the part
	Scene []byte          `json:"scene,omitempty"` // data that the scene needs to draw only these tiles
}

// pixels returns the rectangle that the tiles cover.
func (s square) pixels() image.Rectangle {
	return image.Rectangle{Min: s.Tiles.Min.Mul(side), Max: s.Tiles.Max.Mul(side)}
}

// ScenePart returns the data that [format.Job] needs for a part.
func ScenePart(part *work.Part) []byte {
	var s square
	if part == nil || json.Unmarshal(part.Data, &s) != nil {
		return nil // the error is reported when the part is done
	}
	return s.Scene
}

// valid reports whether the tiles are within one tile of the level and within maxPlace.
func (s square) valid() bool {
	most := maxPlace/side + 1
	return s.Level >= 0 && s.Level <= maxLevel && !s.Tiles.Empty() && s.Tiles.In(image.Rect(-most, -most, most, most)) &&
		s.at(s.Level).Size() == image.Pt(1, 1)
}

// at returns the tiles of a level that cover the square.
func (s square) at(level int) image.Rectangle {
	r, up := s.Tiles, 1<<level-1
	return image.Rect(r.Min.X>>level, r.Min.Y>>level, (r.Max.X+up)>>level, (r.Max.Y+up)>>level)
}

// Split yields squares of tiles, row by row. In one process, the squares are single tiles, so that all cores
// are busy.
func (p *Pyramid) Split(ctx context.Context, fine bool, yield func(work.Part) error) error {
	err := p.plan()
	if p.here = !fine; p.here && err == nil {
		err = p.begin()
	}
	if err != nil || len(p.levels) == 0 {
		return err
	}
	level := 0
	if fine || p.since != nil {
		level = min(squareLevel, len(p.levels)-1)
	}
	if p.here && p.since != nil {
		if changed, err := p.changedIn(ctx, p.levels[0]); err != nil || !changed {
			return err
		}
	}
	for y := p.levels[level].Min.Y; y < p.levels[level].Max.Y; y++ {
		for x := p.levels[level].Min.X; x < p.levels[level].Max.X; x++ {
			s := square{Level: level, Tiles: image.Rect(x<<level, y<<level, (x+1)<<level, (y+1)<<level).Intersect(p.levels[0])}
			if p.View.Part != nil && fine {
				if s.Scene, err = p.View.Part(p.Look, s.pixels()); err != nil {
					return err
				}
			}
			data, err := json.Marshal(s)
			if err == nil {
				err = yield(work.Part{Name: fmt.Sprintf("%d,%d,%d", level, x, y), File: p.File, Data: data})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func squareOf(part work.Part) (s square, err error) {
	if err := json.Unmarshal(part.Data, &s); err != nil || !s.valid() {
		return s, fmt.Errorf("part %s: not a square of tiles", part.Name)
	}
	return s, nil
}

// Do draws the tiles of a part.
func (p *Pyramid) Do(ctx context.Context, part work.Part, put func(Tile) error) error {
	s, err := squareOf(part)
	if err == nil {
		err = p.plan()
	}
	if err != nil {
		return err
	}
	if p.Place != nil {
		put = p.placing(ctx, put)
	}
	if p.since != nil {
		return p.renew(ctx, s, put)
	}
	return p.draw(ctx, s, put)
}

// draw draws all tiles of a part.
func (p *Pyramid) draw(ctx context.Context, s square, put func(Tile) error) error {
	below := records{}
	for level := range s.Level + 1 {
		r, made := s.at(level), records{of: make(map[string]Tile)}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				var t Tile
				err := ctx.Err()
				if err == nil && level == 0 {
					t, err = p.drawTile(ctx, x, y)
				} else if err == nil {
					t, err = p.shrink(below, s.at(level-1), level, x, y)
				}
				if err == nil {
					err = put(t)
				}
				if err != nil {
					return err
				}
				if s.Level > 0 {
					made.of[t.Name] = t
				}
			}
		}
		below = made
	}
	return nil
}

// records are the tiles of a level in a part.
type records struct {
	of     map[string]Tile
	folder *output.Collection // has the tiles without a PNG
}

func (r records) Piece(name string) (output.Piece, bool) {
	switch t := r.of[name]; {
	case len(t.PNG) > 0:
		return output.Piece{Key: t.Key, Content: t.Content, Size: int64(len(t.PNG))}, true
	case t.Content != output.Hash{} && r.folder != nil:
		return r.folder.Piece(name)
	}
	return output.Piece{}, false
}

func (r records) Read(name string) ([]byte, error) {
	if t := r.of[name]; len(t.PNG) > 0 || r.folder == nil {
		return t.PNG, nil
	}
	return r.folder.Read(name)
}

// Take puts a tile into the folder.
func (p *Pyramid) Take(ctx context.Context, part work.Part, t Tile) error {
	s, err := squareOf(part)
	if err == nil {
		err = p.begin()
	}
	switch {
	case err != nil:
		return err
	case !isTile.MatchString(t.Name):
		return errors.New("the result of part " + part.Name + " contains something other than tiles")
	}
	p.level = s.Level
	return p.put(ctx, t)
}
