package moddir

import (
	"io/fs"

	"trowel.example/torchlight/pak"
)

// FolderFile is where a file of the archive stands in a folder.
type FolderFile struct {
	At   string   // its path there
	Twin string   // that of what GUTS compiled of it, beside it; "" if there is none
	Same []string // those of files with the same content that are the same one to the game
}

// FolderFiles returns where in a folder the files stand that go into its archive, by their paths
// in the game.
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

// FolderPath returns where a file of the game goes in a folder, in its form for people.
func FolderPath(name string) string { return treePath(name, false) }

// IsForm reports whether the content of a file of a folder is in the form for people, which is
// compiled where the folder is packed.
func IsForm(name string, content []byte) bool {
	game, _ := archivePath(name)
	f := formOf(game)
	return f != nil && f.is(content)
}

// FileOf returns the file of the archive that a file of a folder is made of, which Open or
// OpenPak made; nil for what is there besides, and for other folders.
func FileOf(fsys fs.FS, at string) *pak.File {
	if s, ok := fsys.(*shown); ok {
		return s.origins()[at]
	}
	return nil
}

// PathOf returns where a file of the archive is in a folder that Open or OpenPak made; "" if it
// is not there.
func PathOf(fsys fs.FS, f *pak.File) string {
	if s, ok := fsys.(*shown); ok {
		return s.paths()[f]
	}
	return ""
}

// SinglePath returns where a file that stands alone is in the folder that [OpenSingle] or
// [OpenAsIs] makes of it.
func SinglePath(name string) string { return singleName(FormName(name)) }
