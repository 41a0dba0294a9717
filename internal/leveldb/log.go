package leveldb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"trowel.example/fault"
)

// A log is a sequence of blocks of 32 KiB. A record is one chunk, or several
// that are marked as first, middle and last; no chunk crosses a block.
const (
	logBlockSize  = 32 << 10
	logHeaderSize = 7 // checksum, length, type

	chunkZero   = 0 // space that was allocated and never written
	chunkFull   = 1
	chunkFirst  = 2
	chunkMiddle = 3
	chunkLast   = 4
)

// ErrTorn is wrapped by the problem of a log that ends inside a record: the
// program that wrote it ended before the record was complete. The C++ library
// skips it in silence.
var ErrTorn = errors.New("the last record is not complete")

// A logReader reads the records of a log. Damage is reported, and reading continues
// after it, where the C++ library does.
type logReader struct {
	r      io.Reader
	name   string
	report func(*fault.Error)

	block [logBlockSize]byte
	rest  []byte // of the block, still to be read
	off   int64  // offset of rest in the file
	last  bool   // the block is the last one of the file
}

func newLogReader(r io.Reader, name string, report func(*fault.Error)) *logReader {
	return &logReader{r: r, name: name, report: report}
}

// next returns the next record and the offset of its first chunk. The record is
// the caller's own. It returns io.EOF at the end, or an error of the reader.
func (l *logReader) next() (record []byte, offset int64, err error) {
	inside := false
	drop := func(why string) {
		if inside {
			l.report(damaged(l.name, "record", offset, "the end of a record", why))
		}
		record, inside = nil, false
	}
	for {
		kind, data, err := l.chunk()
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
		switch kind {
		case chunkFull:
			drop("another record")
			return append([]byte(nil), data...), at, nil
		case chunkFirst:
			drop("another record")
			record, offset, inside = append([]byte(nil), data...), at, true
		case chunkMiddle, chunkLast:
			if !inside {
				l.report(damaged(l.name, "record", at, "the beginning of a record", "a later part of one"))
				continue
			}
			record = append(record, data...)
			if kind == chunkLast {
				return record, offset, nil
			}
		default:
			l.report(damaged(l.name, "chunk.type", at+6, "a type of chunk from 1 to 4", fmt.Sprint(kind)))
			drop("damage")
		}
	}
}

// errChunk says that a chunk is damaged, which has been reported.
var errChunk = errors.New("damaged chunk")

// chunk returns the next chunk.
func (l *logReader) chunk() (kind byte, data []byte, err error) {
	for len(l.rest) < logHeaderSize {
		if l.last {
			if len(l.rest) > 0 {
				l.torn(l.off)
			}
			l.skip()
			return 0, nil, io.EOF
		}
		l.skip() // too few bytes for a chunk end a block
		n, err := io.ReadFull(l.r, l.block[:])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, nil, err
		}
		l.last = n < logBlockSize
		l.rest = l.block[:n]
	}
	n := int(binary.LittleEndian.Uint16(l.rest[4:]))
	kind = l.rest[6]
	switch {
	case logHeaderSize+n > len(l.rest):
		if l.last {
			l.torn(l.off)
			l.skip()
			return 0, nil, io.EOF
		}
		l.report(damaged(l.name, "chunk.length", l.off+4, fmt.Sprintf("at most %d bytes", len(l.rest)-logHeaderSize), fmt.Sprint(n)))
		l.skip()
		return 0, nil, errChunk
	case kind == chunkZero && n == 0:
		l.skip()
		return 0, nil, errChunk
	}
	if want, got := binary.LittleEndian.Uint32(l.rest), maskedCRC(l.rest[6:logHeaderSize+n]); want != got {
		l.report(damaged(l.name, "chunk.checksum", l.off, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", got)))
		l.skip() // the length may be what is wrong
		return 0, nil, errChunk
	}
	data = l.rest[logHeaderSize : logHeaderSize+n]
	l.rest = l.rest[logHeaderSize+n:]
	l.off += int64(logHeaderSize + n)
	return kind, data, nil
}

// skip skips the rest of the block.
func (l *logReader) skip() {
	l.off += int64(len(l.rest))
	l.rest = nil
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
