package layout

import (
	"iter"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/values/deep"
)

// All yields every object, parents before their children.
func (f *File) All() iter.Seq[*Object] {
	return func(yield func(*Object) bool) { walk(f.Objects, yield) }
}

func walk(objects []*Object, yield func(*Object) bool) bool {
	for _, o := range objects {
		if !yield(o) || !walk(o.Children, yield) {
			return false
		}
	}
	return true
}

// Clone returns an independent copy of the layout.
func (f *File) Clone() *File { return deep.Clone(f) }

// Equal reports whether both layouts have equal contents.
func (f *File) Equal(other *File) bool { return deep.Equal(f, other) }

// Clone returns an independent copy of the object and its children. All keep their IDs.
func (o *Object) Clone() *Object { return deep.Clone(o) }

// Encode returns the compiled layout; it does not change f. Counts, lengths and offsets are computed: a file in which
// they are right is reproduced byte for byte.
//
// Encode fails with a [*fault.Error] that names the part if a number or a text exceeds the limits of the format, if
// something is nil, and for parts that would be lost: the contents of an object that is Empty, an extra part of a kind
// of object that has none, a group whose object is not in the layout.
func (f *File) Encode() ([]byte, error) {
	e := encoder{w: bin.NewWriter(bin.LittleEndian, 4096), groups: make(map[*Object]uint32)}
	w := e.w
	w.U8(magic)
	w.U8(f.Version)
	w.U32(0)
	e.count16("objects", len(f.Objects))
	e.objects("objects", f.Objects, 0)
	w.Bytes(f.spare.objects)
	if f.Groups != nil {
		w.PutU32(2, e.offset())
		e.group(f.Groups, 0)
	}
	w.Bytes(f.spare.end)
	if int64(len(w.Data())) > 1<<32-1 {
		e.fail("", "at most 4 GiB", strconv.Itoa(len(w.Data())))
	}
	if e.err != nil {
		return nil, e.err
	}
	return w.Data(), nil
}

type encoder struct {
	w      *bin.Writer
	groups map[*Object]uint32 // offsets of objects of kind Group
	path   []string
	err    *fault.Error
}

func (e *encoder) offset() uint32 { return uint32(len(e.w.Data())) }

func (e *encoder) fail(name, want, got string) { e.failAs(fault.ErrFormat, name, want, got) }

// wrong is like fail, for a value that the format cannot hold whatever its size.
func (e *encoder) wrong(name, want, got string) { e.failAs(fault.ErrFormat, name, want, got) }

func (e *encoder) failAs(err error, name, want, got string) {
	if e.err == nil {
		path := strings.Join(e.path, ".")
		if name != "" && path != "" {
			path += "."
		}
		e.err = &fault.Error{Path: path + name, Offset: -1, Want: want, Got: got, Err: err}
	}
}

func (e *encoder) count8(name string, n int) {
	if n > 255 {
		e.fail(name, "at most 255", strconv.Itoa(n))
	}
	e.w.U8(uint8(n))
}

func (e *encoder) count16(name string, n int) {
	if n > 65535 {
		e.fail(name, "at most 65535", strconv.Itoa(n))
	}
	e.w.U16(uint16(n))
}

func (e *encoder) text(name, s string) {
	if len(s) > 65535 { // a UTF-16 unit takes one byte or more in a Go string
		if n := bin.UTF16Len(s); n > 65535 {
			e.fail(name, "at most 65535 UTF-16 units", strconv.Itoa(n))
			return
		}
	}
	e.w.Wide16(s)
}

func (e *encoder) objects(name string, list []*Object, depth int) {
	if over := effort.LayoutDepth.Over(int64(depth) + 1); over != nil {
		e.failAs(over.Err, name, over.Want, over.Got)
		return
	}
	e.path = append(e.path, "")
	for i, o := range list {
		e.path[len(e.path)-1] = name + "[" + strconv.Itoa(i) + "]"
		e.object(o, depth)
	}
	e.path = e.path[:len(e.path)-1]
}

