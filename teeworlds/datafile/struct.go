// Package datafile reads and writes datafiles, the container format of Teeworlds and DDNet maps.
//
// A datafile contains items and data. Items are short arrays of 32-bit integers; each has a type and an id, and items
// of the same type are adjacent. Data are byte blocks, numbered from 0 and compressed separately; items refer to them
// by number. Package twmap interprets the items.
//
//	datafile:
//	    [  8] version_header   "DATA" (or "ATAD"), version 3 or 4
//	    [ 28] header           size, swaplen, num_item_types, num_items, num_data, item_size, data_size
//	    [*12] item_types       type_id, start, num
//	    [* 4] item_offsets
//	    [* 4] data_offsets
//	    [* 4] data_sizes       version 4 only: the inflated sizes
//	    [   ] items            type_id<<16 | id, size, integers
//	    [   ] data             version 3: not compressed; version 4: zlib streams
//
// All integers are little-endian, with either magic number.
//
// [Decode] returns an error for an incomplete file. [Salvage] returns whatever can still be read of it, and records
// the problems for [File.Check]. Data are inflated when they are first needed. Their compressed bytes are written
// back unchanged. A file that was not changed encodes to the exact bytes it was read from, even if they are
// malformed.
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

// TypeUUIDIndex is the type of the items that assign UUIDs to item types: the id of such an item is the number that
// its file uses for the type, and its four integers are the UUID.
const TypeUUIDIndex = 0xffff

// Item is an array of integers with a type and an id.
type Item struct {
	Type uint16
	ID   uint16
	Data []int32
}

// File is a datafile. The zero value is an empty file.
type File struct {
	Version int  // 3 or 4; 0 is written as 4
	Swapped bool // the magic number is "ATAD", as big-endian machines once wrote it; all other bytes are the same

	// The difference between the header's size and swaplen and their correct values, in bytes. Writers up to 2010 did
	// not count the table of data sizes, which makes both -4 * number of data. Readers accept that difference and no
	// other.
	SizeError    int32
	SwaplenError int32

	Items []Item   // items of one type are adjacent; writers put the types in ascending order
	Data  []*Block // by number

	src       []byte          // the bytes that the file was decoded from
	issues    []check.Finding // the problems that Decode found
	missing   int64           // the number of bytes that the file lacks
	numItems  int             // as stated by the header
	lostItems int             // the number of these that are missing or incomplete
	salvaged  bool            // the caller accepted losses
}

// New returns an empty datafile of version 4.
func New() *File { return &File{Version: usualVersion} }

const usualVersion = 4

// version returns the version to write.
func (f *File) version() int { return cmp.Or(f.Version, usualVersion) }

// Clone returns an independent copy of the file that comes from the same bytes. Blocks never change, and are shared
// with f.
func (f *File) Clone() *File {
	c := *f
	c.Items = slices.Clone(f.Items)
	for i := range c.Items {
		c.Items[i].Data = slices.Clone(c.Items[i].Data)
	}
	c.Data = slices.Clone(f.Data)
	return &c
}

// Equal reports whether both files have the same container details, items, and contents of data blocks, however the
// blocks are compressed.
func (f *File) Equal(other *File) bool {
	return f.version() == other.version() && f.Swapped == other.Swapped &&
		f.SizeError == other.SizeError && f.SwaplenError == other.SwaplenError &&
		slices.EqualFunc(f.Items, other.Items, func(a, b Item) bool {
			return a.Type == b.Type && a.ID == b.ID && slices.Equal(a.Data, b.Data)
		}) && slices.EqualFunc(f.Data, other.Data, (*Block).Equal)
}

// All returns the items of a type in file order, with their ids. In a malformed file an id may occur more than once.
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
	known := make(map[uint16]bool)
	for _, it := range f.Items {
		if !known[it.Type] {
			known[it.Type] = true
			types = append(types, it.Type)
		}
	}
	return types
}

// Blocks returns the data blocks with their numbers.
func (f *File) Blocks() iter.Seq2[int, *Block] { return slices.All(f.Data) }

// Block returns data block n, or nil if it does not exist.
func (f *File) Block(n int32) *Block {
	if n < 0 || int(n) >= len(f.Data) {
		return nil
	}
	return f.Data[n]
}

// AddItem adds an item after those of its type. Types are kept in ascending order.
func (f *File) AddItem(typ, id uint16, data ...int32) {
	at := len(f.Items)
	for at > 0 && f.Items[at-1].Type > typ {
		at--
	}
	f.Items = slices.Insert(f.Items, at, Item{typ, id, data})
}

// AddUUIDType registers the UUID of an item type in the file and returns its number. A new UUID gets the next free
// number, counting down from 0xfffe, and an entry in the UUID index.
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

// AddUUIDItem adds an item whose type is a UUID, with the number from AddUUIDType.
func (f *File) AddUUIDItem(uuid UUID, id uint16, data ...int32) {
	f.AddItem(f.AddUUIDType(uuid), id, data...)
}

// AddData adds a block and returns its number. The reference readers reject empty blocks: use the reference -1 (none)
// instead.
func (f *File) AddData(data []byte) int32 {
	f.Data = append(f.Data, NewBlock(data))
	return int32(len(f.Data) - 1)
}

// TypeOf returns the number that the file uses for the item type uuid.
func (f *File) TypeOf(uuid UUID) (typ uint16, ok bool) {
	for id, it := range f.All(TypeUUIDIndex) {
		if u, ok := IndexUUID(it.Data); ok && u == uuid {
			return id, true
		}
	}
	return 0, false
}

// UUIDs returns the UUIDs of the file's item types, by the numbers that the file uses for them. Types over 0x8000
// without a UUID, as in the maps of 2007, are plain numbers.
func (f *File) UUIDs() map[uint16]UUID {
	uuids := make(map[uint16]UUID)
	for typ, it := range f.All(TypeUUIDIndex) {
		uuid, ok := IndexUUID(it.Data)
		if _, twice := uuids[typ]; ok && !twice && typ > 0x8000 && typ != TypeUUIDIndex {
			uuids[typ] = uuid
		}
	}
	return uuids
}

// Identity is what the game uses to distinguish files, in the names of downloaded maps. It is not stored in the file.
type Identity struct {
	CRC32  string // 8 hexadecimal digits
	SHA256 string
}

// Identity returns the identity of the bytes that the file was read from.
func (f *File) Identity() Identity {
	return Identity{fmt.Sprintf("%08x", crc32.ChecksumIEEE(f.src)), fmt.Sprintf("%x", sha256.Sum256(f.src))}
}

// compareItems orders items by type, as writers do. A stable sort keeps the file order within a type.
func compareItems(a, b Item) int { return cmp.Compare(a.Type, b.Type) }
