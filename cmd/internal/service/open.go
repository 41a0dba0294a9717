package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
)

// File is a game file that the user named, with its format.
type File struct {
	*format.Format
	Called string // as the user wrote it
	Source *format.Source
	Built  func() // removes a file built from a tree, or closes the tree
	Tree   fs.FS  // the tree, if it is not built
	Made   string // folder in which the file was built
}

// Close closes the file, and removes it if it was built for this run.
func (g *File) Close() error {
	err := g.Source.Close()
	if g.Built != nil {
		g.Built()
	}
	return err
}

// Reads returns the paths that are read when the file is read.
func (g *File) Reads() []string {
	if g.Built != nil {
		return []string{g.Called} // the tree from which the file was built
	}
	return g.Source.Reads()
}

// ShownPaths returns the paths of the files whose content appears in the output. The output must be as protected as
// these files.
func (g *File) ShownPaths() []string {
	paths := g.Reads()
	if g.Shown != nil && g.Source.Dir != "" && g.Built == nil {
		paths = append(paths, g.Shown(g.Source)...)
	}
	return paths
}

// OthersOf returns the permissions of group and others for output made from files: none unless they can read
// all of the files.
func OthersOf(paths []string) fs.FileMode {
	others := fs.FileMode(0o077)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		may := info.Mode().Perm()
		if info.IsDir() {
			may |= may & 0o011 << 2 // users who can enter the folder can read its files
		}
		for _, class := range []fs.FileMode{0o070, 0o007} {
			if may&class&0o044 == 0 {
				others &^= class
			}
		}
	}
	return others
}

// Source opens the file that the user named; "-" is standard input.
func (s *Service) Source(ctx context.Context, name string) (*format.Source, error) {
	if err := s.mayRead(name); err != nil {
		return nil, err
	}
	if s.IsElsewhere(name) {
		return s.sourceElsewhere(ctx, name)
	}
	if name == "-" {
		return standardInput(s.In)
	}
	path, err := s.pipes.path(ctx, s.Names, name)
	if err != nil {
		return nil, wording.Named(err, name)
	}
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, NotThere(name, err)
	}
	if path != name {
		src.Path, src.Name = name, filepath.Base(name)
	}
	src.May = s.mayRead
	return src, nil
}

// standardInput returns a source that reads from in: on demand if in is a file, otherwise the whole input at
// once.
func standardInput(in io.Reader) (*format.Source, error) {
	if f, ok := in.(*os.File); ok {
		if term.IsTerminal(int(f.Fd())) {
			return nil, wording.Hint(errors.New("standard input is a terminal"), "use - with the output of another program, or with < FILE")
		}
		switch info, err := f.Stat(); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("standard input: %w", regular.ErrFolder)
		case info.Mode().IsRegular():
			at, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, err
			}
			size := max(info.Size()-at, 0)
			return format.NewSourceAt("-", io.NewSectionReader(f, at, size), size), nil
		case info.Mode()&fs.ModeDevice != 0: // a device never ends, unless it is at its end
			var one [1]byte
			if n, err := f.Read(one[:]); n > 0 || err != io.EOF {
				return nil, cmp.Or(err, regular.Check(info, "standard input"))
			}
			return format.NewSource("-", nil), nil
		}
	}
	data, err := regular.ReadAll(in, "standard input", 64<<10, effort.WholeFile)
	if err != nil {
		return nil, wording.Named(err, "standard input")
	}
	return format.NewSource("-", data), nil
}

// Find opens the file that the user named and detects its format. A folder in tree form is first built as a
// temporary file.
func (s *Service) Find(ctx context.Context, name string) (*File, error) {
	return s.FindTarget(ctx, Target{Name: name})
}

