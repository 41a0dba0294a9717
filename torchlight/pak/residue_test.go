package pak_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
)

// TestResidue tests that every oddity is rebuilt byte for byte from its files and its residue, and from an edit that
// changes nothing.
func TestResidue(t *testing.T) {
	for name, o := range oddities(t) {
		r := o.open(t)
		if found := findings(r); !slices.Equal(found, o.want) && len(found)+len(o.want) > 0 {
			t.Errorf("%s: found %v, want %v", name, found, o.want)
		}
		got := write(t, list(t, r), residue(t, r))
		if !bytes.Equal(got.pak, o.pak) || !bytes.Equal(got.man, o.man) {
			t.Errorf("%s: is restored as %s and %s, want %s and %s", name, dump(got.pak), dump(got.man), dump(o.pak), dump(o.man))
		}
		got = edited(t, pak.NewEdit(r))
		if !bytes.Equal(got.pak, o.pak) || !bytes.Equal(got.man, o.man) {
			t.Errorf("%s: an edit without a change gives %s and %s, want %s and %s", name, dump(got.pak),
				dump(got.man), dump(o.pak), dump(o.man))
		}
	}
}

// TestResidueAfterChanges tests that a changed file keeps only its place from the residue, that nothing else changes,
// and that all contents are right whatever was odd.
func TestResidueAfterChanges(t *testing.T) {
	for name, o := range oddities(t) {
		r := o.open(t)
		k := residue(t, r)
		files := list(t, r)
		want := contents(t, r)
		files = slices.DeleteFunc(files, func(f pak.NewFile) bool { return f.Path == "MEDIA/LAST.DAT" })
		files[0] = file(files[0].Path, []byte("changed"))
		files = append(files, file("MEDIA/NEW/NEW.DAT", []byte("new")), file("MEDIA/NEW.DAT", []byte("new too")))
		delete(want, "MEDIA/LAST.DAT")
		want[files[0].Path], want["MEDIA/NEW/NEW.DAT"], want["MEDIA/NEW.DAT"] = "changed", "new", "new too"
		got := write(t, files, k).open(t)
		if diff := cmp.Diff(want, contents(t, got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		first := got.Find(files[0].Path)
		if first.Record.Offset != 8 || first.Record.Time != files[0].Time {
			t.Errorf("%s: the changed file is at %d with time %d", name, first.Record.Offset, first.Record.Time)
		}
		for _, id := range findings(got) {
			switch id {
			case "tl-pak-hash", "tl-pak-max", "tl-pak-manifest-hash", "tl-pak-overlap", "tl-pak-outside", "tl-pak-hint":
				t.Errorf("%s: after a change it has %s", name, id)
			}
		}
	}
}

// TestResidueOfNew tests that the residue of an archive written without one is nearly empty.
func TestResidueOfNew(t *testing.T) {
	r := write(t, sample(), nil).open(t)
	k := residue(t, r)
	if k.Version != nil || k.Root != nil || k.Max != nil || k.Hash != nil || k.ManHash != nil || k.Hint != nil || k.Tail != nil {
		t.Errorf("a new archive is held for odd: %+v", k)
	}
	for _, s := range k.Sections {
		for _, rec := range s.Records {
			if rec.Odd != nil {
				t.Errorf("%s is held for odd: %+v", rec.Name, rec.Odd)
			}
		}
	}
}

// TestResidueTampered tests that a residue with wrong values does no harm.
func TestResidueTampered(t *testing.T) {
	o := oddities(t)["foreign stream"]
	r := o.open(t)
	for _, change := range []func(rec *pak.ResidueRecord){
		func(rec *pak.ResidueRecord) { rec.Block = 1 << 30 },
		func(rec *pak.ResidueRecord) { rec.Block = -1 },
		func(rec *pak.ResidueRecord) { rec.Odd = &pak.OddRecord{Stream: []byte("no stream")} },
		func(rec *pak.ResidueRecord) { rec.Name = "OTHER.DAT" },
		func(rec *pak.ResidueRecord) { rec.Kind = pak.ResidueRemoved },
		func(rec *pak.ResidueRecord) { rec.Kind = pak.ResidueLost },
	} {
		k := residue(t, r)
		change(&k.Sections[1].Records[1])
		if diff := cmp.Diff(contents(t, r), contents(t, write(t, list(t, r), k).open(t))); diff != "" {
			t.Error(diff)
		}
	}
	k := residue(t, r)
	level := 99
	k.Sections[1].Records[1].Odd = &pak.OddRecord{Level: &level}
	if _, _, err := pak.Write(context.Background(), new(tests.Memory), list(t, r), k); err == nil {
		t.Error("level 99 was accepted")
	}
}

func TestEdit(t *testing.T) {
	a := write(t, sample(), nil)
	r := a.open(t)
	e := pak.NewEdit(r)
	e.Put(file("media/units/b.dat", []byte("replaced")))
	e.Put(file("MEDIA/NEW.LAYOUT", []byte("added")))
	if err := e.Rename(`media\units\a.dat`, "MEDIA/OTHER/A.RAW"); err != nil {
		t.Error(err)
	}
	if err := e.Delete("MEDIA/SKILLS.RAW"); err != nil {
		t.Error(err)
	}
	if e.Delete("MEDIA/SKILLS.RAW") == nil || e.Rename("MEDIA/NONE", "MEDIA/X") == nil ||
		e.Rename("MEDIA/NEW.LAYOUT", "MEDIA/UNITS/B.DAT") == nil {
		t.Error("what is not there was found, or details overwritten")
	}
	got := edited(t, e).open(t)
	want := contents(t, r)
	delete(want, "MEDIA/SKILLS.RAW")
	delete(want, "MEDIA/UNITS/A.DAT")
	want["MEDIA/UNITS/B.DAT"], want["MEDIA/NEW.LAYOUT"], want["MEDIA/OTHER/A.RAW"] = "replaced", "added", "first"
	if diff := cmp.Diff(want, contents(t, got)); diff != "" {
		t.Error(diff)
	}
	if f := got.Find("MEDIA/OTHER/A.RAW"); f.Record.Type != pak.TypeRaw || f.Record.Time != sample()[1].Time {
		t.Errorf("the renamed file is %+v", f.Record)
	}
	if found := findings(got); !slices.Equal(found, []string{"tl-pak-removed"}) {
		t.Errorf("findings: %v", found)
	}
	before, _ := r.Find("MEDIA/UNITS/ITEMS/MAPS/SWORD.LAYOUT").Block()
	after, err := got.Find("MEDIA/UNITS/ITEMS/MAPS/SWORD.LAYOUT").Block()
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("a block that was not edited was not copied: %v", err)
	}
}

// TestBomb tests that overlapping blocks do not cause unbounded work.
func TestBomb(t *testing.T) {
	a := newRaw()
	content := make([]byte, 1<<20)
	b := block(content, 9)
	rec := *a.add("MEDIA/", "0.DAT", "", content, b)
	for i := range 3000 {
		rec.Name = string(rune('A'+i%26)) + string(rune('A'+i/26%26)) + string(rune('A'+i/676)) + ".DAT"
		a.record("MEDIA/", rec)
	}
	r := a.build(t).open(t)
	if _, err := pak.NewResidue(r); err == nil {
		t.Error("3 GiB out of a kilobyte were taken")
	}
	if !slices.Contains(findings(r), "tl-pak-bomb") {
		t.Error("no finding")
	}
}

// TestEditKeeps tests that an edit of one file keeps everything else of every oddity: contents, the fields of all
// records, and the blocks of records that no list of files contains.
func TestEditKeeps(t *testing.T) {
	odd := oddities(t)
	for name, change := range map[string]func(e *pak.Edit){
		"changed":           func(e *pak.Edit) { e.Put(file("MEDIA/FIRST.DAT", []byte("changed"))) },
		"other directories": func(e *pak.Edit) { e.Put(file("MEDIA/NEW/DEEP/NEW.DAT", []byte("new"))) },
		"deleted":           func(e *pak.Edit) { _ = e.Delete("MEDIA/LAST.DAT") },
	} {
		for what, o := range odd {
			r := o.open(t)
			e := pak.NewEdit(r)
			change(e)
			out := new(tests.Memory)
			man, _, err := e.Write(context.Background(), out)
			if err != nil {
				if what != "outside" && what != "in the header" { // their contents cannot be copied
					t.Errorf("%s, %s: %v", what, name, err)
				}
				continue
			}
			if diff := cmp.Diff(records(t, r.Manifest(), o.pak), records(t, man, out.Data), cmpopts.IgnoreMapEntries(func(path string,
				_ []string) bool {
				return strings.HasPrefix(path, "MEDIA/DEEP") && !strings.HasSuffix(path, "X.DAT") || // gets its record
					path == "MEDIA/FIRST.DAT" || path == "MEDIA/LAST.DAT" || strings.HasPrefix(path, "MEDIA/NEW")
			})); diff != "" {
				t.Errorf("%s, %s: %s", what, name, diff)
			}
		}
	}
}

// records returns all records of an archive by path, each with its block in place of its offset.
func records(t *testing.T, man *pak.Manifest, data []byte) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, s := range man.Sections {
		for _, rec := range s.Records {
			at := fmt.Sprint(rec.Offset)
			if o := int(rec.Offset); o >= 8 && o+8 <= len(data) {
				size, compressed := binary.LittleEndian.Uint32(data[o:]), binary.LittleEndian.Uint32(data[o+4:])
				if compressed > 0 {
					size = compressed
				}
				if int64(size) <= int64(len(data)-o-8) {
					at = dump(data[o : o+8+int(size)])
				}
			}
			path := s.Name + rec.Name
			all[path] = append(all[path], fmt.Sprint(rec.CRC32, rec.Type, rec.Size, rec.Time, " ", at))
		}
	}
	return all
}
