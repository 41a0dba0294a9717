package dat_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// compiled is a compiled file of the corpus or of a mod in it.
type compiled struct {
	name string // the path in the corpus
	data []byte
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data := judge.Read(t, path)
	return data
}

// corpusFiles returns all compiled files, identical ones once.
func corpusFiles(t testing.TB) []compiled {
	t.Helper()
	var all []compiled
	seen := map[string]bool{}
	add := func(name string, data []byte) {
		if !seen[string(data)] {
			seen[string(data)] = true
			all = append(all, compiled{name, data})
		}
	}
	root := tests.Corpus(t, "torchlight")
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		name := strings.TrimPrefix(path, root+string(filepath.Separator))
		switch strings.ToUpper(filepath.Ext(path)) {
		case ".BINDAT", ".ADM":
			add(name, readFile(t, path))
		case ".MOD":
			readMod(t, readFile(t, path), func(entry string, data []byte) { add(name+"/"+entry, data) })
		}
	}
	return all
}

// readMod calls add for the compiled data files of a mod (.MOD). It implements only what these tests need, so that they
// do not depend on package mod.
func readMod(t testing.TB, mod []byte, add func(string, []byte)) {
	t.Helper()
	r := bin.NewReader(mod, bin.LittleEndian)
	if r.U16("version") != 4 {
		t.Fatal("not a mod of version 4")
	}
	r.Span("versions", 10)
	data, manifest := r.U32("data"), r.U32("manifest")
	r.SeekTo(int64(manifest) + 6)
	r.Wide16("root")
	r.U32("hint")
	for range r.U32("num_dirs") {
		dir := r.Wide16("dir")
		for range r.U32("num_records") {
			r.U32("crc")
			typ, name := r.U8("type"), r.Wide16("name")
			offset, size := r.U32("offset"), r.U32("size")
			r.U64("time")
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			if offset == 0 || typ != 0 && typ != 16 && typ != 17 {
				continue
			}
			block := mod[data+offset:]
			var content []byte
			if stored := binary.LittleEndian.Uint32(block[4:]); stored == 0 {
				content = block[8 : 8+size]
			} else {
				z, err := zlib.NewReader(bytes.NewReader(block[8 : 8+stored]))
				if err != nil {
					t.Fatal(err)
				}
				if content, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			add(dir+name, content)
		}
	}
}

// baseName returns the name of the source of a compiled file.
func baseName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(name), ".BINDAT"), ".bindat")
}

