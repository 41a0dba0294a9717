// Package piece is what becomes of a part of a file that was taken out as a folder, and edited
// there: what of it goes back into the file, and what cannot because the file has changed, too.
package piece

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"

	"trowel.example/internal/links"
	"trowel.example/internal/regular"
	"trowel.example/internal/safename"
	"trowel.example/internal/tree"
)

// MaxFiles is of how many files an extraction notes what it took out: more would take as
// much memory as the files.
const MaxFiles = 200_000

// Digest is a digest of a content, as sidecars have it.
type Digest struct{ hash.Hash }

// NewDigest returns a digest to write a content to.
func NewDigest() Digest { return Digest{sha256.New()} }

// String returns the digest.
func (d Digest) String() string { return hex.EncodeToString(d.Sum(nil)[:16]) }

// digestOf returns the digest of a content.
func digestOf(content []byte) string {
	d := NewDigest()
	_, _ = d.Write(content)
	return d.String()
}

// Piece is a folder that was taken out of a file.
type Piece struct {
	fsys  fs.FS
	taken *safename.Taken // nil if nobody noted it
	root  io.Closer
}

// maxFile is the size of the largest file of a piece.
const maxFile = 1 << 30

// Open opens a folder. Told hears of links that lead out of it, which are left out.
func Open(dir string, told func(at string, err error)) (_ *Piece, err error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			root.Close()
		}
	}()
	limited := regular.Limit(links.New(root, told), maxFile)
	p := &Piece{root: root}
	side, err := fs.ReadFile(limited, tree.Sidecar)
	if err == nil {
		p.taken, err = safename.TakenOf(side)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	p.fsys, err = safename.Restore(limited)
	return p, err
}

// Close closes the folder.
func (p *Piece) Close() error { return p.root.Close() }

// Noted reports whether the folder says what was taken out.
func (p *Piece) Noted() bool { return p.taken != nil }

// Option returns an option with which the file was shown when the piece was taken out.
func (p *Piece) Option(name string) string {
	if p.taken == nil {
		return ""
	}
	return p.taken.Options[name]
}

// Change is a file of a piece that is to become another one, or to go.
type Change struct {
	Path    string
	Added   bool
	Removed bool
}

// Content returns the content of a file of the piece.
func (p *Piece) Content(path string) ([]byte, error) { return fs.ReadFile(p.fsys, path) }

// How to decide where the file has changed, too.
const (
	PreferFolder = "folder" // what the folder has counts
	PreferFile   = "file"   // what the file has counts
)

// Options are how a piece is compared.
type Options struct {
	Prefer string // PreferFolder, PreferFile, or "": such files are conflicts
	Delete bool   // what was removed from the folder is removed from the file

	// Conflict hears of each file that was changed both in the folder and in the file.
	Conflict func(path, what string)
	// Left hears of each file that was removed from the folder and stays in the file.
	Left func(path string)
}

// Compare returns what was changed in the folder since it was taken out: nothing if there
// are conflicts. Now returns the content that the file has today; fs.ErrNotExist means none.
func (p *Piece) Compare(now func(path string) ([]byte, error), o Options) ([]Change, error) {
	var changes []Change
	conflicts := 0
	add := func(c Change, clash string) {
		switch {
		case clash == "" || o.Prefer == PreferFolder:
			changes = append(changes, c)
		case o.Prefer != PreferFile:
			conflicts++
			o.Conflict(c.Path, clash)
		}
	}
	here := make(map[string]bool)
	err := fs.WalkDir(p.fsys, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == tree.Sidecar {
			return err
		}
		here[path] = true
		content, err := p.Content(path)
		if err != nil {
			return err
		}
		was, known := "", false
		if p.taken != nil {
			if was, known = p.taken.Files[path]; known && was == digestOf(content) {
				return nil // nobody has edited it
			}
		}
		is, err := now(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !known:
			add(Change{Path: path, Added: true}, "")
		case errors.Is(err, fs.ErrNotExist):
			add(Change{Path: path, Added: true}, "it was edited here, and is not in the file any more")
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case bytes.Equal(is, content):
		case known && was == digestOf(is):
			add(Change{Path: path}, "")
		case known:
			add(Change{Path: path}, "it was edited here, and the file has changed there since it was taken out")
		case p.taken != nil:
			add(Change{Path: path}, "it is new here, and the file has another one")
		default:
			add(Change{Path: path}, "it is not as in the file, and nobody noted what was taken out: which of them is newer cannot be told")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.taken != nil {
		var gone []string
		for path := range p.taken.Files {
			if !here[path] && path != tree.Sidecar {
				gone = append(gone, path)
			}
		}
		slices.Sort(gone)
		for _, path := range gone {
			is, err := now(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, fmt.Errorf("%s: %w", path, err)
			case !o.Delete:
				o.Left(path)
			case digestOf(is) == p.taken.Files[path]:
				add(Change{Path: path, Removed: true}, "")
			default:
				add(Change{Path: path, Removed: true}, "it was removed here, and the file has changed there since it was taken out")
			}
		}
	}
	if conflicts > 0 {
		return nil, nil
	}
	return changes, nil
}
