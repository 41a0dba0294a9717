package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/internal/files/wholefile"
)

// Commit gives all parts of the output their names, or none.
func (o *Output) Commit() error {
	if o.stays {
		o.lock.Release()
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
		var err error
		if f, ok := o.to.(*os.File); ok && o.path != "-" {
			err = f.Close()
		}
		o.Discard()
		return err
	}
	if err := o.place(); err != nil {
		return err
	}
	Step()
	syncDir(filepath.Dir(o.path)) // before replaced files are removed
	o.Discard()
	return nil
}

// finish flushes a part to disk, or copies it to the stream.
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
	return errors.Join(wholefile.Flush(p.file), p.file.Close())
}

// mode gives a part the permissions of the file that it replaces. New files get the user's default permissions.
func (o *Output) mode(p *part) error {
	others := o.others()
	if p.old == nil && others == 0o077 {
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
	mode &= 0o700 | others
	if p.file == nil {
		mode |= 0o700
	}
	Step()
	return wholefile.SetMode(p.temp, mode)
}

// place gives all parts their names.
func (o *Output) place() error {
	release, err := o.hold()
	if err != nil {
		return err
	}
	defer release()
	p := o.parts[0]
	switch {
	case o.into:
		return o.merge(p)
	case len(o.parts) > 1:
		return o.placeAll()
	}
	old, err := o.mayBe(p.target, p.file == nil) // another program may have created it meanwhile
	switch {
	case err != nil:
		return err
	case old == nil:
		Step()
		if err := wholefile.MovePath(p.temp, p.target); errors.Is(err, fs.ErrExist) {
			return &ExistsError{Path: p.target}
		} else if err != nil {
			return notReplaced(err, p.target)
		}
		return nil
	case p.file == nil:
		return notReplaced(o.swap(p, old), p.target)
	}
	return o.placeAll()
}

// swap replaces a folder by another one, atomically where the system supports it. Elsewhere the old folder is renamed
// temporarily; if the run is killed then, the next run restores the name.
func (o *Output) swap(p *part, old fs.FileInfo) error {
	base, err := os.OpenRoot(filepath.Dir(p.target))
	if err != nil {
		return err
	}
	defer base.Close()
	temp, name := o.work.inBase(newName), filepath.Base(p.target)
	o.old = true
	os.SameFile(old, old) // loads the file identity now: Windows reads it lazily, by path
	aside, err := asideName(p.target)
	if err != nil {
		return err
	}
	aside = filepath.Base(aside)
	// The old folder is removed with the workshop, unless another program has replaced it meanwhile.
	drop := func(from, to string) error {
		if info, err := base.Stat(from); err == nil && !os.SameFile(info, old) {
			o.kept, o.changed = append(o.kept, p.target+strings.TrimPrefix(aside, name)), true
			to = aside
		}
		if from == to {
			return nil
		}
		return wholefile.Move(base, from, to)
	}
	Step()
	err = errors.ErrUnsupported
	if !noExchange {
		err = wholefile.Exchange(base, temp, name)
	}
	if err == nil {
		return drop(temp, temp)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := o.work.writeJournal(&journal{Aside: aside, Of: name}); err != nil {
		return err
	}
	Step()
	if err := wholefile.Move(base, name, aside); err != nil {
		return err
	}
	Step()
	if err := wholefile.Move(base, temp, name); err != nil {
		return errors.Join(err, wholefile.Move(base, aside, name))
	}
	Step()
	syncDir(filepath.Dir(p.target))
	Step()
	return drop(aside, o.work.inBase("aside"))
}

// noExchange simulates, in tests, a system that cannot exchange names.
var noExchange bool

// asideName returns an unused name for a renamed folder: NAME.bak, NAME.bak2 and so on.
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
	return "", &KeptError{path, errors.New("too many copies next to the file, such as " + path + ".bak")}
}

// placeAll gives all files their names. Companion files come first: they are useless without the main file.
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
			if err := o.replace(&m, p); err != nil {
				return err
			}
		}
		j.Moves = append(j.Moves, m)
	}
	return o.doMoves(j)
}

// replace makes m a move that replaces the existing file.
func (o *Output) replace(m *move, p *part) error {
	now, err := os.Lstat(p.target)
	if err != nil {
		return err
	}
	if m.Was = p.was; m.Was == nil {
		m.Was = another
	}
	if o.Held != nil && !stampOf(now).equal(m.Was) {
		return &KeptError{p.target, ErrMeanwhile}
	}
	if o.Backup != "" {
		m.Keep = filepath.Base(o.Backup) + strings.TrimPrefix(p.target, o.path)
	}
	return o.replaced(m)
}

// replaced records the stamp of the new file, after making it differ from that of the old file.
func (o *Output) replaced(m *move) error {
	o.old = true
	path := o.work.path(m.From)
	for {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if m.New = stampOf(info); !m.New.equal(m.Was) {
			return nil
		}
		later := m.New.Changed.Add(2 * time.Second) // the coarsest time resolution of file systems
		if err := wholefile.SetTimeOf(path, later); err != nil {
			return err
		}
	}
}

func (o *Output) doMoves(j *journal) error {
	if err := o.work.writeJournal(j); err != nil {
		return err
	}
	m, err := o.work.do(j)
	if m != nil {
		o.kept, o.changed = m.kept, m.changed
	}
	return err
}

// syncDir flushes new names to disk if the system can. If it cannot, the content is on disk anyway.
func syncDir(dir string) { _ = wholefile.SyncDir(dir) }
