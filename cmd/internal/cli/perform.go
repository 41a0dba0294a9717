package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/work"
	"trowel.example/format"
	"trowel.example/internal/parallel"
)

// Call is a run of the tool that hands on the work of its verb in place of doing it.
type Call struct {
	Games          format.Games
	More           []Verbs  // of the program, as for [Main]
	Args           []string // the verb and its words
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Work is given the work of the verb, once. When it returns nil the verb sums up what was
	// taken, as if it had done the work itself; [ErrPart] keeps it from that.
	Work func(ctx context.Context, w work.Work) error

	Program string // identifies the program for which a part is done; "" is this one

	Failed func(error) // is given the error of a verb that has failed; may be nil

	Part *work.Part // that Work does, so that no more is read than that takes; nil: none, or several

	Access *Access // nil: whatever this process may

	// Output returns where that is written which the user calls name, with -o and the like;
	// nil: nowhere, as for a run that does no more than parts.
	Output func(name string) string

	// Kept returns where a folder is that the user calls name, and that is brought up to date: it
	// may be there before the work, and stays behind it. "" or nil: what is written begins with
	// nothing, and goes to Output.
	Kept func(name string) string
}

// ErrPart is what [Call.Work] returns when it has done only a part of the work, or noted what
// there is to do: the verb then says nothing, and the exit code is 0.
var ErrPart = errors.New("a part of the work was done")

// Access is what a run may do that was asked for by somebody else.
type Access struct {
	Roots   []string // folders, and those of [Elsewhere] with their settings: nothing outside of them is opened, whatever links say
	Remote  bool     // connections to other machines are allowed
	Changes bool     // and so are changes in place
}

// Perform runs the tool up to the work of a verb, and returns its exit code. A verb whose work
// does not come apart is an error, and so is a command line with which no work is done at all,
// such as one that asks for help.
func Perform(ctx context.Context, call Call) int {
	a := newApp(call.Games, call.Stdin, call.Stdout, call.Stderr)
	a.more, a.call = call.More, &call
	return a.run(ctx, call.Args, call.Stderr)
}

// workNote marks the verbs whose work comes apart.
const workNote = "trowel_work"

// AsWork says that a verb performs a work.
func AsWork(cmd *cobra.Command) {
	cmd.Annotations = map[string]string{workNote: "true"}
}

// execute runs the verb that the arguments name.
func (a *app) execute(ctx context.Context, root *cobra.Command) error {
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.talk.options = cmd.Flags()
		if a.needsSecond(cmd, args) {
			return a.startSecond("object storage")
		}
		cmd.Flags().Visit(func(*pflag.Flag) {}) // this sorts them, before parts of a work ask for them side by side
		if a.call != nil && a.call.Access != nil && a.elsewhere != nil {
			for _, root := range a.call.Access.Roots {
				a.elsewhere.Full(root) // its settings count for names without any
			}
		}
		if f := cmd.Flags().Lookup("resume"); f != nil && f.Changed && a.resume == "" {
			return errors.New("--resume: expected a folder")
		}
		for _, f := range a.formats {
			options := slices.Clip(f.Options)
			for _, c := range f.Conversions {
				options = append(options, c.Options...)
			}
			if err := a.mayUse(options, func(o *format.Option) string { return optionGiven(cmd, o.Name) }); err != nil {
				return err
			}
		}
		if err := a.swapped(cmd, args); err != nil {
			return err
		}
		return a.readInputs(cmd.Flags())
	}
	if a.call == nil {
		return root.ExecuteContext(ctx)
	}
	cmd, _, err := root.Find(a.args)
	if err != nil || cmd.Annotations[workNote] == "" {
		var verbs []string
		for _, c := range root.Commands() {
			if c.Annotations[workNote] != "" {
				verbs = append(verbs, c.Name())
			}
		}
		return hint(fmt.Errorf("%q is no work that comes apart", strings.Join(a.args[:min(1, len(a.args))], "")), "these are: %s", strings.Join(verbs, ", "))
	}
	if err := root.ExecuteContext(ctx); err != nil || a.performed {
		return err
	}
	return fmt.Errorf("no work is done with these words: %s", strings.Join(a.args, " "))
}

// perform does the work of a verb, or hands it on. What the verb has still to do is then to sum
// up what was taken.
func (a *app) perform(ctx context.Context, w work.Work) error {
	switch {
	case a.call == nil && a.resume == "":
		return w.Here(ctx)
	case a.call == nil:
		return a.resumed(ctx, w)
	case a.resume != "":
		return errors.New("--resume is for work in one process: results are kept anyway")
	}
	a.performed = true
	return a.call.Work(ctx, w)
}

// Perform does the work of a verb, which said [AsWork], or hands it on to where it is done. A verb
// has no more to do than to sum up what was taken, and returns the error.
func (t *Tool) Perform(ctx context.Context, w work.Work) error { return t.a.perform(ctx, w) }

