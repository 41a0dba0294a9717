package text_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/text"
)

// sample returns a tree with an example of everything that a text can contain.
func sample() *text.Node {
	root := &text.Node{Name: "UNIT"}
	root.Add(text.String, "NAME", "Größe 😀 \xED\xA0\xBD")
	root.Add(text.Integer, "LEVEL", "1")
	child := root.AddNode("A B")
	child.Add(text.Unsigned, "", "empty key: and colons: ")
	child.AddNode("")
	root.Add(text.Integer, "LEVEL", "2") // the same key again, after a node
	root.AddNode("A B").Add(text.Translate, "TEXT WITH SPACES", "")
	for t := text.Integer; t <= text.Note; t++ {
		child.Add(t, "K", "\tvalue\r")
	}
	return root
}

const plain = "[A]\r\n\t<STRING>K:v\r\n\t[B]\r\n\t[/B]\r\n[/A]\r\n"

func TestTypes(t *testing.T) {
	for typ := text.Type(0); typ < 12; typ++ {
		got, ok := text.ParseType(strings.ToLower(typ.String()))
		if ok != typ.Known() || ok && got != typ {
			t.Errorf("type %d is %q, which is %d, %v", typ, typ, got, ok)
		}
	}
	if text.Unsigned.String() != "UNSIGNED INT" || !text.Note.IsString() || text.Bool.IsString() {
		t.Error("wrong types")
	}
}

func TestTree(t *testing.T) {
	root := sample()
	if v, ok := root.Get("level"); v != "1" || !ok {
		t.Errorf("Get = %q, %v", v, ok)
	}
	if _, ok := root.Get("none"); ok {
		t.Error("got a property that does not exist")
	}
	if c := root.Child("a b"); c == nil || len(slices.Collect(c.Children())) != 1 || len(slices.Collect(c.Properties())) != 10 {
		t.Errorf("Child = %+v", c)
	}
	if root.Child("none") != nil {
		t.Error("got a node that does not exist")
	}
}

