package pak

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zlib"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// Check reports everything that is wrong with the archive and its manifest. It inflates every file, on all cores,
// unless the manifest states more than the archive can hold.
func (r *Reader) Check(sink check.Sink) { r.CheckSeeing(nil, sink) }

// CheckSeeing works like Check and also calls see with each file's inflated content, from several goroutines at once.
// See is not called for very large and for broken files. See may be nil.
func (r *Reader) CheckSeeing(see func(f *File, content []byte), sink check.Sink) {
	sink = AtFiles(sink)
	if r.salvaged {
		sink.Add(foundCut, "", -1, "the list of files is cut off or damaged")
		return // the archive is not in its regular form
	}
	r.checkManifest(sink)
	r.checkNames(sink)
	if r.checkLayout(sink) {
		r.checkContents(see, sink)
	}
}

// AtFiles returns a sink that adds a place to findings that name a file of the archive: the place is that file.
// Findings about the archive itself are passed on unchanged.
func AtFiles(sink check.Sink) check.Sink {
	return func(f check.Finding) {
		if f.At == nil && f.Path != "" {
			f.At = []check.Place{check.File(f.Path)}
		}
		sink(f)
	}
}

func (r *Reader) checkManifest(sink check.Sink) {
	man := r.man
	if want := man.NativeHint(); man.Hint != want {
		sink.Add(foundHint, "", -1, "the hint is %d, but the editor writes %d", man.Hint, want)
	}
	if data, err := man.Encode(); err == nil && man.Version == 2 {
		if want := ManifestHash(data); man.Hash != want {
			sink.Add(foundManifestHash, "", -1, "the hash of the manifest is %08x, expected %08x", man.Hash, want)
		}
	}
	if n := len(man.Rest); n > 0 {
		sink.Add(foundRest, "", -1, "%s after the last section of the manifest", words.Count(n, "byte"))
	}
	if man.Root != DefaultRoot {
		sink.Add(foundRoot, "", -1, "the root is %q, expected %q", man.Root, DefaultRoot)
	}
	var removed []check.Place
	nameless, untyped, set := 0, 0, 0
	directories := map[string]bool{"": true, man.Root: true}
	for i := range man.Sections {
		s := &man.Sections[i]
		for j := range s.Records {
			rec := &s.Records[j]
			if (rec.isDirectory() || rec.Removed()) && *rec != (Record{Type: rec.Type, Name: rec.Name}) {
				set++
			}
			switch {
			case rec.isDirectory():
				directories[joinPath(s.Name, rec.Name)] = true
			case rec.Type == TypeDirectory:
				untyped++
			case rec.nameless():
				nameless++
			case rec.Removed():
				removed = append(removed, check.File(joinPath(s.Name, rec.Name)))
			}
		}
	}
	if n := len(removed); n > 0 {
		sink.AddAt(foundRemoved, removed, "", -1, "removes %s from the archives below", words.Count(n, "file"))
	}
	if nameless > 0 {
		sink.Add(foundNameless, "", -1, "%s without a name", words.Count(nameless, "record"))
	}
	if untyped > 0 {
		sink.Add(foundNameless, "", -1, "%s with the type of directories", words.Count(untyped, "file"))
	}
	if set > 0 {
		sink.Add(foundFields, "", -1, "fields of %s without contents are not 0", words.Count(set, "record"))
	}
	for i := range man.Sections {
		s := &man.Sections[i]
		if len(s.Records) > 0 && !directories[s.Name] {
			directories[s.Name] = true // report each directory once
			sink.Add(foundDirectory, s.Name, -1, "has files, but no record")
		}
	}
}

