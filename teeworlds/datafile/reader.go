package datafile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

const (
	magicData    = "DATA"
	magicSwapped = "ATAD"

	headerSize     = 36
	sizeOrigin     = 16 // size and swaplen count the bytes after themselves
	itemHeaderSize = 8

	maxItemTypes = 65536
	maxAlloc     = math.MaxInt32 // the memory that the reference reader allocates at most for everything but the data
)

// Recognize reports whether head, the first bytes of a file, is the start of a datafile of any version.
func Recognize(head []byte) bool {
	return len(head) >= 8 && (string(head[:4]) == magicData || string(head[:4]) == magicSwapped)
}

// HasType reports whether the table of item types in a datafile lists typ. Data may end after that table.
func HasType(data []byte, typ uint16) bool {
	r := bin.NewReader(data, bin.LittleEndian)
	r.SeekTo(16)
	n := r.Int32("num_item_types")
	r.SeekTo(headerSize)
	for range min(n, maxItemTypes) {
		id, _, num := r.Int32("type_id"), r.Int32("start"), r.Int32("num")
		if r.Err() != nil {
			return false
		}
		if id == int32(typ) && num > 0 {
			return true
		}
	}
	return false
}

// Decode reads a datafile. It keeps data, which must not be changed afterwards.
//
// If items or data blocks that the file lists are missing, completely or in part, Decode returns the rest together
// with an error that wraps [fault.ErrShort] for a truncated file and [fault.ErrLost] otherwise. [File.Encode] of that
// rest fails once the rest was changed; [Salvage] is for programs that accept the losses. Decode returns no file
// where Salvage fails.
//
// Data blocks are inflated when their contents are needed: [File.Verify] reads them all.
func Decode(data []byte) (*File, error) {
	f, err := Salvage(data)
	if err == nil {
		f.salvaged, err = false, f.Lost()
	}
	return f, err
}

// Salvage reads whatever can be read of a damaged datafile. It keeps data, which must not be changed afterwards.
// [File.Losses] reports what is missing, and [File.Encode] of a changed file writes the rest.
//
// Salvage fails with a [fault.Error] only where nothing useful can be read: the magic number or the version is
// unknown, or the file ends inside its tables. All other problems are recorded for Check; the affected parts are left
// out or truncated.
func Salvage(data []byte) (*File, error) {
	d := &decoder{r: bin.NewReader(data, bin.LittleEndian)}
	return d.decode(data)
}

// Tracing holds the callbacks of Trace.
type Tracing struct {
	Field    trace.Tracer            // receives every field
	TypeName func(typ uint16) string // returns the name of an item type; nil for no names

	// Item returns the fields of all integers of an item, with paths and offsets that begin at the first integer. If
	// it is nil, the integers are reported as one field.
	Item func(it Item) []trace.Field

	Data func(n int, b *Block) // may trace the contents of a block; nil for no trace
}

// Trace reads a datafile like Salvage and reports every field. The error states why it stopped early.
func Trace(data []byte, t Tracing) error {
	d := &decoder{r: bin.NewReader(data, bin.LittleEndian), t: t}
	d.r.Trace(t.Field)
	_, err := d.decode(data)
	d.r.Flush()
	if d.f.missing > 0 {
		t.Field(trace.Field{Path: "missing", Offset: int64(len(data)), Len: d.f.missing, Meaning: "the file is cut off"})
	}
	return err
}

type decoder struct {
	r *bin.Reader
	t Tracing
	f *File

	numTypes, numItems, numData int
	itemSize, dataSize          int
	types                       []itemType
	byPlace                     []int32 // for each place of an item, its type in the table of types, -1 if it is not in it
	places                      []int   // for each item, its number in the table of offsets
	disordered                  bool    // item offsets do not increase
	itemOffsets, dataOffsets    []int32
	dataSizes                   []int32
}

type itemType struct{ id, start, num int32 }

// find records a finding.
func (d *decoder) find(k *check.Kind, path string, offset int64, format string, args ...any) {
	check.Sink(func(f check.Finding) { d.f.issues = append(d.f.issues, f) }).Add(k, path, offset, format, args...)
}

func (d *decoder) decode(data []byte) (*File, error) {
	d.f = &File{src: data, salvaged: true}
	d.header(int64(len(data)))
	d.tables()
	if err := d.r.Err(); err != nil {
		return nil, err
	}
	itemStart := int(d.r.Offset())
	d.readItems(data, itemStart)
	d.compareTypes()
	d.readData(data, itemStart+d.itemSize)
	return d.f, nil
}

