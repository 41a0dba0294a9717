// Package trowel opens data files of games as folders of ordinary files, and rebuilds the files from such folders,
// byte for byte.
//
// [Open] opens a file or a world, [File.FS] returns its contents as an [fs.FS], and [Build] makes a file from such a
// folder. A program imports the package of each game whose files it opens, as with the formats of package image:
//
//	import _ "trowel.example/all" // or teeworlds, torchlight, minetest
//
// The packages below those of the games have typed models of the files, such as teeworlds/twmap, torchlight/dat and
// minetest/mapblock, for programs that need more than this package offers.
package trowel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
)

// ErrUnknown reports that no imported game supports the format of a file, or that no imported game can build a file
// from a folder. Test for it with [errors.Is].
var ErrUnknown = format.ErrUnknown

// A File is an open file or world of a game. Only one goroutine at a time may call its methods; any number of
// goroutines may read the files of [File.FS]. [Open] makes a File; the zero value is not usable.
type File struct {
	path   string
	format *format.Format
	source *format.Source
	file   format.File
	tree   fs.FS
	losses losses
}

// Open opens a file or a world. It reads only what it needs to list the contents, and changes nothing. Reading the
// contents of a world stops when ctx is canceled.
//
// The error wraps [ErrUnknown] if no imported game supports the format. It wraps [fault.ErrLost] or another error of
// package fault if the file is damaged: [Salvage] reads what is left of such a file.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	if err := f.losses.err(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Salvage is Open for a file that may be damaged. It calls lost with each part that cannot be read and the path of the
// part inside the file, while opening the file and later while the file is in use. It may call lost from any
// goroutine.
func Salvage(ctx context.Context, path string, lost func(path, what string)) (*File, error) {
	return open(ctx, path, lost)
}

func open(ctx context.Context, path string, lost func(path, what string)) (_ *File, err error) {
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, source: src, losses: losses{path: path, report: lost}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	formats := format.Registered().Formats()
	if f.format, err = formats.Find(src); err != nil {
		return nil, err
	}
	if f.file, err = f.format.Open(ctx, f.job(), src); err != nil {
		return nil, fault.InFile(err, path)
	}
	if f.tree, err = f.file.Tree(ctx, f.job()); err != nil {
		return nil, fault.InFile(err, path)
	}
	return f, nil
}

// job returns the job of one call.
func (f *File) job() *format.Job {
	job := f.format.Job()
	job.OnMiss = f.losses.add
	return job
}

// Format returns the stable name of the format, such as "teeworlds-map".
func (f *File) Format() string { return f.format.Name }

// FS returns the contents of the file as a tree of ordinary files, valid until Close. Opening or reading a damaged
// file of the tree returns an error.
func (f *File) FS() fs.FS { return f.tree }

// Info describes the file as a whole.
func (f *File) Info(ctx context.Context) (Info, error) {
	info, err := f.file.Info(ctx, f.job())
	if err = fault.InFile(err, f.path); err == nil {
		err = f.losses.err()
	}
	return infoOf(f.format, info), err
}

// Check calls sink with each problem in the file, including damage. A nil error means that the whole file was checked.
func (f *File) Check(ctx context.Context, sink check.Sink) error {
	return format.Check(ctx, f.format, f.format.Job(), f.source, sink)
}

// Close closes the file. After [Open], the error wraps [fault.ErrLost] if a part of the file proved unreadable while
// the file was in use: a nil error means that everything requested was read.
func (f *File) Close() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.source.Close(), f.losses.err())
}

// Build builds a file or world from its folder form, as returned by [File.FS] or written by `trowel extract`. The
// result gets the name path once it is complete. Build replaces nothing: the error wraps [fs.ErrExist] if path exists.
// It wraps [ErrUnknown] if no imported game can build a file from the folder.
func Build(ctx context.Context, path string, fsys fs.FS) error {
	f, err := format.Registered().Formats().FindTree(fsys)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrUnknown, err)
	}
	out, err := output.New(path, output.Options{})
	if err != nil {
		return err
	}
	defer out.Discard()
	missed := losses{path: path}
	job := f.Job()
	job.OnMiss = missed.add
	if err := f.Build(ctx, job, regular.Limit(fsys, effort.WholeFile), out); err != nil {
		return fault.InFile(err, path)
	}
	if err := errors.Join(ctx.Err(), missed.err()); err != nil {
		return err
	}
	return out.Commit()
}

// losses passes each loss to report. Without report, it keeps the first loss as an error.
type losses struct {
	path   string
	report func(path, what string)

	mu    sync.Mutex
	first error
}

func (l *losses) add(path, what string) {
	if l.report != nil {
		l.report(path, what)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if path == l.path {
		path = ""
	}
	if l.first == nil {
		l.first = &fault.Error{File: l.path, Path: path, Err: fmt.Errorf("%w: %s", fault.ErrLost, what)}
	}
}

func (l *losses) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}
