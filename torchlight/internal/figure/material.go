package figure

import (
	"fmt"
	"image"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/internal/picture/raster"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/picture"
)

// Alpha is how the alpha of a texture is used.
type Alpha uint8

const (
	Opaque Alpha = iota // not at all
	Mask                // pixels up to Cutoff are not drawn
	Blend               // pixels are mixed with what is behind them
	Add                 // pixels are added to what is behind them
)

// Material is the look of a part.
type Material struct {
	Name    string
	Texture *Texture // nil: white
	Glow    *Texture // added to the texture; nil: none
	Alpha   Alpha
	Cutoff  uint8 // of a Mask
	Back    bool  // the back of triangles is drawn, too
	Front   bool  // the front of triangles is drawn
	Script  []string

	prepare sync.Once
	sizes   []*raster.Texture // for drawing
}

// Texture is a picture on a part.
type Texture struct {
	Path  string
	Image *image.NRGBA
}

// minCutoff is the smallest bound of alpha_rejection that cuts shapes out. Smaller ones only remove what is invisible.
const minCutoff = 16

// scriptFile is a material script; nil if it is unreadable.
type scriptFile struct {
	name   string
	script *ogre.Script
}

// material returns the material with a name.
func (f *Figure) material(name string) *Material {
	key := strings.ToUpper(name)
	if m := f.materials[key]; m != nil {
		return m
	}
	m := &Material{Name: name, Front: true}
	f.materials[key] = m
	block := f.find(name)
	if block == nil {
		f.lack("material", name, "not found in the .MATERIAL files next to the mesh; drawn in white")
		return m
	}
	for pass := range block.Passes() {
		m.read(f, pass)
		break // real materials have one
	}
	f.wear(m, m.Texture)
	return m
}

// wear gives a material its texture, of which each material has a copy in its own look.
func (f *Figure) wear(m *Material, t *Texture) {
	m.Texture = t
	if t == nil {
		return
	}
	if err := f.texels.Spend(int64(t.Image.Rect.Dx()) * int64(t.Image.Rect.Dy())); err != nil {
		m.Texture = nil
		f.over("texture", t.Path, err, "; drawn in white")
	}
}

// find returns a material of the script with the name of the mesh, or of another script in its folder.
func (f *Figure) find(name string) *ogre.Block {
	if f.scripts == nil {
		own := f.stem() + ".MATERIAL"
		names := []string{own}
		if f.files.List != nil {
			list := f.files.List(path.Dir(f.Path))
			slices.Sort(list)
			for _, n := range list {
				if strings.EqualFold(path.Ext(n), ".MATERIAL") && !strings.EqualFold(n, own) {
					names = append(names, n)
				}
			}
		}
		for _, n := range names {
			f.scripts = append(f.scripts, scriptFile{name: n})
		}
	}
	for i := range f.scripts {
		s := &f.scripts[i]
		if s.script == nil {
			s.script = new(ogre.Script)
			if data, err := f.files.Read(f.beside(s.name)); err == nil {
				script, err := ogre.ParseScript(data)
				if err != nil {
					f.lack("material", s.name, err.Error())
				} else {
					s.script = script
				}
			}
		}
		if block := s.script.Find(name); block != nil {
			return block
		}
	}
	return nil
}

// read reads a pass.
func (m *Material) read(f *Figure, pass *ogre.Block) {
	word := func(b *ogre.Block, key string, i int) string {
		words, _ := b.Get(key)
		if i >= len(words) {
			return ""
		}
		return strings.ToLower(words[i])
	}
	for _, a := range pass.Attributes {
		m.Script = append(m.Script, strings.Join(append([]string{a.Key}, a.Words...), " "))
	}
	switch word(pass, "scene_blend", 0) {
	case "add":
		m.Alpha = Add
	case "alpha_blend":
		m.Alpha = Blend
	}
	if n, err := strconv.ParseFloat(word(pass, "alpha_rejection", 1), 64); err == nil && m.Alpha != Add && n >= minCutoff && n <= 255 &&
		strings.HasPrefix(word(pass, "alpha_rejection", 0), "greater") {
		m.Alpha, m.Cutoff = Mask, uint8(n)
	}
	switch word(pass, "cull_hardware", 0) {
	case "none":
		m.Back = true
	case "anticlockwise":
		m.Back, m.Front = true, false
	}
	units := 0
	for _, unit := range pass.Blocks {
		words, _ := unit.Get("texture")
		if unit.Kind != "texture_unit" || len(words) == 0 {
			continue
		}
		for _, a := range unit.Attributes {
			m.Script = append(m.Script, strings.Join(append([]string{"texture_unit", a.Key}, a.Words...), " "))
		}
		switch units++; {
		case units == 1:
			m.Texture = f.texture(words[0], "drawn in white")
		case units == 2 && word(unit, "colour_op", 0) == "add":
			m.Glow = f.texture(words[0], "the material does not glow")
		}
	}
}

// texture returns a picture that a material names, or nil; then otherwise describes what is drawn. The picture is in the
// folder of the mesh, often under another extension.
func (f *Figure) texture(name, otherwise string) *Texture {
	at := strings.ReplaceAll(name, `\`, "/")
	if !strings.HasPrefix(strings.ToUpper(at), "MEDIA/") {
		at = f.beside(path.Base(at))
	}
	key := strings.ToUpper(at)
	if t, known := f.textures[key]; known {
		return t
	}
	f.textures[key] = nil
	stem := strings.TrimSuffix(at, path.Ext(at))
	why := errNotFound.Error()
	for _, at := range slices.Compact([]string{at, stem + ".DDS", stem + ".PNG"}) {
		data, err := f.files.Read(at)
		if err != nil {
			continue
		}
		img, err := picture.Decode(at, data)
		if err != nil {
			why = err.Error()
			continue
		}
		if f.pixels += img.Rect.Dx() * img.Rect.Dy(); img.Rect.Empty() || f.pixels > maxPixels {
			why = fmt.Sprintf("all textures together have more than %d pixels, or this one has none", maxPixels)
			break
		}
		f.textures[key] = &Texture{at, img}
		return f.textures[key]
	}
	f.lack("texture", name, why+"; "+otherwise)
	return nil
}

// Override replaces the textures of all materials, as TEXTURE_OVERRIDE of a unit does.
func (f *Figure) Override(name string) {
	t := f.texture(name, "the mesh keeps its textures")
	if t == nil {
		return
	}
	for _, m := range f.materials {
		f.wear(m, t)
	}
	f.Lacks = slices.DeleteFunc(f.Lacks, func(l Lack) bool { return l.Kind == "texture" && !l.Loss })
}
