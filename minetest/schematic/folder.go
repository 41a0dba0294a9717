package schematic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/forms"
)

// The folder of a schematic contains its text and a sidecar. If the text does not rebuild the file byte-identically,
// the sidecar holds the whole file: programs write the nodes of .we files in varying order.

// FolderName is the format of the folder, as stored in its sidecar.
func (f Form) FolderName() string {
	if f == WorldEdit {
		return "minetest-worldedit"
	}
	return "minetest-schematic"
}

type sidecar struct {
	Format string `json:"format"`
	CRC32  uint32 `json:"crc32,omitempty"` // of the text that Data belongs to
	Size   int64  `json:"size,omitempty"`
	Data   []byte `json:"data,omitempty"` // the file, as a zlib stream
}

// Open presents a file as a folder that contains its text in a file named name.
func Open(data []byte, name string) (fs.FS, error) {
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	text := s.Text()
	side := sidecar{Format: s.Form.FolderName()}
	if made, err := build(text); err != nil || !bytes.Equal(made, data) {
		side.CRC32, side.Size = crc32.ChecksumIEEE(text), int64(len(data))
		if side.Data, err = deflate.Compress(nil, data, deflate.DefaultLevel); err != nil {
			return nil, err
		}
	}
	residue, err := json.MarshalIndent(side, "", "  ")
	if err != nil {
		return nil, err
	}
	var t tree.FS
	t.AddBytes(name, text)
	t.AddBytes(tree.Sidecar, append(residue, '\n'))
	return &t, nil
}

func build(text []byte) ([]byte, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return s.Encode()
}

// RecognizeFolder reports whether a folder was created by [Open] for a form.
func RecognizeFolder(fsys fs.FS, form Form) bool {
	var side sidecar
	return forms.ReadSidecar(fsys, &side) == nil && side.Format == form.FolderName()
}

// Build returns the file of a folder created by [Open]. Without a sidecar it encodes the text.
func Build(fsys fs.FS) ([]byte, error) {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.IsDir() || e.Name() == tree.Sidecar })
	if len(list) != 1 {
		return nil, fmt.Errorf("expected one file (the text of the schematic), found %d", len(list))
	}
	name := list[0].Name()
	text, err := forms.ReadText(fsys, name)
	if err != nil {
		return nil, err
	}
	var side sidecar
	if err := forms.ReadSidecar(fsys, &side); err != nil {
		return nil, err
	}
	if side.Data != nil && side.CRC32 == crc32.ChecksumIEEE(text) {
		data, _, err := deflate.DecompressUpTo(side.Data, min(side.Size, effort.SchematicFile.Limit(0)))
		if err != nil {
			return nil, &fault.TextError{File: tree.Sidecar, Path: "data", Msg: err.Error()}
		}
		return data, nil
	}
	data, err := build(text)
	if e, ok := err.(*fault.TextError); ok {
		e.File = name
	}
	return data, err
}
