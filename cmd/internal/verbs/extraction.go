package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// extraction writes a tree to the disk.
type extraction struct {
	*Tool
	report   *report
	fsys     fs.FS
	file     string // for messages
	patterns []string
	chosen   *selection
	like     fs.FS // the folder whose file names are used; nil: that of the output
	// putExtra writes additional files into the folder that a merge creates next to its result; nil: none.
	putExtra func(put func(name string, data []byte) error) error

	root    *os.Root          // nil for a dry run
	open    sync.Map          // open folders, of *openFolderRef
	into    string            // the existing output folder, or ""
	owner   bool              // only the owner may read the file, so only the owner may read the output
	names   map[string]string // true paths by safe paths, where they differ
	taken   *safename.Taken   // the names in a partial extraction
	written int
	total   atomic.Int64 // number of files to write; 0 while unknown
	failed  int
}

// extract extracts a game file to dir and prints a summary.
func (x *extraction) extract(ctx context.Context, dir string, g *service.File, opts output.Options) error {
	job := x.report.watch(x.Job(g.Format))
	if opts.Replace {
		if earlier, closer, err := service.OpenFolder(dir, nil); err == nil {
			defer closer.Close()
			job.Over = earlier
		}
	}
	if x.like != nil {
		job.Over = x.like
	}
	job.Keeping = len(x.patterns) == 0
	file, err := g.OpenFile(ctx, job)
	if err != nil {
		return err
	}
	defer file.Close()
	if x.fsys, err = file.Tree(ctx, job); err != nil {
		return wording.Named(err, x.file)
	}
	if given := x.Options.Values(); len(x.patterns) > 0 || len(given) > 0 {
		x.taken = &safename.Taken{Options: given, Files: make(map[string]string)}
	}
	defer x.count(ctx)()
	if err := x.run(ctx, dir, g, opts); err != nil {
		return err
	}
	note := ""
	if n := len(x.names); n > 0 {
		note = fmt.Sprintf("; %s made safe, see %s", wording.Count(n, "name"), tree.Sidecar)
	}
	x.report.printDone("extracted", "extract", "%s to %s%c%s", wording.Count(x.written, "file"), filepath.Clean(dir), filepath.Separator, note)
	if x.failed > 0 {
		x.talk.Print(fmt.Sprintf("trowel: %s: %s could not be read", x.file, wording.Count(x.failed, "file")))
		return errFound
	}
	return nil
}

// count counts the files to write if the progress is visible to the user. It returns the function that stops
// the counting.
func (x *extraction) count(ctx context.Context) (stop func()) {
	chosen, err := selectPaths(x.patterns)
	if !x.talk.Terminal || x.talk.Quiet || err != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := int64(0)
		_ = parallel.Catch(func() { // the extraction meets the same error and reports it
			err = treediff.Walk(ctx, x.fsys, ".", func(name string, e fs.DirEntry) error {
				if !e.IsDir() && chosen.has(name) {
					n++
				}
				return nil
			})
		})
		if err == nil {
			x.total.Store(n)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// run extracts to dir. Nothing is visible in dir before the extraction is complete.
func (x *extraction) run(ctx context.Context, dir string, g *service.File, opts output.Options) error {
	others := service.OthersOf(g.Reads())
	if opts.Others != nil {
		others &= opts.Others()
	}
	x.owner = others == 0
	opts.Others = func() fs.FileMode { return others }
	out, err := x.start(dir, g, opts)
	if err != nil {
		return err
	}
	if x.report.DryRun {
		return x.make(ctx, "")
	}
	defer out.Discard()
	temp, err := x.Named(out, dir).Dir()
	if err != nil {
		return err
	}
	if err := x.make(ctx, temp); err != nil {
		return err
	}
	return out.Commit()
}

// start creates a new folder or opens an existing one.
func (x *extraction) start(dir string, g *service.File, opts output.Options) (*output.Output, error) {
	if err := opts.NotRead(dir); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && x.report.DryRun:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		if err := wholefile.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return nil, err
		}
		return output.New(dir, opts)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is a file: choose another name for the folder", dir)
	}
	if err := x.noGame(dir); err != nil {
		return nil, err
	}
	x.into = dir
	out, err := output.Into(dir, opts)
	var exists *output.ExistsError
	if errors.As(err, &exists) && g.RecognizeTree != nil && g.RecognizeTree(os.DirFS(dir)) {
		return nil, wording.Hint(err, "write into it with -f, or choose another folder with -o")
	}
	return out, err
}

