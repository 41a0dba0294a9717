// Package format is what the tool knows of each format: its name, how to
// recognise it, how to open it as a tree of ordinary files, how to build it from
// such a tree, what to check and what to tell about it.
//
// It knows no game. Each game has a package that declares its formats, the [Game],
// and the verbs of the tool are written over those that they are given.
package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/lfs"
	"trowel.example/trace"
)

// Format describes a kind of game file.
type Format struct {
	Name       string   // stable, such as "teeworlds-map"
	Title      string   // for people, such as "Teeworlds/DDNet map"
	Extensions []string // with their dots, the usual one first
	Folder     bool     // the game keeps it as a folder, not as a file
	Stored     bool     // it can be a [Source.Store] as well as a folder
	Common     bool     // other tools show and compare such files: texts, pictures, sounds
	Doc        string   // the page that describes it, from the project's root

	// Recognize reports whether a source is of this format, by its content.
	// Name and extension are looked at only where no format knows the content.
	Recognize func(*Source) bool

	// PartOf returns the name of the file that one of a name belongs to, such as the archive of
	// a list, if it belongs to any: where both stand in a folder, they are one file, which has
	// the other name. Nil: each file stands alone.
	PartOf func(name string) (whole string, is bool)

	// RecognizeTree reports whether a folder is the tree form of this format.
	RecognizeTree func(fs.FS) bool

	Takes string // what a folder has to have that becomes such a file; "" if it is not to be told in a few words

	// FileName returns the name, without extension, that a tree form itself has for
	// what is built of it; "" if it has none. Nil: none has.
	FileName func(fs.FS) string

	// Open opens a source. It must be quick on a source of any size.
	Open func(context.Context, *Job, *Source) (File, error)

	// Build makes the game file from its tree form. Nil: it cannot be built.
	Build func(context.Context, *Job, fs.FS, Output) error

	// Replaces says why what is made must not take the place of old, a file or folder of
	// this very format that the user allowed to be replaced: what is lost with it may be
	// more than that, or a program may have it open. The tree is the one that is built, nil
	// where none is: for a conversion or a repaired copy. It is asked before the work begins
	// and once more when that is done. Nil: nothing speaks against it. Whatever it says,
	// only the same kind is replaced, and never what is read (internal/output).
	Replaces func(ctx context.Context, job *Job, old *Source, tree fs.FS) error

	// Shown returns the paths of the files in a folder of this format of which pictures, manifests and
	// other single files are made, so that those are as secret. Nil: the source itself is all.
	Shown func(src *Source) []string

	// CheckTree reports what is wrong with a tree form that is not to be seen
	// any more in what Build makes of it. Nil: nothing.
	CheckTree func(context.Context, *Job, fs.FS, check.Sink) error

	// Mask takes the passwords out of what a file of the tree holds, for eyes other than the
	// owner's. It may return content itself. Nil: there are none.
	Mask func(path string, content []byte) []byte

	// Dump reads a source and reports every field of it, or of the file that
	// path names inside it, up to where it breaks.
	Dump func(ctx context.Context, job *Job, src *Source, path string, t trace.Tracer) error

	// Compare calls change with each difference between two files, as data for
	// JSON, and returns what to tell people of them, line by line. A difference may
	// be a [fmt.Stringer], which tells it alone, and a [Placer]. Nil: they are
	// compared file by file of their trees, as where it returns [ErrByTrees].
	Compare func(ctx context.Context, job *Job, old, new Side, change func(any) error) ([]string, error)

	// CompareTo is the name of another format that Compare takes, too, as either of the two; "": none.
	CompareTo string

	Repair *Repair // nil: it cannot be repaired

	// Scene opens what a file shows: path is "" for the file itself, else it names a file
	// of its tree, which HasScene has to report. It is quick, and reads no more than the
	// bounds of the views take. Of a file that shows nothing it returns [ErrUnseen]. Nil:
	// nothing is to be seen.
	Scene func(ctx context.Context, job *Job, src *Source, path string) (Scene, error)

	// HasScene reports whether something in the file can be drawn, by its path in the
	// tree; "" is the file itself. Nil: only that can.
	HasScene func(path string) bool

	Editing *Editing // nil: no command changes it
	Finder  *Finder  // nil: no query finds anything in it
	Merging *Merging // nil: two versions cannot be merged
	Backups *Backups // nil: there are no backups of it

	Sharding  *Sharding  // nil: it does not come apart
	Rewriting *Rewriting // nil: it is converted by making another file only
	Census    *Census    // nil: there are no tables of it

	Conversions []Conversion  // to other formats
	Kinds       []*check.Kind // of findings that its Check can report
	Options     []Option      // of Open and Build
}

