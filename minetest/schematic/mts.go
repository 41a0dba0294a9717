package schematic

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

var magic = []byte("MTSM")

// force is the bit of param1 that makes a node replace any existing node.
const force = 0x80

// ignore is the name of missing nodes. In version 1 it marks nodes that are never placed; in later versions the
// engine places air instead.
const ignore = "ignore"

// level is the zlib level of the engine.
const level = 6

// mtsFile is the content of a file.
type mtsFile struct {
	version  int
	size     [3]int
	slices   []byte
	names    []string
	content  []byte // for all nodes the index of the name, then param1 of all, then param2
	trailing int    // number of bytes after the end, which the engine ignores
}

func decodeMTS(data []byte) (*Schematic, error) {
	f, err := readMTS(data, nil)
	if err != nil {
		return nil, err
	}
	n := len(f.content) / 4
	s := &Schematic{Form: MTS, Version: f.version, Size: f.size, Names: f.names, Name: make([]uint16, n)}
	s.Prob, s.Param2 = f.content[2*n:3*n], f.content[3*n:]
	for i := range s.Name {
		id := binary.BigEndian.Uint16(f.content[2*i:])
		if int(id) >= len(s.Names) {
			return nil, &fault.Error{Path: fmt.Sprintf("nodes[%d]", i), Offset: int64(2 * i),
				Want: fmt.Sprintf("a name below %d", len(s.Names)), Got: fmt.Sprint(id), Err: fault.ErrFormat}
		}
		s.Name[i] = id
		p := s.Prob[i]
		switch {
		case f.version >= 4:
			if p&force != 0 {
				s.SetForce(i, true)
			}
			p &^= force
		case f.version < 2 && s.Names[id] == ignore:
			p = Never
		case f.version < 2 && p == 0:
			p = Always
		default:
			p >>= 1
		}
		s.Prob[i] = p
	}
	for i := range f.slices {
		p := f.slices[i]
		if f.version < 4 {
			p >>= 1
		}
		f.slices[i] = min(p, Always)
		if p < Always && s.Slices == nil {
			s.Slices = f.slices
		}
	}
	return s, nil
}

// readMTS reads a file and reports each field to t.
func readMTS(data []byte, t trace.Tracer) (*mtsFile, error) {
	r := bin.NewReader(data, bin.BigEndian)
	r.Trace(t)
	f := new(mtsFile)
	if m := r.Bytes("magic", 4); r.Err() == nil && !bytes.Equal(m, magic) {
		r.FailAt(0, "magic", fault.ErrFormat, `"MTSM"`, fmt.Sprintf("%q", m))
	}
	f.version = int(r.U16("version"))
	if r.Err() == nil && (f.version < 1 || f.version > MTS.Newest()) {
		r.FailAt(4, "version", fault.ErrVersion, "1 to 4", fmt.Sprint(f.version))
	}
	at := r.Offset()
	for i, name := range []string{"size.x", "size.y", "size.z"} {
		f.size[i] = int(r.U16(name))
	}
	n, err := volumeOf(f.size, len(data))
	if err != nil && r.Err() == nil {
		err.(*fault.Error).Offset = at
		return nil, err
	}
	if f.version >= 3 {
		f.slices = bytes.Clone(r.Bytes("slices", f.size[1]))
	}
	for i := range r.Count16("names", 2) {
		r.EnterIndex("names", i)
		f.names = append(f.names, r.String16("name"))
		r.Leave()
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	at = r.Offset()
	content, used, err := deflate.Decompress(data[at:], 4*n)
	if err != nil {
		return nil, &fault.Error{Path: "nodes", Offset: at, Want: fmt.Sprintf("a zlib stream of %s",
			words.Count(n, "node")), Got: err.Error(), Err: err}
	}
	f.content = content
	r.Span("nodes", used)
	if r.Tracing() {
		in := bin.NewReader(content, bin.BigEndian).InSpace("nodes")
		in.Trace(t)
		in.Span("content", 2*n)
		in.Span("param1", n)
		in.Span("param2", n)
		in.Flush()
	}
	if f.trailing = r.Len(); f.trailing > 0 {
		r.Bytes("trailing", f.trailing)
	}
	r.Flush()
	return f, r.Err()
}

// old returns a probability in the form of versions up to 3.
func old(p uint8) uint8 {
	if p == Always {
		return 255
	}
	return p << 1
}

func (s *Schematic) encodeMTS() ([]byte, error) {
	v := s.version()
	if v < 1 || v > MTS.Newest() {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "1 to 4", Got: fmt.Sprint(v), Err: fault.ErrVersion}
	}
	w := bin.NewWriter(bin.BigEndian, 64)
	w.Bytes(magic)
	w.U16(uint16(v))
	for _, side := range s.Size {
		w.U16(uint16(side))
	}
	if v >= 3 {
		for y := range s.Size[1] {
			p := s.slice(y)
			if v < 4 {
				p = old(p)
			}
			w.U8(p)
		}
	}
	names, ids := s.Names, s.Name
	if v < 2 {
		names, ids = s.ignoring()
	}
	if len(names) > 0xffff {
		return nil, &fault.Error{Path: "names", Offset: -1, Want: "at most 65535 names of nodes", Got: fmt.Sprint(len(names)),
			Err: fault.ErrFormat}
	}
	w.U16(uint16(len(names)))
	for i, name := range names {
		if len(name) > 0xffff {
			return nil, &fault.Error{Path: fmt.Sprintf("names[%d]", i), Offset: -1, Want: "at most 65535 bytes",
				Got: fmt.Sprint(len(name)), Err: fault.ErrFormat}
		}
		w.U16(uint16(len(name)))
		w.Bytes([]byte(name))
	}
	n := len(s.Name)
	content := make([]byte, 2*n, 4*n)
	for i, id := range ids {
		binary.BigEndian.PutUint16(content[2*i:], id)
	}
	for i, p := range s.Prob {
		switch {
		case v < 4:
			p = old(p)
		case s.forced(i):
			p |= force
		}
		content = append(content, p)
	}
	content = append(content, s.Param2...)
	return deflate.Compress(w.Data(), content, level)
}

// ignoring returns the names and nodes for version 1, in which nodes that are never placed are ignore.
func (s *Schematic) ignoring() ([]string, []uint16) {
	t := &Schematic{Name: make([]uint16, len(s.Name))}
	name := t.Namer()
	for i := range s.Name {
		what := s.At(i)
		if s.Prob[i] == Never {
			what = ignore
		}
		t.Name[i], _ = name(what) // this adds at most one name
	}
	return t.Names, t.Name
}

// Dump reports each field of a file, up to the point where it breaks. In the Lua forms the whole text is one field.
func Dump(data []byte, t trace.Tracer) error {
	if form, _ := Recognize(data); form != Lua && form != WorldEdit {
		_, err := readMTS(data, t)
		return err
	}
	r := bin.NewReader(data, bin.BigEndian)
	r.Trace(t)
	if head := headerForm.Find(data); head != nil {
		r.Bytes("header", len(head))
	}
	r.Span("text", r.Len())
	r.Flush()
	return r.Err()
}
