package dat_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// sample returns a file with all types, in the form that compiling its text produces.
func sample() *dat.File {
	key := hash.Of("VALUE")
	return &dat.File{
		Version: dat.Torchlight2,
		Strings: []dat.String{{1, "Größe: 😀 "}, {2, "A"}, {3, "C:\\n"}},
		Root: &dat.Node{
			Name: hash.Of("UNIT"),
			Properties: []dat.Property{
				{key, text.Integer, 0xFFFFFFFF}, {key, text.Float, uint64(math.Float32bits(0.1))},
				{key, text.Double, math.Float64bits(1.0 / 3)}, {key, text.Unsigned, 0xFFFFFFFF},
				{key, text.String, 1}, {key, text.String, uint64(dat.None)}, {key, text.Bool, 1}, {key, text.Bool, 0},
				{key, text.Integer64, 1 << 63}, {key, text.Translate, 2}, {key, text.Note, 1}, {0, text.String, 2},
			},
			Children: []*dat.Node{
				{Name: hash.Of("CHILD1"), Properties: []dat.Property{{key, text.String, 3}}},
				{Name: hash.Of("CHILD1"), Children: []*dat.Node{{Name: hash.Of("LEVEL99")}}},
			},
		},
	}
}

const sampleText = `[UNIT]
	<INTEGER>VALUE:-1
	<FLOAT>VALUE:0.1
	<DOUBLE>VALUE:0.3333333333333333
	<UNSIGNED INT>VALUE:4294967295
	<STRING>VALUE:Größe: 😀 
	<STRING>VALUE:
	<BOOL>VALUE:true
	<BOOL>VALUE:false
	<INTEGER64>VALUE:-9223372036854775808
	<TRANSLATE>VALUE:A
	<NOTE>VALUE:Größe: 😀 
	<STRING>:A
	[CHILD1]
		<STRING>VALUE:C:\n
	[/CHILD1]
	[CHILD1]
		[LEVEL99]
		[/LEVEL99]
	[/CHILD1]
[/UNIT]`

func encode(t testing.TB, f *dat.File) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEncode tests the encoded bytes against the description of the format.
func TestEncode(t *testing.T) {
	f := &dat.File{Version: 2, Strings: []dat.String{{7, "é"}}, Root: &dat.Node{
		Name: 0x04030201, Properties: []dat.Property{{0x08070605, text.Integer64, 9}},
		Children: []*dat.Node{{Name: 10}},
	}}
	want := []byte("\x02\x00\x00\x00" + "\x01\x00\x00\x00" + "\x07\x00\x00\x00\x01\x00\xe9\x00" +
		"\x01\x02\x03\x04" + "\x01\x00\x00\x00" + "\x05\x06\x07\x08\x07\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x00\x00" + "\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	if got := encode(t, f); !bytes.Equal(got, want) {
		t.Errorf("% x", got)
	}
	if back, err := dat.Decode(want); err != nil || !bytes.Equal(encode(t, back), want) {
		t.Errorf("%v", err)
	}
}

func TestText(t *testing.T) {
	data := encode(t, sample())
	form, residue, err := dat.Decompile(data, dat.Options{})
	if err != nil || residue != nil {
		t.Fatalf("residue %+v, %v", residue, err)
	}
	if got := plain(form); got != sampleText {
		t.Errorf("text:\n%s", got)
	}
	back, err := dat.Compile([]byte(sampleText), nil, dat.Options{})
	if err != nil || !bytes.Equal(back, data) {
		t.Errorf("% x, %v", back, err)
	}
}

