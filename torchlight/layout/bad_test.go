package layout_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/layout"
	"trowel.example/trace"
)

// nested returns a layout of nested objects of one kind.
func nested(descriptor uint8, depth int) *layout.File {
	f := &layout.File{Version: 4}
	list := &f.Objects
	for i := range depth {
		o := &layout.Object{Descriptor: descriptor, ID: int64(i)}
		*list = []*layout.Object{o}
		list = &o.Children
	}
	return f
}

// raw returns the bytes of a file that contains one object with the given body.
func raw(length uint32, body ...byte) []byte {
	b := []byte{0x0B, 4, 0, 0, 0, 0, 1, 0}
	return append(binary.LittleEndian.AppendUint32(b, length), body...)
}

func TestErrors(t *testing.T) {
	// The body has descriptor, ID, name "", no properties, no extra part, no children.
	body := make([]byte, 18)
	body[0] = 6
	with := func(at int, v ...byte) []byte {
		b := slices.Clone(body)
		copy(b[at:], v)
		return b
	}
	tree := func(offset byte) []byte { d := raw(22, body...); d[2] = offset; return d }
	parent := append(with(16, 1, 0), raw(100, body...)[8:]...)
	deep, _ := nested(6, int(effort.LayoutDepth.Least)).Encode()
	for name, c := range map[string]struct {
		data   []byte
		path   string
		offset int64
		err    error
	}{
		"empty":             {nil, "magic", 0, fault.ErrShort},
		"other magic":       {[]byte{7, 4}, "magic", 0, fault.ErrVersion},
		"too many objects":  {[]byte{0x0B, 4, 0, 0, 0, 0, 9, 0, 0, 0}, "num_objects", 6, fault.ErrShort},
		"short object":      {raw(21, body...), "objects[0].length", 8, fault.ErrFormat},
		"object past end":   {raw(23, body...), "objects[0].length", 8, fault.ErrShort},
		"child past parent": {raw(44, parent...), "objects[0].children[0].length", 30, fault.ErrShort},
		"spare in object":   {raw(23, append(body, 0)...), "objects[0].length", 8, fault.ErrFormat},
		"property of 0":     {raw(22, with(11, 1)...), "objects[0].properties[0].size", 24, fault.ErrFormat},
		"property too long": {raw(22, with(11, 1, 99)...), "objects[0].properties[0].value", 27, fault.ErrShort},
		"extra too long":    {raw(22, with(12, 99)...), "objects[0].extra_size", 24, fault.ErrShort},
		"too many children": {raw(22, with(16, 255, 255)...), "objects[0].num_children", 28, fault.ErrShort},
		"name too long":     {raw(22, with(9, 255, 255)...), "objects[0].name", 21, fault.ErrShort},
		"tree in header":    {tree(4), "group_tree", 2, fault.ErrFormat},
		"tree in objects":   {tree(29), "group_tree", 2, fault.ErrFormat},
		"tree past end":     {tree(31), "group_tree", 2, fault.ErrFormat},
		"tree of nothing":   {tree(30), "groups.id", 30, fault.ErrShort},
		"nested too deep": {deepen(deep), strings.TrimSuffix("objects[0]."+strings.Repeat("children[0].",
			int(effort.LayoutDepth.Least)), "."), 8 + 22*effort.LayoutDepth.Least, fault.ErrLimit},
	} {
		_, err := layout.Decode(c.data)
		var e *fault.Error
		if !errors.As(err, &e) || e.Path != c.path || e.Offset != c.offset || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v at %s, offset %d", name, err, c.err, c.path, c.offset)
		}
		if dumped := layout.Dump(c.data, func(trace.Field) {}); dumped == nil || dumped.Error() != err.Error() {
			t.Errorf("%s: the dump ends with %v, want %v", name, dumped, err)
		}
	}
	if _, err := layout.Decode(deep); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
	if _, residue, err := layout.Decompile(deep, layout.Options{}); err != nil || residue != nil {
		t.Errorf("as deep as allowed: residue %v, %v", residue, err)
	}
}

// deepen wraps the objects of a layout in one more object.
func deepen(data []byte) []byte {
	inner := data[8:]
	body := make([]byte, 18)
	body[0], body[16] = 6, 1
	return raw(uint32(22+len(inner)), append(body, inner...)...)
}

