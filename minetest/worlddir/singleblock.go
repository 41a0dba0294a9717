package worlddir

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"

	"trowel.example/internal/files/tree"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A separate block also has a folder form: its text and a sidecar with the residue.

const singleFormat = "minetest-block"

type singleSidecar struct {
	Format  string        `json:"format"`
	Residue *blockResidue `json:"residue,omitempty"`
}

// OpenBlock presents a block as a folder that contains its text in a file with the given name.
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

// RecognizeBlock reports whether a folder was written by [OpenBlock].
func RecognizeBlock(fsys fs.FS) bool {
	side, err := readSingle(fsys)
	return err == nil && side.Format == singleFormat
}

// BuildBlock encodes the block of a folder written by [OpenBlock]. Without a sidecar it is encoded without a residue.
func BuildBlock(fsys fs.FS) ([]byte, error) {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.IsDir() || e.Name() == tree.Sidecar })
	if len(list) != 1 {
		return nil, fmt.Errorf("expected one file (the block's text), found %d", len(list))
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
