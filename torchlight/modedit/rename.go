package modedit

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// Rename gives a file, or a folder with all its contents, another path, and updates the references to it: paths in data
// files, layouts and image sets, textures in materials, meshes that a unit names in its RESOURCEDIRECTORY. The grids of
// a layout (.MPP, .MPD) are renamed with it. References to files of the game in a folder of the same name are not
// changed.
func (e *Editor) Rename(from, to string) error {
	if e.archive == nil && e.folder == nil {
		return errSingle
	}
	r, err := e.planRename(from, to)
	if err != nil {
		return err
	}
	for _, f := range r.files {
		now := r.moves[gameName(f.path)]
		e.Report(check.Change{Path: f.path, What: "is " + gameName(now) + " now", Count: 1, Unit: "files"})
	}
	for _, f := range r.files {
		delete(e.files, gameName(f.path))
	}
	for _, f := range r.files {
		f.path = gameName(r.moves[gameName(f.path)])
		e.files[f.path] = f
		if e.folder != nil {
			f.at = moddir.FolderFile{At: e.place(f.path)}
		}
	}
	if _, err := e.each(e.matching(isTree), r.inTree); err != nil {
		return err
	}
	for _, f := range e.matching(func(name string) bool { return extension(name) == ".IMAGESET" || extension(name) == ".MATERIAL" }) {
		data, err := f.read()
		if err != nil {
			e.Miss(f.path, fmt.Sprintf("unchanged, because it cannot be read: %v", err))
			continue
		}
		made, n := r.inSet(data), 1
		if extension(f.path) == ".MATERIAL" {
			made, n = r.inMaterial(f, data)
		}
		if !bytes.Equal(made, data) {
			e.put(f, made)
			e.Report(check.Change{Path: f.path, What: "refers to the new path", Count: int64(n), Unit: "references"})
		}
	}
	return nil
}

// renaming holds the new paths of files and folders.
type renaming struct {
	files   []*file
	moves   map[string]string   // new paths of files, by their old ones in upper case
	folders map[string]string   // the same for folders
	was     map[string]string   // old paths of files, by their new ones
	stems   map[string][]string // old paths of files, by the same without extension
}

func newRenaming() *renaming {
	return &renaming{moves: make(map[string]string), folders: make(map[string]string), was: make(map[string]string),
		stems: make(map[string][]string)}
}

// move records the new path of a file.
func (r *renaming) move(f *file, to string) {
	name := gameName(f.path)
	r.files = append(r.files, f)
	r.moves[name] = to
	r.was[gameName(to)] = name
	stem := strings.TrimSuffix(name, path.Ext(name))
	r.stems[stem] = append(r.stems[stem], name)
}

