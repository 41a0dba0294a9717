package format

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/values/merge3"
)

// Command is an operation on a file that the user requests as NAME ARGUMENT... --option value: a change for edit, or a
// query for find. A format declares its commands; help, completion and documentation are generated from these
// declarations.
type Command struct {
	Name    string // stable, such as "replace-image"
	Title   string // what it does, one line
	Heading string // heading of its group in help, such as "Tiles"
	Long    string // further explanation, "" if the title is enough

	// Args are the words after the name, in order. [Option.Needed] reports whether an argument must be given. Only
	// the last may be a List, which takes all remaining words.
	Args    []Option
	Options []Option
	Example string // name and arguments of a useful call

	// Adds is the kind of thing that an operation adds to a tree, such as "item", without removing anything: it is then also
	// available as "trowel new item". "" for all others.
	Adds string
	// Lists is the title of the table of all its hits when a query is called without arguments, such as "Items"; "" if
	// tools offer no such table.
	Lists string
	// About reports whether the only argument of a query can be the path of a part of the file, as in hits and
	// findings, so that tools can answer the query for the part that the user has chosen.
	About bool

	// Fields is the struct of the arguments and options, see [Declare].
	Fields reflect.Type
	// Do performs the command: a function of the type by which the format calls it.
	Do any
}

// Usage returns the syntax of a call, such as "replace-image IMAGE FILE".
func (c *Command) Usage() string {
	usage := c.Name
	for _, a := range c.Args {
		word := strings.ToUpper(a.Name)
		if a.List {
			word += "..."
		}
		if !a.Needed() {
			word = "[" + word + "]"
		}
		usage += " " + word
	}
	return usage
}

// Needed reports whether an argument must be given.
func (o *Option) Needed() bool {
	return o.Need == Required || o.Need != Optional && !o.List && o.Default == ""
}

// ErrCommand is wrapped by [CommandError].
var ErrCommand = errors.New("no such command")

// CommandError is the error of [ParseSteps] for an unknown command.
type CommandError struct{ Name string }

func (e *CommandError) Error() string { return ErrCommand.Error() + ": " + e.Name }

func (e *CommandError) Unwrap() error { return ErrCommand }

// WordError reports a wrong word in a command, with the valid words, so that a tool can suggest a similar one.
type WordError struct {
	Word  string
	Names []string // valid words, if they are names
	Text  string   // text of the error
}

func (e *WordError) Error() string { return e.Text }

// OptionError is the error of [ParseSteps] for an option that the command does not have.
type OptionError struct {
	Command *Command
	Name    string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: no option --%s", e.Command.Name, e.Name)
}

// Step is a command with the values of its arguments and options.
type Step struct {
	*Command
	// Job is the job of the run with the values of this step.
	Job *Job
}

// ParseSteps parses the words of a user: commands with their arguments and options, separated by the word "then".
// Inside a step, words after -- are not options.
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
			return nil, errors.New("expected the name of a command after then")
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
		return Step{}, &CommandError{words[0]}
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
		if name, ok := strings.CutPrefix(word, "--"); ok && !plain {
			name, value, has := strings.Cut(name, "=")
			o := find(c.Options, name)
			switch {
			case o == nil:
				return Step{}, &OptionError{c, name}
			case o.Type == Bool && !has:
				value = "true"
			case o.Type == Bool && value != "true" && value != "false":
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
			return Step{}, fmt.Errorf("%s: unexpected argument %q: %s", c.Name, word, c.Usage())
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
		if o.Needed() && !given[o.Name] {
			return Step{}, fmt.Errorf("%s: expected %s: %s", c.Name, strings.ToUpper(o.Name), c.Usage())
		}
	}
	for name := range values {
		if !given[name] && values[name] == "" {
			delete(values, name)
		}
	}
	own := *job
	own.Values = values
	return Step{c, &own}, nil
}

