package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"trowel/format"
	"trowel/internal/output"
	"trowel/internal/parallel"
	"trowel/internal/safename"
	"trowel/internal/tree"
)

func (a *app) extractCommand() *cobra.Command {
	var dir string
	var force, keepGoing bool
	cmd := &cobra.Command{
		Use:     "extract FILE [-o FOLDER] [PATTERN...]",
		Aliases: []string{"x", "unpack", "open"},
		Short:   "Make a folder of a file",
		Long: `Extract makes a folder of a game file: climb.map becomes climb/ in the current
folder. "trowel pack" makes the file again.

` + patternHelp + `

Of a file that is cut off or damaged nothing is extracted, unless -k is given: then
what can be read is, and the exit code is 1.

A folder that has something in it is not touched, unless -f is given: then
files of the same names are replaced and all others stay. Names that some
system could not have, or that would lead out of the folder, get safe forms;
pack restores the true ones, which .trowel.json keeps.`,
		Example: `  trowel extract climb.map
  trowel extract climb.map -o /tmp/climb '*.png'
  trowel extract - -o climb < climb.map`,
		Args:              args(1, -1),
		ValidArgsFunction: a.completePaths,
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the `folder` to make (default: named after FILE)")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "put the files into a folder that has others already")
	cmd.Flags().BoolVarP(&keepGoing, "keep-going", "k", false, "of a broken file, extract what can be read")
	a.optionFlags(cmd, readingOptions)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		chosen, err := selectPaths(args[1:])
		if err != nil {
			return err
		}
		src, err := a.source(args[0])
		if err != nil {
			return err
		}
		f, err := a.formatOf(src, target{})
		g := &game{Format: f, name: args[0], src: src}
		defer g.Close()
		if err != nil {
			if src.IsDir() {
				err = hint(err, "to make a file of a folder, use `trowel pack %s`", args[0])
			}
			return err
		}
		if err := a.ownedOptions(cmd, f); err != nil {
			return err
		}
		switch dir {
		case "-":
			return hint(errors.New("standard output takes no folder"), "`trowel cat %s PATH` prints a file of it", args[0])
		case "":
			if dir = folderName(g); dir == "" {
				return hint(errors.New("standard input has no name for the folder"), "give one with -o")
			}
		}
		before := a.talk.losses()
		file, err := g.open(a.job(cmd, f))
		if err != nil {
			return err
		}
		defer file.Close()
		fsys, err := file.Tree()
		if err != nil {
			return named(err, args[0])
		}
		x := &extraction{app: a, fsys: fsys, file: args[0], chosen: chosen, keepGoing: keepGoing, before: before}
		opts := output.Options{Replace: force, Reads: func() []string { return append(a.inputs(cmd), g.reads()...) }}
		if err := x.run(cmd.Context(), dir, g, opts); err != nil {
			return err
		}
		note := ""
		if n := len(x.names); n > 0 {
			note = fmt.Sprintf("; %s made safe, see %s", plural(n, "name"), tree.Sidecar)
		}
		a.talk.say("extracted %s to %s%c%s", plural(x.written, "file"), filepath.Clean(dir), filepath.Separator, note)
		if x.failed > 0 {
			a.talk.print(fmt.Sprintf("trowel: %s: %s could not be read", args[0], plural(x.failed, "file")))
			return errFound
		}
		return nil
	}
	return cmd
}

// folderName returns the name of the folder that a game file becomes: its own
// without the extension.
func folderName(g *game) string {
	if g.src.Name == "-" {
		return ""
	}
	name := g.src.Name
	for _, ext := range g.Extensions {
		if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			return name[:len(name)-len(ext)]
		}
	}
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" && short != name && !g.src.IsDir() {
		return short
	}
	return name + ".tree"
}

// extraction writes a tree to the disk.
type extraction struct {
	*app
	fsys      fs.FS
	file      string // for messages
	chosen    *selection
	keepGoing bool
	before    int // losses that were told before

	root    *os.Root
	into    string            // the folder that is there already, or ""
	owner   bool              // the file is for its owner alone, and so is what is made of it
	names   map[string]string // true paths by safe paths, where they differ
	written int
	failed  int
}

