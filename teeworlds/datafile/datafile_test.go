package datafile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/trace"
)

var testUUID = datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")

// sample returns a datafile with all features.
func sample() *datafile.File {
	f := datafile.New()
	f.AddData([]byte("first block"))
	f.AddData(bytes.Repeat([]byte("abcd"), 5000))
	f.AddItem(5, 0, 1, 2, 3)
	f.AddItem(0, 0, 1)
	f.AddUUIDItem(testUUID, 0, 7, 8)
	f.AddItem(5, 1, -4)
	f.AddUUIDItem(datafile.NameUUID("test"), 9)
	return f
}

func encode(t testing.TB, f *datafile.File) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) *datafile.File {
	t.Helper()
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWriter(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	f := decode(t, encode(t, sample()))
	index := func(name datafile.UUID) []int32 {
		v := make([]int32, 4)
		for i := range v {
			v[i] = int32(binary.BigEndian.Uint32(name[4*i:]))
		}
		return v
	}
	want := []datafile.Item{
		{Type: 0, ID: 0, Data: []int32{1}},
		{Type: 5, ID: 0, Data: []int32{1, 2, 3}},
		{Type: 5, ID: 1, Data: []int32{-4}},
		{Type: 0xfffd, ID: 9, Data: []int32{}},
		{Type: 0xfffe, ID: 0, Data: []int32{7, 8}},
		{Type: 0xffff, ID: 0xfffe, Data: index(testUUID)},
		{Type: 0xffff, ID: 0xfffd, Data: index(datafile.NameUUID("test"))},
	}
	if diff := cmp.Diff(want, f.Items); diff != "" {
		t.Error(diff)
	}
	if typ, ok := f.TypeOf(testUUID); !ok || typ != 0xfffe || f.UUIDs()[0xfffe] != testUUID {
		t.Errorf("TypeOf = %#x, %v; UUIDs = %v", typ, ok, f.UUIDs())
	}
	if types := f.Types(); !slices.Equal(types, []uint16{0, 5, 0xfffd, 0xfffe, 0xffff}) {
		t.Errorf("Types = %v", types)
	}
	var ids []uint16
	for id := range f.All(5) {
		ids = append(ids, id)
	}
	if !slices.Equal(ids, []uint16{0, 1}) {
		t.Errorf("ids of type 5 = %v", ids)
	}
	for i, b := range f.Blocks() {
		want, _ := sample().Data[i].Bytes()
		if got, err := b.Bytes(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("data[%d] differs, %v", i, err)
		}
	}
	if found := check.Collect(f.Check); len(found) > 0 {
		t.Errorf("a new datafile has findings: %v", found)
	}
}

// TestVersions tests that versions, the swapped magic number and the old sizes in the header round-trip, and that
// each version can be converted to the other.
func TestVersions(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, version := range []int{3, 4} {
		for _, swapped := range []bool{false, true} {
			f := sample()
			f.Version, f.Swapped = version, swapped
			data := encode(t, f)
			if magic := string(data[:4]); (magic == "ATAD") != swapped {
				t.Errorf("version %d: magic %q", version, magic)
			}
			back := decode(t, data)
			if back.Version != version || back.Swapped != swapped {
				t.Errorf("version %d, swapped %v round-trip as %d, %v", version, swapped, back.Version, back.Swapped)
			}
			if again := encode(t, back); !bytes.Equal(again, data) {
				t.Errorf("version %d: encodes to other bytes", version)
			}
			other := 7 - version
			back.Version = other
			f.Version = other
			if !bytes.Equal(encode(t, back), encode(t, f)) {
				t.Errorf("version %d turned into %d differs from a new one", version, other)
			}
		}
	}
	// A file of version 3, byte by byte.
	want := "DATA" + "\x03\x00\x00\x00" + "\x3b\x00\x00\x00" + "\x38\x00\x00\x00" + // size, swaplen
		"\x01\x00\x00\x00" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00" + "\x10\x00\x00\x00" + "\x03\x00\x00\x00" +
		"\x02\x00\x00\x00" + "\x00\x00\x00\x00" + "\x01\x00\x00\x00" + // type 2: 1 item from 0
		"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + // offsets
		"\x05\x00\x02\x00" + "\x08\x00\x00\x00" + "\x01\x00\x00\x00" + "\xff\xff\xff\xff" + "abc"
	f := datafile.New()
	f.Version = 3
	f.AddData([]byte("abc"))
	f.AddItem(2, 5, 1, -1)
	if got := encode(t, f); string(got) != want {
		t.Errorf("version 3:\n got %q\nwant %q", got, want)
	}
}

func TestUUID(t *testing.T) {
	for name, want := range map[string]string{
		"mapitemtype-automapper-config@ddnet.tw": "3e1b2716-178c-3978-9bd9-b11ae0410dd8",
		"mapitemtype-envpoints-bezier@ddnet.tw":  "3ab4f84d-d9cc-3c78-b585-0d6ccdb2e25c",
		"mapitemtype-group@ddnet.tw":             "4a26ca1f-64bd-30e3-907a-707eacd1f080",
		"mapitemtype-test@ddnet.tw":              "b1ab2186-5ac3-39d9-9fbc-47cf03efdf1e",
	} {
		u := datafile.NameUUID(name)
		if u.String() != want {
			t.Errorf("NameUUID(%q) = %v, want %s", name, u, want)
		}
		if back, err := datafile.ParseUUID(want); err != nil || back != u {
			t.Errorf("ParseUUID(%q) = %v, %v", want, back, err)
		}
	}
	for _, bad := range []string{"", "3e1b2716178c39789bd9b11ae0410dd8", "3e1b2716-178c-3978-9bd9-b11ae0410dd",
		"3e1b2716-178c-3978-9bd9-b11ae0410dgg"} {
		if u, err := datafile.ParseUUID(bad); err == nil {
			t.Errorf("ParseUUID(%q) = %v", bad, u)
		}
	}
}

// put returns a copy of data with the little-endian integer at offset replaced.
func put(data []byte, offset int, v int32) []byte {
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint32(data[offset:], uint32(v))
	return data
}

// Offsets in the bytes of plain(), which has no UUIDs: 2 types, 3 items, 2 data blocks.
const (
	atTypes       = 36
	atItemOffsets = atTypes + 2*12
	atDataOffsets = atItemOffsets + 3*4
	atDataSizes   = atDataOffsets + 2*4
	atItems       = atDataSizes + 2*4
)

func plain() *datafile.File {
	f := datafile.New()
	f.AddItem(0, 0, 1)
	f.AddItem(5, 0, 1, 2, 3)
	f.AddItem(5, 1, 4)
	f.AddData([]byte("first block"))
	f.AddData([]byte("second block"))
	return f
}

// TestBroken tests that each defect has its finding, that intact parts are still read, and that the file encodes to
// its own bytes.
func TestBroken(t *testing.T) {
	good := encode(t, plain())
	old := plain()
	old.SizeError, old.SwaplenError = -8, -8
	twice := plain()
	twice.AddItem(5, 1, 6)
	index := sample()
	index.AddItem(datafile.TypeUUIDIndex, 0xfffe, 1, 2, 3, 4)
	short := plain()
	stream, _ := short.Data[0].Compressed()
	short.Data[0] = datafile.NewBlockStream(stream, 12)
	surplus := plain()
	surplus.Data[0] = datafile.NewBlockStream(append(bytes.Clone(stream), "more"...), 11)
	empty := plain()
	empty.Data[0] = datafile.NewBlockStream(stream, 0)

	for _, c := range []struct {
		name  string
		data  []byte
		want  []string // IDs of findings
		items int      // the number of items that can be read
	}{
		{"good", good, nil, 3},
		{"cut", good[:len(good)-1], []string{"tw-datafile-file-size", "tw-datafile-data-corrupt"}, 3},
		{"cut in the items", good[:atItems+24], []string{"tw-datafile-file-size", "tw-datafile-item-size",
			"tw-datafile-item-outside", "tw-datafile-data-outside"}, 2},
		{"appended", append(bytes.Clone(good), 0), []string{"tw-datafile-file-size"}, 3},
		{"old header", encode(t, old), []string{"tw-datafile-header-quirk"}, 3},
		{"size", put(good, 8, 1), []string{"tw-datafile-header-size"}, 3},
		{"swaplen", put(good, 12, 1), []string{"tw-datafile-header-swaplen"}, 3},
		{"type out of range", put(good, atTypes, 70000), []string{"tw-datafile-type-id", "tw-datafile-type-items"}, 3},
		{"type twice", put(good, atTypes, 5), []string{"tw-datafile-type-id", "tw-datafile-type-items", "tw-datafile-item-id"}, 3},
		{"type start", put(good, atTypes+16, 2), []string{"tw-datafile-type-items"}, 3},
		{"type count", put(good, atTypes+20, 1), []string{"tw-datafile-type-items"}, 3},
		{"type without items", put(good, atTypes+8, 0), []string{"tw-datafile-type-items", "tw-datafile-type-items",
			"tw-datafile-type-items"}, 3},
		{"first item offset", put(good, atItemOffsets, 4), []string{"tw-datafile-item-offset", "tw-datafile-item-size",
			"tw-datafile-item-area"}, 3},
		{"item offset", put(good, atItemOffsets+4, 0), []string{"tw-datafile-item-size", "tw-datafile-item-offset",
			"tw-datafile-item-outside"}, 2},
		{"item size", put(good, atItems+4, 8), []string{"tw-datafile-item-size"}, 3},
		{"item size below 0", put(good, atItems+4, -8), []string{"tw-datafile-item-size"}, 3},
		{"item of another type", put(good, atItems, 3<<16), []string{"tw-datafile-type-items"}, 3},
		{"item id twice", encode(t, twice), []string{"tw-datafile-item-id"}, 4},
		{"index id twice", encode(t, index), []string{"tw-datafile-index-id"}, 8},
		{"first data offset", put(good, atDataOffsets, 1), []string{"tw-datafile-data-offset", "tw-datafile-data-corrupt"}, 3},
		{"data offset", put(good, atDataOffsets+4, 0), []string{"tw-datafile-data-offset", "tw-datafile-data-corrupt",
			"tw-datafile-data-corrupt"}, 3},
		{"data outside", put(good, atDataOffsets+4, 1<<20), []string{"tw-datafile-data-outside", "tw-datafile-data-surplus"}, 3},
		{"data size below 0", put(good, atDataSizes, -1), []string{"tw-datafile-data-size"}, 3},
		{"data size 0", encode(t, empty), []string{"tw-datafile-data-empty"}, 3},
		{"data size wrong", encode(t, short), []string{"tw-datafile-data-corrupt"}, 3},
		{"bytes after a stream", encode(t, surplus), []string{"tw-datafile-data-surplus"}, 3},
		{"item area", put(put(good, 28, 50), 8, 200), []string{"tw-datafile-file-size", "tw-datafile-item-area",
			"tw-datafile-header-size", "tw-datafile-header-swaplen", "tw-datafile-item-size", "tw-datafile-data-corrupt",
			"tw-datafile-data-corrupt"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := datafile.Salvage(c.data)
			if err != nil {
				t.Fatal(err)
			}
			_, err = datafile.Decode(c.data)
			if lost := f.Losses() != nil; lost != (err != nil) || lost && !errors.Is(err, fault.ErrLost) && !errors.Is(err, fault.ErrShort) {
				t.Errorf("the error of Decode is %v, the losses are %q", err, f.Losses())
			}
			var got []string
			for _, finding := range check.Collect(f.Check) {
				got = append(got, finding.ID)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(slices.Compact(slices.Clone(c.want)), slices.Compact(got)); diff != "" {
				t.Errorf("findings: %s", diff)
			}
			if len(f.Items) != c.items {
				t.Errorf("%d items, want %d", len(f.Items), c.items)
			}
			if again := encode(t, f); !bytes.Equal(again, c.data) {
				t.Error("encodes to other bytes")
			}
			f.AddItem(5, 2, 5)
			if changed, err := f.Encode(); err == nil && bytes.Equal(changed, c.data) {
				t.Error("a change was lost")
			}
		})
	}
}

// TestUnreadable tests that the error for a file that cannot be read at all states the reason and the offset.
func TestUnreadable(t *testing.T) {
	good := encode(t, plain())
	for _, c := range []struct {
		data []byte
		err  error
		path string
		at   int64
	}{
		{nil, fault.ErrShort, "header.magic", 0},
		{[]byte("PK\x03\x04rest"), fault.ErrFormat, "header.magic", 0},
		{good[:7], fault.ErrShort, "header.version", 4},
		{put(good, 4, 5), fault.ErrVersion, "header.version", 4},
		{good[:30], fault.ErrShort, "header.num_item_types", 16},
		{put(good, 16, -1), fault.ErrFormat, "header.num_item_types", 16},
		{put(good, 20, 1<<30), fault.ErrShort, "header.num_items", 20},
		{put(good, 28, -4), fault.ErrFormat, "header.item_size", 28},
		{good[:atItems-1], fault.ErrShort, "tables", 36},
	} {
		_, err := datafile.Decode(c.data)
		var e *fault.Error
		if !errors.Is(err, c.err) || !errors.As(err, &e) || e.Path != c.path || e.Offset != c.at {
			t.Errorf("Decode of %d bytes: %v, want %v in %s at %d", len(c.data), err, c.err, c.path, c.at)
		}
	}
}

// TestTrace tests that a trace accounts for every byte of an intact file.
func TestTrace(t *testing.T) {
	for _, version := range []int{3, 4} {
		f := sample()
		f.Version = version
		data := encode(t, f)
		covered := make([]int, len(data))
		err := datafile.Trace(data, datafile.Tracing{Field: func(f trace.Field) {
			for i := f.Offset; i < f.Offset+f.Len; i++ {
				covered[i]++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range covered {
			if n != 1 {
				t.Fatalf("version %d: byte %d is in %d fields", version, i, n)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, d := range []*datafile.File{sample(), plain(), datafile.New()} {
		data := encode(f, d)
		f.Add(data)
		f.Add(data[:len(data)*2/3])
		d.Version, d.Swapped = 3, true
		f.Add(encode(f, d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := datafile.Decode(data)
		if err != nil {
			return
		}
		check.Collect(d.Check)
		if again, err := d.Encode(); err != nil {
			t.Fatalf("does not encode: %v", err)
		} else if !bytes.Equal(again, data) {
			t.Fatal("encodes to other bytes")
		}
		if err := datafile.Trace(data, datafile.Tracing{Field: func(trace.Field) {}}); err != nil {
			t.Fatalf("decodes, but does not trace: %v", err)
		}
	})
}

func Example() {
	f := datafile.New()
	name := f.AddData([]byte("grass_main\x00"))
	f.AddItem(2, 0, 1, 1024, 1024, 1, name, -1) // an external image
	data, err := f.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := datafile.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, item := range back.All(2) {
		text, err := back.Block(item.Data[4]).Bytes()
		fmt.Println(id, item.Data, string(text[:len(text)-1]), err)
	}
	// Output: 0 [1 1024 1024 1 0 -1] grass_main <nil>
}

// TestWhole tests that a nil error means that everything was read.
func TestWhole(t *testing.T) {
	data := encode(t, sample())
	var blocks [][]byte
	for _, b := range decode(t, data).Data {
		blocks = append(blocks, b.Stream())
	}
	read := func(data []byte) error {
		f, err := datafile.Decode(data)
		if err == nil {
			err = f.Verify()
		}
		return err
	}
	change := func(f *datafile.File) ([]byte, error) {
		f.AddItem(99, 0, 7)
		return f.Encode()
	}
	mutate.Whole{Data: data, Blocks: blocks, Read: read,
		Edits: map[string]func([]byte) ([]byte, error){
			"Decode": func(data []byte) ([]byte, error) {
				f, err := datafile.Decode(data)
				if f == nil {
					return nil, err
				}
				return change(f) // despite the error
			},
			"Salvage": func(data []byte) ([]byte, error) {
				f, err := datafile.Salvage(data)
				if err == nil {
					err = f.Verify()
				}
				if err != nil {
					return nil, err
				}
				return change(f)
			},
		},
		Parts: func(data []byte) (parts []string, _ error) {
			f, err := datafile.Salvage(data)
			if err != nil {
				return nil, err
			}
			for _, it := range f.Items {
				if it.Type != 99 {
					parts = append(parts, fmt.Sprint(it))
				}
			}
			for _, b := range f.Data {
				content, err := b.Bytes()
				parts = append(parts, fmt.Sprint(content, err != nil))
			}
			return parts, nil
		},
	}.Test(t)
}

// TestRoom tests that items are read up to the next offset, whatever size they state, in the order of the file where the
// offsets have another one, and with the types of the table.
func TestRoom(t *testing.T) {
	want := plain()
	good := encode(t, want)
	swap := func(data []byte, a, b int) []byte {
		x, y := binary.LittleEndian.Uint32(data[a:]), binary.LittleEndian.Uint32(data[b:])
		return put(put(data, a, int32(y)), b, int32(x))
	}
	swapped := plain()
	swapped.Items[1].Data, swapped.Items[2].Data = swapped.Items[2].Data, swapped.Items[1].Data
	swapped.Items[1].ID, swapped.Items[2].ID = 1, 0
	blocks := plain()
	blocks.Data[0], blocks.Data[1] = blocks.Data[1], blocks.Data[0]
	for name, c := range map[string]struct {
		data []byte
		want *datafile.File
	}{
		"a size of 0":           {put(good, atItems+4, 0), want},
		"a size of -1":          {put(good, atItems+4, -1), want},
		"a size too small":      {put(good, atItems+12+4, 8), want},
		"a size too large":      {put(good, atItems+12+4, 400), want},
		"another type":          {put(good, atItems+12, 0), want},
		"offsets of a type":     {swap(good, atItemOffsets+4, atItemOffsets+8), swapped},
		"offsets of two types":  {swap(good, atItemOffsets, atItemOffsets+4), want},
		"offsets of two blocks": {swap(good, atDataOffsets, atDataOffsets+4), nil},
	} {
		f, err := datafile.Decode(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.want == nil { // the sizes still are those of the other blocks
			if got := encode(t, f); !bytes.Equal(got, c.data) {
				t.Errorf("%s: other bytes", name)
			}
			continue
		}
		if !f.Equal(c.want) {
			t.Errorf("%s: the items are %v, want %v", name, f.Items, c.want.Items)
		}
		if len(check.Collect(f.Check)) == 0 {
			t.Errorf("%s: no finding", name)
		}
	}
}

// TestSmaller tests that a block gets a smaller stream of the same contents, or stays.
func TestSmaller(t *testing.T) {
	content := bytes.Repeat([]byte("some tiles, and some more "), 300)
	for i := range content {
		content[i] += byte(i * i >> 9 & 1)
	}
	one := datafile.NewBlockLevel(content, 1)
	nine := one.Smaller(9)
	best := nine.Smaller(datafile.Smallest)
	if nine == one || best == nine || best.Smaller(9) != best || best.Smaller(datafile.Smallest) != best {
		t.Error("a block stayed that could be smaller, or became larger")
	}
	for _, b := range []*datafile.Block{nine, best} {
		if got, err := b.Bytes(); err != nil || !bytes.Equal(got, content) {
			t.Errorf("other contents: %v", err)
		}
	}
	lost := datafile.NewLostBlock(datafile.ErrUnreadable)
	surplus := datafile.NewBlockStream(append(bytes.Clone(nine.Stream()), 1, 2, 3), int32(len(content)))
	cut := datafile.NewBlockStream(nine.Stream()[:len(nine.Stream())-9], int32(len(content)))
	for i, b := range []*datafile.Block{lost, surplus, cut, nil} {
		if b.Smaller(datafile.Smallest) != b {
			t.Errorf("block %d was replaced", i)
		}
	}
}
