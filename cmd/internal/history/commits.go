package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/text/words"
)

// Repository is a repository of git whose commits are read.
type Repository struct{ top string }

// OpenRepository opens the repository that contains a folder; "" is the current folder.
func OpenRepository(ctx context.Context, dir string) (*Repository, error) {
	top, err := ask(ctx, dir, "rev-parse", "--show-toplevel")
	return &Repository{filepath.FromSlash(strings.TrimSuffix(top, "\n"))}, err
}

// Commit returns the hash of the commit with a name, such as that of a branch.
func (r *Repository) Commit(ctx context.Context, name string) (string, error) {
	hash, err := ask(ctx, r.top, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", wording.Hint(fmt.Errorf("%s: is neither a file nor a commit", words.Printable(name)),
			"`git log --all --oneline` lists the commits")
	}
	return strings.TrimSpace(hash), nil
}

// PathOf returns the path in the repository of a file or folder on the disk.
func (r *Repository) PathOf(name string) (string, error) {
	full, err := filepath.Abs(name)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", err
	}
	top, err := filepath.EvalSymlinks(r.top)
	if err != nil {
		return "", err
	}
	at, err := filepath.Rel(top, full)
	if err != nil || !filepath.IsLocal(at) {
		return "", fmt.Errorf("%s: is not in the repository %s", name, r.top)
	}
	return filepath.ToSlash(at), nil
}

// CheckOut writes the file or folder at a path in a commit to a temporary folder.
func (r *Repository) CheckOut(ctx context.Context, commit, at string) (*Opened, error) {
	at = path.Clean(at)
	kind, err := ask(ctx, r.top, "cat-file", "-t", commit+":"+strings.TrimPrefix(at, "."))
	if err != nil {
		return nil, fmt.Errorf("%s: not in the commit %.12s", words.Printable(at), commit)
	}
	name := filepath.Base(r.top)
	if at != "." {
		name = path.Base(at)
	}
	return checkOut(ctx, r.top, place{commit, at}, name, kind == "tree\n")
}

// FileChange is a file that differs between two commits.
type FileChange struct {
	Path     string // in the new commit, or in the old one if it was removed
	Was      string // the earlier path; Path, unless the file was renamed
	Old, New bool   // whether a commit has it
	Unread   bool   // it is, or was, a link or a submodule
}

// Changes writes what differs between two commits to the folders dirs, the old state to the first: the changed files, and those in the
// same folder whose names continue theirs or that theirs continue. Of a folder for which whole reports true, it writes all. Whole gets
// the path of a folder that has the small files of that folder, and the names of the others.
func (r *Repository) Changes(ctx context.Context, commits, dirs [2]string, whole func(dir string) bool) ([]FileChange, error) {
	changes, err := r.changed(ctx, commits)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	var lists [2][]entry
	wanted := selection{make(map[string]bool), make(map[string]bool)}
	for i, commit := range commits {
		if lists[i], _, err = listed(ctx, r.top, commit, ".", ""); err != nil {
			return nil, err
		}
		folders, err := r.folders(ctx, lists[i], changes, whole)
		if err != nil {
			return nil, err
		}
		for _, dir := range folders {
			wanted.add(dir)
		}
	}
	for _, c := range changes {
		wanted.add(c.Path)
		wanted.add(c.Was)
	}
	for i, list := range lists {
		list = slices.DeleteFunc(list, func(e entry) bool { return !wanted.has(e.path) })
		if err := fits(list, commits[i]); err != nil {
			return nil, err
		}
		if err := written(ctx, r.top, dirs[i], list); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// fits returns an error if files of a commit exceed the limits.
func fits(list []entry, commit string) error {
	total := int64(0)
	for _, e := range list {
		total += e.size
	}
	if total > maxCommit || len(list) > maxEntries {
		return fmt.Errorf("the commit %.12s has %s with %s here: at most %s and %s are shown", commit, words.Count(len(list), "file"),
			words.Count(total, "byte"), words.Thousands(maxEntries), words.Count(maxCommit, "byte"))
	}
	return nil
}

// selection is a set of files and folders.
type selection struct{ paths, stems map[string]bool }

func (s *selection) add(name string) {
	s.paths[name] = true
	for i := strings.LastIndexByte(name, '/') + 1; i < len(name); i++ {
		if name[i] == '.' {
			s.stems[name[:i]] = true
		}
	}
}

// has reports whether the set has a file, a folder above it, or a file in the same folder of which one name continues the other, as
// a.pak.man continues a.pak.
func (s *selection) has(name string) bool {
	for i := strings.LastIndexByte(name, '/') + 1; i < len(name); i++ {
		if name[i] == '.' && s.paths[name[:i]] {
			return true
		}
	}
	for at := name; ; at = path.Dir(at) {
		if s.paths[at] {
			return true
		}
		if at == "." {
			return s.stems[name]
		}
	}
}

// changed returns the files that differ between two commits.
func (r *Repository) changed(ctx context.Context, commits [2]string) (list []FileChange, err error) {
	out, err := ask(ctx, r.top, "diff-tree", "-r", "-z", "--raw", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-abbrev",
		commits[0], commits[1])
	if err != nil {
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	for len(fields) >= 2 {
		meta, name := strings.Fields(fields[0]), fields[1]
		fields = fields[2:]
		if len(meta) != 5 || len(meta[4]) == 0 {
			return nil, errors.New("git diff-tree: unexpected output")
		}
		c := FileChange{Path: name, Was: name, Old: meta[4][0] != 'A', New: meta[4][0] != 'D'}
		if meta[4][0] == 'R' || meta[4][0] == 'C' {
			if len(fields) == 0 {
				return nil, errors.New("git diff-tree: unexpected output")
			}
			c.Path, fields = fields[0], fields[1:]
		}
		regular := func(mode string) bool { return strings.HasPrefix(mode, "100") || mode == "000000" }
		c.Unread = !regular(strings.TrimPrefix(meta[0], ":")) || !regular(meta[1])
		list = append(list, c)
	}
	return list, nil
}

// maxOutline is the maximum size of a file whose content is in an outline.
const maxOutline = 64 << 10

// folders returns the outermost folders above changed files for which whole reports true.
func (r *Repository) folders(ctx context.Context, list []entry, changes []FileChange,
	whole func(dir string) bool) (found []string, err error) {
	above := make(map[string]bool)
	for _, c := range changes {
		for _, name := range []string{c.Path, c.Was} {
			for dir := path.Dir(name); !above[dir]; dir = path.Dir(dir) {
				above[dir] = true
			}
		}
	}
	dir, remove, err := scratchFor("outline")
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var small []entry
	for _, e := range list {
		in := path.Dir(e.path)
		if above[in] && e.size <= maxOutline {
			small = append(small, e)
			continue
		}
		name := e.path
		for !above[path.Dir(name)] {
			name = path.Dir(name)
		}
		to, err := filepath.Localize(name)
		if err != nil {
			continue // [written] reports it, if the file is wanted
		}
		if err = root.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return nil, err
		}
		if name == e.path {
			err = root.WriteFile(to, nil, 0o600)
		} else {
			err = root.MkdirAll(to, 0o700)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := fits(small, "outline"); err != nil {
		return nil, err
	}
	if err := written(ctx, r.top, dir, small); err != nil {
		return nil, err
	}
	for _, at := range slices.SortedFunc(maps.Keys(above), func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) }) {
		inside := slices.ContainsFunc(found, func(f string) bool { return f == "." || strings.HasPrefix(at, f+"/") })
		if !inside && whole(filepath.Join(dir, filepath.FromSlash(at))) {
			found = append(found, at)
		}
	}
	return found, nil
}
