package format

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/stores/server"
)

// Kinds of findings of the tool itself, for all formats.
var (
	catalog    check.Catalog
	Unreadable = catalog.Add("unreadable", check.Error, "The file cannot be opened: it is damaged at the place of the "+
		"finding (-v prints the offset).", "Get another copy of the file; `trowel dump` prints the fields before that place.")
	MissingKind = catalog.Add("missing", check.Error, "Data of the file is missing or cannot be read.",
		"Get another copy of the file; `trowel extract -k` saves the remaining data.")
	Unbuildable = catalog.Add("unbuildable", check.Error, "The folder cannot be built into a game file.", "Correct the file of the finding.")
	Defect      = catalog.Add("defect", check.Error, "Trowel itself failed on this file: this is an error of the program.",
		"Please report it, with the message and, if you can, the file.")
	Build = catalog.Add("build-warning", check.Warning, "The folder can be built into a game file, but not exactly as "+
		"it is.", "Check whether the change in the finding is intended.")
)

// Findings has an example of a message of each of these kinds, as [Game.Findings].
//
//go:embed findings.txt
var Findings string

// CheckKinds returns the kinds of findings that belong to no format.
func CheckKinds() []*check.Kind { return append(catalog.Kinds(), check.Limit) }

// Check reports all problems in a file. It returns an error if the check could not be completed for a reason outside the
// file: a server failed, the user may not read the file, or the context ended.
func Check(ctx context.Context, f *Format, job *Job, src *Source, sink check.Sink) error {
	g := Gathering{sink: sink, put: sink}
	err := CheckShard(ctx, f, job, src, g.Put, g.Miss)
	g.End()
	return err
}

// CheckShard is [Check] for the shard of the job. Its findings must be passed to [Gathering.Put], and its losses to
// [Gathering.Miss].
func CheckShard(ctx context.Context, f *Format, job *Job, src *Source, sink, missed check.Sink) error {
	var l losses
	own := l.of(job, nil)
	file, err := f.Open(ctx, own, src)
	if err == nil {
		defer file.Close()
	}
	return l.check(ctx, own, file, err, sink, missed)
}

// losses collects reported losses.
type losses struct {
	mu  sync.Mutex
	all []check.Finding
}

// of returns a job that records losses, and also calls report with them, unless it is nil.
func (l *losses) of(job *Job, report func(path, message string)) *Job {
	recording := *job
	recording.OnMiss = func(path, message string) {
		l.mu.Lock()
		l.all = append(l.all, check.Finding{ID: MissingKind.ID, Severity: MissingKind.Severity, Offset: -1, Message: message})
		l.mu.Unlock()
		if report != nil {
			report(path, message)
		}
	}
	return &recording
}

// check is [CheckShard] for an opened file, or for a file that could not be opened because of err.
func (l *losses) check(ctx context.Context, job *Job, file File, err error, sink, missed check.Sink) error {
	if err == nil {
		err = file.Check(ctx, job, sink)
	}
	for _, f := range l.all {
		missed(f)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case server.Failed(err), errors.Is(err, fs.ErrPermission):
		return err
	case err != nil:
		missed(BrokenFinding(Unreadable, err))
	}
	return nil
}

// Gathering combines the findings of all shards, passed to it in order, into those of the whole file.
type Gathering struct {
	sink, put check.Sink
	end       func()
	failed    bool // an error was reported
	missed    []check.Finding
	known     map[string]bool // losses common to all shards are reported once
}

// Gather starts the findings of a file.
func Gather(f *Format, sink check.Sink) *Gathering {
	g := &Gathering{sink: sink, put: sink}
	if f.Sharding != nil && f.Sharding.Gather != nil {
		g.put, g.end = f.Sharding.Gather(sink)
	}
	return g
}

// Put adds a finding of a shard.
func (g *Gathering) Put(f check.Finding) {
	g.failed = g.failed || f.Severity == check.Error
	g.put(f)
}

// Miss adds a loss of a shard.
func (g *Gathering) Miss(f check.Finding) {
	if g.known == nil {
		g.known = make(map[string]bool)
	}
	if key := f.Verbose(); !g.known[key] {
		g.known[key] = true
		g.missed = append(g.missed, f)
	}
}

// End reports the rest: losses are reported unless a check has reported errors, which are more detailed.
func (g *Gathering) End() {
	if g.end != nil {
		g.end()
	}
	for _, f := range g.missed {
		if !g.failed || f.ID == Unreadable.ID {
			g.sink(f)
		}
	}
}

// BrokenFinding converts an error to a finding.
func BrokenFinding(kind *check.Kind, err error) check.Finding {
	kind = kind.Of(err)
	f := check.Finding{ID: kind.ID, Severity: kind.Severity, Offset: -1, Message: err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		inside := *e
		f.Path, f.Offset = inside.Path, inside.Offset
		inside.File, inside.Path, inside.Offset = "", "", -1
		f.Message = inside.Error()
	}
	return f
}
