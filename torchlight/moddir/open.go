package moddir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
)

// shown is an archive that is presented as a folder.
type shown struct {
	tree.FS
	archive *pak.Reader
	files   []*shownFile
	options *Options
	sprites []string // paths in the folder

	keeping   atomic.Bool // the sidecar is wanted: record residues while files are read
	recording func() (*pak.Recording, error)

	origins func() map[string]*pak.File // files of the archive by their paths in the folder
	paths   func() map[*pak.File]string
}

// shownFile is a file of the archive in the folder.
type shownFile struct {
	at   string // path in the folder
	file *pak.File
	form *form  // nil if the file is unchanged
	path string // path in the archive if it does not follow from at, else ""
	why  error  // the file is broken: it has no editable form

	mu      sync.Mutex
	made    bool         // the residue is known
	residue *fileResidue // nil if there is none
}

// Open presents a mod as a folder. Files are read only when they are opened, except those whose name depends on whether they
// are broken: tables and grids.
func Open(m *mod.Mod, o Options) fs.FS {
	s := newShown(m.Archive, o)
	name, content := o.Like.header(m.Header)
	s.Add(name, tree.Meta{Stored: -1, Note: "the header of the mod"}, func() ([]byte, error) {
		if content != nil {
			return content, nil
		}
		return ModDat(m.Header), nil
	})
	s.addFiles(func(archive *pak.Residue) (*sidecar, error) {
		side := &sidecar{Header: m.Header.Residue()}
		var err error
		if archive != nil {
			side.Mod, err = mod.NewResidueWith(m, archive)
		}
		return side, err
	})
	return s
}

// OpenPak presents an archive without a header as a folder.
func OpenPak(r *pak.Reader, o Options) fs.FS {
	s := newShown(r, o)
	s.addFiles(func(archive *pak.Residue) (*sidecar, error) { return &sidecar{Pak: archive}, nil })
	return s
}

func newShown(r *pak.Reader, o Options) *shown {
	s := &shown{archive: r, options: &o, recording: sync.OnceValues(func() (*pak.Recording, error) {
		if r.Salvaged() {
			return nil, nil // a salvaged archive cannot be rebuilt byte for byte
		}
		return pak.StartResidue(r)
	})}
	s.origins = sync.OnceValue(func() map[string]*pak.File {
		m := make(map[string]*pak.File, len(s.files))
		for _, f := range s.files {
			m[f.at] = f.file
		}
		return m
	})
	s.paths = sync.OnceValue(func() map[*pak.File]string {
		m := make(map[*pak.File]string, len(s.files))
		for _, f := range s.files {
			m[f.file] = f.at
		}
		return m
	})
	return s
}

// Keep announces that the sidecar will be read, as described at [tree.Keeper].
func (s *shown) Keep() { s.keeping.Store(true) }

// addFiles adds the files of the archive to the folder, and the sidecar, which side creates from the residue of the
// archive. The residue may be nil.
func (s *shown) addFiles(side func(archive *pak.Residue) (*sidecar, error)) {
	r := s.archive
	names := newPlaces(r)
	stored := storedSizes(r)
	files := r.Files()
	broken := make([]error, len(files))
	parallel.Each(len(files), func(i int) { broken[i] = s.broken(files[i]) })
	for i, file := range files {
		if file.Removed() || file.Duplicate {
			continue // they are in the residue
		}
		raw := s.options.Unchanged(file.Path) || s.options.Like.asIs(file.Path) || broken[i] != nil
		f := &shownFile{file: file, at: names.place(s.options.Like.place(treePath(file.Path, raw))), why: broken[i]}
		if !raw {
			f.form = formOf(file.Path)
		}
		if back, twin := archivePath(f.at); back != file.Path || twin || !ordinary(f.at) {
			f.path = file.Path
		}
		s.files = append(s.files, f)
		meta := tree.Meta{Stored: stored[file.Record.Offset], Note: file.Record.Type.String(), Time: file.Record.Time.Time()}
		s.Add(f.at, meta, func() ([]byte, error) { return s.content(f) })
	}
	if s.options.Sprites {
		s.addSprites()
	}
	s.Add(tree.Sidecar, tree.Meta{Stored: -1, Last: true}, func() ([]byte, error) { return s.sidecar(side) })
}

// broken returns why a file that would be in the folder under another name in its editable form has no such form, or nil.
func (s *shown) broken(file *pak.File) error {
	form := formOf(file.Path)
	if form == nil || form.suffix == "" || file.Removed() || file.Duplicate || s.options.Unchanged(file.Path) {
		return nil
	}
	data, err := file.Content()
	if err != nil {
		return nil // it is not in the folder
	}
	o := *s.options
	o.formOnly = true
	if _, _, err = form.decompile(data, file.Path, &o); errors.Is(err, fault.ErrLimit) || form.isText(data) {
		return nil
	}
	return err
}

// storedSizes returns the approximate size of each block by its offset: the number of bytes up to the next block.
func storedSizes(r *pak.Reader) map[uint32]int64 {
	var offsets []uint32
	for _, f := range r.Files() {
		if !f.Removed() {
			offsets = append(offsets, f.Record.Offset)
		}
	}
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	sizes := make(map[uint32]int64, len(offsets))
	for i, at := range offsets {
		end := r.Size()
		if i+1 < len(offsets) {
			end = int64(offsets[i+1])
		}
		sizes[at] = max(0, end-int64(at))
	}
	return sizes
}

