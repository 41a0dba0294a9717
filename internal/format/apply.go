package format

import (
	"fmt"
	"path/filepath"
	"slices"

	"trowel.example/check"
)

// ApplyName is the name of [ApplyCommand].
const ApplyName = "apply"

// ApplyCommand returns the edit command apply. Formats implement it with [Apply].
func ApplyCommand(do any) *Command {
	return Declare[applyFields](Command{
		Name: ApplyName, Heading: "Pieces", Title: "Put an edited extract back into its file",
		Long: "Writes only the changes in the folder to the file. If the file has changed in the same place since the " +
			"extraction, nothing is written and the places are reported, unless --prefer selects a side. Files that were " +
			"removed from the folder are removed from the file only with --delete.",
		Example: "apply climb",
	}, do)
}

type applyFields struct {
	Folder string `arg:"folder,input" help:"the folder that extract made from some paths of the file, or from an area"`
	Prefer string `option:"prefer" choices:"folder|file" help:"the side that is used where both have changed"`
	Delete bool   `option:"delete" help:"also remove the files that were removed from the folder"`
}

// An AppliedFile is a file of a folder that goes into a game file.
type AppliedFile struct {
	Path    string // in the tree
	Content []byte // nil if it is removed
	Removed bool
}

// Apply compares the folder that the user gave to [ApplyCommand] with the file, calls put with each changed part, and
// returns the changes to report. Now returns the current content at a path of the file's tree, extracted with the
// given options; fs.ErrNotExist means that there is none. Conflicts, and removed parts that are kept, are reported to
// the job.
func Apply(job *Job, now func(path string, option func(name string) string) ([]byte, error),
	put func(AppliedFile) error) ([]check.Change, error) {
	o := Values[applyFields](job)
	dir := o.Folder
	p, err := OpenPiece(dir, func(at string, err error) { job.Miss(filepath.Join(dir, at), "%v", err) })
	if err != nil {
		return nil, err
	}
	defer p.Close()
	changes, err := p.Compare(func(path string) ([]byte, error) { return now(path, p.Option) }, PieceOptions{
		Prefer: o.Prefer, Delete: o.Delete,
		Conflict: func(path, what string) { job.Miss(filepath.Join(dir, path), "conflict: %s", what) },
		Left: func(path string) {
			job.Warn(filepath.Join(dir, path), "removed here, but kept in the file (--delete removes it there)")
		},
		Litter: func(path string) { job.Warn(filepath.Join(dir, path), "left out: an editor or the desktop made it") },
	})
	if err != nil {
		return nil, err
	}
	if !p.Noted() && len(changes) > 0 && !slices.ContainsFunc(changes, func(c PieceChange) bool { return !c.Added }) {
		return nil, fmt.Errorf("%s: no file in this folder is a part of the file, and its origin is not recorded", dir)
	}
	var reported []check.Change
	for _, c := range changes {
		f := AppliedFile{Path: c.Path, Removed: c.Removed}
		what := "replaced"
		switch {
		case c.Removed:
			what = "removed"
		case c.Added:
			what = "added"
		}
		if !c.Removed {
			if f.Content, err = p.Content(c.Path); err != nil {
				return nil, err
			}
		}
		if err := put(f); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, c.Path), err)
		}
		reported = append(reported, check.Change{Path: c.Path, What: what, Count: 1, Unit: "files"})
	}
	return reported, nil
}
