package format

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
)

// Command is something that a person asks of a file in words, NAME ARGUMENT... --option value:
// a change for edit, a query for find. A format declares its commands; help, completion and
// the page about them are made of the declarations.
type Command struct {
	Name    string // stable, such as "replace-image"
	Title   string // what it does, one line
	Heading string // of the commands that it stands with in help, such as "Tiles"
	Long    string // what else there is to know, if the title does not say all

	// Args are the words behind the name, in order. One with a Default, or that is a List but
	// not Some, may be left out; only the last may be a List, which takes all words that are left.
	Args    []Option
	Options []Option
	Example string // name and arguments of a call that makes sense
}

// Usage returns how it is called: replace-image IMAGE FILE.
func (c *Command) Usage() string {
	usage := c.Name
	for _, a := range c.Args {
		word := strings.ToUpper(a.Name)
		if a.List {
			word += "..."
		}
		if !a.needed() {
			word = "[" + word + "]"
		}
		usage += " " + word
	}
	return usage
}

func (o *Option) needed() bool { return o.Some || !o.List && o.Default == "" }

// ErrCommand is the cause of the errors of [ParseSteps] about a command that nobody knows.
var ErrCommand = errors.New("no such command")

// WordError is the error of a wrong word in a command, where a similar one may be meant.
type WordError struct {
	Word  string
	Names []string // the words that are right, as far as there are names for them
	Text  string   // of the error
}

func (e *WordError) Error() string { return e.Text }

// OptionError is the error of [ParseSteps] about an option that a command lacks.
type OptionError struct {
	Command *Command
	Name    string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: no option --%s", e.Command.Name, e.Name)
}

// Step is a command with its values.
type Step struct {
	*Command
	// Job is that of the run, with the values of the step.
	Job *Job
}

// ParseSteps reads what a person asked for: commands with their words, and between two of them
// the word then. Inside a step the word -- says that what follows are no options.
func ParseSteps(job *Job, commands []*Command, words []string) ([]Step, error) {
	var steps []Step
	for len(words) > 0 || len(steps) == 0 {
		end := 0
		for end < len(words) && words[end] != "then" {
			end++
		}
		if end == 0 {
			return nil, errors.New("expected the name of a command")
		}
		step, err := parseStep(job, commands, words[:end])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
		if end == len(words) {
			break
		}
		words = words[end+1:]
		if len(words) == 0 {
			return nil, errors.New("expected the name of a command behind then")
		}
	}
	return steps, nil
}

func parseStep(job *Job, commands []*Command, words []string) (Step, error) {
	var c *Command
	for _, known := range commands {
		if known.Name == words[0] {
			c = known
		}
	}
	if c == nil {
		return Step{}, fmt.Errorf("%w: %s", ErrCommand, words[0])
	}
	values := make(map[string]string)
	for _, o := range append(c.Args[:len(c.Args):len(c.Args)], c.Options...) {
		values[o.Name] = o.Default
	}
	given := make(map[string]bool)
	set := func(o *Option, value string) error {
		if err := o.Check(value); err != nil {
			return err
		}
		if o.List && given[o.Name] {
			value = values[o.Name] + "\n" + value
		}
		values[o.Name], given[o.Name] = value, true
		return nil
	}
	args, plain := 0, false
	for i := 1; i < len(words); i++ {
		word := words[i]
		if word == "--" && !plain {
			plain = true
			continue
		}
		if name, is := strings.CutPrefix(word, "--"); is && !plain {
			name, value, has := strings.Cut(name, "=")
			o := find(c.Options, name)
			switch {
			case o == nil:
				return Step{}, &OptionError{c, name}
			case o.Bool && !has:
				value = "true"
			case o.Bool && value != "true" && value != "false":
				return Step{}, fmt.Errorf("%s: --%s: expected true or false, not %q", c.Name, name, value)
			case !has && i+1 == len(words):
				return Step{}, fmt.Errorf("%s: --%s needs a value", c.Name, name)
			case !has:
				i++
				value = words[i]
			}
			if err := set(o, value); err != nil {
				return Step{}, fmt.Errorf("%s: --%s: %w", c.Name, name, err)
			}
			continue
		}
		if args == len(c.Args) {
			return Step{}, fmt.Errorf("%s: %q is one word too many: %s", c.Name, word, c.Usage())
		}
		o := &c.Args[args]
		if err := set(o, word); err != nil {
			return Step{}, fmt.Errorf("%s: %s: %w", c.Name, strings.ToUpper(o.Name), err)
		}
		if !o.List {
			args++
		}
	}
	for _, o := range c.Args {
		if o.needed() && !given[o.Name] {
			return Step{}, fmt.Errorf("%s: expected %s: %s", c.Name, strings.ToUpper(o.Name), c.Usage())
		}
	}
	for name := range values {
		if !given[name] && values[name] == "" {
			delete(values, name)
		}
	}
	its := *job
	its.Values = values
	return Step{c, &its}, nil
}

