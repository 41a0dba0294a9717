package mapdraw

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"trowel.example/internal/host"
	"trowel.example/teeworlds/twmap"
)

// variants07 are the external images that are other pictures in Teeworlds 0.7: DDNet has
// them as NAME_0.7.png.
var variants07 = []string{"grass_doodads", "grass_main", "winter_main", "generic_shadows", "generic_unhookable", "easter"}

// DataFolders returns the folders in which the games' own clients keep their files on this
// system, those of the user first. Not all of them need to be there.
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
		for _, share := range host.Folders("/usr/local/share", "/usr/share/games", "/usr/share", "/var/lib/flatpak/app/tw.ddnet.ddnet/current/active/files/share") {
			add(share, "ddnet", "data")
			add(share, "teeworlds", "data")
		}
	}
	return dirs
}

// MapresFolders returns the folders in which the games' clients keep the pictures that
// maps only name.
func MapresFolders() []string {
	dirs := DataFolders()
	for i := range dirs {
		dirs[i] = filepath.Join(dirs[i], "mapres")
	}
	return dirs
}

// has07 reports whether a folder has the pictures of Teeworlds 0.7, which lie under the names
// of those of 0.6 and DDNet and are others: these two only that game has under these names.
func has07(dir string) bool {
	for _, name := range []string{"easter.png", "generic_shadows.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// wants07 decides whether external images are those of Teeworlds 0.7, where that makes a
// difference. The client takes the ones or the others by the server that it plays on, which
// is not known here; and the form of the map does not tell either, since a map that was
// converted still has the tiles of before. So for a map in the form of 0.7 its tiles
// decide: they lie where their own picture has something to show. The form decides only where
// there are no pictures of both to compare.
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

// mapresSheet returns the picture that a game has under a name, nil if it is unavailable.
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

// usedTiles counts the tiles that are drawn with an image.
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