func (e *encoder) object(o *Object, depth int) {
	w, start := e.w, e.offset()
	w.U32(0)
	if o == nil {
		e.wrong("", "an object", "nil")
		return
	}
	if o.Empty {
		if o.Descriptor != 0 || o.ID != 0 || o.Name != "" || o.Properties != nil || o.Extra != nil || o.Children != nil {
			e.wrong("", "no content in an Empty object", o.Title())
		}
		return
	}
	if o.Descriptor == groupCode {
		e.groups[o] = start
	}
	w.U8(o.Descriptor)
	w.U64(uint64(o.ID))
	e.text("name", o.Name)
	e.count8("properties", len(o.Properties))
	for _, p := range o.Properties {
		if len(p.Data) > 65534 {
			e.fail("property "+strconv.Itoa(int(p.Code)), "at most 65534 bytes", strconv.Itoa(len(p.Data)))
		}
		w.U16(uint16(1 + len(p.Data)))
		w.U8(p.Code)
		w.Bytes(p.Data)
	}
	size := len(w.Data())
	w.U32(0)
	e.extra(o.Extra, o.Descriptor)
	w.PutU32(size, uint32(len(w.Data())-size-4))
	e.count16("children", len(o.Children))
	if len(o.Children) > 0 {
		e.objects("children", o.Children, depth+1)
	}
	w.PutU32(int(start), e.offset()-start)
}

func (e *encoder) extra(x Extra, descriptor uint8) {
	w := e.w
	switch x := x.(type) {
	case *LogicGroup:
		if x == nil || descriptor != logicCode {
			e.wrong("extra", "a LogicGroup in an object of kind Logic Group", "in another, or nil")
			return
		}
	case *Timeline:
		if x == nil || descriptor != timelineCode {
			e.wrong("extra", "a Timeline in an object of kind Timeline", "in another, or nil")
			return
		}
	}
	switch x := x.(type) {
	case RawExtra:
		w.Bytes(x)
	case *LogicGroup:
		e.count8("logic objects", len(x.Objects))
		for _, o := range x.Objects {
			w.U8(o.ID)
			w.U64(uint64(o.ObjectID))
			w.F32(o.X)
			w.F32(o.Y)
			end := len(w.Data())
			w.U32(0)
			e.count8("logic links", len(o.Links))
			for _, l := range o.Links {
				w.U8(l.To)
				e.text("logic link output", l.Output)
				e.text("logic link input", l.Input)
			}
			w.PutU32(end, e.offset())
		}
	case *Timeline:
		e.count8("timeline objects", len(x.Objects))
		for _, o := range x.Objects {
			w.U64(uint64(o.ObjectID))
			e.count8("timeline tracks", len(o.Tracks))
			for _, t := range o.Tracks {
				e.track(&t)
			}
		}
	}
}

func (e *encoder) track(t *Track) {
	e.text("timeline property", t.Property)
	e.text("timeline event", t.Event)
	e.count8("timeline points", len(t.Points))
	for _, p := range t.Points {
		e.w.F32(p.Time)
		e.w.U8(p.Interpolation)
		if t.Event == "" {
			e.text("timeline value", p.Value)
		} else if p.Value != "" {
			e.wrong("timeline value", "none in an event", p.Value)
		}
	}
}

func (e *encoder) group(g *Group, depth int) {
	if over := effort.LayoutDepth.Over(int64(depth)); over != nil {
		e.failAs(over.Err, "groups", over.Want, over.Got)
		return
	}
	if g == nil {
		e.wrong("groups", "a group", "nil")
		return
	}
	w := e.w
	w.U64(uint64(g.ID))
	w.U8(g.Choice)
	w.U32(g.Randomization)
	w.U8(g.Number)
	if g.Object != nil {
		at, known := e.groups[g.Object]
		if !known {
			e.wrong("groups", "an object of kind Group that is in the layout", g.Object.Title())
		}
		w.U32(at)
	} else {
		w.U32(rootOffset)
	}
	w.Int32(g.Tag)
	w.U8(g.NoTagFound)
	w.U8(g.LevelUnique)
	w.U8(g.GameMode)
	for _, themes := range [...][]int64{g.Active, g.Deactive} {
		w.U32(uint32(len(themes)))
		for _, id := range themes {
			w.U64(uint64(id))
		}
	}
	e.count16("groups", len(g.Children))
	for _, c := range g.Children {
		e.group(c, depth+1)
	}
}
