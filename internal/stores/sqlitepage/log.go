package sqlitepage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"

	"trowel.example/internal/files/regular"
)

// openLog opens the write-ahead log, or the journal of an unfinished transaction, and finds the valid pages in it.
func (f *File) openLog() error {
	for _, l := range []struct {
		suffix string
		read   func(log source, size int64) bool
	}{{"-wal", f.readLog}, {"-journal", f.readJournal}} {
		st, err := os.Stat(f.path + l.suffix)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!st.Mode().IsRegular() || st.Size() == 0) {
			continue
		}
		if err != nil {
			return err
		}
		log, _, err := regular.Open(f.path + l.suffix)
		if err != nil {
			return err
		}
		if l.read(log, st.Size()) {
			f.log = log
			f.restart()
			return nil
		}
		log.Close()
	}
	return nil
}

// restart reads the header again if the log has a newer first page.
func (f *File) restart() {
	size, pages := f.PageSize, f.pages
	if data, err := f.read(1); err == nil && string(data[:16]) == magic {
		was := *f
		if !f.header(data) || f.PageSize != size {
			*f = was
			return
		}
		f.headed = true
		f.pages = max(pages, 1)
	}
}

// HasLog reports whether a file is a write-ahead log: SQLite ignores one without a valid header.
func HasLog(path string) bool {
	log, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer log.Close()
	_, _, ok := logHeader(log)
	return ok
}

// logHeader reads the header of a write-ahead log, and returns the header and its checksum.
func logHeader(log io.ReaderAt) (h [32]byte, s walSum, ok bool) {
	if n, _ := log.ReadAt(h[:], 0); n < len(h) {
		return h, s, false
	}
	switch binary.BigEndian.Uint32(h[:]) {
	case 0x377f0682:
		s.order = binary.LittleEndian
	case 0x377f0683:
		s.order = binary.BigEndian
	default:
		return h, s, false
	}
	s.add(h[:24])
	return h, s, s.a == binary.BigEndian.Uint32(h[24:]) && s.b == binary.BigEndian.Uint32(h[28:])
}

// readLog finds the last committed version of each page in a write-ahead log.
func (f *File) readLog(log source, size int64) bool {
	h, s, ok := logHeader(log)
	if !ok || int(binary.BigEndian.Uint32(h[8:])) != f.PageSize {
		return false
	}
	committed, open := make(map[uint32]int64), make(map[uint32]int64)
	found := false
	page := make([]byte, f.PageSize)
	var fh [24]byte
	in := bufio.NewReaderSize(io.NewSectionReader(log, int64(len(h)), size-int64(len(h))), collected)
	for at := int64(len(h)); ; at += int64(len(fh) + f.PageSize) {
		if _, err := io.ReadFull(in, fh[:]); err != nil {
			break
		}
		if string(fh[8:16]) != string(h[16:24]) { // from an earlier checkpoint
			break
		}
		if _, err := io.ReadFull(in, page); err != nil {
			break
		}
		s.add(fh[:8])
		if s.add(page); s.a != binary.BigEndian.Uint32(fh[16:]) || s.b != binary.BigEndian.Uint32(fh[20:]) {
			break
		}
		open[binary.BigEndian.Uint32(fh[:])] = at + int64(len(fh))
		if n := binary.BigEndian.Uint32(fh[4:]); n > 0 && n <= maxPages { // a commit
			maps.Copy(committed, open)
			clear(open)
			f.pages, found = n, true
		}
	}
	if found {
		f.newer = committed
	}
	return found
}

// walSum is the checksum of a write-ahead log.
type walSum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (s *walSum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		s.a += s.order.Uint32(data) + s.b
		s.b += s.order.Uint32(data[4:]) + s.a
	}
}

// readJournal finds the pages that an unfinished transaction has changed: the journal has their original contents.
func (f *File) readJournal(log source, size int64) bool {
	const journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	old := make(map[uint32]int64)
	before := uint32(0)
	found := false
	page := make([]byte, f.PageSize)
	for at := int64(0); ; {
		var h [28]byte
		if n, _ := log.ReadAt(h[:], at); n < len(h) || string(h[:8]) != journalMagic {
			break
		}
		count, nonce := binary.BigEndian.Uint32(h[8:]), binary.BigEndian.Uint32(h[12:])
		sector := int64(binary.BigEndian.Uint32(h[20:]))
		if at == 0 {
			before = binary.BigEndian.Uint32(h[16:])
		}
		if int(binary.BigEndian.Uint32(h[24:])) != f.PageSize && at == 0 || sector < 32 || sector > maxPageSize {
			break
		}
		found = found || before > 0
		at += sector
		record := int64(f.PageSize) + 8
		if count == 0xffffffff { // as many records as fit
			count = uint32(min((size-at)/record, maxPages))
		}
		whole := true
		for range count {
			var number, sum [4]byte
			if n, _ := log.ReadAt(number[:], at); n < 4 {
				whole = false
				break
			}
			if n, _ := log.ReadAt(page, at+4); n < len(page) {
				whole = false
				break
			}
			if n, _ := log.ReadAt(sum[:], at+4+int64(len(page))); n < 4 || binary.BigEndian.Uint32(sum[:]) != journalSum(nonce, page) {
				whole = false
				break
			}
			p := binary.BigEndian.Uint32(number[:])
			if _, ok := old[p]; !ok {
				old[p] = at + 4
			}
			at += record
		}
		if !whole {
			break
		}
		at = (at + sector - 1) / sector * sector
	}
	if !found || len(old) == 0 {
		return false
	}
	f.newer, f.pages = old, before
	return true
}

func journalSum(nonce uint32, page []byte) uint32 {
	for i := len(page) - 200; i > 0; i -= 200 {
		nonce += uint32(page[i])
	}
	return nonce
}
