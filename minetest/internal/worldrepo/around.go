//go:build !js

package worldrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/internal/files/host"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
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

// Near returns the path of a repository with a snapshot of the world in a folder, or "". The repository must be in the folder that
// contains the world or in a folder next to it, and not be encrypted: the user is not asked for a passphrase.
func Near(ctx context.Context, dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	world, above := filepath.Base(full), filepath.Join(dir, "..")
	for _, pattern := range []string{"*", filepath.Join("*", "*")} {
		marks, _ := fs.Glob(os.DirFS(above), filepath.ToSlash(filepath.Join(pattern, fileMark)))
		for _, name := range marks {
			path := filepath.Join(above, filepath.FromSlash(filepath.Dir(name)))
			if m, err := readMark(ctx, storage.Folder(path)); err != nil || m.sealed() {
				continue
			}
			if has, err := hasWorld(ctx, path, world); err == nil && has {
				return path
			}
		}
	}
	return ""
}

// hasWorld reports whether a repository that is not encrypted has a snapshot of a world.
func hasWorld(ctx context.Context, path, world string) (bool, error) {
	r, err := Open(ctx, storage.Folder(path))
	if err != nil {
		return false, err
	}
	defer r.Close()
	all, err := r.Snapshots(ctx, func(string, error) {})
	return slices.ContainsFunc(all, func(s *Snapshot) bool { return s.World == world }), err
}
