package worldrepo

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"trowel.example/fault"
	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
)

// A pack is a file of contents, one after the other, with a table at its end:
//
//	"trowelpk", version 1 byte
//	contents    plain, or as a zstd frame
//	table       for each: form 1 byte (0 or 1), stored size and plain size as varints, SHA-256 of the plain bytes
//	footer      offset of the table and number of contents, 8 bytes each; the first 8 bytes of
//	            the SHA-256 of the table; "trowelpk"
//
// Packs are never changed. All numbers are little-endian.
const (
	packMagic   = "trowelpk"
	packVersion = 1
	packFooter  = 3*8 + len(packMagic)
	packSize    = 16 << 20 // approximate
	maxContents = 1 << 22  // of a pack
	maxContent  = 64 << 20 // in bytes, like a block

	formPlain = 0
	formZstd  = 1
)

// ID is the SHA-256 of contents.
type ID [sha256.Size]byte

// hash returns the hash of the block with this content.
func (id ID) hash() manifest.Hash { return manifest.HashOfSum(id) }

// packName returns the name of a pack in its folder.
func packName(n uint64) string { return fmt.Sprintf("%016x.pack", n) }

// packFile returns the name of a pack in its store.
func packFile(n uint64) string { return dirPacks + "/" + packName(n) }

// packNumber is the inverse of packName.
func packNumber(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name[:min(16, len(name))], 16, 64)
	return n, err == nil && packName(n) == name
}

// content is the entry of a content in the table of a pack.
type content struct {
	form   byte
	offset int64
	size   int64 // stored
	plain  int64
	id     ID
}

// packWriter writes packs, one after the other.
type packWriter struct {
	ctx   context.Context
	store storage.Store

	file   storage.Writer // nil if none is open
	w      *bufio.Writer
	number uint64
	offset int64
	table  []content
	made   map[uint64]bool // the packs of this run
	size   int64           // of the completed packs
	zstd   *zstd.Encoder
}

// put stores a content. It is compressed if that saves enough space.
func (p *packWriter) put(data []byte, id ID, compress bool) (place, error) {
	c := content{form: formPlain, plain: int64(len(data)), id: id}
	if compress && len(data) > 64 {
		if p.zstd == nil {
			var err error
			if p.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
				return place{}, err
			}
		}
		if packed := p.zstd.EncodeAll(data, nil); len(packed) < len(data)*19/20 {
			data, c.form = packed, formZstd
		}
	}
	return p.putStored(data, c)
}

// putStored stores a content in the form that c states.
func (p *packWriter) putStored(data []byte, c content) (place, error) {
	if p.file == nil {
		if err := p.begin(); err != nil {
			return place{}, err
		}
	}
	c.offset, c.size = p.offset, int64(len(data))
	if _, err := p.w.Write(data); err != nil {
		return place{}, err
	}
	p.offset += c.size
	at := place{p.number, uint32(len(p.table))}
	p.table = append(p.table, c)
	if p.offset >= packSize || len(p.table) == maxContents {
		return at, p.end()
	}
	return at, nil
}

func (p *packWriter) begin() (err error) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	p.number = binary.LittleEndian.Uint64(b[:])
	if p.file, err = p.store.Create(p.ctx, packFile(p.number)); err != nil {
		return err
	}
	if p.made == nil {
		p.made = make(map[uint64]bool)
	}
	p.made[p.number] = true
	p.w = bufio.NewWriterSize(p.file, 1<<18)
	_, err = p.w.Write(append([]byte(packMagic), packVersion))
	p.offset, p.table = int64(len(packMagic))+1, p.table[:0]
	return err
}

// end completes the current pack, if there is one. The pack gets its name when it is on disk.
func (p *packWriter) end() error {
	if p.file == nil {
		return nil
	}
	var t []byte
	for _, c := range p.table {
		t = append(t, c.form)
		t = binary.AppendUvarint(t, uint64(c.size))
		t = binary.AppendUvarint(t, uint64(c.plain))
		t = append(t, c.id[:]...)
	}
	sum := sha256.Sum256(t)
	t = binary.LittleEndian.AppendUint64(t, uint64(p.offset))
	t = binary.LittleEndian.AppendUint64(t, uint64(len(p.table)))
	t = append(append(t, sum[:8]...), packMagic...)
	_, err := p.w.Write(t)
	if err == nil {
		err = p.w.Flush()
	}
	if err == nil {
		if err = p.file.Commit(); p.wasWritten(err) {
			err = nil
		}
	}
	if err != nil {
		return err // discard does the rest
	}
	p.file = nil
	p.size += p.offset + int64(len(t))
	return nil
}

