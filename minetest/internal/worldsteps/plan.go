package worldsteps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"io"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/worldedit"
)

const (
	// PlanName is the name of the plan that the mod reads, in the folder of the world.
	PlanName = "trowel_rewind.plan"
	// magic is at the start and at the end of a plan.
	magic = "trowelrp"

	version = 1
)

// Kinds of records.
const (
	kindEnd = iota
	kindNodes
	kindMetadata
)

const (
	level = 6
	// stays is the index of nodes that the plan does not change.
	stays = 0xffff
	// metadataSize is the size at which a record of metadata ends, in bytes before compression: the server inflates a
	// record in one step.
	metadataSize = 64 << 10
	// maxMetadata is the maximum size of the metadata of a node, and maxSlots that of a list of an inventory.
	maxMetadata = 16 << 20
	maxSlots    = 1 << 16
)

// A Block has the records of a block.
type PlanBlock struct {
	Nodes   int64 // nodes that are put back
	Lost    []error
	records []byte
	err     error
}

// EncodePlan returns the records of a block, of which some nodes are put back.
func EncodePlan(b *worldedit.Block, nodes *worldedit.Mask) *PlanBlock {
	e := &PlanBlock{Nodes: int64(nodes.Count())}
	e.add(b, kindNodes, nodesOf(b, nodes))
	content, n := []byte{0, 0}, 0
	flush := func() {
		if n > 0 {
			binary.LittleEndian.PutUint16(content, uint16(n))
			e.add(b, kindMetadata, content)
		}
		content, n = []byte{0, 0}, 0
	}
	var seen worldedit.Mask
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		if int(m.Pos) >= mapblock.NodeCount || !nodes.Has(int(m.Pos)) || seen.Has(int(m.Pos)) {
			continue // of two entries with the same position, the first counts
		}
		seen.Set(int(m.Pos))
		entry, err := metadataOf(m)
		if err != nil {
			e.Lost = append(e.Lost, fmt.Errorf("%s: metadata of node %d: %w", place.Block(b.Pos.X, b.Pos.Y, b.Pos.Z), m.Pos, err))
		}
		if len(content)+len(entry) > metadataSize {
			flush()
		}
		if entry != nil {
			content, n = append(content, entry...), n+1
		}
	}
	flush()
	return e
}

// add appends a record.
func (e *PlanBlock) add(b *worldedit.Block, kind byte, content []byte) {
	stream, err := deflate.Compress(nil, content, level)
	e.err = errors.Join(e.err, err)
	e.records = append(e.records, kind)
	for _, c := range [3]int16{b.Pos.X, b.Pos.Y, b.Pos.Z} {
		e.records = binary.LittleEndian.AppendUint16(e.records, uint16(c))
	}
	e.records = appendText32(e.records, string(stream))
}

// nodesOf returns the content of a record of nodes: names, the index of the name of each node, param1, param2, timers.
func nodesOf(b *worldedit.Block, nodes *worldedit.Mask) []byte {
	var names []string
	table := b.Table()
	indexes := make(map[uint16]uint16) // index in names by id
	var ids [2 * mapblock.NodeCount]byte
	var params [2 * mapblock.NodeCount]byte
	for i := range mapblock.NodeCount {
		if !nodes.Has(i) {
			binary.LittleEndian.PutUint16(ids[2*i:], stays)
			continue
		}
		id := b.Param0[i]
		n, ok := indexes[id]
		if !ok {
			n = uint16(len(names))
			indexes[id], names = n, append(names, table[id])
		}
		binary.LittleEndian.PutUint16(ids[2*i:], n)
		params[i], params[mapblock.NodeCount+i] = b.Param1[i], b.Param2[i]
	}
	content := binary.LittleEndian.AppendUint16(nil, uint16(len(names)))
	for _, name := range names {
		content = appendText16(content, name)
	}
	content = append(append(content, ids[:]...), params[:]...)
	count, n := len(content), uint16(0)
	content = append(content, 0, 0)
	for _, t := range b.Timers.List {
		if int(t.Pos) >= mapblock.NodeCount || !nodes.Has(int(t.Pos)) || t.Timeout <= 0 {
			continue // games drop such a timer
		}
		content = binary.LittleEndian.AppendUint16(content, t.Pos)
		content = binary.LittleEndian.AppendUint32(content, uint32(t.Timeout))
		content = binary.LittleEndian.AppendUint32(content, uint32(max(t.Elapsed, 0)))
		n++
	}
	binary.LittleEndian.PutUint16(content[count:], n)
	return content
}

