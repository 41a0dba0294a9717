package nodecolor

import (
	"context"
	"image"
	"math"
	"os"
	"strings"
	"sync"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// Textures are the textures of a game, of mods or of texture packs, by their file names.
type Textures struct {
	files Images

	mu    sync.Mutex
	means map[string]*Color // nil: the texture has no mean colour
}

// Images returns the image of a file name, or an error if there is none.
type Images interface {
	Image(ctx context.Context, name string) (*image.NRGBA, error)
}

// NewTextures returns the textures in some files.
func NewTextures(files Images) *Textures { return &Textures{files: files} }

// FindTextures searches folders, each of a game, of mods or a texture pack, for textures, as the engine does: texture packs have
// precedence, the first before all others, then the game, then the mods.
func FindTextures(dirs ...string) (*Textures, error) {
	var s texture.Sources
	for _, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			return nil, err
		}
		s.Add(texture.FolderAt(dir))
	}
	search, err := s.Search()
	return NewTextures(search), err
}

// open decodes a texture, or returns nil if it is missing, unreadable or too large.
func (t *Textures) open(name string) *image.NRGBA {
	if t.files == nil {
		return nil
	}
	img, err := t.files.Image(context.Background(), name)
	if err != nil {
		return nil
	}
	return img
}

// Mean returns the mean colour of a texture: the root mean square of its channels, over the pixels that are more than
// half opaque. A is the mean of their alpha.
func (t *Textures) Mean(name string) (Color, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, known := t.means[name]
	if !known {
		if c = mean(t.open(name)); t.means == nil {
			t.means = make(map[string]*Color)
		}
		t.means[name] = c
	}
	if c == nil {
		return Color{}, false
	}
	return *c, true
}

func mean(img *image.NRGBA) *Color {
	if img == nil {
		return nil
	}
	var sum [4]float64
	n := 0.0
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := img.NRGBAAt(x, y)
			if c.A < 128 {
				continue
			}
			n++
			for i, v := range []uint8{c.R, c.G, c.B} {
				sum[i] += float64(v) * float64(v)
			}
			sum[3] += float64(c.A)
		}
	}
	if n == 0 {
		return nil
	}
	root := func(s float64) uint8 { return uint8(math.Sqrt(s / n)) }
	return &Color{R: root(sum[0]), G: root(sum[1]), B: root(sum[2]), A: uint8(sum[3] / n)}
}

// fileOf returns the first texture file of a tile, without modifiers, or "" if the tile has none.
func fileOf(tile string) string {
	tile = strings.TrimLeft(tile, "(")
	if rest, ok := strings.CutPrefix(tile, "[combine:"); ok {
		_, tile, _ = strings.Cut(rest, "=")
		tile, _, _ = strings.Cut(tile, ":")
	}
	tile, _, _ = strings.Cut(tile, "^")
	tile = strings.TrimRight(tile, ")")
	if strings.HasPrefix(tile, "[") {
		return ""
	}
	return tile
}

// Of returns the colour of a node from its top texture. Without a definition it uses the conventional texture name
// for the node's name.
func (t *Textures) Of(name string, def *nodedef.Node) (Color, bool) {
	if def == nil {
		mod, own, _ := strings.Cut(name, ":")
		for _, file := range []string{mod + "_" + own + "_top", mod + "_" + own, own + "_top", own} {
			if c, ok := t.Mean(file + ".png"); ok {
				c.A = 255
				return c, true
			}
		}
		return Color{}, false
	}
	if def.DrawType == "airlike" {
		return Color{}, true
	}
	if len(def.Tiles) == 0 {
		return Color{}, false
	}
	c, ok := t.Mean(fileOf(def.Tile(0).Name))
	if !ok {
		return c, false
	}
	if tint, ok := texture.ParseColor(def.Color); ok {
		c = multiplied(c, Color{R: tint.R, G: tint.G, B: tint.B})
	}
	switch {
	case strings.HasPrefix(def.DrawType, "glasslike"):
		c.A, c.T = 64, 16
	case strings.HasSuffix(def.DrawType, "liquid") && c.A < 250:
		c.A, c.T = 128, 224
	default:
		c.A = 255
	}
	return c, true
}

// Palette returns the colours of a node for each value of param2, or nil if it has no palette.
func (t *Textures) Palette(def *nodedef.Node, base Color) *[256]Color {
	if def == nil || def.Palette == "" || !strings.HasPrefix(def.ParamType2, "color") {
		return nil
	}
	img := t.open(fileOf(def.Palette))
	if img == nil {
		return nil
	}
	b := img.Bounds()
	n := min(b.Dx()*b.Dy(), 256)
	var all [256]Color
	for i := range all {
		all[i] = base
		if at := i / (256 / n); at < n { // all other values are white
			c := img.NRGBAAt(b.Min.X+at%b.Dx(), b.Min.Y+at/b.Dx())
			all[i] = multiplied(base, Color{R: c.R, G: c.G, B: c.B})
		}
	}
	return &all
}

func multiplied(c, by Color) Color {
	part := func(a, b uint8) uint8 { return uint8(int(a) * int(b) / 255) }
	c.R, c.G, c.B = part(c.R, by.R), part(c.G, by.G), part(c.B, by.B)
	return c
}

// ParseHex reads a colour such as #ff8000. The result is opaque.
func ParseHex(s string) (Color, bool) {
	var v [3]uint8
	if len(s) != 7 || s[0] != '#' {
		return Color{}, false
	}
	for i := range v {
		for _, d := range []byte(s[1+2*i : 3+2*i]) {
			n := strings.IndexByte("0123456789abcdef", d|0x20)
			if n < 0 {
				return Color{}, false
			}
			v[i] = v[i]<<4 | uint8(n)
		}
	}
	return Color{R: v[0], G: v[1], B: v[2], A: 255}, true
}
