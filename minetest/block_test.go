package minetest

import (
	"bytes"
	"io/fs"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/mapblock"
)

// TestDamagedBlock tests that a damaged separate block has its bytes as text, with a loss, and that a repair keeps the readable parts.
func TestDamagedBlock(t *testing.T) {
	whole, err := mapblock.New(28).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{whole, whole[:len(whole)-1]} {
		damaged := len(data) < len(whole)
		src := format.NewSourceAt("a.block", bytes.NewReader(data), int64(len(data)))
		losses, findings := 0, 0
		job := &format.Job{Reports: format.Reports{OnLose: func(string) { losses++ }}}
		f, err := minetestBlock.Open(t.Context(), job, src)
		if err != nil {
			t.Fatal(err)
		}
		fsys, err := f.Tree(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := fs.ReadFile(fsys, "a.txt"); err != nil || bytes.Contains(text, []byte("\nraw\n")) != damaged {
			t.Errorf("damaged: %v, text %.80q, error %v", damaged, text, err)
		}
		err = minetestBlock.Repair.Plan(t.Context(), job, src, func(check.Finding) { findings++ })
		if err != nil || (losses > 0) != damaged || (findings > 0) != damaged {
			t.Errorf("damaged: %v, %d losses, %d findings, error %v", damaged, losses, findings, err)
		}
	}
}