// wasWritten reports whether the pack was written in spite of an error. A client that received no answer repeats the
// request, and gets the error that the name exists already. Pack numbers are unique, so the existing pack is this
// one.
func (p *packWriter) wasWritten(err error) bool {
	if err == nil || storage.IsUnavailable(err) {
		return false
	}
	found, err := openPack(p.ctx, p.store, p.number)
	if err != nil {
		return false
	}
	return found.close() == nil && slices.Equal(found.table, p.table)
}

// discard removes the current pack.
func (p *packWriter) discard() {
	if p.file != nil {
		p.file.Discard()
		p.file = nil
	}
}

// pack is a pack that is open for reading.
type pack struct {
	number uint64
	r      io.ReaderAt
	close  func() error
	table  []content
}

func openPack(ctx context.Context, s storage.Store, number uint64) (*pack, error) {
	f, err := s.Open(ctx, packFile(number))
	if err != nil {
		return nil, err
	}
	p, err := readPack(f, f.Size())
	if err != nil {
		f.Close()
		return nil, fault.InFile(err, s.Path(packFile(number)))
	}
	p.number, p.close = number, f.Close
	return p, nil
}

// readPack reads the table of a pack.
func readPack(r io.ReaderAt, size int64) (*pack, error) {
	bad := func(offset int64, want, got string) error { return &fault.Error{Offset: offset, Want: want, Got: got} }
	head := make([]byte, len(packMagic)+1)
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if string(head[:len(packMagic)]) != packMagic || head[len(packMagic)] != packVersion {
		return nil, bad(0, "a pack of a backup, version 1", "other bytes")
	}
	foot := make([]byte, packFooter)
	at := size - int64(packFooter)
	if at < int64(len(head)) {
		return nil, bad(size, "the table of the pack", "the end of the file")
	}
	if _, err := r.ReadAt(foot, at); err != nil {
		return nil, err
	}
	start, count := int64(binary.LittleEndian.Uint64(foot)), int64(binary.LittleEndian.Uint64(foot[8:]))
	if string(foot[24:]) != packMagic || start < int64(len(head)) || start > at || count < 0 || count > maxContents ||
		at-start < count*(3+sha256.Size) || at-start > count*(30+sha256.Size) {
		return nil, bad(at, "the footer of a pack: the file is truncated or damaged", "other bytes")
	}
	t := make([]byte, at-start)
	if _, err := r.ReadAt(t, start); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(t); !bytes.Equal(sum[:8], foot[16:24]) {
		return nil, bad(start, "an unchanged table", "a changed file")
	}
	p := &pack{r: r, table: make([]content, count)}
	offset := int64(len(head))
	for i := range p.table {
		c := content{offset: offset}
		var n [2]uint64
		if len(t) > 0 {
			c.form, t = t[0], t[1:]
		}
		for k := range n {
			v, w := binary.Uvarint(t)
			if w <= 0 || v > maxContent {
				return nil, bad(start, fmt.Sprintf("a table of %s", words.Count(count, "content")), fmt.Sprintf("%d that can be read", i))
			}
			n[k], t = v, t[w:]
		}
		if len(t) < sha256.Size || c.form > formZstd || c.form == formPlain && n[0] != n[1] {
			return nil, bad(start, fmt.Sprintf("a table of %s", words.Count(count, "content")), fmt.Sprintf("%d that can be read", i))
		}
		c.size, c.plain, c.id = int64(n[0]), int64(n[1]), ID(t[:sha256.Size])
		t = t[sha256.Size:]
		offset += c.size
		p.table[i] = c
	}
	if offset != start || len(t) > 0 {
		return nil, bad(start, fmt.Sprintf("a table of all up to here, from %d on", offset), "another")
	}
	return p, nil
}

// get returns contents of the pack.
func (p *pack) get(n uint32) ([]byte, error) {
	if int(n) >= len(p.table) {
		return nil, &fault.Error{Offset: -1, Want: fmt.Sprintf("content %d of pack %016x", n, p.number),
			Got: fmt.Sprintf("a pack of %d", len(p.table))}
	}
	data, err := p.stored(n)
	if err != nil {
		return nil, err
	}
	return p.table[n].decode(data)
}

// stored returns contents of the pack in the form in which it is stored.
func (p *pack) stored(n uint32) ([]byte, error) {
	data := make([]byte, p.table[n].size)
	_, err := p.r.ReadAt(data, p.table[n].offset)
	return data, err
}

// decode returns a content from its stored form.
func (c content) decode(data []byte) ([]byte, error) {
	if c.form == formZstd {
		var err error
		if data, _, err = zframe.Decode(nil, data, int(c.plain)); err != nil {
			return nil, &fault.Error{Offset: c.offset, Want: "a frame of zstd", Got: "damaged bytes", Err: err}
		}
	}
	if sha256.Sum256(data) != c.id {
		return nil, &fault.Error{Offset: c.offset, Want: fmt.Sprintf("contents with the hash %x", c.id[:8]),
			Got: "other bytes: the file is damaged"}
	}
	return data, nil
}
