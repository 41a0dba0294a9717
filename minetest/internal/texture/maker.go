// Package texture makes the images of nodes from texture strings of Minetest and Luanti, such as
// "default_dirt.png^[colorize:#00ff00:40", and finds texture files in games, mods and texture packs as the engine does.
//
// A [Maker] makes images from strings, with files from a [Source]; a [Search] is the Source for folders.
// docs/formats/minetest-textures.md describes the strings and the order of search.
package texture

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/pixel"
)

// Engine is the minor number of the version of the engine whose rules apply: 6 means 5.6.
type Engine int

// Newest selects the rules of the newest engine.
const Newest Engine = 0

// before reports whether the rules are older than those of the version 5.minor.
func (e Engine) before(minor Engine) bool { return e != Newest && e < minor }

// Names of images that the engine uses itself.
const (
	NoTexture   = "no_texture.png"   // a tile whose name is empty
	UnknownNode = "unknown_node.png" // a node without a definition
	Crack       = "crack_anylength.png"
	Blank       = "blank.png" // a transparent pixel
)

// missingColor is the color of the image of one pixel that replaces a missing file. The engine uses a random color.
var missingColor = color.NRGBA{R: 255, B: 255, A: 255}

// A Source returns the image of a file name. The image must not be changed afterwards. The error of a file that does
// not exist is fs.ErrNotExist.
type Source interface {
	Image(ctx context.Context, name string) (*image.NRGBA, error)
}

// Missing is a file that a texture string names and the source does not have, or could not read.
type Missing struct {
	Name string
	Err  error
}

// Limits of one texture string, and of all strings of a Maker.
const (
	partWork  = 256      // pixels that take as long as a part of a string without its pixels
	maxCached = 64 << 20 // bytes of pixels that a Maker keeps
)

// A Maker makes images from texture strings. It keeps recent images. It is safe for concurrent use.
type Maker struct {
	source Source
	engine Engine

	mu      sync.Mutex
	cache   map[string]*image.NRGBA // by string; nil for a string that yields no image
	bytes   int                     // size of the images in cache
	missing map[string]error
	known   map[string]error // the strings so far; an error is a limit that the string exceeds
	total   effort.Meter     // pixels computed for them, once for each
}

// NewMaker returns a Maker of images from the files of a source, with the rules of an engine.
func NewMaker(source Source, engine Engine) *Maker {
	return &Maker{source: source, engine: engine, cache: make(map[string]*image.NRGBA), missing: make(map[string]error),
		known: make(map[string]error), total: effort.Textures.Start(0)}
}

// Make returns the image of a texture string, or nil if the string yields no image: the engine then draws nothing. The
// image must not be changed. Missing files are not an error: see [Maker.Missing]. A string that exceeds a limit of
// size or work is a [*fault.Error].
func (m *Maker) Make(ctx context.Context, text string) (*image.NRGBA, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made, is := m.cache[text]; is {
		return made, ctx.Err()
	}
	if err := effort.TextureText.Check("", int64(len(text))); err != nil {
		return nil, err
	}
	err, known := m.known[text]
	if err != nil {
		return nil, err
	}
	j := &job{Maker: m, ctx: ctx, meter: effort.Texture.Start(0)}
	made := j.make(text).NRGBA
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !known {
		if err := m.total.Spend(int64(j.work)); j.err == nil {
			j.err = err
		}
		m.known[text] = j.err
	}
	if j.err != nil {
		return nil, j.err
	}
	m.keep(text, made)
	return made, nil
}

// Tile is Make for the name of a base tile: an empty name means [NoTexture].
func (m *Maker) Tile(ctx context.Context, text string) (*image.NRGBA, error) {
	if text == "" {
		text = NoTexture
	}
	return m.Make(ctx, text)
}

