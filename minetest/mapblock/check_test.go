package mapblock

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/trace"
)

func findingIDs(b *Block) []string {
	var ids []string
	for _, f := range check.Collect(b.Check) {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// checked are changes to valid blocks and the findings that Check reports for them.
var checked = []struct {
	name    string
	version int
	change  func(b *Block)
	ids     []string
}{
	{"nothing", 29, func(*Block) {}, nil},
	{"old version", 17, func(*Block) {}, []string{"mt-block-misread"}},
	{"flags", 29, func(b *Block) { b.Flags |= 0x40 }, []string{"mt-block-flags"}},
	{"lighting", 29, func(b *Block) { b.LightingComplete = 0x0fff }, []string{"mt-block-lighting"}},
	{"lighting before 27", 25, func(b *Block) { b.LightingComplete = 0x0fff }, nil},
	{"width", 29, func(b *Block) { b.ContentWidth = 1 }, []string{"mt-block-content-width"}},
	{"unused", 23, func(b *Block) { b.Unused = 1 }, []string{"mt-block-unused"}},
	{"old objects", 20, func(b *Block) { b.MapBlockObjects = 1 }, []string{"mt-block-mapblock-objects"}},
	{"trailing", 29, func(b *Block) { b.Trailing = []byte("x") }, []string{"mt-block-trailing"}},
	{"inner", 29, func(b *Block) { b.Inner = []byte("x") }, []string{"mt-block-trailing"}},
	{"same id", 29, func(b *Block) { b.Names = append(b.Names, NameID{0, "mod:x"}) }, []string{"mt-block-name-duplicate"}},
	{"same name", 29, func(b *Block) { b.Names, b.Param0[0] = append(b.Names, NameID{1, Air}), 1 }, []string{"mt-block-name-duplicate"}},
	{"unused name", 29, func(b *Block) { b.Names = append(b.Names, NameID{1, "mod:x"}) }, []string{"mt-block-name-unused"}},
	{"bad name", 29, func(b *Block) { b.Names, b.Param0[0] = append(b.Names, NameID{1, "mod x"}), 1 }, []string{"mt-block-name-invalid"}},
	{"no name", 29, func(b *Block) { b.Param0[0] = 9 }, []string{"mt-block-id-unmapped"}},
	{"many without name", 29, func(b *Block) {
		for i := range 20 {
			b.Param0[i] = uint16(i)
		}
	}, []string{"mt-block-id-unmapped"}},
	{"no such id", 20, func(b *Block) { b.Param0[0] = 5 }, []string{"mt-block-id-unmapped"}},
	{"metadata outside", 29, func(b *Block) { b.Metadata.List = []NodeMeta{{Pos: 4096}} }, []string{"mt-block-meta-position"}},
	{"metadata twice", 29, func(b *Block) { b.Metadata.List = make([]NodeMeta, 2) }, []string{"mt-block-meta-duplicate"}},
	{"variable twice", 29, func(b *Block) { b.Metadata.List = []NodeMeta{{Vars: make([]Var, 2)}} }, []string{"mt-block-meta-key"}},
	{"private", 29, func(b *Block) { b.Metadata.List = []NodeMeta{{Vars: []Var{{Private: 2}}}} }, []string{"mt-block-meta-private"}},
	{"legacy metadata", 20, func(b *Block) { b.Metadata.List = []NodeMeta{{Legacy: &LegacyMeta{ID: 13}}} }, []string{"mt-block-meta-body"}},
	{"legacy body", 20, func(b *Block) {
		b.Metadata.List = []NodeMeta{{Legacy: &LegacyMeta{LegacyFurnace, []byte("EndInventory\n1 two")}}}
	}, []string{"mt-block-meta-body"}},
	{"old furnace", 20, func(b *Block) {
		b.Metadata.List = []NodeMeta{{Legacy: &LegacyMeta{LegacyFurnace, []byte("EndInventory\n400 -1 ")}}}
	}, nil},
	{"metadata with more", 25, func(b *Block) { b.Metadata.Rest = []byte("x") }, []string{"mt-block-meta-rest"}},
	{"metadata with less", 25, func(b *Block) { b.Metadata.Missing = 2 }, []string{"mt-block-meta-unreadable"}},
	{"no metadata", 25, func(b *Block) { b.Metadata.Raw = []byte{} }, []string{"mt-block-meta-unreadable"}},
	{"timer outside", 29, func(b *Block) { b.Timers.List = []Timer{{Pos: 4096, Timeout: 1}} }, []string{"mt-block-timer-position"}},
	{"timer twice", 29, func(b *Block) { b.Timers.List = []Timer{{5, 1, 0}, {5, 1, 0}} }, []string{"mt-block-timer-duplicate"}},
	{"no timeout", 29, func(b *Block) { b.Timers.List = []Timer{{5, 0, 0}, {5, -1, 0}} }, []string{"mt-block-timer-timeout"}},
	{"object version", 29, func(b *Block) { b.Objects.Version = 1 }, []string{"mt-block-object-version"}},
	{"object type", 29, func(b *Block) { b.Objects.List = []Object{{Type: 8}} }, []string{"mt-block-object-type"}},
	{"object data", 29, func(b *Block) { b.Objects.List = []Object{{Type: ObjectLuaEntity}} }, []string{"mt-block-object-data"}},
	{"item data", 29, func(b *Block) { b.Objects.List = []Object{{Type: ObjectItem}} },
		[]string{"mt-block-object-data", "mt-block-object-type"}},
	{"many objects", 29, func(b *Block) {
		data, _ := LuaEntity{}.Encode()
		b.Objects.List = slices.Repeat([]Object{{Type: ObjectLuaEntity, Data: data}}, 257)
	}, []string{"mt-block-object-many"}},
}

func TestCheck(t *testing.T) {
	// see TestSalvage
	seen := map[string]bool{"mt-block-version": true, "mt-block-unreadable": true, "mt-block-nodes-lost": true, "mt-block-resumed": true}
	for _, c := range checked {
		b := New(c.version)
		c.change(b)
		ids := findingIDs(b)
		if !slices.Equal(ids, c.ids) {
			t.Errorf("%s: %v, want %v", c.name, ids, c.ids)
		}
		for _, id := range ids {
			seen[id] = true
		}
	}
	for _, k := range Catalog.Kinds() {
		if !seen[k.ID] && k.ID[:9] == "mt-block-" {
			t.Errorf("no test makes %s", k.ID)
		}
	}
	var path string
	New(17).Check(func(f check.Finding) { path = f.Path })
	if path != "version" {
		t.Error(path)
	}
}

func TestCheckData(t *testing.T) {
	good, err := sample(29).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data []byte
		id   string
	}{
		{nil, "mt-block-version"}, {[]byte{30}, "mt-block-version"}, {good[:50], "mt-block-unreadable"}, {good, "mt-block-object-type"},
	} {
		found := check.Collect(func(sink check.Sink) { CheckData(c.data, sink) })
		if len(found) == 0 || found[0].ID != c.id {
			t.Errorf("%v, want %s", found, c.id)
		}
	}
}

// TestUnreadableMetadata tests that blocks up to version 28 with unreadable metadata can be decoded and round-trip.
func TestUnreadableMetadata(t *testing.T) {
	for _, version := range []int{15, 17, 21, 22, 23, 25, 28} {
		b := sample(version)
		var c codec
		c.metaList(b)
		for name, content := range map[string][]byte{
			"cut": c.w[:len(c.w)-3], "cut more": c.w[:len(c.w)/2], "no entry": c.w[:5], "no count": c.w[:2], "empty": {},
			"version": append([]byte{9, 9}, c.w[2:]...), "more": append(slices.Clip(c.w), "more"...),
		} {
			b := sample(version)
			b.Metadata = Metadata{Raw: content}
			data, err := b.EncodeFresh()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(data)
			if err != nil {
				t.Errorf("version %d, %s: %v", version, name, err)
				continue
			}
			want := "mt-block-meta-unreadable"
			if name == "more" {
				want = "mt-block-meta-rest"
			}
			if !slices.Contains(findingIDs(again), want) {
				t.Errorf("version %d, %s: %v", version, name, findingIDs(again))
			}
			for _, encode := range []func() ([]byte, error){again.Encode, again.EncodeFresh} {
				if out, err := encode(); err != nil || !bytes.Equal(out, data) {
					t.Errorf("version %d, %s: other bytes, %v", version, name, err)
				}
			}
			if len(again.Objects.List) != len(b.Objects.List) {
				t.Errorf("version %d, %s: %d objects", version, name, len(again.Objects.List))
			}
		}
	}
}

// sectionStarts returns the offsets of the sections in the file, or in the content of version 29.
func sectionStarts(t *testing.T, data []byte) map[string]int64 {
	t.Helper()
	starts := make(map[string]int64)
	d := decoder{data: data, b: empty(int(data[0]))}
	c := newReader(data, "")
	c.r.U8("version")
	if data[0] >= 29 {
		withFrame(data[1:], func(content []byte, _ int, _ error) { c = newReader(bytes.Clone(content), "") })
	}
	for _, sec := range layouts[data[0]] {
		starts[sec.name] = c.r.Offset()
		sec.run(c, d.b)
	}
	if c.failed() {
		t.Fatal(c.fault())
	}
	return starts
}

// damage breaks one section.
func damage(t *testing.T, data []byte, section string, how func(content []byte, at int64) []byte) []byte {
	t.Helper()
	at := sectionStarts(t, data)[section]
	if data[0] < 29 {
		return how(bytes.Clone(data), at)
	}
	var content []byte
	withFrame(data[1:], func(c []byte, _ int, _ error) { content = bytes.Clone(c) })
	return append([]byte{29}, packZstd(how(content, at))...)
}

// TestSalvage tests that the readable parts of a damaged block are salvaged into a valid block.
func TestSalvage(t *testing.T) {
	flip := func(at int64) func([]byte, int64) []byte {
		return func(content []byte, start int64) []byte {
			content[start+at] ^= 0x55
			return content
		}
	}
	cut := func(n int64) func([]byte, int64) []byte {
		return func(content []byte, start int64) []byte { return content[:start+n] }
	}
	const names, meta, objects, timers = 1, 2, 4, 8
	for _, c := range []struct {
		version int
		section string
		how     func([]byte, int64) []byte
		kept    int // the sections that remain, not counting all nodes
		ids     []string
	}{
		{29, "timers", cut(3), names | meta | objects, []string{"mt-block-unreadable"}},
		{29, "timers", flip(0), names | meta | objects, []string{"mt-block-unreadable"}},
		{29, "objects", cut(1), names | meta, []string{"mt-block-unreadable"}},
		{29, "metadata", flip(0), names | objects | timers, []string{"mt-block-unreadable", "mt-block-resumed"}},
		{29, "names", flip(0), meta | objects | timers, []string{"mt-block-unreadable", "mt-block-resumed", "mt-block-id-unmapped"}},
		{25, "names", flip(0), meta | objects | timers, []string{"mt-block-unreadable", "mt-block-resumed", "mt-block-id-unmapped"}},
		{25, "names", cut(0), meta | objects, []string{"mt-block-unreadable", "mt-block-id-unmapped"}},
		{25, "metadata", flip(0), names | objects | timers, []string{"mt-block-unreadable", "mt-block-resumed"}},
		{28, "metadata", flip(20), names | objects | timers, []string{"mt-block-unreadable", "mt-block-resumed"}},
		{22, "metadata", flip(0), names | objects, []string{"mt-block-unreadable", "mt-block-resumed"}},
		{24, "timers", flip(0), names | meta | objects, []string{"mt-block-unreadable", "mt-block-resumed"}},
		{20, "objects", cut(10), meta, []string{"mt-block-unreadable"}},
	} {
		name := fmt.Sprintf("version %d, %s", c.version, c.section)
		b := sample(c.version)
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		broken := damage(t, data, c.section, c.how)
		if _, err := Decode(broken); err == nil {
			t.Errorf("%s: is no damage", name)
			continue
		}
		saved, found := Salvage(broken)
		for _, id := range c.ids {
			if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.ID == id }) {
				t.Errorf("%s: %v, want %v", name, found, c.ids)
			}
		}
		if saved == nil {
			t.Errorf("%s: nothing is left: %v", name, found)
			continue
		}
		got := 0
		if len(saved.Names) == len(b.Names) && slices.Equal(saved.Names, b.Names) {
			got |= names
		}
		if len(saved.Metadata.List) == len(b.Metadata.List) {
			got |= meta
		}
		if len(saved.Objects.List) == len(b.Objects.List) {
			got |= objects
		}
		if len(saved.Timers.List) == len(b.Timers.List) && len(b.Timers.List) > 0 {
			got |= timers
		}
		if c.version < 21 {
			got &^= names
		}
		if got != c.kept {
			t.Errorf("%s: %04b is left, want %04b: %v", name, got, c.kept, found)
		}
		if saved.Param0 != b.Param0 || saved.Param1 != b.Param1 || saved.Param2 != b.Param2 {
			t.Errorf("%s: other nodes", name)
		}
		reload(t, name, saved)
	}
}

