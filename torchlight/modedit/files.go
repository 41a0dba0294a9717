package modedit

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/moddir"
)

var errNotThere = fs.ErrNotExist

// digest returns 64 bits that depend on a text and a number.
func digest(s string, i int) int64 {
	sum := sha256.Sum256([]byte(s + "\n" + strconv.Itoa(i)))
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// Put adds a file, or replaces the file of the same path. Content in its editable form (the text of a data file, the
// JSON of a table, the picture of a grid) is compiled, unless the editor has a folder.
func (e *Editor) Put(name string, content []byte) error {
	name = moddir.GamePath(strings.ReplaceAll(name, `\`, "/"))
	if e.archive == nil && e.folder == nil {
		return errSingle
	}
	if !strings.HasPrefix(name, "MEDIA/") {
		name = "MEDIA/" + name
	}
	if !fs.ValidPath(name) || name == "MEDIA" {
		return fmt.Errorf("%s: not the path of a file below MEDIA/", name)
	}
	if e.header != nil {
		for _, hidden := range e.header.Removed {
			if gameName(hidden) == name {
				return fmt.Errorf("%s: the mod removes this file from the game: use show first", name)
			}
		}
	}
	content, err := e.stored(name, content)
	if err != nil {
		return err
	}
	if f := e.find(name); f != nil {
		old, err := f.read()
		if err == nil && string(old) == string(content) {
			return nil
		}
		e.put(f, content)
		e.Report(check.Change{Path: f.path, What: fmt.Sprintf("replaced: %s became %d", words.Count(len(old), "byte"), len(content)),
			Count: 1, Unit: "files"})
		return nil
	}
	e.add(name, content)
	e.Report(check.Change{Path: name, What: fmt.Sprintf("added, %s", words.Count(len(content), "byte")), Count: 1, Unit: "files"})
	return nil
}

// stored returns a content in the form in which the mod stores it: compiled, unless the editor has a folder.
func (e *Editor) stored(name string, content []byte) ([]byte, error) {
	if moddir.IsForm(name, content) && (e.folder == nil || !isTree(name)) {
		return moddir.Compile(content, name, e.forms())
	}
	return content, nil
}

var errSingle = fmt.Errorf("a single file contains no other files")

// Delete removes the files that match a pattern. See [Editor.Select].
func (e *Editor) Delete(pattern string) error {
	if e.archive == nil && e.folder == nil {
		return errSingle
	}
	list, err := e.selected(pattern, func(string) bool { return true })
	if err != nil {
		return err
	}
	for _, f := range list {
		delete(e.files, gameName(f.path))
		e.Report(check.Change{Path: f.path, What: "removed", Count: 1, Unit: "files"})
	}
	return nil
}
