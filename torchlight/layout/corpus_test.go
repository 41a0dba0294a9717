package layout_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// pair is a compiled layout of the corpus and the text next to it.
type pair struct {
	name     string // path in the corpus
	path     string // path in the game's tree
	compiled []byte
	form     []byte // nil if there is none
}

func pairs(t testing.TB) []pair {
	dir := tests.Corpus(t, "torchlight")
	var list []pair
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(strings.ToUpper(path), ".BINLAYOUT") {
			return err
		}
		p := pair{name: filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))}
		if p.compiled, err = os.ReadFile(path); err != nil {
			return err
		}
		textName := strings.ToUpper(p.name[:len(p.name)-len(".BINLAYOUT")])
		p.path = textName[strings.LastIndex(textName, "/MEDIA/")+1:]
		beside, err := os.ReadDir(filepath.Dir(path))
		for _, e := range beside {
			if strings.EqualFold(e.Name(), filepath.Base(textName)) {
				p.form, err = os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
			}
		}
		list = append(list, p)
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d layouts in the corpus, %v", len(list), err)
	}
	return list
}

// archived returns the layouts in the mods of the corpus.
func archived(t testing.TB) []pair {
	var list []pair
	dir := tests.Corpus(t, "torchlight")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.EqualFold(filepath.Ext(path), ".MOD") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) < 20 {
			return err
		}
		// The header of version 4 has the offsets of the archive and its manifest.
		start, end := binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint32(data[16:])
		man, err := pak.DecodeManifest(data[end:])
		if err != nil {
			return err
		}
		body := data[start:end]
		r, err := pak.NewReader(bytes.NewReader(body), int64(len(body)), man)
		if err != nil {
			return err
		}
		for _, f := range r.Files() {
			if !strings.HasSuffix(f.Path, ".LAYOUT") || f.Removed() {
				continue
			}
			content, err := f.Content()
			if err != nil {
				return err
			}
			list = append(list, pair{name: strings.TrimPrefix(path, dir) + ": " + f.Path, path: f.Path, compiled: content})
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d layouts in mods, %v", len(list), err)
	}
	return different(list)
}

// different removes identical layouts from the list.
func different(list []pair) []pair {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(p pair) bool {
		again := seen[string(p.compiled)]
		seen[string(p.compiled)] = true
		return again
	})
}

// TestCorpusRoundTrip tests that every layout round-trips byte for byte: through its model, through its text with the
// residue, and through its text alone except for the version byte and undefined bytes.
func TestCorpusRoundTrip(t *testing.T) {
	objects, properties, patched := 0, 0, 0
	all := different(append(pairs(t), archived(t)...))
	for _, p := range all {
		if !layout.Recognize(p.compiled[:min(len(p.compiled), 16)]) {
			t.Errorf("%s is not recognized", p.name)
		}
		f, err := layout.Decode(p.compiled)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for o := range f.All() {
			objects++
			properties += len(o.Properties)
		}
		if back, err := f.Encode(); err != nil || !bytes.Equal(back, p.compiled) {
			t.Errorf("%s: encoding gives other bytes, %v", p.name, err)
		}
		for _, style := range []text.FloatStyle{text.Exact, text.GUTS} {
			o := layout.Options{Path: p.path, Floats: style}
			form, residue, err := layout.Decompile(p.compiled, o)
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			if back, err := layout.Compile(form, residue, o); err != nil || !bytes.Equal(back, p.compiled) {
				t.Errorf("%s: compiling gives other bytes, %v", p.name, err)
			}
			if residue != nil && residue.Whole != nil {
				t.Errorf("%s: the residue has the whole file", p.name)
			}
			if style == text.GUTS || residue == nil {
				continue
			}
			patched++
			for _, patch := range residue.Patches {
				tree := int(binary.LittleEndian.Uint32(p.compiled[2:]))
				if patch.At != 1 && (tree == 0 || patch.At < tree || len(patch.Is) != 2) {
					t.Errorf("%s: the residue has %+v", p.name, patch)
				}
			}
		}
	}
	t.Logf("%d layouts, %d objects, %d properties; %d have a residue", len(all), objects, properties, patched)
}

// TestCorpusCheck tests that the only findings in layouts of the editor are links to removed nodes and undefined bytes.
func TestCorpusCheck(t *testing.T) {
	found := make(map[string]int)
	for _, p := range append(pairs(t), archived(t)...) {
		sink := func(f check.Finding) {
			found[f.ID]++
			switch f.ID {
			case "tl-layout-logic-link", "tl-layout-group-flag":
			default:
				t.Errorf("%s: %v", p.name, f)
			}
		}
		layout.Check(p.compiled, sink)
		form, _, err := layout.Decompile(p.compiled, layout.Options{Path: p.path})
		if err != nil {
			t.Error(err)
		}
		layout.CheckText(form, sink)
		if p.form != nil {
			layout.CheckText(p.form, sink)
		}
	}
	t.Log(found)
}

