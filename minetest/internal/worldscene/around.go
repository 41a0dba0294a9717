package worldscene

import (
	"path/filepath"

	"trowel.example/internal/files/regular"
	"trowel.example/minetest/internal/texture"
)

// Around returns the folders of installed engines and games, and of the user's games, mods and textures, which may be links.
func Around(string) (dirs []string) {
	for _, dir := range texture.Installed() {
		dirs = append(dirs, dir)
		for _, name := range []string{".", "games", "mods", "textures"} {
			dirs = append(dirs, regular.LinkTargets(filepath.Join(dir, name), 1)...)
		}
	}
	return dirs
}