func (d *decoder) header(fileSize int64) {
	r := d.r
	r.Enter("header")
	defer r.Leave()
	magic := string(r.Bytes("magic", 4))
	switch {
	case r.Err() != nil:
		return
	case magic == magicSwapped:
		d.f.Swapped = true
	case magic != magicData:
		r.FailAt(0, "magic", fault.ErrFormat, fmt.Sprintf("%q or %q", magicData, magicSwapped), fmt.Sprintf("%q", magic))
		return
	}
	d.f.Version = int(r.Int32("version"))
	if d.f.Version != 3 && d.f.Version != 4 {
		r.FailAt(4, "version", fault.ErrVersion, "version 3 or 4", fmt.Sprint(d.f.Version))
		return
	}
	size := r.Int32("size")
	r.MeansText("bytes of the file after size and swaplen")
	swaplen := r.Int32("swaplen")
	r.MeansText("bytes of integers after size and swaplen")
	d.numTypes = r.Count("num_item_types", 12)
	d.numItems = r.Count("num_items", 4)
	d.numData = r.Count("num_data", d.f.perData())
	itemSize := r.Int32("item_size")
	dataSize := r.Int32("data_size")
	if r.Err() != nil {
		return
	}
	if itemSize < 0 || dataSize < 0 {
		r.FailAt(28, "item_size", fault.ErrFormat, "sizes of 0 or more", fmt.Sprintf("%d and %d", itemSize, dataSize))
		return
	}
	d.itemSize, d.dataSize = int(itemSize), int(dataSize)

	tables := 12*int64(d.numTypes) + 4*int64(d.numItems) + int64(d.f.perData())*int64(d.numData)
	swapEnd := headerSize + tables + int64(itemSize)
	total := swapEnd + int64(dataSize)
	d.f.missing = max(total-fileSize, 0)
	if total != fileSize {
		d.find(foundFileSize, "header", -1, "the header's sizes add up to %d bytes, the file has %d", total, fileSize)
	}
	if d.numTypes > maxItemTypes {
		d.find(foundTypeCount, "header.num_item_types", 16, "%s; there can be %d", words.Count(d.numTypes, "item type"), maxItemTypes)
	}
	if itemSize%4 != 0 {
		d.find(foundItemAreaSize, "header.item_size", 28, "item_size %d is not a multiple of 4", itemSize)
	}
	if tables+int64(itemSize) > maxAlloc {
		d.find(foundAlloc, "header", -1, "tables and items take %s; readers take up to %d", words.Count(tables+int64(itemSize), "byte"), maxAlloc)
	}
	d.f.SizeError = size - int32(total-sizeOrigin)
	d.f.SwaplenError = swaplen - int32(swapEnd-sizeOrigin)
	missing := int32(-4 * d.numData)
	switch {
	case d.f.SizeError == 0 && d.f.SwaplenError == 0:
	case d.f.Version == 4 && (d.f.SizeError == 0 || d.f.SizeError == missing) && (d.f.SwaplenError == 0 || d.f.SwaplenError == missing):
		d.find(foundHeaderQuirk, "header", 8, "size and swaplen are up to %d too small: an old writer forgot the table of data sizes", -missing)
	case d.f.SizeError != 0:
		d.find(foundHeaderSize, "header.size", 8, "size is %d, should be %d", size, total-sizeOrigin)
		fallthrough
	default:
		if d.f.SwaplenError != 0 {
			d.find(foundHeaderSwaplen, "header.swaplen", 12, "swaplen is %d, should be %d", swaplen, swapEnd-sizeOrigin)
		}
	}
}

func (d *decoder) tables() {
	r := d.r
	if need := 12*d.numTypes + 4*d.numItems + d.f.perData()*d.numData; r.Err() == nil && need > r.Len() {
		r.Fail("tables", fault.ErrShort, fmt.Sprintf("%s of tables",
			words.Count(need, "byte")), fmt.Sprintf("%d before the end of the file", r.Len()))
	}
	if r.Err() != nil {
		return
	}
	d.types = make([]itemType, d.numTypes)
	for i := range d.types {
		r.EnterIndex("item_types", i)
		d.types[i] = itemType{r.Int32("type_id"), r.Int32("start"), r.Int32("num")}
		r.Leave()
	}
	d.itemOffsets = d.table("item_offsets", d.numItems)
	d.dataOffsets = d.table("data_offsets", d.numData)
	if d.f.Version >= 4 {
		d.dataSizes = d.table("data_sizes", d.numData)
	}
}

