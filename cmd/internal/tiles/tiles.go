// Package tiles makes a pyramid of tiles of a scene: a folder of pictures of 256 pixels that
// a page of its own shows in a browser, in all zoom levels.
//
// Level 0 has the scene in its natural size; in each level above, a pixel is the mean of
// four. The tile x,y of a level, LEVEL/X/Y.png, has the pixels from 256x,256y on, and the pixel
// 0,0 is the place 0,0 of the scene. So a tile is called the same however the scene grows.
// A tile of nothing but background is not there.
package tiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"path"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"trowel.example/cmd/internal/output"
	"trowel.example/format"
	"trowel.example/internal/parallel"
	"trowel.example/internal/pixel"
)

const (
	side     = 256     // of a tile, in pixels
	maxTiles = 1 << 20 // of a pyramid
	maxPlace = 1 << 30 // pixels: no tile lies farther out
	rules    = "1"     // raised when tiles are to be drawn again by a new version
)

// Pyramid is what is to be made.
type Pyramid struct {
	Scene      format.Scene
	View       format.View
	Look       format.Look // view, layers and time
	Scale      float64     // pixels of a unit at level 0
	Background color.NRGBA
	Title      string // of the page

	Folder   *output.Collection
	Progress func(done, of int) // of tiles; may be nil

	levels []image.Rectangle // the tiles that each has
	salt   []byte            // a hash of what all tiles share

	drawn, kept, removed atomic.Int64
	done                 atomic.Int64
	mu                   sync.Mutex
	changed              []string
}

// Made tells what came of it.
type Made struct {
	Levels               int
	Drawn, Kept, Removed int64    // tiles: new ones, and those that were there and are as they have to be
	Changed              []string // names of the files that were made
}

// Draw draws the tiles that have changed since the folder was made, and the page.
func (p *Pyramid) Draw(ctx context.Context) (Made, error) {
	total, err := p.plan()
	if err != nil {
		return Made{}, err
	}
	for level, tiles := range p.levels {
		if err := p.drawLevel(ctx, level, tiles, total); err != nil {
			return p.made(), err
		}
	}
	if err := p.writePage(); err != nil {
		return p.made(), err
	}
	for _, name := range p.Folder.Unseen() {
		if err := p.Folder.Remove(name); err != nil {
			return p.made(), err
		}
		if isTile.MatchString(name) {
			p.removed.Add(1)
		}
	}
	return p.made(), p.Folder.Finish()
}

var isTile = regexp.MustCompile(`^[0-9]+/-?[0-9]+/-?[0-9]+\.png$`)

func (p *Pyramid) made() Made {
	slices.Sort(p.changed)
	return Made{len(p.levels), p.drawn.Load(), p.kept.Load(), p.removed.Load(), p.changed}
}

// plan says which levels there are, and how many tiles at most.
func (p *Pyramid) plan() (total int, err error) {
	b := p.View.Bounds
	at := func(v float64, round func(float64) float64) int {
		if v *= p.Scale; math.Abs(v) > maxPlace {
			err = fmt.Errorf("it reaches to pixel %.0f, which is too far", v)
		}
		return int(round(v / side))
	}
	// What touches a tile by less than a millionth of a pixel does so by rounding only.
	const little = 1e-6 / side
	down := func(v float64) float64 { return math.Floor(v + little) }
	up := func(v float64) float64 { return math.Ceil(v - little) }
	tiles := image.Rect(at(b.Min[0], down), at(b.Min[1], down), at(b.Max[0], up), at(b.Max[1], up))
	if err != nil || b.Empty() {
		return 0, err
	}
	for length := max(b.Dx(), b.Dy()) * p.Scale; ; length /= 2 {
		total += tiles.Dx() * tiles.Dy()
		if p.levels = append(p.levels, tiles); total > maxTiles {
			return 0, fmt.Errorf("it would have more than %d tiles: --scale makes them fewer", maxTiles)
		}
		if length <= side {
			break
		}
		tiles = image.Rect(tiles.Min.X>>1, tiles.Min.Y>>1, (tiles.Max.X+1)>>1, (tiles.Max.Y+1)>>1)
	}
	p.Look.Origin, p.Look.Scale, p.Look.Size = [2]float64{}, p.Scale, image.Point{}
	salt, err := json.Marshal([]any{rules, p.Look, p.Background}) // and not the bounds, which may grow
	sum := sha256.Sum256(salt)
	p.salt = sum[:]
	p.Look.Size = image.Pt(int(math.Ceil(b.Dx()*p.Scale-little)), int(math.Ceil(b.Dy()*p.Scale-little)))
	return total, err
}

func name(level, x, y int) string { return fmt.Sprintf("%d/%d/%d.png", level, x, y) }

