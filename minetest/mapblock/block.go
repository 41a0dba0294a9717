// Package mapblock reads and writes the blocks of Minetest (now Luanti) worlds: cubes of 16 × 16 × 16 nodes together
// with their metadata, objects and timers.
//
// [Decode] reads every version ever written, 0 to 29. [Block.Encode] returns the original bytes for an unchanged
// block and keeps the bytes of unchanged sections otherwise. A [Block] holds the fields of the file; its methods
// interpret them, above all [Block.Nodes], which resolves the ids of all versions to names. [Block.Convert] converts
// a block to another version.
package mapblock

import "fmt"

const (
	Side      = 16                 // nodes along an edge
	NodeCount = Side * Side * Side // nodes in a block

	// Newest is the highest version of the format.
	Newest = 29
)

// NoTimestamp is the timestamp of a block whose time of saving is unknown.
// Most blocks have it.
const NoTimestamp = 0xffffffff

// AllLit is the LightingComplete of a block whose light is complete.
const AllLit = 0xffff

// Flags are the bits of the byte after the version. Up to version 10 the whole byte is one value: any value but 0
// means underground.
type Flags uint8

const (
	Underground     Flags = 0x01 // no sunlight comes from above where there is no block
	NotAllAir       Flags = 0x02 // up to version 28 also: light differs between day and night
	LightingExpired Flags = 0x04 // light must be recomputed; written up to version 26
	NotGenerated    Flags = 0x08 // the map generator has not run here; since version 18
)

const knownFlags = Underground | NotAllAir | LightingExpired | NotGenerated

func (f Flags) String() string {
	s := ""
	for i, name := range []string{"underground", "not all air", "lighting expired", "not generated"} {
		if f&(1<<i) != 0 {
			s += ", " + name
		}
	}
	if rest := f &^ knownFlags; rest != 0 {
		s += fmt.Sprintf(", unknown %#02x", uint8(rest))
	}
	if s == "" {
		return "none"
	}
	return s[2:]
}

// A Block is the content of a block. Its fields are those of the file. The comment of a field names the versions that
// have it; Encode ignores the field in other versions.
type Block struct {
	Version          int
	Flags            Flags
	LightingComplete uint16 // since 27: bits 0 to 11 mark the directions in which light is complete; else AllLit
	Timestamp        uint32 // since 17: seconds of game time when it was saved, or NoTimestamp

	// ContentWidth is the number of bytes of an element of Param0: 1 up to version 23, then 2. The file contains it
	// since version 22. ParamsWidth is 2.
	ContentWidth, ParamsWidth uint8

	// The nodes, at index z*256 + y*16 + x, exactly as in the file: up to version 23, Param0 is only a part of the
	// id. See Nodes.
	Param0 [NodeCount]uint16
	Param1 [NodeCount]uint8 // since 1
	Param2 [NodeCount]uint8 // since 10

	Names    []NameID // since 21: the names of ids, in the order of the file
	Metadata Metadata // since 14
	Objects  Objects  // since 15
	Timers   Timers   // since 24

	// MapBlockObjects is the number of objects of a type that was removed before version 15. The file contains it in
	// versions 9 to 21. If it is not 0, the length of these objects is unknown, and Trailing holds all following
	// bytes.
	MapBlockObjects uint16

	Unused uint8 // in version 23 only, in the place planned for node timers; 0

	Inner    []byte // in 29: bytes after the last section inside the compressed frame; usually none
	Trailing []byte // bytes after the block; usually none

	source   source
	fault    error // the error that made a part of the metadata unreadable
	inflated int
}

// Inflated returns the number of bytes that the decoded block would have without compression. It is 0 for a block
// that was not decoded.
func (b *Block) Inflated() int { return b.inflated }

// source holds the compressed bytes that a block was decoded from; unchanged sections are written with them.
type source struct {
	// The compressed streams; nil if the block has none.
	nodes, metadata, body []byte
	runs                  [3][]byte
}

// NameID is an entry of the map from ids to names.
type NameID struct {
	ID   uint16
	Name string
}

// New returns a block of the given version that consists of air, as the game would write it.
func New(version int) *Block {
	b := empty(version)
	air := uint16(0)
	switch {
	case version <= 18:
		air = oldAir
	case version <= 20:
		air = contentAir
	default:
		b.Names = []NameID{{0, Air}}
	}
	for i := range b.Param0 {
		b.Param0[i] = air
	}
	return b
}

// empty returns a block without sections, in the state before decoding.
func empty(version int) *Block {
	b := new(Block)
	b.clear(version)
	return b
}

// clear resets b to an empty block.
func (b *Block) clear(version int) {
	*b = Block{}
	b.Version, b.LightingComplete, b.Timestamp = version, AllLit, NoTimestamp
	b.ContentWidth, b.ParamsWidth = contentWidth(version), 2
	if b.hasLegacyMetadata() {
		b.Metadata.Version = 1
	}
}

// contentWidth returns the number of bytes of an element of Param0.
func contentWidth(version int) uint8 {
	if version <= 23 {
		return 1
	}
	return 2
}

// IsUnderground reports whether no sunlight enters from above if there is no block above.
func (b *Block) IsUnderground() bool {
	if b.Version <= 10 {
		return b.Flags != 0
	}
	return b.Flags&Underground != 0
}

// IsGenerated reports whether the map generator has made the block. Before version 18, all saved blocks are
// generated.
func (b *Block) IsGenerated() bool { return b.Version < 18 || b.Flags&NotGenerated == 0 }

// Index returns the index of the node at x, y, z, each 0 to 15.
func Index(x, y, z int) int { return z*Side*Side + y*Side + x }

// Coordinates is the reverse of [Index]: for an index of 0 to 4095 it returns x, y, z, each 0 to 15.
func Coordinates(index int) (x, y, z int) {
	return index % Side, index / Side % Side, index / (Side * Side)
}

// hasLegacyMetadata reports whether the metadata has the form used up to version 22.
func (b *Block) hasLegacyMetadata() bool { return b.Version <= 22 }
