package codexsite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"maps"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/internal/sheet"
)

// sprite is an icon: the number of its sheet, its place in it and its size.
type sprite [5]int

// Sizes of sheets in pixels.
const (
	sheetSide = 1024
	iconSide  = 64
)

// part is a part of a picture.
type part struct {
	file string
	rect image.Rectangle
}

// iconNames notes the icons of all things, and returns their names in upper case.
func (w *writer) iconNames() []string {
	w.iconOf = make(map[*codex.Thing]string)
	used := make(map[string]bool)
	for _, v := range w.data.All() {
		t := v.Common()
		if name := strings.ToUpper(t.Icon); name != "" {
			w.iconOf[t], used[name] = name, true
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// content returns a file of the latest source that has it.
func (w *writer) content(name string) (data []byte, err error) {
	for _, s := range slices.Backward(w.sources) {
		if data, err = s.Files.Content(name); err == nil {
			return data, nil
		}
	}
	return nil, err
}

// sets returns the sprites of all image sets, by their names in upper case. The first one of the latest source counts.
func (w *writer) sets() map[string]part {
	found := make(map[string]part)
	for _, s := range slices.Backward(w.sources) {
		for _, name := range slices.Sorted(s.Files.Files()) {
			if !strings.HasSuffix(strings.ToUpper(name), ".IMAGESET") {
				continue
			}
			data, err := s.Files.Content(name)
			if err != nil {
				continue
			}
			set, _ := imageset.Parse(data) // check reports errors
			if set == nil {
				continue
			}
			for _, sprite := range set.Sprites {
				if key := strings.ToUpper(sprite.Name); found[key].file == "" {
					found[key] = part{inherit.Path(set.File), sprite.Rect}
				}
			}
		}
	}
	return found
}

// icons writes the icons of all things as sheets. Icons that cannot be read are omitted.
func (w *writer) icons(ctx context.Context) error {
	sets := w.sets()
	byFile := make(map[string][]string)
	key := "icons"
	used := slices.DeleteFunc(w.iconNames(), func(name string) bool { return sets[name].file == "" })
	for _, name := range used {
		byFile[sets[name].file] = append(byFile[sets[name].file], name)
		key += fmt.Sprintf("\x00%s\x00%v", name, sets[name])
	}
	m, err := w.make(key, nil, func(files figure.Files) (parts, string, error) {
		cut := make(map[string]*image.NRGBA)
		order := slices.Sorted(maps.Keys(byFile))
		for i, file := range order {
			w.Progress("icons", i, len(order))
			if err := ctx.Err(); err != nil {
				return nil, "", err
			}
			data, err := files.Read(file)
			if err != nil {
				continue
			}
			m, err := picture.Decode(file, data)
			if err != nil {
				continue
			}
			for _, name := range byFile[file] {
				if r := sets[name].rect.Intersect(m.Bounds()); !r.Empty() {
					cut[name] = reduced(m, r)
				}
			}
		}
		sprites, sheets := arrange(cut)
		all := make(parts)
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		for i, m := range sheets {
			var out bytes.Buffer
			if err := encoder.Encode(&out, m); err != nil {
				return nil, "", err
			}
			all[fmt.Sprintf("icons/%d.png", i)] = out.Bytes()
		}
		places := make([]sprite, len(used)) // those of icons that cannot be read have no size
		for i, name := range used {
			places[i] = sprites[name]
		}
		facts, err := json.Marshal(places)
		return all, string(facts), err
	})
	if err != nil {
		return err
	}
	w.sprites = make(map[string]sprite)
	var places []sprite
	if err := json.Unmarshal([]byte(m.Facts), &places); err != nil {
		return err
	}
	for i, place := range places[:min(len(places), len(used))] {
		if place[4] > 0 {
			w.sprites[used[i]] = place
		}
	}
	return nil
}

// arrange puts pictures on sheets, and returns their places.
func arrange(cut map[string]*image.NRGBA) (sprites map[string]sprite, sheets []*image.NRGBA) {
	names := slices.Sorted(maps.Keys(cut))
	sizes := make([]image.Point, len(names))
	for i, name := range names {
		sizes[i] = cut[name].Rect.Size()
	}
	numbers, places, height := sheet.Shelves(sizes, sheetSide)
	sprites = make(map[string]sprite)
	for i, name := range names {
		for len(sheets) <= numbers[i] {
			sheets = append(sheets, image.NewNRGBA(image.Rect(0, 0, sheetSide, sheetSide)))
		}
		draw.Draw(sheets[numbers[i]], places[i], cut[name], cut[name].Rect.Min, draw.Src)
		sprites[name] = sprite{numbers[i], places[i].Min.X, places[i].Min.Y, sizes[i].X, sizes[i].Y}
	}
	if last := len(sheets) - 1; last >= 0 { // only what is used
		sheets[last] = sheets[last].SubImage(image.Rect(0, 0, sheetSide, height)).(*image.NRGBA)
	}
	return sprites, sheets
}

// reduced returns a part of a picture, made smaller if it is larger than an icon: each pixel is the mean of those that it covers.
func reduced(m *image.NRGBA, r image.Rectangle) *image.NRGBA {
	side := max(r.Dx(), r.Dy())
	to := r.Size()
	if side > iconSide {
		to = image.Pt(max(to.X*iconSide/side, 1), max(to.Y*iconSide/side, 1))
	}
	out := image.NewNRGBA(image.Rectangle{Max: to})
	for y := range to.Y {
		for x := range to.X {
			from := image.Rect(r.Min.X+x*r.Dx()/to.X, r.Min.Y+y*r.Dy()/to.Y, r.Min.X+(x+1)*r.Dx()/to.X, r.Min.Y+(y+1)*r.Dy()/to.Y)
			var sum [4]int
			for v := from.Min.Y; v < from.Max.Y; v++ {
				for u := from.Min.X; u < from.Max.X; u++ {
					c := m.NRGBAAt(u, v)
					a := int(c.A)
					sum[0], sum[1], sum[2], sum[3] = sum[0]+int(c.R)*a, sum[1]+int(c.G)*a, sum[2]+int(c.B)*a, sum[3]+a
				}
			}
			if sum[3] > 0 {
				at := out.PixOffset(x, y)
				for i := range 3 {
					out.Pix[at+i] = uint8(sum[i] / sum[3])
				}
				out.Pix[at+3] = uint8(sum[3] / (from.Dx() * from.Dy()))
			}
		}
	}
	return out
}
