// Package service opens, performs and names files: it opens what the user names as a game file, a folder or a tree,
// splits the work on files into parts and does them or hands them over. It knows no command line and no terminal.
// It formats the fields of a dump for users and programs: values as text and as JSON, and the bytes that belong to no field.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
)

// Service opens the files that the user names, gives them names for messages, and does the work of verbs on them.
type Service struct {
	Games     format.Games
	Formats   format.Set // formats of all games
	In        io.Reader  // standard input
	Options   Options    // of the files of this run
	Report    Reporter
	Names     *wording.Aliases // the user's names for temporary paths
	Handover  *Handover        // nil: this process does the work itself
	Elsewhere Elsewhere        // nil: only the file system
	Lost      atomic.Int64     // losses that jobs reported
	Performed bool             // the work of the verb was started or handed over

	Resume string   // folder for the results of parts; "" for none
	Args   []string // the user's arguments, by which a resumed run is recognized

	pipes *pipes                                      // pipes among the user's arguments
	stale func(ctx context.Context, p work.Part) bool // reports whether files of a part have changed; nil: none has

	mu      sync.Mutex
	fitting map[string]bool // options that apply to some file found in a folder
}

// Reporter receives the messages of a run.
type Reporter interface {
	// Say reports what is neither an error nor data.
	Say(format string, args ...any)
	// Warn reports a warning about the file or other object that path names.
	Warn(path, message string)
	// Miss reports data that could not be read.
	Miss(path, message string)
	// Progress reports the progress of a long operation; of is 0 if the total is unknown.
	Progress(what string, done, of int)
	// Fail reports an error, with advice for the user.
	Fail(err error)
	// Clear ends the display of the progress.
	Clear()
	// Flush prints the data so far, so that it is before later messages.
	Flush()
}

// New returns a service for the files of the given games.
func New(games format.Games, stdin io.Reader, report Reporter, names *wording.Aliases) *Service {
	return &Service{Games: games, Formats: games.Formats(), In: stdin, Report: report, Names: names,
		fitting: make(map[string]bool), pipes: new(pipes)}
}

// Close removes the temporary files of the run.
func (s *Service) Close() { s.pipes.remove() }

// Part returns a service for a part of the work, which counts its losses separately. Its messages go to take, one
// at a time.
func (s *Service) Part(take func(wording.Note)) *Service {
	part := s.Quiet(take)
	part.Names.Copy(s.Names)
	part.Handover, part.Elsewhere, part.Resume = s.Handover, s.Elsewhere, s.Resume
	if !s.InParts() {
		part.Report.(*recorder).shows = s.Report
	}
	return part
}

// Quiet returns a service for files of this machine that shows no progress: the user may be typing another command.
// It counts its losses separately. Its messages go to take, one at a time.
func (s *Service) Quiet(take func(wording.Note)) *Service {
	r := &recorder{take: take, names: new(wording.Aliases)}
	return &Service{Games: s.Games, Formats: s.Formats, In: s.In, Options: s.Options, Report: r, Names: r.names, pipes: s.pipes,
		fitting: make(map[string]bool)}
}

// recorder passes messages on as notes.
type recorder struct {
	mu    sync.Mutex
	take  func(wording.Note)
	names *wording.Aliases
	shows Reporter // shows the progress; nil: none is shown
}

func (r *recorder) note(n wording.Note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n.Path, n.Text = r.names.Plain(n.Path), r.names.Plain(n.Text)
	r.take(n)
}

func (r *recorder) Say(format string, args ...any) {
	r.note(wording.Note{Kind: wording.Said, Text: fmt.Sprintf(format, args...)})
}

func (r *recorder) Warn(path, message string) {
	r.note(wording.Note{Kind: wording.Warned, Path: path, Text: message})
}

func (r *recorder) Miss(path, message string) {
	r.note(wording.Note{Kind: wording.Missed, Path: path, Text: message})
}

func (r *recorder) Fail(err error) { r.note(wording.Failure(err)) }
func (r *recorder) Clear()         {}
func (r *recorder) Flush()         {}

func (r *recorder) Progress(what string, done, of int) {
	if r.shows != nil {
		r.shows.Progress(what, done, of)
	}
}

// Report reports a note.
func Report(r Reporter, n wording.Note) {
	switch {
	case n.Kind == wording.Said:
		r.Say("%s", n.Text)
	case n.Kind == wording.Warned:
		r.Warn(n.Path, n.Text)
	case n.Kind == wording.Missed:
		r.Miss(n.Path, n.Text)
	case n.Advice == "":
		r.Fail(errors.New(n.Text))
	default:
		r.Fail(wording.Hint(errors.New(n.Text), "%s", n.Advice))
	}
}
