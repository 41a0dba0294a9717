//go:build !js

package worldrepo

import (
	"os"
	"path/filepath"

	"trowel.example/internal/files/host"
	"trowel.example/internal/stores/sealed"
)

// Around returns the file with the keys of the user, and what it links to, if the folder at a path or a folder in it is a
// repository: an encrypted one needs a key.
func Around(path string) (files []string) {
	key := host.Env(sealed.VariableFile)
	if key == "" || !holdsMark(path) {
		return nil
	}
	if real, err := filepath.EvalSymlinks(key); err == nil && real != key {
		files = append(files, real)
	}
	return append(files, key)
}

// holdsMark reports whether the folder at a path or a folder in it contains the mark of a repository.
func holdsMark(path string) bool {
	if _, err := os.Stat(filepath.Join(path, fileMark)); err == nil {
		return true
	}
	entries, _ := os.ReadDir(path) // the verb reports errors
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(path, e.Name(), fileMark)); err == nil {
			return true
		}
	}
	return false
}
