package cli

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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"trowel.example/format"
	"trowel.example/internal/links"
	"trowel.example/internal/output"
	"trowel.example/internal/regular"
	"trowel.example/internal/safename"
)

// game is a game file that the user named, and its format.
type game struct {
	*format.Format
	name  string // as the user gave it
	src   *format.Source
	built func() // removes a file that was built from a tree, or closes the tree
	tree  fs.FS  // the tree, if it is not built
	made  string // the folder in which it was built
}

// Close closes the file, and removes it if it was made for this run.
func (g *game) Close() error {
	err := g.src.Close()
	if g.built != nil {
		g.built()
	}
	return err
}

// reads returns the paths of what is read when the file is.
func (g *game) reads() []string {
	if g.built != nil {
		return []string{g.name} // the tree that it was built from
	}
	return g.src.Reads()
}

// shown returns the paths of what a single file is made of, which is as secret as they are.
func (g *game) shown() []string {
	paths := g.reads()
	if g.Shown != nil && g.src.Dir != "" && g.built == nil {
		paths = append(paths, g.Shown(g.src)...)
	}
	return paths
}

// othersOf returns which permissions others than its owner can have for what is made of files: to do
// anything with it only if they may read all of them.
func othersOf(paths []string) fs.FileMode {
	others := fs.FileMode(0o077)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		may := info.Mode().Perm()
		if info.IsDir() {
			may |= may & 0o011 << 2 // who may go into it can read what is in it
		}
		for _, who := range []fs.FileMode{0o070, 0o007} {
			if may&who&0o044 == 0 {
				others &^= who
			}
		}
	}
	return others
}

// source opens what the user named; "-" is standard input.
func (a *app) source(name string) (*format.Source, error) {
	if err := a.mayRead(name); err != nil {
		return nil, err
	}
	if a.isElsewhere(name) {
		return a.sourceElsewhere(name)
	}
	if name == "-" {
		return standardInput(a.in)
	}
	path, err := a.pipes.path(a.ctx, a.talk, name)
	if err != nil {
		return nil, named(err, name)
	}
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, notThere(name, err)
	}
	if path != name {
		src.Path, src.Name = name, filepath.Base(name)
	}
	src.May = a.mayRead
	return src, nil
}

// standardInput returns a source of what is to be read from in: in parts if it is a
// file, else as a whole.
func standardInput(in io.Reader) (*format.Source, error) {
	if f, ok := in.(*os.File); ok {
		if term.IsTerminal(int(f.Fd())) {
			return nil, hint(errors.New("standard input is a terminal"), "- is for what another program prints, or for < FILE")
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
		case info.Mode()&fs.ModeDevice != 0: // which never ends, unless it is at its end
			var one [1]byte
			if n, err := f.Read(one[:]); n > 0 || err != io.EOF {
				return nil, cmp.Or(err, regular.Check(info, "standard input"))
			}
			return format.NewSource("-", nil), nil
		}
	}
	data, err := regular.ReadAll(in, "standard input", 64<<10, format.MaxWhole)
	if err != nil {
		return nil, named(err, "standard input")
	}
	return format.NewSource("-", data), nil
}

// find opens what the user named and tells its format. A folder in tree form
// is built first, into a place for temporary files.
func (a *app) find(cmd *cobra.Command, name string) (*game, error) {
	return a.findTarget(cmd, target{name: name})
}

func (a *app) findTarget(cmd *cobra.Command, t target) (*game, error) {
	name := t.name
	src, err := a.source(name)
	if err != nil {
		return nil, err
	}
	f, err := a.formatOf(src, t)
	if err == nil {
		return &game{Format: f, name: name, src: src}, nil
	}
	src.Close()
	if !src.IsDir() {
		return nil, err
	}
	fsys, closer, err := a.openFolder(name)
	if err != nil {
		return nil, err
	}
	if f, err = a.formats.FindTree(fsys); err == nil && t.asTree != nil && t.asTree(f) {
		if src, err = a.source(name); err == nil {
			return &game{Format: f, name: name, src: src, built: func() { closer.Close() }, tree: fsys}, nil
		}
	}
	defer closer.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a.buildTemporary(cmd.Context(), a.job(cmd, f), f, fsys, name)
}

// buildTemporary builds the tree form of a file, for this run only.
func (a *app) buildTemporary(ctx context.Context, job *format.Job, f *format.Format, fsys fs.FS, name string) (*game, error) {
	job.OnDone, job.Temporary = nil, true // it is not what the user asked for
	return a.scratch(f, filepath.Clean(name)+extension(f), name, func(out format.Output) error {
		return named(f.Build(ctx, job, fsys, out), name)
	})
}

