package twmap

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"trowel.example/internal/bytes/bin"
	"trowel.example/teeworlds/datafile"
)

// A codec visits the integers of an item field by field. The same function describes an item for reading, for writing
// and for tracing: with a Reader the codec fills the fields, without one it collects them.
//
// Integers that an item lacks leave their fields at the previous value, the default. A short item is therefore never
// an error here; Check reports it.
type codec struct {
	r    *bin.Reader
	file *datafile.File // when reading: the file with the data blocks

	named    *int64  // when reading: the bytes of contents of all blocks that were named
	err      error   // when reading: the item is too large
	ints     []int32 // when writing
	exact    []int   // indexes of integers that fully represent their value
	refs     []placedRef
	detached bool    // write as if all data were new: counts are the actual ones, not those stated by the item
	numbers  []int32 // the next numbers of fields that follow from the position in the map
}

// maxRatio is the largest compression ratio of deflate.
const maxRatio = 1032

// maxText limits texts that are inflated, in bytes: names take 128 bytes, settings many lines.
const maxText = 1 << 20

// dataRef is the field of an item that refers to a data block.
type dataRef struct {
	read    bool            // it was read from a file, and block and index come from that file
	index   int32           // the number in the item: the position of the block among the others
	block   *datafile.Block // nil if index is not the number of a block
	residue *DataResidue    // what remains of another form of the map
}

// placedRef is a dataRef that is about to be written.
type placedRef struct {
	at      int // index in the item's integers
	field   string
	ref     *dataRef
	changed bool                    // the block that was read is out of date
	content func() datafile.Content // the contents for the block; None: no block
	size    int64                   // the memory that content takes, in bytes, approximately
	whole   int                     // if the block has this number of bytes, they are the contents; 0: unknown
}

func (c *codec) writing() bool { return c.r == nil }

// more reports whether the item has another integer. It is always true when writing: items are written completely.
func (c *codec) more() bool { return c.writing() || c.r.Len() >= 4 }

func (c *codec) int32(name string, p *int32) {
	if c.writing() {
		c.ints = append(c.ints, *p)
	} else if c.more() {
		*p = c.r.Int32(name)
	}
}

// version visits the version of an item and returns the form of the item. A part whose version is 0, as in its zero
// value, is written in the usual version.
func (c *codec) version(p *int32, usual int32) int32 {
	v := *p
	if c.writing() && v == 0 {
		v = usual
	}
	if c.int32("version", &v); !c.writing() {
		*p = v
	}
	return v
}

// number visits an integer that follows from the position in the map. When writing it does not change *p, which is
// the value that was read. Another number has a meaning only in the file that it was read from, so it leaves no residue,
// except for an empty list.
func (c *codec) number(name string, p *int32) {
	if !c.writing() {
		c.int32(name, p)
		return
	}
	if c.numbers[len(c.numbers)-1] != 0 {
		c.exact = append(c.exact, len(c.ints))
	}
	c.ints, c.numbers = append(c.ints, c.numbers[0]), c.numbers[1:]
}

// When writing, int and bool do not change what p points at: other goroutines may read it at the same time.

func (c *codec) int(name string, p *int) {
	v := int32(*p)
	if c.int32(name, &v); !c.writing() {
		*p = int(v)
	}
}

func (c *codec) bool(name string, p *bool) {
	v := int32(0)
	if *p {
		v = 1
	}
	if c.int32(name, &v); !c.writing() {
		*p = v != 0
	}
}

// unused skips an integer without meaning.
func (c *codec) unused(name string) {
	var v int32
	c.int32(name, &v)
	if !c.writing() {
		c.r.MeansText("unused")
	}
}

// rest visits all remaining integers.
func (c *codec) rest(name string, p *[]int32) {
	if c.writing() {
		c.ints = append(c.ints, *p...)
	} else {
		*p = c.r.Int32s(name, c.r.Len()/4)
	}
}

// name visits a text in n integers: each byte plus 128, four bytes in an integer, big-endian, the last byte 0
// (section "Texts").
func (c *codec) name(name string, p *string, n int) {
	if c.writing() {
		c.ints = append(c.ints, nameInts(*p, n)...)
		return
	}
	v := c.r.Int32s(name, min(n, c.r.Len()/4))
	if len(v) < n {
		*p = ""
		return
	}
	*p, _ = nameText(v)
	c.r.MeansText(*p)
}

func nameInts(s string, n int) []int32 {
	b := make([]byte, 4*n)
	copy(b[:4*n-1], s)
	v := make([]int32, n)
	for i := range v {
		var u uint32
		for j := range 4 {
			u = u<<8 | uint32(b[4*i+j]+128)
		}
		v[i] = int32(u)
	}
	v[n-1] &^= 0xff
	return v
}