// The reasons why the text of a pair differs from the compiled file.
const (
	notCompiled = "the editor compiles no ALLOWED"
	byHand      = "PARENTID is before ID, and empty CHILDREN are left out: not written by the editor"
)

// otherText lists the pairs whose text differs from the compiled file, with the reasons.
var otherText = map[string]string{
	"PhanboiGames__XOVER/HEAD/MEDIA/SKILLS/X_DODGEROLL/X_DODGEROLL.LAYOUT.BINLAYOUT":                byHand,
	"PhanboiGames__XOVER/HEAD/MEDIA/SKILLS/X_HEALTHVIAL/X_HEALTHFAIL.LAYOUT.BINLAYOUT":              byHand,
	"PhanboiGames__XOVER/HEAD/MEDIA/SKILLS/X_HEALTHVIAL/X_HEALTHGET.LAYOUT.BINLAYOUT":               byHand,
	"xyvian__Commando_Testing/HEAD/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT":            notCompiled,
	"xyvian__Commando_Testing/hist-5706d047a6/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT": notCompiled,
	"xyvian__Commando_Testing/hist-9ec0f29648/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT": notCompiled,
	"xyvian__Commando_Testing/hist-e8fc062b9b/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT": notCompiled,
}

// otherFloats lists the pairs in which the editor compiled more digits than it saved in the text, so that the numbers
// differ in their last bits.
var otherFloats = map[string]bool{
	"xyvian__Commando_Testing/HEAD/media/UI/COMMANDO_CHARGE_BAR_TOOLTIP.LAYOUT.BINLAYOUT":                true,
	"xyvian__Commando_Testing/HEAD/media/skills/Static Missiles/missile_proc.layout.BINLAYOUT":           true,
	"xyvian__Commando_Testing/HEAD/media/skills/pistol_charge/pistol_charge.layout.BINLAYOUT":            true,
	"xyvian__Commando_Testing/HEAD/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT":                 true,
	"xyvian__Commando_Testing/hist-02175b845c/media/skills/pistol_charge/pistol_charge.layout.BINLAYOUT": true,
	"xyvian__Commando_Testing/hist-5706d047a6/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT":      true,
	"xyvian__Commando_Testing/hist-9ec0f29648/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT":      true,
	"xyvian__Commando_Testing/hist-e8fc062b9b/media/skilltree/SKILL_TREE_COMMANDO.layout.BINLAYOUT":      true,
}

// TestCorpusPairs tests that the text of a modder compiles to the file that the editor compiled from it, and that this
// file decompiles to the modder's text.
func TestCorpusPairs(t *testing.T) {
	pairs := slices.DeleteFunc(pairs(t), func(p pair) bool { return p.form == nil })
	same, equal, lines, sameLines := 0, 0, 0, 0
	for _, p := range pairs {
		o := layout.Options{Path: p.path, Floats: text.GUTS}
		form, _, err := layout.Decompile(p.compiled, o)
		if err != nil {
			t.Error(err)
			continue
		}
		reason, other := otherText[p.name]
		if isSame := bytes.Equal(form, p.form); isSame == other {
			t.Errorf("%s: the text is the modder's: %v, although: %s", p.name, isSame, reason)
		} else if isSame {
			same++
		}
		have, want := strings.Split(plain(form), "\n"), strings.Split(plain(p.form), "\n")
		lines += len(want)
		sameLines += common(have, want)

		back, err := layout.Compile(p.form, nil, o)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		again, _, err := layout.Decompile(back, o)
		if err != nil || !bytes.Equal(again, form) {
			t.Errorf("%s: the modder's text compiles to another tree, %v", p.name, err)
		}
		back[1] = p.compiled[1] // the text does not contain it
		if isEqual := bytes.Equal(back, p.compiled); isEqual == otherFloats[p.name] {
			t.Errorf("%s: the modder's text compiles to the editor's bytes: %v", p.name, isEqual)
		} else if isEqual {
			equal++
		}
	}
	t.Logf("%d pairs; the text is the modder's in %d, %d of %d lines; the modder's compiles to the editor's tree in "+
		"all, but for what is named here, and to its bytes in %d",
		len(pairs), same, sameLines, lines, equal)
}

// common counts the lines of want that have contains in the same order. Of equal lines it uses the nearest.
func common(have, want []string) int {
	n, at := 0, 0
	for _, line := range want {
		if i := slices.Index(have[at:min(at+40, len(have))], line); i >= 0 {
			n++
			at += i + 1
		}
	}
	return n
}