// drawLevel draws the tiles of a level, some at the same time.
func (p *Pyramid) drawLevel(ctx context.Context, level int, tiles image.Rectangle, total int) error {
	var failed atomic.Pointer[error]
	parallel.Each(tiles.Dx()*tiles.Dy(), func(i int) {
		if failed.Load() != nil {
			return
		}
		err := ctx.Err()
		if x, y := tiles.Min.X+i%tiles.Dx(), tiles.Min.Y+i/tiles.Dx(); err == nil && level == 0 {
			err = p.drawTile(ctx, x, y)
		} else if err == nil {
			err = p.shrink(level, x, y)
		}
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		} else if done := p.done.Add(1); p.Progress != nil {
			p.Progress(int(done), total)
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// drawTile draws a tile of level 0, if it has changed.
func (p *Pyramid) drawTile(ctx context.Context, x, y int) error {
	place := image.Rect(x, y, x+1, y+1)
	place = image.Rectangle{Min: place.Min.Mul(side), Max: place.Max.Mul(side)}
	var key output.Hash
	name := name(0, x, y)
	if f, ok := p.Scene.(format.Fingerprinter); ok {
		sum, err := f.Fingerprint(ctx, p.Look, place)
		if err != nil {
			return err
		}
		if sum == [32]byte{} {
			return p.blank(name)
		}
		key = p.key(sum[:])
		if p.same(name, key) {
			return nil
		}
	}
	dst := p.blankOf(place)
	if err := p.Scene.Render(ctx, dst, p.Look); err != nil {
		return err
	}
	return p.put(name, key, dst)
}

// shrink makes a tile of a higher level from the four of the one below, if one of them has
// changed.
func (p *Pyramid) shrink(level, x, y int) error {
	own := name(level, x, y)
	var pieces [4]output.Piece
	var hashes []byte
	some := false
	for i := range pieces {
		if child := image.Pt(2*x+i%2, 2*y+i/2); child.In(p.levels[level-1]) {
			if piece, ok := p.Folder.Piece(name(level-1, child.X, child.Y)); ok {
				pieces[i], some = piece, true
			}
		}
		hashes = append(hashes, pieces[i].Content[:]...)
	}
	if !some {
		return p.blank(own)
	}
	key := p.key(hashes)
	if p.same(own, key) {
		return nil
	}
	whole := p.blankOf(image.Rect(0, 0, 2*side, 2*side))
	for i, piece := range pieces {
		if piece.Size == 0 {
			continue
		}
		child := name(level-1, 2*x+i%2, 2*y+i/2)
		data, err := p.Folder.Read(child)
		if err != nil {
			return err
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", child, err)
		}
		draw.Draw(whole, image.Rect(0, 0, side, side).Add(image.Pt(i%2, i/2).Mul(side)), m, image.Point{}, draw.Src)
	}
	return p.put(own, key, pixel.Half(whole))
}

func (p *Pyramid) key(of []byte) output.Hash {
	sum := sha256.Sum256(append(slices.Clip(p.salt), of...))
	return output.Hash(sum[:16])
}

// same reports whether a tile is there that was made from the same.
func (p *Pyramid) same(name string, key output.Hash) bool {
	piece, ok := p.Folder.Piece(name)
	if ok = ok && piece.Key == key; ok {
		p.kept.Add(1)
	}
	return ok
}

// blank makes sure that there is no tile where nothing is visible.
func (p *Pyramid) blank(name string) error {
	if _, ok := p.Folder.Piece(name); ok {
		p.removed.Add(1)
	}
	return p.Folder.Remove(name)
}

// put writes a tile, unless it looks as the one that is there.
func (p *Pyramid) put(name string, key output.Hash, m *image.RGBA) error {
	if p.onlyBackground(m) {
		return p.blank(name)
	}
	sum := sha256.Sum256(m.Pix)
	content := output.Hash(sum[:16])
	if piece, ok := p.Folder.Piece(name); ok && piece.Content == content {
		p.kept.Add(1)
		return p.Folder.Rekey(name, key)
	}
	kind := pixel.RGBA
	if p.Background.A == 0xff {
		kind = pixel.RGB
	}
	var file bytes.Buffer
	w, err := pixel.NewPNG(&file, m.Rect.Size(), kind)
	if err == nil {
		err = w.Add(m)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	p.drawn.Add(1)
	return p.write(name, key, content, file.Bytes())
}

func (p *Pyramid) write(name string, key, content output.Hash, data []byte) error {
	p.mu.Lock()
	p.changed = append(p.changed, name)
	p.mu.Unlock()
	return p.Folder.Put(path.Clean(name), key, content, data)
}

// blankOf returns a picture of nothing but background.
func (p *Pyramid) blankOf(r image.Rectangle) *image.RGBA {
	m := image.NewRGBA(r)
	draw.Draw(m, r, image.NewUniform(p.Background), image.Point{}, draw.Src)
	return m
}

func (p *Pyramid) onlyBackground(m *image.RGBA) bool {
	one := p.blankOf(image.Rect(0, 0, 1, 1))
	for i := 0; i < len(m.Pix); i += 4 {
		if [4]byte(m.Pix[i:]) != [4]byte(one.Pix) {
			return false
		}
	}
	return true
}