// table reads n integers: in one step, or one by one while tracing.
func (d *decoder) table(name string, n int) []int32 {
	if !d.r.Tracing() {
		return d.r.Int32s(name, n)
	}
	v := make([]int32, n)
	for i := range v {
		d.r.EnterIndex(name, i)
		v[i] = d.r.Int32("")
		d.r.Leave()
	}
	return v
}

// extents is the room of the entries of a table of offsets. An entry ends where the next one in the file begins, or at
// the end of its area.
type extents struct {
	offsets  []int32
	area     int
	disorder bool          // the offsets do not increase
	starts   []int32       // of the entries that can be read, in ascending order
	entry    map[int32]int // the entry that has the bytes from a start on
}

// newExtents returns the room of entries that are in the area with least bytes or more. If the offsets do not increase,
// only those count of which begins reports that an entry begins there: a wrong offset takes no bytes of others. Of
// equal offsets the first has the bytes, or the last.
func newExtents(offsets []int32, area, least int, lastOfEqual bool, begins func(i, start int) bool) *extents {
	e := &extents{offsets: offsets, area: area, entry: make(map[int32]int)}
	for i := 1; i < len(offsets); i++ {
		e.disorder = e.disorder || offsets[i] <= offsets[i-1]
	}
	for i, start := range offsets {
		if start < 0 || int(start) > area-least || e.disorder && !begins(i, int(start)) {
			continue
		}
		_, again := e.entry[start]
		if !again {
			e.starts = append(e.starts, start)
		}
		if !again || lastOfEqual {
			e.entry[start] = i
		}
	}
	slices.Sort(e.starts)
	return e
}

// of returns the start and the end of entry i, which has at least a number of bytes where the area allows it. It
// returns false if the entry has no room.
func (e *extents) of(i, least int) (start, end int, ok bool) {
	start = int(e.offsets[i])
	if n, ok := e.entry[int32(start)]; !ok || n != i {
		return start, start, false
	}
	if n, _ := slices.BinarySearch(e.starts, int32(start+least)); n < len(e.starts) {
		return start, int(e.starts[n]), true
	}
	return start, e.area, true
}

// readItems reads the items. Entries that overlap others are left out, so that a small file cannot represent many
// items.
func (d *decoder) readItems(data []byte, areaStart int) {
	d.f.Items = make([]Item, 0, d.numItems)
	d.f.numItems = d.numItems
	sum := 0
	last := -1
	lost := lostRun{d: d, kind: foundItemOutside, what: "items"}
	defer lost.end()
	d.byPlace = d.typesByPlace()
	rooms := newExtents(d.itemOffsets, d.itemSize, itemHeaderSize, false, d.itemBegins(data, areaStart))
	d.disordered = rooms.disorder
	for i := range d.itemOffsets {
		start, end, ok := rooms.of(i, itemHeaderSize)
		path := func(name string) string { return fmt.Sprintf("items[%d]%s", i, name) }
		at := int64(areaStart + start)
		switch {
		case i == 0 && start != 0:
			d.find(foundItemOffset, "item_offsets[0]", -1, "the first item offset is %d, should be 0", start)
		case start <= last:
			d.find(foundItemOffset, fmt.Sprintf("item_offsets[%d]", i), -1, "item offset %d is not greater than the previous one, %d", start, last)
		}
		if !ok || areaStart+start+itemHeaderSize > len(data) {
			lost.add(i)
			d.f.lostItems++
			continue
		}
		last = max(last, start)
		cut := areaStart+end > len(data)
		if cut {
			end = len(data) - areaStart
		}

		d.r.SeekTo(at)
		d.r.EnterIndex("items", i)
		key := d.r.U32("type_id__id")
		typ, id := uint16(key>>16), uint16(key)
		if d.r.Tracing() {
			name := ""
			if d.t.TypeName != nil {
				name = d.t.TypeName(typ)
			}
			d.r.MeansText(strings.TrimSpace(fmt.Sprintf("type %d, id %d %s", typ, id, name)))
		}
		size := int(d.r.Int32("size"))
		room := end - start - itemHeaderSize
		if size != room {
			d.find(foundItemSize, path(".size"), at+4, "item type %d id %d states %d bytes, but the next item begins after %d", typ, id, size, room)
		} else if size%4 != 0 {
			d.find(foundItemSize, path(".size"), at+4, "item type %d id %d: size %d is not a multiple of 4", typ, id, size)
		}
		if size < 0 || size > room {
			size = room
		}
		sum += itemHeaderSize + size
		if !rooms.disorder || size%4 != 0 {
			size = room // as in all readers before the strict one of DDNet, which rejects the file
		}
		if cut || room%4 != 0 {
			d.f.lostItems++
		}
		it := Item{Type: typ, ID: id}
		if d.t.Item == nil {
			it.Data = d.r.Int32s("data", size/4)
		} else {
			payload := d.r.Offset()
			ints := d.r.Sub("data", size&^3)
			ints.Trace(nil)
			it.Data = ints.Int32s("data", size/4)
			for _, f := range d.t.Item(it) {
				f.Path, f.Offset = d.r.Path(f.Path), payload+f.Offset
				d.t.Field(f)
			}
		}
		d.r.Leave()
		d.f.Items = append(d.f.Items, it)
		d.places = append(d.places, i)
	}
	if sum != d.itemSize && len(d.f.Items) == d.numItems {
		d.find(foundItemAreaSize, "header.item_size", 28, "the items take %d bytes, but item_size is %d", sum, d.itemSize)
	}
	d.r.SeekTo(int64(min(areaStart+d.itemSize, len(data))))
}

