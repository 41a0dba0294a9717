package leveldb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
)

// comparator is the name of the key order that the games use: by bytes.
const comparator = "leveldb.BytewiseComparator"

const maxLevel = 6

// The fields of a record of the manifest.
const (
	tagComparator     = 1
	tagLogNumber      = 2
	tagNextFile       = 3
	tagLastSequence   = 4
	tagCompactPointer = 5
	tagDeletedFile    = 6
	tagNewFile        = 7
	tagPrevLogNumber  = 9
)

// tableMeta describes a table as stored in the manifest.
type tableMeta struct {
	level             int
	number, size      uint64
	smallest, largest []byte // internal keys
}

// mayHold reports whether a user key is between the smallest and largest keys.
func (m tableMeta) mayHold(user []byte) bool {
	lo, _ := splitKey(m.smallest)
	hi, _ := splitKey(m.largest)
	return bytes.Compare(lo, user) <= 0 && bytes.Compare(user, hi) <= 0
}

// An edit is one record of the manifest: a set of changes.
type edit struct {
	comparator string
	log        *uint64
	prevLog    *uint64
	nextFile   *uint64
	lastSeq    *uint64
	deleted    []tableMeta // level and number only
	added      []tableMeta
}

// decodeEdit decodes a record at an offset of the manifest.
func decodeEdit(record []byte, offset int64) (edit, error) {
	var e edit
	r := bin.NewReader(record, bin.LittleEndian).At(offset)
	number := func(name string) *uint64 {
		n := readUvarint(r, name, 64)
		return &n
	}
	level := func() int {
		at := r.Offset()
		n := readUvarint(r, "level", 32)
		if n > maxLevel {
			r.FailAt(at, "level", fault.ErrFormat, fmt.Sprintf("a level from 0 to %d", maxLevel), fmt.Sprint(n))
		}
		return int(n)
	}
	key := func(name string) []byte {
		at := r.Offset()
		k := readString(r, name)
		if len(k) < tagSize {
			r.FailAt(at, name, fault.ErrFormat, fmt.Sprintf("a key of %d bytes or more", tagSize), fmt.Sprint(len(k)))
		}
		return slices.Clone(k)
	}
	for r.Err() == nil && r.Len() > 0 {
		at := r.Offset()
		switch tag := readUvarint(r, "tag", 32); tag {
		case tagComparator:
			e.comparator = string(readString(r, "comparator"))
		case tagLogNumber:
			e.log = number("log_number")
		case tagPrevLogNumber:
			e.prevLog = number("prev_log_number")
		case tagNextFile:
			e.nextFile = number("next_file_number")
		case tagLastSequence:
			e.lastSeq = number("last_sequence")
		case tagCompactPointer:
			level()
			key("compact_pointer")
		case tagDeletedFile:
			e.deleted = append(e.deleted, tableMeta{level: level(), number: *number("deleted_file")})
		case tagNewFile:
			r.Enter("new_file")
			e.added = append(e.added, tableMeta{level(), *number("number"), *number("size"), key("smallest"), key("largest")})
			r.Leave()
		default:
			r.FailAt(at, "tag", fault.ErrFormat, "the tag of a field", fmt.Sprint(tag))
		}
	}
	return e, r.Err()
}

// append appends the encoded edit to b.
func (e edit) append(b []byte) []byte {
	number := func(tag uint64, n *uint64) {
		if n != nil {
			b = binary.AppendUvarint(binary.AppendUvarint(b, tag), *n)
		}
	}
	if e.comparator != "" {
		b = appendString(binary.AppendUvarint(b, tagComparator), []byte(e.comparator))
	}
	number(tagLogNumber, e.log)
	number(tagPrevLogNumber, e.prevLog)
	number(tagNextFile, e.nextFile)
	number(tagLastSequence, e.lastSeq)
	for _, t := range e.deleted {
		b = binary.AppendUvarint(b, tagDeletedFile)
		b = binary.AppendUvarint(b, uint64(t.level))
		b = binary.AppendUvarint(b, t.number)
	}
	for _, t := range e.added {
		b = binary.AppendUvarint(b, tagNewFile)
		b = binary.AppendUvarint(b, uint64(t.level))
		b = binary.AppendUvarint(b, t.number)
		b = binary.AppendUvarint(b, t.size)
		b = appendString(appendString(b, t.smallest), t.largest)
	}
	return b
}

// A version is the state after all records of a manifest.
type version struct {
	comparator string
	log        uint64 // logs with at least this number have records that are in no table
	prevLog    uint64 // another such log, in very old databases; 0 for none
	nextFile   uint64
	lastSeq    uint64
	tables     map[uint64]tableMeta // by number
}

// apply applies an edit. An edit may move a table to another level, so deletions come first.
func (v *version) apply(e edit) {
	if e.comparator != "" {
		v.comparator = e.comparator
	}
	for _, f := range []struct{ to, from *uint64 }{{&v.log, e.log}, {&v.prevLog, e.prevLog}, {&v.nextFile, e.nextFile},
		{&v.lastSeq, e.lastSeq}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	for _, t := range e.deleted {
		delete(v.tables, t.number)
	}
	for _, t := range e.added {
		v.tables[t.number] = t
	}
}

// readManifest reads a manifest. It reports damage, and continues with the readable records.
func readManifest(r io.Reader, name string, report func(*fault.Error)) (*version, error) {
	v := &version{tables: map[uint64]tableMeta{}}
	log := newLogReader(r, name, report)
	records := 0
	for {
		record, offset, err := log.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		e, err := decodeEdit(record, offset)
		if err != nil {
			report(fault.InFile(err, name).(*fault.Error))
			continue
		}
		v.apply(e)
		records++
	}
	if records == 0 {
		return nil, damaged(name, "record", 0, "a record with the state of the database", "none")
	}
	if v.comparator == "" {
		return nil, damaged(name, "comparator", 0, "the record with the order of the keys", "none")
	}
	if v.comparator != comparator {
		return nil, &fault.Error{File: name, Path: "comparator", Offset: -1, Want: comparator,
			Got: fmt.Sprintf("%q", v.comparator), Err: fault.ErrVersion}
	}
	return v, nil
}
