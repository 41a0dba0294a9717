// Package census keeps tables of what is in files in a folder, or in object storage, and makes
// anew what has changed since.
//
// A dataset has a folder for each table, and in it a file for each partition that has rows of it:
// TABLE/PARTITION.parquet. A partition is a part of the work (package work): a shard of a large
// file, or those of the other files whose names have a hash with the same first byte. So a hundred
// thousand maps are 256 files a table, none of which moves when there are more; and one map that
// has changed is read again with four hundred others.
//
//	census.json            what the folder is, and its tables
//	parts/PARTITION.json   what a partition was made of, and what there is of it
//	TABLE/PARTITION.parquet
//	TABLE/none.parquet     of a table without rows, so that it can be asked for them
//
// Each file appears whole, in place of the older one. Before the first file of a partition changes,
// what is kept of the partition says that it is about to, so that one which a killed run has left
// half new is made again.
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
	"trowel.example/format"
	"trowel.example/internal/scratch"
)

// Store keeps the files of a dataset by name, with / between folders.
type Store interface {
	// Put keeps what write writes, in place of what was there: all of it or, if write fails or
	// the process is killed, nothing. What is not whole is nothing that query engines read.
	Put(ctx context.Context, name string, write func(io.Writer) error) error
	// Open opens a file. The error wraps [io/fs.ErrNotExist] if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Remove removes a file, if there is one.
	Remove(ctx context.Context, name string) error
	// List returns the names of the files in a folder, and how large they are; "" is the
	// uppermost. What is no plain file is left out, but for folders: of these the size is -1.
	List(ctx context.Context, folder string) (map[string]int64, error)
	// Sync makes sure that what was put outlives a crash of the system.
	Sync() error
	// Close ends the use of the store.
	Close() error
}

// At opens the store at a place that is no folder of the system.
type At func(ctx context.Context, name string) (Store, error)

// Writer writes the rows of a table as a file.
type Writer interface {
	// Write writes a row, with what the user calls the file that it is of.
	Write(file string, cells []format.Cell) error
	// Copy writes those rows of another such file, as it was made, for whose file keep returns true.
	Copy(r io.ReaderAt, size int64, keep func(file string) bool) error
	Rows() int64
	Close() error
}

// Create begins a file of a table. The program is named with its version.
type Create func(w io.Writer, t *format.Table, program string) Writer

// File is a file of a partition.
type File struct {
	Name  string   `json:"name"`            // as the user names it
	Raw   []byte   `json:"raw,omitempty"`   // the same, if that is no UTF-8
	Found bool     `json:"found,omitempty"` // in a folder that the user named
	Reads []string `json:"reads,omitempty"` // what else was read for its rows
	Gone  bool     `json:"gone,omitempty"`  // it is not there any more, and its rows are kept
	Fails bool     `json:"fails,omitempty"` // nothing of it could be read; rows of an earlier run are kept
}

// NewFile returns a file of a name. One with :// in it is of no file of the system.
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

// Path returns where the file is.
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
	Key   string `json:"key,omitempty"`   // of the state that there is: if it fits there is nothing to do
	Hold  bool   `json:"hold,omitempty"`  // its rows are in other partitions, which it replaces at the end
	Leave bool   `json:"leave,omitempty"` // there is nothing of its file, or only what has changed: see [format.Census.Before]
}

// State is what is kept of a partition.
type State struct {
	Key    string             `json:"key,omitempty"` // of what it was made of; "": nobody can tell
	Shard  format.Shard       `json:"shard,omitempty"`
	Files  []File             `json:"files"`
	Tables map[string]Content `json:"tables"`
	Notes  []Note             `json:"notes,omitempty"` // what there was to say
}

// Content is the file of a table.
type Content struct {
	Rows   int64  `json:"rows"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Note is something to be said of a file.
type Note struct {
	Kind   uint8  `json:"kind"` // what the caller takes it for; 0 is only good to know
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
	Lost   bool   `json:"lost,omitempty"` // rows of files that are gone: it is said as long as these are kept
}

// The partitions of files that are brought together.
const (
	allFiles = "files" // that do not come apart, where they are few
	allSmall = "whole" // that come apart, and are small
)

// many is how many files that do not come apart are one partition no more.
const many = 256

// Bucket returns the name of the partition of a file that does not come apart, where there are many.
func Bucket(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%02x", allFiles, sum[0])
}

// Bundles brings files together by the partitions that they are of: those that do not come apart, and
// those that are small.
func (d *Dataset) Bundles(files, small []File) map[string][]File {
	bundles := make(map[string][]File)
	if len(small) > 0 {
		bundles[allSmall] = small
	}
	one := d.before[allFiles] != nil && (len(files) <= many || !d.hasAll(d.before[allFiles], files))
	if d.before[allFiles] == nil && len(files) <= d.Few {
		one = true
		for name := range d.before {
			one = one && !strings.HasPrefix(name, allFiles+"-")
		}
	}
	for _, f := range files {
		name := allFiles
		if !one {
			name = Bucket(f.Name)
		}
		bundles[name] = append(bundles[name], f)
	}
	return bundles
}

// hasAll reports whether all files of a partition are among some: then it can be taken apart, because
// no rows of it are of files that are gone.
func (d *Dataset) hasAll(s *State, files []File) bool {
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

// IsSmall reports whether there are rows of a file among those of small ones.
func (d *Dataset) IsSmall(name string) bool {
	s := d.before[allSmall]
	return s != nil && slices.ContainsFunc(s.Files, func(f File) bool { return f.Name == name })
}

// ShardName returns the name of the partition of a shard of a file.
func ShardName(name string, shard format.Shard) string {
	plain := func(s string, most int) string {
		s = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-.,", r):
				return r
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			case r == '=': // which some engines take for a value of a column
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
func stateFile(part string) string        { return "parts/" + part + ".json" }

// noRows is in the place of the partition in the name of the file of a table without rows.
const noRows = "none"

// Record is a piece of the result of a part: bytes of the file of a table, or at the end the state.
type Record struct {
	Table string
	Bytes Chunk
	State *State
	Same  bool // nothing has changed
	Left  bool // nor since the time that the user told of, before which nothing is kept
}

// Chunk is some bytes, which are in a spool until they are sent. They are sent once, the last ones of a
// spool at the end.
type Chunk struct {
	from *spool
	at   int64
	n    int
	sent []byte
}

// writeTo sends the bytes.
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

// GobDecode takes the bytes.
func (c *Chunk) GobDecode(data []byte) error {
	*c = Chunk{sent: bytes.Clone(data)}
	return nil
}

// Temp is the spools of a run. The zero value has none; Close removes all.
type Temp struct {
	mu   sync.Mutex
	dir  string
	end  func()
	open map[*spool]bool
	made int
}

// Close removes all spools. No others are made then.
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

// spool is a file for this run only, with the hash of what is in it.
type spool struct {
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
		dir, end, err := scratch.Make("trowel-census-")
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

// close removes a spool. It may be called again.
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
	return Content{Rows: rows, Size: s.size, SHA256: hex.EncodeToString(s.sum.Sum(nil))}
}

// chunks are the bytes in pieces.
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
		panic(err) // nothing here cannot be JSON
	}
	return append(data, '\n')
}