// metadataOf returns the metadata of a node as in a record: its index, variables and lists of items. If a part of the
// inventory cannot be read, it returns the rest and an error.
func metadataOf(m *mapblock.NodeMeta) ([]byte, error) {
	entry := binary.LittleEndian.AppendUint16(nil, m.Pos)
	entry = binary.LittleEndian.AppendUint32(entry, uint32(len(m.Vars)))
	for _, v := range m.Vars {
		entry = append(appendText32(appendText16(entry, v.Key), v.Value), v.Private)
	}
	inventory, err := item.SalvageInventory(m.Inventory)
	count, n := len(entry), uint16(0)
	entry = append(entry, 0, 0)
	for i := range inventory.Lists {
		l := &inventory.Lists[i]
		switch {
		case l.Keep || inventory.List(l.Name) != l: // of lists with the same name, the first counts
			continue
		case l.Size > maxSlots || len(l.Name) > 0xffff || n == 0xffff:
			err = errors.Join(err, fmt.Errorf("the list %.40q with %d slots is too large", l.Name, l.Size))
			continue
		}
		entry = appendText16(entry, l.Name)
		entry = binary.LittleEndian.AppendUint32(entry, uint32(l.Size))
		entry = binary.LittleEndian.AppendUint32(entry, uint32(l.Width))
		entry = binary.LittleEndian.AppendUint32(entry, uint32(len(l.Items)))
		for _, slot := range l.Items {
			entry = appendText32(entry, slot.Stack.String())
		}
		n++
	}
	binary.LittleEndian.PutUint16(entry[count:], n)
	if len(entry) > maxMetadata {
		return nil, errors.Join(err, fmt.Errorf("the metadata has %d bytes, more than %d", len(entry), maxMetadata))
	}
	return entry, err
}

// appendText16 appends a text of at most 65535 bytes, after its length.
func appendText16(dst []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint16(dst, uint16(len(text))), text...)
}

// appendText32 is appendText16 for longer texts.
func appendText32(dst []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
}

// A Writer writes a plan.
type PlanWriter struct {
	out    io.Writer
	sum    hash.Hash32
	size   uint64
	blocks uint32
}

// NewPlanWriter starts a plan. The text describes it to people, in at most 65535 bytes.
func NewPlanWriter(out io.Writer, text string) (*PlanWriter, error) {
	w := &PlanWriter{out: out, sum: adler32.New()}
	return w, w.write(appendText16(append([]byte(magic), version), text))
}

func (w *PlanWriter) write(p []byte) error {
	w.sum.Write(p)
	w.size += uint64(len(p))
	_, err := w.out.Write(p)
	return err
}

// Add writes a block.
func (w *PlanWriter) Add(b *PlanBlock) error {
	if b.err != nil {
		return b.err
	}
	w.blocks++
	return w.write(b.records)
}

// Blocks returns the number of blocks.
func (w *PlanWriter) Blocks() int { return int(w.blocks) }

// End writes the end of the plan. A plan without it is rejected.
func (w *PlanWriter) End() error {
	const rest = 8 + 4 + len(magic) // bytes after the number of blocks
	end := binary.LittleEndian.AppendUint32([]byte{kindEnd}, w.blocks)
	end = binary.LittleEndian.AppendUint64(end, w.size+uint64(len(end))+uint64(rest))
	if err := w.write(end); err != nil {
		return err
	}
	_, err := w.out.Write(append(binary.LittleEndian.AppendUint32(nil, w.sum.Sum32()), magic...))
	return err
}
