// Package modauthor answers editors about the text files of mods of Torchlight II: what is wrong with them, what their
// names mean, where things are defined and mentioned, and what can be written.
package modauthor

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
	"sync"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// Author answers for the folder of a mod, or for a folder with a single file.
type Author struct {
	fsys    fs.FS
	options moddir.Options
	base    moddir.Files // the game's files; nil if they are unknown
	baseDir string       // their folder; "" for an archive
	closer  io.Closer

	mu   sync.RWMutex
	mod  *index
	game *index // of the game's files

	shown    sync.Mutex
	shownDir string // temporary folder with texts of an archive of the game; "" until one is needed
	endShown func()
}

// Open opens the folder of a mod. Base is the path of the game's own files, a folder or an archive, or "".
func Open(job *format.Job, fsys fs.FS, base string, o moddir.Options) (*Author, error) {
	a := &Author{fsys: fsys, options: o, mod: newIndex(), game: newIndex()}
	var err error
	if a.base, a.closer, err = modsource.OpenBase(job, base, o); err != nil {
		return nil, err
	}
	if info, err := os.Stat(base); base != "" && err == nil && info.IsDir() {
		if a.baseDir, err = filepath.Abs(base); err != nil {
			return nil, errors.Join(err, a.closer.Close())
		}
	}
	return a, nil
}

// Close closes the game's files, and removes temporary copies of them.
func (a *Author) Close() error {
	a.shown.Lock()
	defer a.shown.Unlock()
	if a.endShown != nil {
		a.endShown()
		a.shownDir, a.endShown = "", nil
	}
	return a.closer.Close()
}

// maxIndexed is the size in bytes of the largest text that the index reads.
const maxIndexed = 32 << 20

// hasFacts reports whether the index reads a file of the game.
func hasFacts(game string) bool {
	switch path.Ext(game) {
	case ".IMAGESET", ".MATERIAL", ".RAW":
		return true
	}
	return isTree(game)
}

// isTree reports whether a file of the game is a data file or a layout.
func isTree(game string) bool {
	switch path.Ext(game) {
	case ".DAT", ".TEMPLATE", ".HIE", ".ANIMATION", ".LAYOUT":
		return true
	}
	return false
}

// isCompiled reports whether a file of a folder has the name of a file that GUTS compiled from another one.
func isCompiled(at string) bool {
	ext := strings.ToUpper(path.Ext(at))
	return ext == ".BINDAT" || ext == ".BINLAYOUT"
}

// list returns the files below MEDIA of a folder, without those that editors and GUTS make of others.
func list(ctx context.Context, fsys fs.FS) (files []changedFile, err error) {
	err = fs.WalkDir(fsys, ".", func(at string, d fs.DirEntry, err error) error {
		switch name := path.Base(at); {
		case ctx.Err() != nil:
			return ctx.Err()
		case at == ".":
			return err
		case err != nil: // such as a folder that vanished
			return nil
		case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || !strings.Contains(at, "/") && !strings.EqualFold(name, "MEDIA"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || isCompiled(at):
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, changedFile{at, info})
		}
		return nil
	})
	return files, err
}

// Index reads the files of the mod that have changed, and at the first call those of the game.
func (a *Author) Index(ctx context.Context) (int, error) {
	present, err := list(ctx, a.fsys)
	if err != nil {
		return 0, err
	}
	a.mu.RLock()
	changed, gone := a.mod.compare(present)
	first := a.base != nil && len(a.game.files) == 0
	a.mu.RUnlock()
	read := func(at string) (string, facts) {
		game := moddir.GamePath(at)
		return game, a.read(a.fsys, at, game)
	}
	if err := a.putAll(ctx, a.mod, changed, read); err != nil {
		return 0, err
	}
	a.mu.Lock()
	for _, at := range gone {
		a.mod.remove(at)
	}
	a.mu.Unlock()
	n := len(changed)
	if first {
		game, err := a.indexGame(ctx)
		if err != nil {
			return n, err
		}
		n += game
	}
	return n, nil
}

// putAll reads files and puts them into an index.
func (a *Author) putAll(ctx context.Context, x *index, files []changedFile, read func(at string) (string, facts)) error {
	type result struct {
		changedFile
		game  string
		facts facts
	}
	return parallel.Ordered(ctx, func(yield func(changedFile) error) error {
		for _, f := range files {
			if err := yield(f); err != nil {
				return err
			}
		}
		return nil
	}, func(f changedFile) result {
		game, facts := read(f.path)
		return result{f, game, facts}
	}, func(r result) error {
		f := &file{path: r.path, game: r.game}
		if r.info != nil {
			f.size, f.time = r.info.Size(), r.info.ModTime()
		}
		a.mu.Lock()
		x.put(f, r.facts)
		a.mu.Unlock()
		return ctx.Err()
	})
}