// noGame returns an error if the folder is itself a game file, such as a world: with extracted files in it, the
// folder would be neither a valid world nor a valid tree.
func (x *extraction) noGame(dir string) error {
	src, err := format.OpenSource(dir)
	if err != nil {
		return nil
	}
	defer src.Close()
	if f, err := x.Formats.Find(src); err == nil {
		return wording.Hint(&output.KeptError{Path: dir, Err: fmt.Errorf("the folder is a %s, not an extracted one", f.Title)},
			"choose another folder with -o")
	}
	return nil
}

// extractJob is a file to write: its path in the tree, and its name in the output folder.
type extractJob struct {
	name string
	dir  *openFolderRef
	at   string // path below the output folder
}

// extracted is the result of an extractJob.
type extracted struct {
	at, name string
	digest   string // hash of the content, for a partial extraction
	size     int64
	err      error
}

// openFolderRef is a folder that stays open while files are written into it, so that its path is resolved once
// instead of once per file.
type openFolderRef struct {
	*os.Root
	users atomic.Int32
	open  *sync.Map // the open folders of the extraction
}

// newFolderRef returns a reference to a folder. In a dry run, root is nil.
func (x *extraction) newFolderRef(root *os.Root) *openFolderRef {
	f := &openFolderRef{Root: root, open: &x.open}
	f.users.Store(1)
	if root != nil {
		x.open.Store(f, nil)
	}
	return f
}

func (f *openFolderRef) release() {
	if f.users.Add(-1) == 0 && f.Root != nil {
		f.open.Delete(f)
		f.Close()
	}
}

// closeFolders closes the folders with planned files that were never written. Windows cannot remove an open
// folder.
func (x *extraction) closeFolders() {
	x.open.Range(func(f, _ any) bool {
		f.(*openFolderRef).Close()
		return true
	})
}

func (x *extraction) make(ctx context.Context, dir string) (err error) {
	if dir != "" {
		if x.root, err = os.OpenRoot(dir); err != nil {
			return err
		}
		defer x.root.Close()
	}
	x.names = make(map[string]string)
	if err := x.report.whole(); err != nil {
		return err
	}
	defer x.closeFolders()
	sidecar := x.makeSidecar()
	produce := func(yield func(extractJob) error) error { return x.plan(ctx, yield) }
	err = parallel.Ordered(ctx, produce, x.writeFile, func(f extracted) error {
		if err := f.err; err != nil {
			var broken unreadable
			if !errors.As(err, &broken) {
				return err
			}
			if !x.report.keep.KeepGoing {
				return wording.Hint(wording.Named(err, x.file), "-k writes the readable data")
			}
			x.failed++
			x.report.lose(f.at, err.Error())
			x.talk.Print("trowel: " + wording.Named(err, x.file).Error())
			return nil
		}
		if err := x.report.whole(); err != nil {
			return err
		}
		x.written++
		if x.taken != nil && x.written <= format.MaxPieceFiles {
			x.taken.Files[f.name] = f.digest
		}
		x.talk.Progress("extracted files", x.written, int(x.total.Load()))
		return x.report.add(filepath.Join(x.report.output, filepath.FromSlash(f.at)), f.size)
	})
	if err == nil {
		err = x.chosen.unused(x.file)
	}
	if err == nil {
		err = x.writeSidecar(sidecar)
	}
	if err == nil {
		err = x.report.whole() // making the sidecar reads the whole file
	}
	if err == nil && x.putExtra != nil {
		err = x.putExtra(x.putBeside)
	}
	return err
}