// reload encodes a salvaged block and decodes the result.
func reload(t *testing.T, name string, saved *Block) {
	t.Helper()
	out, err := saved.Encode()
	if err != nil {
		t.Errorf("%s: what is left does not encode: %v", name, err)
		return
	}
	again, err := Decode(out)
	if err != nil {
		t.Errorf("%s: what is left does not decode: %v", name, err)
		return
	}
	if ids := findingIDs(again); slices.Contains(ids, "mt-block-id-unmapped") && again.Version >= 21 ||
		slices.Contains(ids, "mt-block-meta-unreadable") {
		t.Errorf("%s: what is left is not sound: %v", name, ids)
	}
}

// TestSalvageNodes tests that, if the nodes are damaged in the middle, the nodes before the damage and the sections
// after their stream are salvaged.
func TestSalvageNodes(t *testing.T) {
	for _, version := range []int{17, 21, 25, 29} {
		b := sample(version)
		for i := range b.Param1 {
			b.Param2[i] = uint8(i * 7 / 3 % 16) // does not compress to nearly nothing
		}
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		broken := damage(t, data, "nodes", func(content []byte, at int64) []byte {
			if version >= 29 {
				return content[:at+5000]
			}
			// A stream with the first nodes only, which ends inside a deflate block.
			stream, err := deflate.Compress(nil, bytes.Repeat([]byte("node"), 700), 1)
			if err != nil {
				t.Fatal(err)
			}
			_, used, _ := deflate.DecompressUpTo(content[at:], 4*NodeCount)
			return slices.Concat(content[:at], stream[:len(stream)-8], content[at+int64(used):])
		})
		saved, found := Salvage(broken)
		if saved == nil {
			t.Errorf("version %d: nothing is left: %v", version, found)
			continue
		}
		n := saved.Nodes()
		if n.At(NodeCount-1) != Ignore {
			t.Errorf("version %d: the last node is %s", version, n.At(NodeCount-1))
		}
		if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.ID == "mt-block-nodes-lost" }) {
			t.Errorf("version %d: %v", version, found)
		}
		if version < 29 && len(saved.Objects.List) != len(b.Objects.List) {
			t.Errorf("version %d: %d objects: %v", version, len(saved.Objects.List), found)
		}
		reload(t, fmt.Sprint(version), saved)
	}
}

