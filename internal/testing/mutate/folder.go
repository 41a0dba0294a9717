package mutate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// Folder is a store of several files. Its reader must return an error unless it has read everything.
type Folder struct {
	Dir   string
	Files []string // files to damage, as paths in Dir

	// Read opens the store, reads everything, and returns what it read. The error joins all reported errors.
	Read func() ([]string, error)

	// Prefixes and Damages are the numbers of prefixes and damaged copies of each file to test; TROWEL_MUTATIONS
	// replaces those that are not 0.
	Prefixes, Damages int

	// Uncut reports whether the format of a file cannot detect truncation: the file may end after any row.
	Uncut func(file string) bool

	// Unsummed means that the format has no checksums: a damaged row may be read as another row, but each row must be
	// read or reported.
	Unsummed bool
}

// Test truncates, removes and damages each file, at the same places in each run. Read must return everything that it
// returned before, or report it as lost.
func (f Folder) Test(t *testing.T) {
	t.Helper()
	all, err := f.Read()
	if err != nil || len(all) == 0 {
		t.Fatalf("the whole store: %d parts, %v", len(all), err)
	}
	for _, n := range []*int{&f.Prefixes, &f.Damages} {
		if *n > 0 {
			*n = triesOr(t, *n)
		}
	}
	reported, same := 0, 0
	for i, file := range f.Files {
		path := filepath.Join(f.Dir, filepath.FromSlash(file))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, data []byte, damaged bool) {
			t.Helper()
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := f.Read()
			lost := firstLost(all, got)
			if damaged && f.Unsummed && len(got) >= len(all) {
				lost = ""
			}
			switch {
			case err != nil:
				reported++
			case lost != "":
				t.Errorf("%s: %s: no error, and %d of %d parts are given: %.60q is missing", file, what, len(got), len(all), lost)
			default:
				same++
			}
		}
		rng := rand.New(rand.NewPCG(22, uint64(i)))
		if f.Uncut == nil || !f.Uncut(file) {
			for k := range f.Prefixes {
				n := (len(whole)*k + rng.IntN(len(whole))) / f.Prefixes
				try(fmt.Sprintf("%d of %d bytes", n, len(whole)), whole[:n], false)
			}
		}
		for range f.Damages {
			at, size := rng.IntN(len(whole)), 1+rng.IntN(600)
			what, data := fmt.Sprintf("%d bytes from %d on", size, at), append([]byte(nil), whole...)
			piece := data[at:min(at+size, len(data))]
			if rng.IntN(2) == 0 {
				clear(piece)
				what += " are zero"
			} else {
				for i := range piece {
					piece[i] = byte(rng.Uint32())
				}
			}
			try(what, data, true)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d reported, %d as if whole", reported, same)
}
