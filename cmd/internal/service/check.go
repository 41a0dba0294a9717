package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Checked is the result of checking a file.
type Checked struct {
	Format   string
	Findings []check.Finding
	Missed   []check.Finding // errors about data of a shard that could not be read
	Defect   bool            // the check itself panicked
	Err      error           // the check could not start
}

// CheckSafely checks a file and converts a panic into a finding, so that the other files are still checked.
func (s *Service) CheckSafely(ctx context.Context, t Target, shard format.Shard, r *Checked) {
	keep := func(to *[]check.Finding) check.Sink {
		return func(f check.Finding) {
			f.Path, f.Message = s.Names.Plain(f.Path), s.Names.Plain(f.Message)
			*to = append(*to, f)
		}
	}
	sink := keep(&r.Findings)
	if p := parallel.Catch(func() { s.Check(ctx, t, shard, r, sink, keep(&r.Missed)) }); p != nil {
		r.Defect = true
		sink.Add(format.Defect, "", -1, "%v", Defect(p))
	}
}

// Check checks a file or a shard of a file.
func (s *Service) Check(ctx context.Context, t Target, shard format.Shard, r *Checked, sink, missed check.Sink) {
	if t.Err != nil {
		r.Err = t.Err
		return
	}
	src, err := s.Source(ctx, t.Name)
	if err != nil {
		r.Err = err
		return
	}
	f, err := s.FormatOf(src, t)
	g := &File{Format: f, Called: t.Name, Source: src}
	if err != nil && src.IsDir() {
		if g, err = s.buildToCheck(ctx, t.Name, sink); g == nil && err == nil {
			return
		}
	}
	if f != nil && errors.Is(err, errEmpty) {
		sink(format.BrokenFinding(format.Unreadable, errEmpty))
		src.Close()
		r.Format, r.Err = f.Name, s.Fits(f, t)
		return
	}
	if err != nil {
		src.Close()
		r.Err = err
		return
	}
	defer g.Close()
	if r.Err = s.Fits(g.Format, t); r.Err != nil {
		return
	}
	r.Format = g.Name
	job := s.About(s.Job(g.Format), t.Name)
	job.Checking = g.Built != nil
	if job.Shard = shard; shard != "" {
		err = format.CheckShard(ctx, g.Format, job, g.Source, sink, missed)
	} else {
		err = format.Check(ctx, g.Format, job, g.Source, sink)
	}
	if err != nil {
		r.Err = wording.Named(err, t.Name)
	}
}

// buildToCheck builds a game file from a folder in tree form. If the build fails, buildToCheck reports the
// reason to the sink and returns nil.
func (s *Service) buildToCheck(ctx context.Context, name string, sink check.Sink) (*File, error) {
	fsys, closer, err := s.OpenFolder(name)
	if err != nil {
		return nil, unbuildable(name, err, sink)
	}
	defer closer.Close()
	f, err := s.Formats.FindTree(fsys)
	if err != nil {
		return nil, unbuildable(name, fmt.Errorf("%s: %w", name, err), sink)
	}
	return s.buildTreeToCheck(ctx, f, fsys, name, sink)
}

// CheckFolder checks a folder in tree form, which messages call name.
func (s *Service) CheckFolder(ctx context.Context, f *format.Format, fsys fs.FS, name string, sink check.Sink) error {
	g, err := s.buildTreeToCheck(ctx, f, fsys, name, sink)
	if g == nil || err != nil {
		return err
	}
	defer g.Close()
	job := s.About(s.Job(f), name)
	job.Checking = true
	return format.Check(ctx, f, job, g.Source, sink)
}

func (s *Service) buildTreeToCheck(ctx context.Context, f *format.Format, fsys fs.FS, name string, sink check.Sink) (*File, error) {
	job := s.About(s.Job(f), name)
	job.Checking = true
	job.OnWarn = func(path, message string) { sink.Add(format.Build, path, -1, "%s", message) }
	if f.CheckTree != nil {
		if err := f.CheckTree(ctx, job, fsys, sink); err != nil {
			return nil, wording.Named(err, name)
		}
	}
	g, err := s.buildTemporary(ctx, job, f, fsys, name)
	if err != nil && ctx.Err() == nil {
		sink(format.BrokenFinding(format.Unbuildable, err))
		return nil, nil
	}
	return g, err
}

// unbuildable reports an error about a folder as a finding if the folder is the tree form of a file; otherwise
// it returns the error.
func unbuildable(name string, err error, sink check.Sink) error {
	if !hasSidecar(name) {
		return err
	}
	sink(format.BrokenFinding(format.Unbuildable, err))
	return nil
}
