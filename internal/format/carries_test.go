package format

// These tests implement toy versions of two demanding formats through the interfaces that the tool uses: an archive
// whose compiled entries open as text, with its list in a companion file (as in Torchlight II), and a folder with a
// database of 200,000 blocks (as in Minetest).

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/trace"
)

var toys = Set{toyMod, toyWorld}

// memory is an Output in memory.
type memory struct {
	files map[string]*memoryPart
	dir   string
}

func (m *memory) Create(suffix string) (Part, error) {
	m.files[suffix] = new(memoryPart)
	return m.files[suffix], nil
}
func (m *memory) Dir() (string, error)     { return m.dir, nil }
func (m *memory) KeptDir() (string, error) { return m.dir, nil }

// memoryPart is a Part in memory.
type memoryPart struct{ tests.Memory }

func (p *memoryPart) Bytes() []byte  { return p.Data }
func (p *memoryPart) String() string { return string(p.Data) }

// counting counts the bytes read from a source.
type counting struct {
	io.ReaderAt
	n atomic.Int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// --- An archive of compiled files, like Torchlight II's .PAK with its .PAK.MAN.
//
// The list is text: a line "NAME OFFSET LENGTH" for each entry. An entry whose name ends with .DAT is compiled:
// numbers of 4 bytes. In the tree it is text.

var toyMod = &Format{
	Name: "toy-mod",
	Recognition: Recognition{
		Extensions: []string{".pak"},
		Recognize:  func(src *Source) bool { return string(src.Head(4)) == "PAK1" },
	},
	Building: Building{
		RecognizeTree: func(fsys fs.FS) bool { _, err := fs.Stat(fsys, "MEDIA"); return err == nil },
		Build: func(ctx context.Context, job *Job, fsys fs.FS, out Output) error {
			pak, err := out.Create("")
			if err != nil {
				return err
			}
			man, err := out.Create(".MAN")
			if err != nil {
				return err
			}
			at, _ := io.WriteString(pak, "PAK1")
			return fs.WalkDir(fsys, "MEDIA", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := fs.ReadFile(fsys, name)
				if err == nil && strings.HasSuffix(name, ".DAT") {
					data, err = compile(data)
				}
				if err != nil {
					return fault.InFile(err, name)
				}
				fmt.Fprintln(man, name, at, len(data))
				n, err := pak.Write(data)
				at += n
				return errors.Join(err, ctx.Err())
			})
		},
	},
	Open: func(_ context.Context, _ *Job, src *Source) (File, error) { return openToyMod(src) },
	// The path names a file inside the archive.
	Dump: func(_ context.Context, _ *Job, src *Source, path string, t trace.Tracer) error {
		m, err := openToyMod(src)
		if err != nil {
			return err
		}
		return m.entries(func(name string, at int64, n int) error {
			if name != path {
				return nil
			}
			data := make([]byte, n)
			if _, err := src.ReadAt(data, at); err != nil {
				return err
			}
			r := bin.NewReader(data, bin.LittleEndian).InSpace(name)
			r.Trace(t)
			r.Int32s("numbers", n/4)
			r.Flush()
			return r.Err()
		})
	},
}

type modFile struct {
	src  *Source
	list string
}

func openToyMod(src *Source) (*modFile, error) {
	man, err := src.Neighbor(".MAN")
	if err != nil {
		return nil, err
	}
	defer man.Close()
	list, err := man.ReadAll()
	return &modFile{src, string(list)}, err
}

func (m *modFile) entries(each func(name string, at int64, n int) error) error {
	for line := range strings.Lines(m.list) {
		var name string
		var at int64
		var n int
		if _, err := fmt.Sscan(line, &name, &at, &n); err != nil {
			return err
		}
		if err := each(name, at, n); err != nil {
			return err
		}
	}
	return nil
}

