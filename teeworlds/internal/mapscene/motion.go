package mapscene

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"image/color"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
)

// Motion returns a picture at all times, in the form that [format.View] describes.
func (s *scene) Motion(ctx context.Context, look format.Look, background color.NRGBA) ([]byte, error) {
	p, err := s.picture(look)
	if err != nil {
		return nil, err
	}
	p.Spent, p.Size = format.SpentOf(ctx), look.Size
	m, err := s.Renderer.Motion(ctx, look.Size, background, p)
	if err != nil {
		return nil, fault.InFile(err, s.src.Path)
	}
	return encodeMotion(m)
}

func encodeMotion(m *mapdraw.Motion) ([]byte, error) {
	type part struct {
		Blocks  int      `json:"blocks"`
		Corners int      `json:"corners"`
		Texture int      `json:"texture"`
		Move    int      `json:"move"`
		Clips   [][4]int `json:"clips"`
	}
	type curve struct {
		Period float64       `json:"period"`
		Pieces [][18]float64 `json:"pieces"`
	}
	type move struct {
		Place [2]float64 `json:"place"`
		Color [2]float64 `json:"color"`
		Scale float64    `json:"scale"`
		Tint  [4]float64 `json:"tint"`
	}
	head := struct {
		Side     int      `json:"side"`
		Blocks   [][2]int `json:"blocks"`
		Parts    []part   `json:"parts"`
		Textures [][3]int `json:"textures"`
		Curves   []curve  `json:"curves"`
		Moves    []move   `json:"moves"`
	}{mapdraw.MotionBlockSide, [][2]int{}, []part{}, [][3]int{}, []curve{}, []move{}}
	for _, b := range m.Blocks {
		head.Blocks = append(head.Blocks, [2]int{b.X, b.Y})
	}
	for _, p := range m.Parts {
		one := part{p.Blocks, p.Corners, p.Texture, p.Move, [][4]int{}}
		for _, c := range p.Clips {
			one.Clips = append(one.Clips, [4]int{c.Min.X, c.Min.Y, c.Max.X, c.Max.Y})
		}
		head.Parts = append(head.Parts, one)
	}
	for _, t := range m.Textures {
		head.Textures = append(head.Textures, [3]int{t.Width, t.Height, len(t.Levels)})
	}
	for _, c := range m.Curves {
		one := curve{Period: c.Period}
		for _, p := range c.Pieces {
			piece := [18]float64{p.Start, p.Length}
			for i, v := range p.Values {
				copy(piece[2+4*i:], v[:])
			}
			one.Pieces = append(one.Pieces, piece)
		}
		head.Curves = append(head.Curves, one)
	}
	use := func(u mapdraw.MotionUse) [2]float64 { return [2]float64{float64(u.Curve), u.Offset} }
	for _, v := range m.Moves {
		head.Moves = append(head.Moves, move{use(v.Place), use(v.Color), v.Scale, v.Tint})
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	out := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	for _, c := range m.Corners {
		for _, v := range [6]float32{c.X, c.Y, c.PivotX, c.PivotY, c.U, c.V} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		out = binary.LittleEndian.AppendUint32(append(out, c.Color[:]...), uint32(c.Move))
	}
	for _, b := range m.Blocks {
		out = append(out, b.Pix...)
	}
	for _, t := range m.Textures {
		w, h := t.Width, t.Height
		for _, pix := range t.Levels {
			out = append(out, pix[:4*w*h]...)
			w, h = max(w/2, 1), max(h/2, 1)
		}
	}
	return out, nil
}
