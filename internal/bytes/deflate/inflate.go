package deflate

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

// The kinds of errors in a stream. The errors of [Decompress] and [DecompressUpTo] are of type *Error and match one of
// these with errors.Is.
var (
	ErrCorrupt   = errors.New("corrupt zlib stream")             // also for a wrong checksum
	ErrTruncated = errors.New("zlib stream ends too early")      // the data so far may be correct
	ErrTooShort  = errors.New("zlib stream has too little data") // all of it is correct
	ErrTooLong   = errors.New("zlib stream has too much data")   // the data so far is correct, but its checksum was not checked
)

// An Error describes what is wrong with a stream.
type Error struct {
	Kind     error // one of the values above
	Consumed int   // bytes of the stream that were read
	Size     int   // bytes of data that were decompressed
	Want     int64 // expected or maximum number of bytes
	Err      error // the cause, or nil
}

func (e *Error) Error() string {
	switch e.Kind {
	case ErrTooShort:
		return fmt.Sprintf("%v: %s, not %d", e.Kind, words.Count(e.Size, "byte"), e.Want)
	case ErrTooLong:
		return fmt.Sprintf("%v: more than %d bytes", e.Kind, e.Want)
	}
	return fmt.Sprintf("%v: at byte %d, after %s of data", e.Kind, e.Consumed, words.Count(e.Size, "byte"))
}

// Unwrap returns the kind, the matching errors of package fault, and the cause.
func (e *Error) Unwrap() []error {
	kinds := []error{e.Kind, fault.ErrFormat}
	if e.Kind == ErrTruncated || e.Kind == ErrTooShort {
		kinds[1] = fault.ErrShort
	}
	if e.Err != nil {
		kinds = append(kinds, e.Err)
	}
	return kinds
}

// Decompress inflates a stream that contains exactly size bytes of data. It also returns the length of the stream;
// bytes after the stream are ignored.
//
// On error it returns the data that could be read, at most size bytes. Memory is allocated as data is read, so that a
// large size costs nothing if the stream is shorter.
func Decompress(stream []byte, size int) (data []byte, consumed int, err error) {
	return DecompressInto(nil, stream, size)
}

// DecompressInto is Decompress into the memory of buf, whose contents are overwritten. If buf is too small or nil,
// memory is allocated.
func DecompressInto(buf, stream []byte, size int) (data []byte, consumed int, err error) {
	data, consumed, err = inflate(buf, stream, int64(size), fastInflate, true)
	if err == nil && len(data) < size {
		err = &Error{Kind: ErrTooShort, Consumed: consumed, Size: len(data), Want: int64(size)}
	}
	return data, consumed, err
}

// DecompressUpTo is [Decompress] for a stream of unknown size with at most limit bytes of data.
func DecompressUpTo(stream []byte, limit int64) (data []byte, consumed int, err error) {
	return DecompressUpToInto(nil, stream, limit)
}

// DecompressUpToInto is DecompressUpTo into the memory of buf, as [DecompressInto] does.
func DecompressUpToInto(buf, stream []byte, limit int64) (data []byte, consumed int, err error) {
	return inflate(buf, stream, limit, minInflate, false)
}

// NewReader returns a reader of the data of a stream, which is in memory piece by piece. It ends with an error where
// [Decompress] would return one for the size of all data.
func NewReader(stream []byte) io.Reader {
	effort.Inflated.Add(1)
	r := &reader{inflater: newInflater(), sum: 1}
	r.failed = r.reset(stream)
	return r
}

// reader reads the data of a stream piece by piece.
type reader struct {
	*inflater
	sum    uint32 // of the data so far
	failed error
}

