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

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/links"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
)

// game is a game file that the user named, with its format.
type game struct {
	*format.Format
	name  string // as the user wrote it
	src   *format.Source
	built func() // removes a file built from a tree, or closes the tree
	tree  fs.FS  // the tree, if it is not built
	made  string // folder in which the file was built
}

// Close closes the file, and removes it if it was built for this run.
func (g *game) Close() error {
	err := g.src.Close()
	if g.built != nil {
		g.built()
	}
	return err
}

// reads returns the paths that are read when the file is read.
func (g *game) reads() []string {
	if g.built != nil {
		return []string{g.name} // the tree from which the file was built
	}
	return g.src.Reads()
}

// shown returns the paths of the files whose content appears in the output. The output must be as protected as
// these files.
func (g *game) shown() []string {
	paths := g.reads()
	if g.Shown != nil && g.src.Dir != "" && g.built == nil {
		paths = append(paths, g.Shown(g.src)...)
	}
	return paths
}

// othersOf returns the permissions of group and others for output made from files: none unless they can read
// all of the files.
func othersOf(paths []string) fs.FileMode {
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
		for _, who := range []fs.FileMode{0o070, 0o007} {
			if may&who&0o044 == 0 {
				others &^= who
			}
		}
	}
	return others
}

// source opens the file that the user named; "-" is standard input.
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
		return nil, wording.Named(err, name)
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

// standardInput returns a source that reads from in: on demand if in is a file, otherwise the whole input at
// once.
func standardInput(in io.Reader) (*format.Source, error) {
	if f, ok := in.(*os.File); ok {
		if term.IsTerminal(int(f.Fd())) {
			return nil, wording.Hint(errors.New("standard input is a terminal"), "- is for what another program prints, or for < FILE")
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
	data, err := regular.ReadAll(in, "standard input", 64<<10, format.MaxWhole)
	if err != nil {
		return nil, wording.Named(err, "standard input")
	}
	return format.NewSource("-", data), nil
}

// find opens the file that the user named and detects its format. A folder in tree form is first built as a
// temporary file.
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

// buildTemporary builds the tree form of a file as a temporary file.
func (a *app) buildTemporary(ctx context.Context, job *format.Job, f *format.Format, fsys fs.FS, name string) (*game, error) {
	job.OnDone, job.Temporary = nil, true // the user did not ask for the build
	return a.scratch(f, filepath.Clean(name)+extension(f), name, func(out format.Output) error {
		return wording.Named(f.Build(ctx, job, fsys, out), name)
	})
}

// scratch calls run to make a temporary file of format f. The file has the base name of path, and messages call
// it name.
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
	a.talk.Hide(path, name)
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

// called is an output that hides its temporary paths in messages.
type called struct {
	format.Output
	talk *terminal.Talk
	name string // the name for messages
}

func (c called) Dir() (string, error) {
	dir, err := c.Output.Dir()
	if err == nil {
		c.talk.Hide(dir, c.name)
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

// open opens a game file that find returned.
func (g *game) open(ctx context.Context, job *format.Job) (format.File, error) {
	file, err := g.Open(ctx, job, g.src)
	return file, wording.Named(err, g.name)
}

// openTree opens the file that the user named as a tree. A folder in tree form is opened directly.
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

// openSource is openTarget for an open source. more holds values of options that the user did not give.
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
		return nil, nil, wording.Named(err, name)
	}
	return fsys, closers{file, g}, nil
}

// openFolderTarget opens a folder, in tree form or not.
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

// closers closes several values.
type closers []io.Closer

func (c closers) Close() error {
	var err error
	for _, one := range c {
		err = errors.Join(err, one.Close())
	}
	return err
}

// openFolder opens a folder in tree form, under its true names. It reports links that are left out.
func (a *app) openFolder(name string) (fs.FS, io.Closer, error) {
	return openFolder(name, func(at string, err error) { a.talk.Miss(filepath.Join(name, filepath.FromSlash(at)), err.Error()) })
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
		return nil, nil, wording.Named(err, name)
	}
	return regular.Limit(fsys, format.MaxWhole), root, nil
}

// mayBeCalled returns an error if the name of the output has the extension of another format. If anyOfGame is
// set, extensions of all formats of the game of f are allowed. own is the extension of the output.
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
			return wording.Hint(fmt.Errorf("%s: %s is the extension of a %s, and this is none%s", name, other.Extensions[i], other.Title, lacks), "-o with another name, such as %s", name[:len(name)-len(other.Extensions[i])]+own)
		}
	}
	return nil
}

// writeOptions returns the output options of a run. The output may replace a file of format f or, if made is
// not empty, a file with the extension made, and never a file that the run reads. tree is the tree that f
// builds, or nil.
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

// inputs returns the paths that are read in addition to the file of the run: the values of input options, and
// standard input.
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

// cutSuffixFold is [strings.CutSuffix], ignoring case.
func cutSuffixFold(name, suffix string) (string, bool) {
	if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
		return name[:n], true
	}
	return name, false
}

// about makes the messages of a job name the file. It is for verbs with many files.
func (a *app) about(job *format.Job, file string) *format.Job {
	warned, missed := job.OnWarn, job.OnMiss
	job.OnWarn = func(path, message string) { warned(inFile(file, a.talk.Plain(path)), message) }
	job.OnMiss = func(path, message string) { missed(inFile(file, a.talk.Plain(path)), message) }
	return job
}

// inFile adds the file name to a path inside the file. A path that already begins with the file name, or that
// is next to the file, is unchanged.
func inFile(file, path string) string {
	switch {
	case path == "":
		return file
	case path == file, strings.HasPrefix(path, file+"/"), strings.HasPrefix(path, file+"."), strings.HasPrefix(file, path+"."):
		return path
	}
	return file + ": " + path
}

// job returns the job that a verb passes to format f.
func (a *app) job(cmd *cobra.Command, f *format.Format, more ...format.Option) *format.Job {
	values := make(map[string]string)
	for _, o := range slices.Concat(f.Options, more) {
		values[o.Name] = o.Default
		// Flags of the verb itself are not options of the format.
		if flag := cmd.Flags().Lookup(o.Name); flag != nil && flag.Changed && flag.Annotations[optionNote] != nil {
			values[o.Name] = flag.Value.String()
		}
	}
	keep, _ := cmd.Flags().GetBool(keepFlag) // only verbs that write have the flag
	return &format.Job{Values: values, KeepGoing: keep, OnWarn: a.talk.Warn, OnMiss: a.talk.Miss, OnProgress: a.talk.Progress,
		OnLose: func(string) { a.lost.Add(1) },
		OnDone: func(message string) { a.talk.Say("%s", message) }}
}
