package torchlight

import (
	"io/fs"
	"strings"
	"testing"

	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// TestNewModNames tests that all names of a new mod begin with its own, so that two mods do not clash.
func TestNewModNames(t *testing.T) {
	for name, stem := range map[string]string{"Frost": "FROST", "Ada's 2nd mod": "ADA_S_2ND_MOD", "Grüße": "GR_E", " x ": "X"} {
		made, err := makeMod(newModFields{Name: name}, 7)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := fs.WalkDir(made, ".", func(at string, e fs.DirEntry, err error) error {
			switch base := e.Name(); {
			case err != nil || e.IsDir() || base == "MOD.DAT" || strings.HasSuffix(base, ".RAW.json"):
			case !strings.HasPrefix(base, stem+"_"):
				t.Errorf("%s: %s does not begin with %s", name, at, stem)
			case strings.HasSuffix(base, ".DAT"):
				data, _ := fs.ReadFile(made, at)
				file, err := text.Parse(data)
				if err != nil || data[0] != 0xff || data[1] != 0xfe {
					t.Errorf("%s: %v, or not in UTF-16", at, err)
				} else if value, _ := file.Root.Get("NAME"); value+".DAT" != base {
					t.Errorf("%s: its NAME is %s", at, value)
				}
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		data, err := fs.ReadFile(made, "MOD.DAT")
		if err != nil {
			t.Fatal(err)
		}
		if header, err := moddir.HeaderOf(data); err != nil || header.ID != 7 || header.Title != name {
			t.Errorf("%s: %+v %v", name, header, err)
		}
	}
}

// TestNewModRefuses tests that a name that cannot name files, or a text of several lines, is an error.
func TestNewModRefuses(t *testing.T) {
	long := strings.Repeat("a", 61)
	for _, o := range []newModFields{{}, {Name: "Лёд"}, {Name: "con"}, {Name: long}, {Name: "A\nB"}, {Name: "A", Author: "B\nC"}} {
		if _, err := makeMod(o, 7); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestNewModGUIDs tests that items of two new mods with the same name differ.
func TestNewModGUIDs(t *testing.T) {
	ids := make(map[string]bool)
	for id := range int64(3) {
		made, err := makeMod(newModFields{Name: "A"}, id+1)
		if err != nil {
			t.Fatal(err)
		}
		data, err := fs.ReadFile(made, "MEDIA/UNITS/ITEMS/A/A_RING.DAT")
		if err != nil {
			t.Fatal(err)
		}
		file, err := text.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		guid, _ := file.Root.Get("UNIT_GUID")
		if guid == "0" || guid == "" || ids[guid] {
			t.Errorf("the GUID %s is not new", guid)
		}
		ids[guid] = true
	}
}