// itemBegins returns a function that reports whether item i begins at a place of the items: it has the type of the
// table, or it ends where another one begins, or with the area.
func (d *decoder) itemBegins(data []byte, areaStart int) func(i, start int) bool {
	starts := make(map[int]bool, len(d.itemOffsets))
	return func(i, start int) bool {
		if len(starts) == 0 {
			for _, o := range d.itemOffsets {
				starts[int(o)] = true
			}
		}
		at := areaStart + start
		if at+itemHeaderSize > len(data) {
			return false
		}
		size := int(int32(binary.LittleEndian.Uint32(data[at+4:])))
		end := start + itemHeaderSize + size
		typ := int32(binary.LittleEndian.Uint16(data[at+2:]))
		return size >= 0 && size%4 == 0 && (starts[end] || end == d.itemSize || end < d.itemSize && d.byPlace[i] == typ)
	}
}

// lostRun collects adjacent entries of a table that cannot be read, so that a truncated file has one finding for
// everything after its end.
type lostRun struct {
	d           *decoder
	kind        *check.Kind
	what        string
	first, last int
	n           int
}

func (l *lostRun) add(i int) {
	if l.n > 0 && l.last != i-1 {
		l.end()
	}
	if l.n == 0 {
		l.first = i
	}
	l.last = i
	l.n++
}

func (l *lostRun) end() {
	switch {
	case l.n == 1:
		l.d.find(l.kind, fmt.Sprintf("%s[%d]", l.what, l.first), -1, "is outside of the existing %s", l.what)
	case l.n > 1:
		l.d.find(l.kind, fmt.Sprintf("%s[%d..%d]", l.what, l.first, l.last), -1, "%d are outside of the existing %s", l.n, l.what)
	}
	l.n = 0
}

// compareTypes compares the table of types with the items.
func (d *decoder) compareTypes() {
	seen := make(map[int32]bool)
	count := int32(0)
	matching := d.disordered && d.sortedAsTable()
	for i, t := range d.types {
		path := fmt.Sprintf("item_types[%d]", i)
		offset := int64(headerSize + 12*i)
		if t.id < 0 || t.id > 0xffff {
			d.find(foundTypeID, path, offset, "type %d is not in the range 0 to 65535", t.id)
		}
		if seen[t.id] {
			d.find(foundTypeID, path, offset, "type %d is listed twice", t.id)
		}
		seen[t.id] = true
		if t.num <= 0 {
			d.find(foundTypeItems, path, offset, "type %d has %s", t.id, words.Count(t.num, "item"))
		}
		if t.start != count {
			d.find(foundTypeItems, path, offset, "type %d starts at item %d, should start at %d", t.id, t.start, count)
		}
		count += t.num
	}
	if int(count) != d.numItems {
		d.find(foundTypeItems, "item_types", headerSize, "the types have %d items in total, but the header has %d", count, d.numItems)
	}
	reported := int32(-1)
	for i := range d.f.Items {
		it := &d.f.Items[i]
		t := d.byPlace[d.places[i]]
		if matching || t < 0 || t == int32(it.Type) {
			continue
		}
		if t != reported { // once for a type
			d.find(foundTypeItems, fmt.Sprintf("items[%d]", d.places[i]), -1, "the item has type %d, but the table of types has %d", it.Type, t)
			reported = t
		}
		if t <= 0xffff {
			it.Type = uint16(t) // games read the table
		}
	}
	type key struct{ typ, id uint16 }
	ids := make(map[key]bool)
	for i, it := range d.f.Items {
		if k := (key{it.Type, it.ID}); !ids[k] {
			ids[k] = true
			continue
		}
		kind := foundItemID
		if it.Type == TypeUUIDIndex {
			kind = foundIndexID
		}
		d.find(kind, fmt.Sprintf("items[%d]", i), -1, "type %d has more than one item with id %d", it.Type, it.ID)
	}
}

