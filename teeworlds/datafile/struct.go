// Package datafile reads and writes the container of Teeworlds and DDNet maps.
//
// A datafile holds two kinds of things. Items are short arrays of 32-bit
// integers; each has a type and an id, and items of one type stand together.
// Data are byte blocks, numbered from 0, compressed one by one; items refer to
// them by number. What the items mean is not the container's business: see
// package twmap.
//
//	datafile:
//	    [  8] version_header   "DATA" (or "ATAD"), version 3 or 4
//	    [ 28] header           size, swaplen, num_item_types, num_items, num_data, item_size, data_size
//	    [*12] item_types       type_id, start, num
//	    [* 4] item_offsets
//	    [* 4] data_offsets
//	    [* 4] data_sizes       version 4 only: the sizes once inflated
//	    [   ] items            type_id<<16 | id, size, integers
//	    [   ] data             version 3: as they are; version 4: zlib streams
//
// All integers are little-endian, behind both magics.
//
// [Decode] returns an error for a file of which something is missing. [Salvage] returns
// whatever can still be read of it, and keeps what is wrong for [File.Check]. Data are inflated when they
// are first asked for, and their compressed bytes are written back as they
// came. A file that was not changed encodes to the very bytes it was read
// from, whatever was odd about them.
//
// The format is described in docs/formats/teeworlds-datafile.md.
package datafile

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"

	"trowel.example/check"
)

// TypeUUIDIndex is the type of the items that give UUIDs to item types: the id
// of such an item is the number that its file uses for the type, its four
// integers are the UUID.
const TypeUUIDIndex = 0xffff

// Item is an array of integers with a type and an id.
type Item struct {
	Type uint16
	ID   uint16
	Data []int32
}

// File is a datafile. The zero value is an empty one.
type File struct {
	Version int  // 3 or 4; 0 is written as 4
	Swapped bool // the magic is "ATAD", as big-endian machines once wrote it; the rest is the same

	// How far the header's size and swaplen are off from what they should
	// be, in bytes. Writers up to 2010 forgot the table of data sizes, which
	// makes both -4 * number of data. Readers accept that and nothing else.
	SizeError    int32
	SwaplenError int32

	Items []Item   // items of one type are neighbours; writers put the types in ascending order
	Data  []*Block // by number

	src       []byte          // the bytes that this was decoded from
	issues    []check.Finding // what Decode noticed
	missing   int64           // bytes that the file should have and does not
	numItems  int             // that the header tells of
	lostItems int             // those of them that are missing, or not whole
	salvaged  bool            // the caller accepted losses
}

// New returns an empty datafile of version 4.
func New() *File { return &File{Version: usualVersion} }

const usualVersion = 4

// version is the version that is written.
func (f *File) version() int { return cmp.Or(f.Version, usualVersion) }

// Clone returns a file of its own that says the same and comes from the same bytes. Blocks,
// which do not change, are those of f.
func (f *File) Clone() *File {
	c := *f
	c.Items = slices.Clone(f.Items)
	for i := range c.Items {
		c.Items[i].Data = slices.Clone(c.Items[i].Data)
	}
	c.Data = slices.Clone(f.Data)
	return &c
}

// Equal reports whether both files say the same: the same container, items, and contents
// of data blocks, however these are compressed.
func (f *File) Equal(other *File) bool {
	return f.version() == other.version() && f.Swapped == other.Swapped &&
		f.SizeError == other.SizeError && f.SwaplenError == other.SwaplenError &&
		slices.EqualFunc(f.Items, other.Items, func(a, b Item) bool {
			return a.Type == b.Type && a.ID == b.ID && slices.Equal(a.Data, b.Data)
		}) && slices.EqualFunc(f.Data, other.Data, (*Block).Equal)
}

// All returns the items of a type in file order, by their ids. An id can
// come more than once in a file that breaks the rules.
func (f *File) All(typ uint16) iter.Seq2[uint16, Item] {
	return func(yield func(uint16, Item) bool) {
		for _, it := range f.Items {
			if it.Type == typ && !yield(it.ID, it) {
				return
			}
		}
	}
}

// Types returns the types that occur, each once, in file order.
func (f *File) Types() []uint16 {
	var types []uint16
	for i, it := range f.Items {
		if (i == 0 || f.Items[i-1].Type != it.Type) && !slices.Contains(types, it.Type) {
			types = append(types, it.Type)
		}
	}
	return types
}

// Blocks returns the data blocks with their numbers.
func (f *File) Blocks() iter.Seq2[int, *Block] { return slices.All(f.Data) }

// Block returns data block n, or nil if there is none.
func (f *File) Block(n int32) *Block {
	if n < 0 || int(n) >= len(f.Data) {
		return nil
	}
	return f.Data[n]
}

// AddItem adds an item behind those of its type. Types are kept in ascending order.
func (f *File) AddItem(typ, id uint16, data ...int32) {
	at := len(f.Items)
	for at > 0 && f.Items[at-1].Type > typ {
		at--
	}
	f.Items = slices.Insert(f.Items, at, Item{typ, id, data})
}

// AddUUIDType makes the UUID of an item type known to the file and returns its
// number. A new one gets the next number that is free, counting down from
// 0xfffe, and an entry in the UUID index.
func (f *File) AddUUIDType(uuid UUID) uint16 {
	if typ, ok := f.TypeOf(uuid); ok {
		return typ
	}
	typ := uint16(TypeUUIDIndex - 1)
	for id := range f.All(TypeUUIDIndex) {
		typ = min(typ, id-1)
	}
	f.AddItem(TypeUUIDIndex, typ, uuid.ints()...)
	return typ
}

// AddUUIDItem adds an item whose type is a UUID, as AddUUIDType numbers it.
func (f *File) AddUUIDItem(uuid UUID, id uint16, data ...int32) {
	f.AddItem(f.AddUUIDType(uuid), id, data...)
}

// AddData adds a block and returns its number. Reference readers refuse empty
// blocks: refer to nothing (-1) instead.
func (f *File) AddData(data []byte) int32 {
	f.Data = append(f.Data, NewBlock(data))
	return int32(len(f.Data) - 1)
}

// TypeOf returns the number that the file uses for the item type uuid.
func (f *File) TypeOf(uuid UUID) (typ uint16, ok bool) {
	for id, it := range f.All(TypeUUIDIndex) {
		if u, ok := uuidFromInts(it.Data); ok && u == uuid {
			return id, true
		}
	}
	return 0, false
}

// UUIDs returns the UUIDs of the file's item types by the numbers that it uses
// for them. Types over 0x8000 without one, as in the maps of 2007, are plain
// numbers.
func (f *File) UUIDs() map[uint16]UUID {
	uuids := make(map[uint16]UUID)
	for typ, it := range f.All(TypeUUIDIndex) {
		uuid, ok := uuidFromInts(it.Data)
		if _, twice := uuids[typ]; ok && !twice && typ > 0x8000 && typ != TypeUUIDIndex {
			uuids[typ] = uuid
		}
	}
	return uuids
}

// Identity is what the game tells files apart by, in the names of downloaded
// maps. It is not stored in the file.
type Identity struct {
	CRC32  string // 8 hexadecimal digits
	SHA256 string
}

// Identity returns the identity of the bytes that the file was read from.
func (f *File) Identity() Identity {
	return Identity{fmt.Sprintf("%08x", crc32.ChecksumIEEE(f.src)), fmt.Sprintf("%x", sha256.Sum256(f.src))}
}

// compareItems orders items as writers do: by type, else as they came.
func compareItems(a, b Item) int { return cmp.Compare(a.Type, b.Type) }
