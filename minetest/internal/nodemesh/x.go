package nodemesh

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// parseX reads a DirectX model that is text, and reports whether it is animated. Each material of each mesh is a part.
func parseX(data []byte) (*Model, bool, error) {
	if !bytes.HasPrefix(data, []byte("xof ")) || len(data) < 16 {
		return nil, false, &fault.Error{Want: `"xof ", the first bytes of a DirectX model`, Got: fmt.Sprintf("%.16q", data), Err: fault.ErrFormat}
	}
	if kind := string(data[8:12]); kind != "txt " {
		return nil, false, &fault.Error{Offset: 8, Want: "a model that is text; save it as text, or as .obj or .b3d",
			Got: fmt.Sprintf("%q", kind), Err: fault.ErrVersion}
	}
	f := xFile{data: data, at: 16, model: &Model{}}
	for word := f.next(); word != ""; word = f.next() {
		f.object(word, 0)
	}
	return f.model, f.animated, f.err
}

// xFile is a DirectX model that is being read. After the first error all reads return nothing.
type xFile struct {
	data      []byte
	at, start int // the cursor, and the start of the last word
	err       error
	model     *Model
	parts     int // of all meshes, those without triangles included
	vertices  int
	animated  bool
}

func (f *xFile) fail(err error, want, got string) {
	if f.err == nil {
		f.err = &fault.Error{Offset: int64(f.start), Want: want, Got: got, Err: err}
	}
	f.at = len(f.data)
}

// next returns the next word, string or brace, or "" at the end. Commas and semicolons only separate.
func (f *xFile) next() string {
	const between = " \t\r\n,;"
	for f.at < len(f.data) {
		f.start = f.at
		switch c := f.data[f.at]; {
		case strings.IndexByte(between, c) >= 0:
			f.at++
		case c == '#' || bytes.HasPrefix(f.data[f.at:], []byte("//")):
			f.until('\n')
		case c == '{' || c == '}':
			f.at++
			return string(c)
		case c == '"':
			f.at++
			f.until('"')
			return string(f.data[f.start:f.at])
		default:
			for f.at < len(f.data) && strings.IndexByte(between+"{}\"#", f.data[f.at]) < 0 {
				f.at++
			}
			return string(f.data[f.start:f.at])
		}
	}
	f.start = f.at
	return ""
}

// until moves behind the next c.
func (f *xFile) until(c byte) {
	if n := bytes.IndexByte(f.data[f.at:], c); n >= 0 {
		f.at += n + 1
	} else {
		f.at = len(f.data)
	}
}

func (f *xFile) number() float32 {
	word := f.next()
	n, err := strconv.ParseFloat(word, 32)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		f.fail(fault.ErrFormat, "a number", fmt.Sprintf("%.20q", word))
		return 0
	}
	return float32(n)
}

// count reads a number from low to high.
func (f *xFile) count(low, high int) int {
	word := f.next()
	n, err := strconv.Atoi(word)
	if err != nil || n < low || n > high {
		f.fail(fault.ErrFormat, fmt.Sprintf("a number from %d to %d", low, high), fmt.Sprintf("%.20q", word))
		return 0
	}
	return n
}

func (f *xFile) vector() (v [3]float32) {
	for i := range v {
		v[i] = f.number()
	}
	return v
}

// inside calls read for each object before the end of this one. What is only named there is skipped.
func (f *xFile) inside(depth int, read func(kind string)) {
	if e := effort.ModelDepth.Over(int64(depth)); e != nil {
		f.fail(e.Err, e.Want, e.Got)
	}
	for f.err == nil {
		switch word := f.next(); word {
		case "}":
			return
		case "{":
			f.skip()
		case "":
			f.fail(fault.ErrShort, "}", "the end of the file")
		default:
			read(word)
		}
	}
}

// open reads the name, if any, and the brace of an object.
func (f *xFile) open() {
	word := f.next()
	if word != "{" {
		word = f.next()
	}
	if word != "{" {
		f.fail(fault.ErrFormat, "{", fmt.Sprintf("%.20q", word))
	}
}

// skip reads to the end of an object.
func (f *xFile) skip() {
	for depth := 1; depth > 0 && f.err == nil; {
		switch f.next() {
		case "{":
			depth++
		case "}":
			depth--
		case "":
			f.fail(fault.ErrShort, "}", "the end of the file")
		}
	}
}

// object reads an object after its kind.
func (f *xFile) object(kind string, depth int) {
	f.open()
	switch kind {
	case "Frame":
		f.frame(depth)
	case "Mesh":
		f.mesh()
	case "AnimationSet", "Animation":
		f.inside(depth, func(kind string) { f.object(kind, depth+1) })
	case "AnimationKey":
		f.count(0, 4)
		f.animated = f.count(0, math.MaxInt32) > 0 || f.animated
		f.skip()
	default:
		f.skip()
	}
}