func find(list []Option, name string) *Option {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// Lack handles the error of a step. If the file lacks a name that the user gave, the tool decides by OnLack: Lack
// returns nil if another file has the name or if the user accepts its absence, and the step then changes nothing in
// this file. Lack returns all other errors unchanged.
func (j *Job) Lack(err error) error {
	missing := fault.NameErrors(err)
	if len(missing) == 0 || j.OnLack == nil {
		return err
	}
	for _, e := range missing {
		j.adviseQuotes(e)
		if e.Fixed || j.OnLack(e) != nil {
			return err
		}
	}
	return nil
}

// adviseQuotes adds advice if the missing name is a word of an existing name that was given as several arguments.
func (j *Job) adviseQuotes(e *fault.NameError) {
	for _, value := range j.Values {
		words := strings.Split(value, "\n")
		if len(words) < 2 || !slices.Contains(words, e.Name) || e.Advice != "" {
			continue
		}
		given := " " + strings.ToLower(strings.Join(words, " ")) + " "
		for _, name := range e.Names {
			low := strings.ToLower(name)
			if strings.Contains(low, " ") && strings.Contains(given, " "+low+" ") && slices.Contains(strings.Fields(low), strings.ToLower(e.Name)) {
				e.Advice = fmt.Sprintf("a name with spaces is one argument: '%s'", name)
				return
			}
		}
	}
}

// Editing describes how commands change the files of a format. The format runs all steps in one pass, so that a file
// is read and written once.
type Editing struct {
	Commands []*Command

	// Edit performs the steps in order, writes the changed file to out, and reports each change. With a nil out it
	// only reports the same changes. Unchanged parts stay byte-identical.
	Edit func(ctx context.Context, job *Job, src *Source, steps []Step, out Output, report func(check.Change) error) error

	// Tree is Edit for the tree form, so that content which only the tree has, such as comments, is kept; out becomes
	// a folder. Nil: a file is built from the tree, changed, and extracted again.
	Tree func(ctx context.Context, job *Job, fsys fs.FS, steps []Step, out Output, report func(check.Change) error) error

	// InPlace changes the file itself, after it has saved the data that it will change to a new file, the backup, from
	// which Repair.Restore restores it. If backup is "", InPlace chooses the name. It returns the name of the backup,
	// "" if nothing changed. Nil: the result of Edit replaces the file, and a copy of the file is the backup.
	InPlace func(ctx context.Context, job *Job, src *Source, steps []Step, backup string, report func(check.Change) error) (string, error)

	// Preview performs the steps and makes the result readable as a file of the format in the folder dir, which exists and
	// is empty, until the returned function is called or ctx ends. It changes nothing in the source. It calls report with
	// each change and the number of its step. Nil: only the result of Edit can be shown. Only formats of folders have it.
	Preview func(ctx context.Context, job *Job, src *Source, steps []Step, dir string,
		report func(step int, c check.Change) error) (end func() error, err error)

	// Ghost opens the picture of what a step places into a file, as if the step placed it at 0 of all axes. Nil, or a nil
	// scene: there is no picture of the step.
	Ghost func(ctx context.Context, job *Job, src *Source, step Step) (*Scene, error)

	// Resumes is set if Edit can resume, in an existing folder, where an earlier run with the same steps stopped.
	Resumes bool

	// Draw is the name of the command that draws cells into layers of a [Painting]. Its arguments are the column and the row
	// of the first cell, and rows of cells. "": there is none.
	Draw string
	// Move and Tint are the names of the commands that move and colour shapes of a [Shaping].
	Move, Tint string
	// Ready is the name of the command that makes a file ready to be published, "" if there is none. It reports bytes.
	Ready string
	// Texts are the files of the tree that can be changed as texts.
	Texts []EditableText

	Options []Option // options of all edits, in addition to those of the commands
}

// EditableText is a file of the tree whose lines a command replaces. Its arguments are the number of the first line, from 0, the
// number of lines that it replaces, and the new lines.
type EditableText struct {
	Path    string // of the file, which may be missing if the text is empty
	Title   string // for people
	Command string
	Options []string // given to Command
}

// Finder describes the queries that search the files of a format.
type Finder struct {
	Commands []*Command

	// Find calls hit with each match of the query, in the order of the file.
	Find func(ctx context.Context, job *Job, src *Source, query Step, hit func(Hit) error) error

	// Lacks returns a [fault.NameError], with the existing names, for each name in a query that the file does not
	// have. A tool calls it after a query without hits. Nil: names cannot be checked.
	Lacks func(ctx context.Context, job *Job, src *Source, query Step) error
}

// Hit is a match of a query. All hits of a query have the same fields.
type Hit struct {
	Path   string      // path of the part, as in findings
	At     check.Place // nil: the whole part
	Fields []InfoField // texts and numbers that describe it; those of type int64 are amounts that can be summed
	More   []InfoField // further texts and numbers, for JSON and tables; other hits may have others
	Icon   Icon
}

// Icon is a part of a picture, which need not be in the tree. The zero value is no icon.
type Icon struct {
	Path string // the file, for [Format.Scene]
	Rect Rect   // in units of its first view
}

// Merging describes how versions of a file are merged.
type Merging struct {
	// Merge writes the changes of both sides to base, merged by parts of the file and not by lines of text. The result
	// is always a complete file: where both sides changed a part differently, Merge uses the preferred side, and
	// returns a conflict. If one side changed nothing, the result is byte-identical to the other. With a nil out Merge
	// only reports.
	Merge func(ctx context.Context, job *Job, base, ours, theirs *Source, out Output, o merge3.Options) ([]check.Conflict, error)

	// Many merges any number of files without a common ancestor, in order of increasing priority. Nil: not supported.
	Many *MergingMany

	Options []Option // of Merge and Many
}

// MergingMany describes how many files are merged into one.
type MergingMany struct {
	Flag, Help string // option of the command, and its help: "mods", "make one mod of many"
	// Merge resolves conflicts by winner, the value of --prefer, whose meaning the format defines.
	Merge func(ctx context.Context, job *Job, files []*Source, out Output, winner string, report MergeReport) ([]check.Conflict, error)
}

// MergeReport receives what a merge of many files did.
type MergeReport struct {
	Took func(check.Change) error // each change
	File func(MergedFile)         // each part of which several files have different versions
}

// MergedFile is a part of which several of the merged files have different versions.
type MergedFile struct {
	Path string      `json:"path"`
	Uses []MergedUse `json:"uses"` // in the order of priority, the highest last
}

// MergedUse is the use of one file's version of a part.
type MergedUse struct {
	File string `json:"file"`
	Use  string `json:"use"` // "used", "merged", "overridden", "identical", "removed" or "removes"
}
