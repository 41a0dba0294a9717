package output

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"trowel.example/internal/wholefile"
)

// journal is what is still to be done when all parts of an output are whole, or, with
// Aside, to be undone. A run that is killed then is ended by the next one in this folder.
type journal struct {
	Moves []move `json:",omitempty"`
	// Aside is where the folder Of was put before the new one got its name.
	Aside string `json:",omitempty"`
	Of    string `json:",omitempty"`
}

// move gives what is in the workshop its name. A file that is replaced comes into the workshop in
// its stead. There it is removed with that, if it is Was and has no name to Keep; else it is a backup.
type move struct {
	From string // in the workshop
	To   string // in the folder that the workshop is in
	Was  *stamp `json:",omitempty"` // what is replaced, as the run knew it; nil: nothing is there
	New  *stamp `json:",omitempty"` // of what replaces it
	Keep string `json:",omitempty"` // the name that what is replaced gets
}

// stamp identifies a file and its state, to see whether it has changed.
type stamp struct {
	Size    int64
	Changed time.Time
}

// another is the stamp of a file that the run does not know.
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

// mover does what a journal says, below the folder that the workshop is in.
type mover struct {
	*workshop
	base    *os.Root
	kept    []string // paths of the backups that were made
	changed bool     // what was replaced was not what the run knew
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

// again does a move that may be done already, or in part.
func (m *mover) again(i int, v *move) error {
	from, to := stampAt(m.base, m.inBase(v.From)), stampAt(m.base, v.To)
	var err error
	switch {
	case from == nil: // done
	case v.Was == nil, to == nil && stampAt(m.base, m.old(i)) != nil:
		Step()
		if err = wholefile.Move(m.base, m.inBase(v.From), v.To); errors.Is(err, fs.ErrExist) {
			err = nil // somebody came first
		}
	case from.equal(v.New) && to.equal(v.Was):
		err = m.give(i, v)
	}
	if err != nil {
		return err
	}
	return m.settle(i, v, false)
}

// do does what a journal says, all or nothing.
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

// give gives a thing its name.
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
	case errors.Is(err, fs.ErrNotExist): // somebody has removed it meanwhile
		return m.moveNew(from, v.To)
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	// For a moment the name is nobody's.
	old := m.old(i)
	if err := m.base.Rename(v.To, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	Step()
	err = m.moveNew(from, v.To)
	if err != nil && wholefile.Move(m.base, old, v.To) != nil {
		_ = m.keepAs(old, v.Keep, v.To) // somebody else made one
	}
	return err
}

func (m *mover) moveNew(from, to string) error {
	err := wholefile.Move(m.base, from, to)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{Path: filepath.Join(m.base.Name(), to)} // somebody came first
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

// settle makes a backup of what was replaced, if that is not to be removed. Given tells that it was;
// else that is to be seen.
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

// keepAs makes a file the backup of another, with a name that is free.
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
		time.Sleep(time.Millisecond) // by which names differ
		keep = BackupName(of)
	}
}

// old is where a file is for a moment where names cannot be exchanged.
func (m *mover) old(i int) string { return m.inBase("old" + strconv.Itoa(i)) }

// inBase returns the path of a thing in the workshop from the folder that that is in.
func (w *workshop) inBase(name string) string { return filepath.Join(filepath.Base(w.dir), name) }

func stampAt(base *os.Root, name string) *stamp {
	info, err := base.Lstat(name)
	if err != nil {
		return nil
	}
	return stampOf(info)
}
