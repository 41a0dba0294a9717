package mapblock

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/text/words"
)

// Level is the default zlib level of the games. Since 5.4 they have a setting for it, map_compression_level_disk.
const Level = 6

// keepLevel in place of a level keeps the bytes of unchanged sections and the level of changed ones.
const keepLevel = -2

// LevelOf returns the zlib level that compresses content to stream, or [Level] if none does.
func LevelOf(stream, content []byte) int {
	if !bytes.HasPrefix(stream, []byte("\x78\x9c")) { // which is always level 6
		if level, ok := deflate.LevelOf(stream, content); ok {
			return level
		}
	}
	return Level
}

// MaxContent is the maximum size in bytes of the content of one compressed stream. The games have no limit; this
// limit bounds memory use.
const MaxContent = 64 << 20

// A packing is a way to compress a section.
type packing struct {
	name string
	// unpack reuses buf if it is large enough. It returns the readable content even with an error.
	unpack func(buf, stream []byte) (content []byte, used int, err error)
	pack   func(content []byte, level int) ([]byte, error)
}

var (
	packZlib = packing{"zlib", func(buf, stream []byte) ([]byte, int, error) {
		return deflate.DecompressUpToInto(buf, stream, MaxContent)
	}, func(content []byte, level int) ([]byte, error) {
		return deflate.Compress(nil, content, level)
	}}
	packNodes1 = packing{"zlib", func(buf, stream []byte) ([]byte, int, error) {
		return deflate.DecompressInto(buf, stream, 3*NodeCount)
	}, packZlib.pack}
	packNodes2 = packing{"zlib", func(buf, stream []byte) ([]byte, int, error) {
		return deflate.DecompressInto(buf, stream, 4*NodeCount)
	}, packZlib.pack}
	packRLE = packing{"run lengths", unpackRLE, packRuns}
)

// unpackRLE decompresses the format of versions 4 and 7 to 10: a 32-bit number of bytes, which must be NodeCount,
// then pairs of bytes: a count less 1, and a value.
func unpackRLE(buf, stream []byte) (content []byte, used int, err error) {
	if len(stream) < 4 {
		return nil, 0, fault.ErrShort
	}
	if n := binary.BigEndian.Uint32(stream); n != NodeCount {
		return nil, 0, fmt.Errorf("run lengths of %s, not %d", words.Count(n, "byte"), NodeCount)
	}
	content = slices.Grow(buf[:0], NodeCount)
	for used = 4; len(content) < NodeCount; used += 2 {
		if used+2 > len(stream) {
			return content, used, fault.ErrShort
		}
		n := int(stream[used]) + 1
		if n > NodeCount-len(content) {
			return content, used, fmt.Errorf("a run of %d bytes where %d are left", n, NodeCount-len(content))
		}
		content = append(content, bytes.Repeat(stream[used+1:used+2], n)...)
	}
	return content, used, nil
}

func packRuns(content []byte, _ int) ([]byte, error) {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	for i := 0; i < len(content); {
		n := 1
		for n < 256 && i+n < len(content) && content[i+n] == content[i] {
			n++
		}
		out = append(out, byte(n-1), content[i])
		i += n
	}
	return out, nil
}

var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return e
}}

// scratch holds buffers for inflating sections, or whole blocks of version 29. Data that a block keeps is copied from
// them.
var scratch = sync.Pool{New: func() any {
	b := make([]byte, 0, 128<<10) // the maximum size of a zstd block
	return &b
}}

// keepScratch is the largest buffer that is kept for reuse.
const keepScratch = 1 << 20

// withFrame inflates the zstd frame at the start of stream and calls f with its content, which is valid only during
// the call, the number of bytes of the frame, and the error, if any. Like the games, it reads one frame and ignores
// the following bytes.
func withFrame(stream []byte, f func(content []byte, used int, err error)) {
	buf := scratch.Get().(*[]byte)
	content, used, err := zframe.Decode(*buf, stream, MaxContent)
	f(content, used, err)
	if cap(content) > cap(*buf) && cap(content) <= keepScratch {
		*buf = content
	}
	scratch.Put(buf)
}

func packZstd(content []byte) []byte {
	e := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(e)
	return e.EncodeAll(content, nil)
}

// packed reads or writes a compressed section. When writing, an unchanged section keeps its stream; a changed one
// keeps its compression level.
func (c *codec) packed(name string, how packing, keep *[]byte, run func(*codec)) {
	if c.writing() {
		in := codec{level: c.level, steps: append(slices.Clip(c.steps), name)}
		if run(&in); in.err != nil {
			c.err = cmp.Or(c.err, in.err)
			return
		}
		level := c.level
		if level == keepLevel {
			old, used, err := how.unpack(nil, *keep)
			if err == nil && used == len(*keep) && bytes.Equal(old, in.w) {
				c.w = append(c.w, *keep...)
				return
			}
			level = LevelOf(*keep, old)
		}
		stream, err := how.pack(in.w, level)
		c.err = cmp.Or(c.err, err)
		c.w = append(c.w, stream...)
		return
	}
	if c.failed() {
		return
	}
	at, stream := c.r.Offset(), c.left()
	buf := scratch.Get().(*[]byte)
	if c.tracer != nil {
		*buf = nil // tracers may keep the values of fields
	}
	content, used, err := how.unpack(*buf, stream)
	defer func() {
		if cap(content) > cap(*buf) && cap(content) <= keepScratch {
			*buf = content
		}
		if c.tracer == nil {
			scratch.Put(buf)
		}
	}()
	c.work += len(content)
	if err != nil {
		c.r.FailAt(at, name, err, "a "+how.name+" stream", err.Error())
		return
	}
	c.grown += len(content) - used
	c.r.Span(name, used)
	if c.tracer != nil {
		c.means("%s, %s inflated", how.name, words.Count(len(content), "byte"))
	}
	c.r.Flush()
	*keep = stream[:used:used]
	in := newReader(content, c.r.Path(name)).trace(c.tracer, c.meaning)
	in.ids = c.ids
	defer in.free()
	run(in)
	in.r.Flush()
	if c.err == nil {
		c.err = in.fault()
	}
}
