package worldcopy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/regular"
	"trowel.example/internal/wholefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// journal tells what is copied and how far that is. It is a file of JSON that is
// replaced as a whole before anything is made that must be known again as ours. After
// each transaction and stage one beside it is replaced, for which nobody waits until it
// is on disk.
type journal struct {
	Saves   int // how often it was saved; that of the progress goes with one of them
	Source  string
	Options string // a digest: there may be passwords in them

	Stage   int        // the index in stages of what is being done
	Entered bool       // what is at the target of the stage is ours
	Rows    int64      // of the source, blocks or not, that are done
	Last    *mapdb.Pos // the block of the last of them that was one
	Sum     sum        // of the blocks that were written
	Report  Report
	Damaged bool // something could not be read, and is not in the copy

	path    string
	resumed bool
}

// begin starts a copy, or continues with one.
func begin(c *copier) (*journal, error) {
	j := &journal{Source: c.src, Options: c.digest(), path: filepath.Join(c.dst, world.CopyJournal)}
	entries, err := os.ReadDir(c.dst)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(c.dst, folderMode(c.src))
	}
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || len(entries) == 1 && entries[0].Name() == filepath.Base(wholefile.Part(j.path)) {
		return j, j.save() // the latter is of a run that was killed in its first moment
	}
	text, err := regular.ReadFile(j.path, 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", c.dst, fs.ErrExist)
	}
	if err != nil {
		return nil, err
	}
	was := *j
	if err := json.Unmarshal(text, &was); err != nil || was.Stage < 0 || was.Stage > len(stages) {
		return nil, &fault.Error{File: j.path, Offset: -1, Want: "the journal of a copy", Got: "something else", Err: fault.ErrFormat}
	}
	if was.Source != j.Source || was.Options != j.Options {
		return nil, fmt.Errorf("%s: %w: of %s, or with other options", c.dst, ErrOther, was.Source)
	}
	was.read(filepath.Join(c.dst, world.CopyProgress))
	was.resumed = true
	was.Report.Resumed = was.Report.Blocks
	return &was, removeParts(c.dst)
}

// digest identifies a copy: a run continues only one that has the same digest.
func (c *copier) digest() string {
	text := fmt.Sprintf("%q", []any{c.opts.Map, c.opts.Players, c.opts.Auth, c.opts.Storage, c.opts.Blocks, c.opts.Drop, c.opts.SourceName,
		c.opts.Postgres, c.opts.Redis.Address, c.opts.Redis.Hash, c.opts.Redis.Port, c.have})
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// save flushes the journal to disk.
func (j *journal) save() error {
	j.Saves++
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return wholefile.Write(j.path, bytes.NewReader(text), 0o600)
}

// note writes how far the stage is.
func (j *journal) note() error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(j.path), world.CopyProgress)
	part := wholefile.Part(path)
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// read continues from what was noted, if that is whole and belongs to the journal.
func (j *journal) read(path string) {
	text, err := regular.ReadFile(path, 64<<20)
	now := *j
	if err == nil && json.Unmarshal(text, &now) == nil && now.Saves == j.Saves {
		*j = now
	}
}

func (j *journal) remove() error {
	if err := os.Remove(filepath.Join(filepath.Dir(j.path), world.CopyProgress)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(j.path); err != nil {
		return err
	}
	return wholefile.SyncDir(filepath.Dir(j.path))
}

// restart forgets what has been done about the blocks.
func (j *journal) restart() {
	r := &j.Report
	j.Rows, j.Last, j.Sum = 0, nil, sum{}
	r.Blocks, r.Converted, r.Kept, r.Dropped, r.Rows, r.Damaged, r.Salvaged, r.Resumed = 0, 0, 0, 0, 0, 0, 0, 0
}

// enter notes that what is at the target of the stage is ours from now on.
func (j *journal) enter() error {
	j.Entered = true
	return j.save()
}

// leave continues to the next stage. If a crash of the system undoes that, the stage is
// done again.
func (j *journal) leave() error {
	j.Stage++
	j.Entered = false
	return j.note()
}

// removeParts removes what a run left that was killed.
func removeParts(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, wholefile.Suffix) || strings.HasPrefix(name, ".trowel-") && name != world.CopyJournal && name != world.CopyProgress {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
	return err
}
