// Package output writes files and folders of which nothing is visible until
// they are whole. They are made in a hidden folder beside their place, flushed
// to disk, and renamed. A process that is killed at any moment leaves the old or the new; the
// next one at this place ends what it began, and removes what it left.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

const onWindows = runtime.GOOS == "windows"

// Output is a game file that is being made, as formats build them. Commit puts
// it in its place; Discard, which does nothing after Commit, removes it.
type Output struct {
	Options
	path  string
	to    io.Writer // where the bytes go in the end, if that is no plain file
	work  *workshop // nil until something is made
	parts []*part
	into  bool // it goes into a folder that is there
	stays bool // a folder that has its name already
	size  int64
	old   bool // something was replaced

	kept    []string // backups of what was replaced
	changed bool     // that was another one than when the output began
}

// Part is a file that is being made: written from front to end, or at any place, not both.
type Part = interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
}

// part is a file or folder that will get its name at Commit.
type part struct {
	target, temp string
	old          fs.FileInfo // what is at target, or nil
	was          *stamp      // of that; of a file that is held, when it was read
	file         *os.File    // nil for a folder
	buf          *bufio.Writer
}

func (p *part) Write(b []byte) (int, error)            { return p.buf.Write(b) }
func (p *part) ReadAt(b []byte, at int64) (int, error) { return p.file.ReadAt(b, at) }

func (p *part) WriteAt(b []byte, at int64) (int, error) {
	n, err := p.file.WriteAt(b, at)
	return n, inTarget(err, p.target)
}

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
		// Renaming a file to /dev/null would replace the device.
		flags := os.O_WRONLY
		if info.Mode()&fs.ModeNamedPipe != 0 {
			flags |= nonblock // else it is not open before somebody reads
		}
		f, err := os.OpenFile(o.path, flags, 0)
		if noReader(err) {
			err = fmt.Errorf("%s: a pipe that no program reads", path)
		}
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
	if err := o.NotRead(o.path); err != nil {
		return nil, err
	}
	Recover(filepath.Dir(o.path))
	if _, err := o.mayWrite(o.path); err != nil {
		return nil, err
	}
	return o, nil
}

// Into starts an output of which Dir gives the folder: its files go into the folder at
// path, which is there and keeps all others. Those of the same names are replaced if opts
// say so, but never through a link that leads out of it.
func Into(path string, opts Options) (*Output, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	o := &Output{path: real, Options: opts, into: true}
	if err := o.NotRead(real); err != nil {
		return nil, err
	}
	Recover(filepath.Dir(real))
	Recover(real)
	if !opts.Replace && !empty(real) {
		return nil, &ExistsError{Path: path}
	}
	return o, nil
}

// Resume starts an output that may continue with a folder at path: see KeptDir.
func Resume(path string, opts Options) (*Output, error) {
	o := &Output{path: path, Options: opts}
	if err := o.NotRead(path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, inTarget(err, path)
	}
	Recover(filepath.Dir(path))
	return o, nil
}

// Stream starts an output that goes to w when it is whole.
func Stream(w io.Writer) *Output { return &Output{path: "-", to: w} }

// begin makes the workshop.
func (o *Output) begin(base string) error {
	if o.work != nil {
		return nil
	}
	var err error
	o.work, err = newWorkshop(base)
	return err
}

// Create starts the file itself, or a neighbour whose name has suffix after
// that of the file.
func (o *Output) Create(suffix string) (Part, error) {
	if err := o.single(); err != nil {
		return nil, err
	}
	if o.to != nil {
		if suffix != "" || len(o.parts) > 0 {
			return nil, fmt.Errorf("%s: this format makes more than one file, it needs a name for them", o.path)
		}
		Recover(os.TempDir())
		return o.create(os.TempDir(), "", nil)
	}
	target := o.path + suffix
	old, err := o.mayBe(target, false)
	if err != nil {
		return nil, err
	}
	return o.create(filepath.Dir(target), target, old)
}