func (r *Reader) checkNames(sink check.Sink) {
	folded := make(map[string]string, len(r.files))
	var names, lower, types places
	var odd *File // the last of types
	for _, f := range r.files {
		up := strings.ToUpper(f.Path)
		switch first, seen := folded[up]; {
		case f.Duplicate:
			sink.Add(foundSame, f.Path, -1, "an earlier record has the same path")
		case seen:
			sink.Add(foundSame, f.Path, -1, "differs only in case from %s", first)
		default:
			folded[up] = f.Path
		}
		switch {
		case !isASCII(f.Path):
			names = append(names, f.Path)
		case up != f.Path:
			lower = append(lower, f.Path)
		}
		if !isSafe(f.Path) {
			sink.Add(foundUnsafe, f.Path, -1, "not a valid path in an archive")
		}
		if want := TypeOf(f.Record.Name); f.Record.Type != want && f.Record.Type != want.source() {
			types, odd = append(types, f.Path), f
		}
	}
	names.report(foundASCII, sink, "has non-ASCII characters", "have non-ASCII characters")
	lower.report(foundLower, sink, "has lower-case letters", "have lower-case letters")
	if len(types) == 1 {
		sink.Add(foundType, odd.Path, -1, "has the type %v, but its extension is that of %v", odd.Record.Type, TypeOf(odd.Record.Name))
	} else {
		types.report(foundType, sink, "", "have types that do not match their extensions")
	}
}

// places are paths of files that share one problem.
type places []string

// report makes one finding for all the paths.
func (p places) report(k *check.Kind, sink check.Sink, one, many string) {
	switch len(p) {
	case 0:
		return
	case 1:
		sink.Add(k, p[0], -1, "%s", one)
		return
	}
	at := make([]check.Place, len(p))
	for i := range p {
		at[i] = check.File(p[i])
	}
	sink.AddAt(k, at, "", -1, "%s %s; the first is %s", words.Count(len(p), "name"), many, p[0])
}

