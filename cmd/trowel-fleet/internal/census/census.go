// Package census keeps tables of the contents of files in a folder or in object storage, and rebuilds what has
// changed.
//
// A dataset has a folder for each table, with a file for each partition that has rows of the table:
// TABLE/PARTITION.parquet. A partition is a part of the work (package work): a shard of a large file, or the
// group of other files whose name hashes begin with the same byte. A hundred thousand maps are therefore 256
// files per table, and the partition of a map does not change when maps are added. If one map changes, it is
// read again together with about four hundred others.
//
//	census.json            the format of the folder, and its tables
//	parts/PARTITION.json   the sources of a partition, and its files
//	TABLE/PARTITION.parquet
//	TABLE/none.parquet     of a table without rows, so that queries find it
//	runs/MOMENT.json       the files at the end of a run, see [Run]
//	kept/TABLE/...         files that runs list
//
// Each file is replaced as a whole. Before the first file of a partition changes, the state of the partition is
// marked as being replaced, so that a partition left incomplete by a killed run is rebuilt.
package census

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
)

// Store stores the files of a dataset by slash-separated name.
type Store interface {
	// Put stores the output of write, replacing an existing file. If write fails or the process is killed,
	// nothing changes. Incomplete files are not visible to query engines.
	Put(ctx context.Context, name string, write func(io.Writer) error) error
	// Open opens a file. The error wraps [io/fs.ErrNotExist] if the file does not exist.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Remove removes a file, if it exists.
	Remove(ctx context.Context, name string) error
	// List calls do with the names of the files in a folder and their sizes in bytes; "" is the root. A folder has
	// size -1. Other entries that are not regular files are left out. do may remove the file.
	List(ctx context.Context, folder string, do func(name string, size int64) error) error
	// Sync ensures that the stored files survive a crash of the system.
	Sync() error
	// Close closes the store.
	Close() error
}

// At opens the store at a place outside of the file system.
type At func(ctx context.Context, name string) (Store, error)

// Writer writes the rows of a table to a file.
type Writer interface {
	// Write writes a row, with the user's name of the file that the row is from.
	Write(file string, cells []format.Cell) error
	// Copy copies the rows for whose file keep returns true from another file of the same table that a Writer
	// made.
	Copy(r io.ReaderAt, size int64, keep func(file string) bool) error
	Rows() int64
	Close() error
}

// Create creates a file of a table. program is the name and version of the program.
type Create func(w io.Writer, t *format.Table, program string) Writer

// File is a file of a partition.
type File struct {
	Name  string   `json:"name"`            // as the user names it
	Raw   []byte   `json:"raw,omitempty"`   // the same if it is not valid UTF-8
	Found bool     `json:"found,omitempty"` // found in a folder that the user named
	Reads []string `json:"reads,omitempty"` // other files that were read for its rows
	Gone  bool     `json:"gone,omitempty"`  // the file no longer exists, and its rows are kept
	Fails bool     `json:"fails,omitempty"` // the file could not be read at all; rows of an earlier run are kept
}

// NewFile returns a file with a name. A name with :// is outside of the file system.
func NewFile(name string, found bool) File {
	f := File{Name: name, Found: found}
	if !strings.Contains(name, "://") {
		f.Name = filepath.ToSlash(filepath.Clean(name))
	}
	if valid := strings.ToValidUTF8(f.Name, "\uFFFD"); valid != f.Name {
		f.Raw, f.Name = []byte(f.Name), valid
	}
	return f
}

// Path returns the path of the file.
func (f *File) Path() string {
	if f.Raw != nil {
		return filepath.FromSlash(string(f.Raw))
	}
	if strings.Contains(f.Name, "://") {
		return f.Name
	}
	return filepath.FromSlash(f.Name)
}

// Task is the data of a part.
type Task struct {
	Files []File `json:"files"`
	Key   string `json:"key,omitempty"`  // key of the current state: if it matches, there is nothing to do
	Hold  bool   `json:"hold,omitempty"` // its rows are in other partitions, which are removed at the end
	// There are no rows of the file, or only changed ones: see [format.Census.Before].
	Leave bool `json:"leave,omitempty"`
}

// State is the stored state of a partition.
type State struct {
	Key    string             `json:"key,omitempty"` // identifies the sources; "" if unknown
	Shard  format.Shard       `json:"shard,omitempty"`
	Files  []File             `json:"files"`
	Tables map[string]Content `json:"tables"`
	Notes  []Note             `json:"notes,omitempty"` // messages of the run
}

