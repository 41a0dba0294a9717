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

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// journal records what is copied and how much is done. It is a JSON file that is replaced as a whole before anything
// is created that a later run must recognize. After each transaction and stage, a second file next to it, the
// progress, is replaced without waiting until it is on disk.
type journal struct {
	Saves   int // number of saves; the progress belongs to one of them
	Source  string
	Options string // a digest, because the options may contain passwords

	Stage   int        // index in stages of the current stage
	Entered bool       // whether the target of the stage was created by this copy
	Rows    int64      // number of rows of the source that are done, including rows that are not blocks
	Last    *mapdb.Pos // position of the last block among these rows
	Sum     sum        // digest of the blocks that were written
	Report  Report
	Damaged bool // something could not be read and is not in the copy
	Lost    bool // not only because of a limit

	Passes int               // number of finished passes
	Done   bool              // the copy is finished, and can be updated
	Target target            // of an update that does not name it
	Left   map[string]string // size and time of the files of the copy after the last finished pass
	Parts  map[string]sum    // digests of the things in moved stores, by part

	path    string
	resumed bool
}

// begin starts a copy, or continues an unfinished one.
func begin(c *copier) (*journal, error) {
	j := &journal{Source: c.src, Options: c.digest(), path: filepath.Join(c.dst, world.CopyJournal), Target: c.opts.target()}
	entries, err := os.ReadDir(c.dst)
	if errors.Is(err, fs.ErrNotExist) {
		err = wholefile.MkdirAll(c.dst, folderMode(c.src))
	}
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || len(entries) == 1 && entries[0].Name() == filepath.Base(wholefile.Part(j.path)) {
		return j, j.save() // the only entry is of a run that was killed while it wrote the journal
	}
	text, err := regular.ReadFile(j.path, effort.SideFile)
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
	switch same := was.Source == j.Source; {
	case same && was.Options == j.Options:
	case same && c.opts.Update:
		return nil, fmt.Errorf("%s: %w: the first pass had other options, which --update repeats if none are given", c.dst, ErrOther)
	case same:
		return nil, fmt.Errorf("%s: %w: it was begun with other options", c.dst, ErrOther)
	default:
		return nil, fmt.Errorf("%s: %w: it is a copy of %s", c.dst, ErrOther, was.Source)
	}
	if was.Done && !c.opts.Update {
		return nil, fmt.Errorf("%s: %w", c.dst, fs.ErrExist)
	}
	was.read(filepath.Join(c.dst, world.CopyProgress))
	was.resumed = true
	if was.Report.Resumed = was.Report.Blocks; was.Passes > 0 {
		was.Report.Server = "" // of another pass
	}
	return &was, removeParts(c.dst)
}

// digest identifies a copy: a run continues only a copy with the same digest.
func (c *copier) digest() string {
	text := fmt.Sprintf("%q", []any{c.opts.Map, c.opts.Players, c.opts.Auth, c.opts.Storage, c.opts.Blocks, c.opts.Drop, c.opts.SourceName,
		c.opts.Postgres, c.opts.Redis.Address, c.opts.Redis.Hash, c.opts.Redis.Port, c.have})
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// judge records whether findings are about data that is not in the copy.
func (j *journal) judge(found ...check.Finding) {
	for _, f := range found {
		if isDamage(f) {
			j.Damaged, j.Lost = true, j.Lost || f.ID != check.Limit.ID
		}
	}
}

// save writes the journal to disk.
func (j *journal) save() error {
	j.Saves++
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return wholefile.Write(j.path, bytes.NewReader(text), 0o600)
}

// note writes the progress.
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

// read continues from the progress, if that is complete and belongs to the journal.
func (j *journal) read(path string) {
	text, err := regular.ReadFile(path, effort.SideFile)
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

// restart discards the progress of the blocks.
func (j *journal) restart() {
	r := &j.Report
	j.Rows, j.Last, j.Sum = 0, nil, sum{}
	r.Blocks, r.Converted, r.Kept, r.Dropped, r.Rows, r.Damaged, r.Salvaged, r.Resumed, r.Changed = 0, 0, 0, 0, 0, 0, 0, 0, 0
}

// enter records that the target of the stage is created by this copy from now on.
func (j *journal) enter() error {
	j.Entered = true
	return j.save()
}

// nextStage continues with the next stage. If a system crash undoes that, the stage is repeated.
func (j *journal) nextStage() error {
	j.Stage++
	j.Entered = false
	return j.note()
}

// removeParts removes the incomplete files of a run that was killed.
func removeParts(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, wholefile.Suffix) || strings.HasPrefix(name, ".trowel-") &&
			name != world.CopyJournal && name != world.CopyProgress && name != world.CopyHashes {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
	return err
}
