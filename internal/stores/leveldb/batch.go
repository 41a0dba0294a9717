package leveldb

import (
	"encoding/binary"
	"fmt"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// batchHeaderSize is the size of the first record's sequence number and of the record count.
const batchHeaderSize = 12

// A Batch is a set of records that a [Writer] writes atomically. The zero value is empty.
type Batch struct {
	data  []byte // header and records in the format of a log
	count uint32
}

// Put sets the value of a key.
func (b *Batch) Put(key, value []byte) {
	b.add(kindPut, key)
	b.data = appendString(b.data, value)
}

// Delete removes a key, which need not exist.
func (b *Batch) Delete(key []byte) { b.add(kindDelete, key) }

func (b *Batch) add(kind byte, key []byte) {
	if b.data == nil {
		b.data = make([]byte, batchHeaderSize)
	}
	b.data = appendString(append(b.data, kind), key)
	b.count++
}

// seal returns the batch in the format of a log, with the sequence number of its first record.
func (b *Batch) seal(seq uint64) []byte {
	binary.LittleEndian.PutUint64(b.data, seq)
	binary.LittleEndian.PutUint32(b.data[8:], b.count)
	return b.data
}

// readBatch calls record with each record of a batch at an offset of a log. Like the C++ library, it accepts the
// records before damage. It returns the sequence number of the last record.
func readBatch(data []byte, offset int64, record func(tag uint64, key, value []byte)) (last uint64, err error) {
	r := bin.NewReader(data, bin.LittleEndian).At(offset)
	r.Enter("batch")
	seq := r.U64("sequence")
	count := r.U32("count")
	if r.Err() == nil && seq+uint64(count) > maxSequence {
		r.FailAt(offset, "sequence", fault.ErrFormat, "a 56-bit number", fmt.Sprint(seq))
	}
	n := uint32(0)
	for ; r.Err() == nil && r.Len() > 0; n++ {
		at := r.Offset()
		kind := r.U8("kind")
		key := readString(r, "key")
		var value []byte
		switch kind {
		case kindPut:
			value = readString(r, "value")
		case kindDelete:
		default:
			r.FailAt(at, "kind", fault.ErrFormat, "a kind of record, 0 or 1", fmt.Sprint(kind))
		}
		if n == count {
			r.FailAt(at, "count", fault.ErrFormat, words.Count(count, "record"), "more")
		}
		if r.Err() == nil {
			record((seq+uint64(n))<<8|uint64(kind), key, value)
		}
	}
	if n < count {
		r.Fail("count", fault.ErrFormat, words.Count(count, "record"), fmt.Sprint(n))
	}
	return seq + uint64(max(n, 1)) - 1, r.Err()
}
