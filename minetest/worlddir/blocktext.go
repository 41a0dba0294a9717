package worlddir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// The text of a block consists of lines. Their indentation, two spaces for each level, shows the structure.
// docs/formats/minetest-folder.md describes the format.
//
// Values that are usual for a block are omitted, and ParseBlock restores them.

// flagNames are the names of the flags, by bit.
var flagNames = [...]string{"underground", "not_all_air", "lighting_expired", "not_generated"}

// namedFlags returns the flags of a version that have names. Up to version 10 the whole byte is one value.
func namedFlags(version int) mapblock.Flags {
	if version <= 10 {
		return mapblock.Underground
	}
	return 1<<len(flagNames) - 1
}

// BlockText returns the text of the block at a position, in blocks. The position is only used for the comment in the
// first line.
func BlockText(b *mapblock.Block, pos mapdb.Pos) []byte {
	t := blockText{Block: b, dst: make([]byte, 0, 4096)}
	t.writeBlock(pos)
	return t.dst
}

func (t *blockText) writeBlock(pos mapdb.Pos) {
	t.head(pos)
	t.nodes()
	t.things()
}

// things writes everything in a block except the nodes.
func (t *blockText) things() {
	b := t.Block
	if has(b.Version, 14, mapblock.Newest) {
		t.metadata()
	}
	if has(b.Version, 24, mapblock.Newest) {
		t.timers()
	}
	if has(b.Version, 15, mapblock.Newest) && !stopped(b) {
		t.objects()
	}
}

// blockText is a text that is being written.
type blockText struct {
	*mapblock.Block
	dst     []byte
	empties int // empty slots of the item lists so far, see maxEmpties
	parts   *Parts
}

func (t *blockText) head(pos mapdb.Pos) {
	b := t.Block
	x, y, z := int(pos.X)*mapblock.Side, int(pos.Y)*mapblock.Side, int(pos.Z)*mapblock.Side
	const last = mapblock.Side - 1
	t.dst = fmt.Appendf(t.dst, "# Block %d,%d,%d: the nodes from %d,%d,%d to %d,%d,%d\n", pos.X, pos.Y, pos.Z, x, y, z, x+last, y+last, z+last)
	t.dst = fmt.Appendf(t.dst, "version %d\nflags", b.Version)
	named := namedFlags(b.Version)
	for i, name := range flagNames {
		if b.Flags&named&(1<<i) != 0 {
			t.dst = append(append(t.dst, ' '), name...)
		}
	}
	if rest := b.Flags &^ named; rest != 0 {
		t.dst = fmt.Appendf(t.dst, " %#02x", uint8(rest))
	} else if b.Flags == 0 {
		t.dst = append(t.dst, " none"...)
	}
	t.dst = append(t.dst, '\n')
	if has(b.Version, 27, mapblock.Newest) {
		t.dst = fmt.Appendf(t.dst, "lighting %#04x\n", b.LightingComplete)
	}
	if has(b.Version, 17, mapblock.Newest) && !stopped(b) {
		if b.Timestamp == mapblock.NoTimestamp {
			t.dst = append(t.dst, "timestamp none\n"...)
		} else {
			t.dst = fmt.Appendf(t.dst, "timestamp %d\n", b.Timestamp)
		}
	}
	if has(b.Version, 22, mapblock.Newest) && b.ContentWidth != usualWidth(b.Version) {
		t.dst = fmt.Appendf(t.dst, "content_width %d\n", b.ContentWidth)
	}
	if b.MapBlockObjects != 0 && stopped(b) {
		t.dst = fmt.Appendf(t.dst, "mapblock_objects %d\n", b.MapBlockObjects)
	}
	if b.Version == 23 && b.Unused != 0 {
		t.dst = fmt.Appendf(t.dst, "unused %d\n", b.Unused)
	}
	if b.Version == 29 {
		t.hexLine(0, "inner", b.Inner)
	}
	t.hexLine(0, "trailing", b.Trailing)
}

// usualWidth returns the usual number of bytes of an id in a version.
func usualWidth(version int) uint8 {
	if version <= 23 {
		return 1
	}
	return 2
}

// hexLine writes a word and bytes in hexadecimal, if there are any bytes.
func (t *blockText) hexLine(level int, word string, data []byte) {
	if len(data) > 0 {
		t.dst = append(append(indent(t.dst, level), word...), ' ')
		t.dst = append(appendHex(t.dst, data), '\n')
	}
}

// grid is a number for each node of a block.
type grid = [mapblock.NodeCount]uint16

func (t *blockText) nodes() {
	b := t.Block
	var nodes, param1, param2 grid
	for i := range nodes {
		id, p2 := idOf(b, i)
		nodes[i], param1[i], param2[i] = id, uint16(b.Param1[i]), uint16(p2)
	}
	names := idsOf(b)
	t.ids(&nodes, names)
	t.grid(SectionNodes, &nodes, false, names.appendNode)
	number := func(dst []byte, v uint16) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
	if has(b.Version, 1, mapblock.Newest) {
		t.grid(SectionParam1, &param1, true, number)
	}
	if has(b.Version, 10, mapblock.Newest) {
		t.grid(SectionParam2, &param2, true, number)
	}
}

