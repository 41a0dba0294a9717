// Package checking checks a file as a whole: what its format finds, what of it could not be
// read, and that it cannot be opened at all, are findings alike.
package checking

import (
	"context"
	"errors"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/internal/server"
)

// Kinds that the tool itself can find, whatever the format.
var (
	catalog     check.Catalog
	Unreadable  = catalog.Add("unreadable", check.Error, "The file cannot be opened: it breaks where the finding says, -v tells the offset.", "Get another copy of the file; `trowel dump` shows what is before that place.")
	Missing     = catalog.Add("missing", check.Error, "Data that should be in the file is not there or cannot be read.", "Get another copy of the file; `trowel extract -k` saves what is left.")
	Unbuildable = catalog.Add("unbuildable", check.Error, "The folder cannot be made a game file.", "Correct the file that the finding names.")
	Defect      = catalog.Add("defect", check.Error, "Trowel itself failed on this file: what is wrong is in the tool, whatever else is wrong with the file.", "Please report it, with the message and, if you can, the file.")
	Build       = catalog.Add("build-warning", check.Warning, "The folder can be made a game file, but not just as it is.", "See whether what the finding says is what you want.")
)

// Kinds returns the kinds of findings that no format has.
func Kinds() []*check.Kind { return catalog.Kinds() }

// Run reports all that is wrong with a file. It returns why it could not, or not to the end,
// where nothing is known of the file: a server failed, or the context ended.
func Run(ctx context.Context, f *format.Format, job *format.Job, src *format.Source, sink check.Sink) error {
	g := Gathering{sink: sink, put: sink}
	err := Shard(ctx, f, job, src, g.Put, g.Miss)
	g.End()
	return err
}

// Shard is [Run] for the shard of a file that the job names. Its findings are for
// [Gathering.Put], and what is missing is for [Gathering.Miss].
func Shard(ctx context.Context, f *format.Format, job *format.Job, src *format.Source, sink, missed check.Sink) error {
	var l losses
	its := l.of(job, nil)
	file, err := f.Open(ctx, its, src)
	if err == nil {
		defer file.Close()
	}
	return l.check(ctx, its, file, err, sink, missed)
}

// losses are what was told of as missing.
type losses struct {
	mu  sync.Mutex
	all []check.Finding
}

// of returns a job that notes what is missing, and tells it too if tell is not nil.
func (l *losses) of(job *format.Job, tell func(path, message string)) *format.Job {
	its := *job
	its.OnMiss = func(path, message string) {
		l.mu.Lock()
		l.all = append(l.all, check.Finding{ID: Missing.ID, Severity: Missing.Severity, Offset: -1, Message: message})
		l.mu.Unlock()
		if tell != nil {
			tell(path, message)
		}
	}
	return &its
}

// check is [Shard] of a file that was opened, or could not be because of err.
func (l *losses) check(ctx context.Context, job *format.Job, file format.File, err error, sink, missed check.Sink) error {
	if err == nil {
		err = file.Check(ctx, job, sink)
	}
	for _, f := range l.all {
		missed(f)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case server.Failed(err):
		return err
	case err != nil:
		missed(Broken(Unreadable, err))
	}
	return nil
}

// Gathering makes of the findings of all shards of a file, which are put into it in their order,
// those of the file.
type Gathering struct {
	sink, put check.Sink
	end       func()
	failed    bool // there is an error among them
	missed    []check.Finding
	known     map[string]bool // what is missing for all shards is told once
}

// Gather begins the findings of a file.
func Gather(f *format.Format, sink check.Sink) *Gathering {
	g := &Gathering{sink: sink, put: sink}
	if f.Sharding != nil && f.Sharding.Gather != nil {
		g.put, g.end = f.Sharding.Gather(sink)
	}
	return g
}

// Put puts in what a shard found.
func (g *Gathering) Put(f check.Finding) {
	g.failed = g.failed || f.Severity == check.Error
	g.put(f)
}

// Miss puts in what could not be read of a shard.
func (g *Gathering) Miss(f check.Finding) {
	if g.known == nil {
		g.known = make(map[string]bool)
	}
	if key := f.Verbose(); !g.known[key] {
		g.known[key] = true
		g.missed = append(g.missed, f)
	}
}

// End tells the rest: what is missing is told unless a check has told of errors, in more detail.
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

// Broken makes a finding of an error.
func Broken(kind *check.Kind, err error) check.Finding {
	f := check.Finding{ID: kind.ID, Severity: kind.Severity, Offset: -1, Message: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		inside := *e
		f.Path, f.Offset = inside.Path, inside.Offset
		inside.File, inside.Path, inside.Offset = "", "", -1
		f.Message = inside.Error()
	}
	return f
}
