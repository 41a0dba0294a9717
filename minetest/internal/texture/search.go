package texture

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

const maxFolders = 32 // depth of subfolders

// endings are the endings of image files, in the order in which a texture pack is searched.
var endings = []string{".png", ".jpg", ".tga"}

// models are the endings of models.
var models = []string{".obj", ".b3d", ".gltf", ".glb", ".x"}

// listed are the endings of images and of models.
var listed = slices.Concat(endings, models)

// IsModel reports whether a file name is that of a model.
func IsModel(name string) bool { return slices.Contains(models, path.Ext(name)) }

// mediaFolders are the folders of a mod that can contain images, in order of precedence.
var mediaFolders = []string{"textures", "sounds", "media", "models", "locale", "fonts"}

// A Search finds image files in folders by their name. A folder that is added first has precedence. The zero value finds only the
// images that the engine brings itself; every Search has these, drawn for Trowel. It is a [Source], and safe for
// concurrent use once all folders are added.
type Search struct {
	parts     []searchPart
	files     int
	overrides []Override
	problems  []Problem

	once   sync.Once
	digest [sha256.Size]byte
}

// searchPart is a folder with its files by name.
type searchPart struct {
	name  string
	fsys  fs.FS
	files map[string]string // paths
	lines int               // of override.txt
	free  bool              // any ending counts
}

// A Problem is a part of a folder that could not be used: a line of a file, or a folder.
type Problem struct {
	File string // path with the name of the folder that was added
	Line int    // 0 if the problem is not about a line
	Text string
}

func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", p.File, p.Line, p.Text)
	}
	return p.File + ": " + p.Text
}

// addPack adds a texture pack with its override.txt files. An image of it replaces images of the same name with any of
// the three endings.
func (s *Search) addPack(name string, fsys fs.FS) error {
	return s.add(searchPart{name: name, fsys: fsys, free: true}, true, ".")
}

// addFolder adds a folder of images with all of its subfolders.
func (s *Search) addFolder(name string, fsys fs.FS) error {
	return s.add(searchPart{name: name, fsys: fsys}, false, ".")
}

// AddGame adds the textures folder of a game with its override.txt files. The game's mods are separate.
func (s *Search) AddGame(name string, fsys fs.FS) error {
	return s.add(searchPart{name: name, fsys: fsys}, true, "textures")
}

// AddMod adds the folders of a mod that can contain images.
func (s *Search) AddMod(name string, fsys fs.FS) error {
	return s.add(searchPart{name: name, fsys: fsys}, false, mediaFolders...)
}

// add adds the images of some folders of a part, and the lines of override.txt if withOverrides is set. The first folder
// that has a name has precedence.
func (s *Search) add(p searchPart, withOverrides bool, dirs ...string) error {
	p.files = make(map[string]string)
	var overrides []Override
	for _, dir := range dirs {
		if info, err := fs.Stat(p.fsys, dir); dir != "." && (err != nil || !info.IsDir()) {
			continue
		}
		list, err := s.walk(p, dir)
		if err != nil {
			return err
		}
		for _, dir := range list {
			file := path.Join(dir, "override.txt")
			if _, err := fs.Stat(p.fsys, file); withOverrides && err == nil {
				overrides = append(overrides, s.readOverrides(p, file)...)
			}
		}
	}
	s.overrides = slices.Insert(s.overrides, 0, overrides...)
	p.lines = len(overrides)
	s.parts = append(s.parts, p)
	return nil
}

// walk adds the images of a folder and its subfolders, and returns all of these folders. A folder that cannot be read is a
// problem. The files of a folder have precedence over those of its subfolders.
func (s *Search) walk(p searchPart, dir string) (folders []string, err error) {
	level := []string{dir}
	for depth := 0; len(level) > 0; depth++ {
		var next []string
		for _, dir := range level {
			folders = append(folders, dir)
			list, err := fs.ReadDir(p.fsys, dir)
			if err != nil {
				s.problems = append(s.problems, Problem{File: path.Join(p.name, dir), Text: err.Error()})
			}
			for _, entry := range list {
				name := entry.Name()
				file := path.Join(dir, name)
				if isFolder(p.fsys, file, entry) {
					if name[0] != '_' && name[0] != '.' {
						next = append(next, file)
					}
					continue
				}
				ending := path.Ext(name)
				if _, known := p.files[name]; known || !slices.Contains(listed, ending) || !isMediaName(name) {
					continue
				}
				s.files++
				if err := effort.TextureFiles.Check(path.Join(p.name, dir), int64(s.files)); err != nil {
					return nil, err
				}
				p.files[name] = file
			}
		}
		if depth == maxFolders && len(next) > 0 {
			s.problems = append(s.problems, Problem{File: path.Join(p.name, next[0]), Text: "ignored: too deeply nested folders"})
			break
		}
		level = next
	}
	return folders, nil
}