// run extracts to dir, in which nothing is to be seen before all of it is whole.
func (x *extraction) run(ctx context.Context, dir string, g *game, opts output.Options) error {
	out, err := x.start(dir, g, opts)
	if err != nil {
		return err
	}
	defer out.Discard()
	if x.owner = ownerOnly(g.src); x.owner {
		out.OwnerOnly()
	}
	temp, err := out.Dir()
	if err != nil {
		return err
	}
	if err := x.make(ctx, temp); err != nil {
		return err
	}
	return out.Commit()
}

// start starts a new folder, or goes into one that is there.
func (x *extraction) start(dir string, g *game, opts output.Options) (*output.Output, error) {
	if err := opts.NotRead(dir); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return nil, err
		}
		return output.New(dir, opts)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is a file, the folder needs another name", dir)
	}
	x.into = dir
	out, err := output.Into(dir, opts)
	var exists *output.ExistsError
	if errors.As(err, &exists) && g.RecognizeTree != nil && g.RecognizeTree(os.DirFS(dir)) {
		return nil, hint(err, "use -f to put the files into it, or -o for another folder")
	}
	return out, err
}

// ownerOnly reports whether nobody but its owner may read a file or folder.
func ownerOnly(src *format.Source) bool {
	for _, path := range src.Reads() {
		if info, err := os.Stat(path); err == nil && !onWindows && info.Mode().Perm()&0o077 == 0 {
			return true
		}
	}
	return false
}

// extractJob is one file to be written: its path in the tree and its name in
// the folder that it goes into.
type extractJob struct {
	name string
	dir  *openFolderRef
	at   string
}

// openFolderRef is a folder that is open as long as somebody writes into it: so
// the way to it is gone once, and not for each of its files.
type openFolderRef struct {
	*os.Root
	users atomic.Int32
}

func newFolderRef(root *os.Root) *openFolderRef {
	f := &openFolderRef{Root: root}
	f.users.Store(1)
	return f
}

func (f *openFolderRef) release() {
	if f.users.Add(-1) == 0 {
		f.Close()
	}
}

func (x *extraction) make(ctx context.Context, dir string) (err error) {
	if x.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	defer x.root.Close()
	x.names = make(map[string]string)
	if err := x.whole(); err != nil {
		return err
	}
	sidecar := x.makeSidecar()
	produce := func(yield func(extractJob) error) error { return x.plan(ctx, yield) }
	err = parallel.Ordered(ctx, produce, x.writeFile, func(err error) error {
		if err != nil {
			var broken unreadable
			if !errors.As(err, &broken) {
				return err
			}
			if !x.keepGoing {
				return hint(named(err, x.file), "-k extracts what can be read")
			}
			x.failed++
			x.talk.print("trowel: " + named(err, x.file).Error())
			return nil
		}
		if err := x.whole(); err != nil {
			return err
		}
		x.written++
		x.talk.progress("extracted files", x.written, 0)
		return nil
	})
	if err == nil {
		err = x.chosen.unused(x.file)
	}
	if err == nil {
		err = x.writeSidecar(sidecar)
	}
	if err == nil {
		err = x.whole() // making the sidecar reads all there is
	}
	return err
}

// whole returns an error if something could not be had that should be in the file,
// unless that is all right with the user. What it was has been told.
func (x *extraction) whole() error {
	if x.keepGoing || x.talk.losses() == x.before {
		return nil
	}
	return hint(fmt.Errorf("%s: is not whole: nothing was extracted", x.file), "-k extracts what can be read")
}

// place is a folder on the way to the file that the walk is at.
type place struct {
	dir, at string // its true and its safe path
	folder  *safename.Folder
	root    *openFolderRef // nil until it is made
}