// dumped returns the fields that Dump reports, by space.
func dumped(data []byte) (fields map[string][]trace.Field, err error) {
	fields = make(map[string][]trace.Field)
	err = Dump(data, func(f trace.Field) { fields[f.Space] = append(fields[f.Space], f) })
	return fields, err
}

// TestDump tests that Dump accounts for every byte of the file and of its inflated content.
func TestDump(t *testing.T) {
	for version := range Newest + 1 {
		data, err := sample(version).EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, "odd"...)
		fields, err := dumped(data)
		if err != nil {
			t.Fatal(err)
		}
		for space, list := range fields {
			end := int64(0)
			for _, f := range list {
				if f.Offset != end || f.Path == "" || f.Len < 0 {
					t.Errorf("version %d, %q: %+v, expected at %d", version, space, f, end)
				}
				end = f.Offset + f.Len
			}
			if space == "" && end != int64(len(data)) {
				t.Errorf("version %d: fields of %d bytes of %d", version, end, len(data))
			}
		}
		want := 1
		switch {
		case version >= 29:
			want = 2
		case version >= 16:
			want = 3
		case version >= 11, version == 4, version >= 7:
			want = len(fields)
		}
		if len(fields) != want {
			t.Errorf("version %d: %d spaces, want %d", version, len(fields), want)
		}
	}
}

// TestDumpBroken tests that Dump reports the fields before the damage and returns its cause.
func TestDumpBroken(t *testing.T) {
	data, err := sample(25).EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	fields, err := dumped(data[:len(data)-3])
	var e *fault.Error
	if !errors.As(err, &e) || e.Path != "timers.entries[1].elapsed" {
		t.Errorf("%v", err)
	}
	last := fields[""][len(fields[""])-1]
	if last.Path != "timers.entries[1].timeout" || last.Value != int32(1000) {
		t.Errorf("%+v", last)
	}
	meanings := make(map[string]string)
	for _, f := range fields["nodes"] {
		meanings[f.Path] = f.Meaning
	}
	if meanings["nodes.param0[64..80]"] == "" && meanings["nodes.param0[0..47]"] == "" {
		t.Errorf("no meaning of the first nodes: %v", meanings)
	}
	if _, err := dumped([]byte{77}); !errors.Is(err, fault.ErrVersion) {
		t.Errorf("%v", err)
	}
}