// putBeside writes a file to the merge folder.
func (x *extraction) putBeside(name string, data []byte) error {
	at := mergeFolder
	for _, part := range strings.Split(name, "/") {
		if err := x.root.Mkdir(at, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		at += "/" + part
	}
	if err := x.root.WriteFile(at, data, 0o666); err != nil {
		return err
	}
	return x.report.add(filepath.Join(x.report.output, filepath.FromSlash(at)), int64(len(data)))
}

// place is a folder on the path to the current file of the walk.
type place struct {
	dir, at string // true path and safe path
	folder  *safename.Folder
	root    *openFolderRef // nil until the folder is created
}

// plan yields the files to write and creates their folders. Every file gets its safe name, whether it is
// selected or not, so that its name does not depend on the selection.
func (x *extraction) plan(ctx context.Context, yield func(extractJob) error) error {
	var top *os.Root
	if x.root != nil {
		var err error
		if top, err = os.OpenRoot(x.root.Name()); err != nil {
			return err
		}
	}
	way := []*place{{dir: ".", at: ".", folder: new(safename.Folder), root: x.newFolderRef(top)}}
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
	return treediff.Walk(ctx, x.fsys, ".", func(name string, e fs.DirEntry) error {
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
				if err := x.makePlace(p, way[i-1].root); err != nil {
					return err
				}
				x.note(p.at, p.dir)
			}
		}
		x.note(at, name)
		if at == tree.Sidecar {
			return nil // written last, together with the names
		}
		parent.root.users.Add(1)
		return yield(extractJob{name, parent.root, at})
	})
}

// makePlace creates a folder in its parent.
func (x *extraction) makePlace(p *place, parent *openFolderRef) error {
	if parent.Root == nil { // a dry run
		p.root = x.newFolderRef(nil)
		return nil
	}
	name := path.Base(p.at)
	if err := parent.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return err
	}
	p.root = x.newFolderRef(root)
	return nil
}

// note records the true path of a file whose safe path differs.
func (x *extraction) note(at, name string) {
	if path.Base(at) != path.Base(name) {
		x.names[at] = name
	}
}

// unreadable is an error of a file in the tree, as opposed to an error of the disk.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

func (x *extraction) writeFile(j extractJob) extracted {
	defer j.dir.release()
	e := extracted{at: j.at, name: j.name}
	defer tree.Room(treediff.Meta(fs.Stat(x.fsys, j.name)))()
	f, err := x.fsys.Open(j.name)
	if err != nil {
		e.err = unreadable{err}
		return e
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		e.err = unreadable{err}
		return e
	}
	h := format.NewPieceDigest()
	r := io.Reader(f)
	if x.taken != nil {
		r = io.TeeReader(f, h)
	}
	e.size, e.err = x.create(j.dir.Root, path.Base(j.at), info, r)
	e.digest = h.String()
	return e
}

// create writes the content of r to a file with the time and the permissions of info, and returns the size in
// bytes.
func (x *extraction) create(dir *os.Root, name string, info fs.FileInfo, r io.Reader) (int64, error) {
	if dir == nil { // a dry run
		return io.Copy(io.Discard, r)
	}
	mode := fs.FileMode(0o666)
	if x.owner || info != nil && info.Mode().Perm()&0o077 == 0 {
		mode = 0o600
	}
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return 0, err
	}
	sparse := regular.NewSparse(f)
	size, err := io.Copy(sparse, r)
	err = errors.Join(err, sparse.Finish())
	if err == nil && info != nil && !info.ModTime().IsZero() {
		err = wholefile.SetTime(f, info.ModTime())
	}
	return size, errors.Join(err, f.Close())
}

// makeSidecar starts making the sidecar of the tree, which may take as long as all files together. If the
// sidecar is cheaper after the files, it is made then. makeSidecar returns a function that waits for the
// content, which is nil if there is no sidecar.
func (x *extraction) makeSidecar() func() ([]byte, error) {
	if !x.chosen.has(tree.Sidecar) {
		return func() ([]byte, error) { return nil, nil }
	}
	if treediff.Meta(fs.Stat(x.fsys, tree.Sidecar)).Last {
		tree.Keep(x.fsys)
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

// writeSidecar writes the sidecar of the tree, including the table of safe names.
func (x *extraction) writeSidecar(sidecar func() ([]byte, error)) error {
	data, err := sidecar()
	if err == nil && data != nil {
		x.written++
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wording.Named(err, x.file)
	}
	names := x.names
	if x.into != "" {
		// Files of an earlier run keep their names and their sidecar.
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
	if x.taken != nil && x.written <= format.MaxPieceFiles {
		if data, err = safename.AddTaken(data, *x.taken); err != nil {
			return err
		}
	}
	if data == nil {
		return nil
	}
	info, _ := fs.Stat(x.fsys, tree.Sidecar)
	size, err := x.create(x.root, tree.Sidecar, info, bytes.NewReader(data))
	if err != nil {
		return err
	}
	return x.report.add(filepath.Join(x.report.output, tree.Sidecar), size)
}

// readIn reads a file in a folder. Links that lead out of the folder are not followed.
func readIn(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(name)
}