// inParts reports whether the parts of a work are kept, so that one that failed can be done
// again.
func (a *app) inParts() bool { return a.call != nil || a.resume != "" }

// mayChange returns an error if files may not be changed in place.
func (a *app) mayChange() error {
	if a.call == nil || a.call.Access == nil || a.call.Access.Changes {
		return nil
	}
	return refusal("files are not to be changed in place from here")
}

// onlyWork returns an error about a command line that does no work which comes apart, of a verb
// that does with other words. It is asked before anything is done.
func (a *app) onlyWork(words string) error {
	if !a.inParts() {
		return nil
	}
	return fmt.Errorf("only with %s it is work that comes apart", words)
}

// written returns where that is written which the user calls name, if it is.
func (a *app) written(name string) string {
	if a.call == nil || a.call.Output == nil {
		return name
	}
	return a.call.Output(name)
}

// kept returns where the folder is that the user calls name, if what is there already counts.
func (a *app) kept(name string) (place string, is bool) {
	switch {
	case a.call == nil:
		return name, true
	case a.call.Kept == nil:
		return "", false
	}
	place = a.call.Kept(name)
	return place, place != ""
}

// mayRead returns an error about what may not be opened: a file, or a folder that has a way out.
// It is asked before anything is opened that the user named, or that was found in a folder.
func (a *app) mayRead(name string) error {
	if a.call == nil || a.call.Access == nil {
		return nil
	}
	if name == "-" {
		return errors.New("standard input cannot be read here: name a file")
	}
	if a.isElsewhere(name) {
		return a.call.Access.bucket(a.elsewhere.Full(name))
	}
	return a.call.Access.whole(name)
}

// mayLookAt is mayRead for a folder of files, of which each is asked for when its turn comes.
func (a *app) mayLookAt(name string) error {
	if a.call == nil || a.call.Access == nil || name == "-" {
		return nil
	}
	if a.isElsewhere(name) {
		return a.mayRead(name)
	}
	return a.call.Access.Inside(name)
}

// ErrRefused is wrapped by errors about what [Access] does not allow: doing it again does not help.
var ErrRefused = errors.New("not allowed here")

// refusal is an error that wraps ErrRefused, with words of its own.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) Unwrap() error   { return ErrRefused }

const errOutside = refusal("outside of the folders that may be read here")

// whole returns an error about a file that is not below a root, or a folder with a link in it
// that leads out of the roots.
func (x *Access) whole(name string) error { return x.wholeOf(name, make(map[string]bool)) }

func (x *Access) wholeOf(name string, seen map[string]bool) error {
	if err := x.Inside(name); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil || seen[real] {
		return nil // the verb says what is wrong
	}
	seen[real] = true
	return filepath.WalkDir(real, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Type()&os.ModeSymlink == 0 {
			return nil // what cannot be read is not
		}
		return x.wholeOf(path, seen)
	})
}

// Inside returns an error about a path that is not below a root when all links are followed.
func (x *Access) Inside(name string) error {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = resolved(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, errOutside) // nothing is told of what is there
	}
	for _, root := range x.Roots {
		if root, err = filepath.Abs(root); err != nil {
			continue
		}
		if root, err = filepath.EvalSymlinks(root); err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", name, errOutside)
}

// resolved is [filepath.EvalSymlinks] for paths of which the last parts may be missing.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, os.ErrNotExist) {
		return real, err
	}
	if _, e := os.Lstat(path); e == nil || filepath.Dir(path) == path {
		return "", err // a link to nothing: where it leads may come to be
	}
	above, err := resolved(filepath.Dir(path))
	return filepath.Join(above, filepath.Base(path)), err
}

// optionGiven returns the value of an option of a format that the user gave, or "".
func optionGiven(cmd *cobra.Command, name string) string {
	if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Annotations[optionNote] != nil {
		return flag.Value.String()
	}
	return ""
}

// mayUse returns an error about options of formats that may not be given here, or whose values
// may not be read.
func (a *app) mayUse(options []format.Option, value func(*format.Option) string) error {
	if a.call == nil || a.call.Access == nil {
		return nil
	}
	for _, o := range options {
		v := value(&o)
		switch {
		case v == "":
		case o.Input:
			for name := range strings.SplitSeq(v, "\n") {
				if err := a.mayRead(name); err != nil {
					return fmt.Errorf("--%s: %w", o.Name, err)
				}
			}
		case o.Remote && v == "true" && !a.call.Access.Remote:
			return fmt.Errorf("--%s: %w", o.Name, refusal("other machines are not to be called from here"))
		}
	}
	return nil
}

// catch runs the verb, and makes an error of a panic.
func (a *app) catch(ctx context.Context, root *cobra.Command) (err error) {
	if p := parallel.Catch(func() { err = a.execute(ctx, root) }); p != nil {
		err = defect(p)
	}
	return err
}