// foldersAndFiles returns the paths of all files and of the folders that contain them, without MEDIA/.
func (e *Editor) foldersAndFiles() (paths []string) {
	for name := range e.files {
		for name = strings.TrimPrefix(name, "MEDIA/"); name != "."; name = path.Dir(name) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (e *Editor) planRename(from, to string) (*renaming, error) {
	to = strings.ReplaceAll(to, `\`, "/")
	for _, s := range []*string{&from, &to} {
		if !strings.HasPrefix(gameName(*s), "MEDIA/") {
			*s = "MEDIA/" + strings.ReplaceAll(*s, `\`, "/")
		}
	}
	r := newRenaming()
	if f := e.find(from); f != nil {
		if strings.HasSuffix(to, "/") {
			to += path.Base(from)
		}
		if isTree(f.path) != isTree(to) || isTree(to) && isData(f.path) != isData(to) {
			return nil, fmt.Errorf("%s: this name does not belong to %s", f.path, extension(to))
		}
		r.move(f, to)
		if extension(f.path) == ".LAYOUT" {
			for _, ext := range []string{".MPP", ".MPD"} {
				if grid := e.find(f.path[:len(f.path)-len(".LAYOUT")] + ext); grid != nil {
					r.move(grid, to[:len(to)-len(path.Ext(to))]+ext)
				}
			}
		}
	} else {
		from, to = strings.TrimSuffix(gameName(from), "/"), strings.TrimSuffix(to, "/")
		for _, f := range e.matching(func(name string) bool { return strings.HasPrefix(name, from+"/") }) {
			name := gameName(f.path)
			r.move(f, to+f.path[len(from):])
			for dir := path.Dir(name); len(dir) >= len(from); dir = path.Dir(dir) {
				r.folders[dir] = to + dir[len(from):]
			}
		}
		if len(r.files) == 0 {
			return nil, &fault.NameError{Kind: "file or folder", Name: strings.TrimPrefix(from, "MEDIA/"), Names: e.foldersAndFiles()}
		}
	}
	for _, f := range r.files {
		now := gameName(r.moves[gameName(f.path)])
		if other := e.find(now); other != nil && !slices.Contains(r.files, other) {
			return nil, fmt.Errorf("%s: already exists", other.path)
		}
		if path.Clean(now) != now || !strings.HasPrefix(now, "MEDIA/") {
			return nil, fmt.Errorf("%s: not the path of a file below MEDIA/", now)
		}
	}
	return r, nil
}

// follow returns the new text of a value if it is a path that changed. The new path is written like the old one: in its
// case, with its kind of slashes, with MEDIA/ only if the old one has it.
func (r *renaming) follow(value string) (string, bool) {
	name := gameName(strings.TrimSpace(value))
	if name == "" || !strings.Contains(name, "/") {
		return "", false
	}
	short := !strings.HasPrefix(name, "MEDIA/")
	if short {
		name = "MEDIA/" + strings.TrimPrefix(name, "/")
	}
	to, ok := r.moves[name]
	if !ok {
		to, ok = r.folders[strings.TrimSuffix(name, "/")]
		if strings.HasSuffix(name, "/") {
			to += "/"
		}
	}
	if !ok {
		return "", false
	}
	if short {
		to = to[len("MEDIA/"):]
	}
	return styled(to, value), true
}

// styled writes a path in the style of another.
func styled(to, like string) string {
	if strings.Contains(like, `\`) && !strings.Contains(like, "/") {
		to = strings.ReplaceAll(to, "/", `\`)
	}
	switch like {
	case strings.ToUpper(like):
		return strings.ToUpper(to)
	case strings.ToLower(like):
		return strings.ToLower(to)
	}
	return to
}

// inTree updates the references of a data file or layout.
func (r *renaming) inTree(f *file, root *text.Node) ([]check.Change, error) {
	t := changeCounts{file: f.path, unit: "references"}
	for n, at := range new(chooser).nodes(root) {
		dir, _ := n.Get("RESOURCEDIRECTORY")
		for p := range n.Properties() {
			if !p.Type.IsString() {
				continue
			}
			now, ok := r.follow(p.Value)
			if !ok && dir != "" {
				now, ok = r.inDirectory(dir, p)
			}
			if ok && now != p.Value {
				t.note(at, p.Key, p.Key+": "+shown(p.Value)+" became "+shown(now))
				p.Value = now
			}
		}
	}
	return t.changes(), nil
}

// resources are parts of the keys of units whose value is a file of their RESOURCEDIRECTORY.
var resources = []string{"MESH", "TEXTURE", "MATERIAL", "SKELETON", "RAGDOLL"}

// inDirectory returns the new name of a file that is referred to by its name only, perhaps without extension.
func (r *renaming) inDirectory(dir string, p *text.Property) (string, bool) {
	key, value := strings.ToUpper(p.Key), gameName(p.Value)
	if value == "" || !slices.ContainsFunc(resources, func(part string) bool { return strings.Contains(key, part) }) {
		return "", false
	}
	dir = strings.TrimSuffix(gameName(dir), "/") + "/"
	if now, ok := r.moves[dir+value]; ok && path.Dir(dir+value) == path.Dir(gameName(now)) {
		return styled(now[len(dir):], p.Value), true
	}
	for _, was := range r.stems[dir+value] {
		if now := r.moves[was]; path.Dir(was) == path.Dir(gameName(now)) {
			return styled(strings.TrimSuffix(now[len(dir):], path.Ext(now)), p.Value), true
		}
	}
	return "", false
}

var imageFile = regexp.MustCompile(`(?i)(Imagefile\s*=\s*)("[^"]*"|'[^']*')`)

// inSet updates the path of the picture of an image set.
func (r *renaming) inSet(data []byte) []byte {
	set, err := imageset.Parse(data)
	if set == nil || err != nil && set.File == "" {
		return data
	}
	now, ok := r.follow(set.File)
	if !ok {
		return data
	}
	wide := bytes.HasPrefix(data, []byte{0xff, 0xfe})
	if wide {
		var narrow []byte
		for i := 2; i+1 < len(data); i += 2 {
			if data[i+1] != 0 {
				return data // not in an ASCII-compatible encoding: no known program writes these in UTF-16
			}
			narrow = append(narrow, data[i])
		}
		data = narrow
	}
	at := imageFile.FindSubmatchIndex(data)
	if at != nil {
		data = slices.Concat(data[:at[4]+1], []byte(now), data[at[5]-1:])
	}
	if wide {
		out := []byte{0xff, 0xfe}
		for _, c := range data {
			out = append(out, c, 0)
		}
		data = out
	}
	return data
}

var materialTexture = regexp.MustCompile(`(?mi)^([ \t]*(?:texture|anim_texture|cubic_texture)[ \t]+)([^\r\n]*?)([ \t]*\r?)$`)

// inMaterial updates the textures of a material, which are names of files in the folder of the material. It returns the
// number of changes.
func (r *renaming) inMaterial(f *file, data []byte) ([]byte, int) {
	dir := path.Dir(gameName(f.path))
	if was, ok := r.was[gameName(f.path)]; ok {
		dir = path.Dir(was)
	}
	n := 0
	out := materialTexture.ReplaceAllFunc(data, func(line []byte) []byte {
		m := materialTexture.FindSubmatch(line)
		words := strings.Fields(string(m[2]))
		for i, word := range words {
			now, ok := r.follow(word)
			if to, moved := r.moves[dir+"/"+gameName(word)]; moved && !ok {
				now, ok = styled(path.Base(to), word), true
			}
			if ok && now != word {
				words[i] = now
				n++
			}
		}
		return slices.Concat(m[1], []byte(strings.Join(words, " ")), m[3])
	})
	if n == 0 {
		return data, 0
	}
	return out, n
}
