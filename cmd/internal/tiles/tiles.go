// Package tiles makes a tile pyramid of a scene: a folder of pictures of 256 pixels, with a page that shows
// them in a browser at all zoom levels.
//
// Level 0 shows the scene in its natural size; in each level above, a pixel is the mean of four pixels. The
// tile x,y of a level, LEVEL/X/Y.png, begins at the pixel 256x,256y, and the pixel 0,0 is the place 0,0 of the
// scene. Therefore the names of tiles do not change when the scene grows. Tiles that show only background have
// no file.
//
// A part of the work ([work.Verb]) is an aligned square of tiles of level 0, together with the tiles of higher
// levels that are composed only of these. The records are the tiles. No tile is drawn by two parts, and only
// the few top levels and the page remain for the end.
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

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/pixel"
)

const (
	side     = 256     // width and height of a tile in pixels
	maxTiles = 1 << 20 // tiles of a pyramid
	maxPlace = 1 << 30 // pixels: largest coordinate of a tile
	rules    = "2"     // increased when a new version must redraw all tiles
)

// Pyramid makes a tile pyramid. It is a [work.Verb]. After its records are taken, Finish completes the pyramid.
type Pyramid struct {
	Scene      *format.Scene
	View       format.View
	Look       format.Look // view, layers and time
	Scale      float64     // pixels per unit at level 0
	Background color.NRGBA
	File       string // file name of the parts
	Title      string // title of the page

	// Open opens the output folder. It is called once, and only in the process that stores tiles, not in
	// processes that do parts for others. The caller of the pyramid closes the folder.
	Open func() (*output.Collection, error)
	// Was opens the folder with the earlier tiles for reading, if Open opens another folder or is not called.
	// It may return nil. If Was is nil, there is no other folder.
	Was      func() (*output.Collection, error)
	Progress func(done, of int) // counts tiles; may be nil

	Place *work.Files                           // where a part stores the files of tiles; nil: in their records
	Files *work.Files                           // where parts have stored files
	Adopt func(name string, ref work.Ref) error // makes one of Files a file of the folder; nil: it is copied

	planning sync.Once
	failed   error
	levels   []image.Rectangle // the tiles of each level
	total    int               // maximum number of tiles
	salt     []byte            // hash of the properties that all tiles share
	since    *format.Since     // nil unless only changes are drawn
	then     []image.Rectangle // the levels at the earlier time
	was      *output.Collection

	folder *output.Collection // nil: not open
	here   bool               // this process does all parts
	level  int                // highest level of the parts

	drawn, kept, removed atomic.Int64
	done                 atomic.Int64
	mu                   sync.Mutex
	changed              []string
	fresh                map[string]bool // tiles changed since the earlier time
	gone                 []string
}

// Made is a summary of the result.
type Made struct {
	Levels               int
	Drawn, Kept, Removed int64    // numbers of tiles; Kept are existing tiles that are still correct
	Changed              []string // names of the files written

	Since bool     // only tiles changed since an earlier time were drawn
	Gone  []string // names of tiles that have become empty since; not all of them existed
}

// Finish makes the files that depend on the tiles of several parts: the levels above, and the page. It removes
// outdated files of earlier runs.
func (p *Pyramid) Finish(ctx context.Context) (Made, error) {
	if err := p.begin(); err != nil {
		return p.Made(), err
	}
	for level := p.level + 1; level < len(p.levels) && (p.since == nil || len(p.fresh) > 0); level++ {
		if err := p.shrinkLevel(ctx, level); err != nil {
			return p.Made(), err
		}
	}
	if err := p.writePage(); err != nil {
		return p.Made(), err
	}
	p.forgetLevels()
	for _, name := range p.folder.Unseen() {
		if p.stays(name) {
			continue
		}
		if err := p.folder.Remove(name); err != nil {
			return p.Made(), err
		}
		if isTile.MatchString(name) {
			p.removed.Add(1)
		}
	}
	if p.Scene.Survey != nil {
		if err := p.Scene.Survey(ctx, p.Look); err != nil {
			return p.Made(), err
		}
	}
	return p.Made(), p.folder.Finish()
}

var isTile = regexp.MustCompile(`^[0-9]+/-?[0-9]+/-?[0-9]+\.png$`)

// Made returns a summary of the result so far.
func (p *Pyramid) Made() Made {
	slices.Sort(p.changed)
	slices.Sort(p.gone)
	return Made{len(p.levels), p.drawn.Load(), p.kept.Load(), p.removed.Load(), p.changed, p.since != nil, p.gone}
}

