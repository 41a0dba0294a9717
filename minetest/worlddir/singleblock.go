package worlddir

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A separate block also has a folder form: its text and a sidecar with the residue.

const singleFormat = "minetest-block"

type singleSidecar struct {
	Format  string        `json:"format"`
	Residue *blockResidue `json:"residue,omitempty"`
}

// OpenBlock presents a block as a folder that contains its text in a file with the given name. The text of a block that
// [mapblock.Decode] rejects contains its bytes, as in the folder of a world.
func OpenBlock(data []byte, name string) (fs.FS, error) {
	single := singleSidecar{Format: singleFormat}
	var text []byte
	if b, err := mapblock.Decode(data); err != nil {
		text = rawText(data, mapdb.Pos{}, err)
	} else {
		text = BlockText(b, mapdb.Pos{})
		single.Residue = newResidue(data, text, true)
	}
	side, err := json.MarshalIndent(single, "", "  ")
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
	var side singleSidecar
	return forms.ReadSidecar(fsys, &side) == nil && side.Format == singleFormat
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
	var side singleSidecar
	if err := forms.ReadSidecar(fsys, &side); err != nil {
		return nil, err
	}
	data, raw, err := parseRaw(text)
	if !raw {
		data, err = encodeText(text)
	}
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
