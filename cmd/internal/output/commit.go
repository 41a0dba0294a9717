package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/wholefile"
)

// Commit puts everything in its place, or nothing.
func (o *Output) Commit() error {
	if o.kept {
		return nil
	}
	if len(o.parts) == 0 {
		return fmt.Errorf("%s: nothing was written", o.path)
	}
	for _, p := range o.parts {
		if err := o.finish(p); err != nil {
			return err
		}
	}
	if o.to != nil {
		o.Discard()
		if f, ok := o.to.(*os.File); ok && o.path != "-" {
			return f.Close()
		}
		return nil
	}
	if err := o.place(); err != nil {
		return err
	}
	Step()
	syncDir(filepath.Dir(o.path)) // before what was replaced is gone
	o.Discard()
	return nil
}

// finish flushes a part to disk, or to where the stream goes.
func (o *Output) finish(p *part) error {
	if p.file == nil {
		if err := o.mode(p); err != nil {
			return err
		}
		if o.Passing {
			return nil
		}
		Step()
		return syncAll(p.temp)
	}
	if err := p.buf.Flush(); err != nil {
		return err
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	o.size += info.Size()
	if o.to != nil {
		if _, err = p.file.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(o.to, p.file)
		}
		return err
	}
	if err := o.mode(p); err != nil {
		return err
	}
	if o.Passing {
		return p.file.Close()
	}
	Step()
	return errors.Join(p.file.Sync(), p.file.Close())
}

// mode gives a part the permissions of what it replaces; those of what is new are the
// user's usual ones.
func (o *Output) mode(p *part) error {
	owner := o.OwnerOnly != nil && o.OwnerOnly()
	if p.old == nil && !owner {
		return nil
	}
	info, err := os.Stat(p.temp)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	if p.old != nil {
		mode = p.old.Mode().Perm()
	}
	if owner {
		mode &^= 0o077
	}
	if p.file == nil {
		mode |= 0o700
	}
	Step()
	return os.Chmod(p.temp, mode)
}

// place gives all parts their names.
func (o *Output) place() error {
	p := o.parts[0]
	switch {
	case o.into:
		return o.merge(p)
	case len(o.parts) > 1:
		return o.placeAll()
	}
	old, err := o.mayBe(p.target, p.file == nil) // somebody may have come first
	switch {
	case err != nil:
		return err
	case old == nil:
		Step()
		if err := renameNew(p.temp, p.target); errors.Is(err, fs.ErrExist) {
			return &ExistsError{Path: p.target}
		} else if err != nil {
			return err
		}
		return nil
	case p.file == nil:
		return o.swap(p)
	}
	o.old = true
	Step()
	return os.Rename(p.temp, p.target)
}

// renameChecked is renameNew where the system has no such thing.
func renameChecked(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// swap puts a folder in the place of another, at once where the system can do that. Where
// it cannot, the old one has another name beside it in between, and a run that is killed
// then gives it back.
func (o *Output) swap(p *part) error {
	o.old = true
	Step()
	err := errors.ErrUnsupported
	if !noExchange {
		err = exchange(p.temp, p.target)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err // the old one is in the workshop now
	}
	aside, err := asideName(p.target)
	if err != nil {
		return err
	}
	j := &journal{Aside: filepath.Base(aside), Of: filepath.Base(p.target)}
	if err := o.work.writeJournal(j); err != nil {
		return err
	}
	Step()
	if err := os.Rename(p.target, aside); err != nil {
		return err
	}
	Step()
	if err := os.Rename(p.temp, p.target); err != nil {
		return errors.Join(err, os.Rename(aside, p.target))
	}
	Step()
	syncDir(filepath.Dir(p.target))
	Step()
	return os.Rename(aside, o.work.path("aside"))
}

// noExchange is for tests: the system cannot exchange names.
var noExchange bool

// asideName returns a free name beside a folder: NAME.bak, or NAME.bak2 and so on.
func asideName(path string) (string, error) {
	for i := 1; i < 100; i++ {
		name := path + ".bak"
		if i > 1 {
			name += fmt.Sprint(i)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", &KeptError{path, errors.New("there are too many copies of it beside it, such as " + path + ".bak")}
}

// placeAll gives several files their names. The neighbours come first: without the file
// itself they are nothing.
func (o *Output) placeAll() error {
	j := new(journal)
	for i := range o.parts {
		p := o.parts[len(o.parts)-1-i]
		old, err := o.mayBe(p.target, false)
		if err != nil {
			return err
		}
		m := move{From: filepath.Base(p.temp), To: filepath.Base(p.target)}
		if old != nil {
			if old, err = os.Lstat(p.target); err != nil {
				return err
			}
			m.Was = stampOf(old)
			o.old = true
		}
		j.Moves = append(j.Moves, m)
	}
	if err := o.work.writeJournal(j); err != nil {
		return err
	}
	return o.work.do(j)
}

// syncDir flushes new names to disk where a system can. Where it cannot, what was
// written stands all the same.
func syncDir(dir string) { _ = wholefile.SyncDir(dir) }