// begin opens the folder.
func (p *Pyramid) begin() (err error) {
	if err = p.plan(); err == nil && p.folder == nil {
		if p.folder, err = p.Open(); err == nil {
			err = p.sameStyle(p.folder)
		}
	}
	return err
}

// plan determines the levels and the maximum number of tiles.
func (p *Pyramid) plan() error {
	p.planning.Do(func() {
		if p.levels, p.failed = p.levelsOf(p.View.Bounds); p.failed == nil {
			p.failed = p.findLook()
		}
		if p.failed == nil {
			p.failed = p.findThen()
		}
	})
	return p.failed
}

// levelsOf returns the levels of a scene with the given bounds.
func (p *Pyramid) levelsOf(b format.Rect) (levels []image.Rectangle, err error) {
	at := func(v float64, round func(float64) float64) int {
		if v *= p.Scale; math.Abs(v) > maxPlace {
			err = fmt.Errorf("the picture extends to pixel %.0f, beyond the limit", v)
		}
		return int(round(v / side))
	}
	down := func(v float64) float64 { return math.Floor(v + little) }
	up := func(v float64) float64 { return math.Ceil(v - little) }
	tiles := image.Rect(at(b.Min[0], down), at(b.Min[1], down), at(b.Max[0], up), at(b.Max[1], up))
	if err != nil || b.Empty() {
		return nil, err
	}
	total := 0
	for length := max(b.Dx(), b.Dy()) * p.Scale; ; length /= 2 {
		total += tiles.Dx() * tiles.Dy()
		if levels = append(levels, tiles); total > maxTiles {
			return nil, fmt.Errorf("more than %d tiles: choose a smaller --scale", maxTiles)
		}
		if length <= side {
			return levels, nil
		}
		tiles = image.Rect(tiles.Min.X>>1, tiles.Min.Y>>1, (tiles.Max.X+1)>>1, (tiles.Max.Y+1)>>1)
	}
}

// An overlap of less than a millionth of a pixel is a rounding error.
const little = 1e-6 / side

// findLook determines the properties that all tiles share.
func (p *Pyramid) findLook() error {
	for _, tiles := range p.levels {
		p.total += tiles.Dx() * tiles.Dy()
	}
	b := p.View.Bounds
	p.Look.Origin, p.Look.Scale, p.Look.Size = [2]float64{}, p.Scale, image.Point{}
	salt, err := json.Marshal([]any{rules, p.Look, p.Background}) // without the bounds, which may grow
	sum := sha256.Sum256(salt)
	p.salt = sum[:]
	p.Look.Size = image.Pt(int(math.Ceil(b.Dx()*p.Scale-little)), int(math.Ceil(b.Dy()*p.Scale-little)))
	return err
}

func name(level, x, y int) string { return fmt.Sprintf("%d/%d/%d.png", level, x, y) }

