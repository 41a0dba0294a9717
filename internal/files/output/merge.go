package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mayTurn reports whether another folder may replace an empty one: it must not be the current folder, contain a mount
// point or belong to another user.
func mayTurn(path string, info fs.FileInfo) bool {
	here, err := os.Getwd()
	return err == nil && !contains(info, here) && empty(path) && mountIn(path) == "" && mine(info)
}

// merge moves the files of a folder into the existing one.
func (o *Output) merge(p *part) error {
	if filepath.Dir(o.work.dir) != o.path && empty(o.path) {
		Step()
		if err := renameOverEmpty(p.temp, o.path); err == nil {
			return nil
		}
	}
	base, err := os.OpenRoot(filepath.Dir(o.work.dir))
	if err != nil {
		return err
	}
	defer base.Close()
	to, err := filepath.Rel(base.Name(), o.path)
	if err != nil {
		return err
	}
	list, err := os.ReadDir(o.path)
	if err != nil {
		return err
	}
	if !o.Replace && slices.ContainsFunc(list, func(e fs.DirEntry) bool { return !workshopName.MatchString(e.Name()) }) {
		return &ExistsError{Path: o.path} // another run has written into it
	}
	m := merger{o: o, base: base}
	for _, read := range o.reads() {
		if info, err := os.Stat(read); err == nil {
			m.reads = append(m.reads, info)
		}
	}
	if err := m.folder(newName, to); err != nil {
		return err
	}
	return o.doMoves(&journal{Moves: m.moves})
}

// merger collects the moves.
type merger struct {
	o     *Output
	base  *os.Root
	reads []fs.FileInfo
	moves []move
}

// folder adds the moves from a folder of the workshop to an existing folder.
func (m *merger) folder(from, to string) error {
	list, err := os.ReadDir(m.o.work.path(from))
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := m.entry(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), e.IsDir()); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) entry(from, to string, folder bool) error {
	name := filepath.Join(m.base.Name(), to)
	link, err := m.base.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		m.moves = append(m.moves, move{From: from, To: to})
		return nil
	}
	if err != nil {
		return err
	}
	there, err := m.base.Stat(to) // follows links, but not out of base
	switch {
	case err != nil:
		return err
	case folder && there.IsDir():
		return m.folder(from, to)
	case folder:
		return &KeptError{name, errors.New("a folder does not replace a file")}
	case there.IsDir():
		return &KeptError{name, errors.New("a file does not replace a folder")}
	case !m.o.Replace:
		return &ExistsError{Path: name}
	}
	for _, read := range m.reads {
		if os.SameFile(read, there) {
			return fmt.Errorf("%s: %w", name, ErrRead)
		}
	}
	m.moves = append(m.moves, move{From: from, To: to, Was: stampOf(link)})
	return m.o.replaced(&m.moves[len(m.moves)-1])
}
