package nodemesh

import (
	"fmt"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
)

// parseB3D reads a Blitz3D model, and reports whether it is animated. Each list of triangles is a part.
func parseB3D(data []byte) (*Model, bool, error) {
	r := bin.NewReader(data, bin.LittleEndian)
	f := b3d{model: &Model{}}
	if magic := string(r.Bytes("magic", 4)); r.Err() == nil && magic != "BB3D" {
		r.FailAt(0, "magic", fault.ErrFormat, "BB3D, the first bytes of a Blitz3D model", strconv.Quote(magic))
	}
	whole := r
	if r = whole.Sub("BB3D", whole.Count("size", 1)); whole.Err() != nil {
		return nil, false, whole.Err()
	}
	if version := r.Int32("version"); version < 0 || version >= 100 {
		r.Fail("version", fault.ErrVersion, "a version below 100", strconv.Itoa(int(version)))
	}
	err := f.chunks(r, func(r *bin.Reader, kind string) {
		switch kind {
		case "TEXS":
			for r.Err() == nil && r.Len() > 0 {
				f.scales = append(f.scales, f.texture(r))
			}
		case "BRUS":
			f.brush(r)
		case "NODE":
			f.node(r, &identity, 0)
		}
	})
	return f.model, f.animated, err
}

// b3d is a Blitz3D model that is being read.
type b3d struct {
	model    *Model
	scales   [][2]float32 // of the textures
	brushes  []int32      // the first texture of each
	animated bool
}

// chunks reads the chunks in the rest of r, and returns the first error.
func (f *b3d) chunks(r *bin.Reader, read func(r *bin.Reader, kind string)) error {
	for r.Err() == nil && r.Len() > 0 {
		kind := fmt.Sprintf("%q", r.Bytes("kind", 4))
		kind = kind[1 : len(kind)-1]
		chunk := r.Sub(kind, r.Count("size", 1))
		if r.Err() != nil {
			break
		}
		chunk.Enter(kind)
		if read(chunk, kind); chunk.Err() != nil {
			return chunk.Err()
		}
	}
	return r.Err()
}

// texture reads a texture, and returns the scale of its coordinates.
func (f *b3d) texture(r *bin.Reader) [2]float32 {
	r.CString("file")
	r.Bytes("flags, blend, position", 16)
	scale := [2]float32{r.F32("x_scale"), r.F32("y_scale")}
	r.F32("rotation")
	return scale
}

func (f *b3d) brush(r *bin.Reader) {
	textures := r.Int32("textures")
	if textures < 0 || textures > 8 {
		r.Fail("textures", fault.ErrFormat, "0 to 8", strconv.Itoa(int(textures)))
	}
	for r.Err() == nil && r.Len() > 0 {
		r.CString("name")
		r.Bytes("colour, shininess, blend, effects", 28)
		first := int32(-1)
		if ids := r.Int32s("texture", int(textures)); len(ids) > 0 {
			first = ids[0]
		}
		f.brushes = append(f.brushes, first)
	}
}

// scale returns what the coordinates of a texture with a brush are multiplied by.
func (f *b3d) scale(brush int32) [2]float32 {
	if brush >= 0 && int(brush) < len(f.brushes) {
		if t := f.brushes[brush]; t >= 0 && int(t) < len(f.scales) {
			return f.scales[t]
		}
	}
	return [2]float32{1, 1}
}

func (f *b3d) node(r *bin.Reader, parent *matrix, depth int) {
	if e := effort.ModelDepth.Over(int64(depth)); e != nil {
		r.Fail("", e.Err, e.Want, e.Got)
		return
	}
	r.CString("name")
	var v [10]float32 // the place, the scale, and a quaternion with w first, which turns the other way
	for i := range v {
		v[i] = r.F32("transform")
	}
	at := parent.times(placed([3]float32(v[3:]), [4]float32{-v[7], -v[8], -v[9], v[6]}, [3]float32(v[:])))
	f.nested(r, func(r *bin.Reader, kind string) {
		switch kind {
		case "NODE":
			f.node(r, at, depth+1)
		case "MESH":
			f.mesh(r, at)
		case "BONE":
			for r.Err() == nil && r.Len() > 0 {
				r.Int32("vertex")
				r.F32("weight")
				f.animated = true
			}
		case "KEYS":
			f.keys(r)
		case "ANIM":
			r.Bytes("flags, frames, frames per second", 12)
		}
	})
}

