package mapdraw

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"trowel.example/internal/files/host"
	"trowel.example/teeworlds/twmap"
)

// variants07 are the external images that have different pictures in Teeworlds 0.7; DDNet has those as NAME_0.7.png.
var variants07 = []string{"grass_doodads", "grass_main", "winter_main", "generic_shadows", "generic_unhookable", "easter"}

// DataFolders returns the folders in which the games' own clients keep their files on this system, those of the user
// first. They need not exist.
func DataFolders() []string {
	var dirs []string
	add := func(base string, parts ...string) {
		if base != "" {
			dirs = append(dirs, filepath.Join(append([]string{base}, parts...)...))
		}
	}
	home := host.HomeFolder()
	switch runtime.GOOS {
	case "windows":
		config := host.Env("APPDATA")
		add(config, "DDNet")
		add(config, "Teeworlds")
		for _, programs := range []string{host.Env("ProgramFiles(x86)"), host.Env("ProgramFiles")} {
			add(programs, "Steam", "steamapps", "common", "DDraceNetwork", "ddnet", "data")
			add(programs, "Steam", "steamapps", "common", "Teeworlds", "tw", "data")
		}
	case "darwin":
		add(home, "Library", "Application Support", "DDNet")
		add(home, "Library", "Application Support", "Teeworlds")
		for _, applications := range host.Folders("/Applications") {
			add(applications, "DDNet.app", "Contents", "Resources", "data")
			add(applications, "Teeworlds.app", "Contents", "Resources", "data")
		}
	default:
		own := host.Env("XDG_DATA_HOME")
		if own == "" && home != "" {
			own = filepath.Join(home, ".local", "share")
		}
		add(own, "ddnet")
		add(own, "teeworlds")
		add(home, ".teeworlds")
		add(own, "Steam", "steamapps", "common", "DDraceNetwork", "ddnet", "data")
		add(own, "Steam", "steamapps", "common", "Teeworlds", "tw", "data")
		for _, share := range host.Folders("/usr/local/share", "/usr/share/games", "/usr/share",
			"/var/lib/flatpak/app/tw.ddnet.ddnet/current/active/files/share") {
			add(share, "ddnet", "data")
			add(share, "teeworlds", "data")
		}
	}
	return dirs
}

// MapresFolders returns the folders in which the games' clients keep external images.
func MapresFolders() []string {
	dirs := DataFolders()
	for i := range dirs {
		dirs[i] = filepath.Join(dirs[i], "mapres")
	}
	return dirs
}

// has07 reports whether a folder has the pictures of Teeworlds 0.7, which have the names of different pictures in 0.6
// and DDNet. The files tested for exist only in that game.
func has07(dir string) bool {
	for _, name := range []string{"easter.png", "generic_shadows.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// wants07 decides whether the external images of Teeworlds 0.7 are drawn, where the games differ. The client decides
// by the server that it plays on, which is unknown here. The format of the map is not conclusive either, since a
// converted map still has its old tiles. For a map in the format of 0.7 the tiles therefore decide: they should be
// where their picture is not empty. The format decides only if there are no pictures of both games to compare.
func (r *Renderer) wants07() bool {
	switch r.o.Game {
	case Game06:
		return false
	case Game07:
		return true
	}
	if r.m.Flavor() != "Teeworlds 0.7" {
		return false
	}
	lead, compared := 0, false
	for i, im := range r.m.Images {
		if !im.External() || !slices.Contains(variants07, im.Name) {
			continue
		}
		old, new := r.mapresSheet(im.Name, false), r.mapresSheet(im.Name, true)
		if old == nil || new == nil {
			continue
		}
		compared = true
		used := r.usedTiles(i)
		for id, n := range used {
			switch {
			case id == 0 || n == 0 || old.empty[id] == new.empty[id]:
			case old.empty[id]:
				lead += n
			default:
				lead -= n
			}
		}
	}
	return lead > 0 || !compared
}

// mapresSheet returns a game's picture for a name, or nil if it is unavailable.
func (r *Renderer) mapresSheet(name string, is07 bool) *sheet {
	data, _, err := r.mapresOf(name, is07)
	if err != nil {
		return nil
	}
	p, err := DecodePNG(data)
	if err != nil {
		return nil
	}
	return newSheet(tileable(p))
}

// usedTiles returns the number of uses of each tile of an image.
func (r *Renderer) usedTiles(image int) (used [256]int) {
	for _, g := range r.m.Groups {
		for _, l := range g.Layers {
			if t, ok := l.(*twmap.TileLayer); ok && imageOf(l) == image && t.Kind() == twmap.KindTiles {
				t.Look(func(t *twmap.TileLayer) {
					for _, row := range t.Tiles().Rows() {
						for _, cell := range row {
							used[cell.ID]++
						}
					}
				})
			}
		}
	}
	return used
}