// File is an open game file. It keeps nothing of the job that opened it: each call has
// its own.
type File interface {
	// Tree returns the file as a tree. Listing it reads no contents. Large
	// folders give their entries page by page, through [fs.ReadDirFile].
	Tree(context.Context, *Job) (fs.FS, error)
	// Info tells what it is. It reads no more than that takes.
	Info(context.Context, *Job) (Info, error)
	// Check reports everything that is wrong with it.
	Check(context.Context, *Job, check.Sink) error
	io.Closer
}

// Side is one of two files to be compared: the file, or the tree form of one.
type Side struct {
	*Source        // nil if Tree is set
	Tree    fs.FS  // nil if it is the file
	Folder  string // what the user calls the tree, for messages
}

// Conversion turns a file of one format into another.
type Conversion struct {
	To        string                   // name of the target, such as "teeworlds-map-0.7"
	Title     string                   // what it makes, one line
	Extension string                   // usual extension of the result, with its dot
	Rename    func(name string) string // the usual name of the result of a file; nil if the user has to give one
	Options   []Option
	Verb      string // of a tool that does nothing else, such as "manifest"; "" if there is none
	Did       string // what that tool reports to have done, such as "restored"
	Long      string // for its help: what else there is to know
	Example   string // for its help
	Usual     bool   // it is meant where nobody says which one
	Resumes   bool   // it goes on where an earlier run stopped, in a folder that is there already
	Convert   func(context.Context, *Job, *Source, Output) error

	// Pieces and Join are what Convert does in two steps, for a file that comes apart: Pieces
	// gives what the result needs to know of the shard that the job names, and Join makes the
	// result, of what the function all puts: the pieces of all shards in any order. A piece has
	// some KiB, and is the caller's own. Nil: there is Convert alone.
	Pieces func(ctx context.Context, job *Job, src *Source, put func(piece []byte) error) error
	Join   func(ctx context.Context, job *Job, out Output, all func(put func(piece []byte) error) error) error
}

// Repair mends what is broken in a file. What it finds, does and loses goes to
// a sink.
type Repair struct {
	// Plan tells what would be done, and does nothing.
	Plan func(context.Context, *Job, *Source, check.Sink) error
	// Copy makes a repaired copy.
	Copy func(context.Context, *Job, *Source, Output, check.Sink) error
	// InPlace repairs the file itself, once what it will change is in a new file,
	// the backup; "" lets it choose the name. It returns that name, "" if there was
	// nothing to change. Nil: as with [Editing.InPlace].
	InPlace func(ctx context.Context, job *Job, src *Source, backup string, sink check.Sink) (string, error)
	// Restore undoes what InPlace did.
	Restore func(ctx context.Context, job *Job, src *Source, backup string) error
	Options []Option
}

// Option is a setting of a format that the user may give: --name value.
type Option struct {
	Name    string
	Help    string                   // what stands in `backquotes` is what the value is called
	Title   string                   // what a page calls it; "": its name
	Bool    bool                     // it takes no value
	Type    Type                     // what a value has to be; nothing else gets into a job
	Choices []string                 // what a Text may be; nil: anything
	List    bool                     // it may be given several times, see [Job.List]
	Some    bool                     // of an argument that is a List: it has to be given once at least
	Default string                   // "" for a Bool that is off
	Input   bool                     // its value is the path of something that is read
	Parse   func(value string) error // what is wrong with a value, besides its type; nil: nothing
	Secret  bool                     // it shows what is for the owner's eyes only
	Remote  bool                     // it allows connections to other machines
	Names   string                   // the kind of thing that the value of an option of a command names, such as "image": see [Job.Lack]

	For Use // what it is for; 0 is for all
}