// TestJunk tests that invalid values are read by their beginning, properties before nodes, and names without regard to
// case, as the game does.
func TestJunk(t *testing.T) {
	junk := "[unit]\n[child]\n[/CHILD]\n<integer>value:.1\n<INTEGER>value:12.5\n<BOOL>value:TRUE\n<FLOAT>value:.75\n[/UNIT]"
	clean := "[UNIT]\n<INTEGER>VALUE:0\n<INTEGER>VALUE:12\n<BOOL>VALUE:1\n<FLOAT>VALUE:0.75\n[CHILD]\n[/CHILD]\n[/UNIT]"
	var warned []string
	a, errA := dat.Compile([]byte(junk), nil, dat.Options{Warn: func(e *text.Error) { warned = append(warned, e.Error()) }})
	if want := []string{`line 4: expected a value of type INTEGER, found ".1", read as 0`,
		`line 5: expected a value of type INTEGER, found "12.5", read as 12`}; !slices.Equal(warned, want) {
		t.Errorf("warned of %q", warned)
	}
	if _, err := dat.Compile([]byte(junk), nil, dat.Options{}); len(text.AllErrors(err)) != 2 {
		t.Errorf("junk is silent where nobody hears of it: %v", err)
	}
	for _, line := range []string{"<INTEGER>A:2147483648", "<UNSIGNED INT>A:4294967296",
		"<INTEGER64>A:-9223372036854775809", "<FLOAT>A:1e39", "<DOUBLE>A:1e400"} {
		_, err := dat.Compile([]byte("[A]\n"+line+"\n[/A]"), nil, dat.Options{Warn: func(*text.Error) {}})
		if e := text.AllErrors(err); len(e) != 1 || e[0].Line != 2 || !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, wrong := range map[string]bool{
		"<INTEGER64>A:5.14E+18": true, "<INTEGER64>A:abc": true, "<INTEGER>A:5,14E+18": true, "<INTEGER>A:12x": true,
		"<UNSIGNED INT>A:1e3": true,
		"<FLOAT>A:1,5":        true, "<FLOAT>A:nan": true, "<DOUBLE>A:x": true, "<BOOL>A:yes": true,
		"<INTEGER>A:": false, "<INTEGER>A:.": false, "<INTEGER64>A:7.9 ": false,
		"<INTEGER64>A:9561133025477349421": false, "<UNSIGNED INT>A:-1": false,
		"<FLOAT>A: 1e3 ": false, "<BOOL>A:2": false, "<BOOL>A:True ": false,
	} {
		warned := 0
		_, err := dat.Compile([]byte("[A]\n"+line+"\n[/A]"), nil, dat.Options{Warn: func(*text.Error) { warned++ }})
		if all := text.AllErrors(err); wrong != (len(all) == 1 && all[0].Line == 2) || !wrong && (err != nil || warned != 1) {
			t.Errorf("%s: %v, %d warnings", line, err, warned)
		}
		found := check.Collect(func(s check.Sink) { text.Check([]byte("[A]\n"+line+"\n[/A]"), nil, s) })
		if !slices.ContainsFunc(found, func(f check.Finding) bool {
			return strings.Contains(f.Message, "is not a valid ") && (f.Severity == check.Error) == wrong
		}) {
			t.Errorf("%s: check finds %v", line, found)
		}
	}
	b, errB := dat.Compile([]byte(clean), nil, dat.Options{})
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("% x, %v\n% x, %v", a, errA, b, errB)
	}
	var e *text.Error
	if _, err := dat.Compile([]byte("[A]\n<WORD>B:C\n[/A]"), nil, dat.Options{}); !errors.As(err, &e) || e.Line != 2 {
		t.Errorf("error %v", err)
	}
	long := "[A]\n<STRING>B:" + strings.Repeat("é", 0x10000) + "\n[/A]"
	if _, err := dat.Compile([]byte(long), nil, dat.Options{}); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("error %v for a string that is too long", err)
	}
}

