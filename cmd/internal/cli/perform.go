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

	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Call is a run of the tool that hands over the work of its verb instead of doing it.
type Call struct {
	Games          format.Games
	More           []Verbs  // verbs of the program, as for [Main]
	Args           []string // the verb and its arguments
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Work receives the work of the verb, once. When Work returns nil, the verb prints the summary of the
	// records taken, as if it had done the work itself. If Work returns [ErrPart], the verb prints nothing.
	Work func(ctx context.Context, w work.Work) error

	Program string // identifies the program for which a part is done; "" is this program

	Failed func(error) // receives the error of a failed verb; may be nil

	Part *work.Part // the part that Work does, so that only its files are read; nil: no part or several

	Access *Access // nil: no restrictions

	// Output returns the path to write instead of the user's output name (-o and similar options). nil: there
	// is no output, as for a run that only does parts.
	Output func(name string) string

	// Kept returns the path of an output folder that is updated: the folder may exist before the work and
	// remains afterwards. If Kept is nil or returns "", the output starts empty and goes to Output.
	Kept func(name string) string
}

// ErrPart is returned by [Call.Work] when it has done only a part of the work or only recorded the parts. The
// verb then prints nothing, and the exit code is 0.
var ErrPart = errors.New("a part of the work was done")

// Access limits a run on behalf of another user.
type Access struct {
	Roots   []string // folders, and [Elsewhere] names with settings; nothing outside can be opened, not even through links
	Remote  bool     // allows connections to other machines
	Changes bool     // allows changes in place
}

// Perform runs the tool up to the work of a verb and returns its exit code. It returns an error code for verbs
// whose work cannot be split and for command lines that do no work, such as a request for help.
func Perform(ctx context.Context, call Call) int {
	a := newApp(call.Games, call.Stdin, call.Stdout, call.Stderr)
	a.more, a.call = call.More, &call
	return a.run(ctx, call.Args, call.Stderr)
}

// workNote is the annotation of verbs whose work can be split.
const workNote = "trowel_work"

// AsWork marks a verb whose work can be split.
func AsWork(cmd *cobra.Command) {
	cmd.Annotations = map[string]string{workNote: "true"}
}

// execute runs the verb that the arguments name.
func (a *app) execute(ctx context.Context, root *cobra.Command) error {
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.talk.Has = func(letter string) bool { return cmd.Flags().ShorthandLookup(letter) != nil }
		if a.needsSecond(cmd, args) {
			return a.startSecond("object storage")
		}
		cmd.Flags().Visit(func(*pflag.Flag) {}) // sorts the flags before parts of the work read them concurrently
		if a.call != nil && a.call.Access != nil && a.elsewhere != nil {
			for _, root := range a.call.Access.Roots {
				a.elsewhere.Full(root) // its settings apply to names without settings
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
		return wording.Hint(fmt.Errorf("%q is no work that comes apart", strings.Join(a.args[:min(1, len(a.args))], "")), "these are: %s", strings.Join(verbs, ", "))
	}
	if err := root.ExecuteContext(ctx); err != nil || a.performed {
		return err
	}
	return fmt.Errorf("no work is done with these words: %s", strings.Join(a.args, " "))
}

// perform does the work of a verb or hands it over. Afterwards, the verb only prints a summary of the records
// taken.
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

// Perform does the work of a verb marked by [AsWork] or hands it over. Afterwards, the verb only prints a
// summary of the records taken and returns the error.
func (t *Tool) Perform(ctx context.Context, w work.Work) error { return t.a.perform(ctx, w) }

// inParts reports whether the results of parts are kept, so that a failed part can be retried.
func (a *app) inParts() bool { return a.call != nil || a.resume != "" }

// mayChange returns an error if changes in place are not allowed.
func (a *app) mayChange() error {
	if a.call == nil || a.call.Access == nil || a.call.Access.Changes {
		return nil
	}
	return refusal("files are not to be changed in place from here")
}

// onlyWork returns an error about a command line without work that can be split, for a verb that has such work
// with other arguments. It is called before anything is done.
func (a *app) onlyWork(words string) error {
	if !a.inParts() {
		return nil
	}
	return fmt.Errorf("only with %s it is work that comes apart", words)
}

// written returns the path to write for an output name, or "" if there is no output.
func (a *app) written(name string) string {
	if a.call == nil || a.call.Output == nil {
		return name
	}
	return a.call.Output(name)
}

// kept returns the path of an output folder whose existing content is used.
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

// mayRead returns an error about a file that may not be opened, or a folder with links out of the roots. It is
// called before any file is opened that the user named or that was found in a folder.
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

// mayLookAt is mayRead for a folder whose files are checked one by one later.
func (a *app) mayLookAt(name string) error {
	if a.call == nil || a.call.Access == nil || name == "-" {
		return nil
	}
	if a.isElsewhere(name) {
		return a.mayRead(name)
	}
	return a.call.Access.Inside(name)
}

// ErrRefused is wrapped by errors about operations that [Access] does not allow. Retrying does not help.
var ErrRefused = errors.New("not allowed here")

// refusal is an error with its own message that wraps ErrRefused.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) Unwrap() error   { return ErrRefused }

const errOutside = refusal("outside of the folders that may be read here")

// whole returns an error about a file outside of the roots, or a folder with a link that leads out of the
// roots.
func (x *Access) whole(name string) error { return x.wholeOf(name, make(map[string]bool)) }

func (x *Access) wholeOf(name string, seen map[string]bool) error {
	if err := x.Inside(name); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil || seen[real] {
		return nil // the verb reports the error
	}
	seen[real] = true
	return filepath.WalkDir(real, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Type()&os.ModeSymlink == 0 {
			return nil // unreadable folders are not read
		}
		return x.wholeOf(path, seen)
	})
}

// Inside returns an error about a path that is outside of the roots after all links are resolved.
func (x *Access) Inside(name string) error {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = resolved(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, errOutside) // the error reveals nothing about the target
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

// resolved is [filepath.EvalSymlinks] for paths whose last elements may be missing.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, os.ErrNotExist) {
		return real, err
	}
	if _, e := os.Lstat(path); e == nil || filepath.Dir(path) == path {
		return "", err // a dangling link: its target may be created later
	}
	above, err := resolved(filepath.Dir(path))
	return filepath.Join(above, filepath.Base(path)), err
}

// optionGiven returns the value of a format's option that the user gave, or "".
func optionGiven(cmd *cobra.Command, name string) string {
	if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Annotations[optionNote] != nil {
		return flag.Value.String()
	}
	return ""
}

// mayUse returns an error about options of formats that are not allowed here, or whose values are files that
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

// catch runs the verb and converts a panic into an error.
func (a *app) catch(ctx context.Context, root *cobra.Command) (err error) {
	if p := parallel.Catch(func() { err = a.execute(ctx, root) }); p != nil {
		err = defect(p)
	}
	return err
}
