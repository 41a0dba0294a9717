package cli

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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
)

// pipes are the pipes that a shell opened for the program, as <(...) does. A pipe can be read only once, so its
// content is copied to a temporary file for the run.
type pipes struct {
	mu    sync.Mutex
	paths map[string]string // temporary files by names of pipes
	kept  []func()          // functions that remove the files
}

// path returns the path of the file with the content of a pipe, and any other path unchanged.
func (p *pipes) path(ctx context.Context, t *terminal.Talk, name string) (string, error) {
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
	t.Hide(path, name)
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
	n, err := io.Copy(out, io.LimitReader(in, format.MaxWhole+1))
	if n > format.MaxWhole {
		err = regular.TooLarge(name, n, format.MaxWhole)
	}
	return path, errors.Join(err, out.Close(), ctx.Err())
}

// inputNote is the annotation of an option whose value is the path of an input file, like [format.Option.Input]
// for options of formats.
const inputNote = "trowel_input"

// Input marks an option of a verb whose value is the path of an input file.
func Input(cmd *cobra.Command, name string) { _ = cmd.Flags().SetAnnotation(name, inputNote, nil) }

// readInputs replaces pipes in the values of options by files with the content of the pipes. A path of anything
// else that is neither a file nor a folder is an error: reading it might never end.
func (a *app) readInputs(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		_, isInput := flag.Annotations[inputNote]
		if err == nil {
			switch v := flag.Value.(type) {
			case *optionValue:
				if v.option.Input {
					v.text, err = a.input(v.text)
				}
			case pflag.SliceValue:
				if isInput {
					var names string
					names, err = a.input(strings.Join(v.GetSlice(), "\n"))
					err = errors.Join(err, v.Replace(strings.Split(names, "\n")))
				}
			default:
				if isInput {
					var name string
					name, err = a.input(v.String())
					err = errors.Join(err, v.Set(name))
				}
			}
			err = wording.Named(err, optionName(flag))
		}
	})
	return err
}

// stepInputs is readInputs for the arguments and options of steps.
func (a *app) stepInputs(steps []format.Step) error {
	for _, s := range steps {
		for _, o := range slices.Concat(s.Args, s.Options) {
			if value := s.Job.Value(o.Name); o.Input && value != "" {
				names, err := a.input(value)
				if err != nil {
					return fmt.Errorf("%s: %w", s.Name, err)
				}
				s.Job.Values[o.Name] = names
			}
		}
	}
	return nil
}

// input returns the paths of the files to read for names, one per line.
func (a *app) input(names string) (string, error) {
	list := strings.Split(names, "\n")
	for i, name := range list {
		path, err := a.pipes.path(a.ctx, a.talk, name)
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
		if number, is := strings.CutPrefix(name, dir); is {
			_, err := strconv.Atoi(number)
			return err == nil
		}
	}
	return name == "/dev/stdin"
}
