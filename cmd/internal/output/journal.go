package output

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// journal is what is still to be done when all parts of an output are whole, or, with
// Aside, to be undone. A run that is killed then is ended by the next one in this folder.
type journal struct {
	Moves []move `json:",omitempty"`
	// Aside is where the folder Of was put before the new one got its name.
	Aside string `json:",omitempty"`
	Of    string `json:",omitempty"`
}

// move gives what is in the workshop its name.
type move struct {
	From string // in the workshop
	To   string // in the folder that the workshop is in
	Was  *stamp `json:",omitempty"` // what is replaced; nil: nothing is there
}

// stamp identifies a file and its state, to see whether it has changed.
type stamp struct {
	Size    int64
	Changed time.Time
}

func stampOf(info fs.FileInfo) *stamp { return &stamp{info.Size(), info.ModTime()} }

func (s *stamp) equal(t *stamp) bool {
	if s == nil || t == nil {
		return s == t
	}
	return s.Size == t.Size && s.Changed.Equal(t.Changed)
}

func (w *workshop) writeJournal(j *journal) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	part := w.path(movesLog + ".part")
	Step()
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	Step()
	_, err = f.Write(text)
	Step()
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	Step()
	if err := os.Rename(part, w.path(movesLog)); err != nil {
		return err
	}
	Step()
	syncDir(w.dir)
	return nil
}

func (w *workshop) readJournal() (*journal, error) {
	text, err := os.ReadFile(w.path(movesLog))
	if err != nil {
		return nil, err
	}
	j := new(journal)
	return j, json.Unmarshal(text, j)
}

// redo does what a journal says, from the place where a run was killed. A file that
// somebody has changed since then stays as it is.
func (w *workshop) redo(j *journal) error {
	base, err := os.OpenRoot(filepath.Dir(w.dir))
	if err != nil {
		return err
	}
	defer base.Close()
	if j.Aside != "" {
		if _, err := base.Lstat(j.Of); errors.Is(err, fs.ErrNotExist) {
			Step()
			if err := base.Rename(j.Aside, j.Of); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, m := range j.Moves {
		from := w.inBase(m.From)
		if _, err := base.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue // done
		}
		if !stampAt(base, m.To).equal(m.Was) {
			continue
		}
		Step()
		if err := base.Rename(from, m.To); err != nil {
			return err
		}
	}
	Step()
	syncDir(filepath.Dir(w.dir))
	return nil
}

// do does what a journal says, all or nothing.
func (w *workshop) do(j *journal) (err error) {
	base, err := os.OpenRoot(filepath.Dir(w.dir))
	if err != nil {
		return err
	}
	defer base.Close()
	Step()
	if err := w.keep(); err != nil {
		return err
	}
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		_ = os.Remove(w.path(movesLog))
		for i := len(undo) - 1; i >= 0; i-- {
			_ = undo[i]()
		}
	}()
	for i, m := range j.Moves {
		from, old := w.inBase(m.From), w.inBase(filepath.Join(oldName, strconv.Itoa(i)))
		if !stampAt(base, m.To).equal(m.Was) {
			return &ExistsError{Path: filepath.Join(filepath.Dir(w.dir), m.To)} // somebody came first
		}
		if m.Was != nil {
			Step()
			if err := base.Link(m.To, old); err == nil {
				undo = append(undo, func() error { return base.Rename(old, m.To) })
			}
		} else {
			undo = append(undo, func() error { return base.Rename(m.To, from) })
		}
		Step()
		if err := base.Rename(from, m.To); err != nil {
			return err
		}
	}
	return nil
}

// oldName is the folder of a workshop in which the files that are replaced are kept until
// all are.
const oldName = "old"

func (w *workshop) keep() error { return os.Mkdir(w.path(oldName), 0o700) }

// inBase returns the path of a thing in the workshop from the folder that that is in.
func (w *workshop) inBase(name string) string { return filepath.Join(filepath.Base(w.dir), name) }

func stampAt(base *os.Root, name string) *stamp {
	info, err := base.Lstat(name)
	if err != nil {
		return nil
	}
	return stampOf(info)
}
