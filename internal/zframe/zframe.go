// Package zframe inflates zstd frames that nobody vouches for: with memory that
// grows with what really comes, up to a limit, whatever the frame says of its size.
package zframe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"

	"trowel.example/fault"
)

const (
	magic     = 0xfd2fb528
	maxBlock  = 128 << 10 // no block stands for more
	maxWindow = 1 << 27   // as much as C zstd takes without being asked to
)

// What can be wrong with a frame, besides what the decoder finds.
var (
	ErrNoFrame = errors.New("no zstd frame")
	ErrTooLong = errors.New("zstd frame has too much data") // what was read is right, but not checked
)

// header is what the headers of a frame and of its blocks say.
type header struct {
	length int    // of the frame, in bytes
	flags  byte   // the frame's descriptor
	dict   []byte // the dictionary's id
	blocks int    // where the first block begins
	stated uint64 // the size of the content, if hasSize
	most   uint64 // bytes that the blocks stand for at most
}

const (
	flagSingle   = 0x20 // there is no window: it is the content
	flagChecksum = 0x04
)

func (h *header) single() bool  { return h.flags&flagSingle != 0 }
func (h *header) hasSize() bool { return h.single() || h.flags>>6 != 0 }

// read reads the headers. With an error they are right up to where data ends.
func (h *header) read(data []byte) error {
	if len(data) < 6 && bytes.HasPrefix(binary.LittleEndian.AppendUint32(nil, magic), data[:min(len(data), 4)]) {
		return fmt.Errorf("%w: %w", ErrNoFrame, fault.ErrShort)
	}
	if len(data) < 6 || binary.LittleEndian.Uint32(data) != magic {
		return ErrNoFrame
	}
	h.flags, h.length = data[4], len(data)
	at := 5
	if !h.single() {
		at++ // window
	}
	dict := []int{0, 1, 2, 4}[h.flags&3]
	size := 0
	if h.hasSize() {
		size = 1 << (h.flags >> 6)
	}
	if at+dict+size > len(data) {
		return fault.ErrShort
	}
	h.dict = data[at : at+dict]
	at += dict
	var stated [8]byte
	copy(stated[:], data[at:at+size])
	if h.stated = binary.LittleEndian.Uint64(stated[:]); size == 2 {
		h.stated += 256
	}
	at += size
	for h.blocks = at; ; {
		if at+3 > len(data) {
			return fault.ErrShort
		}
		head := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		at += 3
		switch n := head >> 3; head >> 1 & 3 {
		case 0: // as it is
			at += n
			h.most += uint64(n)
		case 1: // one byte, many times
			at++
			h.most += uint64(n)
		case 2:
			at += n
			h.most += maxBlock
		case 3:
			return errors.New("zstd block of a reserved type")
		}
		if head&1 != 0 {
			break
		}
	}
	if h.flags&flagChecksum != 0 {
		at += 4
	}
	if at > len(data) {
		return fault.ErrShort
	}
	h.length = at
	return nil
}

// withoutSize returns the frame without the size of its content, which would
// have the decoder ask for all of the memory at once.
func (h *header) withoutSize(frame []byte) []byte {
	window := byte(max(bits.Len64(h.stated), 10)-10) << 3
	if !h.single() {
		window = frame[5]
	}
	out := make([]byte, 0, len(frame)+1)
	out = append(out, frame[:4]...)
	out = append(out, h.flags&0x1f, window)
	out = append(out, h.dict...)
	return append(out, frame[h.blocks:]...)
}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // the options are wrong
	}
	return d
}}

// Decode inflates the frame at the start of data, if it has no more than limit
// bytes of content, into the memory of buf as far as that has room. It also returns
// how many bytes the frame takes; those after it are not looked at. With an error
// comes the content that could be read, also of a frame that is cut off.
func Decode(buf, data []byte, limit int) (content []byte, used int, err error) {
	var h header
	broken := h.read(data)
	if errors.Is(broken, ErrNoFrame) {
		return nil, 0, broken
	}
	frame, used := data[:h.length], h.length
	if broken == nil && h.hasSize() {
		switch {
		case h.stated > uint64(limit):
			return nil, used, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLong, h.stated, limit)
		case h.stated > h.most:
			return nil, used, fmt.Errorf("zstd frame of %d bytes says that it has %d, more than its blocks can", used, h.stated)
		}
	}
	buf = buf[:0]
	if room := int(min(h.most, maxBlock)); cap(buf) < room {
		buf = make([]byte, 0, room)
	}
	bare := false
	if h.hasSize() && h.blocks > 0 && h.stated > uint64(cap(buf)) {
		frame, bare = h.withoutSize(frame), true
	}
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	most := min(h.most, uint64(limit)+maxBlock)
	for {
		content, err = d.DecodeAll(frame, buf)
		// The decoder has many words for a block for which there is no room. Where
		// there was room for any, it is damaged.
		if err == nil || cap(buf)-len(content) >= maxBlock || uint64(cap(buf)) >= most {
			break
		}
		buf = make([]byte, 0, min(4*uint64(cap(buf)), most))
	}
	switch {
	case len(content) > limit:
		return content[:limit], used, fmt.Errorf("%w: more than %d bytes", ErrTooLong, limit)
	case broken != nil:
		err = broken
	case err == nil && bare && uint64(len(content)) != h.stated:
		err = fmt.Errorf("zstd frame has %d bytes, and says %d", len(content), h.stated)
	}
	return content, used, err
}
