// Package format defines how games declare their file formats: the name of a format, how to recognize a file, open it
// as a tree of ordinary files, build it from such a tree, check it and describe it.
//
// The package contains no code for a particular game. Each game has a package that declares its formats as a [Game],
// and the commands work on the games that they are given.
//
// [Piece] compares an extracted part of a file with the current file: it determines which changes go back into the file, and
// which conflict with changes of the file.
//
// [Check] checks complete files: findings of the format, unreadable parts, and failures to open the file are all findings.
package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

// Format describes a kind of game file. The embedded structs hold fields that belong together.
type Format struct {
	Name   string // stable, such as "teeworlds-map"
	Title  string // for people, such as "Teeworlds/DDNet map"
	Common bool   // other tools can show and compare these files: texts, pictures, sounds
	Doc    string // path of the page that describes it, from the project's root

	Recognition
	Building
	Comparison
	Protection

	// Open opens a source. It must be quick on a source of any size.
	Open func(context.Context, *Job, *Source) (File, error)

	// Dump reads a source and reports each of its fields, or each field of the file path inside it, up to the first
	// field that cannot be read.
	Dump func(ctx context.Context, job *Job, src *Source, path string, t trace.Tracer) error

	Repair *Repair // nil: repair is not supported

	// Scene opens the drawable view of a file. The path is "" for the file itself; otherwise it names a file of its
	// tree for which HasScene reports true. Scene is quick: it reads only what the bounds of the views require. If
	// there is nothing to draw, it returns [ErrUnseen]. Nil: nothing can be drawn.
	Scene func(ctx context.Context, job *Job, src *Source, path string) (*Scene, error)

	// HasScene reports whether the file at a path in the tree can be drawn; "" is the file itself. Nil: only the file
	// itself can.
	HasScene func(path string) bool

	// Names calls add with the names of all things of a kind in a file, such as its layers; the kinds are those of
	// [Option.Names]. A tool offers these names while the user types, so Names calls add as soon as it has read a name,
	// and ends when the context does. Nil: names are not offered.
	Names func(ctx context.Context, job *Job, src *Source, kind string, add func(name string)) error

	Editing *Editing // nil: no edit commands
	Finder  *Finder  // nil: no queries
	Merging *Merging // nil: two versions cannot be merged
	Backups *Backups // nil: no backups

	Authoring *Authoring // nil: an editor gets only the findings of Check

	Sharding  *Sharding  // nil: the work cannot be split
	Rewriting *Rewriting // nil: conversion makes a new file only
	Census    *Census    // nil: no tables

	Conversions []Conversion  // to other formats
	Kinds       []*check.Kind // kinds of findings that Check can report
	Options     []Option      // of Open and Build
}

// Recognition describes how to find the format of a file.
type Recognition struct {
	Extensions []string // with the dot, the usual one first
	Folder     bool     // the game stores it as a folder, not as a file
	Stored     bool     // it can be a [Source.Store] as well as a folder

	// Recognize reports whether the content of a source is of this format. Name and extension are checked only if no
	// format recognizes the content.
	Recognize func(*Source) bool

	// PartOf returns the name of the main file that a file with the given name belongs to, such as the archive of a
	// list, and whether there is one. If both files exist in a folder, they count as one file under the main name.
	// Nil: every file is independent.
	PartOf func(name string) (whole string, ok bool)
}

// Building describes the tree form of a format, and how to build a game file from it.
type Building struct {
	// RecognizeTree reports whether a folder is the tree form of this format.
	RecognizeTree func(fs.FS) bool

	Takes string // what a folder must contain to be built into such a file; "" if that has no short description

	// FileName returns the name, without extension, that a tree form specifies for the built file; "" if it specifies
	// none. Nil: no tree form does.
	FileName func(fs.FS) string

	// Build builds the game file from its tree form. Nil: building is not supported.
	Build func(context.Context, *Job, fs.FS, Output) error

	// New makes the tree form of a small new file that the game loads. Its name is the kind of the file, such as "mod", its
	// only argument the name of the file; Do is a [NewTree]. Nil: a new file begins as a copy of another one.
	New *Command

	// CheckTree reports problems of a tree form that can no longer be detected in the file that Build makes. Nil:
	// there are none.
	CheckTree func(context.Context, *Job, fs.FS, check.Sink) error
}

// NewTree is [Command.Do] of [Building.New].
type NewTree func(*Job) (fs.FS, error)

