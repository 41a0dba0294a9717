package moddir

import (
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/text"
)

// isAsset reports whether a file is a picture, an image set or a material script, by its path.
func isAsset(name string) bool {
	switch strings.ToUpper(path.Ext(name)) {
	case ".DDS", ".TGA", ".PNG", ".JPG", ".IMAGESET", ".MATERIAL":
		return true
	}
	return false
}

// lookAt checks a picture, an image set or a material script.
func (a *facts) lookAt(data []byte, sink check.Sink) {
	switch {
	case extension(a.path) == ".MATERIAL":
		ogre.CheckScript(data, sink)
		if script, err := ogre.ParseScript(data); err == nil {
			for _, m := range script.Materials {
				for pass := range m.Passes() {
					for name := range pass.Textures() {
						a.texture(name, text.Place{Path: a.path, Node: m.Name})
					}
				}
			}
		}
		return
	case !isImageSet(a.path):
		picture.Check(a.path, data, sink)
		return
	}
	imageset.Check(data, sink)
	if set, _ := imageset.Parse(data); set != nil {
		a.refs = append(a.refs, reference{set.File, text.Place{Path: a.path}})
		for _, s := range set.Sprites {
			a.sprites = append(a.sprites, s.Name)
		}
	}
}

// iconKeys are the properties of data files that name a sprite, or the path of a picture.
var iconKeys = map[string]bool{
	"ICON": true, "ICONLIT": true, "ICONSELECTED": true, "SKILL_ICON": true, "SKILL_ICON_INACTIVE": true,
}

// series is the least number of numbered sprites in a mod that form its own series: a single one may continue a series
// of the game.
const series = 2

// checkIcons looks up the sprites that data files name, ignoring case. There is one finding for each pair of a file and
// a name. Without the game's files, a sprite is reported as likely missing only if the mod has a series of sprites
// whose names differ from it in their numbers.
func checkIcons(all []facts, base Files, sink check.Sink) {
	have, stems := make(map[string]bool), make(map[string]int)
	for _, a := range all {
		for _, name := range a.sprites {
			have[strings.ToLower(name)] = true
			stems[stem(name)]++
		}
	}
	known := false // whether the game's image sets are
	if base != nil {
		for name := range base.Files() {
			if !isImageSet(name) {
				continue
			}
			known = true
			data, err := base.Content(name)
			if err != nil {
				continue
			}
			if set, _ := imageset.Parse(data); set != nil {
				for _, s := range set.Sprites {
					have[strings.ToLower(s.Name)] = true
				}
			}
		}
	}
	var outside []*missing
	for _, a := range all {
		pairs := make(map[string]*missing)
		var list []*missing
		for _, icon := range a.icons {
			name := strings.ToLower(icon.to)
			if name == "" || have[name] {
				continue
			}
			m := pairs[name]
			if m == nil {
				m = &missing{from: a.path, name: name, to: icon.to}
				pairs[name] = m
				list = append(list, m)
			}
			m.at = append(m.at, icon.at)
		}
		for _, m := range list {
			switch {
			case known:
				sink.AddAt(foundIconMissing, m.at, m.from, -1, "names the icon %q, which is in no image set", m.to)
			case stem(m.name) != "" && stems[stem(m.name)] >= series:
				sink.AddAt(foundIconLikely, m.at, m.from, -1,
					"names the icon %q, which is in no image set of the mod; %d sets have it with "+
						"other numbers", m.to, stems[stem(m.name)])
			default:
				outside = append(outside, m)
			}
		}
	}
	reportOutside(foundIconOutside, "icons", outside, sink)
}

// stem returns a name without the number at its end, or "" if it has no number.
func stem(name string) string {
	name = strings.ToLower(name)
	if short := strings.TrimRight(name, "0123456789"); short != name {
		return short
	}
	return ""
}