// isFolder reports whether an entry is a folder, or a link to a folder.
func isFolder(fsys fs.FS, file string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink != 0 {
		info, err := fs.Stat(fsys, file)
		return err == nil && info.IsDir()
	}
	return entry.IsDir()
}

// isMediaName reports whether the engine sends a file of this name to its players.
func isMediaName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_.-", r))
	})
}

// Uses reports whether a folder contributes files or lines of override.txt. Its name is that of a [Folder].
func (s *Search) Uses(folder string) bool {
	return slices.ContainsFunc(s.parts, func(p searchPart) bool {
		return len(p.files)+p.lines > 0 && (p.name == folder || strings.HasPrefix(p.name, folder+"/"))
	})
}

// find returns the part and the path of an image file.
func (s *Search) find(name string) (*searchPart, string) {
	for i := range s.parts {
		p := &s.parts[i]
		if !p.free {
			if file, is := p.files[name]; is {
				return p, file
			}
			continue
		}
		stem := name
		if slices.Contains(endings, path.Ext(name)) {
			stem = strings.TrimSuffix(name, path.Ext(name))
		}
		for _, ending := range endings {
			if file, is := p.files[stem+ending]; is {
				return p, file
			}
		}
	}
	return nil, ""
}

// Find returns where the image of a name is: the name of the folder that was added, with the path in it. It reports
// whether a folder has the image.
func (s *Search) Find(name string) (file string, found bool) {
	p, file := s.find(name)
	if p == nil {
		return "", false
	}
	return path.Join(p.name, file), true
}

// Image reads an image. Besides the folders, it knows the images that the engine brings itself.
func (s *Search) Image(ctx context.Context, name string) (*image.NRGBA, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, file := s.find(name)
	if p == nil {
		m := own(name)
		if m == nil {
			return nil, &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist}
		}
		return m, nil
	}
	data, err := readFile(p.fsys, file)
	if err == nil {
		var m *image.NRGBA
		if m, err = decode(file, data); err == nil {
			return m, nil
		}
	}
	return nil, fault.InFile(err, path.Join(p.name, file))
}

// File reads a file that is not an image, such as a model.
func (s *Search) File(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range s.parts {
		p := &s.parts[i]
		if file, is := p.files[name]; is {
			data, err := readFile(p.fsys, file)
			return data, fault.InFile(err, path.Join(p.name, file))
		}
	}
	return nil, &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist}
}

// readFile reads a file of limited size.
func readFile(fsys fs.FS, file string) ([]byte, error) {
	info, err := fs.Stat(fsys, file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fault.Error{Offset: -1, Want: "a regular file", Got: info.Mode().String(), Err: fault.ErrFormat}
	}
	if err := effort.SideFile.Check("", info.Size()); err != nil {
		return nil, err
	}
	return fs.ReadFile(fsys, file)
}

// Digest returns a hash of the names and contents of all files that can be found, and of the lines of override.txt. It is
// that of equal folders on another machine. The files are read at the first call; those that cannot be read count as such.
func (s *Search) Digest() [sha256.Size]byte {
	s.once.Do(func() {
		h := sha256.New()
		for _, p := range s.parts {
			for _, name := range slices.Sorted(maps.Keys(p.files)) {
				data, err := readFile(p.fsys, p.files[name])
				fmt.Fprintf(h, "%q %t %t %x\n", name, p.free, err == nil, sha256.Sum256(data))
			}
		}
		for _, o := range s.overrides {
			fmt.Fprintf(h, "%+v\n", o)
		}
		h.Sum(s.digest[:0])
	})
	return s.digest
}

// Overrides returns the lines of all override.txt files in the order in which they must be applied: later ones replace
// earlier ones.
func (s *Search) Overrides() []Override { return s.overrides }

// Problems returns what could not be used of the folders that were added.
func (s *Search) Problems() []Problem { return s.problems }