// Comparison describes how to compare two files of a format.
type Comparison struct {
	// Compare calls change with each difference between two files, as data for JSON, and returns a description for
	// people, line by line. A difference may be a [fmt.Stringer], which describes this difference, and a [Placer].
	// Nil, or if Compare returns [ErrByTrees]: the trees of the files are compared file by file.
	Compare func(ctx context.Context, job *Job, old, new Side, change func(any) error) ([]string, error)

	// Decides calls change with each difference between two files that affects gameplay, which is more than how it looks. Nil:
	// the format does not distinguish these.
	Decides func(ctx context.Context, job *Job, old, new Side, change func(check.Change) error) error

	// Actors reads, in the file src as it is now, who made differences that Compare found, from the moment since on and before
	// the moment until. It calls did for each recorded action, with the number of the difference, the name of who did
	// it, and whether that is only likely. Nil: files do not record it.
	Actors func(ctx context.Context, job *Job, src *Source, differences []any, since, until time.Time,
		did func(difference int, by string, likely bool)) error

	// Gather gathers differences that Compare found into larger ones, such as all blocks of a house: of has for each difference the
	// index of the larger one, or -1. Nil: differences are not gathered.
	Gather func(differences []any) (larger []any, of []int)

	// CompareTo is the name of another format that Compare accepts for either file; "" if there is none.
	CompareTo string
}

// Protection describes what must be kept of existing files that an output replaces, and what others may see of a file.
type Protection struct {
	// Replaces returns an error if the output must not replace old, a file or folder of this format that the user
	// allowed to be replaced: for example because old contains more than the output, or because a program may have it
	// open. The tree is the one being built; it is nil for a conversion or a repaired copy. Replaces is called before
	// the work begins and again when it is done. Nil: no objections. In any case only a file of the same kind is
	// replaced, and never an input (internal/files/output).
	Replaces func(ctx context.Context, job *Job, old *Source, tree fs.FS) error

	// Shown returns the paths of the files, in a folder of this format, from which pictures, manifests and other
	// single files are made, so that these get the same access rights. Nil: the source itself.
	Shown func(src *Source) []string

	// Publish copies what everybody may see of a folder of this format, such as a world without its accounts, to the
	// folder dir, which exists and is empty. It reports with [Job.Done] what it left out. Nil: the folder must not be
	// published.
	Publish func(ctx context.Context, job *Job, src *Source, dir string) error

	// Mask replaces the passwords in the content of a file of the tree, for readers other than the owner. It may
	// return content itself. Nil: the format has no passwords.
	Mask func(path string, content []byte) []byte
}

// File is an open game file. It keeps no reference to the job that opened it: each call gets its own job.
type File interface {
	// Tree returns the contents of the file as a tree. Listing the tree reads no file contents. Large folders return
	// their entries page by page, through [fs.ReadDirFile].
	Tree(context.Context, *Job) (fs.FS, error)
	// Info describes the file. It reads only what the description requires.
	Info(context.Context, *Job) (Info, error)
	// Check reports every problem in the file.
	Check(context.Context, *Job, check.Sink) error
	io.Closer
}

// Side is one of two files to be compared, as a file or in its tree form.
type Side struct {
	*Source        // nil if Tree is set
	Tree    fs.FS  // nil unless the side is a tree
	Folder  string // the user's name for the tree, for messages
}

// Conversion describes how to convert a file of one format into another format.
type Conversion struct {
	To        string                   // name of the target, such as "teeworlds-map-0.7"
	Title     string                   // what it makes, in one line
	Extension string                   // usual extension of the result, with the dot
	Rename    func(name string) string // returns the usual name of the result; nil if the user must give one
	Options   []Option
	Verb      string // name of a command that runs only this conversion, such as "manifest"; "" if there is none
	Did       string // what this command reports when it is done, such as "restored"
	Long      string // additional help of this command
	Example   string // example in the help of this command
	Usual     bool   // the default conversion
	Folder    bool   // the result is a folder of ordinary files
	Resumes   bool   // resumes in an existing folder where an earlier run stopped
	Convert   func(context.Context, *Job, *Source, Output) error

	// Tree converts a folder in tree form, which is not built, because it cannot be or because the result is such a
	// folder. Convert is nil then.
	Tree func(context.Context, *Job, fs.FS, Output) error

	// Into is the name of the command of the target's [Editing] that puts parts of the file into an existing file: its
	// argument is the name of the file. The command of Verb performs it in place. "": there is none.
	Into string
	// Plan writes what the command of Into would change as a plan, for a program that has the existing file open. Nil:
	// there is no such program.
	Plan *Plan

	// Pieces and Join do the work of Convert in two steps, for a file that can be split. Pieces calls put with what
	// the result needs from the shard of the job. Join makes the result; all calls put with the pieces of all shards,
	// in any order. A piece has a few KiB, and put may keep it. Nil: only Convert is supported.
	Pieces func(ctx context.Context, job *Job, src *Source, put func(piece []byte) error) error
	Join   func(ctx context.Context, job *Job, out Output, all func(put func(piece []byte) error) error) error
}

