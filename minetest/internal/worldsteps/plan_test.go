package worldsteps

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"strings"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// reader reads a plan as docs/formats/minetest-restore-plan.md describes it.
type reader struct {
	t    *testing.T
	data []byte
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.t.Fatalf("%d bytes of %d", n, len(r.data))
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) u8() int        { return int(r.take(1)[0]) }
func (r *reader) u16() int       { return int(binary.LittleEndian.Uint16(r.take(2))) }
func (r *reader) u32() int       { return int(binary.LittleEndian.Uint32(r.take(4))) }
func (r *reader) text16() string { return string(r.take(r.u16())) }
func (r *reader) text32() string { return string(r.take(r.u32())) }

// readBlock is a block of a plan.
type readBlock struct {
	names    map[int]string // of the nodes that are put back
	params   [2 * mapblock.NodeCount]byte
	timers   map[int][2]int
	metadata map[int]string
	records  int // of metadata
}

// readPlan returns the blocks of a plan, and their positions in order.
func readPlan(t *testing.T, plan []byte) (map[mapdb.Pos]*readBlock, []mapdb.Pos) {
	t.Helper()
	sum := adler32.Checksum(plan[:len(plan)-12])
	r := &reader{t, plan}
	if string(r.take(8)) != magic || r.u8() != 1 || r.text16() != "text" {
		t.Fatal("another start")
	}
	blocks := make(map[mapdb.Pos]*readBlock)
	var order []mapdb.Pos
	for {
		kind := r.u8()
		if kind == kindEnd {
			break
		}
		p := mapdb.Pos{X: int16(r.u16()), Y: int16(r.u16()), Z: int16(r.u16())}
		stream := []byte(r.text32())
		content, n, err := deflate.DecompressUpTo(stream, 1<<30)
		if err != nil || n != len(stream) {
			t.Fatal(n, err)
		}
		in := &reader{t, content}
		if kind == kindNodes {
			if blocks[p] != nil {
				t.Fatal("twice", p)
			}
			blocks[p], order = readNodes(in), append(order, p)
		} else {
			readMetadata(in, blocks[p])
		}
		if len(in.data) > 0 {
			t.Fatalf("%d bytes after a record", len(in.data))
		}
	}
	if n := r.u32(); n != len(order) {
		t.Errorf("%d blocks, want %d", n, len(order))
	}
	if size := r.u32(); size != len(plan) || r.u32() != 0 {
		t.Errorf("size %d, want %d", size, len(plan))
	}
	if got := r.u32(); got != int(sum) || string(r.data) != magic {
		t.Errorf("sum %x, want %x; end %q", got, sum, r.data)
	}
	return blocks, order
}

func readNodes(r *reader) *readBlock {
	b := &readBlock{names: make(map[int]string), timers: make(map[int][2]int), metadata: make(map[int]string)}
	names := make([]string, r.u16())
	for i := range names {
		names[i] = r.text16()
	}
	for i := range mapblock.NodeCount {
		if n := r.u16(); n != stays {
			b.names[i] = names[n]
		}
	}
	copy(b.params[:], r.take(len(b.params)))
	for range r.u16() {
		b.timers[r.u16()] = [2]int{r.u32(), r.u32()}
	}
	return b
}

func readMetadata(r *reader, b *readBlock) {
	b.records++
	for range r.u16() {
		index := r.u16()
		var text strings.Builder
		for range r.u32() {
			fmt.Fprintf(&text, "%q %q %d\n", r.text16(), r.text32(), r.u8())
		}
		for range r.u16() {
			fmt.Fprintf(&text, "%q %d %d", r.text16(), r.u32(), r.u32())
			for range r.u32() {
				fmt.Fprintf(&text, " %q", r.text32())
			}
			text.WriteString("\n")
		}
		b.metadata[index] = text.String()
	}
}

// planText is the metadata of a node as readMetadata describes it.
func planText(t *testing.T, m *mapblock.NodeMeta) string {
	t.Helper()
	var text strings.Builder
	for _, v := range m.Vars {
		fmt.Fprintf(&text, "%q %q %d\n", v.Key, v.Value, v.Private)
	}
	inventory, _, err := item.ParseInventory(m.Inventory)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range inventory.Lists {
		fmt.Fprintf(&text, "%q %d %d", l.Name, l.Size, l.Width)
		for _, slot := range l.Items {
			fmt.Fprintf(&text, " %q", slot.String())
		}
		text.WriteString("\n")
	}
	return text.String()
}

