package moddir

import (
	"io/fs"

	"trowel.example/torchlight/pak"
)

// FolderFile is the location of a file of the archive in a folder.
type FolderFile struct {
	At   string   // path in the folder
	Twin string   // path of the file next to it that GUTS compiled from it; "" if there is none
	Same []string // paths of identical files that have the same path in the game
}

// FolderFiles returns the locations in a folder of the files that belong to its archive, by their paths in the game.
func FolderFiles(fsys fs.FS) (map[string]FolderFile, error) {
	f, err := collect(fsys, true, func(string, string) {})
	if err == nil {
		err = f.clash()
	}
	if err != nil {
		return nil, err
	}
	files := make(map[string]FolderFile, len(f.sources))
	for _, s := range f.sources {
		files[s.path] = FolderFile{At: s.at, Same: f.same[s.at]}
	}
	for _, pair := range f.twins {
		if file, ok := files[pair[0].path]; ok && file.At == pair[0].at {
			file.Twin = pair[1].at
			files[pair[0].path] = file
		}
	}
	return files, nil
}

// FolderPath returns the path in a folder for a file of the game, which is in its editable form unless the options keep
// it unchanged.
func FolderPath(name string, o Options) string { return treePath(name, o.Unchanged(name)) }

// IsForm reports whether the content of a file of a folder is in the editable form, which is compiled when the folder
// is packed.
func IsForm(name string, content []byte) bool {
	game, _ := archivePath(name)
	f := formOf(game)
	return f != nil && f.isText(content)
}

// FileOf returns the file of the archive from which a file in a folder of Open or OpenPak was created. It returns nil
// for other files and for other folders.
func FileOf(fsys fs.FS, at string) *pak.File {
	if s, ok := fsys.(*shown); ok {
		return s.origins()[at]
	}
	return nil
}

// PathOf returns the path of a file of the archive in a folder of Open or OpenPak, or "" if it is not there.
func PathOf(fsys fs.FS, f *pak.File) string {
	if s, ok := fsys.(*shown); ok {
		return s.paths()[f]
	}
	return ""
}

// SinglePath returns the path of a single file in the folder that [OpenSingle] or [OpenAsIs] creates for it.
func SinglePath(name string) string { return singleName(FormName(name)) }
