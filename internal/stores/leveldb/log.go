package leveldb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"trowel.example/fault"
)

// A log is a sequence of blocks of 32 KiB. A record is one chunk, or several chunks marked as first, middle and last;
// a chunk does not cross blocks.
const (
	logBlockSize  = 32 << 10
	logHeaderSize = 7 // checksum, length, type

	chunkZero   = 0 // allocated space that was never written
	chunkFull   = 1
	chunkFirst  = 2
	chunkMiddle = 3
	chunkLast   = 4
)

// ErrTorn is wrapped by the problem of a log that ends inside a record: the program that wrote it ended before the
// record was complete. The C++ library skips such a record silently.
var ErrTorn = errors.New("the last record is not complete")

// A logReader reads the records of a log. It reports damage, and continues with the next chunk with a correct
// checksum.
type logReader struct {
	r       io.Reader
	name    string
	report  func(*fault.Error)
	damaged func(record []byte, offset int64) // receives records with a wrong checksum; may be nil

	block [logBlockSize]byte
	rest  []byte // unread part of the block
	off   int64  // offset of rest in the file
	last  bool   // the block is the last one of the file
}

func newLogReader(r io.Reader, name string, report func(*fault.Error)) *logReader {
	return &logReader{r: r, name: name, report: report}
}

// next returns the next record and the offset of its first chunk. The caller may keep the record. At the end next
// returns io.EOF.
func (l *logReader) next() (record []byte, offset int64, err error) {
	inside, bad := false, false
	drop := func(why string) {
		if inside {
			l.report(damaged(l.name, "record", offset, "the end of a record", why))
		}
		record, inside, bad = nil, false, false
	}
	for {
		kind, data, wrong, err := l.chunk()
		switch {
		case err == io.EOF:
			if inside {
				l.torn(offset)
			}
			return nil, 0, io.EOF
		case errors.Is(err, errChunk):
			drop("damage")
			continue
		case err != nil:
			return nil, 0, err
		}
		at := l.off - int64(len(data)) - logHeaderSize
		bad = bad || wrong
		switch kind {
		case chunkFull:
			drop("another record")
			if record = append([]byte(nil), data...); !wrong {
				return record, at, nil
			}
			l.take(record, at)
		case chunkFirst:
			drop("another record")
			record, offset, inside, bad = append([]byte(nil), data...), at, true, wrong
		case chunkMiddle, chunkLast:
			if !inside {
				l.report(damaged(l.name, "record", at, "the beginning of a record", "a later part of a record"))
				continue
			}
			record = append(record, data...)
			if kind == chunkLast && !bad {
				return record, offset, nil
			}
			if kind == chunkLast {
				l.take(record, offset)
				record, inside, bad = nil, false, false
			}
		default:
			l.report(damaged(l.name, "chunk.type", at+6, "a type of chunk from 1 to 4", fmt.Sprint(kind)))
			drop("damage")
		}
	}
}

// take passes a record with a wrong checksum to l.damaged.
func (l *logReader) take(record []byte, offset int64) {
	if l.damaged != nil {
		l.damaged(record, offset)
	}
}

// errChunk means that a chunk is damaged, which has already been reported.
var errChunk = errors.New("damaged chunk")

// chunk returns the next chunk, and whether its checksum is wrong.
func (l *logReader) chunk() (kind byte, data []byte, wrong bool, err error) {
	for len(l.rest) < logHeaderSize {
		if l.last {
			if len(l.rest) > 0 {
				l.torn(l.off)
			}
			l.skip(len(l.rest))
			return 0, nil, false, io.EOF
		}
		l.skip(len(l.rest)) // too few bytes for a chunk: the end of the block
		n, err := io.ReadFull(l.r, l.block[:])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, nil, false, err
		}
		l.last = n < logBlockSize
		l.rest = l.block[:n]
	}
	n := int(binary.LittleEndian.Uint16(l.rest[4:]))
	kind = l.rest[6]
	whole := logHeaderSize + n
	switch {
	case whole > len(l.rest):
		next := nextChunk(l.rest)
		if l.last && next == len(l.rest) {
			l.torn(l.off)
			l.skip(next)
			return 0, nil, false, io.EOF
		}
		l.report(damaged(l.name, "chunk.length", l.off+4, fmt.Sprintf("at most %d bytes", len(l.rest)-logHeaderSize), fmt.Sprint(n)))
		l.skip(next)
		return 0, nil, false, errChunk
	case kind == chunkZero && n == 0:
		l.skip(len(l.rest))
		return 0, nil, false, errChunk
	}
	if want, got := binary.LittleEndian.Uint32(l.rest), maskedCRC(l.rest[6:whole]); want != got {
		l.report(damaged(l.name, "chunk.checksum", l.off, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", got)))
		if rest := l.rest[whole:]; len(rest) >= logHeaderSize && !isChunk(rest) {
			l.skip(nextChunk(l.rest)) // the length itself may be wrong
			return 0, nil, false, errChunk
		}
		wrong = true
	}
	data = l.rest[logHeaderSize:whole]
	l.skip(whole)
	return kind, data, wrong, nil
}

// isChunk reports whether data begins with a chunk with a correct checksum.
func isChunk(data []byte) bool {
	if len(data) < logHeaderSize || data[6] < chunkFull || data[6] > chunkLast {
		return false
	}
	end := logHeaderSize + int(binary.LittleEndian.Uint16(data[4:]))
	return end <= len(data) && binary.LittleEndian.Uint32(data) == maskedCRC(data[6:end])
}

// nextChunk returns the offset in a block of the next valid chunk after a damaged one.
func nextChunk(block []byte) int {
	for at := 1; at < len(block); at++ {
		if isChunk(block[at:]) {
			return at
		}
	}
	return len(block)
}

// skip skips bytes of the block.
func (l *logReader) skip(n int) {
	l.off += int64(n)
	l.rest = l.rest[n:]
}

func (l *logReader) torn(offset int64) {
	l.report(&fault.Error{File: l.name, Path: "record", Offset: offset, Want: "the end of a record", Got: "the end of the file", Err: ErrTorn})
}

// A logWriter appends records to a log.
type logWriter struct {
	w    io.Writer
	room int // bytes left in the block
	buf  []byte
}

func newLogWriter(w io.Writer) *logWriter { return &logWriter{w: w, room: logBlockSize} }

// add appends a record with a single write.
func (l *logWriter) add(record []byte) error {
	l.buf = l.buf[:0]
	for first := true; first || len(record) > 0; first = false {
		if l.room < logHeaderSize {
			l.buf = append(l.buf, make([]byte, l.room)...)
			l.room = logBlockSize
		}
		n := min(len(record), l.room-logHeaderSize)
		kind := byte(chunkMiddle)
		switch last := n == len(record); {
		case first && last:
			kind = chunkFull
		case first:
			kind = chunkFirst
		case last:
			kind = chunkLast
		}
		l.buf = binary.LittleEndian.AppendUint32(l.buf, maskedCRC([]byte{kind}, record[:n]))
		l.buf = binary.LittleEndian.AppendUint16(l.buf, uint16(n))
		l.buf = append(append(l.buf, kind), record[:n]...)
		l.room -= logHeaderSize + n
		record = record[n:]
	}
	_, err := l.w.Write(l.buf)
	return err
}