// planOf returns the plan of a region of blocks.
func planOf(t *testing.T, from, into mapdb.DB, r worldedit.Region, o worldedit.PutBackOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewPlanWriter(&out, "text")
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range worldedit.Older(context.Background(), from, into, r, o, EncodePlan) {
		if err == nil {
			err = w.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range b.Lost {
			o.Lost(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPlan tests that a plan has exactly the nodes of a region, with everything that belongs to them, from blocks of all
// versions, each column from top to bottom.
func TestPlan(t *testing.T) {
	ctx := context.Background()
	from := mapdb.NewMemory()
	for b, err := range worldtest.Blocks(1200) {
		if err == nil {
			err = from.Store(ctx, []mapdb.Block{b})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	region := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{-250, -100, -1595}, worldedit.Vec{199, 77, -1570})}
	blocks, order := readPlan(t, planOf(t, from, nil, region, worldedit.PutBackOptions{Lost: func(err error) { t.Error(err) }}))
	for i, p := range order[1:] {
		if q := order[i]; p.X>>4 == q.X>>4 && p.Z>>4 == q.Z>>4 && p.Y > q.Y {
			t.Errorf("%v after %v", p, q)
		}
	}
	metadata, timers, partial := 0, 0, 0
	for b, err := range from.Blocks(ctx, mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		want, err := mapblock.Decode(b.Data)
		if err != nil {
			t.Fatal(err)
		}
		want = want.Today()
		got := blocks[b.Pos]
		delete(blocks, b.Pos)
		if got == nil {
			got = &readBlock{}
		}
		nodes := want.Nodes()
		inside := func(i int) bool {
			x, y, z := mapblock.Coordinates(i)
			return region.Box.Contains(worldedit.Vec{int(b.Pos.X)*16 + x, int(b.Pos.Y)*16 + y, int(b.Pos.Z)*16 + z})
		}
		for i := range mapblock.NodeCount {
			name := ""
			if inside(i) {
				name = nodes.At(i)
			}
			if got.names[i] != name || name != "" && (got.params[i] != want.Param1[i] || got.params[mapblock.NodeCount+i] != want.Param2[i]) {
				t.Fatalf("%v, node %d: %q, want %q", b.Pos, i, got.names[i], name)
			}
		}
		if n := len(got.names); n > 0 && n < mapblock.NodeCount {
			partial++
		}
		for i := range want.Metadata.List {
			if m := &want.Metadata.List[i]; inside(int(m.Pos)) {
				if text := planText(t, m); got.metadata[int(m.Pos)] != text {
					t.Errorf("%v, node %d: metadata %q, want %q", b.Pos, m.Pos, got.metadata[int(m.Pos)], text)
				}
				delete(got.metadata, int(m.Pos))
				metadata++
			}
		}
		for _, timer := range want.Timers.List {
			if inside(int(timer.Pos)) {
				if set := got.timers[int(timer.Pos)]; set != [2]int{int(timer.Timeout), int(timer.Elapsed)} {
					t.Errorf("%v: timer %v, want %+v", b.Pos, set, timer)
				}
				delete(got.timers, int(timer.Pos))
				timers++
			}
		}
		if len(got.metadata)+len(got.timers) > 0 {
			t.Errorf("%v: more than expected: %v %v", b.Pos, got.metadata, got.timers)
		}
	}
	if len(blocks) > 0 || metadata < 100 || timers < 10 || partial < 50 {
		t.Errorf("%d unknown blocks, %d metadata, %d timers, %d partial blocks", len(blocks), metadata, timers, partial)
	}
}

// TestLarge tests metadata that need several records, and those that no plan can have.
func TestLarge(t *testing.T) {
	b := mapblock.New(mapblock.Newest)
	b.Metadata.Version = 2
	add := func(pos int, size int, inventory string) {
		b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(pos), Inventory: []byte(inventory),
			Vars: []mapblock.Var{{Key: "text", Value: strings.Repeat("x", size), Private: 1}}})
	}
	for i := range 5 {
		add(i, 30_000, "EndInventory\n")
	}
	add(5, 200_000, "EndInventory\n")
	add(6, 0, "List main 2\nItem a:b\nItem \"c\nEndInventoryList\nList other 4000000000\nWidth 0\nEndInventoryList\nEndInventory\n")
	add(7, maxMetadata, "EndInventory\n")
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	from := mapdb.NewMemory()
	if err := from.Store(context.Background(), []mapdb.Block{{Data: data}}); err != nil {
		t.Fatal(err)
	}
	var lost []string
	plan := planOf(t, from, nil, worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{0, 0, 0}, worldedit.Vec{15, 15, 15})},
		worldedit.PutBackOptions{Lost: func(err error) { lost = append(lost, err.Error()) }})
	blocks, _ := readPlan(t, plan)
	got := blocks[mapdb.Pos{}]
	if got.records != 5 || len(got.metadata) != 7 || got.metadata[6] != "\"text\" \"\" 1\n\"main\" 2 0 \"a:b\" \"\"\n" {
		t.Errorf("%d records of %d metadata, %q", got.records, len(got.metadata), got.metadata[6])
	}
	if len(lost) != 2 || !strings.Contains(lost[0], "node 6") || !strings.Contains(lost[0], "too large") ||
		!strings.Contains(lost[1], "node 7") {
		t.Errorf("lost: %q", lost)
	}
}

// TestLacking tests that blocks of the world that stay are counted.
func TestLacking(t *testing.T) {
	ctx := context.Background()
	from, into := mapdb.NewMemory(), mapdb.NewMemory()
	for i, db := range []interface {
		Store(context.Context, []mapdb.Block) error
	}{from, into} {
		if err := db.Store(ctx, []mapdb.Block{{Data: worldtest.Block(1, 29)},
			{Pos: mapdb.Pos{X: int16(1 + i)}, Data: worldtest.Block(1, 29)}}); err != nil {
			t.Fatal(err)
		}
	}
	counts := new(worldedit.Counts)
	planOf(t, from, into, worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{0, 0, 0}, worldedit.Vec{99, 0, 0})},
		worldedit.PutBackOptions{Counts: counts})
	if notes := counts.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "unchanged: 1") {
		t.Errorf("notes: %q", notes)
	}
}