// ids writes the ids of the names, unless ParseBlock would assign the same ids.
func (t *blockText) ids(nodes *grid, names *ids) {
	if !ownNames(t.Block) {
		return
	}
	seen := make(map[uint16]bool)
	var refs []nodeRef
	for i, id := range nodes {
		if i > 0 && id == nodes[i-1] || seen[id] {
			continue
		}
		seen[id] = true
		name, ok := names.name(id)
		refs = append(refs, nodeRef{name: name, id: id, numeric: !ok})
	}
	if usual, err := usualNames(t.Block, refs); err == nil && slices.Equal(usual, t.Names) {
		return
	}
	t.dst = append(t.dst, "ids"...)
	for _, e := range t.Names {
		t.dst = strconv.AppendUint(append(t.dst, ' '), uint64(e.ID), 10)
		t.dst = appendWord(append(t.dst, '='), e.Name)
	}
	t.dst = append(t.dst, '\n')
}

// grid writes a section with a line for each row along x. Equal consecutive rows and planes share a line; rows of
// zeros are omitted if skipZero is set.
func (t *blockText) grid(section string, g *grid, skipZero bool, cell func(dst []byte, v uint16) []byte) {
	const side, plane = mapblock.Side, mapblock.Side * mapblock.Side
	if skipZero && *g == (grid{}) {
		return
	}
	t.heading()
	t.dst = append(append(t.dst, section...), '\n')
	for z := 0; z < side; {
		p := g[z*plane : (z+1)*plane]
		n := 1
		for z+n < side && slices.Equal(p, g[(z+n)*plane:(z+n+1)*plane]) {
			n++
		}
		if !skipZero || !allZero(p) {
			t.dst = append(appendRange(append(indent(t.dst, 1), "z "...), z, n), '\n')
			t.plane(section, [2]int{z, z + n - 1}, p, skipZero, cell)
		}
		z += n
	}
}

// plane writes the rows of the planes zs[0] to zs[1].
func (t *blockText) plane(section string, zs [2]int, p []uint16, skipZero bool, cell func(dst []byte, v uint16) []byte) {
	const side = mapblock.Side
	for y := 0; y < side; {
		row := p[y*side : (y+1)*side]
		n := 1
		for y+n < side && slices.Equal(row, p[(y+n)*side:(y+n+1)*side]) {
			n++
		}
		if !skipZero || !allZero(row) {
			start := len(t.dst)
			t.part(section, 0, [3]int{0, y, zs[0]}, [3]int{side - 1, y + n - 1, zs[1]})
			t.dst = appendRange(append(indent(t.dst, 2), "y "...), y, n)
			for len(t.dst)-start < len("    y 10-15") {
				t.dst = append(t.dst, ' ')
			}
			for x := 0; x < side; {
				run := 1
				for x+run < side && row[x+run] == row[x] {
					run++
				}
				t.dst = cell(append(t.dst, ' '), row[x])
				if run > 1 {
					t.dst = strconv.AppendInt(append(t.dst, '*'), int64(run), 10)
				}
				x += run
			}
			t.dst = append(t.dst, '\n')
		}
		y += n
	}
}

func allZero(values []uint16) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

// appendRange appends a range of n numbers that begins with first.
func appendRange(dst []byte, first, n int) []byte {
	dst = strconv.AppendInt(dst, int64(first), 10)
	if n > 1 {
		dst = strconv.AppendInt(append(dst, '-'), int64(first+n-1), 10)
	}
	return dst
}

// sectionHead begins a section whose list has a version. The version is written if it is not the usual one.
func (t *blockText) sectionHead(name string, version, usual uint16) {
	t.heading()
	t.dst = append(t.dst, name...)
	if version != usual {
		t.dst = fmt.Appendf(t.dst, " version %d", version)
	}
	t.dst = append(t.dst, '\n')
}

// timersVersion is the usual version of a list of timers.
func timersVersion(version int, timers int) uint8 {
	if version == 24 && timers > 0 {
		return 1
	}
	return 0
}

func (t *blockText) timers() {
	list := t.Timers.List
	usual := timersVersion(t.Version, len(list))
	version := usual
	if t.Version == 24 && len(list) == 0 {
		version = t.Timers.Version
	}
	if len(list) == 0 && version == usual {
		return
	}
	t.sectionHead(SectionTimers, uint16(version), uint16(usual))
	for i, timer := range list {
		t.nodePart(SectionTimers, i, timer.Pos)
		t.dst = append(appendPlace(indent(t.dst, 1), timer.Pos), " timeout "...)
		t.dst = append(appendFixed(t.dst, timer.Timeout, 3), " elapsed "...)
		t.dst = append(appendFixed(t.dst, timer.Elapsed, 3), '\n')
	}
}

// rawWord begins the text of a block that cannot be decoded.
const rawWord = "raw"

// rawText is the text of a block that cannot be decoded: its bytes.
func rawText(data []byte, pos mapdb.Pos, why error) []byte {
	dst := fmt.Appendf(nil, "# Block %d,%d,%d cannot be read: %s\n", pos.X, pos.Y, pos.Z, strings.ReplaceAll(why.Error(), "\n", " "))
	dst = append(dst, rawWord+"\n"...)
	for line := range slices.Chunk(data, 32) {
		dst = append(appendHex(indent(dst, 1), line), '\n')
	}
	return dst
}

// parseRaw returns the bytes in a text, if it was written by rawText.
func parseRaw(text []byte) (data []byte, raw bool, err error) {
	l := lexer{rest: text}
	if !l.more(0) {
		return nil, false, nil
	}
	if word, _ := l.plain(rawWord); word != rawWord {
		return nil, false, nil
	}
	for l.end(); l.more(1); l.end() {
		data = append(data, l.hex()...)
	}
	if l.more(0) {
		l.fail("expected the end of the text")
	}
	if l.err != nil {
		return nil, true, l.err
	}
	return data, true, nil
}