// Content describes the file of a table.
type Content struct {
	Rows   int64  `json:"rows"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Note is a message about a file.
type Note struct {
	Kind   uint8  `json:"kind"` // meaning is up to the caller; 0 is for information only
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
	// Rows of files that no longer exist were lost: reported while others of them are kept.
	Lost bool `json:"lost,omitempty"`
}

// The partitions of files that are bundled.
const (
	allFiles = "files" // files without shards, if there are few
	allSmall = "whole" // small files with shards
)

// many is the number of files without shards from which they are spread over several partitions.
const many = 256

// bucket returns the name of the partition of a file without shards, if there are many such files.
func bucket(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%02x", allFiles, sum[0])
}

// Bundles groups files by partition: files without shards, and small files.
func (d *Dataset) Bundles(files, small []File) map[string][]File {
	bundles := make(map[string][]File)
	if len(small) > 0 {
		bundles[allSmall] = small
	}
	one := d.bundle != nil && (len(files) <= many || !hasAll(d.bundle, files))
	if d.bundle == nil && len(files) <= d.Few {
		one = true
		for name := range d.before {
			one = one && !strings.HasPrefix(name, allFiles+"-")
		}
	}
	for _, f := range files {
		name := allFiles
		if !one {
			name = bucket(f.Name)
		}
		bundles[name] = append(bundles[name], f)
	}
	return bundles
}

// hasAll reports whether all files of a partition are among the given files. The partition can then be split,
// because none of its rows is from a file that no longer exists.
func hasAll(s *State, files []File) bool {
	there := make(map[string]bool)
	for _, f := range files {
		there[f.Name] = true
	}
	for _, f := range s.Files {
		if !there[f.Name] {
			return false
		}
	}
	return true
}

// IsSmall reports whether rows of a file are in the partition of small files.
func (d *Dataset) IsSmall(name string) bool { return slices.Contains(d.of[name], allSmall) }

// shardName returns the name of the partition of a shard of a file.
func shardName(name string, shard format.Shard) string {
	plain := func(s string, most int) string {
		s = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-.,", r):
				return r
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			case r == '=': // some query engines treat = as a column value
				return -1
			}
			return '_'
		}, s)
		return s[:min(len(s), most)]
	}
	sum := sha256.Sum256([]byte(name))
	part := work.Part{Name: fmt.Sprintf("%s-%x-%s", plain(filepath.Base(name), 30), sum[:5], plain(string(shard), 50))}
	if !part.Valid() {
		part.Name = "w" + part.Name
	}
	return part.Name
}

func tableFile(table, part string) string { return table + "/" + part + ".parquet" }
func stateFile(part string) string        { return partsFolder + "/" + part + ".json" }

// noRows replaces the partition in the file name of a table without rows.
const noRows = "none"

// Record is a piece of the result of a part: bytes of the file of a table or, at the end, the state.
type Record struct {
	Table string
	Bytes Chunk
	File  work.Ref // the whole file, if the part has stored it; the zero value: Bytes has it
	State *State
	Same  bool // nothing has changed
	Left  bool // the shard is left out: unchanged since the time that the user gave
}

// Refers returns the file of a table.
func (r Record) Refers() (work.Ref, bool) { return r.File, r.File.Size > 0 }

// Chunk is a piece of a spool. It stays in the spool until it is sent. Each chunk is sent once, the last one of a
// spool at the end: sending it closes the spool.
type Chunk struct {
	from *spool
	at   int64
	n    int
	sent []byte
}

// writeTo writes the bytes to w.
func (c Chunk) writeTo(w io.Writer) error {
	if c.from == nil {
		_, err := w.Write(c.sent)
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(c.from.file, c.at, int64(c.n)))
	if err == nil && c.at+int64(c.n) == c.from.size {
		err = c.from.close()
	}
	return err
}

// GobEncode returns the bytes.
func (c Chunk) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := c.writeTo(&b)
	return b.Bytes(), err
}

// GobDecode sets the bytes.
func (c *Chunk) GobDecode(data []byte) error {
	*c = Chunk{sent: bytes.Clone(data)}
	return nil
}

// Temp holds the spools of a run. The zero value is ready to use. Close removes all spools.
type Temp struct {
	mu   sync.Mutex
	dir  string
	end  func()
	open map[*spool]bool
	made int
}

// Close removes all spools. No spools can be made afterwards.
func (t *Temp) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.open {
		s.file.Close()
	}
	if t.end != nil {
		t.end()
	}
	t.open, t.end = nil, nil
}

// spool is a temporary file of this run, with the hash of its content, or a placed file.
type spool struct {
	ref  work.Ref // the placed file; the zero value: none
	temp *Temp
	file *os.File
	size int64
	sum  hashWriter
	err  error
}

type hashWriter interface {
	io.Writer
	Sum([]byte) []byte
}

// spool makes a spool.
func (t *Temp) spool() (*spool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		dir, end, err := filelock.TempDir("trowel-census-")
		if err != nil {
			return nil, err
		}
		t.dir, t.end, t.open = dir, end, make(map[*spool]bool)
	}
	if t.open == nil {
		return nil, errors.New("the run has ended")
	}
	t.made++
	f, err := os.OpenFile(filepath.Join(t.dir, strconv.Itoa(t.made)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	s := &spool{temp: t, file: f, sum: sha256.New()}
	t.open[s] = true
	return s, nil
}

// close removes a spool. It may be called several times.
func (s *spool) close() error {
	s.temp.mu.Lock()
	defer s.temp.mu.Unlock()
	if !s.temp.open[s] {
		return nil
	}
	delete(s.temp.open, s)
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

func (s *spool) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

func (s *spool) content(rows int64) Content {
	if s.isPlaced() {
		return Content{Rows: rows, Size: s.ref.Size, SHA256: hex.EncodeToString(s.ref.SHA256[:])}
	}
	return Content{Rows: rows, Size: s.size, SHA256: hex.EncodeToString(s.sum.Sum(nil))}
}

// chunks yields the content in pieces.
func (s *spool) chunks(yield func(Chunk) error) error {
	const piece = 1 << 20
	for at := int64(0); at < s.size; at += piece {
		if err := yield(Chunk{from: s, at: at, n: int(min(piece, s.size-at))}); err != nil {
			return err
		}
	}
	return nil
}

func (s *spool) reader() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

func encode(v any) []byte {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic(err) // all values can be encoded as JSON
	}
	return append(data, '\n')
}
