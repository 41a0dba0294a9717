// Package trowel opens the data files of games as folders of ordinary files, and builds them back byte for byte.
//
// [Open] reads a file or a world, [File.FS] shows it as an [fs.FS], and [Build] makes a file of such a folder.
// A program imports the games whose files it opens, as it does with the formats of package image:
//
//	import _ "trowel.example/all" // or teeworlds, torchlight, minetest
//
// The packages of the games have typed models of their files, such as teeworlds/twmap, torchlight/dat and
// minetest/mapblock, for programs that do more than this.
package trowel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/internal/checking"
	"trowel.example/internal/output"
	"trowel.example/internal/regular"
)

// ErrUnknown is in the error of a file of which no imported game knows the format, and of a folder that [Build]
// cannot make a file of.
var ErrUnknown = format.ErrUnknown

// A File is an open file or world of a game. Its methods may be called by one goroutine at a time; the files of
// [File.FS] may be read by many.
type File struct {
	path   string
	format *format.Format
	source *format.Source
	file   format.File
	tree   fs.FS
	losses losses
}

// Open opens a file or a world. It reads no more than it needs to list what is in it, and changes nothing.
//
// The error wraps [ErrUnknown] if no imported game knows the format, and [fault.ErrLost] or another error of
// package fault if the file is damaged: use [Salvage] to read what is left of it.
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

// Salvage is Open for a file that may be damaged. It calls lost, from any goroutine, with what cannot be read and
// its path inside the file: at once, and as it turns out while the file is in use.
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

// job is what one call passes down.
func (f *File) job() *format.Job {
	job := f.format.Job()
	job.OnMiss = f.losses.add
	return job
}

// Format returns the stable name of the format, such as "teeworlds-map".
func (f *File) Format() string { return f.format.Name }

// FS returns the file as a tree of ordinary files. What it opens has an error of its own where the file is damaged.
// It is valid until Close.
func (f *File) FS() fs.FS { return f.tree }

// Info returns what there is to know about the file as a whole.
func (f *File) Info(ctx context.Context) (Info, error) {
	info, err := f.file.Info(ctx, f.job())
	if err = fault.InFile(err, f.path); err == nil {
		err = f.losses.err()
	}
	return infoOf(f.format, info), err
}

// Check calls sink with everything that is wrong with the file, damage included. A nil error means that all of it
// was looked at.
func (f *File) Check(ctx context.Context, sink check.Sink) error {
	return checking.Run(ctx, f.format, f.format.Job(), f.source, sink)
}

// Close closes the file. After [Open], its error wraps [fault.ErrLost] if something turned out to be unreadable
// while the file was in use: a nil error means that everything that was asked for was read.
func (f *File) Close() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.source.Close(), f.losses.err())
}

// Build makes the file or world that a folder stands for, such as one that [File.FS] returned or that
// `trowel extract` wrote, and gives it the name path once it is whole. It replaces nothing: the error wraps
// [fs.ErrExist] if something has that name. It wraps [ErrUnknown] if no imported game makes a file of the folder.
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
	if err := f.Build(ctx, job, regular.Limit(fsys, format.MaxWhole), out); err != nil {
		return fault.InFile(err, path)
	}
	if err := errors.Join(ctx.Err(), missed.err()); err != nil {
		return err
	}
	return out.Commit()
}

// losses are what could not be read, and whom to tell of it; without that, they are an error.
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
