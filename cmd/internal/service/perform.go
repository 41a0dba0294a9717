package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
)

// Handover states who does the work of a verb, and with which limits.
type Handover struct {
	// Work receives the work of the verb, once. When Work returns nil, the verb prints the summary of the
	// records taken, as if it had done the work itself. If Work returns [ErrPart], the verb prints nothing.
	Work func(ctx context.Context, w work.Work) error

	Program string // identifies the program for which a part is done; "" is this program

	Part *work.Part // the part that Work does, so that only its files are read; nil: no part or several

	Access *Access // nil: no restrictions

	// Output returns the path to write instead of the user's output name (-o and similar options). nil: there
	// is no output, as for a run that only does parts.
	Output func(name string) string

	// Files are the files of the output that parts store in their final place if there are very many parts ([work.Many]),
	// and that their records only name. nil: the records contain them.
	Files *work.Files

	// Adopt makes one of Files a file of the output folder, as name, without copying it. nil: the verb copies it.
	Adopt func(name string, ref work.Ref) error

	// Kept returns the path of an output folder that is updated: the folder may exist before the work and
	// remains afterwards. If Kept is nil or returns "", the output starts empty and goes to Output.
	Kept func(name string) string
}

// ErrPart is returned by [Handover.Work] when it has done only a part of the work or only recorded the parts. The
// verb then prints nothing, and the exit code is 0.
var ErrPart = errors.New("a part of the work was done")

// Access limits a run on behalf of another user.
type Access struct {
	Roots   []string // folders, and [Elsewhere] names with settings; nothing outside can be opened, not even through links
	Remote  bool     `option:"remote" help:"allow connections to database servers on other machines"`
	Changes bool     `option:"allow-changes" help:"allow jobs to change databases in place"`
}

// Perform does the work of a verb or hands it over. Afterwards, the verb only prints a summary of the records
// taken.
func (s *Service) Perform(ctx context.Context, w work.Work) error {
	switch {
	case s.Handover == nil && s.Resume == "":
		return w.Here(ctx)
	case s.Handover == nil:
		return s.resumed(ctx, w)
	case s.Resume != "":
		return errors.New("--resume is not for workers, which always store their results")
	}
	s.Performed = true
	return s.Handover.Work(ctx, w)
}

// Placing returns the place for files of a part that this run does: nil if its records contain them.
func (s *Service) Placing() *work.Files {
	if s.Handover == nil || s.Handover.Part == nil || !s.Handover.Part.Apart {
		return nil
	}
	return s.Handover.Files
}

// Placed returns the files that the records of parts name, and the function that makes one of them a file of the output.
func (s *Service) Placed() (files *work.Files, adopt func(name string, ref work.Ref) error) {
	if s.Handover == nil {
		return nil, nil
	}
	return s.Handover.Files, s.Handover.Adopt
}

// InParts reports whether the results of parts are kept, so that a failed part can be retried.
func (s *Service) InParts() bool { return s.Handover != nil || s.Resume != "" }

// MayChange returns an error if changes in place are not allowed.
func (s *Service) MayChange() error {
	if s.Handover == nil || s.Handover.Access == nil || s.Handover.Access.Changes {
		return nil
	}
	return refusal("changing files in place is not allowed here")
}

// OnlyWork returns an error about a command line without work that can be split, for a verb that has such work
// with other arguments. It is called before anything is done.
func (s *Service) OnlyWork(words string) error {
	if !s.InParts() {
		return nil
	}
	return fmt.Errorf("without %s the work cannot be divided into parts", words)
}

// Written returns the path to write for an output name, or "" if there is no output.
func (s *Service) Written(name string) string {
	if s.Handover == nil || s.Handover.Output == nil {
		return name
	}
	return s.Handover.Output(name)
}

// Kept returns the path of an output folder whose existing content is used.
func (s *Service) Kept(name string) (place string, ok bool) {
	switch {
	case s.Handover == nil:
		return name, true
	case s.Handover.Kept == nil:
		return "", false
	}
	place = s.Handover.Kept(name)
	return place, place != ""
}

// mayRead returns an error about a file that may not be opened, or a folder with links out of the roots. It is
// called before any file is opened that the user named or that was found in a folder.
func (s *Service) mayRead(name string) error {
	if s.Handover == nil || s.Handover.Access == nil {
		return nil
	}
	if name == "-" {
		return errors.New("standard input cannot be read here: name a file")
	}
	if s.IsElsewhere(name) {
		return s.Handover.Access.bucket(s.Elsewhere.Full(name))
	}
	return s.Handover.Access.whole(name)
}

// MayLookAt is mayRead for a folder whose files are checked one by one later.
func (s *Service) MayLookAt(name string) error {
	if s.Handover == nil || s.Handover.Access == nil || name == "-" {
		return nil
	}
	if s.IsElsewhere(name) {
		return s.mayRead(name)
	}
	return s.Handover.Access.Inside(name)
}

// ErrRefused is wrapped by errors about operations that [Access] does not allow. Retrying does not help.
var ErrRefused = errors.New("not allowed here")

// refusal is an error with its own message that wraps ErrRefused.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) Unwrap() error   { return ErrRefused }

const ErrOutside = refusal("outside the folders that may be read here")

// whole returns an error about a file outside of the roots, or a folder with a link that leads out of the
// roots.
func (x *Access) whole(name string) error { return x.wholeOf(name, make(map[string]bool)) }

func (x *Access) wholeOf(name string, seen map[string]bool) error {
	if err := x.Inside(name); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil || seen[real] {
		return nil // the verb reports the error
	}
	seen[real] = true
	return filepath.WalkDir(real, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Type()&os.ModeSymlink == 0 {
			return nil // unreadable folders are not read
		}
		return x.wholeOf(path, seen)
	})
}

// Inside returns an error about a path that is outside of the roots after all links are resolved.
func (x *Access) Inside(name string) error {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = resolved(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, ErrOutside) // the error reveals nothing about the target
	}
	for _, root := range x.Roots {
		if root, err = filepath.Abs(root); err != nil {
			continue
		}
		if root, err = filepath.EvalSymlinks(root); err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", name, ErrOutside)
}

// resolved is [filepath.EvalSymlinks] for paths whose last elements may be missing.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, os.ErrNotExist) {
		return real, err
	}
	if _, e := os.Lstat(path); e == nil || filepath.Dir(path) == path {
		return "", err // a dangling link: its target may be created later
	}
	above, err := resolved(filepath.Dir(path))
	return filepath.Join(above, filepath.Base(path)), err
}

// MayUse returns an error about options of formats that are not allowed here, or whose values are files that
// may not be read.
func (s *Service) MayUse(options []format.Option, value func(name string) string) error {
	if s.Handover == nil || s.Handover.Access == nil {
		return nil
	}
	for _, o := range options {
		v := value(o.Name)
		switch {
		case v == "":
		case o.Input:
			for name := range strings.SplitSeq(v, "\n") {
				if err := s.mayRead(name); err != nil {
					return fmt.Errorf("--%s: %w", o.Name, err)
				}
			}
		case o.Remote && v == "true" && !s.Handover.Access.Remote:
			return fmt.Errorf("--%s: %w", o.Name, refusal("connections to other machines are not allowed here"))
		}
	}
	return nil
}