// shrinkLevel makes the tiles of a level from those in the folder, several at a time.
func (p *Pyramid) shrinkLevel(ctx context.Context, level int) error {
	var failed atomic.Pointer[error]
	tiles, again := p.levels[level], p.again(level)
	parallel.Each(tiles.Dx()*tiles.Dy(), func(i int) {
		if failed.Load() != nil {
			return
		}
		err := ctx.Err()
		t := Tile{Name: name(level, tiles.Min.X+i%tiles.Dx(), tiles.Min.Y+i/tiles.Dx())}
		aside := p.since != nil && !again[t.Name]
		if aside {
			if _, there := p.folder.Piece(t.Name); there {
				return
			}
		}
		if err == nil {
			t, err = p.shrink(p.folder, p.levels[level-1], level, tiles.Min.X+i%tiles.Dx(), tiles.Min.Y+i/tiles.Dx())
		}
		if t.Aside = aside; err == nil {
			err = p.put(ctx, t)
		}
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// drawTile draws a tile of level 0, if it has changed.
func (p *Pyramid) drawTile(ctx context.Context, x, y int) (Tile, error) {
	place := image.Rect(x, y, x+1, y+1)
	place = image.Rectangle{Min: place.Min.Mul(side), Max: place.Max.Mul(side)}
	t := Tile{Name: name(0, x, y)}
	if p.View.Fingerprint != nil {
		sum, err := p.View.Fingerprint(ctx, p.Look, place)
		if err != nil || sum == [32]byte{} {
			return t, err
		}
		if t.Key = p.key(sum[:]); p.same(&t) {
			return t, nil
		}
	}
	dst := p.blankOf(place)
	missed := new(format.Missed)
	if err := p.View.Render(format.WithMissed(ctx, missed), dst, p.Look); err != nil {
		return t, err
	}
	for _, m := range missed.All() {
		if m.Adds {
			t.Missing = append(t.Missing, m)
		}
	}
	return t, p.encode(&t, dst)
}

// pieces provides the tiles from which others are composed: a folder or the records of a part.
type pieces interface {
	Piece(name string) (output.Piece, bool)
	Read(name string) ([]byte, error)
}

// shrink composes a tile from the existing tiles among its four on the level below, if one of them has changed.
func (p *Pyramid) shrink(from pieces, below image.Rectangle, level, x, y int) (Tile, error) {
	t := Tile{Name: name(level, x, y)}
	var four [4]output.Piece
	var hashes []byte
	some := false
	for i := range four {
		if child := image.Pt(2*x+i%2, 2*y+i/2); child.In(below) {
			if piece, ok := from.Piece(name(level-1, child.X, child.Y)); ok {
				four[i], some = piece, true
			}
		}
		hashes = append(hashes, four[i].Content[:]...)
	}
	if !some {
		return t, nil
	}
	if t.Key = p.key(hashes); p.same(&t) {
		return t, nil
	}
	whole := p.blankOf(image.Rect(0, 0, 2*side, 2*side))
	for i, piece := range four {
		if piece.Size == 0 {
			continue
		}
		child := name(level-1, 2*x+i%2, 2*y+i/2)
		data, err := from.Read(child)
		if err != nil {
			return t, err
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return t, fmt.Errorf("%s: %w", child, err)
		}
		draw.Draw(whole, image.Rect(0, 0, side, side).Add(image.Pt(i%2, i/2).Mul(side)), m, image.Point{}, draw.Src)
	}
	return t, p.encode(&t, pixel.Half(whole))
}

func (p *Pyramid) key(of []byte) output.Hash {
	sum := sha256.Sum256(append(slices.Clip(p.salt), of...))
	return output.Hash(sum[:16])
}

// same reports whether a tile with the same input exists.
func (p *Pyramid) same(t *Tile) bool {
	if p.folder == nil {
		return false
	}
	piece, ok := p.folder.Piece(t.Name)
	if ok = ok && piece.Key == t.Key; ok {
		t.Content = piece.Content
		t.Missing, ok = missingOf(piece)
	}
	return ok
}

// encode encodes a tile, unless the tile is blank without missing data or identical to the existing tile.
func (p *Pyramid) encode(t *Tile, m *image.RGBA) error {
	if len(t.Missing) == 0 && p.onlyBackground(m) {
		return nil
	}
	sum := sha256.Sum256(m.Pix)
	t.Content = output.Hash(sum[:16])
	if p.folder != nil {
		if piece, ok := p.folder.Piece(t.Name); ok && piece.Content == t.Content {
			return nil
		}
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
	t.PNG = file.Bytes()
	return err
}

// put writes, keeps or removes the file of a tile in the folder.
func (p *Pyramid) put(ctx context.Context, t Tile) error {
	if t.Aside {
		return p.putAside(t)
	}
	p.noteTile(t)
	piece, there := p.folder.Piece(t.Name)
	var err error
	switch {
	case t.Content == output.Hash{}:
		if there {
			p.removed.Add(1)
		}
		err = p.folder.Remove(t.Name)
	case there && piece.Content == t.Content:
		p.kept.Add(1)
		if notes := notesOf(t.Missing); piece.Key != t.Key || !slices.Equal(piece.Notes, notes) {
			err = p.folder.Rekey(t.Name, t.Key, notes...)
		}
	case t.PNG == nil && (t.File.Size == 0 || p.Files == nil):
		err = fmt.Errorf("%s: another program changed it during the run", t.Name)
	default:
		p.drawn.Add(1)
		err = p.place(ctx, t)
	}
	if err == nil && p.Progress != nil && p.since == nil {
		p.Progress(int(p.done.Add(1)), p.total)
	}
	return err
}

func (p *Pyramid) write(name string, key, content output.Hash, data []byte, notes ...output.Note) error {
	p.note(name)
	return p.folder.Put(path.Clean(name), key, content, data, notes...)
}

// note records that a file was written.
func (p *Pyramid) note(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = append(p.changed, name)
}

// blankOf returns a picture with only background.
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
