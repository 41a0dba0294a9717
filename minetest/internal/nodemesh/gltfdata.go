package nodemesh

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// widths are the numbers in an element of an accessor.
var widths = map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

// sizes are the bytes of the types of numbers.
var sizes = map[int]int{5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}

// numbers returns the elements of an accessor.
func (g *gltf) numbers(i, width int) ([]float32, error) {
	path := fmt.Sprintf("accessors[%d]", i)
	a, err := element(g, g.Accessors, "accessors", i)
	if err != nil {
		return nil, err
	}
	if widths[a.Type] != width || sizes[a.ComponentType] == 0 {
		return nil, wrong(path, fault.ErrFormat, fmt.Sprintf("elements of %d numbers", width),
			fmt.Sprintf("%q of type %d", a.Type, a.ComponentType))
	}
	if a.Count < 0 || a.Count > math.MaxInt32 {
		return nil, wrong(path+".count", fault.ErrFormat, "0 or more", strconv.Itoa(a.Count))
	}
	g.elements += a.Count
	if err := effort.ModelElements.Check(path+".count", int64(g.elements)); err != nil {
		return nil, err
	}
	all := make([]float32, a.Count*width)
	if a.BufferView != nil {
		if err := g.read(all, path, *a.BufferView, a.ByteOffset, a.ComponentType, width, a.Normalized); err != nil {
			return nil, err
		}
	}
	if s := a.Sparse; s != nil {
		if s.Count < 0 || s.Count > a.Count {
			return nil, wrong(path+".sparse.count", fault.ErrFormat, fmt.Sprintf("0 to %d", a.Count), strconv.Itoa(s.Count))
		}
		places, values := make([]float32, s.Count), make([]float32, s.Count*width)
		in, of := s.Indices, s.Values
		err := g.read(places, path+".sparse.indices", in.BufferView, in.ByteOffset, in.ComponentType, 1, false)
		if err == nil {
			err = g.read(values, path+".sparse.values", of.BufferView, of.ByteOffset, a.ComponentType, width, a.Normalized)
		}
		if err != nil {
			return nil, err
		}
		for k, p := range places {
			if !(p >= 0 && p < float32(a.Count)) {
				return nil, wrong(path+".sparse.indices", fault.ErrFormat, fmt.Sprintf("fewer than %d", a.Count), fmt.Sprint(p))
			}
			copy(all[int(p)*width:], values[k*width:(k+1)*width])
		}
	}
	return all, nil
}

// read fills a slice with elements from a view of a buffer.
func (g *gltf) read(to []float32, path string, view, offset, kind, width int, normalized bool) error {
	if len(to) == 0 {
		return nil
	}
	v, err := element(g, g.BufferViews, "bufferViews", view)
	if err != nil {
		return err
	}
	buffer, err := g.buffer(v.Buffer)
	if err != nil {
		return err
	}
	size := sizes[kind]
	if size == 0 {
		return wrong(path, fault.ErrFormat, "a type of numbers", strconv.Itoa(kind))
	}
	if v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > len(buffer) || v.ByteLength > len(buffer)-v.ByteOffset {
		return wrong(fmt.Sprintf("bufferViews[%d]", view), fault.ErrShort, fmt.Sprintf("a part of the %d bytes of the buffer", len(buffer)),
			fmt.Sprintf("%d bytes at %d", v.ByteLength, v.ByteOffset))
	}
	buffer = buffer[v.ByteOffset:][:v.ByteLength]
	stride := v.ByteStride
	if stride == 0 {
		stride = size * width
	}
	if stride < size*width || stride > 252 || offset < 0 || offset > len(buffer) || (len(to)/width-1)*stride+size*width > len(buffer)-offset {
		return wrong(path, fault.ErrShort, fmt.Sprintf("a part of the %d bytes of the view", len(buffer)),
			fmt.Sprintf("%d elements of %d bytes at %d, each %d after the last", len(to)/width, size*width, offset, stride))
	}
	for i := range to {
		to[i] = component(buffer[offset+i/width*stride+i%width*size:], kind, normalized)
	}
	return nil
}

// component returns the number at the start of b.
func component(b []byte, kind int, normalized bool) float32 {
	var n, most float32
	switch kind {
	case 5120:
		n, most = float32(int8(b[0])), math.MaxInt8
	case 5121:
		n, most = float32(b[0]), math.MaxUint8
	case 5122:
		n, most = float32(int16(binary.LittleEndian.Uint16(b))), math.MaxInt16
	case 5123:
		n, most = float32(binary.LittleEndian.Uint16(b)), math.MaxUint16
	case 5125:
		n, most = float32(binary.LittleEndian.Uint32(b)), math.MaxUint32
	default:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	if normalized {
		return max(n/most, -1)
	}
	return n
}

// buffer returns the bytes of a buffer.
func (g *gltf) buffer(i int) ([]byte, error) {
	if b, is := g.opened[i]; is {
		return b, nil
	}
	path := fmt.Sprintf("buffers[%d]", i)
	buffer, err := element(g, g.Buffers, "buffers", i)
	if err != nil {
		return nil, err
	}
	data := g.own
	if buffer.URI != nil {
		head, text, _ := strings.Cut(*buffer.URI, ",")
		if !strings.HasPrefix(head, "data:") || !strings.HasSuffix(head, ";base64") {
			return nil, wrong(path+".uri", fault.ErrFormat, "a data: URI of base64, since nodes have models of one file", fmt.Sprintf("%.40q", head))
		}
		if data, err = base64.StdEncoding.DecodeString(text); err != nil {
			return nil, wrong(path+".uri", fault.ErrFormat, "base64", err.Error())
		}
	} else if i != 0 {
		return nil, wrong(path, fault.ErrFormat, "a URI", "none")
	}
	if buffer.ByteLength < 0 || buffer.ByteLength > len(data) {
		return nil, wrong(path+".byteLength", fault.ErrShort, fmt.Sprintf("at most %d, its bytes", len(data)), strconv.Itoa(buffer.ByteLength))
	}
	g.opened[i] = data[:buffer.ByteLength]
	return g.opened[i], nil
}
