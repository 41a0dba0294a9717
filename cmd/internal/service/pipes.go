package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
)

// pipes are the pipes that a shell opened for the program, as <(...) does. A pipe can be read only once, so its
// content is copied to a temporary file for the run.
type pipes struct {
	mu    sync.Mutex
	paths map[string]string // temporary files by names of pipes
	kept  []func()          // functions that remove the files
}

// path returns the path of the file with the content of a pipe, and any other path unchanged.
func (p *pipes) path(ctx context.Context, names *wording.Aliases, name string) (string, error) {
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
	names.Hide(path, name)
	return path, nil
}

// keep copies the content of a pipe to a temporary file and returns the path of that file.
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
	n, err := io.Copy(out, io.LimitReader(in, effort.WholeFile.Limit(0)+1))
	if n > effort.WholeFile.Limit(0) {
		err = regular.TooLarge(name, n, effort.WholeFile)
	}
	return path, errors.Join(err, out.Close(), ctx.Err())
}

// StepInputs is readInputs for the arguments and options of steps.
func (s *Service) StepInputs(ctx context.Context, steps []format.Step) error {
	for _, step := range steps {
		for _, o := range slices.Concat(step.Args, step.Options) {
			if value := step.Job.Value(o.Name); o.Input && value != "" {
				names, err := s.Input(ctx, value)
				if err != nil {
					return fmt.Errorf("%s: %w", step.Name, err)
				}
				step.Job.Values[o.Name] = names
			}
		}
	}
	return nil
}

// Input returns the paths of the files to read for names, one per line.
func (s *Service) Input(ctx context.Context, names string) (string, error) {
	list := strings.Split(names, "\n")
	for i, name := range list {
		path, err := s.pipes.path(ctx, s.Names, name)
		if err != nil {
			return "", err
		}
		if info, e := os.Stat(path); e == nil {
			err = regular.Check(info, name)
		}
		if err != nil {
			return "", err
		}
		list[i] = path
	}
	return strings.Join(list, "\n"), nil
}

// remove removes the files.
func (p *pipes) remove() {
	for _, remove := range p.kept {
		remove()
	}
}

// isDescriptor reports whether a path refers to a file descriptor that the program was started with.
func isDescriptor(name string) bool {
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, ok := strings.CutPrefix(name, dir); ok {
			_, err := strconv.Atoi(number)
			return err == nil
		}
	}
	return name == "/dev/stdin"
}
