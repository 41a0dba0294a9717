package fleet

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/sandbox"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/stores/server"
)

// order is the request of a worker to a child process.
type order struct {
	Step   step            `json:"step"`
	Plan   work.Plan       `json:"plan"`
	Part   work.Part       `json:"part"`
	Store  string          `json:"store"` // the results of the work
	Place  root            `json:"place"` // root of the results of all works
	Output string          `json:"output"`
	Access *service.Access `json:"access"` // nil: everything that the user may do
	Memory service.Memory  `json:"memory"` // limit of the child; 0: none

	Limits sandbox.Limits `json:"limits"` // of the child; without paths

	tool    *verbs.Tool
	scratch string // the worker's folder for files that are removed when the child has ended
	used    usage  // by the child, when it has ended
}

// usage is what a process has used.
type usage struct {
	cpu    time.Duration
	memory int64 // bytes at most; 0: unknown
}

type step string

const (
	stepSplit step = "split" // prints the parts as lines of JSON
	stepPart  step = "part"  // prints the result
	stepMerge step = "merge" // prints the output of the verb and exits with its code
)

const (
	childVerb    = "worker-part"
	exitNoResult = 70 // the merge could not be done
	exitOrphan   = 75 // the worker has ended
	exitRefused  = 77 // the worker may not do this
)

// childCommand returns the verb that a worker starts for each part. The verb ends when its input is closed, so
// that no process remains when the worker is killed.
func childCommand(t *verbs.Tool) *cobra.Command {
	return &cobra.Command{
		Use:    childVerb,
		Short:  "Run one part of a job for a worker",
		Hidden: true,
		Args:   verbs.Number(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := bufio.NewReader(cmd.InOrStdin())
			line, err := in.ReadBytes('\n')
			var o order
			if err == nil {
				err = json.Unmarshal(line, &o)
			}
			if err != nil {
				return fmt.Errorf("%s is for workers: %w", childVerb, err)
			}
			go func() {
				_, _ = io.Copy(io.Discard, in)
				os.Exit(exitOrphan)
			}()
			server.Sealed = o.Access != nil
			if err := limitMemory(int64(o.Memory)); err != nil {
				return err
			}
			t.Settle(o.Limits)
			out := bufio.NewWriterSize(os.Stdout, 1<<16)
			code := o.obey(cmd.Context(), t, out)
			if err := out.Flush(); err != nil {
				return err
			}
			return verbs.Exit(code)
		},
	}
}

// limits returns the limits of the child: it reads the files of the work, and only a child that merges writes.
func (o *order) limits(dir string) sandbox.Limits {
	words, may := o.Plan.Args, (func(string) error)(nil)
	if o.Part.File != "" {
		words = append(words[:len(words):len(words)], o.Part.File)
	}
	if o.Access != nil {
		may = o.Access.Inside
	}
	l := o.tool.Limits(words, dir, may)
	places := []string{filepath.Dir(o.Output), o.Store, o.Place.Here}
	if o.Access != nil {
		for _, root := range o.Access.Roots {
			if bucket.IsURL(root) {
				places = append(places, root)
			} else {
				l.Read = append(l.Read, root)
			}
		}
	}
	for _, place := range places {
		switch {
		case bucket.IsURL(place):
			l.Network, l.Programs = true, true // a program may return the credentials
		case place != "" && place != ".":
			l.Write = append(l.Write, sandbox.Existing(place))
		}
	}
	return l
}

// obey does the order.
func (o *order) obey(ctx context.Context, t *verbs.Tool, out io.Writer) int {
	var noResult error
	var m *merging
	call := verbs.Call{Args: o.Plan.Args, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: os.Stderr,
		Handover: service.Handover{Program: o.Plan.Version, Access: o.Access, Kept: o.kept}}
	switch o.Step {
	case stepSplit:
		call.Handover.Work = func(ctx context.Context, w work.Work) error {
			enc := json.NewEncoder(out)
			return cmp.Or(w.Split(ctx, func(p work.Part) error { return enc.Encode(p) }), service.ErrPart)
		}
	case stepPart:
		call.Handover.Part = &o.Part
		if o.Part.Apart {
			store, end, err := openStore(ctx, o.Store)
			if err != nil {
				t.Warn("", err.Error())
				return 2
			}
			defer end()
			call.Handover.Files = &work.Files{Store: store}
		}
		call.Handover.Work = func(ctx context.Context, w work.Work) error { return cmp.Or(w.Do(ctx, o.Part, out), service.ErrPart) }
	case stepMerge:
		var err error
		if m, err = o.merging(ctx); err != nil {
			t.Warn("", err.Error())
			return exitNoResult
		}
		call.Stdout = out
		call.Handover.Output = func(string) string { return o.Output }
		call.Handover.Files, call.Handover.Adopt = &work.Files{Store: m.store}, m.adopt
		call.Handover.Work = func(ctx context.Context, w work.Work) error {
			noResult = m.merge(ctx, w)
			return noResult
		}
	}
	refused := false
	call.Failed = func(err error) { refused = errors.Is(err, service.ErrRefused) }
	code := t.Run(ctx, call)
	if m != nil {
		if err := m.close(); err != nil {
			t.Warn("", err.Error())
			noResult = err
		}
	}
	switch {
	case refused:
		return exitRefused
	case noResult != nil:
		return exitNoResult
	}
	return code
}