func (f *xFile) frame(depth int) {
	first, move := len(f.model.Parts), identity
	f.inside(depth, func(kind string) {
		if kind != "FrameTransformMatrix" {
			f.object(kind, depth+1)
			return
		}
		f.open()
		for i := range move {
			move[i] = f.number()
		}
		f.skip()
	})
	if move == identity {
		return
	}
	for _, p := range f.model.Parts[first:] {
		for i, v := range p.Vertices {
			if p.Vertices[i] = v.moved(&move); !p.Vertices[i].finite() {
				f.fail(fault.ErrFormat, "a frame with finite vertices before this place", fmt.Sprint(v.Pos))
				return
			}
		}
	}
}

// xMesh is a mesh that is being read. Faces hold the numbers of their corners.
type xMesh struct {
	places, normals     [][3]float32
	uvs                 [][2]float32
	faces, normalsFaces [][]int
	materials           int
	material            []int // of each face
}

func (f *xFile) mesh() {
	var m xMesh
	m.places = f.vectors()
	m.faces = f.faces(len(m.places))
	f.inside(0, func(kind string) {
		f.open()
		switch kind {
		case "MeshNormals":
			m.normals = f.vectors()
			m.normalsFaces = f.faces(len(m.normals))
		case "MeshTextureCoords":
			n := f.count(len(m.places), len(m.places))
			m.uvs = nil
			for i := 0; i < n && f.err == nil; i++ {
				m.uvs = append(m.uvs, [2]float32{f.number(), f.number()})
			}
		case "MeshMaterialList":
			m.materials = f.count(0, math.MaxInt32)
			n := f.count(0, len(m.faces))
			m.material = nil
			for i := 0; i < n && f.err == nil; i++ {
				m.material = append(m.material, f.count(0, m.materials-1))
			}
		case "SkinWeights":
			f.next()
			f.animated = f.count(0, math.MaxInt32) > 0 || f.animated
		}
		f.skip()
	})
	if f.err == nil {
		f.add(&m)
	}
}

func (f *xFile) vectors() (all [][3]float32) {
	n := f.count(0, math.MaxInt32)
	for i := 0; i < n && f.err == nil; i++ {
		all = append(all, f.vector())
	}
	return all
}

func (f *xFile) faces(vertices int) (all [][]int) {
	n := f.count(0, math.MaxInt32)
	for i := 0; i < n && f.err == nil; i++ {
		face := make([]int, 0, 4)
		for range f.count(3, math.MaxInt32) {
			if f.err != nil {
				return nil
			}
			face = append(face, f.count(0, vertices-1))
		}
		all = append(all, face)
	}
	return all
}

// add adds the parts of a mesh to the model.
func (f *xFile) add(m *xMesh) {
	type corner struct{ place, normal int }
	parts := make(map[int]*Part)
	places := make(map[int]map[corner]uint32)
	for i, face := range m.faces {
		material := 0
		if len(m.material) > 0 {
			material = m.material[min(i, len(m.material)-1)]
		}
		part := parts[material]
		if part == nil {
			part = &Part{Tile: min(f.parts+material, 5)}
			parts[material], places[material] = part, make(map[corner]uint32)
		}
		var indices []uint32
		for k, place := range face {
			c := corner{place, -1}
			if i < len(m.normalsFaces) && k < len(m.normalsFaces[i]) {
				c.normal = m.normalsFaces[i][k]
			}
			to, is := places[material][c]
			if !is {
				to = uint32(len(part.Vertices))
				places[material][c] = to
				v := ModelVertex{Pos: m.places[place]}
				if c.normal >= 0 {
					v.Normal = unit(m.normals[c.normal])
				}
				if m.uvs != nil {
					v.UV = m.uvs[place]
				}
				if !v.finite() {
					f.fail(fault.ErrFormat, "a mesh with smaller numbers before this place", fmt.Sprint(v.Pos, v.UV))
					return
				}
				part.Vertices = append(part.Vertices, v)
			}
			indices = append(indices, to)
		}
		for k := 2; k < len(indices); k++ {
			part.Indices = append(part.Indices, indices[0], indices[k-1], indices[k])
		}
		f.vertices += len(face)
		if e := effort.ModelVertices.Over(int64(f.vertices)); e != nil {
			f.fail(e.Err, e.Want, e.Got)
			return
		}
	}
	for _, material := range slices.Sorted(maps.Keys(parts)) {
		f.model.Parts = append(f.model.Parts, *parts[material])
	}
	f.parts += max(m.materials, 1)
}
