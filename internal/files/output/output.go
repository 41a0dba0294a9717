// Package output writes files and folders atomically. An output is written in a hidden folder next to its target,
// flushed to disk, and renamed. A process that is killed at any moment leaves the old files or the new ones; the next
// process that writes there completes the work and removes temporary files.
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

	"trowel.example/internal/files/filelock"
)

const onWindows = runtime.GOOS == "windows"

// Output is a game file or folder that is being written. Commit moves the written files to their targets; Discard
// removes them, and does nothing after Commit.
type Output struct {
	Options
	path  string
	to    io.Writer // final destination of the bytes if it is not a regular file
	work  *workshop // nil until something is written
	parts []*part
	into  bool           // write into an existing folder
	stays bool           // the folder has its final name already
	lock  *filelock.Held // of that folder
	size  int64
	old   bool // something was replaced

	kept    []string // backups of replaced files
	changed bool     // a replaced file had changed since the output began
}

// Part is a file that is being written: either from front to end, or at any offset, but not both.
type Part = interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
}

// part is a file or folder that Commit renames to its target.
type part struct {
	target, temp string
	old          fs.FileInfo // the existing file at target, or nil
	was          *stamp      // stamp of the existing file; for a held file, when it was read
	file         *os.File    // nil for a folder
	buf          *bufio.Writer
}

func (p *part) Write(b []byte) (int, error)            { return p.buf.Write(b) }
func (p *part) ReadAt(b []byte, at int64) (int, error) { return p.file.ReadAt(b, at) }

func (p *part) WriteAt(b []byte, at int64) (int, error) {
	n, err := p.file.WriteAt(b, at)
	return n, inTarget(err, p.target)
}

