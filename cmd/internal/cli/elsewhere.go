package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/format"
)

// Elsewhere has files that are none of the system, such as those of object storage. Their names
// have :// in them. Of folders that are a game file only such are there as [format.Format.Stored] says.
type Elsewhere interface {
	// Has reports whether a name is one of these.
	Has(name string) bool
	// Full returns a name with all that says where it is.
	Full(name string) string
	// Join returns the name, for people, of what is at a path with / below a name.
	Join(name, at string) string
	// Walk calls do with the files below a name, in order: with the path from there, "" if the
	// name is that of a file, the size in bytes, and a text that is another one when the content is.
	Walk(ctx context.Context, name string, do func(at string, size int64, version string) error) error
	// Open opens a file for reading, until the context ends.
	Open(ctx context.Context, name string) (*format.Source, error)
	// Folder returns a name as that of a folder. Whether it is there is not looked at.
	Folder(name string) (*format.Source, error)
}

// Reads lets the verbs that go through files read those of e, too.
func (t *Tool) Reads(e Elsewhere) { t.a.elsewhere = e }

// isElsewhere reports whether a name is that of no file of the system.
func (a *app) isElsewhere(name string) bool { return a.elsewhere != nil && a.elsewhere.Has(name) }

// join returns the name of what is at a path with / below a name; "" is that itself.
func (a *app) join(name, at string) string {
	switch {
	case a.isElsewhere(name):
		return a.elsewhere.Join(name, at)
	case at == "":
		return name
	}
	return filepath.Join(name, filepath.FromSlash(at))
}

// folder returns a folder, which need not be there.
func (a *app) folder(name string) (*format.Source, error) {
	if a.isElsewhere(name) {
		return a.elsewhere.Folder(name)
	}
	return &format.Source{Path: name, Name: filepath.Base(filepath.Clean(name)), Dir: name}, nil
}

// sourceElsewhere opens a file, or a folder that is a game file.
func (a *app) sourceElsewhere(name string) (*format.Source, error) {
	src, err := a.elsewhere.Open(a.ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		if folder := a.gameElsewhere(name); folder != nil {
			return folder, nil
		}
	}
	return src, err
}

// gameElsewhere returns a folder if it is a game file, else nil.
func (a *app) gameElsewhere(name string) *format.Source {
	folder, err := a.elsewhere.Folder(name)
	if err == nil {
		_, err = a.formats.Find(folder)
	}
	if err != nil {
		return nil
	}
	return folder
}

// objects yields the files that a name stands for that is elsewhere.
func (a *app) objects(ctx context.Context, name string, yield func(target) error) error {
	if a.gameElsewhere(name) != nil {
		return yield(target{name: a.join(name, ""), from: name})
	}
	stopped := false
	err := a.elsewhere.Walk(ctx, name, func(at string, size int64, version string) error {
		for dir := at; dir != "" && dir != "."; dir = path.Dir(dir) {
			if strings.HasPrefix(path.Base(dir), ".") {
				return nil
			}
		}
		if at != "" && a.isPart(a.join(name, at)) {
			return nil
		}
		err := yield(target{name: a.join(name, at), found: at != "", from: name, at: at, size: size, version: version})
		stopped = err != nil
		return err
	})
	if err == nil || stopped || ctx.Err() != nil {
		return err
	}
	return yield(target{name: a.join(name, ""), from: name, err: err})
}

// bucket returns an error about a name that is below no root that is elsewhere, too. Both have
// their settings, which say what server is meant.
func (x *Access) bucket(full string) error {
	at, settings, _ := strings.Cut(full, "?")
	for _, root := range x.Roots {
		root, with, _ := strings.Cut(root, "?")
		root = strings.TrimSuffix(root, "/")
		if strings.Contains(root, "://") && with == settings && (at == root || strings.HasPrefix(at, root+"/")) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", at, errOutside)
}
