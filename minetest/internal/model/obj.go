package model

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// maxLine is the length of the longest line.
const maxLine = 1 << 20

// parseOBJ reads a Wavefront .obj file. Each group, or each use of a material, begins a part before its next face.
// Files of materials are not read.
func parseOBJ(data []byte) (*Model, error) {
	var o obj
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, maxLine)
	offset := 0
	for ; in.Scan(); offset += len(in.Bytes()) + 1 {
		fields := strings.Fields(in.Text())
		if len(fields) == 0 {
			continue
		}
		if err := o.line(fields[0], fields[1:]); err != nil {
			return nil, &fault.Error{Offset: int64(offset), Want: "a line of a Wavefront model", Got: err.Error(), Err: fault.ErrFormat}
		}
	}
	if err := in.Err(); err != nil {
		return nil, &fault.Error{Offset: int64(offset), Want: "shorter lines", Got: err.Error(), Err: fault.ErrFormat}
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

func (o *obj) line(word string, args []string) error {
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

func floats(args []string, n int) ([]float32, error) {
	if len(args) < n {
		return nil, fmt.Errorf("%d numbers, not %d", len(args), n)
	}
	all := make([]float32, n)
	for i := range all {
		f, err := strconv.ParseFloat(args[i], 32)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%.20q, not a number", args[i])
		}
		all[i] = float32(f)
	}
	return all, nil
}

// face adds a polygon, as triangles around its first corner.
func (o *obj) face(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("a face with %d corners", len(args))
	}
	if o.vertices += len(args); o.vertices > maxVertices {
		return fmt.Errorf("more than %d corners", maxVertices)
	}
	if o.begin || len(o.parts) == 0 {
		o.parts = append(o.parts, Part{Tile: min(len(o.parts), 5)})
		o.begin = false
	}
	part := &o.parts[len(o.parts)-1]
	first := uint32(len(part.Vertices))
	for _, arg := range args {
		var v Vertex
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
				return fmt.Errorf("%.20q, expected 1 to %d", refs[i], list)
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
