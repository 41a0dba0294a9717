// Package zframe inflates zstd frames from untrusted sources: the memory grows with the actual data, up to a limit,
// whatever size the frame states.
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
	"trowel.example/internal/text/words"
)

const (
	magic     = 0xfd2fb528
	maxBlock  = 128 << 10 // maximum content of a block
	maxWindow = 1 << 27   // the default limit of C zstd
)

// The kinds of errors in a frame, in addition to the decoder's errors.
var (
	errNoFrame = errors.New("not a zstd frame")
	ErrTooLong = errors.New("zstd frame has too much data") // the data so far is correct, but its checksum was not checked
)

// header is the information in the headers of a frame and of its blocks.
type header struct {
	length int    // length of the frame in bytes
	flags  byte   // the frame's descriptor
	dict   []byte // the dictionary's id
	blocks int    // offset of the first block
	stated uint64 // stated size of the content, if hasSize
	most   uint64 // maximum size of the content of all blocks
}

const (
	flagSingle   = 0x20 // there is no window field: the window is the whole content
	flagChecksum = 0x04
)

func (h *header) single() bool  { return h.flags&flagSingle != 0 }
func (h *header) hasSize() bool { return h.single() || h.flags>>6 != 0 }

// read reads the headers. On error they are valid up to the end of data.
func (h *header) read(data []byte) error {
	if len(data) < 6 && bytes.HasPrefix(binary.LittleEndian.AppendUint32(nil, magic), data[:min(len(data), 4)]) {
		return fmt.Errorf("%w: %w", errNoFrame, fault.ErrShort)
	}
	if len(data) < 6 || binary.LittleEndian.Uint32(data) != magic {
		return errNoFrame
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
		case 0: // stored uncompressed
			at += n
			h.most += uint64(n)
		case 1: // a repeated byte
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

// withoutSize returns the frame without the stated size of its content, for which the decoder would allocate all
// memory at once.
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

// Most returns a size in bytes that the content of the frame at the start of data does not exceed, from the headers of its
// blocks: at most 128 KiB for each of them, also if it ends or breaks off in the middle. It is 0 if there is no frame.
func Most(data []byte) int64 {
	var h header
	_ = h.read(data)
	return int64(h.most)
}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // the options are invalid
	}
	return d
}}

// Decode inflates the frame at the start of data, if its content has at most limit bytes. It uses the memory of buf if
// there is enough. It also returns the length of the frame; bytes after the frame are ignored. On error it returns the
// content that could be read, even of a truncated frame.
func Decode(buf, data []byte, limit int) (content []byte, used int, err error) {
	var h header
	broken := h.read(data)
	if errors.Is(broken, errNoFrame) {
		return nil, 0, broken
	}
	frame, used := data[:h.length], h.length
	if broken == nil && h.hasSize() {
		switch {
		case h.stated > uint64(limit):
			return nil, used, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLong, h.stated, limit)
		case h.stated > h.most:
			return nil, used, fmt.Errorf("zstd frame of %s states a size of %d, more than its blocks can hold", words.Count(used, "byte"), h.stated)
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
		// The decoder has several errors for a block that does not fit. If there was room for any block, the block is
		// damaged.
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
		err = fmt.Errorf("zstd frame has %d bytes but states %d", len(content), h.stated)
	}
	return content, used, err
}