// Missing returns the files that were missing since the last call, sorted by name.
func (m *Maker) Missing() []Missing {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Missing
	for name, err := range m.missing {
		if err != nil {
			list = append(list, Missing{name, err})
			m.missing[name] = nil // reported
		}
	}
	slices.SortFunc(list, func(a, b Missing) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// keep adds an image to the cache, and empties the cache first if it is full.
func (m *Maker) keep(text string, made *image.NRGBA) {
	size := len(text) + 64
	if made != nil {
		size += len(made.Pix)
	}
	if m.bytes+size > int(parallel.Share(maxCached)) {
		clear(m.cache)
		m.bytes = 0
	}
	m.cache[text] = made
	m.bytes += size
}

// job makes the image of one string. After an error, all of its methods return nothing.
type job struct {
	*Maker
	ctx   context.Context
	meter effort.Meter
	work  int // pixels computed
	depth int
	err   error
}

// layer is an image. The zero value is no image.
type layer struct {
	*image.NRGBA
	own bool // no one else has the image: it may be changed
}

func (l layer) none() bool        { return l.NRGBA == nil }
func (l layer) size() image.Point { return l.Rect.Size() }

// spend counts work, and reports whether the job may continue.
func (j *job) spend(pixels int) bool {
	if j.err == nil {
		j.err = j.ctx.Err()
	}
	if j.err == nil {
		j.work += pixels
		j.err = j.meter.Spend(int64(pixels))
	}
	return j.err == nil
}

// checkPixels returns an error if an image has too many pixels.
func checkPixels(path string, width, height int) error {
	return effort.TexturePixels.Check(path, int64(min(width, math.MaxInt32))*int64(min(height, math.MaxInt32)))
}

// blank returns a transparent image, or no image if a side is not positive.
func (j *job) blank(size image.Point) layer {
	if size.X <= 0 || size.Y <= 0 {
		return layer{}
	}
	if j.err == nil {
		j.err = checkPixels("", size.X, size.Y)
	}
	if !j.spend(size.X * size.Y) {
		return layer{}
	}
	return layer{image.NewNRGBA(image.Rectangle{Max: size}), true}
}

// owned returns the image, or a copy if another one uses it.
func (j *job) owned(l layer) layer {
	if l.none() || l.own {
		return l
	}
	dst := j.blank(l.size())
	if !dst.none() {
		copy(dst.Pix, l.Pix)
	}
	return dst
}

// file returns the image of a file. A missing file is an image of one pixel.
func (j *job) file(name string) layer {
	made, is := j.cache[name]
	if !is || made == nil {
		var err error
		if made, err = j.source.Image(j.ctx, name); err != nil || made == nil {
			if j.ctx.Err() != nil {
				j.err = j.ctx.Err()
				return layer{}
			}
			if _, known := j.missing[name]; !known {
				if err == nil {
					err = errors.New("no image")
				}
				j.missing[name] = err
			}
			made = nil
		} else {
			j.keep(name, made)
		}
	}
	if made == nil {
		m := j.blank(image.Pt(1, 1))
		if !m.none() {
			m.SetNRGBA(0, 0, missingColor)
		}
		return m
	}
	return layer{pixel.NRGBA(made), false}
}

// make returns the image of a string.
func (j *job) make(text string) (base layer) {
	if j.depth++; j.err == nil {
		j.err = effort.TextureDepth.Check("", int64(j.depth))
	}
	defer func() { j.depth-- }()
	for _, part := range split(text) {
		if !j.spend(partWork + len(part)) {
			return layer{}
		}
		base = j.part(base, part)
	}
	if j.err != nil {
		return layer{}
	}
	return base
}

// part applies a part of a string to the image of the parts before it.
func (j *job) part(base layer, part string) layer {
	switch {
	case part == "" && j.engine.before(7): // an empty name is a missing file
		m := j.blank(image.Pt(1, 1))
		if m.none() {
			return m
		}
		m.SetNRGBA(0, 0, missingColor)
		return j.cover(base, m)
	case part == "":
		return base
	case part[0] == '(' && part[len(part)-1] == ')':
		m := j.make(part[1 : len(part)-1])
		if m.none() || base.none() {
			return m
		}
		return j.lay(base, m, image.Point{}, m.size())
	case part[0] == '[':
		for i := range modifiers {
			f := &modifiers[i]
			if strings.HasPrefix(part, f.prefix) && !j.engine.before(f.since) {
				if base.none() && !f.alone {
					return base
				}
				return f.apply(j, base, &arguments{text: part, at: len(f.prefix)})
			}
		}
		return base
	}
	return j.cover(base, j.file(part))
}

// cover lays an image on the base after the smaller of both is brought to the size of the larger one.
func (j *job) cover(base, m layer) layer {
	if base.none() || m.none() {
		return m
	}
	base, m = j.match(base, m)
	if base.none() || m.none() {
		return layer{}
	}
	return j.lay(base, m, image.Point{}, m.size())
}
