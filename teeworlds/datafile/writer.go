package datafile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// Encode returns the bytes of the file. New blocks are compressed on all cores.
//
// A decoded file that was not changed encodes to the bytes that it was decoded from, even if they are malformed. Any
// other file encodes to a well-formed file, except where fields of File specify otherwise. Encode does not modify f.
//
// Encode fails, and names the part, for an unknown version, a block that is nil or cannot be compressed, and a file
// of 2 GiB or more. It fails with [fault.ErrLost] for a changed file of which [Decode] could not read everything.
func (f *File) Encode() ([]byte, error) {
	out, err := f.layOut()
	if err != nil || f.src == nil || bytes.Equal(out, f.src) {
		return out, err
	}
	// The file cannot be laid out as it was read. If the source decodes to a file with the same layout, the file was
	// not changed, and the source is returned.
	if before, err := Salvage(f.src); err == nil {
		if same, err := before.layOut(); err == nil && bytes.Equal(same, out) {
			return f.src, nil
		}
	}
	if err := f.MayBecome(f); err != nil {
		return nil, err
	}
	return out, nil
}

// WriteTo writes the bytes of the file to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	data, err := f.Encode()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(data)
	return int64(n), err
}

// layOut builds the file from its parts.
func (f *File) layOut() ([]byte, error) {
	version := f.version()
	if version != 3 && version != 4 {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "3 or 4", Got: fmt.Sprint(f.Version), Err: fault.ErrVersion}
	}
	streams, err := f.encodeBlocks(version)
	if err != nil {
		return nil, err
	}
	items := f.Items
	if types := f.Types(); len(types) != countRuns(items) {
		items = slices.Clone(items)
		slices.SortStableFunc(items, compareItems)
	}

	var itemSize, dataSize int64
	for i := range items {
		itemSize += itemHeaderSize + 4*int64(len(items[i].Data))
	}
	for _, s := range streams {
		dataSize += int64(len(s))
	}
	tables := 12*int64(countRuns(items)) + 4*int64(len(items)) + int64(f.perData())*int64(len(f.Data))
	total := headerSize + tables + itemSize + dataSize
	if total > math.MaxInt32 {
		return nil, &fault.Error{Offset: -1, Want: "a file of less than 2 GiB", Got: words.Count(total, "byte"), Err: fault.ErrLimit}
	}

	w := bin.NewWriter(bin.LittleEndian, int(total))
	magic := magicData
	if f.Swapped {
		magic = magicSwapped
	}
	w.Bytes([]byte(magic))
	w.Int32(int32(version))
	w.Int32(int32(total-sizeOrigin) + f.SizeError)
	w.Int32(int32(headerSize+tables+itemSize-sizeOrigin) + f.SwaplenError)
	w.Int32(int32(countRuns(items)))
	w.Int32(int32(len(items)))
	w.Int32(int32(len(f.Data)))
	w.Int32(int32(itemSize))
	w.Int32(int32(dataSize))

	for start := 0; start < len(items); {
		end := runEnd(items, start)
		w.Int32s([]int32{int32(items[start].Type), int32(start), int32(end - start)})
		start = end
	}
	offset := int32(0)
	for i := range items {
		w.Int32(offset)
		offset += itemHeaderSize + 4*int32(len(items[i].Data))
	}
	offset = 0
	for _, s := range streams {
		w.Int32(offset)
		offset += int32(len(s))
	}
	if version >= 4 {
		for _, b := range f.Data {
			w.Int32(b.size)
		}
	}
	for i := range items {
		w.U32(uint32(items[i].Type)<<16 | uint32(items[i].ID))
		w.Int32(4 * int32(len(items[i].Data)))
		w.Int32s(items[i].Data)
	}
	for _, s := range streams {
		w.Bytes(s)
	}
	return w.Data(), nil
}

// encodeBlocks encodes all blocks, on all cores.
func (f *File) encodeBlocks(version int) ([][]byte, error) {
	streams := make([][]byte, len(f.Data))
	errs := make([]error, len(f.Data))
	parallel.Each(len(f.Data), func(i int) { streams[i], errs[i] = f.Data[i].encode(version) })
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("data[%d]: %w", i, err)
		}
	}
	return streams, nil
}

// perData returns the number of bytes that the tables use for each data block.
func (f *File) perData() int {
	if f.version() >= 4 {
		return 8
	}
	return 4
}

func runEnd(items []Item, start int) int {
	end := start + 1
	for end < len(items) && items[end].Type == items[start].Type {
		end++
	}
	return end
}

func countRuns(items []Item) int {
	n := 0
	for i := 0; i < len(items); i = runEnd(items, i) {
		n++
	}
	return n
}