// Use is a set of capabilities of a format that an option is for.
type Use uint8

// What an option may be for, if not for all.
const (
	ForTree   Use = 1 << iota // [File.Tree]
	ForBuild                  // [Format.Build]
	ForCheck                  // [File.Check]
	ForScene                  // [Format.Scene]
	ForTiles                  // [Format.Scene] for a pyramid of tiles, see [Dated]
	ForCensus                 // [Census.Before]
)

// Job returns a job in which all options have their defaults.
func (f *Format) Job() *Job {
	values := make(map[string]string)
	for _, o := range f.Options {
		values[o.Name] = o.Default
	}
	return &Job{Values: values}
}

// OptionsFor returns the options for some capabilities, with those for all.
func (f *Format) OptionsFor(use Use) []Option {
	return slices.DeleteFunc(slices.Clone(f.Options), func(o Option) bool { return o.For != 0 && o.For&use == 0 })
}

// Shows reports whether something in files of the format can be drawn, by its path in the tree;
// "" is the file itself.
func (f *Format) Shows(path string) bool {
	if f.Scene == nil || f.HasScene == nil {
		return f.Scene != nil && path == ""
	}
	return f.HasScene(path)
}

// Info tells about a file: fields in the order in which they are shown.
type Info struct {
	Format string
	Fields []InfoField
}

// InfoField is one fact. Value is a string, an integer, a bool, a []string, or
// a []InfoField for a fact that has parts.
type InfoField struct {
	Key   string // stable, in lower camel case: the key in JSON
	Label string // for people; "" uses the key
	Value any
}

// Fact returns a field of an Info.
func Fact(key, label string, value any) InfoField { return InfoField{key, label, value} }

// Add adds a fact.
func (i *Info) Add(key, label string, value any) {
	i.Fields = append(i.Fields, Fact(key, label, value))
}

// Output is where Build puts what it makes. Nothing of it is to be seen until
// the whole has succeeded.
type Output interface {
	// Create starts the file itself, with suffix "", or a neighbour that
	// belongs to it and shares its name, such as ".MAN".
	Create(suffix string) (Part, error)
	// Dir makes the output a folder and returns its path, for formats that
	// are folders and for databases, which need real paths.
	Dir() (string, error)
	// KeptDir makes the output a folder that has its name from the start and stays
	// there if the run fails: for work that goes on where it stopped, and that
	// tells in the folder that it is not finished.
	KeptDir() (string, error)
}

// Part is a file in the making. It is written from front to end, or at any
// place where a format has to come back to what it wrote, but not both. It is an alias, so
// that what makes outputs need not know of formats.
type Part = interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
}

// Job is what a run of a verb passes down: what was asked for, and
// whom to tell. The zero value asks for nothing.
type Job struct {
	Values     map[string]string               // values of options, by name
	OnWarn     func(path, message string)      // something the user should know
	OnDone     func(message string)            // what was done
	OnMiss     func(path, message string)      // data that should be there and cannot be had
	OnLose     func(path string)               // what OnMiss is told next is lost with a damaged file
	OnProgress func(what string, done, of int) // for what takes long
	OnLack     func(*fault.NameError) error    // the file does not have what the user named; see [Job.Lack]

	// Checking says that what Build makes is to be checked, once CheckTree has told what is
	// wrong with each file of the tree: Build goes on without what it cannot make, and Check
	// is to find what the files are together.
	Checking bool

	// KeepGoing says that the user accepts that what is made lacks what cannot be read, and
	// what [Job.Lose] reports. A verb that writes a file refuses that by itself; a format asks
	// where it makes something that is there before it is whole.
	KeepGoing bool

	// Temporary says that what Build makes is for this run only. Then nothing may be
	// written anywhere else than to its Output, not even where the tree says so.
	Temporary bool

	// Shard is the part of the file that is to be checked, searched and the like: by
	// [File.Check], [Finder.Find], [Census.Rows] and conversions whose format says so.
	Shard Shard

	// Part is what [Parting.Part] returned for the part of a picture that alone is drawn of the
	// scene; nil: any may be.
	Part []byte

	// Source is the file that a command changes, so that what lies beside it is found; nil
	// where none is.
	Source *Source

	// Prefer names the side whose parts a merge takes where both changed them: "ours",
	// "theirs", or "", which is ours. For [MergingMany] it is what the format takes for it.
	Prefer string

	// Keeping says that the tree is written as a whole, with its sidecar: the other files need
	// not have what that keeps.
	Keeping bool

	// Over is the folder that the tree goes over, nil if there is none: what is in
	// both shall be called as it is there.
	Over fs.FS
}