// TestCorpus tests that every compiled file of the corpus becomes a text and is compiled to identical bytes, in either
// style of numbers, and that it keeps its tree without its residue.
func TestCorpus(t *testing.T) {
	files := corpusFiles(t)
	residues, ids, unknown := 0, 0, map[string]bool{}
	for _, c := range files {
		if !dat.Recognize(c.data[:min(len(c.data), 512)]) {
			t.Errorf("%s: not recognised", c.name)
		}
		f, err := dat.Decode(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if back, err := f.Encode(); err != nil || !bytes.Equal(back, c.data) {
			t.Errorf("%s: Encode gave other bytes: %v", c.name, err)
		}
		for _, style := range []text.FloatStyle{text.Exact, text.GUTS} {
			o := dat.Options{Path: baseName(c.name), Floats: style}
			form, residue, err := dat.Decompile(c.data, o)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if back, err := dat.Compile(form, throughJSON(t, residue), o); err != nil || !bytes.Equal(back, c.data) {
				t.Errorf("%s: Compile gave other bytes: %v", c.name, err)
			}
			if residue != nil {
				residues++
				if residue.IDs != "" {
					ids++
				}
				if residue.Whole != nil || residue.Table != nil || residue.Rest != nil || style == text.Exact && residue.Values != nil {
					t.Errorf("%s: the residue has more than IDs: %+v", c.name, residue)
				}
			}
			if style == text.GUTS {
				continue
			}
			fresh, err := dat.Compile(form, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			again, err := dat.Decode(fresh)
			if err != nil || !text.Equal(again.Text(o), f.Text(o)) {
				t.Errorf("%s: another tree without the residue: %v", c.name, err)
			}
			names(f.Text(o), func(name string) {
				if hash.IsEscape(name) {
					unknown[name] = true
				}
			})
		}
		for _, found := range check.Collect(func(s check.Sink) { dat.Check(c.data, dat.Options{Path: baseName(c.name)}, s) }) {
			if found.Severity == check.Error {
				t.Errorf("%s: %v", c.name, found)
			}
		}
	}
	for name := range unknown {
		t.Errorf("unknown name %s", name)
	}
	t.Logf("%d files given back; %d of %d texts have a residue, all of them for IDs but %d", len(files), residues,
		2*len(files), residues-ids)
}

// throughJSON returns the residue after a round trip through a sidecar.
func throughJSON(t testing.TB, residue *dat.Residue) *dat.Residue {
	t.Helper()
	if residue == nil {
		return nil
	}
	data, err := json.Marshal(residue)
	if err != nil {
		t.Fatal(err)
	}
	back := &dat.Residue{}
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func names(n *text.Node, see func(string)) {
	see(n.Name)
	for p := range n.Properties() {
		see(p.Key)
	}
	for c := range n.Children() {
		names(c, see)
	}
}

// pairs calls see for the sources of the corpus that have a file compiled by GUTS next to them.
func pairs(t *testing.T, see func(name string, source, compiled []byte)) {
	root := tests.Corpus(t, "torchlight")
	files := tests.CorpusFiles(t, "torchlight", "")
	byName := map[string]string{}
	for _, path := range files {
		byName[strings.ToUpper(path)] = path
	}
	for _, path := range files {
		if source, ok := strings.CutSuffix(strings.ToUpper(path), ".BINDAT"); ok && byName[source] != "" {
			name := strings.TrimPrefix(byName[source], root+string(filepath.Separator))
			see(filepath.ToSlash(name), readFile(t, byName[source]), readFile(t, path))
		}
	}
}

// TestPairsADM tests that a data file of Torchlight I corresponds to its source in both directions. (The layouts of the
// corpus were saved again after they were compiled.)
func TestPairsADM(t *testing.T) {
	files := 0
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		if !strings.HasSuffix(strings.ToUpper(path), ".DAT.ADM") {
			continue
		}
		files++
		source, compiled, o := readFile(t, path[:len(path)-len(".ADM")]), readFile(t, path), dat.Options{Path: path, Floats: text.GUTS}
		form, _, err := dat.Decompile(compiled, o)
		if err != nil || plain(form) != plain(source) {
			t.Errorf("%s: another text, %v:\n%s", path, err, plain(form))
		}
		mine, err := dat.Compile(source, nil, o)
		if err != nil || len(mine) != len(compiled) || !text.Equal(tree(t, mine, o), tree(t, compiled, o)) {
			t.Errorf("%s: the source compiles to another tree, %v", path, err)
		}
	}
	t.Logf("%d data files", files)
}

// stale lists sources whose contents differ from the compiled files next to them.
var stale = map[string]string{
	"xyvian__Commando_Testing/hist-2c3394f0bf/media/skills/nightmaregrenade/nightmaregrenadeweak.dat": "GUTS lost all " +
		"names when it saved this source",
}

// TestPairsCompile tests that sources compile to the trees that GUTS compiled from them.
func TestPairsCompile(t *testing.T) {
	total, same := 0, 0
	pairs(t, func(name string, source, compiled []byte) {
		total++
		o := dat.Options{Path: name}
		mine, err := dat.Compile(source, nil, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		switch equal := text.Equal(tree(t, mine, o), tree(t, compiled, o)); {
		case equal && stale[name] == "":
			same++
		case equal:
			t.Errorf("%s: the same tree, although %s", name, stale[name])
		case stale[name] == "":
			t.Errorf("%s: another tree", name)
		}
	})
	t.Logf("%d of %d sources compile to the tree that GUTS made of them", same, total)
}

func tree(t *testing.T, data []byte, o dat.Options) *text.Node {
	t.Helper()
	f, err := dat.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return f.Text(o)
}

// TestPairsText tests that files of GUTS, decompiled in its style, equal the source line by line, except for what a
// compiled file does not contain: the spelling of booleans and numbers, indentation, and comments.
func TestPairsText(t *testing.T) {
	total, exact, same := 0, 0, 0
	freedoms := []struct {
		name string
		undo func(string) string
	}{
		{"booleans as digits", spelling(`(<BOOL>.*:)1$`, "${1}true", `(<BOOL>.*:)0$`, "${1}false")},
		{"numbers without their zero", spelling(`(<FLOAT>.*:)\.`, "${1}0.")},
		{"comments", spelling(`^\s*//.*\n`, "")},
		{"names in lower case", func(s string) string {
			return regexp.MustCompile(`>[^:\n]*:|(?m)^\[.*`).ReplaceAllStringFunc(s, strings.ToUpper)
		}},
		{"empty lines and indentation", spelling(`^\s+`, "", `\s*\n+`, "\n")},
	}
	needed := map[string]int{}
	pairs(t, func(name string, source, compiled []byte) {
		total++
		form, _, err := dat.Decompile(compiled, dat.Options{Path: name, Floats: text.GUTS})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		got, want := plain(form), plain(source)
		if got == want {
			exact++
			same++
			return
		}
		var reasons []string
		for _, f := range freedoms {
			if a, b := f.undo(got), f.undo(want); got != want && (a != got || b != want) {
				reasons = append(reasons, f.name)
				got, want = a, b
			}
		}
		switch {
		case got == want:
			same++
			needed[strings.Join(reasons, ", ")]++
			t.Logf("%s: %s", name, strings.Join(reasons, ", "))
		case stale[name] == "":
			t.Errorf("%s: another text:\n%s\nwant:\n%s", name, got, want)
		}
	})
	if same*100 < total*95 {
		t.Errorf("only %d of %d texts equal their sources", same, total)
	}
	t.Logf("of %d texts %d equal their sources line by line, %d more but for freedoms of spelling: %v", total, exact, same-exact, needed)
}

// plain returns a text in UTF-16 as UTF-8, with line feeds only between lines.
func plain(data []byte) string {
	return strings.TrimSuffix(strings.ReplaceAll(bin.DecodeUTF16(data[2:]), "\r\n", "\n"), "\n")
}

// spelling returns a function that replaces patterns line by line.
func spelling(pairs ...string) func(string) string {
	return func(s string) string {
		for i := 0; i < len(pairs); i += 2 {
			s = regexp.MustCompile("(?m)"+pairs[i]).ReplaceAllString(s, pairs[i+1])
		}
		return s
	}
}