// oddities returns changes to files that a text cannot fully represent, by name.
func oddities() map[string]func(*dat.File) {
	return map[string]func(*dat.File){
		"ids":          func(f *dat.File) { renumber(f, func(id uint32) uint32 { return 100 - id }) },
		"id zero":      func(f *dat.File) { renumber(f, func(id uint32) uint32 { return id - 1 }) },
		"unsorted":     func(f *dat.File) { slices.Reverse(f.Strings) },
		"unused":       func(f *dat.File) { f.Strings = append(f.Strings, dat.String{9, "unused"}) },
		"missing":      func(f *dat.File) { f.Strings = f.Strings[:2] },
		"no strings":   func(f *dat.File) { f.Strings = nil },
		"id twice":     func(f *dat.File) { f.Strings = append(f.Strings, dat.String{3, "again"}) },
		"text twice":   func(f *dat.File) { f.Strings[1].Text = f.Strings[0].Text },
		"empty string": func(f *dat.File) { f.Strings[0].Text = "" },
		"line feed":    func(f *dat.File) { f.Strings[0].Text = "a\nb" },
		"return":       func(f *dat.File) { f.Strings[0].Text = "a\r" },
		"NUL":          func(f *dat.File) { f.Strings[0].Text = "\x00" },
		"surrogate":    func(f *dat.File) { f.Strings[0].Text = "\xED\xA0\xBD" },
		"two halves":   func(f *dat.File) { f.Strings[0].Text = "\xED\xA0\xBD"; f.Strings[1].Text = "\xED\xB8\x80\n" },
		"bool":         func(f *dat.File) { f.Root.Properties[6].Value = 77 },
		"NaN":          func(f *dat.File) { f.Root.Properties[1].Value = 0x7F800001 },
		"double NaN":   func(f *dat.File) { f.Root.Properties[2].Value = 0xFFFFFFFFFFFFFFFF },
		"infinity":     func(f *dat.File) { f.Root.Properties[1].Value = 0xFF800000 },
		"rest":         func(f *dat.File) { f.Rest = []byte("rest") },
		"version 1":    toVersion1,
		"odd version 1": func(f *dat.File) {
			toVersion1(f)
			f.Root.Name, f.Root.Children[0].Name = 2, 77
			f.Strings[1].Text = "/\n:"
		},
		"all": func(f *dat.File) {
			f.Strings[0].Text, f.Root.Properties[6].Value, f.Root.Properties[1].Value, f.Rest = "a\nb", 5, 0x7F800001, []byte{0}
			f.Strings = append(f.Strings, dat.String{3, "again"}, dat.String{2, "\xED\xA0\xBD"})
		},
	}
}