// scratch lets run make a file of format f, for this run only, whose base name is that of a
// path; messages call it name.
func (a *app) scratch(f *format.Format, path, name string, run func(format.Output) error) (_ *game, err error) {
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
	a.talk.hide(path, name)
	if err := run(called{out, a.talk, name}); err != nil {
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
	return &game{Format: f, name: name, src: src, built: remove, made: dir}, nil
}

// called is an output whose temporary paths no message shows.
type called struct {
	format.Output
	talk *talk
	name string // that the user knows
}

func (c called) Dir() (string, error) {
	dir, err := c.Output.Dir()
	if err == nil {
		c.talk.hide(dir, c.name)
	}
	return dir, err
}

// extension returns the usual extension of a format, or "".
func extension(f *format.Format) string {
	if len(f.Extensions) == 0 {
		return ""
	}
	return f.Extensions[0]
}

// open opens a game file that find found.
func (g *game) open(ctx context.Context, job *format.Job) (format.File, error) {
	file, err := g.Open(ctx, job, g.src)
	return file, named(err, g.name)
}

// openTree opens what the user named as a tree. A folder in tree form is that
// tree already.
func (a *app) openTree(cmd *cobra.Command, name string) (fs.FS, io.Closer, error) {
	return a.openTarget(cmd, target{name: name})
}

func (a *app) openTarget(cmd *cobra.Command, t target) (fs.FS, io.Closer, error) {
	src, err := a.source(t.name)
	if err != nil {
		return nil, nil, err
	}
	return a.openSource(cmd, t, src, nil)
}

// openSource is openTarget for a source that is open already. More are values of
// options that the user did not give.
func (a *app) openSource(cmd *cobra.Command, t target, src *format.Source, more map[string]string) (fs.FS, io.Closer, error) {
	name := t.name
	f, err := a.formatOf(src, t)
	if err != nil {
		src.Close()
		if src.IsDir() {
			return a.openFolderTarget(cmd, t)
		}
		return nil, nil, err
	}
	g := &game{Format: f, name: name, src: src}
	if err := a.fits(cmd, f, t); err != nil {
		g.Close()
		return nil, nil, err
	}
	job := a.about(a.job(cmd, f), name)
	for option, value := range more {
		if v, ok := job.Values[option]; ok && v == "" {
			job.Values[option] = value
		}
	}
	file, err := g.open(cmd.Context(), job)
	if err != nil {
		g.Close()
		return nil, nil, err
	}
	fsys, err := file.Tree(cmd.Context(), job)
	if err != nil {
		file.Close()
		g.Close()
		return nil, nil, named(err, name)
	}
	return fsys, closers{file, g}, nil
}

// openFolderTarget opens a folder in tree form, or any other.
func (a *app) openFolderTarget(cmd *cobra.Command, t target) (fs.FS, io.Closer, error) {
	fsys, closer, err := a.openFolder(t.name)
	if err != nil {
		return nil, nil, err
	}
	if f, err := a.formats.FindTree(fsys); err == nil {
		if err := a.fits(cmd, f, t); err != nil {
			closer.Close()
			return nil, nil, err
		}
	}
	return fsys, closer, nil
}

// closers closes several things.
type closers []io.Closer

func (c closers) Close() error {
	var err error
	for _, one := range c {
		err = errors.Join(err, one.Close())
	}
	return err
}

// openFolder opens a folder in tree form, under its true names. The user is told of links
// that are left out of it.
func (a *app) openFolder(name string) (fs.FS, io.Closer, error) {
	return openFolder(name, func(at string, err error) { a.talk.miss(filepath.Join(name, filepath.FromSlash(at)), err.Error()) })
}

func openFolder(name string, told func(at string, err error)) (fs.FS, io.Closer, error) {
	root, err := regular.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	if output.Unfinished(name) {
		root.Close()
		return nil, nil, fmt.Errorf("%s: an extraction into this folder has not ended: run it again", name)
	}
	fsys, err := safename.Restore(regular.Limit(links.New(root, told), format.MaxWhole))
	if err != nil {
		root.Close()
		return nil, nil, named(err, name)
	}
	return regular.Limit(fsys, format.MaxWhole), root, nil
}

// mayBeCalled makes sure that the name of what is made has no extension that belongs to another
// format: other than f, or with anyOfGame, than all of the game of f. Own is the extension of
// what is made.
func (a *app) mayBeCalled(name string, f *format.Format, own string, anyOfGame bool) error {
	has := func(ext string) bool {
		_, has := cutSuffixFold(name, ext)
		return has && ext != ""
	}
	if has(own) || slices.ContainsFunc(f.Extensions, has) {
		return nil
	}
	for _, other := range a.formats {
		if anyOfGame && a.games.Of(other) == a.games.Of(f) {
			continue
		}
		if i := slices.IndexFunc(other.Extensions, has); i >= 0 {
			lacks := ""
			if other.Takes != "" {
				lacks = ": it takes " + other.Takes
			}
			return hint(fmt.Errorf("%s: %s is the extension of a %s, and this is none%s", name, other.Extensions[i], other.Title, lacks), "-o with another name, such as %s", name[:len(name)-len(other.Extensions[i])]+own)
		}
	}
	return nil
}

// writeOptions say what the output of a run may take the place of: a thing of format f,
// or one that has the extension of what is made, and nothing that the run reads. The tree
// is that which f builds, or nil.
func (a *app) writeOptions(cmd *cobra.Command, force bool, f *format.Format, job *format.Job, tree fs.FS, made string, reads func() []string) output.Options {
	return output.Options{
		Replace: force,
		Replaces: func(path string) error {
			old, err := format.OpenSource(path)
			if err != nil {
				return err
			}
			defer old.Close()
			if _, is := cutSuffixFold(old.Name, made); is && made != "" && !old.IsDir() {
				return nil
			}
			found, err := a.formats.Find(old)
			if err != nil || found != f {
				return fmt.Errorf("%w: it is no %s", output.ErrKind, f.Title)
			}
			if f.Replaces == nil {
				return nil
			}
			return f.Replaces(cmd.Context(), job, old, tree)
		},
		Reads:  func() []string { return append(a.inputs(cmd), reads()...) },
		Others: func() fs.FileMode { return othersOf(reads()) },
	}
}

// inputs returns the paths that are read besides the file of the run: those that its
// options name, and standard input.
func (a *app) inputs(cmd *cobra.Command) []string {
	var list []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		for _, f := range a.formats {
			for _, o := range f.Options {
				if o.Input && o.Name == flag.Name && flag.Annotations[optionNote] != nil {
					list = append(list, strings.Split(flag.Value.String(), "\n")...)
				}
			}
		}
	})
	if a.in == os.Stdin && !onWindows {
		list = append(list, "/dev/stdin")
	}
	return list
}