// TestGroupTreeLies tests groups that are nested endlessly and groups with counts larger than the file.
func TestGroupTreeLies(t *testing.T) {
	f := nested(1, 2)
	f.Groups = &layout.Group{ID: -1, Children: []*layout.Group{{Object: f.Objects[0]}}}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	tree := int(binary.LittleEndian.Uint32(data[2:]))
	for _, at := range []int{tree + 25, tree + 29} { // the offsets of the counts of themes
		lie := slices.Clone(data)
		binary.LittleEndian.PutUint32(lie[at:], 0x7fffffff)
		if _, err := layout.Decode(lie); !errors.Is(err, fault.ErrShort) {
			t.Errorf("2^31 themes: %v", err)
		}
	}
	g := new(layout.Group)
	for range int(effort.LayoutDepth.Least) {
		g = &layout.Group{Children: []*layout.Group{g}}
	}
	f.Groups = g
	if data, err = f.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := layout.Decode(data); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
	f.Groups = &layout.Group{Children: []*layout.Group{g}}
	if _, err := f.Encode(); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("groups nested too deep: %v", err)
	}
	tree = int(binary.LittleEndian.Uint32(data[2:]))
	root := slices.Clone(data[tree : tree+35])
	if _, err := layout.Decode(slices.Concat(data[:tree], root, data[tree:])); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("groups nested too deep: %v", err)
	}
}

func TestOtherGames(t *testing.T) {
	for magic, name := range map[byte]string{0x5A: "Torchlight", 1: "Torchlight", 5: "Rebel Galaxy", 8: "Hob", 9: "Rebel Galaxy Outlaw"} {
		data := compileString(t, sample)
		data[0] = magic
		if _, err := layout.Decode(data); !errors.Is(err, fault.ErrVersion) || !strings.Contains(err.Error(), name) {
			t.Errorf("magic %#x: %v", magic, err)
		}
		if layout.Recognize(data) {
			t.Errorf("magic %#x is recognized", magic)
		}
	}
	data := compileString(t, sample)
	if !layout.Recognize(data) || !layout.Recognize(data[:12]) || layout.Recognize(data[:11]) {
		t.Error("the sample is not recognized by 12 bytes")
	}
	if empty := []byte{0x0B, 4, 0, 0, 0, 0, 0, 0}; !layout.Recognize(empty) || layout.Recognize(append(empty, 0)) {
		t.Error("an empty layout is not recognized")
	}
}

// TestEncodeLimits tests that Encode returns an error for values that the format cannot hold.
func TestEncodeLimits(t *testing.T) {
	many := make([]layout.LogicObject, 256)
	object := func(o layout.Object) *layout.File { return &layout.File{Objects: []*layout.Object{{Empty: true}, &o}} }
	for name, c := range map[string]struct {
		file *layout.File
		path string
	}{
		"name":       {object(layout.Object{Name: strings.Repeat("x", 65536)}), "objects[1].name"},
		"properties": {object(layout.Object{Properties: make([]layout.Property, 256)}), "objects[1].properties"},
		"property":   {object(layout.Object{Properties: []layout.Property{{7, make([]byte, 65535)}}}), "objects[1].property 7"},
		"children":   {object(layout.Object{Children: slices.Repeat([]*layout.Object{{Empty: true}}, 65536)}), "objects[1].children"},
		"logic": {object(layout.Object{Descriptor: layout.DescriptorNamed("Logic Group").Code,
			Extra: &layout.LogicGroup{Objects: many}}), "objects[1].logic objects"},
		"timeline": {object(layout.Object{Descriptor: layout.DescriptorNamed("Timeline").Code,
			Extra: &layout.Timeline{Objects: make([]layout.TimelineObject, 256)}}), "objects[1].timeline objects"},
	} {
		_, err := c.file.Encode()
		var e *fault.Error
		if !errors.As(err, &e) || e.Path != c.path || !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%s: %v, want an error at %s", name, err, c.path)
		}
	}
	if _, err := nested(6, int(effort.LayoutDepth.Least)+1).Encode(); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("objects nested too deep: %v", err)
	}
	if _, err := (object(layout.Object{Name: strings.Repeat("€", 65535),
		Properties: []layout.Property{{7, make([]byte, 65534)}}})).Encode(); err != nil {
		t.Errorf("as much as there is room for: %v", err)
	}
}

