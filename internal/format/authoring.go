package format

import (
	"context"
	"io/fs"
	"strings"

	"trowel.example/check"
)

// Authoring helps editors with the text files of a folder in tree form.
type Authoring struct {
	// Open opens the folder, which shows the files as the editor has them, not as they are on disk. It reads at most the
	// names of the files.
	Open func(ctx context.Context, job *Job, fsys fs.FS) (Author, error)
	// Main is the file of the folder to which problems without a place belong.
	Main string
}

// Author answers the questions of an editor about the text files of a folder. Paths are paths in the folder; those of
// other folders, such as that of the game, are absolute paths of the system. Texts are in UTF-8 without a byte order
// mark, whatever the encoding of the file is. Methods may be called concurrently.
type Author interface {
	// Index reads what the answers about other files require: at the first call all files, later those that have
	// changed on disk. It returns the number of files that it has read.
	Index(ctx context.Context) (files int, err error)
	// Update reads a file again that the editor has changed.
	Update(ctx context.Context, path string) error

	// Check returns the problems of one file that can be found at each change of its text.
	Check(ctx context.Context, path string) ([]Problem, error)
	// Checks reports whether Check returns findings of a kind.
	Checks(id string) bool
	// CheckAll returns the problems of the folder. The function whole runs the complete check of the folder.
	CheckAll(ctx context.Context, whole func(context.Context, check.Sink) error) ([]Problem, error)
	// Describe describes what is at a place, in Markdown: "" if there is nothing to describe.
	Describe(ctx context.Context, path string, at Spot) (text string, over Span, err error)
	// Complete returns what can be written at a place.
	Complete(ctx context.Context, path string, at Spot) ([]Completion, error)
	// Definitions returns the places that define the thing that is named at a place.
	Definitions(ctx context.Context, path string, at Spot) ([]Span, error)
}

// Spot is a position in a text.
type Spot struct {
	Line   int // from 0
	Column int // in bytes, from 0
}

// Span is a part of a text. Its end is the position after its last character.
type Span struct {
	Path     string
	From, To Spot
}

// Problem is a finding with its place in a text.
type Problem struct {
	check.Finding
	Over Span
	Also []Span // other places that the finding is about
}

// Edit replaces a part of a text.
type Edit struct {
	Span
	Text string
}

// Completion is a text that can be written at a place.
type Completion struct {
	Kind   CompletionKind
	Label  string // what the editor lists, and compares with what the user types
	Detail string // a short addition, such as a type
	Help   string // more about it; may be ""
	Edit   Edit   // replaces what the user has typed
	Rank   int    // lower ranks are listed first
}

// CompletionKind is the kind of a completion, for the symbol that an editor shows.
type CompletionKind uint8

// The kinds of completions.
const (
	CompleteText CompletionKind = iota
	CompleteKey
	CompleteValue
	CompleteFile
	CompleteThing
	CompleteKeyword
)

// LineSpan returns the part of a line, from 1, that begins at a column, from 1 in characters, and ends before blanks at
// its end; column 0 means the first character that is not a blank. If that part is empty, it is the whole line.
func LineSpan(path, text string, line, column int) Span {
	s := Span{Path: path, From: Spot{Line: max(line-1, 0)}}
	s.To.Line = s.From.Line
	for range s.From.Line {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			return s
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	text = strings.TrimRight(text, " \t\r")
	s.To.Column = len(text)
	s.From.Column = len(text) - len(strings.TrimLeft(text, " \t"))
	if column > 0 {
		at, n := 0, 1
		for at = range text {
			if n == column {
				break
			}
			n++
		}
		if n == column && at < len(text) {
			s.From.Column = at
		}
	}
	return s
}
