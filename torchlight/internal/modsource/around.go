package modsource

import "trowel.example/internal/format"

// Around returns the folder that contains the MEDIA folder around the file or folder at a path, if there is one.
func Around(path string) []string {
	if m := MediaAround(&format.Source{Path: path}); m.Known() {
		return []string{m.root}
	}
	return nil
}
