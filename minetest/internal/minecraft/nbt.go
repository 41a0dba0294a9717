package minecraft

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/trace"
)

// Kind is the type of a tag.
type Kind uint8

// The kinds of tags.
const (
	End Kind = iota
	Byte
	Short
	Int
	Long
	Float
	Double
	ByteArray
	String
	List
	Compound
	IntArray
	LongArray
)

var kindNames = [...]string{"end", "byte", "short", "int", "long", "float", "double", "byte array", "string", "list", "compound",
	"int array", "long array"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// sizes are the sizes of numbers in bytes, and of the elements of arrays.
var sizes = [...]int{Byte: 1, Short: 2, Int: 4, Long: 8, Float: 4, Double: 8, ByteArray: 1, IntArray: 4, LongArray: 8}

const maxDepth = 512 // nested lists and compounds, as in the game

// Tag is a tag, with its value in the bytes of the file. The zero value is a tag that does not exist: its value is 0 or empty.
type Tag struct {
	Kind    Kind
	Name    string
	data    []byte // the value
	offset  int    // of the value in the decompressed file
	content Kind   // of a list
}

// Decompress returns the content of a file, which may be compressed by gzip, as those of Minecraft are.
func Decompress(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		if err := effort.MinecraftFile.Check("", int64(len(data))); err != nil {
			return nil, err
		}
		return data, nil
	}
	// It is inflated twice, first to learn its size: a buffer that grows would take more than twice the memory.
	size := int64(0)
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		size, err = io.Copy(io.Discard, io.LimitReader(z, effort.MinecraftFile.Limit(0)+1))
	}
	if err := effort.MinecraftFile.Check("", size); err != nil {
		return nil, err
	}
	if err == nil {
		err = z.Reset(bytes.NewReader(data))
	}
	content := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(z, content)
	}
	if err != nil {
		return nil, &fault.Error{Offset: -1, Want: "a whole gzip file", Got: err.Error(), Err: fault.ErrFormat}
	}
	return content, nil
}

// ParseTag reads a decompressed file, which is one compound and was stored in a number of bytes. It checks all of it. Offsets
// in errors are those in data.
func ParseTag(data []byte, stored int) (Tag, error) {
	meter := effort.MinecraftTags.Start(int64(stored))
	r := reader{data: data, meter: &meter}
	t := r.tag(0)
	if r.err == nil && t.Kind != Compound {
		r.fail(0, "a compound", t.Kind.String())
	}
	if r.err == nil && r.at < len(data) {
		r.fail(r.at, "the end of the file", fmt.Sprintf("%d more bytes", len(data)-r.at))
	}
	return t, r.err
}

// manyTags is how many tags are counted at a time.
const manyTags = 1024

// reader reads tags one after the other.
type reader struct {
	data  []byte
	at    int
	err   error
	trace trace.Tracer  // may be nil
	meter *effort.Meter // nil if the tags were counted before
	tags  int64         // that were read
	path  string        // of the current tag, if there is a tracer
}

func (r *reader) fail(at int, want, got string) {
	if r.err == nil {
		r.err = &fault.Error{Offset: int64(at), Path: r.path, Want: want, Got: got, Err: fault.ErrFormat}
	}
}

