package mapdraw

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// maxImages is the number of images that the game loads; layers with a later one are drawn without an image.
const maxImages = 64

// maxSide is the largest side of a picture that graphics cards accept, in pixels.
const maxSide = 16384

// picture is an image of a map, prepared when a layer first needs it.
type picture struct {
	image *twmap.Image
	users int // number of layers

	once, onceTexture, onceSheet sync.Once
	source                       *image.NRGBA            // nil: layers with it are drawn without an image
	missing                      atomic.Pointer[Missing] // why the pixels are not those of the image, zero if they are; nil: not read yet
	texture                      texture
	sheet                        *sheet
	small                        atomic.Pointer[sheet] // of a map that is read again for each picture: the sizes of [sheet.small]

	onceDigest sync.Once
	digest     [32]byte
}

// findImages prepares the pictures of a map for reading.
func (r *Renderer) findImages() {
	users := make([]int, len(r.m.Images))
	for _, g := range r.m.Groups {
		for _, l := range g.Layers {
			if i := imageOf(l); i >= 0 && i < len(users) {
				users[i]++
			}
		}
	}
	for i, im := range r.m.Images {
		if i < maxImages {
			r.pictures = append(r.pictures, &picture{image: im, users: users[i]})
		} else if users[i] > 0 {
			r.miss(Missing{Kind: MissingImage, Name: im.Name, Layers: users[i],
				What: fmt.Sprintf("the game loads %d images only: layers with it are drawn in plain colour", maxImages)})
		}
	}
}

// size returns the approximate memory of a picture in bytes: of the picture and all its smaller sizes, both for tiles
// and for quads.
func (p *picture) size() int64 {
	if !p.image.External() && !p.image.HasPicture() {
		return 0
	}
	const mostOfExternal = 1 << 24 // the size that the map states is unreliable
	n := int64(p.image.Width()) * int64(p.image.Height())
	if p.image.External() {
		n = min(max(n, 0), mostOfExternal)
	}
	return n * 4 * 5 / 3
}

// imageOf returns the index of the image of a layer, or -1 for none.
func imageOf(l twmap.Layer) int {
	switch l := l.(type) {
	case *twmap.TileLayer:
		if l.Kind() == twmap.KindTiles {
			return l.Image
		}
	case *twmap.QuadLayer:
		return l.Image
	}
	return -1
}

// textureOf returns a picture for quads, or nil if layers with it are drawn without an image.
func (r *Renderer) textureOf(p *picture) texture {
	if !r.keeps {
		return newTexture(r.source(p))
	}
	source := r.source(p)
	p.onceTexture.Do(func() { p.texture = newTexture(source) })
	return p.texture
}

// sheetOf returns a picture for tiles of at most size pixels, or nil if layers with it are drawn without an image.
func (r *Renderer) sheetOf(p *picture, size float64) *sheet {
	if !r.keeps {
		if s := p.small.Load(); s != nil && s.levels[s.detail(size).level].pix != nil {
			return s
		}
		s := newSheet(tileable(r.source(p)))
		if s != nil {
			p.small.CompareAndSwap(nil, s.small(maxSmall/len(r.pictures)))
		}
		return s
	}
	source := r.source(p)
	p.onceSheet.Do(func() { p.sheet = newSheet(tileable(source)) })
	return p.sheet
}

// source returns the pixels of a picture, or nil for none. It reports pixels that are not those of the image.
func (r *Renderer) source(p *picture) *image.NRGBA {
	read := func() *image.NRGBA {
		source, missing := r.read(p)
		p.missing.Store(&missing)
		return source
	}
	var source *image.NRGBA
	if r.keeps {
		p.once.Do(func() { p.source = read() })
		source = p.source
	} else {
		source = read()
	}
	if missing := *p.missing.Load(); missing != (Missing{}) {
		r.miss(missing)
	}
	return source
}

// survey reports pixels that are not those of the image, and reads them only if nobody has.
func (r *Renderer) survey(p *picture) {
	switch missing := p.missing.Load(); {
	case missing == nil:
		r.source(p)
	case *missing != (Missing{}):
		r.miss(*missing)
	}
}

// read returns the pixels of a picture in its own size, or a replacement; nil for nothing.
func (r *Renderer) read(p *picture) (*image.NRGBA, Missing) {
	pixels, err := r.load(p)
	if err == nil {
		return within(pixels, maxSide), Missing{}
	}
	miss := Missing{Kind: MissingImage, Name: p.image.Name, Layers: p.users, What: err.Error(), Loss: !p.image.External()}
	var unfound *unfoundError
	null := errors.As(err, &unfound)
	switch {
	case r.o.Checker:
		miss.What += ": drawn as a checker"
		pixels = checkerPicture()
	case null && r.o.Hatch:
		miss.What += ": drawn as a grey hatch"
		pixels = hatchPicture()
	case null:
		miss.What += ": drawn in red, green, blue and yellow, as the game does"
		pixels = nullPicture()
	default:
		miss.What += ": drawn in plain colour, as the game does"
	}
	return pixels, miss
}