func (o *Output) create(base, target string, old fs.FileInfo) (Part, error) {
	if err := o.begin(base); err != nil {
		return nil, inTarget(err, target)
	}
	temp := o.work.path(strconv.Itoa(len(o.parts)))
	Step()
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, inTarget(err, target)
	}
	p := &part{target: target, temp: temp, old: old, was: o.known(target), file: f, buf: bufio.NewWriterSize(stepped{f, target}, 1<<16)}
	o.parts = append(o.parts, p)
	return p, nil
}

// known returns what the run knows of a file that it may replace; nil: nothing was there.
func (o *Output) known(target string) *stamp {
	if o.Held != nil && target == o.path {
		return stampOf(o.Held.was)
	}
	if info, err := os.Lstat(target); err == nil {
		return stampOf(info)
	}
	return nil
}

// stepped is a writer whose writes tests may not survive, and whose errors name the target.
type stepped struct {
	io.Writer
	target string
}

func (s stepped) Write(b []byte) (int, error) {
	Step()
	n, err := s.Writer.Write(b)
	return n, inTarget(err, s.target)
}

// single makes sure that an output is either files or one folder.
func (o *Output) single() error {
	if len(o.parts) == 1 && o.parts[0].file == nil {
		return fmt.Errorf("%s: a folder already", o.path)
	}
	return nil
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
	var old fs.FileInfo
	var err error
	if !o.into {
		old, err = o.mayBe(o.path, true)
	} else {
		old, err = os.Stat(o.path)
	}
	if err != nil {
		return "", err
	}
	base := filepath.Dir(o.path)
	if o.into && !mayTurn(o.path, old) {
		base = o.path
	}
	err = o.begin(base)
	if err != nil && o.into && base != o.path { // nobody may write beside it
		err = o.begin(o.path)
	}
	if err != nil {
		return "", inTarget(err, o.path)
	}
	temp := o.work.path(newName)
	Step()
	if err := os.Mkdir(temp, 0o777); err != nil {
		return "", inTarget(err, o.path)
	}
	o.parts = append(o.parts, &part{target: o.path, temp: temp, old: old})
	return temp, nil
}

// newName is the folder of a workshop that becomes the output.
const newName = "new"

// KeptDir makes the output a folder that has its name from the start.
func (o *Output) KeptDir() (string, error) {
	switch info, err := os.Stat(o.path); {
	case o.to != nil:
		return "", fmt.Errorf("%s: this format is a folder, it needs a name", o.path)
	case len(o.parts) > 0:
		return "", fmt.Errorf("%s: made already", o.path)
	case err == nil && !info.IsDir():
		return "", &KeptError{o.path, errors.New("a folder does not take the place of a file")}
	}
	o.stays = true
	return o.path, nil
}

// inTarget makes an error tell the name that the user knows.
func inTarget(err error, target string) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		op := "create"
		if e.Op == "write" {
			op = e.Op
		}
		return &fs.PathError{Op: op, Path: target, Err: e.Err}
	}
	return err
}

// notReplaced makes an error of renaming tell the name that the user knows.
func notReplaced(err error, target string) error {
	var e *os.LinkError
	if errors.As(err, &e) {
		return &fs.PathError{Op: "replace", Path: target, Err: e.Err}
	}
	return err
}

// Size returns the number of bytes that Commit wrote into the file itself and
// its neighbours.
func (o *Output) Size() int64 { return o.size }

// Replaced reports whether Commit has replaced something that was there.
func (o *Output) Replaced() bool { return o.old }

// Kept returns the backups that Commit made of what it replaced. Changed tells that another program
// wrote there during the run, and what it wrote is in them.
func (o *Output) Kept() (paths []string, changed bool) { return o.kept, o.changed }

// Interrupt ends a Commit that waits for the reader of a pipe.
func (o *Output) Interrupt() {
	if f, is := o.to.(*os.File); is && o.path != "-" {
		_ = f.SetWriteDeadline(time.Now())
	}
}

// Discard removes what was written so far.
func (o *Output) Discard() {
	if f, is := o.to.(*os.File); is && o.path != "-" {
		f.Close()
	}
	for _, p := range o.parts {
		if p.file != nil {
			p.file.Close()
		}
	}
	o.parts = nil
	if o.work != nil {
		o.work.close()
		o.work = nil
	}
}