func (m *modFile) Tree(_ context.Context, _ *Job) (fs.FS, error) {
	var t tree.FS
	return &t, m.entries(func(name string, at int64, n int) error {
		t.Add(name, tree.Meta{Stored: int64(n)}, func() ([]byte, error) {
			data := make([]byte, n)
			if _, err := m.src.ReadAt(data, at); err != nil || !strings.HasSuffix(name, ".DAT") {
				return data, err
			}
			return decompile(data), nil
		})
		return nil
	})
}

func (m *modFile) Info(_ context.Context, _ *Job) (Info, error) {
	return Info{Fields: []InfoField{{Key: "files", Value: strings.Count(m.list, "\n")}}}, nil
}
func (m *modFile) Check(context.Context, *Job, check.Sink) error { return nil }
func (m *modFile) Close() error                                  { return nil }

func decompile(data []byte) []byte {
	var text []byte
	for ; len(data) >= 4; data = data[4:] {
		text = fmt.Appendln(text, int32(binary.LittleEndian.Uint32(data)))
	}
	return text
}

func compile(text []byte) ([]byte, error) {
	var data []byte
	for line := range strings.Lines(string(text)) {
		var n int32
		if _, err := fmt.Sscan(line, &n); err != nil {
			return nil, &fault.Error{Offset: -1, Want: "a number", Got: line}
		}
		data = binary.LittleEndian.AppendUint32(data, uint32(n))
	}
	return data, nil
}

func TestCarriesArchive(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "TOY.PAK")
	large := strings.Repeat("\xff\xff\xff\x7f", 1<<18)
	pak := "PAK1" + "\x07\x00\x00\x00\xff\xff\xff\xff" + large
	man := "MEDIA/SKILLS/FOO.DAT 4 8\nMEDIA/TEXTURE.DDS 12 1048576\n"
	for name, data := range map[string]string{path: pak, path + ".man": man} { // the case differs, as on real disks
		judge.Write(t, name, []byte(data))
	}
	src, err := OpenSource(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	reads := &counting{ReaderAt: src.ReaderAt}
	src.ReaderAt = reads

	f, err := toys.Find(src)
	if err != nil || f != toyMod {
		t.Fatalf("Find = %v, %v", f, err)
	}
	file, err := f.Open(t.Context(), new(Job), src)
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := file.Tree(t.Context(), new(Job))
	if err != nil {
		t.Fatal(err)
	}

	// Listing reads no block.
	stored := int64(0)
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		if meta, ok := info.Sys().(tree.Meta); ok && !d.IsDir() {
			stored += meta.Stored
		}
		return err
	})
	if n := reads.n.Load(); err != nil || stored != 8+1<<20 || n > 4 {
		t.Fatalf("walk: %v; %d bytes listed, %d bytes read, want no more than the magic", err, stored, n)
	}
	// A compiled file opens as text, and only its bytes are read for that.
	text, err := fs.ReadFile(fsys, "MEDIA/SKILLS/FOO.DAT")
	if n := reads.n.Load(); err != nil || string(text) != "7\n-1\n" || n > 4+8 {
		t.Fatalf("FOO.DAT = %q, %v, %d bytes read", text, err, n)
	}
	// Its fields can be dumped by its path.
	var fields []string
	err = f.Dump(t.Context(), new(Job), src, "MEDIA/SKILLS/FOO.DAT",
		func(f trace.Field) { fields = append(fields, fmt.Sprint(f.Path, f.Value)) })
	if got := strings.Join(fields, " "); err != nil || got != "MEDIA/SKILLS/FOO.DAT.numbers[7 -1]" {
		t.Fatalf("Dump = %s, %v", got, err)
	}
	// Building compiles the text again, and writes the list next to the archive.
	if found, err := toys.FindTree(fsys); err != nil || found != toyMod {
		t.Fatalf("FindTree = %v, %v", found, err)
	}
	out := &memory{files: make(map[string]*memoryPart)}
	if err := f.Build(t.Context(), new(Job), fsys, out); err != nil {
		t.Fatal(err)
	}
	if out.files[""].String() != pak || out.files[".MAN"].String() != man {
		t.Errorf("built %.20q..., list %q", out.files[""], out.files[".MAN"])
	}
	// The error for a file that cannot be compiled names it.
	var broken tree.FS
	broken.AddBytes("MEDIA/FOO.DAT", []byte("seven\n"))
	if err := f.Build(t.Context(), new(Job), &broken, out); err == nil || !strings.Contains(err.Error(), "MEDIA/FOO.DAT: expected a number") {
		t.Errorf("error = %v", err)
	}
}