// content returns the content of a file of the folder and, if the sidecar is wanted, records its residue.
func (s *shown) content(f *shownFile) ([]byte, error) {
	keeping := s.keeping.Load()
	data, err := s.read(f.file, keeping)
	if err != nil {
		return nil, err
	}
	o := *s.options
	o.formOnly = !keeping
	content, residue := data, json.RawMessage(nil)
	compiled, why := false, f.why
	if f.form != nil {
		made, kept, err := f.form.decompile(data, f.file.Path, &o)
		switch {
		case err == nil:
			content, residue, compiled = made, kept, true
			if liked, kept, same := o.Like.content(f.form, f.file.Path, data, &o); same {
				content, residue = liked, kept
			}
		case errors.Is(err, fault.ErrLimit):
			return nil, err
		case !f.form.isText(data):
			why = err
		}
	}
	if e := effort.WholeFile.Over(int64(len(content))); e != nil {
		return nil, e // the file could not be read again
	}
	if keeping && f.keep(content, compiled, residue) && why != nil {
		s.options.warn(f.at, fmt.Sprintf("is extracted unchanged, because it cannot be read: %v", why))
	}
	return content, nil
}

// read reads a file of the archive.
func (s *shown) read(f *pak.File, keeping bool) ([]byte, error) {
	if keeping {
		if rec, err := s.recording(); err == nil && rec != nil {
			return rec.Content(f)
		}
	}
	return f.Content()
}

// keep records everything about the file that its content in the folder does not contain. It returns false if that was
// recorded before.
func (f *shownFile) keep(content []byte, compiled bool, residue json.RawMessage) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.made {
		return false
	}
	f.made = true
	kept := &fileResidue{Path: pak.ResidueName(f.path), Residue: residue}
	if form := formOf(f.file.Path); form != nil && !compiled {
		kept.AsIs = f.form != nil || form.isText(content)
	}
	if kept.AsIs || residue != nil {
		kept.CRC32 = crc32.ChecksumIEEE(content)
	}
	if kept.AsIs || residue != nil || f.path != "" {
		f.residue = kept
	}
	return true
}

// kept returns the result of keep, and whether keep was called.
func (f *shownFile) kept() (residue *fileResidue, made bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.residue, f.made
}

// sidecar creates the sidecar. Files that were read before are not processed again. A file that cannot be read is not
// in the folder; the residue of the archive has its block.
func (s *shown) sidecar(of func(*pak.Residue) (*sidecar, error)) ([]byte, error) {
	s.Keep()
	rec, err := s.recording()
	if err != nil {
		return nil, err
	}
	parallel.Each(len(s.files), func(i int) {
		if _, made := s.files[i].kept(); !made {
			_, _ = s.content(s.files[i])
		}
	})
	var archive *pak.Residue
	if rec != nil {
		if archive, err = rec.Residue(); err != nil {
			return nil, err
		}
	}
	side, err := of(archive)
	if err != nil {
		return nil, err
	}
	side.Archive = true
	if side.Sprites, err = s.spriteSums(); err != nil {
		return nil, err
	}
	for _, f := range s.files {
		if residue, _ := f.kept(); residue != nil {
			if side.Files == nil {
				side.Files = make(map[string]fileResidue)
			}
			side.Files[f.at] = *residue
		}
	}
	return side.encode()
}

// encode returns the sidecar as JSON, with a line for each file.
func (s *sidecar) encode() ([]byte, error) {
	var b bytes.Buffer
	var failed error
	add := func(lead, key string, value any) {
		data, err := json.Marshal(value)
		failed = errors.Join(failed, err)
		fmt.Fprintf(&b, "%s%s: %s", lead, key, data)
	}
	lead := "{\n"
	for _, part := range []struct {
		key   string
		value any
		there bool
	}{{`"format"`, s.Format, s.Format != ""}, {`"archive"`, s.Archive, s.Archive},
		{`"header"`, s.Header, s.Header != nil}, {`"mod"`, s.Mod, s.Mod != nil}, {`"pak"`, s.Pak,
			s.Pak != nil}, {`"sprites"`, s.Sprites, len(s.Sprites) > 0}} {
		if part.there {
			add(lead, part.key, part.value)
			lead = ",\n"
		}
	}
	fmt.Fprintf(&b, "%s\"files\": {", lead)
	lead = "\n"
	for _, at := range slices.Sorted(maps.Keys(s.Files)) {
		name, err := json.Marshal(at)
		failed = errors.Join(failed, err)
		add(lead, string(name), s.Files[at])
		lead = ",\n"
	}
	b.WriteString("\n}}\n")
	return b.Bytes(), failed
}

// places gives each file a unique path in the folder. A path cannot be that of a file and of a folder at once.
type places struct {
	folders map[string]bool
	used    map[string]bool
	next    map[string]int // the next number to try, by the path that is taken
}

func newPlaces(r *pak.Reader) *places {
	p := &places{folders: make(map[string]bool), used: make(map[string]bool), next: make(map[string]int)}
	for _, f := range r.Files() {
		addFolders(p.folders, treePath(f.Path, true))
	}
	return p
}

// addFolders adds the folders that contain a file. If a folder exists, its parents exist as well.
func addFolders(folders map[string]bool, at string) {
	for i := strings.LastIndexByte(at, '/'); i > 0 && !folders[at[:i]]; i = strings.LastIndexByte(at[:i], '/') {
		folders[at[:i]] = true
	}
}

func (p *places) place(at string) string {
	whole := at
	for n := max(p.next[whole], 2); p.folders[at] || p.used[at]; n++ {
		at, p.next[whole] = fmt.Sprintf("%s~%d", whole, n), n+1
	}
	p.used[at] = true
	return at
}
