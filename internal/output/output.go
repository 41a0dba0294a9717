// Package output writes files and folders of which nothing is to be seen until
// they are whole: into temporary neighbours, synced, then renamed.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"trowel/format"
)

// Output is a game file in the making, a [trowel/format.Output]. Commit puts
// it in its place; Discard, which does nothing after Commit, removes it.
type Output struct {
	Options
	path  string
	to    io.Writer // where the bytes go in the end, if that is no plain file
	parts []*part
	kept  bool // a folder that has its name already
	size  int64
}

// part is a file or folder that will get its name at Commit.
type part struct {
	target, temp string
	file         *os.File // nil for a folder
	buf          *bufio.Writer
}

func (p *part) Write(b []byte) (int, error)             { return p.buf.Write(b) }
func (p *part) WriteAt(b []byte, at int64) (int, error) { return p.file.WriteAt(b, at) }
func (p *part) ReadAt(b []byte, at int64) (int, error)  { return p.file.ReadAt(b, at) }

// New starts an output at path. Something that is there already is an error
// unless opts let it be replaced.
func New(path string, opts Options) (*Output, error) {
	o := &Output{path: path, Options: opts}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.path = real // the file is replaced, not the link to it
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0:
		// To rename over /dev/null would be the end of it.
		f, err := os.OpenFile(o.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		o.to = f
		return o, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if _, err := os.Stat(filepath.Dir(o.path)); err != nil { // better now than when all is built
		return nil, inTarget(err, path)
	}
	if _, err := o.mayWrite(o.path); err != nil {
		return nil, err
	}
	return o, nil
}

// Resume starts an output that may go on with a folder at path: see KeptDir.
func Resume(path string, opts Options) (*Output, error) {
	o := &Output{path: path, Options: opts}
	if err := o.notRead(path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, inTarget(err, path)
	}
	return o, nil
}

// Stream starts an output that goes to w when it is whole.
func Stream(w io.Writer) *Output { return &Output{path: "-", to: w} }

// Create starts the file itself, or a neighbour whose name has suffix behind
// that of the file.
func (o *Output) Create(suffix string) (format.Part, error) {
	if err := o.single(); err != nil {
		return nil, err
	}
	if o.to != nil {
		if suffix != "" || len(o.parts) > 0 {
			return nil, fmt.Errorf("%s: this format makes more than one file, it needs a name for them", o.path)
		}
		f, err := os.CreateTemp("", "trowel-*")
		if err != nil {
			return nil, err
		}
		return o.add(&part{temp: f.Name(), file: f}), nil
	}
	target := o.path + suffix
	old, err := o.mayBe(target, false)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp := TempName(filepath.Dir(target))
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
	if err != nil {
		return nil, inTarget(err, target)
	}
	if old != nil {
		_ = f.Chmod(mode) // the mask of the user may have taken something away
	}
	return o.add(&part{target: target, temp: temp, file: f}), nil
}

// single makes sure that an output is either files or one folder.
func (o *Output) single() error {
	if len(o.parts) == 1 && o.parts[0].file == nil {
		return fmt.Errorf("%s: a folder already", o.path)
	}
	return nil
}

func (o *Output) add(p *part) *part {
	p.buf = bufio.NewWriterSize(p.file, 1<<16)
	o.parts = append(o.parts, p)
	return p
}

// Dir makes the output a folder and returns its path for the time being.
func (o *Output) Dir() (string, error) {
	if o.to != nil {
		return "", fmt.Errorf("%s: this format is a folder, it needs a name", o.path)
	}
	if len(o.parts) > 0 {
		if err := o.single(); err == nil {
			return "", fmt.Errorf("%s: a file already", o.path)
		}
		return o.parts[0].temp, nil
	}
	if _, err := o.mayBe(o.path, true); err != nil {
		return "", err
	}
	temp := TempName(filepath.Dir(o.path))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return "", inTarget(err, o.path)
	}
	o.parts = append(o.parts, &part{target: o.path, temp: temp})
	return temp, nil
}

// KeptDir makes the output a folder that has its name from the start.
func (o *Output) KeptDir() (string, error) {
	switch info, err := os.Stat(o.path); {
	case o.to != nil:
		return "", fmt.Errorf("%s: this format is a folder, it needs a name", o.path)
	case len(o.parts) > 0:
		return "", fmt.Errorf("%s: made already", o.path)
	case err == nil && !info.IsDir():
		return "", fmt.Errorf("%s: is a file, the new one would be a folder", o.path)
	}
	o.kept = true
	return o.path, nil
}

// inTarget makes an error tell the name that the user knows.
func inTarget(err error, target string) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return &fs.PathError{Op: "create", Path: target, Err: e.Err}
	}
	return err
}

// TempName returns a free name for a hidden file in dir.
func TempName(dir string) string {
	return filepath.Join(dir, fmt.Sprintf(".trowel-%016x.tmp", rand.Uint64()))
}

// Size returns the number of bytes that Commit wrote into the file itself and
// its neighbours.
func (o *Output) Size() int64 { return o.size }

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
	if err := o.rename(); err != nil {
		return err
	}
	o.parts = nil
	syncDir(filepath.Dir(o.path))
	return nil
}

// finish brings a part to the disk, or to where the stream goes.
func (o *Output) finish(p *part) error {
	if p.file == nil {
		return nil
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
	if err := p.file.Sync(); err != nil {
		return err
	}
	return p.file.Close()
}

// rename gives all parts their names. If one of several cannot get its name,
// the others give theirs back.
func (o *Output) rename() (err error) {
	if len(o.parts) == 1 && o.parts[0].file != nil {
		p := o.parts[0]
		if _, err := o.mayBe(p.target, false); err != nil { // somebody may have come first
			return err
		}
		return os.Rename(p.temp, p.target)
	}
	var undo, done []func()
	defer func() {
		if err != nil {
			done = undo
		}
		for i := len(done) - 1; i >= 0; i-- {
			done[i]()
		}
	}()
	for _, p := range o.parts {
		was, err := o.mayBe(p.target, p.file == nil)
		if err != nil {
			return err
		}
		if was != nil {
			old := TempName(filepath.Dir(p.target))
			if err := os.Rename(p.target, old); err != nil {
				return err
			}
			undo = append(undo, func() { _ = os.Rename(old, p.target) })
			done = append(done, func() { _ = os.RemoveAll(old) })
		}
		if err := os.Rename(p.temp, p.target); err != nil {
			return err
		}
		undo = append(undo, func() { _ = os.Rename(p.target, p.temp) })
	}
	return nil
}

// syncDir brings new names to the disk, on systems where that is possible.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Discard removes what was written so far.
func (o *Output) Discard() {
	for _, p := range o.parts {
		if p.file != nil {
			p.file.Close()
		}
		_ = os.RemoveAll(p.temp)
	}
	o.parts = nil
}
