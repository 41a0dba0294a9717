// Package mount shows the tree of a game file as a folder of the system, by FUSE on Linux, and keeps what programs save
// there as ordinary files in a folder next to the game file: the edits, which the verb apply takes.
package mount

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/values/piece"
)

// EditsSuffix is what the name of the folder of edits has in addition to the name of its game file.
const EditsSuffix = ".edits"

// ErrEditsOpen means that another program has the folder of edits open.
var ErrEditsOpen = errors.New("a running mount has these edits open")

// Edits is the folder of edits of a game file. The folder exists from the first edit on. It contains the new and changed
// files under the names that the mount shows; its log has the digest of each file of the game file that was changed or
// removed. A log without the file is a removal. So the order of writing matters: a program that is killed between two
// writes leaves an unrecorded file at most, which is not a removal.
type Edits struct {
	Dir string // its path

	owner   bool              // only the owner may read the edits
	options map[string]string // of the tree; the log records them
	lock    *filelock.Held

	names sync.Mutex // held while names in the folder change

	mu      sync.Mutex // protects the fields below
	root    *os.Root   // nil: the folder does not exist
	log     *os.File   // nil: nothing was recorded by this process
	taken   map[string]string
	renamed map[string]string // true paths by the paths in the folder, where they differ
}

// OpenEdits locks and opens the folder of edits of a game file, which need not exist. With owner, only the owner of the
// file may read new edits.
func OpenEdits(file string, owner bool) (_ *Edits, err error) {
	e := &Edits{Dir: filepath.Clean(file) + EditsSuffix, owner: owner}
	if e.lock, err = filelock.TryHold(e.Dir); err != nil {
		if errors.Is(err, filelock.ErrTaken) {
			err = fmt.Errorf("%s: %w", e.Dir, ErrEditsOpen)
		}
		return nil, err
	}
	if err := e.load(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Use sets the options with which the game file is mounted. Edits that were made with others cannot be compared with its
// tree: that is an error.
func (e *Edits) Use(options map[string]string) error {
	if len(e.taken) > 0 && !maps.Equal(e.options, options) {
		return fmt.Errorf("%s: its edits were made with the options %v, not with %v", e.Dir, e.options, options)
	}
	e.options = options
	return nil
}

// maxLog is the largest size of a log in bytes.
const maxLog = 1 << 30

// load reads the folder, if it exists.
func (e *Edits) load() error {
	e.taken, e.renamed = make(map[string]string), make(map[string]string)
	root, err := os.OpenRoot(e.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e.root = root
	for _, name := range []string{safename.Log, tree.Sidecar} {
		if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: %s is not a regular file", e.Dir, name)
		}
	}
	side, err := safename.Sidecar(regular.Limit(root.FS(), maxLog))
	if err == nil && side == nil {
		var other Snapshot
		if other, err = e.Snapshot(); len(other) > 0 {
			err = fmt.Errorf("%s: is not a folder of edits: it has no %s", e.Dir, safename.Log)
		}
	}
	if err != nil || side == nil {
		return err
	}
	taken, err := safename.TakenOf(side)
	if err == nil && taken != nil {
		e.taken, e.options = taken.Files, taken.Options
	}
	if err == nil {
		e.renamed, err = safename.Names(side)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Dir, err)
	}
	return nil
}

// Close closes and unlocks the folder.
func (e *Edits) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closeFiles()
	e.lock.Release()
}

func (e *Edits) closeFiles() {
	if e.log != nil {
		e.log.Close()
	}
	if e.root != nil {
		e.root.Close()
	}
	e.log, e.root = nil, nil
}

// Exist reports whether the folder exists.
func (e *Edits) Exist() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.root != nil
}

// open returns the folder, and makes it and its log if they do not exist: `apply` does not accept a folder without a log.
func (e *Edits) open() (*os.Root, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.root == nil {
		if err := os.Mkdir(e.Dir, e.dirMode()); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		root, err := os.OpenRoot(e.Dir)
		if err != nil {
			return nil, err
		}
		e.root = root
	}
	if e.log == nil {
		if err := e.write(nil, nil); err != nil {
			return nil, err
		}
	}
	return e.root, nil
}

// existing returns the folder, or nil.
func (e *Edits) existing() *os.Root {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.root
}

// existingFile opens a file of the edits for reading.
func (e *Edits) existingFile(at string) (*os.File, error) {
	root := e.existing()
	if root == nil {
		return nil, fs.ErrNotExist
	}
	return root.Open(at)
}

// ours reports whether a path in the folder belongs to the folder itself, and is no edit.
func ours(at string) bool {
	return at == safename.Log || at == tree.Sidecar || strings.HasSuffix(at, wholefile.Suffix)
}

// stat describes the file or folder of the edits at a path; nil if there is none.
func (e *Edits) stat(at string) fs.FileInfo {
	root := e.existing()
	if root == nil || ours(at) {
		return nil
	}
	info, err := root.Lstat(at)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	return info
}

// list returns the entries of a folder of the edits by name.
func (e *Edits) list(at string) map[string]fs.DirEntry {
	found := make(map[string]fs.DirEntry)
	root := e.existing()
	if root == nil {
		return found
	}
	entries, _ := fs.ReadDir(root.FS(), at)
	for _, entry := range entries {
		if (entry.Type().IsRegular() || entry.IsDir()) && !ours(path.Join(at, entry.Name())) {
			found[entry.Name()] = entry
		}
	}
	return found
}

// has reports whether the file with a true path in the game file was changed or removed.
func (e *Edits) has(truth string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.taken[truth]
	return ok
}