// Plan describes the files from which a running program makes a change, see [Conversion].
type Plan struct {
	Name string // the usual name, in the folder of the existing file
	Help string // describes plans in the help of the command
	// Asks is the folder of the existing file in which the program that has it open asks for plans, and gets the answers (see
	// trowel guard). "": it asks for none.
	Asks string
	// Write writes the plan of a change of the existing file, which it only reads. The job has the options of the command
	// of Into.
	Write func(ctx context.Context, job *Job, src, existing *Source, out Output) error
}

// Repair repairs damaged files. Problems, repairs and losses are reported to a sink.
type Repair struct {
	// Plan reports what a repair would do, and changes nothing.
	Plan func(context.Context, *Job, *Source, check.Sink) error
	// Copy writes a repaired copy.
	Copy func(context.Context, *Job, *Source, Output, check.Sink) error
	// InPlace repairs the file itself, after it has saved the original content to a new file, the backup. If backup is
	// "", InPlace chooses the name. It returns the name of the backup, "" if nothing was changed. Nil: as for
	// [Editing.InPlace].
	InPlace func(ctx context.Context, job *Job, src *Source, backup string, sink check.Sink) (string, error)
	// Restore undoes the changes of InPlace.
	Restore func(ctx context.Context, job *Job, src *Source, backup string) error
	// Before makes a file, which is a folder, readable in the folder dir as it was before the changes in place that left
	// some backups, the newest first, until the returned function is called or ctx ends. dir exists and is empty. Before
	// returns messages about what the folder lacks. Nil: the backup of a change is the file as it was.
	Before  func(ctx context.Context, src *Source, backups []string, dir string) (end func() error, notes []string, err error)
	Options []Option
}

// Option is an option of a format: --name value.
type Option struct {
	Name    string
	Help    string                   // text in `backquotes` is the name of the value
	Type    Type                     // type of the value; other values never reach a job
	List    bool                     // may be given several times, see [Option.Values]
	Need    Need                     // for an argument: whether it must be given
	Default string                   // "" for a Bool that is off by default
	Choices []string                 // allowed values of a Text; nil: any
	Parse   func(value string) error // returns an error for an invalid value, after the check of its type; nil: no further check
	Names   string                   // the kind of the things that the value may name, also of files: see [Format.Names] and [Job.Lack]
	For     Use                      // uses of the option; 0 for all

	Access
	Drawing
}

// Access describes what an option refers to outside of the file, and what it shows.
type Access struct {
	Input  bool // the value is the path of an input
	Output bool // for a command: the value is the path of an additional output
	Server bool // the value is the address of a server
	Remote bool // allows connections to other machines
	Secret bool // shows data that only the owner should see
}

// Drawing describes an option of a [Scene] on a page, and the views that it affects.
type Drawing struct {
	Title  string   // name on a page; "": the name of the option
	Chosen bool     // a page offers only the values that [Scene.Choices] returns
	View   string   // the view that a [Scene] may have only with this option; "": none
	Views  []string // the views that the option affects, in addition to View; nil: all, unless there is a View
}

// Need determines whether an argument must be given. By default it must be unless it is a List or has a Default.
type Need uint8

// The exceptions from the default.
const (
	Required Need = iota + 1 // for a List: at least one value must be given
	Optional
)

// Use is a set of capabilities of a format that an option applies to.
type Use uint8

// The capabilities that an option can apply to.
const (
	ForTree    Use = 1 << iota // [File.Tree]
	ForBuild                   // [Format.Build]
	ForCheck                   // [File.Check]
	ForScene                   // [Format.Scene]
	ForTiles                   // [Format.Scene] for a pyramid of tiles, see [Since]
	ForCensus                  // [Census.Before]
	ForRows                    // [Census.Rows]
	ForCompare                 // [Format.Compare]
)

