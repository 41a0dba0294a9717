package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// opener opens the files that the user named.
type opener struct{ *service.Service }

// Open returns a server for the files that the user named: one file, two files to compare, or a gallery of more
// files and of the files in folders. One or two files are opened for a check, so that errors are reported
// immediately.
func Open(ctx context.Context, s *service.Service, names []string) (*Server, error) {
	open := &opener{s}
	for _, name := range names {
		if info, err := os.Stat(name); len(names) > 2 || err == nil && info.IsDir() && !s.IsGame(name) {
			return open.gallery(ctx, names)
		}
	}
	mode := One
	if len(names) == 2 {
		mode = Pair
	}
	var files []File
	for _, name := range names {
		f, err := open.one(ctx, name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if mode == Pair && files[0].Name == files[1].Name { // as git names two versions
		files[0].Name += " (old)"
		files[1].Name += " (new)"
	}
	return New(mode, files), nil
}

// one describes a single file to show. Errors that can be found quickly are reported immediately: the tree form
// of a file is not built yet.
func (o *opener) one(ctx context.Context, name string) (File, error) {
	if name == "-" {
		return o.input(ctx)
	}
	f := o.describe(ctx, service.Target{Name: name}, service.BaseName(name))
	if f.Err != nil || !service.IsFile(name) {
		return f, f.Err
	}
	g, err := o.Find(ctx, name)
	if err != nil {
		return f, err
	}
	defer g.Close()
	file, err := g.OpenFile(ctx, o.Quiet(func(wording.Note) {}).Job(g.Format))
	if err != nil {
		return f, err
	}
	return f, file.Close()
}

// pagePatience is the time after which the page is shown even if no file was found yet.
const pagePatience = 500 * time.Millisecond

// gallery finds the files of a gallery, as check does. The page does not wait for all of them.
func (o *opener) gallery(ctx context.Context, names []string) (*Server, error) {
	above, err := service.CommonFolder(names)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(names[0]); len(names) == 1 && err == nil && info.IsDir() {
		above = filepath.Join(above, service.BaseName(names[0]))
	}
	s := New(Gallery, nil)
	s.gallery.title, s.gallery.done = filepath.Base(above), false
	first, ended := make(chan struct{}), make(chan error, 1)
	s.watch.Go(func() {
		found := sync.OnceFunc(func() { close(first) })
		var err error
		if p := parallel.Catch(func() {
			err = o.walk(s.life, names, func(t service.Target) {
				if f := o.describe(s.life, t, service.NameBelow(above, t.Name)); !t.Found || !errors.Is(f.Err, format.ErrUnknown) {
					s.add(f)
					found()
				}
			})
		}); p != nil {
			err = p
		}
		s.complete(hidePaths(o.Options, err, append([]string{above}, names...)))
		ended <- err
	})
	select {
	case <-first:
	case err = <-ended:
		switch {
		case len(s.allFiles()) > 0:
			err = nil // the page shows the error
		case err == nil:
			err = fmt.Errorf("%s: contains no game files", strings.Join(names, ", "))
			err = cmp.Or(service.Foreign(names[0], err), wording.Hint(err, "`trowel formats` lists the supported formats"))
		}
	case <-time.After(pagePatience):
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// walk calls do for each file that names refer to.
func (o *opener) walk(ctx context.Context, names []string, do func(service.Target)) error {
	for _, name := range names {
		if err := o.Targets(ctx, name, func(t service.Target) error {
			do(t)
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	return o.Unfit()
}

// describe describes a file with the display name called, without opening it.
func (o *opener) describe(ctx context.Context, t service.Target, called string) File {
	f := o.file(t, called)
	var asTree bool
	f.Format, asTree, f.Err = o.recognize(ctx, t)
	info, err := os.Stat(t.Name)
	if err != nil {
		return f
	}
	switch {
	case asTree:
		f.Stamp = func() string { return treeStamp(t.Name) }
	case info.Mode().IsRegular():
		f.Stamp = (&fileWatch{name: t.Name}).stamp
	}
	f.Modified = info.ModTime()
	if f.Size = info.Size(); info.IsDir() {
		f.Size = -1
	}
	return f
}

// recognize returns the format of a file, or of the file that a folder in tree form builds.
func (o *opener) recognize(ctx context.Context, t service.Target) (is *format.Format, asTree bool, err error) {
	if t.Err != nil {
		return nil, false, t.Err
	}
	src, err := o.Source(ctx, t.Name)
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	if is, err = o.FormatOf(src, t); err != nil && src.IsDir() {
		asTree = true
		fsys, closer, err := service.OpenFolder(t.Name, nil)
		if err != nil {
			return nil, false, err
		}
		defer closer.Close()
		if is, err = o.Formats.FindTree(fsys); err != nil {
			return nil, false, fmt.Errorf("%s: %w", t.Name, err)
		}
	} else if err != nil {
		return nil, false, err
	}
	return is, asTree, o.Fits(is, t)
}

// file returns the file of a target with the display name called. It opens the file when the page needs it: many
// files are listed, few are opened.
func (o *opener) file(t service.Target, called string) File {
	hides := sync.OnceValue(func() *hidden { return newHidden(o.Options, t.Name, called) })
	return File{
		Name:  called,
		Plain: func(message string) string { return hides().plain(message) },
		Open: func(ctx context.Context) (*Opened, error) {
			var notes []string
			quiet := o.Quiet(func(n wording.Note) {
				if note := wording.Placed(n.Path, n.Text); !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			})
			g, err := quiet.FindTarget(ctx, t)
			if err != nil {
				return nil, err
			}
			opened := &Opened{Format: g.Format, Source: g.Source, Private: g.Built != nil, Notes: slices.Clone(notes), Close: g.Close}
			opened.Job = func() *format.Job { return quiet.Job(g.Format) }
			if g.Built != nil {
				opened.Check = func(ctx context.Context, sink check.Sink) error {
					var r service.Checked
					quiet.Check(ctx, t, "", &r, sink, sink)
					return r.Err
				}
			}
			return opened, nil
		},
	}
}

// input reads standard input, which is kept in memory.
func (o *opener) input(ctx context.Context) (File, error) {
	src, err := o.Source(ctx, "-")
	if err != nil {
		return File{}, err
	}
	defer src.Close()
	data, err := src.ReadAll()
	if err != nil {
		return File{}, err
	}
	f, err := o.FormatOf(src, service.Target{Name: "-"})
	if err == nil {
		err = o.Owned(f)
	}
	return File{Name: "standard input", Open: func(context.Context) (*Opened, error) {
		job := func() *format.Job { return o.Job(f) }
		return &Opened{Format: f, Source: format.NewSource("-", data), Job: job, Close: func() error { return nil }}, nil
	}}, err
}