// Read reads the next data, and checks the checksum at its end.
func (r *reader) Read(p []byte) (n int, err error) {
	if r.failed == nil {
		n, r.failed = r.r.Read(p)
		r.sum = addAdler(r.sum, p[:n])
		if r.failed == io.EOF {
			r.failed = cmp.Or(r.end(r.sum), io.EOF)
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, r.failed
}

// NewDraft returns a writer that compresses data as it comes, quickly. Unlike that of [Compress], its stream is not the one of
// C zlib. It must be closed.
func NewDraft(w io.Writer) io.WriteCloser {
	z, _ := zlib.NewWriterLevel(w, zlib.BestSpeed) // which is a level
	return z
}

// An inflater is a reusable reader with its source.
type inflater struct {
	src bytes.Reader
	r   io.Reader // a flate.Resetter, too
}

func newInflater() *inflater {
	f := new(inflater)
	f.r = flate.NewReader(&f.src)
	return f
}

var inflaters = sync.Pool{New: func() any { return newInflater() }}

// reset starts reading a stream, and checks its header.
func (f *inflater) reset(stream []byte) error {
	f.src.Reset(stream[min(headerLen, len(stream)):])
	if len(stream) < headerLen {
		return io.ErrUnexpectedEOF
	}
	head := binary.BigEndian.Uint16(stream)
	switch {
	case head>>8&0x0f != 8 || head>>12 > 7 || head%31 != 0:
		return zlib.ErrHeader
	case head&0x20 != 0:
		return zlib.ErrDictionary
	}
	return f.r.(flate.Resetter).Reset(&f.src, nil)
}

// end checks the checksum after the data.
func (f *inflater) end(adler uint32) error {
	var sum [sumLen]byte
	if _, err := io.ReadFull(&f.src, sum[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if binary.BigEndian.Uint32(sum[:]) != adler {
		return zlib.ErrChecksum
	}
	return nil
}

const (
	maxRatio    = 1032 // a match of 258 bytes takes two bits or more
	usualRatio  = 4
	minInflate  = 512     // always granted
	fastInflate = 1 << 20 // granted for a known size, if the ratio permits it
	likelyPart  = 16      // a stream with this part of its stated data probably has all
)

// inflate reads a stream with up to limit bytes of data, or with exactly as many. Before data has been read, it allocates at
// most first bytes or the usual size for such a stream.
func inflate(buf, stream []byte, limit, first int64, exactly bool) (data []byte, consumed int, err error) {
	n := int64(len(stream))
	first = min(limit, max(first, usualRatio*n), minInflate+maxRatio*n)
	likely := int64(math.MaxInt64)
	if exactly {
		likely = max(first, limit/likelyPart)
	}
	consumed, err = open(stream, limit, func(f *inflater) (int, error) {
		data, err = f.read(buf, int(first), limit, likely)
		return len(data), err
	})
	return data, consumed, err
}

// Verify returns the length of a stream with exactly size bytes of data, and the error that [Decompress] would return.
// It keeps no data, so its memory does not depend on size.
func Verify(stream []byte, size int) (consumed int, err error) {
	n := 0
	consumed, err = open(stream, int64(size), func(f *inflater) (int, error) {
		n, err = f.skip(int64(size))
		return n, err
	})
	if err == nil && n < size {
		err = &Error{Kind: ErrTooShort, Consumed: consumed, Size: n, Want: int64(size)}
	}
	return consumed, err
}

// open calls read to read the data of a stream, up to limit bytes, and returns the length of the stream. Read returns
// the size of the data.
func open(stream []byte, limit int64, read func(*inflater) (int, error)) (consumed int, err error) {
	if limit < 0 {
		return 0, &Error{Kind: ErrTooLong, Want: limit} // even without data
	}
	effort.Inflated.Add(1)
	f := inflaters.Get().(*inflater)
	defer func() {
		f.src.Reset(nil)
		inflaters.Put(f)
	}()
	size := 0
	if err = f.reset(stream); err == nil {
		size, err = read(f)
	}
	consumed = len(stream) - f.src.Len()
	if err == nil {
		return consumed, nil
	}
	e := &Error{Kind: ErrCorrupt, Consumed: consumed, Size: size, Want: limit, Err: err}
	switch {
	case errors.Is(err, ErrTooLong):
		e.Kind, e.Err = ErrTooLong, nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Kind = ErrTruncated
	}
	return consumed, e
}

// skip reads to the end of the stream and discards the data.
func (f *inflater) skip(limit int64) (size int, err error) {
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	sum := uint32(1)
	for {
		n, err := f.r.Read(chunk[:])
		n = int(min(int64(n), limit+1-int64(size))) // one excess byte is enough
		size += n
		if int64(size) > limit {
			return int(limit), ErrTooLong
		}
		sum = addAdler(sum, chunk[:n])
		if err == io.EOF {
			return size, f.end(sum)
		}
		if err != nil {
			return size, err
		}
	}
}

const chunkSize = 32 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// read reads to the end of the stream. It starts with the memory of buf, or allocates first bytes if buf is smaller.
// From likely bytes on it expects limit bytes: memory that grows step by step takes twice as much.
func (f *inflater) read(buf []byte, first int, limit, likely int64) ([]byte, error) {
	data := buf[:0:min(int64(cap(buf)), limit)]
	if cap(data) < first {
		data = make([]byte, 0, first)
	}
	for {
		if len(data) == cap(data) {
			var one [1]byte
			n, err := f.r.Read(one[:])
			switch {
			case err == io.EOF && n == 0:
				return data, f.end(Adler32(data))
			case n == 0 && err != nil:
				return data, err
			case n > 0 && int64(len(data)) >= limit:
				return data, ErrTooLong
			}
			data = grow(data, limit, likely)
			data = append(data, one[:n]...)
		}
		n, err := f.r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, f.end(Adler32(data))
		}
		if err != nil {
			return data, err
		}
	}
}

// grow returns data with more room, up to a capacity of limit bytes.
func grow(data []byte, limit, likely int64) []byte {
	size := min(max(2*int64(cap(data)), minInflate), limit)
	if int64(len(data)) >= likely {
		size = limit
	}
	more := make([]byte, len(data), size)
	copy(more, data)
	return more
}