// Job returns a job in which all options, and more of a capability, have their defaults.
func (f *Format) Job(more ...Option) *Job {
	values := make(map[string]string)
	for _, o := range slices.Concat(f.Options, more) {
		values[o.Name] = o.Default
	}
	return &Job{Values: values}
}

// OptionsFor returns the options for the given capabilities, including those for all.
func (f *Format) OptionsFor(use Use) []Option {
	return slices.DeleteFunc(slices.Clone(f.Options), func(o Option) bool { return o.For != 0 && o.For&use == 0 })
}

// IsRepository reports whether files of this format are repositories of backups of others.
func (f *Format) IsRepository() bool { return f.Backups != nil && f.Build == nil }

// Shows reports whether the file at a path in the tree of a file of this format can be drawn; "" is the file itself.
func (f *Format) Shows(path string) bool {
	if f.Scene == nil || f.HasScene == nil {
		return f.Scene != nil && path == ""
	}
	return f.HasScene(path)
}

// Info describes a file by fields in display order.
type Info struct {
	Format string
	Fields []InfoField
}

// InfoField is one fact. Value is a string, an integer, a bool, a []string, or a []InfoField for a fact with parts.
type InfoField struct {
	Key   string // stable, in lower camel case: the key in JSON
	Label string // for people; "": the key
	Value any
}

// Fact returns an [InfoField].
func Fact(key, label string, value any) InfoField { return InfoField{key, label, value} }

// Add adds a fact.
func (i *Info) Add(key, label string, value any) {
	i.Fields = append(i.Fields, Fact(key, label, value))
}

// Output receives what Build makes. Nothing is visible until all of it has succeeded.
type Output interface {
	// Create starts the file itself, for suffix "", or a companion file named with the suffix, such as ".MAN".
	Create(suffix string) (Part, error)
	// Dir makes the output a folder and returns its path, for formats that are folders and for databases, which need
	// real paths.
	Dir() (string, error)
	// KeptDir makes the output a folder that has its final name from the start and is kept if the run fails: for work
	// that can be resumed, and that marks the folder as unfinished.
	KeptDir() (string, error)
}

// Part is a file that is being written: either from front to end, or at any offset for formats that revise earlier
// bytes, but not both. Part is an alias, so that implementations need not import this package.
type Part = interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
}

// Job holds the options of a run and the functions that receive its reports. The zero value has no options and
// discards reports.
type Job struct {
	Values map[string]string // values of options by name

	Reports
	Target

	// KeepGoing is set if the user accepts a result without the unreadable parts and without those reported by
	// [Job.Lose]. Commands that write files enforce this themselves; a format checks KeepGoing only where its result
	// is visible before it is complete.
	KeepGoing bool

	// Shard is the part of the file to process. It applies to [File.Check], [Finder.Find], [Census.Rows], and to
	// conversions whose format supports it.
	Shard Shard

	// Part is the value that [View.Part] returned for the only part of a picture that will be drawn; nil if any
	// part may be drawn.
	Part []byte

	// Source is the file that a command changes, through which neighbouring files are found; nil if there is none.
	Source *Source

	// OnOpen opens a file or folder that the user named, in the file system or elsewhere; see [Job.Open].
	OnOpen func(ctx context.Context, name string) (*Source, error)
}

// Reports are the functions that receive the reports of a job. Each may be nil.
type Reports struct {
	OnWarn     func(path, message string)      // receives warnings
	OnDone     func(message string)            // receives reports of completed actions
	OnMiss     func(path, message string)      // receives reports of data that is missing or unreadable
	OnLose     func(path string)               // called before OnMiss if the loss comes from a damaged file
	OnProgress func(what string, done, of int) // receives the progress of long operations
	OnLack     func(*fault.NameError) error    // the file lacks a name that the user gave; see [Job.Lack]
}

// Target describes how the built file or the tree is used.
type Target struct {
	// Checking is set if the result of Build will only be checked, after CheckTree has reported the problems of each
	// file of the tree. Build then skips parts that it cannot make, and Check reports problems of the whole.
	Checking bool

	// Temporary is set if the result of Build or [Editing.Edit] is used in this run only. Build must then write to its Output
	// only, even if the tree specifies other places, and Edit may compress the result less.
	Temporary bool

	// OnlyChanged is set if [Editing.Tree] must write only the files that it adds or changes: its output is merged into the
	// folder of the tree.
	OnlyChanged bool

	// Keeping is set if the tree is written as a whole, with its sidecar: the other files then need not repeat what
	// the sidecar keeps.
	Keeping bool

	// Over is the folder that the tree is written over, nil if there is none: files that are in both keep the names
	// that they have there.
	Over fs.FS
}

