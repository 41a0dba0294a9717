// Package mapblock reads and writes the blocks that worlds of Minetest (now
// Luanti) consist of: cubes of 16 × 16 × 16 nodes with what belongs to them.
//
// [Decode] reads every version that has ever been written, 0 to 29, and
// [Block.Encode] gives back the same bytes, or those of a block that was
// changed. A [Block] holds the fields of the file; its methods say what they mean, above all
// [Block.Nodes], which knows the ids of all versions.
// [Block.Convert] makes a block of another version of it.
package mapblock

import "fmt"

const (
	Side      = 16                 // nodes along an edge
	NodeCount = Side * Side * Side // nodes in a block

	// Newest is the highest version that there is.
	Newest = 29
)

// NoTimestamp is the timestamp of a block whose time of saving is unknown.
// Most blocks have it.
const NoTimestamp = 0xffffffff

// AllLit is the LightingComplete of a block whose light is complete.
const AllLit = 0xffff

// Flags are the bits of the byte after the version. Up to version 10 the
// whole byte is one value: not 0 means underground.
type Flags uint8

const (
	Underground     Flags = 0x01 // no sunlight comes from above where there is no block
	NotAllAir       Flags = 0x02 // up to version 28 also: light differs between day and night
	LightingExpired Flags = 0x04 // light must be computed again; written up to version 26
	NotGenerated    Flags = 0x08 // the map generator has not been here; since version 18
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

// A Block is the content of a block. Its fields are those of the file; which
// of them a version has is said beside them, and the others are ignored when it
// is written.
type Block struct {
	Version          int
	Flags            Flags
	LightingComplete uint16 // since 27: bits 0 to 11 tell in which directions light is complete; else AllLit
	Timestamp        uint32 // since 17: seconds of game time when it was saved, or NoTimestamp

	// ContentWidth is the number of bytes of an element of Param0: 1 up to
	// version 23, then 2. It stands in the file since 22. ParamsWidth is 2.
	ContentWidth, ParamsWidth uint8

	// The nodes, at the index z*256 + y*16 + x, exactly as they stand in the
	// file: Param0 is no more than a part of the id up to version 23. See Nodes.
	Param0 [NodeCount]uint16
	Param1 [NodeCount]uint8 // since 1
	Param2 [NodeCount]uint8 // since 10

	Names    []NameID // since 21: what ids mean, in the order of the file
	Metadata Metadata // since 14
	Objects  Objects  // since 15
	Timers   Timers   // since 24

	// MapBlockObjects is the number of objects of a kind that was gone before
	// version 15. It stands in versions 9 to 21. If it is not 0, their length is
	// unknown, and all that follows is in Trailing.
	MapBlockObjects uint16

	Unused uint8 // of version 23 only, where node timers should have come; 0

	Inner    []byte // of 29: what follows the last section inside the compressed frame; usually nothing
	Trailing []byte // what follows the block; usually nothing

	source   source
	fault    error // why a part of the metadata could not be read
	inflated int
}

// Inflated returns how many bytes the block that was decoded would have if nothing in it were
// compressed; 0 for one that was made.
func (b *Block) Inflated() int { return b.inflated }

// source is where a block comes from: what has not changed keeps its bytes.
type source struct {
	// Compressed streams; nil where there is none.
	nodes, metadata, body []byte
	runs                  [3][]byte
}

// NameID is an entry of the map from ids to names.
type NameID struct {
	ID   uint16
	Name string
}

// New returns a block of the given version that consists of air, as the game
// would write it.
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

// empty returns a block without sections, as it is before it is read.
func empty(version int) *Block {
	b := new(Block)
	b.clear(version)
	return b
}

// clear makes an empty block of b.
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

// IsUnderground reports whether light from above stops where there is no block above.
func (b *Block) IsUnderground() bool {
	if b.Version <= 10 {
		return b.Flags != 0
	}
	return b.Flags&Underground != 0
}

// IsGenerated reports whether the map generator has made the block. Before
// version 18 it has made all of them.
func (b *Block) IsGenerated() bool { return b.Version < 18 || b.Flags&NotGenerated == 0 }

// Index returns the index of the node at x, y, z, each 0 to 15.
func Index(x, y, z int) int { return z*Side*Side + y*Side + x }

// Coordinates is the reverse of [Index]: of 0 to 4095, it returns x, y, z from 0 to 15.
func Coordinates(index int) (x, y, z int) {
	return index % Side, index / Side % Side, index / (Side * Side)
}

// hasLegacyMetadata tells the two forms of metadata apart.
func (b *Block) hasLegacyMetadata() bool { return b.Version <= 22 }
