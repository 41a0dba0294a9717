package worldbackup

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
)

// A pack is an entry of the archive that contains many blocks, because a separate entry needs much more memory than
// an average block. A block in a pack is x, y and z as int16, the number of its bytes plus 1 as uint32, all
// big-endian, and the bytes. The number 0 means that there was no block.
const packHead = 3*2 + 4

const packName = blocksFolder + "pack-"

// Block stores a block. Each position must be stored at most once.
func (b *Writer) Block(block mapdb.Block) error {
	return b.keep(block.Pos, uint32(len(block.Data))+1, block.Data)
}

// NoBlock records that there is no block at a position.
func (b *Writer) NoBlock(p mapdb.Pos) error { return b.keep(p, 0, nil) }

func (b *Writer) keep(p mapdb.Pos, length uint32, data []byte) (err error) {
	if b == nil {
		return nil
	}
	if b.pack == nil {
		b.packs++
		b.pack, err = b.zip.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%s%d", packName, b.packs), Method: zip.Store, Modified: b.Created})
		if err != nil {
			return err
		}
	}
	b.Blocks++
	head := make([]byte, 0, packHead)
	for _, c := range []int16{p.X, p.Y, p.Z} {
		head = binary.BigEndian.AppendUint16(head, uint16(c))
	}
	if _, err = b.pack.Write(binary.BigEndian.AppendUint32(head, length)); err == nil {
		_, err = b.pack.Write(data)
	}
	return err
}

// packs are the entries of an archive that contain blocks.
type packs []*zip.File

// blocks yields the blocks. A nil Data means that there was no block.
func (p packs) blocks() iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		for _, f := range p {
			if !strings.HasPrefix(f.Name, packName) {
				b, err := readBlock(f)
				if !yield(b, err) || err != nil {
					return
				}
				continue
			}
			if more, err := readPack(f, func(b mapdb.Block) bool { return yield(b, nil) }); err != nil {
				yield(mapdb.Block{}, err)
				return
			} else if !more {
				return
			}
		}
	}
}

// positions returns the positions of the blocks in the order of all, or an error if any of them cannot be read.
func (p packs) positions() (list []mapdb.Pos, err error) {
	for b, err := range p.blocks() {
		if err != nil {
			return nil, err
		}
		list = append(list, b.Pos)
	}
	return list, nil
}

// readBlock reads an entry that contains one block.
func readBlock(f *zip.File) (b mapdb.Block, err error) {
	p := &b.Pos
	if _, err := fmt.Sscanf(f.Name, blocksFolder+"%d,%d,%d", &p.X, &p.Y, &p.Z); err != nil || !p.Valid() {
		return b, &fault.Error{Path: fmt.Sprintf("%.60q", f.Name), Offset: -1, Want: "the position of a block", Got: "none", Err: fault.ErrFormat}
	}
	b.Data, err = readEntry(f, effort.BlockData)
	if b.Data == nil {
		b.Data = []byte{}
	}
	return b, err
}

// readPack reads an entry that contains many blocks.
func readPack(f *zip.File, yield func(mapdb.Block) bool) (more bool, err error) {
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	offset := int64(0)
	wrong := func(want, got string, err error) (bool, error) {
		return false, &fault.Error{Path: f.Name, Offset: offset, Want: want, Got: got, Err: err}
	}
	for {
		var head [packHead]byte
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return true, nil
		} else if err != nil {
			return wrong("a block", err.Error(), err)
		}
		coord := func(i int) int16 { return int16(binary.BigEndian.Uint16(head[2*i:])) }
		b := mapdb.Block{Pos: mapdb.Pos{X: coord(0), Y: coord(1), Z: coord(2)}}
		length := binary.BigEndian.Uint32(head[6:])
		switch {
		case !b.Pos.Valid():
			return wrong("the position of a block", b.Pos.String(), fault.ErrFormat)
		case length > 0:
			if e := effort.BlockData.Over(int64(length - 1)); e != nil {
				return wrong(e.Want, e.Got, e.Err)
			}
			data, err := io.ReadAll(io.LimitReader(in, int64(length-1)))
			if err == nil && len(data) < int(length-1) {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return wrong(words.Count(length-1, "byte"), err.Error(), err)
			}
			b.Data = data
		}
		offset += packHead + int64(len(b.Data))
		if !yield(b) {
			return false, nil
		}
	}
}
