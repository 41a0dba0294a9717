package pak

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Edit changes single files of an archive. All others are copied unchanged, without inflating them. Paths match as in
// [Reader.Find]. [NewEdit] makes an Edit; the zero value is not usable.
type Edit struct {
	r     *Reader
	files []NewFile
	index map[string]int   // by path
	alike map[string][]int // by path, ignoring case
	seal  bool
}

// NewEdit begins to edit an archive. The archive must stay open and unchanged until Write returns.
func NewEdit(r *Reader) *Edit {
	e := &Edit{r: r, index: make(map[string]int, len(r.files)), alike: make(map[string][]int, len(r.files))}
	for _, f := range r.files {
		switch {
		case f.Duplicate: // Write keeps duplicates
		case f.Removed():
			e.set(NewFile{Path: f.Path, Removed: true})
		default:
			e.set(NewFile{Path: f.Path, Source: f})
		}
	}
	return e
}

func (e *Edit) set(f NewFile) {
	if i, ok := e.index[f.Path]; ok {
		e.files[i] = f
		return
	}
	e.index[f.Path] = len(e.files)
	folded := fold(f.Path)
	e.alike[folded] = append(e.alike[folded], len(e.files))
	e.files = append(e.files, f)
}

// fold returns the same text for all texts that are equal under [strings.EqualFold].
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}

// find returns the index of a path in e.files, ignoring case.
func (e *Edit) find(path string) (int, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	if i, ok := e.index[path]; ok {
		return i, true
	}
	if list := e.alike[fold(path)]; len(list) > 0 {
		return slices.Min(list), true
	}
	return 0, false
}

// Put adds a file, or replaces the file of the same path, ignoring case. A replaced file keeps the case of its path.
func (e *Edit) Put(f NewFile) {
	if i, ok := e.find(f.Path); ok {
		f.Path = e.files[i].Path
		e.files[i] = f
		return
	}
	e.set(f)
}

// Delete removes a file from the archive.
func (e *Edit) Delete(path string) error {
	i, ok := e.find(path)
	if !ok {
		return fmt.Errorf("pak: %s: no such file in the archive", path)
	}
	e.delete(i)
	return nil
}

func (e *Edit) delete(i int) {
	last := len(e.files) - 1
	delete(e.index, e.files[i].Path)
	folded := fold(e.files[i].Path)
	e.alike[folded] = slices.DeleteFunc(e.alike[folded], func(j int) bool { return j == i })
	if i != last {
		e.files[i] = e.files[last]
		e.index[e.files[i].Path] = i
		list := e.alike[fold(e.files[i].Path)]
		list[slices.Index(list, last)] = i
	}
	e.files = e.files[:last]
}

// Rename gives a file another path, which must be unused. If the extension changes, the file gets the type of the new
// extension.
func (e *Edit) Rename(from, to string) error {
	i, ok := e.find(from)
	if !ok {
		return fmt.Errorf("pak: %s: no such file in the archive", from)
	}
	if j, taken := e.find(to); taken && j != i {
		return fmt.Errorf("pak: %s: a file with this path already exists", e.files[j].Path)
	}
	f := e.files[i]
	if t := TypeOf(to); t != TypeOf(f.Path) {
		f.Type = &t
	}
	e.delete(i)
	f.Path = to
	e.set(f)
	return nil
}

// Files returns the files that Write will write, in no particular order. For a salvaged archive these are the readable
// files.
func (e *Edit) Files() []NewFile {
	if !e.r.salvaged {
		return e.files
	}
	var files []NewFile
	for _, f := range e.files {
		if from := f.Source; from != nil {
			if _, err := from.Content(); err != nil {
				continue
			}
			f.Source, f.Content, f.Time = nil, from.Content, from.Record.Time // the record of a salvaged file has no CRC-32
		}
		files = append(files, f)
	}
	return files
}

// Write writes the archive to target, which must not be the file that is being read. Without changes the output is
// byte-identical, unless the archive was salvaged.
func (e *Edit) Write(ctx context.Context, target Target) (man *Manifest, size int64, err error) {
	if e.r.salvaged {
		return Write(ctx, target, e.Files(), nil)
	}
	k, _, err := outline(e.r)
	if err != nil {
		return nil, 0, err
	}
	if e.seal {
		k.Hash, k.ManHash, k.Max = nil, nil, nil
	}
	return Write(ctx, target, e.files, k)
}

// Seal makes Write correct the values that the archive states wrongly: its hash, the manifest's hash and the size of
// the largest block. It returns the names of the wrong values.
func (e *Edit) Seal() (wrong []string, err error) {
	if e.r.salvaged {
		return nil, nil // Write computes all values of a salvaged archive
	}
	k, _, err := outline(e.r)
	if err != nil {
		return nil, err
	}
	e.seal = true
	for _, part := range []struct {
		odd  *Odd
		what string
	}{{k.Hash, "the hash of the archive"}, {k.ManHash, "the hash of the list"}, {k.Max, "the size of the largest block"}} {
		if part.odd != nil {
			wrong = append(wrong, part.what)
		}
	}
	return wrong, nil
}