// take returns the next n bytes, or zeroes after an error.
func (r *reader) take(n int) []byte {
	if r.err == nil && n > len(r.data)-r.at {
		r.err = &fault.Error{Offset: int64(r.at), Path: r.path, Want: fmt.Sprintf("%d bytes", n), Got: fmt.Sprintf("%d", len(r.data)-r.at),
			Err: fault.ErrShort}
	}
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// tag reads a tag with its name.
func (r *reader) tag(depth int) Tag {
	from := r.at
	t := Tag{Kind: Kind(r.take(1)[0])}
	if r.err != nil || t.Kind == End {
		return t
	}
	t.Name = string(r.take(int(binary.BigEndian.Uint16(r.take(2)))))
	if r.trace != nil && r.err == nil {
		path := r.path
		defer func() { r.path = path }()
		if r.path != "" {
			r.path += "."
		}
		r.path += t.Name
		r.report(from, "head", t.Name, t.Kind.String())
	}
	return r.value(t, depth)
}

// value reads the value of a tag whose kind is known.
func (r *reader) value(t Tag, depth int) Tag {
	if t.Kind > LongArray || t.Kind == End {
		r.fail(r.at, "a tag of a known kind", t.Kind.String())
		return t
	}
	if depth > maxDepth {
		r.fail(r.at, fmt.Sprintf("at most %d nested tags", maxDepth), "more")
		return t
	}
	if r.tags++; r.tags%manyTags == 0 && r.meter != nil && r.err == nil {
		if r.err = r.meter.Spend(manyTags); r.err != nil {
			return t
		}
	}
	from := r.at
	switch t.Kind {
	case ByteArray, IntArray, LongArray:
		r.skip(sizes[t.Kind])
	case String:
		r.take(int(binary.BigEndian.Uint16(r.take(2))))
	case List:
		t.content = Kind(r.take(1)[0])
		n := r.count()
		r.report(from, "content", n, t.content.String())
		if size := t.content; n > 0 && size < ByteArray && size != End && r.trace == nil {
			r.takeMany(n, sizes[size])
			break
		}
		for i := 0; i < n && r.err == nil; i++ {
			r.element(t.content, i, depth)
		}
	case Compound:
		for r.err == nil {
			from := r.at
			if r.tag(depth+1).Kind == End {
				r.report(from, "end", nil, "")
				break
			}
		}
	default:
		r.take(sizes[t.Kind])
	}
	if r.err == nil {
		t.data, t.offset = r.data[from:r.at:r.at], from
		if r.trace != nil && t.Kind != List && t.Kind != Compound {
			r.report(from, "", t.shown(), "")
		}
	}
	return t
}

// element reads an element of a list.
func (r *reader) element(kind Kind, i, depth int) {
	if r.trace != nil {
		path := r.path
		r.path += fmt.Sprintf("[%d]", i)
		defer func() { r.path = path }()
	}
	r.value(Tag{Kind: kind}, depth+1)
}

func (r *reader) count() int {
	at := r.at
	n := int(int32(binary.BigEndian.Uint32(r.take(4))))
	if n < 0 {
		r.fail(at, "a count of 0 or more", fmt.Sprint(n))
		return 0
	}
	return n
}

// skip reads an array.
func (r *reader) skip(size int) { r.takeMany(r.count(), size) }

func (r *reader) takeMany(n, size int) {
	if n > len(r.data)/size {
		n = len(r.data)/size + 1
	}
	r.take(n * size)
}

// report reports the bytes that were read since an offset to the tracer.
func (r *reader) report(from int, name string, value any, meaning string) {
	if r.trace == nil || r.err != nil {
		return
	}
	path := r.path
	if name != "" {
		path += "." + name
	}
	r.trace(trace.Field{Space: "content", Path: path, Offset: int64(from), Len: int64(r.at - from), Value: value, Meaning: meaning,
		Bytes: r.data[from:r.at]})
}

// Trace reports each tag of a decompressed file, which was stored in a number of bytes, to t.
func Trace(data []byte, stored int, t trace.Tracer) error {
	meter := effort.MinecraftTags.Start(int64(stored))
	r := reader{data: data, trace: t, meter: &meter}
	r.tag(0)
	if r.err == nil && r.at < len(data) {
		from := r.at
		r.at = len(data)
		r.report(from, "trailing", nil, "")
	}
	return r.err
}

// shown returns the value for a trace.
func (t Tag) shown() any {
	switch t.Kind {
	case String:
		return t.Text()
	case Float, Double:
		return fmt.Sprint(t.Number())
	case ByteArray, IntArray, LongArray:
		return nil
	}
	n, _ := t.Integer()
	return n
}

// Integer returns the value of a number without fraction, and whether the tag is one.
func (t Tag) Integer() (int64, bool) {
	switch t.Kind {
	case Byte:
		return int64(int8(t.data[0])), true
	case Short:
		return int64(int16(binary.BigEndian.Uint16(t.data))), true
	case Int:
		return int64(int32(binary.BigEndian.Uint32(t.data))), true
	case Long:
		return int64(binary.BigEndian.Uint64(t.data)), true
	}
	return 0, false
}

// Number returns the value of a number with a fraction.
func (t Tag) Number() float64 {
	switch t.Kind {
	case Float:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(t.data)))
	case Double:
		return math.Float64frombits(binary.BigEndian.Uint64(t.data))
	}
	return 0
}

// Text returns the value of a string.
func (t Tag) Text() string {
	if t.Kind != String {
		return ""
	}
	return string(t.data[2:])
}

// Bytes returns the value of an array of bytes. It is a part of the file.
func (t Tag) Bytes() []byte {
	if t.Kind != ByteArray {
		return nil
	}
	return t.data[4:]
}

// Offset returns the offset of the value in the decompressed file, and for an array that of its first element.
func (t Tag) Offset() int64 {
	if t.Kind == ByteArray {
		return int64(t.offset) + 4
	}
	return int64(t.offset)
}

// Len returns the number of elements of a list.
func (t Tag) Len() int {
	if t.Kind != List {
		return 0
	}
	return int(binary.BigEndian.Uint32(t.data[1:]))
}

// Tags yields the tags of a compound.
func (t Tag) Tags() iter.Seq[Tag] {
	return func(yield func(Tag) bool) {
		if t.Kind != Compound {
			return
		}
		r := reader{data: t.data}
		for {
			c := r.tag(0) // its content is checked, also how deep it is
			if c.offset += t.offset; c.Kind == End || !yield(c) {
				return
			}
		}
	}
}

// Get returns the tag of a compound with a name; of several, the last one counts, as in the game.
func (t Tag) Get(name string) (found Tag) {
	for c := range t.Tags() {
		if c.Name == name {
			found = c
		}
	}
	return found
}
