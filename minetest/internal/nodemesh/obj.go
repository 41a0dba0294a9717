package nodemesh

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// parseOBJ reads a Wavefront .obj file. Each group, or each use of a material, begins a part before its next face.
// Files of materials are not read.
func parseOBJ(data []byte) (*Model, error) {
	var o obj
	offset := 0
	for line := range bytes.Lines(data) {
		if e := effort.ModelLine.Over(int64(len(line))); e != nil {
			e.Offset = int64(offset)
			return nil, e
		}
		if fields := strings.Fields(string(line)); len(fields) > 0 {
			if err := o.line(fields[0], fields[1:]); err != nil {
				err.Offset = int64(offset)
				return nil, err
			}
		}
		offset += len(line)
	}
	return &Model{Parts: o.parts}, nil
}

// obj is a .obj file that is being read.
type obj struct {
	places, normals [][3]float32
	uvs             [][2]float32
	parts           []Part
	begin           bool // the next face begins a part
	vertices        int
}

// line reads a line. Its errors have no offset.
func (o *obj) line(word string, args []string) *fault.Error {
	switch word {
	case "v", "vn":
		v, err := floats(args, 3)
		if err != nil {
			return err
		}
		p := [3]float32{-v[0], v[1], v[2]} // x is mirrored
		if word == "v" {
			o.places = append(o.places, p)
		} else {
			o.normals = append(o.normals, p)
		}
	case "vt":
		v, err := floats(args, 2)
		if err != nil {
			return err
		}
		o.uvs = append(o.uvs, [2]float32{v[0], 1 - v[1]})
	case "g", "usemtl":
		o.begin = true
	case "f":
		return o.face(args)
	}
	return nil
}

func badLine(want, got string) *fault.Error {
	return &fault.Error{Want: want, Got: got, Err: fault.ErrFormat}
}

func floats(args []string, n int) ([]float32, *fault.Error) {
	if len(args) < n {
		return nil, badLine(fmt.Sprintf("%d numbers", n), strconv.Itoa(len(args)))
	}
	all := make([]float32, n)
	for i := range all {
		f, err := strconv.ParseFloat(args[i], 32)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, badLine("a number", fmt.Sprintf("%.20q", args[i]))
		}
		all[i] = float32(f)
	}
	return all, nil
}

// face adds a polygon, as triangles around its first corner.
func (o *obj) face(args []string) *fault.Error {
	if len(args) < 3 {
		return badLine("a face of 3 or more corners", strconv.Itoa(len(args)))
	}
	o.vertices += len(args)
	if e := effort.ModelVertices.Over(int64(o.vertices)); e != nil {
		return e
	}
	if o.begin || len(o.parts) == 0 {
		o.parts = append(o.parts, Part{Tile: min(len(o.parts), 5)})
		o.begin = false
	}
	part := &o.parts[len(o.parts)-1]
	first := uint32(len(part.Vertices))
	for _, arg := range args {
		var v ModelVertex
		refs := strings.Split(arg, "/")
		for i, list := range [3]int{len(o.places), len(o.uvs), len(o.normals)} {
			if i >= len(refs) || i > 0 && refs[i] == "" {
				continue
			}
			n, err := strconv.Atoi(refs[i])
			if n < 0 {
				n += list + 1
			}
			if err != nil || n < 1 || n > list {
				return badLine(fmt.Sprintf("%s from 1 to %d", [3]string{"a vertex", "a place on the texture", "a normal"}[i], list),
					fmt.Sprintf("%.20q", refs[i]))
			}
			switch i {
			case 0:
				v.Pos = o.places[n-1]
			case 1:
				v.UV = o.uvs[n-1]
			case 2:
				v.Normal = o.normals[n-1]
			}
		}
		part.Vertices = append(part.Vertices, v)
	}
	for i := uint32(2); i < uint32(len(args)); i++ {
		part.Indices = append(part.Indices, first, first+i, first+i-1) // mirrored, so turned round
	}
	return nil
}
