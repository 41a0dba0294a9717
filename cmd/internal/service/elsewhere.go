package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/internal/format"
)

// Elsewhere provides files outside of the file system, such as those of object storage. Their names contain
// ://. The only game files that are folders there are those for which [format.Format.Stored] allows it.
type Elsewhere interface {
	// Has reports whether a name belongs to this storage.
	Has(name string) bool
	// Full returns a name together with all settings that locate it.
	Full(name string) string
	// Join returns the display name of the slash-separated path at below a name.
	Join(name, at string) string
	// Walk calls do for each file below a name, in order. at is the path from the name, or "" if the name is a
	// file; size is in bytes; version is a text that changes with the content.
	Walk(ctx context.Context, name string, do func(at string, size int64, version string) error) error
	// Open opens a file for reading. The file is usable until the context ends.
	Open(ctx context.Context, name string) (*format.Source, error)
	// Folder returns a name as a folder, without checking that the folder exists.
	Folder(name string) (*format.Source, error)
}

// IsElsewhere reports whether a name is outside of the file system.
func (s *Service) IsElsewhere(name string) bool { return s.Elsewhere != nil && s.Elsewhere.Has(name) }

// Join returns the name of the slash-separated path at below a name. If at is "", join returns the name itself.
func (s *Service) Join(name, at string) string {
	switch {
	case s.IsElsewhere(name):
		return s.Elsewhere.Join(name, at)
	case at == "":
		return name
	}
	return filepath.Join(name, filepath.FromSlash(at))
}

// Folder returns a folder, which may not exist.
func (s *Service) Folder(name string) (*format.Source, error) {
	if s.IsElsewhere(name) {
		return s.Elsewhere.Folder(name)
	}
	return &format.Source{Path: name, Name: filepath.Base(filepath.Clean(name)), Dir: name}, nil
}

// sourceElsewhere opens a file, or a folder that is a game file.
func (s *Service) sourceElsewhere(ctx context.Context, name string) (*format.Source, error) {
	src, err := s.Elsewhere.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		if folder := s.gameElsewhere(name); folder != nil {
			return folder, nil
		}
	}
	return src, err
}

// gameElsewhere returns a folder if the folder is a game file, otherwise nil.
func (s *Service) gameElsewhere(name string) *format.Source {
	folder, err := s.Elsewhere.Folder(name)
	if err == nil {
		_, err = s.Formats.Find(folder)
	}
	if err != nil {
		return nil
	}
	return folder
}

// objects yields the files below a name that is outside of the file system.
func (s *Service) objects(ctx context.Context, name string, yield func(Target) error) error {
	if s.gameElsewhere(name) != nil {
		return yield(Target{Name: s.Join(name, ""), From: name})
	}
	stopped := false
	err := s.Elsewhere.Walk(ctx, name, func(at string, size int64, version string) error {
		for dir := at; dir != "" && dir != "."; dir = path.Dir(dir) {
			if strings.HasPrefix(path.Base(dir), ".") {
				return nil
			}
		}
		if at != "" && s.isPart(ctx, s.Join(name, at)) {
			return nil
		}
		err := yield(Target{Name: s.Join(name, at), Found: at != "", From: name, at: at, size: size, version: version})
		stopped = err != nil
		return err
	})
	if err == nil || stopped || ctx.Err() != nil {
		return err
	}
	return yield(Target{Name: s.Join(name, ""), From: name, Err: err})
}

// bucket returns an error about a name that is outside of all roots. The name and the roots include their
// settings, which choose the server.
func (x *Access) bucket(full string) error {
	at, settings, _ := strings.Cut(full, "?")
	for _, root := range x.Roots {
		root, with, _ := strings.Cut(root, "?")
		root = strings.TrimSuffix(root, "/")
		if strings.Contains(root, "://") && with == settings && (at == root || strings.HasPrefix(at, root+"/")) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", at, ErrOutside)
}
