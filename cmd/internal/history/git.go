package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/text/words"
)

// Limits of what is read from a commit.
const (
	maxCommit  = 512 << 20 // bytes of all files
	maxEntries = 50_000    // files
)

// gitSafe are the settings of each call. A repository may come from a stranger: its configuration must start no program, and
// no object is fetched from elsewhere.
var gitSafe = []string{"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "core.quotePath=false", "-c", "i18n.logOutputEncoding=utf-8"}

// git returns a command that runs git in a folder.
func git(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := host.Command(ctx, "git", slices.Concat(gitSafe, args)...)
	cmd.Dir = dir
	if cmd.Err == nil {
		// Variables that git sets for its own programs would name another repository.
		cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
		cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	}
	return cmd
}

// ask runs git and returns its output.
func ask(ctx context.Context, dir string, args ...string) (string, error) {
	return answer(git(ctx, dir, args...), args[0])
}

func answer(cmd *exec.Cmd, verb string) (string, error) {
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	return out.String(), gitError(err, verb, stderr.String())
}

// gitError adds the message of git to its error.
func gitError(err error, verb, stderr string) error {
	if err == nil {
		return nil
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n"); line != "" {
		err = errors.New(words.Printable(line))
	}
	return fmt.Errorf("git %s: %w", verb, err)
}

// commits returns the commits that changed a file, or a file in a folder, up to the current commit. A file is followed to its
// earlier names.
func commits(ctx context.Context, name string) ([]State, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	if info.IsDir() {
		dir, base = full, ""
	}
	prefix, err := ask(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, wording.Hint(wording.Named(err, name), "--git shows files that are in a git repository")
	}
	repo, err := OpenRepository(ctx, dir)
	if err != nil {
		return nil, wording.Named(err, name)
	}
	top := repo.top
	at := strings.TrimSuffix(prefix, "\n") + base
	at = cmp.Or(strings.TrimSuffix(at, "/"), ".")
	found, err := changed(ctx, top, at, info.IsDir())
	if err == nil && len(found) == 0 {
		err = wording.Hint(errors.New("no commit contains it"), "`git add` and `git commit` make its first state")
	}
	var list []State
	if err == nil {
		list, err = described(ctx, top, found, name, info.IsDir())
	}
	return list, wording.Named(err, name)
}

// place is a path in a commit.
type place struct{ commit, path string }

// changed returns the commits that changed a path, the newest first, with the path at that time.
func changed(ctx context.Context, top, at string, folder bool) (list []place, err error) {
	args := []string{"log", "-z", "--format=%H", "--no-ext-diff", "--no-textconv", "-n", strconv.Itoa(maxStates)}
	if folder {
		out, err := ask(ctx, top, append(args, "--", at)...)
		for commit := range strings.SplitSeq(out, "\x00") {
			if commit != "" {
				list = append(list, place{commit, at})
			}
		}
		return list, err
	}
	out, err := ask(ctx, top, append(args, "--follow", "--name-status", "--", at)...)
	if err != nil {
		return nil, err
	}
	// For each commit: its hash, a line break and a status, one name or, if the file was renamed, two.
	fields := strings.Split(out, "\x00")
	for len(fields) >= 3 {
		commit, status, path := fields[0], strings.TrimPrefix(fields[1], "\n"), fields[2]
		fields = fields[3:]
		if status = status[:min(len(status), 1)]; (status == "R" || status == "C") && len(fields) > 0 {
			path, fields = fields[0], fields[1:]
		}
		if status != "D" {
			list = append(list, place{commit, path})
		}
	}
	return list, nil
}

// described returns the states of commits, the oldest first.
func described(ctx context.Context, top string, found []place, name string, folder bool) (list []State, err error) {
	cmd := git(ctx, top, "log", "--no-walk=unsorted", "--stdin", "-z", "--format=%H%n%ct%n%an%n%s")
	var names strings.Builder
	for _, p := range found {
		names.WriteString(p.commit + "\n")
	}
	cmd.Stdin = strings.NewReader(names.String())
	out, err := answer(cmd, "log")
	if err != nil {
		return nil, err
	}
	about := make(map[string][]string)
	for one := range strings.SplitSeq(out, "\x00") {
		if lines := strings.SplitN(one, "\n", 4); len(lines) == 4 {
			about[lines[0]] = lines[1:]
		}
	}
	var last time.Time
	for _, p := range slices.Backward(found) {
		s := State{Kind: Commit, ID: p.commit, open: func(ctx context.Context) (*Opened, error) { return checkOut(ctx, top, p, name, folder) }}
		if lines := about[p.commit]; lines != nil {
			seconds, _ := strconv.ParseInt(lines[0], 10, 64)
			s.Time, s.By, s.Title = time.Unix(seconds, 0), words.Cut(words.Printable(lines[1]), 100), words.Cut(words.Printable(lines[2]), 200)
		}
		if s.Time.Before(last) { // clocks differ: the order is that of the commits
			s.Time = last
		}
		last = s.Time
		list = append(list, s)
	}
	return list, nil
}

// entry is a file in a commit.
type entry struct {
	path string // below the wanted path
	hash string
	size int64
}

// checkOut writes a path of a commit to a temporary folder, and with a file those next to it whose names continue its name.
func checkOut(ctx context.Context, top string, p place, name string, folder bool) (_ *Opened, err error) {
	to, remove, err := scratchFor(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	o := &Opened{Path: to, Close: func() error { remove(); return nil }}
	under, base := p.path, ""
	if !folder {
		under, base = path.Split(p.path)
	}
	all, links, err := listed(ctx, top, p.commit, path.Clean(under), base)
	if err != nil {
		return nil, err
	}
	if links > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("%s and submodules of the commit are left out", words.Count(links, "link")))
	}
	dir := to
	if !folder {
		dir = filepath.Dir(to)
		for i := range all { // the file may have had another name
			all[i].path = filepath.Base(to) + strings.TrimPrefix(all[i].path, base)
		}
	} else if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: not in the commit %.12s", words.Printable(p.path), p.commit)
	}
	if err := fits(all, p.commit); err != nil {
		return nil, err
	}
	return o, written(ctx, top, dir, all)
}

