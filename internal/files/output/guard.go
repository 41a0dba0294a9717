package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/files/host"
)

// Options state what an output may replace. Some rules always apply:
//
//   - inputs are never overwritten: no file that is an input, by any name or link,
//     and nothing in a folder that is one;
//   - a file does not replace a folder, nor a folder a file;
//   - a folder that is not empty is replaced only by one of exactly the same kind, and never if
//     it is or contains an input, the home folder, the current folder or a mount point.
type Options struct {
	// Replace allows the output to replace existing files.
	Replace bool
	// Replaces returns an error if the output must not replace the file or folder at path. The error wraps ErrKind if
	// path is of another kind. Nil: there are no objections.
	Replaces func(path string) error
	// Others is called when everything is written. It returns which of the permissions 0o077 the new files may have
	// for users other than the owner, even if the replaced files have more; nil: all.
	Others func() fs.FileMode
	// Passing is set if the output is used in this run only, so that it need not be flushed to disk.
	Passing bool
	// Reads returns the paths of the inputs; nil: there are none.
	Reads func() []string
	// Held is set if the run reads the file and replaces it. If another program has written the file since Hold, it is
	// not replaced.
	Held *Held
	// Backup is the path, in the same folder, that a replaced file is renamed to. "": the replaced file is removed,
	// unless another program wrote it during the run.
	Backup string
}

var (
	// ErrKind means that the existing file is of another kind than the output.
	ErrKind = errors.New("the types differ")
	// ErrRead means that an output would replace an input.
	ErrRead = errors.New("refusing to overwrite the input")
	// ErrMeanwhile means that another program has written the file that was to be replaced.
	ErrMeanwhile = errors.New("another program has changed the file during the run")
	// ErrBusy means that another run is replacing the file.
	ErrBusy = errors.New("another run of trowel is changing the file")
)

// ExistsError reports that a file exists and was not replaced.
type ExistsError struct {
	Path string
	// Replaceable reports whether the existing file is of the same kind as the output, so that replacing it is
	// reasonable.
	Replaceable bool
}

func (e *ExistsError) Error() string { return e.Path + ": already exists" }

func (e *ExistsError) Unwrap() error { return fs.ErrExist }

// KeptError reports why a file was not replaced although replacing was allowed.
type KeptError struct {
	Path string
	Err  error
}

func (e *KeptError) Error() string { return e.Path + ": not replaced: " + e.Err.Error() }
func (e *KeptError) Unwrap() error { return e.Err }

// mayWrite returns an error if target must not be written. Without an error, it returns the info of the existing file,
// or nil if there is none.
func (o *Output) mayWrite(target string) (fs.FileInfo, error) {
	if err := o.NotRead(target); err != nil {
		return nil, err
	}
	old, err := os.Stat(target)
	if err != nil {
		if link, e := os.Lstat(target); e == nil { // a link without a target
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

// mayBe is mayWrite for a target that will be a folder or a file.
func (o *Output) mayBe(target string, folder bool) (fs.FileInfo, error) {
	if old, err := os.Stat(target); err == nil && old.IsDir() != folder && o.NotRead(target) == nil {
		if folder {
			return old, &KeptError{target, errors.New("a folder does not replace a file")}
		}
		return old, &KeptError{target, errors.New("a file does not replace a folder")}
	}
	return o.mayWrite(target)
}

// others returns the permissions that users other than the owner may get.
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

// NotRead returns an error if target is an input, or is in a folder that is an input.
func (o *Options) NotRead(target string) error {
	for _, read := range o.reads() {
		info, err := os.Stat(read)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue // such as a terminal
		}
		if at, _ := within(target, info); at {
			if there, err := os.Stat(target); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s: %w: same file as %s", target, ErrRead, read)
			}
			return fmt.Errorf("%s: %w: inside %s", target, ErrRead, read)
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

// mayReplaceFolder returns an error if a folder must not be replaced.
func (o *Options) mayReplaceFolder(target string) error {
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	for _, read := range o.reads() {
		if contains(info, read) {
			return fmt.Errorf("%w: contains %s", ErrRead, read)
		}
	}
	if home := host.HomeFolder(); home != "" && contains(info, home) {
		return fmt.Errorf("contains the home folder %s", home)
	}
	if here, err := os.Getwd(); err != nil || contains(info, here) {
		return errors.New("contains the current folder")
	}
	if mount := mountIn(target); mount != "" {
		return fmt.Errorf("contains the mount point %s", mount)
	}
	if empty(target) {
		return nil
	}
	return o.replaces(target)
}

// within reports whether path, which need not exist, is the file or folder of info or is inside it, by any names and
// links.
func within(path string, info fs.FileInfo) (bool, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	real := false
	for {
		if !real { // a path that does not exist yet contains no links
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

// contains reports whether a folder is path or contains it. It reports true if this is unknown.
func contains(folder fs.FileInfo, path string) bool {
	in, err := within(path, folder)
	return in || err != nil
}

// empty reports whether a folder is empty.
func empty(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return err == io.EOF
}
