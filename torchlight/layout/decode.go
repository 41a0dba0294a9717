package layout

import (
	"fmt"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/trace"
)

const (
	magic      = 0x0B
	headerSize = 8
	// rootOffset is the offset that the root of the tree of groups states for its object. The root has no object; the
	// offset is that of the first byte after the fixed part of the header.
	rootOffset = 6
	minObject  = 22 // size in bytes of an empty object
	minGroup   = 35 // size in bytes of an empty group
)

// others names formats that have another value in place of the magic number of Torchlight II's layouts.
var others = map[uint8]string{
	0x5A: "a compiled layout of Torchlight (.CMP)",
	1:    "a compiled layout of Torchlight (.ADM)",
	5:    "a layout of Rebel Galaxy",
	8:    "a layout of Hob",
	9:    "a layout of Rebel Galaxy Outlaw",
}

// Recognize reports whether head, the beginning of a file, may be that of a compiled layout of Torchlight II.
func Recognize(head []byte) bool {
	r := bin.NewReader(head, bin.LittleEndian)
	first := r.U8("magic")
	r.U8("version")
	tree := r.U32("group_tree")
	objects := r.U16("num_objects")
	if r.Err() != nil || first != magic {
		return false
	}
	if objects == 0 {
		return tree == 0 && r.Len() == 0
	}
	length := r.U32("length")
	return r.Err() == nil && (tree == 0 || int64(tree) >= headerSize+int64(length)) && (length == 0 || length >= minObject)
}