// unfoundError is the error of an external image that does not exist or is not a PNG. For other errors the game does
// not even draw its null texture.
type unfoundError struct{ err error }

func (e *unfoundError) Error() string { return e.err.Error() }
func (e *unfoundError) Unwrap() error { return e.err }

// load returns the pixels of an image, embedded or external.
func (r *Renderer) load(p *picture) (pixels *image.NRGBA, err error) {
	im := p.image
	if im.Version > 1 && im.Variant != 1 {
		return nil, fmt.Errorf("the game does not support its variant %d", im.Variant)
	}
	if im.External() {
		if im.Name == "" {
			return nil, errors.New("the image is external and has no name")
		}
		if pixels, err = r.External(im.Name); err != nil {
			return nil, &unfoundError{err}
		}
		return pixels, nil
	}
	im.Look(func(found *image.NRGBA, e error) {
		if err = e; err != nil {
			return
		}
		if found.Rect.Empty() {
			err = fmt.Errorf("the image has %d x %d pixels", im.Width(), im.Height())
			return
		}
		pixels = &image.NRGBA{Pix: bytes.Clone(found.Pix), Stride: found.Stride, Rect: found.Rect}
	})
	if err == nil && im.RGB() {
		return nil, errors.New("the game does not support its three bytes for each pixel")
	}
	return pixels, err
}

// External returns the game's picture for the name of an external image, from the game whose pictures the map is
// drawn with.
func (r *Renderer) External(name string) (*image.NRGBA, error) {
	data, file, err := r.mapres(name)
	var p *image.NRGBA
	if err == nil {
		p, err = DecodePNG(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// mapres reads the file of an external image, and returns its name for messages.
func (r *Renderer) mapres(name string) ([]byte, string, error) {
	if len(r.o.Mapres) == 0 {
		return nil, name + ".png", errors.New("no folder to look for it")
	}
	return r.mapresOf(name, r.sheets07())
}

// mapresOf reads the file that Teeworlds 0.7, or DDNet and 0.6, has under a name. For maps of DDNet and 0.6 the files
// of Teeworlds 0.7 count as missing, because many of its pictures differ.
func (r *Renderer) mapresOf(name string, is07 bool) ([]byte, string, error) {
	if is07 && slices.Contains(variants07, name) {
		if data, err := findFile(r.o.Mapres, name+"_0.7.png"); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return data, name + "_0.7.png", err
		}
	}
	var own, others []string // folders
	for _, dir := range r.o.Mapres {
		if has07(dir) == is07 || is07 && !slices.Contains(variants07, name) {
			own = append(own, dir)
		} else {
			others = append(others, dir)
		}
	}
	file := name + ".png"
	data, err := findFile(own, file)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, file, err
	}
	if data, err = findFile(others, file); err != nil {
		return nil, file, errors.New("not found")
	} else if is07 {
		return data, file, nil // as DDNet does if it lacks the picture of 0.7
	}
	return nil, file, errors.New("not found: only the different picture of Teeworlds 0.7 exists")
}

// findFile reads a file from the first folder that contains it. A name outside of the folder counts as missing.
func findFile(dirs []string, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fs.ErrNotExist
	}
	for _, dir := range dirs {
		data, err := regular.ReadFile(filepath.Join(dir, filepath.FromSlash(name)), effort.TextFile)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return data, err
		}
	}
	return nil, fs.ErrNotExist
}

// maxDeflate is the largest compression ratio of deflate.
const maxDeflate = 1032

// ReadPNG reads a picture from a file, as DecodePNG does.
func ReadPNG(path string) (*image.NRGBA, error) {
	data, err := regular.ReadFile(path, effort.TextFile)
	if err != nil {
		return nil, err
	}
	p, err := DecodePNG(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// DecodePNG reads a picture. It rejects pictures whose stated size is impossible for their number of bytes before
// allocating memory, and pictures with more than [twmap.MaxPixels] pixels.
func DecodePNG(data []byte) (*image.NRGBA, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	w, h := config.Width, config.Height
	if w <= 0 || h <= 0 || w > twmap.MaxPixels/h || w*h/8 > maxDeflate*len(data) {
		return nil, fmt.Errorf("a picture of %d x %d pixels in %d bytes", w, h, len(data))
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if p, ok := decoded.(*image.NRGBA); ok {
		return p, nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA)
			copy(out.Pix[y*out.Stride+4*x:], []byte{c.R, c.G, c.B, c.A})
		}
	}
	return out, nil
}