// nameText reads a text of integers. It returns "" and false if the text is not valid UTF-8.
func nameText(v []int32) (string, bool) {
	b := make([]byte, 0, 4*len(v))
	for _, i := range v {
		u := uint32(i)
		b = append(b, byte(u>>24)+128, byte(u>>16)+128, byte(u>>8)+128, byte(u)+128)
	}
	b = b[:len(b)-1]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	if !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// data visits a reference to a data block. When writing, content returns the contents of the block, and changed
// reports whether they differ from the block that was read.
func (c *codec) data(name string, ref *dataRef, changed bool, content func() ([]byte, bool)) {
	size := 0
	if ref.block != nil {
		size = int(max(ref.block.Size(), 0))
	}
	c.content(name, ref, changed, size, func() datafile.Content {
		data, ok := content()
		return datafile.Content{Bytes: data, None: !ok}
	})
}

// content is data for contents that may end in many zeros. Making them takes about size bytes of memory.
func (c *codec) content(name string, ref *dataRef, changed bool, size int, content func() datafile.Content) {
	if c.writing() {
		c.refs = append(c.refs, placedRef{
			at: len(c.ints), field: name, ref: ref, changed: changed || !ref.read, content: content, size: int64(size)})
		c.ints = append(c.ints, -1)
		return
	}
	ref.read, ref.index = true, -1
	c.int32(name, &ref.index)
	ref.block = c.file.Block(ref.index)
	if ref.block != nil {
		if c.named != nil {
			*c.named += max(0, min(int64(ref.block.Size()), maxRatio*int64(ref.block.StoredSize())))
		}
		c.r.MeansText("number of a data block")
	}
}

// state allows the block of a reference that was read the contents of a layer or an image of the stated size. If they
// are too large, and the block can have them, the item cannot be read.
func (c *codec) state(ref *dataRef, width, height, size int, packed bool) {
	n := int64(width) * int64(height)
	least := n * int64(size)
	if packed {
		least = n / 256 * 4
	}
	err := CheckSize(width, height)
	switch b := ref.block; {
	case b == nil:
	case err == nil:
		b.State(n * int64(size))
	case int64(b.Size()) >= least && b.Plausible() && c.err == nil:
		c.err = err
	}
}

// isWhole states for the data that was visited last that a block of size bytes is the contents.
func (c *codec) isWhole(size int) {
	if n := len(c.refs); n > 0 && !c.refs[n-1].changed {
		c.refs[n-1].whole = size
	}
}

// noData visits a reference that has no meaning in a layer of this kind: a number in it is stale, and its residue, but
// not a use of the block.
func (c *codec) noData(name string) {
	number := int32(-1)
	if c.int32(name, &number); !c.writing() && number != -1 {
		c.r.MeansText("unused")
	}
}

// text visits a reference to a block with a text that ends in NUL.
func (c *codec) text(name string, ref *dataRef, p *string) {
	if !c.writing() {
		c.data(name, ref, false, nil)
		*p = ref.text()
		return
	}
	s := *p
	c.data(name, ref, s != ref.text(), func() ([]byte, bool) {
		return append([]byte(s), 0), s != ""
	})
}

// texts visits a reference to a block with several texts, each ending in NUL.
func (c *codec) texts(name string, ref *dataRef, p *[]string) {
	if !c.writing() {
		c.data(name, ref, false, nil)
		*p = ref.texts()
		return
	}
	joined := strings.Join(*p, "\x00") + "\x00"
	n := len(*p)
	c.data(name, ref, joined != strings.Join(ref.texts(), "\x00")+"\x00", func() ([]byte, bool) {
		return []byte(joined), n > 0
	})
}

// bytes returns what can be read of the block, or nil without a block.
func (d *dataRef) bytes(limit int) []byte {
	if d.block == nil {
		return nil
	}
	data, _ := d.block.BytesUpTo(limit)
	return data
}

func (d *dataRef) text() string {
	data := d.bytes(maxText)
	if i := bytes.IndexByte(data, 0); i >= 0 {
		data = data[:i]
	}
	return cleanText(data)
}

func (d *dataRef) texts() []string {
	data := d.bytes(maxText)
	if len(data) == 0 {
		return nil
	}
	var list []string
	for part := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte{0}), []byte{0}) {
		list = append(list, cleanText(part))
	}
	return list
}

// cleanText returns the text as valid UTF-8; invalid bytes become U+FFFD.
func cleanText(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