// plan gives out the files to be written, and makes their folders. Every file
// gets its safe name, chosen or not, so that it is always the same one.
func (x *extraction) plan(ctx context.Context, yield func(extractJob) error) error {
	top, err := x.root.OpenRoot(".")
	if err != nil {
		return err
	}
	way := []*place{{dir: ".", at: ".", folder: new(safename.Folder), root: newFolderRef(top)}}
	leave := func() {
		if last := way[len(way)-1]; last.root != nil {
			last.root.release()
		}
		way = way[:len(way)-1]
	}
	defer func() {
		for len(way) > 0 {
			leave()
		}
	}()
	return walk(ctx, x.fsys, ".", func(name string, e fs.DirEntry) error {
		for way[len(way)-1].dir != path.Dir(name) {
			leave()
		}
		parent := way[len(way)-1]
		at := path.Join(parent.at, parent.folder.Name(e.Name()))
		if e.IsDir() {
			way = append(way, &place{dir: name, at: at, folder: new(safename.Folder)})
			return nil
		}
		if !x.chosen.has(name) {
			return nil
		}
		for i, p := range way {
			if p.root == nil {
				if err := p.make(way[i-1].root); err != nil {
					return err
				}
				x.note(p.at, p.dir)
			}
		}
		x.note(at, name)
		if at == tree.Sidecar {
			return nil // comes last, with the names
		}
		parent.root.users.Add(1)
		return yield(extractJob{name, parent.root, path.Base(at)})
	})
}

// make makes the folder in its parent.
func (p *place) make(parent *openFolderRef) error {
	name := path.Base(p.at)
	if err := parent.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return err
	}
	p.root = newFolderRef(root)
	return nil
}

// note keeps the true path of what got another name.
func (x *extraction) note(at, name string) {
	if path.Base(at) != path.Base(name) {
		x.names[at] = name
	}
}

// unreadable is the error of a file of the tree, not of the disk.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

func (x *extraction) writeFile(j extractJob) error {
	defer j.dir.release()
	f, err := x.fsys.Open(j.name)
	if err != nil {
		return unreadable{err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unreadable{err}
	}
	return x.create(j.dir.Root, j.at, info, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// create writes a file, with the time and the permissions that info tells.
func (x *extraction) create(dir *os.Root, name string, info fs.FileInfo, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if x.owner || info != nil && info.Mode().Perm()&0o077 == 0 {
		mode = 0o600
	}
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil && info != nil && !info.ModTime().IsZero() {
		err = dir.Chtimes(name, info.ModTime(), info.ModTime())
	}
	return err
}

// readIn reads a file in a folder; no link leads out of that.
func readIn(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(name)
}

// makeSidecar starts making the sidecar of the tree, which may take as long as
// all files together, or lets it wait until they are made, if that helps. It
// returns what waits for it; nil is no sidecar.
func (x *extraction) makeSidecar() func() ([]byte, error) {
	if !x.chosen.has(tree.Sidecar) {
		return func() ([]byte, error) { return nil, nil }
	}
	if metaOf(fs.Stat(x.fsys, tree.Sidecar)).Last {
		return func() ([]byte, error) { return fs.ReadFile(x.fsys, tree.Sidecar) }
	}
	var data []byte
	var err error
	var panicked *parallel.Panic
	done := make(chan struct{})
	go func() {
		defer close(done)
		panicked = parallel.Catch(func() { data, err = fs.ReadFile(x.fsys, tree.Sidecar) })
	}()
	return func() ([]byte, error) {
		<-done
		panicked.Throw()
		return data, err
	}
}

// writeSidecar writes the sidecar of the tree, with the names that were made safe.
func (x *extraction) writeSidecar(sidecar func() ([]byte, error)) error {
	data, err := sidecar()
	if err == nil && data != nil {
		x.written++
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(err, x.file)
	}
	names := x.names
	if x.into != "" {
		// Files of an earlier run keep their names, and their sidecar.
		old, err := readIn(x.into, tree.Sidecar)
		if err == nil {
			earlier, err := safename.Names(old)
			if err != nil {
				return err
			}
			for at, name := range names {
				earlier[at] = name
			}
			names = earlier
			if data == nil {
				data = old
			}
		}
	}
	if len(names) > 0 {
		if data, err = safename.AddNames(data, names); err != nil {
			return err
		}
	}
	if data == nil {
		return nil
	}
	info, _ := fs.Stat(x.fsys, tree.Sidecar)
	return x.create(x.root, tree.Sidecar, info, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