func find(list []Option, name string) *Option {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// Lack receives the error of a step. If the file lacks what the user named, the tool decides: nil
// means that another file has it, or that the user accepts it, and that the step changes nothing in this
// file. All other errors are returned.
func (j *Job) Lack(err error) error {
	missing := fault.NameErrors(err)
	if len(missing) == 0 || j.OnLack == nil {
		return err
	}
	for _, e := range missing {
		if e.Fixed || j.OnLack(e) != nil {
			return err
		}
	}
	return nil
}

// Declared returns the commands of a table, whose rows have one each and what does it.
func Declared[Row any](table []Row, of func(*Row) *Command) []*Command {
	commands := make([]*Command, len(table))
	for i := range table {
		commands[i] = of(&table[i])
	}
	return commands
}

// Editing is how the files of a format are changed by commands. A tool declares with each
// command a function that does it; the format takes the steps through them in one go, so that
// a file is read and written once.
type Editing struct {
	Commands []*Command

	// Edit takes the steps one after the other and writes the changed file to out. It tells
	// of each change. With a nil out it only tells what it would do, the very same. What was
	// not changed is as it was, byte for byte.
	Edit func(ctx context.Context, job *Job, src *Source, steps []Step, out Output, report func(check.Change) error) error

	// Tree is Edit for the tree form, so that what only that has, such as comments, stays; out
	// becomes a folder. Nil: a file is built of the tree, changed, and taken apart.
	Tree func(ctx context.Context, job *Job, fsys fs.FS, steps []Step, out Output, report func(check.Change) error) error

	// InPlace changes the file itself, once what it will change is in a new file, the backup,
	// from which Repair.Restore puts it back; "" lets it choose the name. It returns that name,
	// "" if nothing changed. Nil: the file is replaced by what Edit makes of it, and a copy of
	// it is the backup.
	InPlace func(ctx context.Context, job *Job, src *Source, steps []Step, backup string, report func(check.Change) error) (string, error)

	// Resumes says that Edit goes on where an earlier run with the same steps stopped, in a
	// folder that is there already.
	Resumes bool

	Options []Option // of all edits, beside those of the commands
}

// Finder is how things are found in the files of a format by queries.
type Finder struct {
	Commands []*Command

	// Find calls hit with each thing that a query asks for, in the order of the file.
	Find func(ctx context.Context, job *Job, src *Source, query Step, hit func(Hit) error) error

	// Lacks returns a [fault.NameError] for each name in a query that the file does not have, with
	// existing names. A tool calls it after a query that found nothing. Nil: names are not known.
	Lacks func(ctx context.Context, job *Job, src *Source, query Step) error
}

// Hit is something that was found. All hits of a query have the same fields.
type Hit struct {
	Path   string      // of the part, as in findings
	At     check.Place // nil: the whole part
	Fields []InfoField // what there is to know of it: texts and numbers; those of type int64 are amounts, which can be summed up
}

// Merging is how versions of a file are brought together.
type Merging struct {
	// Merge writes what both sides made of base, by what parts are and not by lines of text.
	// It always writes a whole file: where both changed one thing in different ways it takes
	// that of the side that Job.Prefer names, of ours if it names none, and tells of the
	// conflict. A side that changed nothing gives the other, byte for byte. With a nil out it
	// only tells.
	Merge func(ctx context.Context, job *Job, base, ours, theirs *Source, out Output, told MergeReport) error

	// Many makes one file of any number that do not come from one another, in rising
	// priority. Nil: there is no such thing.
	Many *MergingMany

	Options []Option // of Merge and Many
}

// MergingMany is how many files become one.
type MergingMany struct {
	Flag, Help string // of the verb: "mods", "make one mod of many"
	Merge      func(ctx context.Context, job *Job, files []*Source, out Output, told MergeReport) error
}

// MergeReport hears what a merge did.
type MergeReport struct {
	Conflict func(check.Conflict) error
	Took     func(check.Change) error // what was taken from a side, beside all that is in ours
}
