package worlddir

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"

	"trowel.example/internal/tree"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A block that stands alone has a folder, too: its text, and the sidecar with what the
// text does not say.

const singleFormat = "minetest-block"

type singleSidecar struct {
	Format  string        `json:"format"`
	Residue *blockResidue `json:"residue,omitempty"`
}

// OpenBlock shows a block as a folder, with its text in a file of that name.
func OpenBlock(data []byte, name string) (fs.FS, error) {
	b, err := mapblock.Decode(data)
	if err != nil {
		return nil, err
	}
	text := BlockText(b, mapdb.Pos{})
	side, err := json.MarshalIndent(singleSidecar{singleFormat, newResidue(data, text, true)}, "", "  ")
	if err != nil {
		return nil, err
	}
	var t tree.FS
	t.AddBytes(name, text)
	t.AddBytes(tree.Sidecar, append(side, '\n'))
	return &t, nil
}

// RecognizeBlock reports whether a folder is one of [OpenBlock].
func RecognizeBlock(fsys fs.FS) bool {
	side, err := readSingle(fsys)
	return err == nil && side.Format == singleFormat
}

// BuildBlock makes the block of such a folder. Without a sidecar it is a fresh one.
func BuildBlock(fsys fs.FS) ([]byte, error) {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.IsDir() || e.Name() == tree.Sidecar })
	if len(list) != 1 {
		return nil, fmt.Errorf("%d files: expected one, the text of the block", len(list))
	}
	name := list[0].Name()
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	side, err := readSingle(fsys)
	if err != nil {
		return nil, err
	}
	data, err := encodeText(text)
	if r := side.Residue; r != nil && r.CRC32 == crc32.ChecksumIEEE(text) {
		if r.Data != nil {
			return r.Data, nil
		}
		if err == nil {
			data, err = r.apply(data)
		}
	}
	if err != nil {
		return nil, inFile(err, name)
	}
	return data, nil
}

func readSingle(fsys fs.FS) (singleSidecar, error) {
	var side singleSidecar
	if _, err := fs.Stat(fsys, tree.Sidecar); err != nil {
		return side, nil
	}
	data, err := fs.ReadFile(fsys, tree.Sidecar)
	if err == nil {
		err = json.Unmarshal(data, &side)
	}
	if err != nil {
		return side, fmt.Errorf("%s: %w", tree.Sidecar, err)
	}
	return side, nil
}