func (s *Service) FindTarget(ctx context.Context, t Target) (*File, error) {
	name := t.Name
	src, err := s.Source(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := s.FormatOf(src, t)
	if err == nil {
		return &File{Format: f, Called: name, Source: src}, nil
	}
	src.Close()
	if !src.IsDir() {
		return nil, err
	}
	fsys, closer, err := s.OpenFolder(name)
	if err != nil {
		return nil, err
	}
	if f, err = s.Formats.FindTree(fsys); err == nil && t.AsTree != nil && t.AsTree(f) {
		if src, err = s.Source(ctx, name); err == nil {
			return &File{Format: f, Called: name, Source: src, Built: func() { closer.Close() }, Tree: fsys}, nil
		}
	}
	defer closer.Close()
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
		return nil, cmp.Or(Foreign(name, err), err)
	}
	job := s.Job(f)
	job.KeepGoing = true // a broken file of the folder is a loss, with which a verb that writes does not succeed
	return s.buildTemporary(ctx, job, f, fsys, name)
}

// buildTemporary builds the tree form of a file as a temporary file.
func (s *Service) buildTemporary(ctx context.Context, job *format.Job, f *format.Format, fsys fs.FS, name string) (*File, error) {
	job.OnDone, job.Temporary = nil, true // the user did not ask for the build
	return s.Scratch(f, filepath.Clean(name)+Extension(f), name, func(out format.Output) error {
		return wording.Named(f.Build(ctx, job, fsys, out), name)
	})
}

// Scratch calls run to make a temporary file of format f. The file has the base name of path, and messages call
// it name.
func (s *Service) Scratch(f *format.Format, path, name string, run func(format.Output) error) (_ *File, err error) {
	dir, remove, err := output.Scratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	path = filepath.Join(dir, filepath.Base(path))
	out, err := output.New(path, output.Options{Passing: true})
	if err != nil {
		return nil, err
	}
	defer out.Discard()
	s.Names.Hide(path, name)
	if err := run(s.Named(out, name)); err != nil {
		return nil, err
	}
	if err := out.Commit(); err != nil {
		return nil, err
	}
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, err
	}
	src.Path = name
	return &File{Format: f, Called: name, Source: src, Built: remove, Made: dir}, nil
}

// Named returns out under the user's name for it, which messages show instead of temporary paths.
func (s *Service) Named(out format.Output, name string) format.Output {
	return called{out, s.Names, name}
}

// called is an output that hides its temporary paths in messages.
type called struct {
	format.Output
	names *wording.Aliases
	name  string // the name for messages
}

func (c called) Dir() (string, error) {
	dir, err := c.Output.Dir()
	if err == nil {
		c.names.Hide(dir, c.name)
	}
	return dir, err
}

// Extension returns the usual extension of a format, or "".
func Extension(f *format.Format) string {
	if len(f.Extensions) == 0 {
		return ""
	}
	return f.Extensions[0]
}

// OpenFile opens a game file that find returned.
func (g *File) OpenFile(ctx context.Context, job *format.Job) (format.File, error) {
	file, err := g.Open(ctx, job, g.Source)
	return file, wording.Named(err, g.Called)
}

// Tree opens the file that the user named as a tree. A folder in tree form is opened directly.
func (s *Service) Tree(ctx context.Context, name string) (fs.FS, io.Closer, error) {
	return s.TreeOf(ctx, Target{Name: name})
}

func (s *Service) TreeOf(ctx context.Context, t Target) (fs.FS, io.Closer, error) {
	src, err := s.Source(ctx, t.Name)
	if err != nil {
		return nil, nil, err
	}
	return s.TreeOfSource(ctx, t, src, nil)
}

// TreeOfSource is openTarget for an open source. more holds values of options that the user did not give.
func (s *Service) TreeOfSource(ctx context.Context, t Target, src *format.Source,
	more map[string]string) (fs.FS, io.Closer, error) {
	name := t.Name
	f, err := s.FormatOf(src, t)
	if err != nil {
		src.Close()
		if src.IsDir() {
			return s.FolderTree(ctx, t)
		}
		return nil, nil, err
	}
	g := &File{Format: f, Called: name, Source: src}
	if err := s.Fits(f, t); err != nil {
		g.Close()
		return nil, nil, err
	}
	job := s.About(s.Job(f), name)
	for option, value := range more {
		if v, ok := job.Values[option]; ok && v == "" {
			job.Values[option] = value
		}
	}
	file, err := g.OpenFile(ctx, job)
	if err != nil {
		g.Close()
		return nil, nil, err
	}
	fsys, err := file.Tree(ctx, job)
	if err != nil {
		file.Close()
		g.Close()
		return nil, nil, wording.Named(err, name)
	}
	return fsys, closers{file, g}, nil
}

