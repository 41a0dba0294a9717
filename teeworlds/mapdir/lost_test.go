package mapdir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestDamagedBlocks tests that a file of the folder with a damaged data block cannot be read, unless the caller
// accepted losses when reading the map.
func TestDamagedBlocks(t *testing.T) {
	whole := encode(t, sample())
	f, err := datafile.Decode(whole)
	if err != nil {
		t.Fatal(err)
	}
	files, broken := 0, 0
	for _, b := range f.Data {
		data := bytes.Clone(whole)
		data[int(b.Offset())+b.StoredSize()/2] ^= 0x55
		m, err := twmap.Decode(data)
		if err != nil {
			continue // texts are read at once
		}
		saved, err := twmap.Salvage(data)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		fsys, lenient := mapdir.Open(m), mapdir.Open(saved)
		err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || name == ".trowel.json" {
				return err
			}
			files++
			if _, err := fs.ReadFile(fsys, name); errors.Is(err, fault.ErrLost) {
				failed++
			} else if err != nil {
				return err
			}
			_, err = fs.ReadFile(lenient, name)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if failed > 0 {
			broken++
		}
	}
	if broken < 5 {
		t.Errorf("of %d files of %d maps only those of %d blocks could not be read", files, len(f.Data), broken)
	}
}