// Decode reads a compiled layout. The model shares the bytes of data, which must not be changed afterwards.
//
// Errors are of type [*fault.Error]. Lengths must be consistent, and the tree of groups must come after the objects;
// [Check] reports all other oddities.
func Decode(data []byte) (*File, error) {
	effort.Decompiled.Add(1)
	d := decoder{r: bin.NewReader(data, bin.LittleEndian), data: data}
	f := d.file()
	if err := d.r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// Dump reports every field of a compiled layout to t, up to the first error.
func Dump(data []byte, t trace.Tracer) error {
	d := decoder{r: bin.NewReader(data, bin.LittleEndian), data: data}
	d.r.Trace(t)
	d.file()
	d.r.Flush()
	return d.r.Err()
}

type decoder struct {
	r    *bin.Reader
	data []byte
}

func (d *decoder) file() *File {
	r, f := d.r, new(File)
	if m := r.U8("magic"); r.Err() == nil && m != magic {
		got, ok := others[m]
		if !ok {
			got = fmt.Sprintf("%#02x", m)
		}
		r.FailAt(0, "magic", fault.ErrVersion, "0x0b, a layout of Torchlight II", got)
	}
	f.Version = r.U8("version")
	tree := int64(r.U32("group_tree"))
	n := r.Count16("num_objects", 4)
	f.Objects = d.objects("objects", n, 0, int64(len(d.data)))
	end := r.Offset()
	switch {
	case tree == 0:
	case tree < end || tree > int64(len(d.data)):
		r.FailAt(2, "group_tree", fault.ErrFormat, fmt.Sprintf("0 or an offset of %d to %d, after the objects", end,
			len(d.data)), strconv.FormatInt(tree, 10))
	default:
		f.spare.objects = d.spare(int(tree - end))
		r.Enter("groups")
		f.Groups = d.group(0, f.groupsByOffset())
		r.Leave()
	}
	f.spare.end = d.spare(r.Len())
	return f
}

// spare reads bytes that do not belong to any part.
func (d *decoder) spare(n int) []byte {
	if n > 0 && d.r.Err() == nil {
		at := int(d.r.Offset())
		d.r.Span("spare", n)
		return d.data[at : at+n]
	}
	return nil
}

// objects reads n objects, which must end at or before offset end.
func (d *decoder) objects(name string, n, depth int, end int64) []*Object {
	var list []*Object
	for i := 0; i < n && d.r.Err() == nil; i++ {
		d.r.EnterIndex(name, i)
		list = append(list, d.object(depth, end))
		d.r.Leave()
	}
	return list
}

func (d *decoder) object(depth int, end int64) *Object {
	r := d.r
	o := &Object{at: r.Offset()}
	length := int64(r.U32("length"))
	if r.Err() != nil {
		return o
	}
	if length == 0 {
		o.Empty = true
		return o
	}
	if length < minObject || length > end-o.at {
		kind := fault.ErrFormat
		if length >= minObject && end == r.Offset()+int64(r.Len()) {
			kind = fault.ErrShort
		}
		r.FailAt(o.at, "length", kind, fmt.Sprintf("0, or a length of %d to %d", minObject, end-o.at), strconv.FormatInt(length, 10))
		return o
	}
	o.length = length
	if e := effort.LayoutDepth.Over(int64(depth) + 1); e != nil {
		r.FailAt(o.at, "", e.Err, e.Want, e.Got)
		return o
	}
	o.Descriptor = r.U8("descriptor")
	desc := DescriptorOf(o.Descriptor)
	if desc != nil {
		r.MeansText(desc.Name)
	}
	o.ID = r.Int64("id")
	o.Name = r.Wide16("name")
	n := int(r.U8("num_properties"))
	if n > 0 {
		o.Properties = make([]Property, 0, min(n, r.Len()/3))
	}
	for i := 0; i < n && r.Err() == nil; i++ {
		r.EnterIndex("properties", i)
		o.Properties = append(o.Properties, d.property(desc))
		r.Leave()
	}
	o.Extra = d.extra(o.Descriptor)
	n = r.Count16("num_children", 4)
	o.Children = d.objects("children", n, depth+1, o.at+length)
	if r.Err() == nil && r.Offset() != o.at+length {
		r.FailAt(o.at, "length", fault.ErrFormat, fmt.Sprintf("%d, the length of the extra part", r.Offset()-o.at),
			strconv.FormatInt(length, 10))
	}
	return o
}

func (d *decoder) property(desc *Descriptor) Property {
	r := d.r
	at := r.Offset()
	size := int(r.U16("size"))
	if r.Err() == nil && size == 0 {
		r.FailAt(at, "size", fault.ErrFormat, "1 or more", "0")
	}
	p := Property{Code: r.U8("code")}
	info := desc.Property(p.Code)
	if r.Tracing() && info != nil {
		r.MeansText(info.Name)
	}
	p.Data = r.Bytes("value", max(size-1, 0))
	if r.Tracing() && info != nil && r.Err() == nil {
		r.MeansText(p.describe(info))
	}
	return p
}

// extra reads the extra part of an object. An invalid one is kept as bytes.
func (d *decoder) extra(descriptor uint8) Extra {
	n := d.r.Count32("extra_size", 1)
	if n == 0 || d.r.Err() != nil {
		return nil
	}
	var read func(r *bin.Reader) Extra
	switch descriptor {
	case timelineCode:
		read = readTimeline
	case logicCode:
		read = readLogic
	default:
		return RawExtra(d.r.Bytes("extra", n))
	}
	at := d.r.Offset()
	probe := bin.NewReader(d.data[at:at+int64(n)], bin.LittleEndian).At(at)
	extra := read(probe)
	if probe.Err() != nil || probe.Len() > 0 {
		return RawExtra(d.r.Bytes("extra", n))
	}
	sub := d.r.Sub("extra", n)
	if d.r.Tracing() {
		sub.Enter("extra")
		read(sub)
		sub.Flush()
	}
	return extra
}

func readLogic(r *bin.Reader) Extra {
	g := new(LogicGroup)
	n := int(r.U8("num_objects"))
	for i := 0; i < n && r.Err() == nil; i++ {
		r.EnterIndex("objects", i)
		o := LogicObject{ID: r.U8("id"), ObjectID: r.Int64("object_id"), X: r.F32("x"), Y: r.F32("y")}
		end := int64(r.U32("end"))
		links := int(r.U8("num_links"))
		for j := 0; j < links && r.Err() == nil; j++ {
			r.EnterIndex("links", j)
			o.Links = append(o.Links, LogicLink{To: r.U8("linking_to"), Output: r.Wide16("output"), Input: r.Wide16("input")})
			r.Leave()
		}
		g.badEnd = g.badEnd || end != r.Offset()
		g.Objects = append(g.Objects, o)
		r.Leave()
	}
	return g
}

func readTimeline(r *bin.Reader) Extra {
	t := new(Timeline)
	n := int(r.U8("num_objects"))
	for i := 0; i < n && r.Err() == nil; i++ {
		r.EnterIndex("objects", i)
		o := TimelineObject{ObjectID: r.Int64("object_id")}
		tracks := int(r.U8("num_tracks"))
		for j := 0; j < tracks && r.Err() == nil; j++ {
			r.EnterIndex("tracks", j)
			o.Tracks = append(o.Tracks, readTrack(r))
			r.Leave()
		}
		t.Objects = append(t.Objects, o)
		r.Leave()
	}
	return t
}

func readTrack(r *bin.Reader) Track {
	t := Track{Property: r.Wide16("property"), Event: r.Wide16("event")}
	n := int(r.U8("num_points"))
	for i := 0; i < n && r.Err() == nil; i++ {
		r.EnterIndex("points", i)
		p := Point{Time: r.F32("time_percent"), Interpolation: r.U8("interpolation")}
		r.MeansText(interpolations.name(p.Interpolation))
		if t.Event == "" {
			p.Value = r.Wide16("value")
		}
		t.Points = append(t.Points, p)
		r.Leave()
	}
	return t
}

// groupsByOffset returns the objects of kind Group by their offsets.
func (f *File) groupsByOffset() map[int64]*Object {
	m := make(map[int64]*Object)
	for o := range f.All() {
		if o.Descriptor == groupCode {
			m[o.at] = o
		}
	}
	return m
}

func (d *decoder) group(depth int, objects map[int64]*Object) *Group {
	r := d.r
	if e := effort.LayoutDepth.Over(int64(depth)); e != nil {
		r.Fail("", e.Err, e.Want, e.Got)
		return nil
	}
	g := new(Group)
	g.ID = r.Int64("id")
	g.Choice = r.U8("choice")
	r.MeansText(choices.name(g.Choice))
	g.Randomization = r.U32("randomization")
	g.Number = r.U8("number")
	g.Object = objects[int64(r.U32("object_offset"))]
	g.Tag = r.Int32("tag")
	if name, ok := TagName(g.Tag); ok {
		r.MeansText(name)
	}
	g.NoTagFound = r.U8("no_tag_found")
	g.LevelUnique = r.U8("level_unique")
	g.GameMode = r.U8("game_mode")
	g.Active = themes(r, "active_themes")
	g.Deactive = themes(r, "deactive_themes")
	n := r.Count16("num_children", minGroup)
	for i := 0; i < n && r.Err() == nil; i++ {
		r.EnterIndex("children", i)
		g.Children = append(g.Children, d.group(depth+1, objects))
		r.Leave()
	}
	return g
}

func themes(r *bin.Reader, name string) []int64 {
	n := r.Count32(name, 8)
	if n == 0 {
		return nil
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = r.Int64(name)
	}
	return list
}
