package deflate_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestTeeworldsCorpus finds the level of every data block of real maps. Blocks that are in several maps count once.
func TestTeeworldsCorpus(t *testing.T) {
	files := tests.CorpusFiles(t, "teeworlds", ".map")
	const enough = 0.995
	var byLevel [10]int
	seen := make(map[[sha256.Size]byte]bool)
	all, found := 0, 0
	for _, file := range files {
		raw := judge.Read(t, file)
		blocks, err := mapBlocks(raw)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		for i, b := range blocks {
			sum := sha256.Sum256(b.stream)
			if seen[sum] {
				continue
			}
			seen[sum] = true
			all++
			data, n, err := deflate.Decompress(b.stream, b.size)
			if err != nil || n != len(b.stream) {
				t.Logf("%s: block %d: %d bytes after the stream, %v", filepath.Base(file), i, len(b.stream)-n, err)
			}
			level, ok := deflate.LevelOf(b.stream[:n], data)
			if !ok {
				t.Logf("%s: block %d of %d bytes, header %x, is of no level", filepath.Base(file), i, b.size, b.stream[:min(2, n)])
				continue
			}
			byLevel[level]++
			found++
		}
	}
	t.Logf("%d of %d distinct blocks in %d maps have a level; from level 0 on: %d", found, all, len(files), byLevel)
	if float64(found) < enough*float64(all) {
		t.Errorf("only %d of %d blocks have a level", found, all)
	}
}

type mapBlock struct {
	stream []byte
	size   int // of its data
}

// mapBlocks returns the data blocks of a datafile of version 4. It returns an error if invalid data causes a panic.
func mapBlocks(raw []byte) (blocks []mapBlock, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not a datafile: %v", r)
		}
	}()
	num := func(at int) int { return int(int32(binary.LittleEndian.Uint32(raw[at:]))) }
	const header = 36
	if version := num(4); version != 4 {
		return nil, fmt.Errorf("version %d", version)
	}
	types, items, datas, itemSize := num(16), num(20), num(24), num(28)
	offsets := header + 12*types + 4*items
	sizes := offsets + 4*datas
	start := sizes + 4*datas + itemSize
	for i := range datas {
		end := len(raw)
		if i+1 < datas {
			end = start + num(offsets+4*(i+1))
		}
		blocks = append(blocks, mapBlock{raw[start+num(offsets+4*i) : end], num(sizes + 4*i)})
	}
	return blocks, nil
}