// Open opens a file or folder that the user named as an input, also one outside of the file system.
func (j *Job) Open(ctx context.Context, name string) (*Source, error) {
	if j == nil || j.OnOpen == nil {
		return OpenSource(name)
	}
	return j.OnOpen(ctx, name)
}

// Value returns the value of an option. A nil job has no options, and its reports reach nobody.
func (j *Job) Value(name string) string {
	if j == nil {
		return ""
	}
	return j.Values[name]
}

// Warn reports a warning about the file or tree at path to the user.
func (j *Job) Warn(path, format string, args ...any) {
	if j != nil && j.OnWarn != nil {
		j.OnWarn(path, oneLine(format, args...))
	}
}

// oneLine is fmt.Sprintf for a message. An error that joins several has a line for each of them.
func oneLine(format string, args ...any) string {
	return words.OneLine(fmt.Sprintf(format, args...))
}

// Done reports a completed action to the user.
func (j *Job) Done(format string, args ...any) {
	if j != nil && j.OnDone != nil {
		j.OnDone(fmt.Sprintf(format, args...))
	}
}

// Miss reports to the user that data of the file or tree at path is missing or unreadable, so that the result is
// incomplete. Each loss is reported once. A command with losses does not end with success.
func (j *Job) Miss(path, format string, args ...any) {
	if j != nil && j.OnMiss != nil {
		j.OnMiss(path, oneLine(format, args...))
	}
}

// Lose is Miss for data of a damaged file: a command that writes the file refuses to do so unless the user accepts the
// loss.
func (j *Job) Lose(path, format string, args ...any) {
	if j != nil && j.OnLose != nil {
		j.OnLose(path)
	}
	j.Miss(path, format, args...)
}

// Report reports the progress of a long operation to the user.
func (j *Job) Report(what string, done, of int) {
	if j != nil && j.OnProgress != nil {
		j.OnProgress(what, done, of)
	}
}

// Inside returns a tracer for the fields of the file path inside another file. It prefixes their spaces with path.
func Inside(path string, t trace.Tracer) trace.Tracer {
	return func(f trace.Field) {
		f.Space = strings.TrimSuffix(path+"."+f.Space, ".")
		t(f)
	}
}

// ErrUnseen is the error of [Format.Scene] for a file without anything to draw, such as a text.
var ErrUnseen = errors.New("nothing to draw")

// ErrByTrees is the error of [Format.Compare] if it cannot compare the two sides, but their trees can be compared.
// Compare returns it before it reports any difference.
var ErrByTrees = errors.New("only the trees can be compared")

// The errors if no format matches a file or folder.
var (
	ErrUnknown = errors.New("unknown format")
	ErrNoTree  = errors.New("not the folder of a game file")
)

// Set is a list of formats, more specific formats before more general ones.
type Set []*Format

// ByName returns the format with the given name, or nil.
func (s Set) ByName(name string) *Format {
	for _, f := range s {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Find returns the format of a source: by its content, otherwise by its name. If no format matches, the error wraps
// [ErrUnknown].
func (s Set) Find(src *Source) (*Format, error) {
	if !src.IsDir() && src.Size <= regular.MaxPointer && regular.IsPointer(src.Head(regular.PointerHead)) {
		if slices.ContainsFunc(s, func(f *Format) bool { return !f.Folder && src.HasExtension(f.Extensions...) }) {
			return nil, fmt.Errorf("%s: %w", src.Path, regular.ErrPointer)
		}
		return nil, fmt.Errorf("%s: %w: %w", src.Path, ErrUnknown, regular.ErrPointer)
	}
	may := func(f *Format) bool { return f.Folder == src.IsDir() && (f.Stored || src.Store == nil) }
	for _, f := range s {
		if may(f) && f.Recognize(src) {
			return f, nil
		}
	}
	for _, f := range s {
		if may(f) && src.HasExtension(f.Extensions...) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", src.Path, ErrUnknown)
}

// FindTree returns the format whose tree form the folder is. If no format matches, the error is [ErrNoTree].
func (s Set) FindTree(fsys fs.FS) (*Format, error) {
	for _, f := range s {
		if f.Build != nil && f.RecognizeTree(fsys) {
			return f, nil
		}
	}
	return nil, ErrNoTree
}