// kept returns the local path of an output folder that the submitter calls name, if it is below the place for
// results. Such a folder remains and is updated by later works.
func (o *order) kept(name string) string { return o.Place.kept(o.Plan.Dir, name) }

// childError is the error of a failed child process, with the child's last message.
type childError struct {
	code    int
	message string
}

func (e *childError) Error() string { return e.message }

// run runs a child process for the order. Its standard output goes to out; talk may be nil.
func (o *order) run(ctx context.Context, program []string, dir string, threads int, out, talk io.Writer) error {
	limits := o.limits(dir)
	o.Limits = sandbox.Limits{Programs: limits.Programs, Network: limits.Network}
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], childVerb)...)
	cmd.Dir = dir
	temp, err := os.MkdirTemp(o.scratch, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for _, v := range os.Environ() {
		// The password of the queue must not be sent to servers that worlds name.
		if name, _, _ := strings.Cut(v, "="); o.Access == nil || name != envQueue && name != "PGPASSWORD" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", threads), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
	cmd.WaitDelay = 5 * time.Second
	apart(cmd)
	var last tail
	cmd.Stderr = &last
	if talk != nil {
		cmd.Stderr = io.MultiWriter(&last, talk)
	}
	kept := &keptError{w: out}
	cmd.Stdout = kept
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := o.tool.StartConfined(cmd, limits); err != nil {
		return err
	}
	go func() { _, _ = in.Write(append(line, '\n')) }() // the input stays open until the child has ended
	err = cmd.Wait()
	o.used = usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak(cmd.ProcessState)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case kept.err != nil:
		return kept.err
	case err != nil && o.Memory > 0 && last.crashed:
		return fmt.Errorf("%w of %d MB", errMemory, o.Memory>>20)
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &childError{exit.ExitCode(), cmp.Or(last.line(), exit.String())}
	case errors.As(err, &exit):
		return &childError{exit.ExitCode(), "the process of the part ended: " + exit.String()}
	}
	return err
}

// keptError is a writer that records its first error: the child only detects that its output is closed.
type keptError struct {
	w   io.Writer
	err error
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	k.err = cmp.Or(k.err, err)
	return n, err
}

// tail keeps the end of a process's messages.
type tail struct {
	b       []byte
	crashed bool // the runtime of Go has reported a crash
}

func (t *tail) Write(p []byte) (int, error) {
	const most, mark = 8 << 10, 20
	seen := len(t.b)
	t.b = append(t.b, p...)
	news := t.b[max(0, seen-mark):]
	t.crashed = t.crashed || bytes.Contains(news, []byte("fatal error: ")) || bytes.Contains(news, []byte("SIGSEGV: "))
	if len(t.b) > 2*most {
		t.b = append(t.b[:0], t.b[len(t.b)-most:]...)
	}
	return len(p), nil
}

// errMemory is the error of a child with a limit that has crashed: the runtime of Go has no other way to end without memory.
var errMemory = errors.New("crashed, probably because it needs more than its memory")

// hintMark is the prefix of advice after an error.
const hintMark = "hint: "

// line returns the last error line with the advice that follows it, or "".
func (t *tail) line() string {
	last := ""
	for line := range bytes.Lines(t.b) {
		switch line := strings.TrimSpace(string(line)); {
		case line == "":
		case !strings.HasPrefix(line, hintMark):
			last = strings.TrimPrefix(line, "trowel: ")
		case last != "" && !strings.Contains(last, "\n"):
			last += "\n" + line
		}
	}
	return last
}

// split is the work of an order to split, for [work.Begin]. It receives the parts from a child.
type split struct {
	work.Work
	run func(ctx context.Context, out io.Writer) error
}

func (s split) Split(ctx context.Context, yield func(work.Part) error) error {
	r, w := io.Pipe()
	defer r.Close()
	go func() { w.CloseWithError(s.run(ctx, w)) }()
	dec := json.NewDecoder(r)
	for {
		var p work.Part
		switch err := dec.Decode(&p); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !p.Valid():
			return fmt.Errorf("%.50q is not a valid name of a part", p.Name)
		}
		if err := yield(p); err != nil {
			return err
		}
	}
}

// outputs returns the paths of the files that a verb wrote as name in a folder, relative to that folder.
func outputs(folder, name string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(filepath.Join(folder, name), func(path string, e os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) && path == filepath.Join(folder, name) {
			return nil
		}
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(folder, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	return list, err
}