// New starts an output at path. An existing file is an error unless opts allow replacing it.
func New(path string, opts Options) (*Output, error) {
	o := &Output{path: path, Options: opts}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.path = real // replace the file, not the link to it
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0:
		// Renaming a file to /dev/null would replace the device.
		flags := os.O_WRONLY
		if info.Mode()&fs.ModeNamedPipe != 0 {
			flags |= nonblock // otherwise opening waits for a reader
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
	if _, err := os.Stat(filepath.Dir(o.path)); err != nil { // fail before the work, not after it
		return nil, inTarget(err, path)
	}
	if err := o.NotRead(o.path); err != nil {
		return nil, err
	}
	recoverRuns(filepath.Dir(o.path))
	if _, err := o.mayWrite(o.path); err != nil {
		return nil, err
	}
	return o, nil
}

// Into starts an output whose Dir is merged into the existing folder at path. Other files in the folder are kept.
// Files of the same names are replaced if opts allow it, but never through a link out of the folder.
func Into(path string, opts Options) (*Output, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	o := &Output{path: real, Options: opts, into: true}
	if err := o.NotRead(real); err != nil {
		return nil, err
	}
	if whole, err := filepath.Abs(real); err == nil { // "." has no folder in its name
		recoverRuns(filepath.Dir(whole))
	}
	recoverRuns(real)
	if !opts.Replace && !empty(real) {
		return nil, &ExistsError{Path: path}
	}
	return o, nil
}

// Resume starts an output that may continue in an existing folder at path: see KeptDir.
func Resume(path string, opts Options) (*Output, error) {
	o := &Output{path: path, Options: opts}
	if err := o.NotRead(path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, inTarget(err, path)
	}
	recoverRuns(filepath.Dir(path))
	return o, nil
}

// Stream starts an output that is copied to w when it is complete.
func Stream(w io.Writer) *Output { return &Output{path: "-", to: w} }

// begin creates the workshop.
func (o *Output) begin(base string) error {
	if o.work != nil {
		return nil
	}
	var err error
	o.work, err = newWorkshop(base)
	return err
}

// Create starts the file itself, or a companion file whose name is that of the file followed by suffix.
func (o *Output) Create(suffix string) (Part, error) {
	if err := o.single(); err != nil {
		return nil, err
	}
	if o.to != nil {
		if suffix != "" || len(o.parts) > 0 {
			return nil, fmt.Errorf("%s: this format consists of several files: give a file name with -o", o.path)
		}
		recoverRuns(os.TempDir())
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

// known returns the stamp of a file that the run may replace, or nil if there is none.
func (o *Output) known(target string) *stamp {
	if o.Held != nil && target == o.path {
		return stampOf(o.Held.was)
	}
	if info, err := os.Lstat(target); err == nil {
		return stampOf(info)
	}
	return nil
}

// stepped is a writer that calls Step before each write, and whose errors name the target.
type stepped struct {
	io.Writer
	target string
}

func (s stepped) Write(b []byte) (int, error) {
	Step()
	n, err := s.Writer.Write(b)
	return n, inTarget(err, s.target)
}

// single checks that an output is either files or one folder.
func (o *Output) single() error {
	if len(o.parts) == 1 && o.parts[0].file == nil {
		return fmt.Errorf("%s: already a folder", o.path)
	}
	return nil
}

// Dir makes the output a folder and returns its temporary path.
func (o *Output) Dir() (string, error) {
	if o.to != nil {
		return "", fmt.Errorf("%s: this format is a folder: give a name with -o", o.path)
	}
	if len(o.parts) > 0 {
		if err := o.single(); err == nil {
			return "", fmt.Errorf("%s: already a file", o.path)
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
	if err != nil && o.into && base != o.path { // the parent folder is not writable
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

// newName is the folder in a workshop that becomes the output.
const newName = "new"

// KeptDir makes the output a folder that has its final name from the start. It is locked against other runs until Commit or
// Discard.
func (o *Output) KeptDir() (string, error) {
	switch info, err := os.Stat(o.path); {
	case o.to != nil:
		return "", fmt.Errorf("%s: this format is a folder: give a name with -o", o.path)
	case len(o.parts) > 0:
		return "", fmt.Errorf("%s: already created", o.path)
	case err == nil && !info.IsDir():
		return "", &KeptError{o.path, errors.New("a folder does not replace a file")}
	}
	var err error
	o.lock, err = filelock.TryHold(o.path)
	if errors.Is(err, filelock.ErrTaken) {
		return "", fmt.Errorf("%s: another run writes to this folder", o.path)
	} else if _, e := os.Stat(o.path); err != nil && (e != nil || !errors.Is(err, fs.ErrPermission)) { // in a folder without write permission
		return "", inTarget(err, o.path)
	}
	o.stays = true
	return o.path, nil
}

// inTarget replaces the path in an error by the user's name for the target.
func inTarget(err error, target string) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		op := "create"
		if e.Op == "write" {
			op = e.Op
		}
		return &fs.PathError{Op: op, Path: target, Err: e.Err}
	}
	return err
}

// notReplaced replaces the paths of a rename error by the user's name for the target.
func notReplaced(err error, target string) error {
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "replace", Path: target, Err: e.Err}
	}
	return err
}

// Size returns the number of bytes that Commit wrote to the file and its companion files.
func (o *Output) Size() int64 { return o.size }

// Replaced reports whether Commit replaced an existing file.
func (o *Output) Replaced() bool { return o.old }

// Kept returns the paths of the backups that Commit made of replaced files. Changed reports that another program wrote
// files during the run; their content is in the backups.
func (o *Output) Kept() (paths []string, changed bool) { return o.kept, o.changed }

// Interrupt ends a Commit that waits for the reader of a pipe.
func (o *Output) Interrupt() {
	if f, ok := o.to.(*os.File); ok && o.path != "-" {
		_ = f.SetWriteDeadline(time.Now())
	}
}

// Discard removes everything written so far.
func (o *Output) Discard() {
	o.lock.Release()
	if f, ok := o.to.(*os.File); ok && o.path != "-" {
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