// TestSelect tests that nodes and keys are selected at any depth and by any spelling of their names.
func TestSelect(t *testing.T) {
	f, err := text.Parse([]byte("[A]\n<INTEGER64>ID:7\n[B]\n<STRING>k:1\n<STRING>L:2\n<STRING>K:3\n[C]\n[/C]\n[/B]\n[b]\n[/b]\n[/A]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names, values []string
	for n := range f.Root.All() {
		names = append(names, n.Name)
	}
	for n := range f.Root.Nodes("b") {
		names = append(names, n.Name)
		for p := range n.Keys("K") {
			values = append(values, p.Value)
		}
	}
	for n := range f.Root.All() {
		if names = append(names, n.Name); n.Name == "B" {
			break
		}
	}
	if got := strings.Join(names, " "); got != "A B C b B b A B" {
		t.Errorf("nodes %s", got)
	}
	if got := strings.Join(values, " "); got != "1 3" {
		t.Errorf("values %s", got)
	}
	if f.Root.Int64("id") != 7 || f.Root.Int64("none") != 0 {
		t.Error("wrong numbers")
	}
}

func TestFormat(t *testing.T) {
	root := &text.Node{Name: "A"}
	root.Add(text.String, "K", "v")
	root.AddNode("B")
	want := append([]byte{0xFF, 0xFE}, bin.AppendUTF16(nil, plain)...)
	if got := text.Format(root); !bytes.Equal(got, want) {
		t.Errorf("Format = %q", got)
	}
	f, err := text.Parse(text.Format(sample()))
	if err != nil || !text.Equal(f.Root, sample()) {
		t.Errorf("Parse of Format: %+v, %v", f, err)
	}
}

// TestForms tests that a text is reproduced exactly, and keeps its own form when it is changed.
func TestForms(t *testing.T) {
	bom := "\uFEFF"
	be := func(s string) string {
		b := bin.AppendUTF16(nil, s)
		for i := 0; i < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
		return string(b)
	}
	le := func(s string) string { return string(bin.AppendUTF16(nil, s)) }
	lf := strings.ReplaceAll(plain, "\r\n", "\n")
	for _, c := range []struct{ name, data, edited string }{
		{"GUTS", le(bom + plain), le(bom + strings.Replace(plain, ":v", ":w", 1))},
		{"UTF-16LE without mark", le(plain), le(strings.Replace(plain, ":v", ":w", 1))},
		{"UTF-16BE", be(bom + plain), be(bom + strings.Replace(plain, ":v", ":w", 1))},
		{"UTF-16BE without mark", be(plain), be(strings.Replace(plain, ":v", ":w", 1))},
		{"UTF-8", plain, strings.Replace(plain, ":v", ":w", 1)},
		{"UTF-8 with mark and LF", bom + lf, bom + strings.Replace(lf, ":v", ":w", 1)},
		{"no last line end", lf[:len(lf)-1], strings.Replace(lf[:len(lf)-1], ":v", ":w", 1)},
		{"odd", "// c\n\n [A] \r\n<string>K:v\r\n\t\t//[C]\n\t[B]\n[/b]\n\n[/a]\n \n", "[A]\n\t<STRING>K:w\n\t[B]\n\t[/B]\n[/A]\n"},
	} {
		f, err := text.Parse([]byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := f.Bytes(); string(got) != c.data {
			t.Errorf("%s: unchanged became %q", c.name, got)
		}
		f.Root.Items[0].(*text.Property).Value = "w"
		if got := f.Bytes(); string(got) != c.edited {
			t.Errorf("%s: edited became %q, want %q", c.name, got, c.edited)
		}
		if !text.Recognize([]byte(c.data)) || !text.Recognize([]byte(c.edited)) {
			t.Errorf("%s: not recognised", c.name)
		}
		f.Root.Items[0].(*text.Property).Value = "v"
		f.Encoding, f.BOM, f.LineEnd, f.Unended = text.UTF16LE, true, "\r\n", false
		if got := f.Bytes(); string(got) != le(bom+plain) {
			t.Errorf("%s: converted became %q", c.name, got)
		}
	}
	// UTF-8 cannot represent an unpaired surrogate.
	f := &text.File{Root: sample(), Encoding: text.UTF8, LineEnd: "\r\n"}
	if !bytes.Equal(f.Bytes(), text.Format(sample())) {
		t.Error("a lone surrogate did not lead to UTF-16")
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("[A]\n", int(effort.DataDepth.Least)+1)
	for _, c := range []struct {
		data         string
		line, column int
		err          error
	}{
		{"", 1, 1, fault.ErrShort},
		{"\n//\n", 2, 3, fault.ErrShort},
		{"[A]\n[B]\n[/B]\n", 3, 5, fault.ErrShort},
		{"[A]\n[/B]\n", 2, 1, fault.ErrFormat},
		{"[/A]", 1, 1, fault.ErrFormat},
		{"[A]\n[/A]\n[B]\n[/B]\n", 3, 1, fault.ErrFormat},
		{"[A]\n[/A]\n<STRING>K:V\n", 3, 1, fault.ErrFormat},
		{"<STRING>K:V\n", 1, 1, fault.ErrFormat},
		{"[A]\n\té junk\n", 2, 2, fault.ErrFormat},
		{"[A]\n\t[é\n", 2, 4, fault.ErrFormat},
		{"[A]\n\t<STRING\n", 2, 9, fault.ErrFormat},
		{"[A]\n\t<STRINGS>K:V\n", 2, 3, fault.ErrFormat},
		{"[A]\n\t<STRING>K\n", 2, 11, fault.ErrFormat},
		{"[A]\né\xff\n", 2, 2, fault.ErrFormat},
		{"\xff\xfe[\x00A\x00]\x00\n\x00a", 2, 1, fault.ErrShort},
		{deep, int(effort.DataDepth.Least) + 1, 1, fault.ErrLimit},
	} {
		_, err := text.Parse([]byte(c.data))
		var e *text.Error
		if !errors.As(err, &e) || e.Line != c.line || e.Column != c.column || !errors.Is(err, c.err) {
			t.Errorf("%.40q: %v (%v), want line %d, column %d, %v", c.data, err, errors.Unwrap(err), c.line, c.column, c.err)
		}
	}
	_, err := text.Parse([]byte("[A]\n\n\t\t\t\t\t\t[/X]"))
	if want := `line 3, column 7: expected [/A], found "[/X]"`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestRecognize(t *testing.T) {
	for _, s := range []string{"", "[", "[]", "[1,2]\n", "[\n1]\n", "[section]\nkey=value\n", "<STRING>A:B\n",
		"[/A]\n[B]\n", "DATA", "\xff\xfe", "{\n}"} {
		if text.Recognize([]byte(s)) {
			t.Errorf("%q is taken for a text", s)
		}
	}
}

// TestCorpus tests that each text of the corpus is reproduced byte for byte, and that Format reproduces those that GUTS
// wrote.
func TestCorpus(t *testing.T) {
	texts, asGUTS := 0, 0
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		switch strings.ToUpper(filepath.Ext(path)) {
		case ".DAT", ".LAYOUT", ".TEMPLATE", ".HIE", ".ANIMATION":
		default:
			continue
		}
		data := judge.Read(t, path)
		f, err := text.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if !bytes.Equal(f.Bytes(), data) {
			t.Errorf("%s: not given back", path)
		}
		if !text.Recognize(data[:min(len(data), 512)]) {
			t.Errorf("%s: not recognised", path)
		}
		texts++
		again := &text.File{Root: f.Root, BOM: true, LineEnd: "\r\n", Unended: f.Unended}
		if bytes.Equal(again.Bytes(), data) {
			asGUTS++
		}
	}
	if texts == 0 || asGUTS < texts*9/10 {
		t.Errorf("of %d texts, %d are as GUTS writes them", texts, asGUTS)
	}
	t.Logf("%d texts given back, %d of them without their source", texts, asGUTS)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(plain))
	f.Add(text.Format(sample()))
	f.Add([]byte("// c\n\n [A] \r\n<string>K:v\r\n\t\t//[C]\n\t[B]\n[/b]\n\n[/a]\n \n"))
	f.Add([]byte("\xfe\xff\x00[\x00A\x00]\x00\n\x00[\x00/\x00A\x00]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := text.Parse(data)
		if err != nil {
			var e *text.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if !bytes.Equal(file.Bytes(), data) {
			t.Fatal("not given back")
		}
		back, err := text.Parse(text.Format(file.Root))
		if err != nil || !text.Equal(back.Root, file.Root) {
			t.Fatalf("formatted again: %v", err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := text.Format(large())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := text.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	root := large()
	b.SetBytes(int64(len(text.Format(root))))
	for b.Loop() {
		text.Format(root)
	}
}

// large returns a tree of the size of a skill.
func large() *text.Node {
	root := &text.Node{Name: "SKILL"}
	for range 15 {
		level := root.AddNode("LEVEL1")
		for range 10 {
			level.Add(text.Float, "DAMAGEMULTIPLIER", "1.25")
			level.Add(text.String, "EVENT", "media/skills/commando/fire.layout")
		}
	}
	return root
}