// listed returns the files below a folder of a commit, or only those in it whose names start with base, and the number of links and
// submodules among them.
func listed(ctx context.Context, top, commit, under, base string) (list []entry, links int, err error) {
	args := []string{"ls-tree", "-z", "-l", "--full-tree"}
	if base == "" {
		args = append(args, "-r")
	}
	if args = append(args, commit); under != "." {
		args = append(args, "--", under+"/")
	}
	out, err := ask(ctx, top, args...)
	if err != nil {
		return nil, 0, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 4 {
			continue
		}
		if under != "." {
			name = strings.TrimPrefix(name, under+"/")
		}
		if !strings.HasPrefix(name, base) {
			continue
		}
		if fields[0] == "120000" || fields[1] == "commit" {
			links++
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if fields[1] != "blob" || err != nil {
			continue // a folder
		}
		list = append(list, entry{name, fields[2], size})
	}
	return list, links, nil
}

// written writes files of a commit, unchanged, below a folder that only this user can enter. They have the permissions of new files,
// because output that is made from them has the same.
func written(ctx context.Context, top, dir string, all []entry) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := git(ctx, top, "cat-file", "--batch")
	var names, stderr strings.Builder
	for _, e := range all {
		names.WriteString(e.hash + "\n")
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(names.String()), &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return gitError(err, "cat-file", "")
	}
	in := bufio.NewReaderSize(out, 1<<16)
	for _, e := range all {
		if err = writeEntry(root, e, in); err == nil && e.size <= regular.MaxPointer {
			err = fetched(ctx, root, top, e)
		}
		if err != nil {
			stop()
			break
		}
	}
	ended := cmd.Wait()
	if err == nil {
		err = gitError(ended, "cat-file", stderr.String())
	}
	return err
}

// writeEntry writes one file, which is next in the output of git cat-file.
func writeEntry(root *os.Root, e entry, in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) != 3 || fields[1] != "blob" || fields[2] != strconv.FormatInt(e.size, 10) {
		return fmt.Errorf("%s: git does not have its content here: %s", words.Printable(e.path), words.Printable(strings.TrimSpace(line)))
	}
	to, err := filepath.Localize(e.path)
	if err != nil {
		return fmt.Errorf("%s: this system has no such name", words.Printable(e.path))
	}
	if err := root.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: on this system, another file has the same name", words.Printable(e.path))
	}
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, in, e.size)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, err = in.Discard(1) // the line break after the content
	return err
}

// fetched replaces a pointer file of Git LFS by its content, if the repository has it. Otherwise, the pointer is reported when the
// file is opened.
func fetched(ctx context.Context, root *os.Root, top string, e entry) error {
	name := filepath.FromSlash(e.path)
	pointer, err := root.ReadFile(name)
	if err != nil {
		return err
	}
	object, sum := regular.PointerObject(pointer)
	if object == "" {
		return nil
	}
	common, err := ask(ctx, top, "rev-parse", "--git-common-dir")
	if err != nil {
		return err
	}
	dir := filepath.FromSlash(strings.TrimSuffix(common, "\n"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	from, info, err := regular.Open(filepath.Join(dir, "lfs", "objects", filepath.FromSlash(object)))
	if err != nil {
		return nil
	}
	defer from.Close()
	if !info.Mode().IsRegular() || info.Size() > maxCommit {
		return nil
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, h), from)
	if err = errors.Join(err, to.Close()); err == nil && hex.EncodeToString(h.Sum(nil)) != sum {
		err = fmt.Errorf("%s: the content that Git LFS has here is damaged", words.Printable(e.path))
	}
	return err
}
