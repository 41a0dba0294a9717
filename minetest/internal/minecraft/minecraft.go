// Package minecraft reads schematics of Minecraft: those of Sponge, versions 1 to 3 (.schem), and those of MCEdit (.schematic). It
// makes schematics of Minetest of them, by a table of names. Their binary format, NBT, is a tree of named tags ([Tag]).
package minecraft

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// Form is a file format.
type Form string

// The forms.
const (
	Sponge Form = "sponge"
	MCEdit Form = "mcedit"
)

// Schematic is a part of a world of Minecraft. Its x grows to the east, y up and z to the south.
type Schematic struct {
	Form        Form
	Version     int   // of Sponge
	DataVersion int64 // of the game, if the file has one

	Size   [3]int // blocks along x, y and z
	States []State
	// State has the index of each block's state, by y, then z, then x.
	State []uint16

	BlockEntities int // contents of chests, texts of signs and other data of single blocks
	Entities      int
}

// HeadSize is the number of bytes that [Recognize] needs.
const HeadSize = 1024

// Recognize reports whether a file is a schematic of Minecraft, given its first bytes.
func Recognize(head []byte) bool {
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		start := make([]byte, 32)
		n, _ := io.ReadFull(z, start) // the head is only a part of the file
		head = start[:n]
	}
	const name = "\x0a\x00\x09Schematic"
	return bytes.HasPrefix(head, []byte(name)) || bytes.HasPrefix(head, []byte("\x0a\x00\x00"+name))
}

// Decode reads a file.
func Decode(data []byte) (*Schematic, error) {
	stored := len(data)
	data, err := Decompress(data)
	if err != nil {
		return nil, err
	}
	root, err := ParseTag(data, stored)
	if err != nil {
		return nil, err
	}
	if inner := root.Get("Schematic"); root.Name == "" && inner.Kind == Compound {
		root = inner
	}
	s := new(Schematic)
	n := int64(1)
	for i, name := range []string{"Width", "Height", "Length"} {
		v, ok := root.Get(name).Integer()
		if s.Size[i] = int(uint16(v)); !ok {
			return nil, missing(name, "a number")
		}
		n *= int64(s.Size[i])
	}
	if err := effort.SchematicVolume.Check("Width", n); err != nil {
		return nil, err
	}
	if err := effort.SchematicNodes.Start(int64(stored)).Spend(n); err != nil {
		err.(*fault.Error).Path = "Width"
		return nil, err
	}
	s.Entities = root.Get("Entities").Len()
	s.DataVersion, _ = root.Get("DataVersion").Integer()
	version, ok := root.Get("Version").Integer()
	switch s.Version = int(version); {
	case !ok || root.Get("Blocks").Kind == ByteArray:
		s.Form, s.Version = MCEdit, 0
		return s, s.decodeMCEdit(root, int(n))
	case version < 1 || version > 3:
		return nil, &fault.Error{Path: "Version", Offset: -1, Want: "1 to 3", Got: fmt.Sprint(version), Err: fault.ErrVersion}
	}
	s.Form = Sponge
	return s, s.decodeSponge(root, int(n))
}

func missing(path, want string) error {
	return &fault.Error{Path: path, Offset: -1, Want: want, Got: "none", Err: fault.ErrFormat}
}