// nested reads the chunks in the rest of a chunk.
func (f *b3d) nested(r *bin.Reader, read func(r *bin.Reader, kind string)) {
	if err := f.chunks(r, read); err != nil && r.Err() == nil {
		pass(r, err)
	}
}

// pass makes an error of a part of r that of r.
func pass(r *bin.Reader, err error) {
	if e, ok := err.(*fault.Error); ok {
		*r = *bin.NewReader(nil, bin.LittleEndian)
		r.FailAt(e.Offset, e.Path, e.Err, e.Want, e.Got)
	}
}

func (f *b3d) keys(r *bin.Reader) {
	flags, size := r.Int32("flags"), 4
	for i, n := range []int{12, 12, 16} { // a place, a scale, a quaternion
		if flags>>i&1 != 0 {
			size += n
		}
	}
	for r.Err() == nil && r.Len() > 0 {
		r.Bytes("key", size)
		f.animated = f.animated || size > 4
	}
}

func (f *b3d) mesh(r *bin.Reader, at *matrix) {
	brush := r.Int32("brush")
	var vertices []ModelVertex
	f.nested(r, func(r *bin.Reader, kind string) {
		switch kind {
		case "VRTS":
			vertices = append(vertices, f.vertices(r, at)...)
		case "TRIS":
			own := r.Int32("brush")
			if own < 0 {
				own = brush
			}
			f.triangles(r, vertices, f.scale(own))
		}
	})
}

func (f *b3d) vertices(r *bin.Reader, at *matrix) []ModelVertex {
	flags, sets, size := r.Int32("flags"), int(r.Int32("sets")), int(r.Int32("set_size"))
	if sets < 0 || sets > 8 || size < 0 || size > 4 {
		r.Fail("sets", fault.ErrFormat, "0 to 8 sets of 0 to 4 coordinates", fmt.Sprintf("%d of %d", sets, size))
	}
	var all []ModelVertex
	for r.Err() == nil && r.Len() > 0 {
		start := r.Offset()
		var v ModelVertex
		for i := range v.Pos {
			v.Pos[i] = r.F32("place")
		}
		if flags&1 != 0 {
			for i := range v.Normal {
				v.Normal[i] = r.F32("normal")
			}
		}
		if flags&2 != 0 {
			r.Bytes("colour", 16)
		}
		for i := range sets * size {
			if x := r.F32("uv"); i < min(2, size) {
				v.UV[i] = x
			}
		}
		v = v.moved(at)
		if !v.finite() {
			r.FailAt(start, "vertex", fault.ErrFormat, "finite numbers", fmt.Sprint(v.Pos, v.Normal, v.UV))
		}
		if all = append(all, v); r.Err() == nil {
			if e := effort.ModelVertices.Over(int64(len(all))); e != nil {
				r.Fail("vertex", e.Err, e.Want, e.Got)
			}
		}
	}
	return all
}

func (f *b3d) triangles(r *bin.Reader, vertices []ModelVertex, scale [2]float32) {
	part := Part{Tile: min(len(f.model.Parts), 5)}
	places := make(map[int32]uint32)
	for r.Err() == nil && r.Len() > 0 {
		for _, i := range r.Int32s("triangle", 3) {
			if i < 0 || int(i) >= len(vertices) {
				r.FailAt(r.Offset()-12, "triangle", fault.ErrFormat, fmt.Sprintf("vertices 0 to %d", len(vertices)-1), strconv.Itoa(int(i)))
				return
			}
			to, is := places[i]
			if !is {
				to = uint32(len(part.Vertices))
				places[i] = to
				v := vertices[i]
				v.UV[0] *= scale[0]
				v.UV[1] *= scale[1]
				if !v.finite() {
					r.FailAt(r.Offset()-12, "triangle", fault.ErrFormat, "a finite scale of its texture", fmt.Sprint(scale))
				}
				part.Vertices = append(part.Vertices, v)
			}
			if part.Indices = append(part.Indices, to); r.Err() == nil {
				if e := effort.ModelVertices.Over(int64(len(part.Indices) / 3)); e != nil {
					r.Fail("triangle", e.Err, e.Want, e.Got)
				}
			}
		}
	}
	f.model.Parts = append(f.model.Parts, part)
}