func renumber(f *dat.File, to func(uint32) uint32) {
	for i := range f.Strings {
		f.Strings[i].ID = to(f.Strings[i].ID)
	}
	var walk func(n *dat.Node)
	walk = func(n *dat.Node) {
		for i, p := range n.Properties {
			if p.Type.IsString() && p.Value != uint64(dat.None) {
				n.Properties[i].Value = uint64(to(uint32(p.Value)))
			}
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(f.Root)
	slices.SortFunc(f.Strings, func(a, b dat.String) int { return int(a.ID) - int(b.ID) })
}

// toVersion1 converts a file to version 1, with the same string as every name.
func toVersion1(f *dat.File) {
	f.Version = dat.Torchlight1
	var walk func(n *dat.Node)
	walk = func(n *dat.Node) {
		n.Name = 2
		for i := range n.Properties {
			n.Properties[i].Key = 2
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(f.Root)
}

// TestResidue tests that text and residue of any file reproduce it, also after a round trip through JSON.
func TestResidue(t *testing.T) {
	for name, make := range oddities() {
		f := sample()
		make(f)
		data := encode(t, f)
		for _, o := range []dat.Options{{}, {Floats: text.GUTS}, {Path: "X.DAT.ADM"}} {
			form, residue, err := dat.Decompile(data, o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if back, err := dat.Compile(form, throughJSON(t, residue), o); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s: residue %+v: %v", name, residue, err)
			}
			keepsWhole := strings.Contains(name, "surrogate") || name == "all" || strings.HasPrefix(name, "odd") ||
				name == "two halves" || name == "text twice"
			if residue != nil && residue.Whole != nil && !keepsWhole {
				t.Errorf("%s: the residue keeps the whole file", name)
			}
			// Without the residue the file is like a newly compiled one, and stays so.
			fresh, err := dat.Compile(form, nil, o)
			if err != nil {
				if !strings.HasPrefix(name, "odd") {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if _, residue, err := dat.Decompile(fresh, o); err != nil || residue != nil && residue.Values == nil {
				t.Errorf("%s: compiled again, the residue is %+v, %v", name, residue, err)
			}
		}
	}
}

// TestSpoiltResidue tests that a residue with wrong values causes an error and no panic.
func TestSpoiltResidue(t *testing.T) {
	for _, r := range []dat.Residue{
		{IDs: "1-4294967295"}, {IDs: "3-1"}, {IDs: "x"}, {IDs: "1 2"}, {IDs: "1 2 3 4"}, {IDs: "1-2 99999999999"}, {IDs: "-"},
		{Values: []dat.Bits{{At: 13}}}, {Values: []dat.Bits{{At: -1}}}, {Version: 7},
	} {
		var e *fault.Error
		if _, err := dat.Compile([]byte(sampleText), &r, dat.Options{}); !errors.As(err, &e) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestNames tests that names come from the dictionary, the options, the file itself, or the number of a broken tag, and
// are escapes otherwise.
func TestNames(t *testing.T) {
	broken := fmt.Sprint(hash.Of("DISPLAYNAME"))
	f := &dat.File{Version: 2, Strings: []dat.String{{1, "My Own Value"}, {2, "a:b"}, {3, "/x9"}}, Root: &dat.Node{
		Name: hash.Of("MY_TYPE_9"),
		Properties: []dat.Property{
			{hash.Of("my own value"), text.String, 1}, {hash.Of("FROM A MOD 9"), text.Integer, 0},
			{hash.Of(broken), text.Integer, 0}, {hash.Of("A:B"), text.Integer, 0}, {hash.Of("/X9"), text.Integer, 0},
			{12345678, text.Integer, 0},
		},
	}}
	o := dat.Options{Names: hash.Known().With("From a Mod 9"), Path: "MEDIA/UNITTYPES/MY_TYPE_9.DAT"}
	var got []string
	names(f.Text(o), func(s string) { got = append(got, s) })
	want := []string{"MY_TYPE_9", "MY OWN VALUE", "From a Mod 9", broken, hash.Escape(hash.Of("A:B")),
		hash.Escape(hash.Of("/X9")), hash.Escape(12345678)}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	data := encode(t, f)
	form, residue, err := dat.Decompile(data, o)
	if err != nil || residue == nil || residue.Table == nil { // two strings are unused
		t.Fatalf("%+v, %v", residue, err)
	}
	if back, err := dat.Compile(form, residue, o); err != nil || !bytes.Equal(back, data) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	good := encode(t, sample())
	for i := range good {
		if _, err := dat.Decode(good[:i]); !errors.Is(err, fault.ErrShort) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	deep := sample()
	for range int(effort.DataDepth.Least) {
		deep.Root = &dat.Node{Children: []*dat.Node{deep.Root}}
	}
	if _, err := deep.Encode(); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too deep: %v", err)
	}
	if _, err := dat.Decode(append([]byte{2, 0, 0, 0, 0, 0, 0, 0},
		bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, 100_000)...)); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too deep: %v", err)
	}
	at := bytes.Index(good, []byte{1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}) // type and value of the first property
	bad := bytes.Clone(good)
	bad[at+1] = 1
	var e *fault.Error
	if _, err := dat.Decode(bad); !errors.As(err, &e) || e.Offset != int64(at) || e.Path != "root.properties[0].type" || e.Got != "257" {
		t.Errorf("unknown type: %v", err)
	}
	if _, err := dat.Decode([]byte{6, 1, 0, 0, 0, 0, 0}); !errors.Is(err, fault.ErrVersion) || !strings.Contains(err.Error(), "Hob") {
		t.Errorf("version 6: %v", err)
	}
	for _, f := range []*dat.File{{Version: 3, Root: &dat.Node{}}, {Version: 2, Root: &dat.Node{Properties: []dat.Property{{1, 10, 0}}}}} {
		if _, err := f.Encode(); !errors.As(err, &e) {
			t.Errorf("%+v was encoded", f)
		}
	}
}

// TestBomb tests that a long string in very many places does not exhaust the memory.
func TestBomb(t *testing.T) {
	f := &dat.File{Version: 2, Strings: []dat.String{{1, strings.Repeat("a", 0xFFFF)}},
		Root: &dat.Node{Properties: make([]dat.Property, 50_000)}}
	for i := range f.Root.Properties {
		f.Root.Properties[i] = dat.Property{Type: text.String, Value: 1}
	}
	if _, _, err := dat.Decompile(encode(t, f), dat.Options{}); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("error %v", err)
	}
}

func TestRecognize(t *testing.T) {
	good := encode(t, sample())
	if !dat.Recognize(good) || !dat.Recognize(good[:64]) || !dat.Recognize(encode(t, &dat.File{Version: 2, Root: &dat.Node{}})) {
		t.Error("not recognised")
	}
	version1 := sample()
	toVersion1(version1)
	if !dat.Recognize(encode(t, version1)) {
		t.Error("version 1 not recognised")
	}
	odd := sample()
	slices.Reverse(odd.Strings)
	if data := encode(t, odd); !dat.Recognize(data) || dat.Recognize(data[:len(data)-1]) {
		t.Error("an unsorted table: want the whole file recognized, and no part of it")
	}
	for _, s := range []string{"", "\x02\x00\x00\x00", "\x06\x01\x00\x00\x00", sampleText,
		strings.Repeat("\x02\x00\x00\x00", 40), strings.Repeat("\x01\x00\x00\x00", 40), "\x02" +
			strings.Repeat("\x00", 200)} {
		if dat.Recognize([]byte(s)) {
			t.Errorf("%.40q is taken for a compiled file", s)
		}
	}
}

// TestDump tests that Dump reports every byte, and the meanings of names and texts.
func TestDump(t *testing.T) {
	f := sample()
	f.Rest = []byte("rest")
	data := encode(t, f)
	next, meanings := int64(0), map[string]string{}
	err := dat.Dump(data, func(f trace.Field) {
		if f.Offset != next {
			t.Errorf("%s at %d, want %d", f.Path, f.Offset, next)
		}
		next = f.Offset + f.Len
		meanings[f.Path] = f.Meaning
	})
	if err != nil || next != int64(len(data)) {
		t.Errorf("%d of %d bytes, %v", next, len(data), err)
	}
	for path, want := range map[string]string{
		"root.name": "UNIT", "root.properties[3].type": "UNSIGNED INT", "root.properties[1].value": "0.1",
		"root.properties[4].value": "Größe: 😀 ", "root.children[1].children[0].name": "LEVEL99", "rest": "",
	} {
		if meanings[path] != want {
			t.Errorf("%s means %q, want %q", path, meanings[path], want)
		}
	}
	if err := dat.Dump(data[:50], func(trace.Field) {}); !errors.Is(err, fault.ErrShort) {
		t.Errorf("a cut file: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*dat.File)
		want  []string
	}{
		"good":       {func(*dat.File) {}, nil},
		"unsorted":   {oddities()["unsorted"], []string{"tl-dat-string-order"}},
		"unused":     {oddities()["unused"], []string{"tl-dat-string-unused"}},
		"missing":    {oddities()["missing"], []string{"tl-dat-string-missing"}},
		"id twice":   {oddities()["id twice"], []string{"tl-dat-string-twice"}},
		"line feed":  {oddities()["line feed"], []string{"tl-dat-string-line"}},
		"bool":       {oddities()["bool"], []string{"tl-dat-bool"}},
		"NaN":        {oddities()["NaN"], []string{"tl-dat-not-a-number"}},
		"double NaN": {oddities()["double NaN"], []string{"tl-dat-not-a-number"}},
		"rest":       {oddities()["rest"], []string{"tl-dat-rest"}},
		"version 1":  {oddities()["version 1"], []string{"tl-dat-torchlight1"}},
		"broken": {func(f *dat.File) { f.Root.Children[0].Properties[0].Key = hash.Of(fmt.Sprint(hash.Of("DISPLAYNAME"))) },
			[]string{"tl-dat-broken-tag"}},
		"unknown": {func(f *dat.File) { f.Root.Children[0].Name, f.Root.Children[1].Name = 12345678, 12345678 },
			[]string{"tl-dat-unknown-name"}},
	} {
		f := sample()
		c.spoil(f)
		var got []string
		for _, found := range check.Collect(func(s check.Sink) { dat.Check(encode(t, f), dat.Options{}, s) }) {
			got = append(got, found.ID)
			if found.ID == "tl-dat-broken-tag" && (found.Path != "UNIT.CHILD1.2200927350" ||
				!strings.Contains(found.Message, "DISPLAYNAME")) {
				t.Errorf("%v", found)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	found := check.Collect(func(s check.Sink) { dat.Check([]byte{2, 0}, dat.Options{}, s) })
	if len(found) != 1 || found[0].ID != "tl-dat-damaged" || found[0].Offset != 0 {
		t.Errorf("%v", found)
	}
}

func FuzzDat(f *testing.F) {
	f.Add(encode(f, sample()))
	for _, make := range oddities() {
		file := sample()
		make(file)
		f.Add(encode(f, file))
	}
	f.Fuzz(roundTrip)
}

// FuzzCorpus is FuzzDat with real files as seeds.
func FuzzCorpus(f *testing.F) {
	for i, c := range corpusFiles(f) {
		if i%100 == 0 {
			f.Add(c.data)
		}
	}
	f.Fuzz(roundTrip)
}

// roundTrip calls every function that reads or writes compiled files with data.
func roundTrip(t *testing.T, data []byte) {
	dat.Recognize(data)
	last := int64(0)
	dumpErr := dat.Dump(data, func(f trace.Field) { last = f.Offset + f.Len })
	dat.Check(data, dat.Options{}, func(check.Finding) {})
	file, err := dat.Decode(data)
	if (err == nil) != (dumpErr == nil) || err == nil && last != int64(len(data)) {
		t.Fatalf("Decode %v, Dump %v up to %d of %d", err, dumpErr, last, len(data))
	}
	if err != nil {
		var e *fault.Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data)) {
			t.Fatalf("error %v", err)
		}
		return
	}
	if back, err := file.Encode(); err != nil || !bytes.Equal(back, data) {
		t.Fatalf("Encode: %v", err)
	}
	for _, o := range []dat.Options{{}, {Floats: text.GUTS, Path: "A.ADM"}} {
		form, residue, err := dat.Decompile(data, o)
		if err != nil {
			if !errors.Is(err, fault.ErrLimit) {
				t.Fatal(err)
			}
			continue
		}
		if back, err := dat.Compile(form, throughJSON(t, residue), o); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("residue %+v: %v", residue, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte(sampleText), "1-3", 2, uint64(7))
	f.Add([]byte("[a]\n<BOOL>:yes\n[/A]"), "", 0, uint64(0))
	f.Fuzz(func(t *testing.T, form []byte, ids string, at int, value uint64) {
		dat.Compile(form, &dat.Residue{IDs: ids, Values: []dat.Bits{{At: at, Value: value}}}, dat.Options{})
		data, err := dat.Compile(form, nil, dat.Options{})
		if err != nil {
			return
		}
		if _, residue, err := dat.Decompile(data, dat.Options{}); err != nil || residue != nil && residue.Whole != nil {
			t.Fatalf("residue %+v, %v", residue, err)
		}
	})
}