// record writes to the log that the file with a true path in the game file has been changed or removed.
func (e *Edits) record(truth string, content []byte) error {
	if e.has(truth) {
		return nil
	}
	if _, err := e.open(); err != nil {
		return err
	}
	digest := piece.NewDigest()
	_, _ = digest.Write(content)
	files := map[string]string{truth: digest.String()}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.write(nil, files); err != nil {
		return err
	}
	maps.Copy(e.taken, files)
	return nil
}

// write appends a line to the log. The caller holds mu.
func (e *Edits) write(names, files map[string]string) error {
	if e.log == nil {
		log, err := e.root.OpenFile(safename.Log, os.O_CREATE|os.O_RDWR|os.O_APPEND, e.mode())
		if err != nil {
			return err
		}
		e.log = log
		old, err := e.root.ReadFile(safename.Log) // a killed program may have left a part of a line
		if end := bytes.LastIndexByte(old, '\n') + 1; err == nil && end < len(old) {
			err = log.Truncate(int64(end))
		}
		if err != nil {
			return errors.Join(err, e.closeLog())
		}
	}
	line, err := safename.Line(names, safename.Taken{Options: e.options, Files: files})
	if err == nil {
		_, err = e.log.Write(line)
	}
	return err
}

func (e *Edits) closeLog() error {
	err := e.log.Close()
	e.log = nil
	return err
}

func (e *Edits) mode() fs.FileMode {
	if e.owner {
		return 0o600
	}
	return 0o666
}

func (e *Edits) dirMode() fs.FileMode {
	if e.owner {
		return 0o700
	}
	return 0o777
}

// prepare makes the folders above a path of the edits, and records the true path if it differs.
func (e *Edits) prepare(at, truth string) (*os.Root, error) {
	root, err := e.open()
	if err != nil {
		return nil, err
	}
	if at != truth {
		if err := e.rename(at, truth); err != nil {
			return nil, err
		}
	}
	return root, root.MkdirAll(path.Dir(at), e.dirMode())
}

// rename records the true names on a path.
func (e *Edits) rename(at, truth string) error {
	names := make(map[string]string)
	e.mu.Lock()
	defer e.mu.Unlock()
	for ; at != "."; at, truth = path.Dir(at), path.Dir(truth) {
		if path.Base(at) != path.Base(truth) && e.renamed[at] != truth {
			names[at] = truth
		}
	}
	if len(names) == 0 {
		return nil
	}
	if err := e.write(names, nil); err != nil {
		return err
	}
	maps.Copy(e.renamed, names)
	return nil
}

// copyUp makes the file of the edits from the content in the game file. It appears complete, and is recorded then.
func (e *Edits) copyUp(at, truth string, content []byte, owner bool) error {
	root, err := e.prepare(at, truth)
	if err != nil {
		return err
	}
	part := filepath.ToSlash(wholefile.Part(at))
	mode := e.mode()
	if owner {
		mode = 0o600
	}
	f, err := root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(part, at)
	}
	if err != nil {
		return errors.Join(err, root.Remove(part))
	}
	return e.record(truth, content)
}

// sync flushes the log to disk.
func (e *Edits) sync() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.log == nil {
		return nil
	}
	return wholefile.Flush(e.log)
}

// requestName is the name of a file at the top of a mount with edits, which is not listed. Reading it packs the edits and
// returns the report.
const requestName = ".trowel-pack"

// Request makes the program of a mount pack its edits, and returns the report.
func Request(dir string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, requestName)) }

// A Snapshot is the files of the edits at a moment.
type Snapshot map[string]fs.FileInfo

// Snapshot returns the files of the edits, without litter.
func (e *Edits) Snapshot() (Snapshot, error) {
	s := make(Snapshot)
	root := e.existing()
	if root == nil {
		return s, nil
	}
	err := fs.WalkDir(root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || ours(at) || piece.IsLitter(at) {
			return err
		}
		info, err := entry.Info()
		s[at] = info
		return err
	})
	return s, err
}

// emptyLog is the name of a log without files before it replaces the log.
const emptyLog = safename.Log + wholefile.Suffix

// remove removes a file, if it exists.
func remove(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove removes the files of a snapshot that have not changed since, the log, and all folders that are empty then. The
// log is emptied first: a log without a file would be a removal.
func (e *Edits) Remove(s Snapshot) error {
	e.names.Lock()
	defer e.names.Unlock()
	root := e.existing()
	if root == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken, e.renamed = make(map[string]string), make(map[string]string)
	if e.log != nil {
		_ = e.closeLog()
	}
	line, err := safename.Line(nil, safename.Taken{})
	if err == nil {
		err = root.WriteFile(emptyLog, line, e.mode())
	}
	if err == nil {
		err = root.Rename(emptyLog, safename.Log)
	}
	if err = cmp.Or(err, remove(root, tree.Sidecar)); err != nil {
		return err
	}
	for at, was := range s {
		info, err := root.Lstat(at)
		if err == nil && os.SameFile(info, was) && info.Size() == was.Size() && info.ModTime().Equal(was.ModTime()) {
			err = root.Remove(at)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := remove(root, safename.Log); err != nil {
		return err
	}
	removeEmpty(root, ".")
	if os.Remove(e.Dir) == nil {
		e.closeFiles()
	}
	return nil
}

// removeEmpty removes the empty folders in a folder.
func removeEmpty(root *os.Root, dir string) {
	entries, _ := fs.ReadDir(root.FS(), dir)
	for _, entry := range entries {
		if at := path.Join(dir, entry.Name()); entry.IsDir() {
			removeEmpty(root, at)
			_ = root.Remove(at) // fails unless it is empty
		}
	}
}
