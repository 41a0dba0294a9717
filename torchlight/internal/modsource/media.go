package modsource

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/moddir"
)

// GamePath returns the path in the game of a file on disk, as far as the names of its folders show it.
func GamePath(src *format.Source) string {
	full, err := filepath.Abs(src.Path)
	if err != nil || src.Path == "-" {
		return src.Name
	}
	full = filepath.ToSlash(full)
	if i := strings.LastIndex(strings.ToUpper(full), "/MEDIA/"); i >= 0 {
		return full[i+1:]
	}
	return src.Name
}

// Media is a folder that contains a MEDIA folder. Its files are found by their paths in the game, ignoring case.
type Media struct {
	root string                       // "" if there is none
	dirs map[string]map[string]string // for each folder, names on disk by their names in the game
}

// MediaAround returns the folder that contains the MEDIA folder around a file.
func MediaAround(src *format.Source) *Media {
	m := &Media{dirs: make(map[string]map[string]string)}
	if name := GamePath(src); name != src.Name {
		if full, err := filepath.Abs(src.Path); err == nil {
			m.root = full[:len(full)-len(name)]
		}
	}
	return m
}

// Known reports whether there is a folder MEDIA around the file.
func (m *Media) Known() bool { return m.root != "" }

// Read returns the content of a file.
func (m *Media) Read(name string) ([]byte, error) {
	at, ok := m.find(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return regular.ReadFile(at, effort.TextFile)
}

// Names returns the names of the files in a folder of the game.
func (m *Media) Names(folder string) []string {
	if at, ok := m.find(folder); ok {
		return slices.Collect(maps.Keys(m.list(at)))
	}
	return nil
}

// Below returns the paths of the files in a folder of the game and in the folders inside it.
func (m *Media) Below(folder string) (files []string) {
	at, ok := m.find(folder)
	if !ok {
		return nil
	}
	_ = filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // unreadable folders count as empty
			inside, _ := filepath.Rel(at, name)
			files = append(files, moddir.GamePath(folder+"/"+filepath.ToSlash(inside)))
		}
		return nil
	})
	return files
}

// find returns the path on disk of a path in the game.
func (m *Media) find(name string) (at string, ok bool) {
	name = strings.ToUpper(strings.ReplaceAll(name, `\`, "/"))
	if m.root == "" || !fs.ValidPath(name) {
		return "", false
	}
	at = m.root
	for part := range strings.SplitSeq(name, "/") {
		own, ok := m.list(at)[part]
		if !ok {
			return "", false
		}
		at = filepath.Join(at, own)
	}
	return at, true
}

// list returns the names on disk in a folder, by their names in the game.
func (m *Media) list(at string) map[string]string {
	if m.dirs[at] == nil {
		names := make(map[string]string)
		entries, _ := os.ReadDir(at) // unreadable folders count as empty
		for _, e := range entries {
			names[moddir.GamePath(e.Name())] = e.Name()
		}
		m.dirs[at] = names
	}
	return m.dirs[at]
}

// ReadBeside reads the file of the same name next to a source.
func ReadBeside(src *format.Source, name string) ([]byte, error) {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	sibling, err := src.Beside(name)
	if err != nil {
		return nil, err
	}
	defer sibling.Close()
	return sibling.ReadUpTo(effort.TextFile)
}