// --- A folder with a database of blocks, like a Minetest world.
//
// world.mt contains the number of blocks; map.db has 8 bytes for each. It is read as by a database cursor: page by
// page, without an index in memory.

const (
	blocks    = 200_000
	blockSize = 8
)

var blocksRead, rowsListed atomic.Int64 // of map.db

var toyWorld = &Format{
	Name: "toy-world",
	Recognition: Recognition{
		Folder:    true,
		Recognize: func(src *Source) bool { _, err := os.Stat(filepath.Join(src.Dir, "map.db")); return err == nil },
	},
	Building: Building{
		RecognizeTree: func(fsys fs.FS) bool { _, err := fs.Stat(fsys, "blocks"); return err == nil },
		Build: func(ctx context.Context, job *Job, fsys fs.FS, out Output) error {
			dir, err := out.Dir()
			if err != nil {
				return err
			}
			db, err := os.Create(filepath.Join(dir, "map.db"))
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := fsys.Open("blocks")
			if err != nil {
				return err
			}
			defer list.Close()
			for done := 0; ; {
				page, err := list.(fs.ReadDirFile).ReadDir(1000)
				if err == io.EOF {
					return nil
				}
				for _, e := range page {
					data, err := fs.ReadFile(fsys, "blocks/"+e.Name())
					if err == nil {
						_, err = db.Write(data)
					}
					if err = errors.Join(err, ctx.Err()); err != nil {
						return err
					}
					done++
				}
				job.Report("blocks", done, 0)
			}
		},
	},
	Open: func(_ context.Context, _ *Job, src *Source) (File, error) {
		db, err := os.Open(filepath.Join(src.Dir, "map.db"))
		return &toyWorldFile{db}, err
	},
}

type toyWorldFile struct{ db *os.File }

func (w *toyWorldFile) Tree(_ context.Context, _ *Job) (fs.FS, error) { return worldTree{w.db}, nil }
func (w *toyWorldFile) Info(_ context.Context, _ *Job) (Info, error) { // SELECT count(*)
	st, err := w.db.Stat()
	return Info{Fields: []InfoField{{Key: "blocks", Value: st.Size() / blockSize}}}, err
}
func (w *toyWorldFile) Check(context.Context, *Job, check.Sink) error { return nil }
func (w *toyWorldFile) Close() error                                  { return w.db.Close() }

// worldTree is a separate implementation of a tree: a tree.FS is not suitable for this many blocks. It would serve for
// the few other files of a world.
type worldTree struct{ db *os.File }

