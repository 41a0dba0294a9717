package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/host"
)

// Options say what an output may take the place of. Whatever they say:
//
//   - what is read is never written: no file that is an input, by whatever name or link,
//     and nothing in a folder that is one;
//   - a file does not take the place of a folder, nor a folder that of a file;
//   - a folder that is not empty is replaced only by one of the very same kind, and never if
//     it is or contains an input, the home folder, the current one or a mount point.
type Options struct {
	// Replace allows the output to replace what is there.
	Replace bool
	// Replaces returns why what is written must not take the place of what is at path: an
	// error that wraps ErrKind if that is of another kind. Nil: everything is.
	Replaces func(path string) error
	// Others returns, when all is made, which of the permissions 0o077 others than its owner can have,
	// whatever those of what it replaces are; nil: all.
	Others func() fs.FileMode
	// Passing tells that the output is for this run only, so that nothing of it has to be on
	// the disk for good.
	Passing bool
	// Reads returns the paths of what is read; nil: nothing is.
	Reads func() []string
	// Held is the file itself if the run reads and replaces it; nil: it does not. A file that
	// another program has written since it is held is not replaced.
	Held *Held
	// Backup is the path, in the same folder, that gets what is replaced. "": that is removed,
	// unless another program wrote it during the run.
	Backup string
}

var (
	// ErrKind means that what is there is of another kind than what is to be written.
	ErrKind = errors.New("it is of another kind")
	// ErrRead means that an output would replace something that is read.
	ErrRead = errors.New("refusing to overwrite the input")
	// ErrMeanwhile means that another program has written what was to be replaced.
	ErrMeanwhile = errors.New("another program has written it meanwhile")
	// ErrBusy means that another run is about to replace it.
	ErrBusy = errors.New("another run of trowel changes it")
)

// ExistsError says that something is in the way and was not to be replaced.
type ExistsError struct {
	Path string
	// Replaceable reports whether it is a file of the kind that is written, so that it is
	// reasonable to replace it.
	Replaceable bool
}

func (e *ExistsError) Error() string { return e.Path + ": exists already" }

func (e *ExistsError) Unwrap() error { return fs.ErrExist }

// KeptError says why something stays, although it was to be replaced.
type KeptError struct {
	Path string
	Err  error
}

func (e *KeptError) Error() string { return e.Path + ": is not replaced: " + e.Err.Error() }
func (e *KeptError) Unwrap() error { return e.Err }

// mayWrite returns why nothing may be written to target; err of nil and no info: nothing
// is there.
func (o *Output) mayWrite(target string) (fs.FileInfo, error) {
	if err := o.NotRead(target); err != nil {
		return nil, err
	}
	old, err := os.Stat(target)
	if err != nil {
		if link, e := os.Lstat(target); e == nil { // a link to nothing
			return link, &ExistsError{Path: target}
		}
		return nil, nil
	}
	if !o.Replace {
		return old, &ExistsError{target, old.Mode().IsRegular() && o.replaces(target) == nil}
	}
	if old.IsDir() {
		err = o.mayReplaceFolder(target)
	}
	if err != nil {
		err = &KeptError{target, err}
	}
	return old, err
}

// mayBe is mayWrite for a target that is to be a folder, or a file.
func (o *Output) mayBe(target string, folder bool) (fs.FileInfo, error) {
	if old, err := os.Stat(target); err == nil && old.IsDir() != folder && o.NotRead(target) == nil {
		if folder {
			return old, &KeptError{target, errors.New("a folder does not take the place of a file")}
		}
		return old, &KeptError{target, errors.New("a file does not take the place of a folder")}
	}
	return o.mayWrite(target)
}

// others returns what permissions others than the owner can have.
func (o *Options) others() fs.FileMode {
	if o.Others == nil {
		return 0o077
	}
	return o.Others()
}

func (o *Options) replaces(path string) error {
	if o.Replaces == nil {
		return nil
	}
	return o.Replaces(path)
}

// NotRead makes sure that target is no input, and in none that is a folder.
func (o *Options) NotRead(target string) error {
	for _, read := range o.reads() {
		info, err := os.Stat(read)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue // such as a terminal
		}
		if at, _ := within(target, info); at {
			if there, err := os.Stat(target); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s: %w: it is the same as %s", target, ErrRead, read)
			}
			return fmt.Errorf("%s: %w: it is in %s", target, ErrRead, read)
		}
	}
	return nil
}

func (o *Options) reads() []string {
	if o.Reads == nil {
		return nil
	}
	return o.Reads()
}

// mayReplaceFolder returns why a folder must stay.
func (o *Options) mayReplaceFolder(target string) error {
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	for _, read := range o.reads() {
		if contains(info, read) {
			return fmt.Errorf("%w: %s is in it", ErrRead, read)
		}
	}
	if home := host.HomeFolder(); home != "" && contains(info, home) {
		return fmt.Errorf("the home folder %s is in it", home)
	}
	if here, err := os.Getwd(); err != nil || contains(info, here) {
		return errors.New("the current folder is in it")
	}
	if mount := mountIn(target); mount != "" {
		return fmt.Errorf("the mount point %s is in it", mount)
	}
	if empty(target) {
		return nil
	}
	return o.replaces(target)
}

// within reports whether path, which need not exist, is what info describes or in it, by
// whatever names and links.
func within(path string, info fs.FileInfo) (bool, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	real := false
	for {
		if !real { // what does not exist yet has no links in it
			if r, err := filepath.EvalSymlinks(path); err == nil {
				path, real = r, true
			}
		}
		if at, err := os.Stat(path); err == nil && os.SameFile(at, info) {
			return true, nil
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false, nil
		}
		path = parent
	}
}

// contains reports whether a folder is or has in it what is at path, or may have.
func contains(folder fs.FileInfo, path string) bool {
	in, err := within(path, folder)
	return in || err != nil
}

// empty reports whether a folder has nothing in it.
func empty(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return err == io.EOF
}