// source returns the type of the source text of a compiled type, or t if t is not compiled.
func (t Type) source() Type {
	switch t {
	case TypeDat:
		return TypeSourceDat
	case TypeLayout:
		return TypeSourceLayout
	}
	return t
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isSafe reports whether a path stays within the folder that it is extracted into.
func isSafe(path string) bool {
	if strings.ContainsAny(path, "\\:\x00") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// checkLayout checks the header and the positions of the blocks. It reports whether the blocks can be inflated at a
// reasonable cost.
func (r *Reader) checkLayout(sink check.Sink) bool {
	var blocks []*File
	lengths := make(map[*File]int64, len(r.files))
	largest, sum := uint32(0), int64(0)
	for _, f := range slices.Concat(r.files, r.rest) {
		if f.Removed() {
			continue
		}
		size, compressed, err := f.Sizes()
		if err != nil {
			sink.Add(foundOutside, f.Path, f.Offset(), "%v", err)
			continue
		}
		largest = max(largest, compressed)
		lengths[f] = stretch(size, compressed)
		sum += lengths[f]
		blocks = append(blocks, f)
	}
	slices.SortStableFunc(blocks, func(a, b *File) int { return cmp.Compare(a.Record.Offset, b.Record.Offset) })
	end, last := int64(headerSize), (*File)(nil)
	for _, f := range blocks {
		at := int64(f.Record.Offset)
		if at < end {
			sink.AddAt(foundOverlap, []check.Place{check.File(f.Path), check.File(last.Path)}, f.Path, f.Offset(),
				"its block overlaps the block of %s", last.Path)
		} else if at > end {
			sink.AddAt(foundGap, []check.Place{check.Span{Offset: r.base + end, Length: at - end}}, "", r.base+end,
				"%s between files, before the block of %s", words.Count(at-end, "byte"), f.Path)
		}
		if at+lengths[f] > end {
			end, last = at+lengths[f], f
		}
	}
	r.checkTail(end, sink)
	var head [headerSize]byte
	if err := (&File{Record: &Record{}, r: r}).read(head[:], 0); err != nil {
		sink.Add(foundOutside, "", r.base, "%v", err)
		return false
	}
	if is := binary.LittleEndian.Uint32(head[:]); is != largest {
		sink.Add(foundMax, "", r.base, "the largest compressed size is %d, expected %d", is, largest)
	}
	hash, err := ArchiveHash(r.src, r.size)
	if is := binary.LittleEndian.Uint32(head[4:]); err == nil && is != hash {
		sink.Add(foundHash, "", r.base+4, "the hash is %08x, expected %08x", is, hash)
	}
	if sum > maxOverlap*r.size || r.bomb() {
		sink.Add(foundBomb, "", -1, "%d bytes of archive cannot hold the stated sizes of the files", r.size)
		return false
	}
	return true
}

func (r *Reader) checkTail(end int64, sink check.Sink) {
	removed := 0
	for _, f := range r.files {
		if f.Removed() && !f.Duplicate {
			removed++
		}
	}
	n := r.size - end
	native := n == 4*int64(removed)
	if native {
		tail, err := r.bytes(end, r.size)
		native = err != nil || isNativeTail(tail, removed) // read errors are already reported
	}
	if !native {
		sink.AddAt(foundGap, []check.Place{check.Span{Offset: r.base + end, Length: n}}, "", r.base+end,
			"%s after the last block, but the editor writes %s", words.Count(n, "byte"), words.Count(4*removed, "zero"))
	}
}

// checkContents inflates all files and reports their findings in the order of the files.
func (r *Reader) checkContents(see func(*File, []byte), sink check.Sink) {
	found := make([][]check.Finding, len(r.files))
	parallel.Each(len(r.files), func(i int) {
		found[i] = check.Collect(func(sink check.Sink) { r.files[i].check(see, sink) })
	})
	for _, all := range found {
		for _, f := range all {
			sink(f)
		}
	}
}

// check reports problems with the block and the content of a file.
func (f *File) check(see func(*File, []byte), sink check.Sink) {
	if f.Removed() {
		return
	}
	size, compressed, err := f.Sizes()
	if err != nil {
		return // already reported
	}
	if size != f.Record.Size {
		sink.Add(foundSize, f.Path, f.Offset(), "the block has the size %d, the manifest %d", size, f.Record.Size)
		return
	}
	if compressed > 0 && TypeOf(f.Record.Name) == TypeJPEG {
		sink.Add(foundCompressedJPG, f.Path, f.Offset(), "is compressed to %s", words.Count(int64(compressed), "byte"))
	}
	if err := f.unread(); err != nil {
		sink.Add(foundCorrupt, f.Path, f.Offset(), "%v", err)
		return
	}
	sum, surplus, err := f.sum(size, compressed, see)
	if err != nil {
		sink.Add(foundCorrupt, f.Path, f.Offset(), "%v", err)
		return
	}
	if surplus > 0 {
		sink.Add(foundSurplus, f.Path, f.Offset(), "%s after the compressed stream", words.Count(surplus, "byte"))
	}
	if sum != f.Record.CRC32 {
		sink.Add(foundCRC, f.Path, f.Offset(), "the CRC-32 is %08x, in the manifest %08x", sum, f.Record.CRC32)
	}
}

// inMemory is the largest size of a file, in bytes, that is checked in memory. Checking in memory is faster than
// checking piece by piece.
const inMemory = 16 << 20

// sum returns the CRC-32 of the content of a block and the number of bytes after the end of its stream.
func (f *File) sum(size, compressed uint32, see func(*File, []byte)) (sum uint32, surplus int64, err error) {
	if max(size, compressed) <= inMemory {
		block, err := f.Block()
		if err != nil {
			return 0, 0, err
		}
		content, n, err := f.inflate(block)
		if err != nil {
			return 0, 0, errors.Unwrap(err)
		}
		if see != nil {
			see(f, content)
		}
		return crc32.ChecksumIEEE(content), int64(n), nil
	}
	h := crc32.NewIEEE()
	surplus, err = f.stream(h, size, compressed)
	return h.Sum32(), surplus, err
}

// stream writes the content of a block piece by piece and returns the number of bytes after the end of its stream.
func (f *File) stream(w io.Writer, size, compressed uint32) (surplus int64, err error) {
	at := int64(f.Record.Offset) + blockHeaderSize
	stored := bufio.NewReader(io.NewSectionReader(f.r.src, at, stretch(size, compressed)-blockHeaderSize))
	content := io.Reader(stored)
	if compressed > 0 {
		if content, err = zlib.NewReader(stored); err != nil {
			return 0, err
		}
	}
	n, err := io.Copy(w, io.LimitReader(content, int64(size)+1))
	if err == nil && n != int64(size) {
		err = fmt.Errorf("%w: %d bytes or more, not %d", fault.ErrFormat, n, size)
	}
	if err == nil {
		surplus, err = io.Copy(io.Discard, stored)
	}
	return surplus, err
}