// read returns the facts of a file. Files that are not texts have none; checks report them.
func (a *Author) read(fsys fs.FS, at, game string) facts {
	if !hasFacts(game) {
		return facts{}
	}
	data, err := fs.ReadFile(fsys, at)
	if err != nil || len(data) > maxIndexed {
		return facts{}
	}
	content, err := text.ToUTF8(data)
	if err != nil || strings.IndexByte(string(content[:min(len(content), 512)]), 0) >= 0 { // compiled
		return facts{}
	}
	return factsOf(game, string(content))
}

// indexGame reads the game's files.
func (a *Author) indexGame(ctx context.Context) (int, error) {
	var files []changedFile
	read := func(at string) (string, facts) {
		f := facts{}
		game := strings.ToUpper(at)
		if hasFacts(game) {
			if root, err := a.base.Tree(at); err == nil {
				f.data(game, func(see func(event)) { walk(root, see) })
			} else if data, err := a.base.Content(at); err == nil {
				if content, err := text.ToUTF8(data); err == nil {
					f = factsOf(game, string(content))
				}
			}
		}
		return game, f
	}
	if a.baseDir == "" {
		for at := range a.base.Files() {
			files = append(files, changedFile{path: at})
		}
		return len(files), a.putAll(ctx, a.game, files, read)
	}
	fsys := os.DirFS(a.baseDir)
	present, err := list(ctx, fsys)
	if err != nil {
		return 0, err
	}
	for _, f := range present {
		f.path = filepath.Join(a.baseDir, filepath.FromSlash(f.path))
		files = append(files, f)
	}
	return len(files), a.putAll(ctx, a.game, files, func(at string) (string, facts) {
		rel, err := filepath.Rel(a.baseDir, at)
		if err != nil {
			return at, facts{}
		}
		game := moddir.GamePath(filepath.ToSlash(rel))
		return game, a.read(fsys, filepath.ToSlash(rel), game)
	})
}

// Update reads a file again.
func (a *Author) Update(_ context.Context, at string) error {
	game := moddir.GamePath(at)
	if isCompiled(at) {
		return nil
	}
	if _, err := fs.Stat(a.fsys, at); errors.Is(err, fs.ErrNotExist) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.mod.remove(at)
		return nil
	}
	facts := a.read(a.fsys, at, game)
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &file{path: at, game: game}
	if number, known := a.mod.byPath[at]; known {
		old := a.mod.files[number]
		f.size, f.time = old.size, old.time // as on disk: Index compares them
	}
	facts.keys = nil // half-typed keys are not worth proposing
	a.mod.put(f, facts)
	return nil
}

// content returns the text of a file of the folder, or of the game if the path is absolute.
func (a *Author) content(at string) (string, error) {
	var data []byte
	var err error
	if filepath.IsAbs(at) {
		data, err = os.ReadFile(at)
	} else {
		data, err = fs.ReadFile(a.fsys, at)
	}
	if err != nil {
		return "", err
	}
	content, err := text.ToUTF8(data)
	return string(content), err
}

// tree returns the tree of a file of the game, from the mod or from the game's files.
func (a *Author) tree(game string) (*text.Node, error) {
	a.mu.RLock()
	number, own := a.mod.byGame[game]
	at := ""
	if own {
		at = a.mod.files[number].path
	}
	a.mu.RUnlock()
	if own {
		data, err := fs.ReadFile(a.fsys, at)
		if err != nil {
			return nil, err
		}
		f, err := text.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		return f.Root, nil
	}
	if a.base != nil {
		return a.base.Tree(game)
	}
	return nil, &fs.PathError{Op: "open", Path: game, Err: fs.ErrNotExist}
}

// visible returns a span of the game's files that an editor can open: texts of an archive are written to a temporary
// folder.
func (a *Author) visible(s format.Span) (format.Span, error) {
	if a.base == nil || a.baseDir != "" || filepath.IsAbs(s.Path) {
		return s, nil
	}
	a.shown.Lock()
	defer a.shown.Unlock()
	if a.shownDir == "" {
		dir, end, err := filelock.TempDir("trowel-lsp-")
		if err != nil {
			return s, err
		}
		a.shownDir, a.endShown = dir, end
	}
	name := filepath.Join(a.shownDir, filepath.FromSlash(moddir.FolderPath(s.Path, a.options)))
	if !filepath.IsLocal(moddir.FolderPath(s.Path, a.options)) {
		return s, fmt.Errorf("%s: not a path below MEDIA", s.Path)
	}
	data, err := a.base.Content(s.Path)
	if root, failed := a.base.Tree(s.Path); failed == nil {
		data, err = text.Format(root), nil
	}
	if err != nil {
		return s, err
	}
	s.Path = name
	if _, err := os.Stat(name); err == nil {
		return s, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return s, err
	}
	return s, os.WriteFile(name, data, 0o400)
}
