package twmap

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// Profile lists what a server other than DDNet's finds in maps: its own tiles and settings, which DDNet does not have.
//
// The lines of its file are facts:
//
//	# TEXT                      a comment
//	source URL                  where the following facts are from
//	tile LAYERS FROM-TO TEXT    tiles of kinds of layers, and their meaning
//	setting NAME                a setting that maps may have
//	spawns TEXT                 spawns are not those of DDNet but these
//	layers TEXT                 layers of infclass have these meanings
type Profile struct {
	tiles     [numKinds][256]bool
	settings  map[string]bool
	ownSpawns bool
	ownLayers bool
}

//go:embed profiles
var profileFiles embed.FS

const profileExtension = ".txt"

// Profiles returns the names of all profiles, sorted.
func Profiles() []string {
	entries, _ := profileFiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), profileExtension))
	}
	return names
}

// ProfileNamed returns a profile. It fails if no profile has the name.
func ProfileNamed(name string) (*Profile, error) {
	if !slices.Contains(Profiles(), name) {
		return nil, &fault.NameError{Kind: "profile", Name: name, Names: Profiles()}
	}
	data, err := profileFiles.ReadFile(path.Join("profiles", name+profileExtension))
	if err != nil {
		return nil, err
	}
	return parseProfile(name, data)
}

// parseProfile reads the file of a profile.
func parseProfile(name string, data []byte) (*Profile, error) {
	p := &Profile{settings: make(map[string]bool)}
	sourced, line := false, 0
	for text := range bytes.Lines(data) {
		line++
		word, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		var err error
		switch {
		case word == "#":
		case rest == "":
			err = errors.New("expected a word and a string")
		case word == "source":
			sourced = true
		case !sourced:
			err = errors.New("expected a source first")
		case word == "tile":
			err = p.addTiles(rest)
		case word == "setting":
			p.settings[rest] = true
		case word == "spawns":
			p.ownSpawns = true
		case word == "layers":
			p.ownLayers = true
		default:
			err = fmt.Errorf("%q: expected source, tile, setting, spawns or layers", word)
		}
		if err != nil {
			return nil, fmt.Errorf("profile %s: line %d: %w", name, line, err)
		}
	}
	return p, nil
}

// addTiles adds the tiles of a line.
func (p *Profile) addTiles(text string) error {
	words := strings.SplitN(text, " ", 3)
	if len(words) < 3 {
		return errors.New("expected layers, numbers and a meaning")
	}
	first, last, several := strings.Cut(words[1], "-")
	if !several {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 8)
	to, err2 := strconv.ParseUint(last, 10, 8)
	if err != nil || err2 != nil || from > to {
		return fmt.Errorf("%s: expected a number from 0 to 255, or two with - between them", words[1])
	}
	for _, name := range strings.Split(words[0], ",") {
		kind := KindGame
		for kind < numKinds && kind.String() != name {
			kind++
		}
		if kind == numKinds {
			return fmt.Errorf("%q is not a kind of physics layers", name)
		}
		for id := from; id <= to; id++ {
			p.tiles[kind][id] = true
		}
	}
	return nil
}

// hasTile reports whether the server of the profile, which may be nil, has a tile.
func (p *Profile) hasTile(kind Kind, id uint8) bool { return p != nil && p.tiles[kind][id] }

// hasSetting reports whether the server of the profile, which may be nil, has a setting.
func (p *Profile) hasSetting(name string) bool { return p != nil && p.settings[name] }
