package modauthor

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/text"
)

// mention is a place in a file that defines or mentions a thing.
type mention struct {
	symbol
	line, from, to int32 // from 0; columns in bytes
	own            bool  // it defines the thing
}

// keyUse is a property, for the statistics of keys.
type keyUse struct {
	node, key, value string
	typ              text.Type
}

// facts are what the index needs of a file.
type facts struct {
	mentions []mention
	keys     []keyUse
}

// factsOf returns the facts of a file of the game by its text.
func factsOf(game, content string) (f facts) {
	switch path.Ext(game) {
	case ".IMAGESET":
		f.imageSet(content)
	case ".MATERIAL":
		f.material(game, content)
	case ".RAW":
		f.table(game, content)
	default:
		f.data(game, func(see func(event)) { scan(content, see) })
	}
	return f
}

func (f *facts) add(s symbol, own bool, line, from, to int) {
	f.mentions = append(f.mentions, mention{s, int32(line), int32(from), int32(to), own})
}

// data notes the properties of a data file or layout.
func (f *facts) data(game string, each func(see func(event))) {
	dirs := make(map[int]string) // RESOURCEDIRECTORY by node
	var resources []event        // values that may be names of files in it
	each(func(e event) {
		depth := len(e.way)
		if e.open && depth > 1 {
			f.keys = append(f.keys, keyUse{e.way[depth-2], "[" + e.way[depth-1] + "]", "", 0})
		}
		if e.open || depth == 0 {
			return
		}
		f.keys = append(f.keys, keyUse{e.way[depth-1], e.key, e.value, e.typ})
		key := strings.ToUpper(e.key)
		s, own, ok := meaning(game, &e)
		switch {
		case key == "RESOURCEDIRECTORY":
			dirs[e.node] = e.value
		case e.typ == text.String && !(ok && s.kind == kindFile) && isResource(key):
			resources = append(resources, e)
			return
		}
		if ok {
			f.add(s, own, e.line, e.from(), e.from()+len(strings.TrimSpace(e.value)))
		}
	})
	for _, e := range resources {
		if s, ok := resource(dirs[e.node], e.key, e.value); ok {
			f.add(s, false, e.line, e.from(), e.from()+len(strings.TrimSpace(e.value)))
		}
	}
}

// from returns the column of the value without blanks before it.
func (e *event) from() int {
	return e.valueAt + len(e.value) - len(strings.TrimLeft(e.value, " \t"))
}

func isResource(key string) bool {
	return slices.ContainsFunc(resourceWords, func(word string) bool { return strings.Contains(key, word) })
}

// resource returns the file of a directory that a unit names, perhaps without its extension.
func resource(dir, key, value string) (symbol, bool) {
	value = strings.TrimSpace(value)
	if dir == "" || value == "" || strings.ContainsAny(value, `/\`) {
		return symbol{}, false
	}
	if _, ok := modinfo.Target(value); !ok {
		ext := ".MESH"
		for word, its := range map[string]string{"TEXTURE": ".DDS", "MATERIAL": ".MATERIAL", "SKELETON": ".SKELETON"} {
			if strings.Contains(strings.ToUpper(key), word) {
				ext = its
			}
		}
		value += ext
	}
	return symbol{kindFile, inMedia(dir + "/" + value)}, true
}

// tableField is a field of a table in JSON whose value is a text.
var tableField = regexp.MustCompile(`^\s*(?:"(\w+)":\s*)?"([^"\\]*)"`)

// table notes the files, GUIDs and names in a table.
func (f *facts) table(game, content string) {
	named := kindAny
	for i, t := range things {
		if strings.HasPrefix(path.Base(game), strings.TrimSuffix(t.folder, "S")) {
			named = kindThing + kind(i)
		}
	}
	n := 0
	for row := range strings.Lines(content) {
		if m := tableField.FindStringSubmatchIndex(row); m != nil {
			value := row[m[4]:m[5]]
			target, isFile := modinfo.Target(value)
			_, isNumber := text.ParseInt64(value)
			switch key := row[max(m[2], 0):max(m[3], 0)]; {
			case isFile && strings.Contains(target, "/"):
				f.add(symbol{kindFile, inMedia(target)}, false, n, m[4], m[5])
			case isNumber && len(value) > 1 && value != "-1":
				f.add(symbol{kindGUID, value}, false, n, m[4], m[5])
			case key == "name" && value != "":
				f.add(symbol{named, strings.ToUpper(value)}, false, n, m[4], m[5])
			}
		}
		n++
	}
}

var (
	imageFile   = regexp.MustCompile(`(?i)\bImagefile\s*=\s*["']([^"']*)["']`)
	imageSprite = regexp.MustCompile(`(?i)<Image\s[^>]*?\bName\s*=\s*["']([^"']*)["']`)
)

// imageSet notes the sprites and the picture of an image set.
func (f *facts) imageSet(content string) {
	n := 0
	for row := range strings.Lines(content) {
		if m := imageFile.FindStringSubmatchIndex(row); m != nil {
			f.add(symbol{kindFile, inMedia(row[m[2]:m[3]])}, false, n, m[2], m[3])
		}
		if m := imageSprite.FindStringSubmatchIndex(row); m != nil {
			f.add(symbol{kindSprite, strings.ToUpper(row[m[2]:m[3]])}, true, n, m[2], m[3])
		}
		n++
	}
}

// textureLine is a line of a material that names textures: paths, or names of files in the folder of the material.
var textureLine = regexp.MustCompile(`(?i)^[ \t]*(?:texture|anim_texture|cubic_texture)[ \t]+`)

// material notes the textures of a material.
func (f *facts) material(game, content string) {
	n := 0
	for row := range strings.Lines(content) {
		row = strings.TrimRight(row, "\r\n")
		if m := textureLine.FindString(row); m != "" {
			for at := len(m); at < len(row); {
				end := at + len(row[at:]) - len(strings.TrimLeft(row[at:], " \t"))
				at = end
				if i := strings.IndexAny(row[at:], " \t"); i >= 0 {
					end = at + i
				} else {
					end = len(row)
				}
				if target, ok := modinfo.Target(row[at:end]); ok {
					if !strings.Contains(target, "/") {
						target = path.Dir(game) + "/" + target
					}
					f.add(symbol{kindFile, inMedia(target)}, false, n, at, end)
				}
				at = end
			}
		}
		n++
	}
}