// cutSuffixFold is [strings.CutSuffix] for any case.
func cutSuffixFold(name, suffix string) (string, bool) {
	if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
		return name[:n], true
	}
	return name, false
}

// about makes a job name the file that it is about in what it tells, for verbs that take many.
func (a *app) about(job *format.Job, file string) *format.Job {
	warned, missed := job.OnWarn, job.OnMiss
	job.OnWarn = func(path, message string) { warned(inFile(file, a.talk.plain(path)), message) }
	job.OnMiss = func(path, message string) { missed(inFile(file, a.talk.plain(path)), message) }
	return job
}

// inFile returns a path with the file that it is in before it, unless it says itself where it is,
// as that of a neighbour of the file does.
func inFile(file, path string) string {
	switch {
	case path == "":
		return file
	case path == file, strings.HasPrefix(path, file+"/"), strings.HasPrefix(path, file+"."), strings.HasPrefix(file, path+"."):
		return path
	}
	return file + ": " + path
}

// job is what a verb passes down to format f.
func (a *app) job(cmd *cobra.Command, f *format.Format, more ...format.Option) *format.Job {
	values := make(map[string]string)
	for _, o := range slices.Concat(f.Options, more) {
		values[o.Name] = o.Default
		if flag := cmd.Flags().Lookup(o.Name); flag != nil && flag.Changed && flag.Annotations[optionNote] != nil { // and no flag of the verb's own
			values[o.Name] = flag.Value.String()
		}
	}
	keep, _ := cmd.Flags().GetBool(keepFlag) // which only verbs that write have
	return &format.Job{Values: values, KeepGoing: keep, OnWarn: a.talk.warn, OnMiss: a.talk.miss, OnProgress: a.talk.progress,
		OnLose: func(string) { a.lost.Add(1) },
		OnDone: func(message string) { a.talk.say("%s", message) }}
}
