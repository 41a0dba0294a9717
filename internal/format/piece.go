package format

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/values/merge3"
)

// MaxPieceFiles is the maximum number of files whose digests an extraction records: more would take as much memory as the
// files.
const MaxPieceFiles = 200_000

// PieceDigest computes the digest of contents as stored in sidecars.
type PieceDigest struct{ hash.Hash }

// NewPieceDigest returns a digest; the content is written to it.
func NewPieceDigest() PieceDigest { return PieceDigest{sha256.New()} }

// String returns the digest of the data written so far.
func (d PieceDigest) String() string { return hex.EncodeToString(d.Sum(nil)[:16]) }

// digestOf returns the digest of content.
func digestOf(content []byte) string {
	d := NewPieceDigest()
	_, _ = d.Write(content)
	return d.String()
}

// Piece is an extracted folder.
type Piece struct {
	fsys    fs.FS
	taken   *safename.Taken // nil if it was not recorded
	root    io.Closer
	skipped []string // paths of links that are ignored
}

// OpenPiece opens a folder. It calls report for each link out of the folder; such links are ignored.
func OpenPiece(dir string, report func(at string, err error)) (_ *Piece, err error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			root.Close()
		}
	}()
	p := &Piece{root: root}
	limited := regular.Limit(regular.NewFS(root, func(at string, err error) {
		p.skipped = append(p.skipped, at)
		if report != nil {
			report(at, err)
		}
	}), effort.WholeFile)
	side, err := safename.Sidecar(limited)
	if err == nil && side != nil {
		p.taken, err = safename.TakenOf(side)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	p.fsys, err = safename.Restore(limited)
	return p, err
}

// Close closes the folder.
func (p *Piece) Close() error { return p.root.Close() }

// Noted reports whether the folder records what was extracted.
func (p *Piece) Noted() bool { return p.taken != nil }

// Option returns the value of an option with which the piece was extracted.
func (p *Piece) Option(name string) string {
	if p.taken == nil {
		return ""
	}
	return p.taken.Options[name]
}

// PieceChange is a file of a piece that will be added, replaced or removed.
type PieceChange struct {
	Path    string
	Added   bool
	Removed bool
}

// Content returns the content of a file of the piece.
func (p *Piece) Content(path string) ([]byte, error) { return fs.ReadFile(p.fsys, path) }

// Ways to decide if both the folder and the file have changed.
const (
	PreferFolder = "folder" // use the content of the folder
	PreferFile   = "file"   // use the content of the file
)

// PieceOptions control the comparison.
type PieceOptions struct {
	Prefer string // PreferFolder, PreferFile, or "": files with changes on both sides are conflicts
	Delete bool   // remove files from the game file that were removed from the folder

	// Conflict is called for each file that was changed both in the folder and in the game file.
	Conflict func(path, what string)
	// Left is called for each file that was removed from the folder but is kept in the game file.
	Left func(path string)
	// Litter is called for each file that is ignored, because a program left it there and the game file has none.
	Litter func(path string)
}

// Compare returns the changes in the folder since the extraction, or none if there are conflicts. Now returns the
// current content in the game file; fs.ErrNotExist means that there is none. A link or folder at the path of a file is an error.
func (p *Piece) Compare(now func(path string) ([]byte, error), o PieceOptions) ([]PieceChange, error) {
	var changes []PieceChange
	conflicts := 0
	taken := make(map[string]string)
	if p.taken != nil {
		taken = p.taken.Files
	}
	// compare compares a file with the given digest in the folder, "" if it was removed.
	compare := func(path, here string) error {
		was, there := taken[path], ""
		if was == here {
			return nil // not edited
		}
		content, err := now(path)
		switch {
		case err == nil:
			there = digestOf(content)
		case errors.Is(err, fs.ErrInvalid):
			return &fault.Error{File: path, Offset: -1, Want: "a folder, as in the game file", Got: "a file"}
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: %w", path, err)
		}
		c := PieceChange{Path: path, Added: there == "", Removed: here == ""}
		if c.Added && was == "" && IsLitter(path) {
			o.Litter(path)
			return nil
		}
		if c.Removed && !c.Added && !o.Delete {
			o.Left(path)
			return nil
		}
		switch side, both := merge3.Compare(was, there, here, func(x, y string) bool { return x == y }); {
		case both && o.Prefer == "":
			conflicts++
			o.Conflict(path, p.clash(c, was != ""))
		case both && o.Prefer == PreferFolder, side == merge3.Theirs:
			changes = append(changes, c)
		}
		return nil
	}
	here := make(map[string]bool)
	err := fs.WalkDir(p.fsys, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == "." || path == tree.Sidecar {
			return err
		}
		if e.IsDir() {
			if _, err := now(path); err == nil {
				return notFile(path, "a folder")
			}
			return nil
		}
		here[path] = true
		content, err := p.Content(path)
		if err != nil {
			return err
		}
		return compare(path, digestOf(content))
	})
	if err != nil {
		return nil, err
	}
	for _, path := range p.skipped {
		if _, err := now(path); err == nil {
			return nil, notFile(path, "a link that is ignored")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(taken)) {
		if here[path] || path == tree.Sidecar {
			continue
		}
		if err := p.gone(path); err != nil {
			return nil, err
		}
		if err := compare(path, ""); err != nil {
			return nil, err
		}
	}
	if conflicts > 0 {
		return nil, nil
	}
	return changes, nil
}

// gone returns an error unless nothing is at the path of a file that was extracted, or in the place of one of its folders.
func (p *Piece) gone(at string) error {
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		info, err := fs.Stat(p.fsys, dir)
		if omitted, is := errors.AsType[regular.Omitted](err); is {
			return notFile(dir, omitted.Error())
		} else if err == nil && !info.IsDir() {
			return &fault.Error{File: dir, Offset: -1, Want: "a folder as in the game file, or nothing", Got: "a file"}
		} else if err == nil {
			break
		}
	}
	_, err := fs.Stat(p.fsys, at)
	switch omitted, is := errors.AsType[regular.Omitted](err); {
	case is:
		return notFile(at, omitted.Error())
	case err == nil:
		return notFile(at, "a folder")
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// notFile returns the error for something else at the path of a file.
func notFile(path, found string) error {
	return &fault.Error{File: path, Offset: -1, Want: "a file as in the game file, or nothing", Got: found}
}

// clash describes a conflict; known means that the file was taken out.
func (p *Piece) clash(c PieceChange, known bool) string {
	switch {
	case c.Removed:
		return "removed here, but the file has changed since the extraction"
	case c.Added:
		return "edited here, but no longer in the file"
	case known:
		return "edited here, but the file has changed since the extraction"
	case p.taken != nil:
		return "new here, but the file already has a different file of this name"
	}
	return "differs from the file, and the extracted content was not recorded, so the newer one is unknown"
}
