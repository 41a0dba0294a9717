package texture

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/minetest/world"
)

// A Mod is a mod in a folder.
type Mod struct {
	Name    string
	Path    string // with the name of the folder of mods
	FS      fs.FS
	Depends []string // mods that must be loaded before
	Options []string // mods that must be loaded before if they exist
	inPack  bool
}

// A ModFolder is a folder of mods and modpacks, or a single mod.
type ModFolder struct {
	Name string // for paths
	FS   fs.FS
	// Enabled reports whether a mod is loaded, by its name and its path in the folder. If it is nil, all mods are.
	Enabled func(name, path string) bool
}

// EnabledMods returns the function Enabled for the mods of the engine's folders, from world.mt: load_mod_NAME must be
// true or the path of the mod.
func EnabledMods(settings *world.Settings) func(name, path string) bool {
	return func(name, file string) bool {
		value, _ := settings.Get("load_mod_" + name)
		switch strings.ToLower(value) {
		case "y", "yes", "true":
			return true
		}
		return value == path.Join("mods", file) || atoi(value) != 0
	}
}

// maxModpacks is the maximum depth of modpacks in modpacks.
const maxModpacks = 16

// OrderMods returns the mods of folders in the order in which the engine loads them. A mod replaces mods of the same name in
// earlier levels: the levels are the game, the world, and all other folders. Mods whose dependencies do not exist are
// problems; they come last.
func OrderMods(levels ...[]ModFolder) (mods []Mod, problems []Problem) {
	report := func(file, format string, args ...any) {
		problems = append(problems, Problem{File: file, Text: fmt.Sprintf(format, args...)})
	}
	for _, folders := range levels {
		var list []Mod
		for _, folder := range folders {
			found := modsIn(folder.Name, folder.FS, ".", 0, report)
			list = append(list, slices.DeleteFunc(found, func(m Mod) bool {
				return folder.Enabled != nil && !folder.Enabled(m.Name, m.pathIn(folder.Name))
			})...)
		}
		slices.SortStableFunc(list, func(a, b Mod) int { // those of modpacks first
			switch {
			case a.inPack == b.inPack:
				return 0
			case a.inPack:
				return -1
			}
			return 1
		})
		first := len(mods)
		for _, m := range list {
			i := slices.IndexFunc(mods, func(other Mod) bool { return other.Name == m.Name })
			switch {
			case i < 0:
				mods = append(mods, m)
				continue
			case i >= first:
				report(m.Path, "two mods named %s: the other is %s", m.Name, mods[i].Path)
			}
			mods[i] = m
		}
	}
	return sortMods(mods, report), problems
}

// pathIn returns the path of a mod in its folder of mods.
func (m *Mod) pathIn(folder string) string {
	return strings.TrimPrefix(strings.TrimPrefix(m.Path, folder), "/")
}

// sortMods sorts mods by their dependencies, as the engine does: the last mod that is ready is next.
func sortMods(mods []Mod, report func(file, format string, args ...any)) (sorted []Mod) {
	exists := make(map[string]bool)
	for _, m := range mods {
		exists[m.Name] = true
	}
	waits := make([]map[string]bool, len(mods)) // for mods by name
	needed := make(map[string][]int)            // by the mods that wait, in their order
	var ready []int
	for i, m := range mods {
		waits[i] = make(map[string]bool)
		for _, name := range m.Depends {
			waits[i][name] = true
		}
		for _, name := range m.Options {
			if exists[name] {
				waits[i][name] = true
			}
		}
		for name := range waits[i] {
			needed[name] = append(needed[name], i)
		}
		if len(waits[i]) == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		sorted = append(sorted, mods[i])
		for _, k := range needed[mods[i].Name] {
			if delete(waits[k], mods[i].Name); len(waits[k]) == 0 {
				ready = append(ready, k)
			}
		}
	}
	for i, m := range mods {
		if len(waits[i]) > 0 {
			var names []string
			for name := range waits[i] {
				names = append(names, name)
			}
			slices.Sort(names)
			report(m.Path, "mod %s: dependencies are missing or circular: %s", m.Name, strings.Join(names, ", "))
			sorted = append(sorted, m)
		}
	}
	return sorted
}

// modsIn returns the mods of a folder by the names of their folders, and those of modpacks in it, or the mod that the folder is.
func modsIn(name string, fsys fs.FS, dir string, depth int, report func(file, format string, args ...any)) (mods []Mod) {
	if depth == 0 && isMod(fsys, dir) {
		return []Mod{readMod(name, fsys)}
	}
	list, err := fs.ReadDir(fsys, dir)
	if err != nil {
		report(path.Join(name, dir), "%v", err)
	}
	for _, entry := range list {
		file := path.Join(dir, entry.Name())
		if entry.Name()[0] == '.' || !isFolder(fsys, file, entry) {
			continue
		}
		if isModpack(fsys, file) {
			if depth == maxModpacks {
				report(path.Join(name, file), "ignored: too deeply nested modpacks")
				continue
			}
			for _, m := range modsIn(name, fsys, file, depth+1, report) {
				m.inPack = true
				mods = append(mods, m)
			}
			continue
		}
		sub, err := fs.Sub(fsys, file)
		if err != nil {
			report(path.Join(name, file), "%v", err)
			continue
		}
		mods = append(mods, readMod(path.Join(name, file), sub))
	}
	return mods
}

func isModpack(fsys fs.FS, dir string) bool {
	return exists(fsys, path.Join(dir, "modpack.conf")) || exists(fsys, path.Join(dir, "modpack.txt"))
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// readMod reads the name and the dependencies of a mod. Files that do not exist state nothing.
func readMod(file string, fsys fs.FS) Mod {
	m := Mod{Name: path.Base(file), Path: file, FS: fsys}
	text, _ := readFile(fsys, "mod.conf")
	conf := world.ParseSettings(text, "")
	if name, is := conf.Get("name"); is {
		m.Name = name
	}
	depends, is := conf.Get("depends")
	optional, has := conf.Get("optional_depends")
	if is || has {
		m.Depends, m.Options = modNames(depends), modNames(optional)
		return m
	}
	text, _ = readFile(fsys, "depends.txt")
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name := strings.TrimRightFunc(line, func(r rune) bool {
			return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_')
		})
		switch {
		case name == "":
		case strings.Contains(line[len(name):], "?"):
			m.Options = append(m.Options, name)
		default:
			m.Depends = append(m.Depends, name)
		}
	}
	return m
}

// modNames splits a list of names at commas.
func modNames(text string) (list []string) {
	for _, name := range strings.Split(text, ",") {
		if name = strings.Join(strings.Fields(name), ""); name != "" {
			list = append(list, name)
		}
	}
	return list
}