// typesByPlace returns the type of each item in the table of types, -1 for an item that is not in it.
func (d *decoder) typesByPlace() []int32 {
	table := make([]int32, d.numItems)
	for i := range table {
		table[i] = -1
	}
	next := int64(0) // of items that types share the first counts
	seen := make(map[int32]bool)
	for _, t := range d.types {
		if seen[t.id] {
			continue // no game finds a second entry
		}
		seen[t.id] = true
		end := min(int64(t.start)+int64(t.num), int64(d.numItems))
		for n := max(int64(t.start), next); n < end; n++ {
			next = n + 1
			table[n] = t.id
		}
	}
	return table
}

// sortedAsTable sorts items, whose offsets do not increase, by their types, and reports true, if the table of types then
// describes them: the offsets are out of order, and not the types.
func (d *decoder) sortedAsTable() bool {
	num := make(map[int32]int32)
	for _, it := range d.f.Items {
		num[int32(it.Type)]++
	}
	for _, t := range d.types {
		if num[t.id] != t.num || t.num <= 0 {
			return false
		}
		delete(num, t.id)
	}
	if len(num) > 0 {
		return false
	}
	rank := make(map[uint16]int)
	for i, t := range d.types {
		rank[uint16(t.id)] = i
	}
	slices.SortStableFunc(d.f.Items, func(a, b Item) int { return cmp.Compare(rank[a.Type], rank[b.Type]) })
	return true
}

func (d *decoder) readData(data []byte, areaStart int) {
	d.f.Data = make([]*Block, d.numData)
	keeper := new(keeper)
	last := -1
	lost := lostRun{d: d, kind: foundDataOutside, what: "data"}
	defer lost.end()
	rooms := newExtents(d.dataOffsets, d.dataSize, 1, true, func(_, start int) bool {
		at := areaStart + start
		return d.f.Version == 3 || at+2 <= len(data) && data[at]&15 == 8 && binary.BigEndian.Uint16(data[at:])%31 == 0 // of a zlib stream
	})
	for i := range d.dataOffsets {
		start, end, ok := rooms.of(i, 1)
		path := fmt.Sprintf("data[%d]", i)
		b := &Block{offset: int64(areaStart + start), level: DefaultLevel, plain: d.f.Version == 3, keeper: keeper}
		d.f.Data[i] = b
		switch {
		case i == 0 && start != 0:
			d.find(foundDataOffset, "data_offsets[0]", -1, "the first data offset is %d, should be 0", start)
		case start <= last:
			d.find(foundDataOffset, fmt.Sprintf("data_offsets[%d]", i), -1, "data offset %d is not greater than the previous one, %d", start, last)
		}
		last = max(last, start)
		_, equal := rooms.entry[int32(start)] // of blocks that begin at the same place the last has the bytes
		if !ok && !equal || areaStart+start > len(data) {
			lost.add(i)
			start, end = 0, 0
			b.offset, b.lost = -1, true
		}
		b.cut = areaStart+end > len(data)
		lo, hi := min(areaStart+start, len(data)), min(areaStart+end, len(data))
		b.stream = data[lo:hi:hi]
		b.size = int32(len(b.stream))
		if d.f.Version >= 4 {
			b.size = d.dataSizes[i]
		}
		switch {
		case b.size < 0:
			d.find(foundDataSize, fmt.Sprintf("data_sizes[%d]", i), -1, "data size %d is negative", b.size)
		case b.size == 0:
			d.find(foundDataEmpty, path, b.offset, "the block is empty")
		}
		if d.r.Tracing() && b.offset >= 0 {
			d.r.SeekTo(int64(lo))
			d.r.EnterIndex("data", i)
			d.r.Span("", len(b.stream))
			if b.plain {
				d.r.MeansText("uncompressed")
			} else {
				d.r.MeansText(fmt.Sprintf("zlib stream, inflates to %s", words.Count(b.size, "byte")))
			}
			d.r.Leave()
			d.r.Flush()
			if d.t.Data != nil {
				d.t.Data(i, b)
			}
		}
	}
}