// TestDump tests that a dump reports every byte in order.
func TestDump(t *testing.T) {
	data := append(compileString(t, sample), 1, 2)
	at := int64(0)
	paths := make(map[string]string)
	if err := layout.Dump(data, func(f trace.Field) {
		if f.Offset != at {
			t.Errorf("%s is at %d, want %d", f.Path, f.Offset, at)
		}
		at += f.Len
		paths[f.Path] = f.Meaning
	}); err != nil || at != int64(len(data)) {
		t.Errorf("%d of %d bytes, %v", at, len(data), err)
	}
	for path, meaning := range map[string]string{
		"objects[0].children[0].descriptor":                             "Layout Link",
		"objects[0].children[0].properties[2].value":                    "VISIBLE: false",
		"objects[1].extra.objects[0].links[0].output":                   "",
		"objects[2].extra.objects[0].tracks[0].points[0].interpolation": "No Interpolation",
		"groups.children[0].tag":                                        "CHESTS",
		"groups.children[0].active_themes":                              "",
		"spare":                                                         "",
	} {
		if got, ok := paths[path]; !ok || got != meaning {
			t.Errorf("%s means %q (%v), want %q", path, got, ok, meaning)
		}
	}
}

// holds tests the guarantee for arbitrary bytes: reading fails, or text form and residue reproduce the bytes. It
// reports whether the bytes could be read.
func holds(t testing.TB, data []byte, o layout.Options) bool {
	t.Helper()
	f, err := layout.Decode(data)
	form, residue, err2 := layout.Decompile(data, o)
	layout.Check(data, func(check.Finding) {})
	if dumped := layout.Dump(data, func(trace.Field) {}); (dumped == nil) != (err == nil) || (err2 == nil) != (err == nil) {
		t.Fatalf("errors disagree: %v, %v, %v\n%x", err, err2, dumped, data)
	}
	if err != nil {
		return false
	}
	if back, err := layout.Compile(form, residue, o); err != nil || !bytes.Equal(back, data) {
		t.Fatalf("does not come back: %v\n%x\n%x", err, data, back)
	}
	// The model round-trips, whatever the lengths and offsets in the file were.
	first, err := f.Encode()
	if err != nil {
		t.Fatalf("encode: %v\n%x", err, data)
	}
	g, err := layout.Decode(first)
	if err != nil {
		t.Fatalf("the encoded file cannot be read: %v\n%x", err, data)
	}
	if second, err := g.Encode(); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("encoding is not stable: %v\n%x", err, data)
	}
	// So does the text, which is all that remains after an edit.
	plain, err := layout.Compile(form, nil, o)
	if err != nil {
		return true // the file has a value that the text form cannot represent, such as a name of two lines
	}
	again, residue, err := layout.Decompile(plain, o)
	if err != nil {
		t.Fatalf("the compiled text cannot be read: %v\n%x", err, data)
	}
	if back, err := layout.Compile(again, nil, o); o.Floats == 0 && (err != nil || !bytes.Equal(back, plain)) {
		t.Fatalf("compiling is not stable: %v, residue %+v\n%x\n%x", err, residue, plain, back)
	}
	return true
}

// TestDamaged tests that any part of a layout, and any layout with damaged bytes, gives an error or round-trips.
func TestDamaged(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	data := compileString(t, sample)
	step := tests.Of(t, 3, 1)
	for n := 0; n < len(data); n += step {
		if holds(t, data[:n], ui) {
			t.Errorf("a layout cut at %d of %d can be read", n, len(data))
		}
	}
	read := 0
	for at := 0; at < len(data); at += step {
		for _, v := range []byte{0, 0xff, data[at] + 1} {
			damaged := slices.Clone(data)
			damaged[at] = v
			if holds(t, damaged, ui) {
				read++
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 / step {
		damaged := slices.Clone(data)
		for range 1 + random.IntN(4) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		if holds(t, damaged, ui) {
			read++
		}
	}
	if read < 500/step {
		t.Errorf("only %d damaged layouts could be read", read)
	}
}

// TestProportion tests that the text of a layout is not large compared with the layout, however deep it is nested.
func TestProportion(t *testing.T) {
	data, err := nested(6, int(effort.LayoutDepth.Least)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	form, _, err := layout.Decompile(data, ui)
	if err != nil || len(form) > 200*len(data) {
		t.Errorf("%d bytes of text for %d, %v", len(form), len(data), err)
	}
}
