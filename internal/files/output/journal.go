package output

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"trowel.example/internal/files/wholefile"
)

// journal lists the moves that remain when all parts of an output are complete or, with Aside, a rename to undo. If a
// run is killed, the next run in this folder completes its journal.
type journal struct {
	Moves []move `json:",omitempty"`
	// Aside is the temporary name of the folder Of while a new folder replaces it.
	Aside string `json:",omitempty"`
	Of    string `json:",omitempty"`
}

// move renames a file from the workshop to its target. If it replaces a file, the two names are exchanged, and the old
// file is removed with the workshop if its stamp is Was and Keep is empty; otherwise it becomes a backup.
type move struct {
	From string // in the workshop
	To   string // in the folder that contains the workshop
	Was  *stamp `json:",omitempty"` // stamp of the replaced file, as the run read it; nil: no file is replaced
	New  *stamp `json:",omitempty"` // stamp of the new file
	Keep string `json:",omitempty"` // new name of the replaced file
}

// stamp is the size and time of a file, to detect changes.
type stamp struct {
	Size    int64
	Changed time.Time
}

// another is the stamp of an existing file that the run has not read.
var another = &stamp{Size: -1}

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
	if err = errors.Join(err, wholefile.Flush(f), f.Close()); err != nil {
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

// mover executes a journal, in the folder that contains the workshop.
type mover struct {
	*workshop
	base    *os.Root
	kept    []string // paths of the backups
	changed bool     // a replaced file had been changed by another program
}

// redo completes a journal from the point where a run was killed. Files that were changed since then are not replaced.
func (w *workshop) redo(j *journal) error {
	base, err := os.OpenRoot(filepath.Dir(w.dir))
	if err != nil {
		return err
	}
	defer base.Close()
	if j.Aside != "" {
		Step()
		if err := wholefile.Move(base, j.Aside, j.Of); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	m := &mover{workshop: w, base: base}
	for i := range j.Moves {
		if err := m.again(i, &j.Moves[i]); err != nil {
			return err
		}
	}
	Step()
	syncDir(filepath.Dir(w.dir))
	return nil
}

// again completes a move that may be done already, completely or in part.
func (m *mover) again(i int, v *move) error {
	from, to := stampAt(m.base, m.inBase(v.From)), stampAt(m.base, v.To)
	var err error
	switch {
	case from == nil: // done
	case v.Was == nil, to == nil && stampAt(m.base, m.old(i)) != nil:
		Step()
		if err = wholefile.Move(m.base, m.inBase(v.From), v.To); errors.Is(err, fs.ErrExist) {
			err = nil // another program has created it first
		}
	case from.equal(v.New) && to.equal(v.Was):
		err = m.give(i, v)
	}
	if err != nil {
		return err
	}
	return m.settle(i, v, false)
}

// do executes all moves of a journal, or none.
func (w *workshop) do(j *journal) (*mover, error) {
	base, err := os.OpenRoot(filepath.Dir(w.dir))
	if err != nil {
		return nil, err
	}
	defer base.Close()
	m := &mover{workshop: w, base: base}
	done := 0
	for ; done < len(j.Moves) && err == nil; done++ {
		err = notReplaced(m.give(done, &j.Moves[done]), filepath.Join(base.Name(), j.Moves[done].To))
	}
	given := err == nil
	if !given {
		for i := done - 2; i >= 0; i-- {
			m.takeBack(i, &j.Moves[i])
		}
	}
	for i := range j.Moves[:done] {
		if e := m.settle(i, &j.Moves[i], given); e != nil {
			err = errors.Join(err, e)
			w.stays = true // the next run tries again
		}
	}
	return m, err
}

// give renames a file to its target.
func (m *mover) give(i int, v *move) error {
	from := m.inBase(v.From)
	Step()
	if v.Was == nil {
		return m.moveNew(from, v.To)
	}
	err := errors.ErrUnsupported
	if !noExchange {
		err = wholefile.Exchange(m.base, from, v.To)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // another program has removed it meanwhile
		return m.moveNew(from, v.To)
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	// For a moment no file has the name.
	old := m.old(i)
	if err := m.base.Rename(v.To, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	Step()
	err = m.moveNew(from, v.To)
	if err != nil && wholefile.Move(m.base, old, v.To) != nil {
		_ = m.keepAs(old, v.Keep, v.To) // another program has created one
	}
	return err
}

func (m *mover) moveNew(from, to string) error {
	err := wholefile.Move(m.base, from, to)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{Path: filepath.Join(m.base.Name(), to)} // another program has created it first
	}
	return err
}

// takeBack undoes a move.
func (m *mover) takeBack(i int, v *move) {
	from, old := m.inBase(v.From), m.old(i)
	if stampAt(m.base, from) != nil {
		_ = wholefile.Exchange(m.base, from, v.To)
	} else if wholefile.Move(m.base, v.To, from) == nil && v.Was != nil {
		_ = wholefile.Move(m.base, old, v.To)
	}
}

// settle makes a backup of a replaced file that must not be removed. Given states that the file was replaced;
// otherwise settle checks this.
func (m *mover) settle(i int, v *move, given bool) error {
	if v.Was == nil {
		return nil
	}
	for _, name := range []string{m.inBase(v.From), m.old(i)} {
		out := stampAt(m.base, name)
		if out == nil || !given && name != m.old(i) && out.equal(v.New) {
			continue
		}
		m.changed = m.changed || !out.equal(v.Was)
		if v.Keep == "" && out.equal(v.Was) {
			continue
		}
		if err := m.keepAs(name, v.Keep, v.To); err != nil {
			return err
		}
	}
	return nil
}

// keepAs renames a file to a backup of another, with an unused name.
func (m *mover) keepAs(name, keep, of string) error {
	if keep == "" {
		keep = BackupName(of)
	}
	for {
		Step()
		err := wholefile.Move(m.base, name, keep)
		if err == nil {
			m.kept = append(m.kept, filepath.Join(m.base.Name(), keep))
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		time.Sleep(time.Millisecond) // the names of backups contain milliseconds
		keep = BackupName(of)
	}
}

// old is the temporary name of a file where names cannot be exchanged.
func (m *mover) old(i int) string { return m.inBase("old" + strconv.Itoa(i)) }

// inBase returns the path of a file in the workshop, relative to the folder that contains the workshop.
func (w *workshop) inBase(name string) string { return filepath.Join(filepath.Base(w.dir), name) }

func stampAt(base *os.Root, name string) *stamp {
	info, err := base.Lstat(name)
	if err != nil {
		return nil
	}
	return stampOf(info)
}