// Value returns the value of an option.
func (j *Job) Value(name string) string { return j.Values[name] }

// Given returns the value of an option of a command, and whether it has one: by the user or
// by default.
func (j *Job) Given(name string) (value string, given bool) {
	value, given = j.Values[name]
	return value, given
}

// On reports whether a Bool option is set.
func (j *Job) On(name string) bool { return j.Value(name) == "true" }

// Warn tells the user something about the file or tree at path.
func (j *Job) Warn(path, format string, args ...any) {
	if j.OnWarn != nil {
		j.OnWarn(path, fmt.Sprintf(format, args...))
	}
}

// Tell tells the user what was done.
func (j *Job) Tell(format string, args ...any) {
	if j.OnDone != nil {
		j.OnDone(fmt.Sprintf(format, args...))
	}
}

// Miss tells the user that data of the file or tree at path is missing or cannot be
// read, so that the result is not all that was asked for. Each loss is told once. A
// verb that was told of one does not end as if nothing were wrong.
func (j *Job) Miss(path, format string, args ...any) {
	if j.OnMiss != nil {
		j.OnMiss(path, fmt.Sprintf(format, args...))
	}
}

// Lose is Miss for data of a damaged file: a verb that writes a file of it refuses that unless
// the user accepts the loss.
func (j *Job) Lose(path, format string, args ...any) {
	if j.OnLose != nil {
		j.OnLose(path)
	}
	j.Miss(path, format, args...)
}

// Report tells how far a long run is.
func (j *Job) Report(what string, done, of int) {
	if j.OnProgress != nil {
		j.OnProgress(what, done, of)
	}
}

// Inside returns a tracer of the fields of what path names in a file.
func Inside(path string, t trace.Tracer) trace.Tracer {
	return func(f trace.Field) {
		f.Space = strings.TrimSuffix(path+"."+f.Space, ".")
		t(f)
	}
}

// ErrUnseen is what [Format.Scene] returns of a file that shows nothing, such as a text.
var ErrUnseen = errors.New("it shows nothing that can be drawn")

// ErrByTrees is what [Format.Compare] returns, before it has found anything, if it cannot
// compare such sides, but their trees can be compared.
var ErrByTrees = errors.New("only the trees can be compared")

// Why no format could be found.
var (
	ErrUnknown = errors.New("unknown format")
	ErrNoTree  = errors.New("not the folder of a game file")
)

// Set is a list of formats, the more particular before the more general.
type Set []*Format

// ByName returns the format of a name, or nil.
func (s Set) ByName(name string) *Format {
	for _, f := range s {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Find returns the format of a source: by its content, else by its name. The error of one
// that has none is [ErrUnknown].
func (s Set) Find(src *Source) (*Format, error) {
	if !src.IsDir() && src.Size <= lfs.MaxSize && lfs.Is(src.Head(lfs.Length)) {
		if slices.ContainsFunc(s, func(f *Format) bool { return !f.Folder && src.HasExtension(f.Extensions...) }) {
			return nil, fmt.Errorf("%s: %w", src.Path, lfs.ErrPointer)
		}
		return nil, fmt.Errorf("%s: %w: %w", src.Path, ErrUnknown, lfs.ErrPointer)
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

// FindTree returns the format of which a folder is the tree form. The error of one that is
// none is [ErrNoTree].
func (s Set) FindTree(fsys fs.FS) (*Format, error) {
	for _, f := range s {
		if f.Build != nil && f.RecognizeTree(fsys) {
			return f, nil
		}
	}
	return nil, ErrNoTree
}
