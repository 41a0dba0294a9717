package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"trowel.example/cmd/internal/output"
	"trowel.example/format"
	"trowel.example/internal/regular"
)

// pipes are those that a shell opened for the program, as <(...) does. A pipe can be read once: its contents
// are kept in a temporary file for the run.
type pipes struct {
	mu    sync.Mutex
	paths map[string]string // of the files, by the names of the pipes
	kept  []func()          // remove the files
}

// path returns the path of the file with the contents of a pipe, and any other path unchanged.
func (p *pipes) path(ctx context.Context, t *talk, name string) (string, error) {
	if !isDescriptor(name) {
		return name, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := p.paths[name]
	if path == "" {
		if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return name, nil
		}
		var err error
		if path, err = p.keep(ctx, name); err != nil {
			return "", err
		}
		if p.paths == nil {
			p.paths = make(map[string]string)
		}
		p.paths[name] = path
	}
	t.hide(path, name)
	return path, nil
}

// keep copies what comes from a pipe to a temporary file, and returns its path.
func (p *pipes) keep(ctx context.Context, name string) (string, error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Close() })()
	dir, remove, err := output.Scratch()
	if err != nil {
		return "", err
	}
	p.kept = append(p.kept, remove)
	path := filepath.Join(dir, "pipe")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(out, io.LimitReader(in, format.MaxWhole+1))
	if n > format.MaxWhole {
		err = regular.TooLarge(name, n, format.MaxWhole)
	}
	return path, errors.Join(err, out.Close(), ctx.Err())
}

// remove removes the files.
func (p *pipes) remove() {
	for _, remove := range p.kept {
		remove()
	}
}

// isDescriptor reports whether a path is that of a file that the program was started with.
func isDescriptor(name string) bool {
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, is := strings.CutPrefix(name, dir); is {
			_, err := strconv.Atoi(number)
			return err == nil
		}
	}
	return name == "/dev/stdin"
}