// decodeSponge reads the blocks of a file of Sponge.
func (s *Schematic) decodeSponge(root Tag, n int) error {
	blocks, path, data := root, "", root.Get("BlockData")
	if s.Version == 3 {
		blocks, path = root.Get("Blocks"), "Blocks."
		data = blocks.Get("Data")
	}
	s.BlockEntities = blocks.Get("BlockEntities").Len() + blocks.Get("TileEntities").Len()
	ids := make(map[uint64]uint16)
	for t := range blocks.Get("Palette").Tags() {
		id, _ := t.Integer()
		state, ok := parseState(t.Name)
		switch {
		case t.Kind != Int || id < 0 || !ok:
			return &fault.Error{Path: path + "Palette", Offset: t.Offset(), Want: "a block with a number", Got: fmt.Sprintf("%.60q", t.Name),
				Err: fault.ErrFormat}
		case len(s.States) > 0xffff:
			return &fault.Error{Path: path + "Palette", Offset: t.Offset(), Want: "at most 65536 blocks", Got: "more", Err: fault.ErrFormat}
		}
		ids[uint64(id)] = uint16(len(s.States))
		s.States = append(s.States, state)
	}
	if data.Kind != ByteArray {
		return missing(path+data.Name, "an array of bytes with the blocks")
	}
	content := data.Bytes()
	if len(content) < n {
		return &fault.Error{Path: path + data.Name, Offset: data.Offset(), Want: fmt.Sprintf("at least %d bytes", n),
			Got: fmt.Sprint(len(content)), Err: fault.ErrShort}
	}
	s.State = make([]uint16, n)
	at := 0
	for i := range s.State {
		v, size := binary.Uvarint(content[at:min(len(content), at+5)])
		id, ok := ids[v]
		if size <= 0 || !ok {
			return &fault.Error{Path: fmt.Sprintf("%s%s[%d]", path, data.Name, i), Offset: data.Offset() + int64(at),
				Want: "the number of a block in the palette", Got: fmt.Sprint(v), Err: fault.ErrFormat}
		}
		at += size
		s.State[i] = id
	}
	if at < len(content) {
		return &fault.Error{Path: path + data.Name, Offset: data.Offset() + int64(at), Want: fmt.Sprintf("%d blocks", n), Got: "more",
			Err: fault.ErrFormat}
	}
	return nil
}

// decodeMCEdit reads the blocks of a file of MCEdit, which have numbers.
func (s *Schematic) decodeMCEdit(root Tag, n int) error {
	s.BlockEntities = root.Get("TileEntities").Len()
	blocks, data := root.Get("Blocks"), root.Get("Data")
	for _, t := range []Tag{blocks, data} {
		if len(t.Bytes()) != n || t.Kind != ByteArray {
			return &fault.Error{Path: t.Name, Offset: t.Offset(), Want: fmt.Sprintf("an array of %d bytes", n), Got: fmt.Sprint(len(t.Bytes())),
				Err: fault.ErrFormat}
		}
	}
	names := moddedNames(root)
	high := root.Get("AddBlocks").Bytes()
	id := func(i int) int {
		v := int(blocks.Bytes()[i])
		if i/2 < len(high) {
			v |= int(high[i/2]>>(4*(i&1))&15) << 8
		}
		return v
	}
	known := make(map[[3]int]uint16) // by number, data, and data of the other half
	s.State = make([]uint16, n)
	layer := s.Size[0] * s.Size[2]
	for i := range s.State {
		key := [3]int{id(i), int(data.Bytes()[i] & 15)}
		if kind := legacyOf(key[0]); kind != nil && kind.rule == "door" { // each half has only a part of the properties
			other := i + layer
			if key[1]&8 != 0 {
				other = i - layer
			}
			if other >= 0 && other < n && id(other) == key[0] {
				key[2] = int(data.Bytes()[other]&15) + 1
			}
		}
		index, ok := known[key]
		if !ok {
			index = uint16(len(s.States))
			if len(s.States) > 0xffff {
				return &fault.Error{Path: "Blocks", Offset: blocks.Offset() + int64(i), Want: "at most 65536 kinds of blocks", Got: "more",
					Err: fault.ErrFormat}
			}
			known[key] = index
			s.States = append(s.States, legacyState(key[0], key[1], key[2]-1, names))
		}
		s.State[i] = index
	}
	s.addCorners()
	return nil
}

// moddedNames returns the names of numbers that a file lists for blocks of mods.
func moddedNames(root Tag) map[int]string {
	names := make(map[int]string)
	for t := range root.Get("SchematicaMapping").Tags() {
		if id, ok := t.Integer(); ok {
			names[int(id)] = t.Name
		}
	}
	for t := range root.Get("BlockIDs").Tags() {
		var id int
		if _, err := fmt.Sscan(t.Name, &id); err == nil && t.Kind == String {
			names[id] = t.Text()
		}
	}
	return names
}
