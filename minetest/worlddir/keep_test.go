package worlddir

import (
	"io/fs"
	"testing"

	"trowel.example/internal/files/tree"
)

// TestKeep tests that residues are computed only if the sidecar is wanted, and that the sidecar is the same whether
// it was announced or not.
func TestKeep(t *testing.T) {
	w := makeWorld(t, "sqlite")
	var sidecars [2]string
	for i := range sidecars {
		fsys := Open(t.Context(), w, Options{Exact: true})
		if i == 1 {
			tree.Keep(fsys)
		}
		err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && name != tree.Sidecar {
				_, err = fs.ReadFile(fsys, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s := fsys.(*shown)
		made := 0
		for j := range s.blocks.keys {
			if s.blocks.isMade(j) {
				made++
			}
		}
		if want := i * len(s.blocks.keys); made != want || (len(s.residues) > 0) != (i == 1) {
			t.Errorf("%d blocks and %d residues were noted, want %d", made, len(s.residues), want)
		}
		side, err := fs.ReadFile(fsys, tree.Sidecar)
		if err != nil {
			t.Fatal(err)
		}
		sidecars[i] = string(side)
	}
	if sidecars[0] != sidecars[1] {
		t.Errorf("%s\n%s", sidecars[0], sidecars[1])
	}
}