// FolderTree opens a folder, in tree form or not.
func (s *Service) FolderTree(ctx context.Context, t Target) (fs.FS, io.Closer, error) {
	fsys, closer, err := s.OpenFolder(t.Name)
	if err != nil {
		return nil, nil, err
	}
	if f, err := s.Formats.FindTree(fsys); err == nil {
		if err := s.Fits(f, t); err != nil {
			closer.Close()
			return nil, nil, err
		}
	}
	return fsys, closer, nil
}

// closers closes several values.
type closers []io.Closer

func (c closers) Close() error {
	var err error
	for _, one := range c {
		err = errors.Join(err, one.Close())
	}
	return err
}

// OpenFolder opens a folder in tree form, under its true names. It reports links that are left out.
func (s *Service) OpenFolder(name string) (fs.FS, io.Closer, error) {
	return OpenFolder(name, func(at string, err error) { s.Report.Miss(filepath.Join(name, filepath.FromSlash(at)), err.Error()) })
}

func OpenFolder(name string, report func(at string, err error)) (fs.FS, io.Closer, error) {
	root, err := regular.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	if output.Unfinished(name) {
		root.Close()
		return nil, nil, fmt.Errorf("%s: an extraction into this folder is unfinished: run it again", name)
	}
	fsys, err := safename.Restore(regular.Limit(regular.NewFS(root, report), effort.WholeFile))
	if err != nil {
		root.Close()
		return nil, nil, wording.Named(err, name)
	}
	return regular.Limit(fsys, effort.WholeFile), root, nil
}

// MayBeCalled returns an error if the name of the output has the extension of another format. If anyOfGame is
// set, extensions of all formats of the game of f are allowed. own is the extension of the output.
func (s *Service) MayBeCalled(name string, f *format.Format, own string, anyOfGame bool) error {
	has := func(ext string) bool {
		_, has := CutSuffixFold(name, ext)
		return has && ext != ""
	}
	if has(own) || slices.ContainsFunc(f.Extensions, has) {
		return nil
	}
	for _, other := range s.Formats {
		if anyOfGame && s.Games.Of(other) == s.Games.Of(f) {
			continue
		}
		if i := slices.IndexFunc(other.Extensions, has); i >= 0 {
			lacks := ""
			if other.Takes != "" {
				lacks = ": it takes " + other.Takes
			}
			return wording.Hint(fmt.Errorf("%s: %s is the extension of a %s, and this is not one%s", name, other.Extensions[i],
				other.Title, lacks), "-o with another name, such as %s", name[:len(name)-len(other.Extensions[i])]+own)
		}
	}
	return nil
}

// WriteOptions returns the output options of a run. The output may replace a file of format f or, if made is
// not empty, a file with the extension made, and never a file that the run reads. tree is the tree that f
// builds, or nil.
func (s *Service) WriteOptions(ctx context.Context, force bool, f *format.Format, job *format.Job,
	tree fs.FS, made string, reads func() []string) output.Options {
	return output.Options{
		Replace: force,
		Replaces: func(path string) error {
			old, err := format.OpenSource(path)
			if err != nil {
				return err
			}
			defer old.Close()
			if _, ok := CutSuffixFold(old.Name, made); ok && made != "" && !old.IsDir() {
				return nil
			}
			found, err := s.Formats.Find(old)
			if err != nil || found != f {
				return fmt.Errorf("%w: not a %s", output.ErrKind, f.Title)
			}
			if f.Replaces == nil {
				return nil
			}
			return f.Replaces(ctx, job, old, tree)
		},
		Reads:  func() []string { return append(s.Inputs(), reads()...) },
		Others: func() fs.FileMode { return OthersOf(reads()) },
	}
}

// CutSuffixFold is [strings.CutSuffix], ignoring case.
func CutSuffixFold(name, suffix string) (string, bool) {
	if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
		return name[:n], true
	}
	return name, false
}