func (w worldTree) Open(name string) (fs.File, error) {
	var i int64
	switch _, err := fmt.Sscanf(name, "blocks/%06d.txt", &i); {
	case name == ".":
		var top tree.FS
		top.AddBytes("blocks/.", nil)
		return top.Open(".")
	case name == "blocks":
		return &blockList{db: w.db}, nil
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	blocksRead.Add(1)
	data := make([]byte, blockSize)
	if _, err := w.db.ReadAt(data, i*blockSize); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var one tree.FS
	one.AddBytes(filepath.Base(name), data)
	return one.Open(filepath.Base(name))
}

// blockList is the folder of blocks: a cursor over the rows.
type blockList struct {
	db  *os.File
	row int64
}

func (l *blockList) ReadDir(n int) ([]fs.DirEntry, error) {
	st, err := l.db.Stat()
	if err != nil {
		return nil, err
	}
	left := int(st.Size()/blockSize - l.row)
	if n > 0 && left == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > left {
		n = left
	}
	page := make([]fs.DirEntry, n)
	for i := range page {
		page[i] = blockEntry(l.row)
		l.row++
	}
	rowsListed.Add(int64(n))
	return page, nil
}

func (l *blockList) Stat() (fs.FileInfo, error) { return blockEntry(-1).Info() }
func (l *blockList) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (l *blockList) Close() error               { return nil }

type blockEntry int64 // its row; -1 is the folder

func (b blockEntry) Name() string               { return fmt.Sprintf("%06d.txt", int64(b)) }
func (b blockEntry) IsDir() bool                { return b < 0 }
func (b blockEntry) Type() fs.FileMode          { return b.Mode().Type() }
func (b blockEntry) Info() (fs.FileInfo, error) { return b, nil }
func (b blockEntry) Size() int64                { return blockSize }
func (b blockEntry) ModTime() time.Time         { return time.Time{} }
func (b blockEntry) Sys() any                   { return tree.Meta{Stored: blockSize} }
func (b blockEntry) Mode() fs.FileMode {
	if b.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func TestCarriesWorld(t *testing.T) {
	dir := t.TempDir()
	db := make([]byte, blocks*blockSize)
	for i := range blocks {
		copy(db[i*blockSize:], fmt.Sprintf("%07d\n", i))
	}
	judge.Write(t, filepath.Join(dir, "map.db"), db)
	src, err := OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := toys.Find(src)
	if err != nil || f != toyWorld {
		t.Fatalf("Find = %v, %v", f, err)
	}
	file, err := f.Open(t.Context(), new(Job), src)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	// Info counts the blocks without listing or reading them.
	info, err := file.Info(t.Context(), new(Job))
	if err != nil || info.Fields[0].Value != int64(blocks) || rowsListed.Load() != 0 {
		t.Fatalf("Info = %v, %v, %d rows listed", info, err, rowsListed.Load())
	}
	// The first page is available before the others are read.
	fsys, err := file.Tree(t.Context(), new(Job))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := fsys.Open("blocks")
	if err != nil {
		t.Fatal(err)
	}
	page, err := folder.(fs.ReadDirFile).ReadDir(1000)
	if err != nil || len(page) != 1000 || rowsListed.Load() != 1000 {
		t.Fatalf("%d entries, %v, %d rows listed", len(page), err, rowsListed.Load())
	}
	// The whole list is read page by page, without reading any block.
	total := len(page)
	for err == nil {
		page, err = folder.(fs.ReadDirFile).ReadDir(1000)
		total += len(page)
	}
	if err != io.EOF || total != blocks || blocksRead.Load() != 0 {
		t.Fatalf("%d entries, %v, %d blocks read", total, err, blocksRead.Load())
	}
	// Opening a block reads only this block.
	data, err := fs.ReadFile(fsys, "blocks/123456.txt")
	if err != nil || string(data) != "0123456\n" || blocksRead.Load() != 1 {
		t.Fatalf("block = %q, %v, %d read", data, err, blocksRead.Load())
	}
	// Building makes a folder with a database, through real paths.
	if found, err := toys.FindTree(fsys); err != nil || found != toyWorld {
		t.Fatalf("FindTree = %v, %v", found, err)
	}
	out := &memory{dir: t.TempDir()}
	reported := 0
	job := &Job{Reports: Reports{OnProgress: func(_ string, done, _ int) { reported = done }}}
	if err := f.Build(t.Context(), job, fsys, out); err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadFile(filepath.Join(out.dir, "map.db"))
	if err != nil || !bytes.Equal(built, db) || reported != blocks {
		t.Errorf("built %d bytes, %v, %d blocks reported", len(built), err, reported)
	}
	// A cancelled context stops the build.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Build(ctx, new(Job), fsys, out); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
