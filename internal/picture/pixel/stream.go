package pixel

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync"

	"github.com/klauspost/compress/flate"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/parallel"
)

// stream writes the zlib stream of the pixels of one picture. It divides the rows into segments, compresses as many
// segments concurrently as there are cores, and concatenates them: each ends at a byte boundary, with an empty block.
type stream struct {
	chunk   func([]byte)
	kind    Kind
	level   int
	row     []byte
	above   []byte // the row above; zeros above the first
	next    *segment
	packing []*segment // in order
	adler   uint32     // checksum of the written data
	begun   bool
}

const (
	segmentSize = 1 << 20 // bytes of a segment before compression, or one row if that is longer
	level       = 7       // the lowest level with output sizes like those of image/png
	fastLevel   = 5       // the highest level that is much faster than that
)

func newStream(width int, kind Kind, level int, chunk func([]byte)) *stream {
	width *= bytesPer[kind]
	return &stream{chunk: chunk, kind: kind, level: level, row: make([]byte, width), above: make([]byte, width), adler: 1}
}

// segment is a part of the stream.
type segment struct {
	raw      bytes.Buffer // filtered rows
	packed   bytes.Buffer
	deflater *flate.Writer
	level    int    // of deflater
	adler    uint32 // checksum of raw
	done     chan *parallel.Panic
}

var segments = sync.Pool{New: func() any { return &segment{done: make(chan *parallel.Panic, 1)} }}

// add adds rows to the stream. Get returns the bytes of a row.
func (s *stream) add(rows int, get func(y int, row []byte)) {
	for y := range rows {
		if s.next != nil && s.next.raw.Len()+len(s.row) >= segmentSize {
			s.pack()
		}
		if s.next == nil {
			s.next = segments.Get().(*segment)
			s.next.raw.Reset()
			s.next.raw.Grow(max(segmentSize, len(s.row)+1))
		}
		get(y, s.row)
		filtered := s.next.raw.AvailableBuffer()[:len(s.row)+1]
		if s.kind == indexed {
			filtered[0] = filterNone
			copy(filtered[1:], s.row)
		} else {
			filterRow(filtered, s.row, s.above)
		}
		s.next.raw.Write(filtered)
		s.row, s.above = s.above, s.row
	}
}

// pack compresses the full segment in the background.
func (s *stream) pack() {
	g := s.next
	s.next = nil
	go func() { g.done <- parallel.Catch(func() { g.pack(s.level) }) }()
	if s.packing = append(s.packing, g); len(s.packing) > runtime.GOMAXPROCS(0) {
		s.put()
	}
}

func (g *segment) pack(level int) {
	g.packed.Reset()
	g.adler = deflate.Adler32(g.raw.Bytes())
	if g.deflater == nil || g.level != level {
		g.level = level
		g.deflater, _ = flate.NewWriter(&g.packed, level) // the level is valid, so there is no error
	} else {
		g.deflater.Reset(&g.packed)
	}
	_, _ = g.deflater.Write(g.raw.Bytes()) // into memory
	_ = g.deflater.Flush()
}

// put writes the first of the segments that are being compressed.
func (s *stream) put() {
	g := s.packing[0]
	s.packing = append(s.packing[:0], s.packing[1:]...)
	(<-g.done).Throw()
	data := g.packed.Bytes()
	if !s.begun {
		s.begun = true
		data = append([]byte{0x78, 0x9c}, data...)
	}
	s.chunk(data)
	s.adler = joinAdler(s.adler, g.adler, g.raw.Len())
	segments.Put(g)
}

// close ends the stream with an empty last block.
func (s *stream) close() {
	if s.next != nil {
		s.pack()
	}
	for len(s.packing) > 0 {
		s.put()
	}
	s.chunk(binary.BigEndian.AppendUint32([]byte{1, 0, 0, 0xff, 0xff}, s.adler))
}

func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// joinAdler returns the Adler-32 checksum of two concatenated texts with the checksums x and y, the second n bytes
// long.
func joinAdler(x, y uint32, n int) uint32 {
	const prime = 65521
	xa, xb, ya, yb := uint64(x&0xffff), uint64(x>>16), uint64(y&0xffff), uint64(y>>16)
	a := (xa + ya + prime - 1) % prime
	b := (xb + yb + uint64(n)%prime*(xa+prime-1)) % prime
	return uint32(b<<16 | a)
}

// filterRow filters a row by the row above or not at all: whichever gives more bytes equal to the preceding byte. The
// other filters of PNG save little for the graphics of games, and take as long as compressing does.
func filterRow(dst, row, above []byte) {
	up := dst[1 : 1+len(row)]
	same := 0
	i := 0
	var before, beforeUp uint64 // the last byte of the previous word, in the highest byte
	for ; i+8 <= len(row); i += 8 {
		v, w := binary.LittleEndian.Uint64(row[i:]), binary.LittleEndian.Uint64(above[i:])
		d := ((v | high) - (w &^ high)) ^ ((v ^ ^w) & high) // v-w, byte by byte
		binary.LittleEndian.PutUint64(up[i:], d)
		same += zeroBytes(d^(d<<8|beforeUp>>56)) - zeroBytes(v^(v<<8|before>>56))
		before, beforeUp = v, d
	}
	for ; i < len(row); i++ {
		up[i] = row[i] - above[i]
	}
	dst[0] = filterUp
	if same < 0 {
		dst[0] = filterNone
		copy(up, row)
	}
}

const (
	filterNone = 0
	filterUp   = 2
	high       = 0x8080808080808080
)

// zeroBytes returns the number of zero bytes in a word.
func zeroBytes(v uint64) int {
	const low = ^uint64(high)
	return bits.OnesCount64(^((v&low + low) | v) & high)
}
