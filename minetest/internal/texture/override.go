package texture

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// Targets are the parts of a node that an [Override] changes: bits.
type Targets uint32

// The targets. Faces are in the order of tiles: bit i of [Tiles] is tile i.
const (
	Top Targets = 1 << iota
	Bottom
	Right
	Left
	Back
	Front
	OverlayTop
	OverlayBottom
	OverlayRight
	OverlayLeft
	OverlayBack
	OverlayFront
	Special1
	Special2
	Special3
	Special4
	Special5
	Special6
	inventory
	wield

	Sides        = Right | Left | Back | Front
	Tiles        = Top | Bottom | Sides
	OverlaySides = OverlayRight | OverlayLeft | OverlayBack | OverlayFront
	OverlayTiles = OverlayTop | OverlayBottom | OverlaySides
)

var targetNames = map[string]Targets{
	"top": Top, "bottom": Bottom, "left": Left, "right": Right, "front": Front, "back": Back, "sides": Sides, "all": Tiles, "*": Tiles,
	"overlay_top": OverlayTop, "overlay_bottom": OverlayBottom, "overlay_left": OverlayLeft, "overlay_right": OverlayRight,
	"overlay_front": OverlayFront, "overlay_back": OverlayBack, "overlay_sides": OverlaySides, "overlay_all": OverlayTiles,
	"overlay_*": OverlayTiles, "special1": Special1, "special2": Special2, "special3": Special3, "special4": Special4,
	"special5": Special5, "special6": Special6, "inventory": inventory, "wield": wield,
}

// An Override replaces the names of textures of a node. Everything else about the tiles stays.
type Override struct {
	Node    string
	Targets Targets
	Texture string
	// World is the scale of a world-aligned texture, 0 if the override does not change the alignment.
	World int
}

// ParseOverrides reads an override.txt. Lines that the engine rejects are problems, and are left out, as are lines that
// change only the inventory or the wielded item.
func ParseOverrides(file string, text []byte) (list []Override, problems []Problem) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line := strings.Trim(string(line), " \t\r\n\v\f")
		if line == "" || line[0] == '#' {
			continue
		}
		report := func(format string, args ...any) {
			problems = append(problems, Problem{file, n, fmt.Sprintf(format, args...)})
		}
		words := strings.Split(line, " ")
		if len(words) < 3 {
			report("expected a node, targets and a texture, each after one space; found %d words", len(words))
			continue
		}
		o := Override{Node: words[0], Texture: words[2]}
		for _, target := range strings.Split(words[1], ",") {
			if scale, is := strings.CutPrefix(target, "align_world="); is && !strings.Contains(scale, "=") {
				o.World = min(max(0, atoi(scale)), 255)
			} else if bit, is := targetNames[target]; is {
				o.Targets |= bit
			} else {
				report("unknown target %.40q", target)
			}
		}
		if o.Targets &^= inventory | wield; o.Targets != 0 {
			list = append(list, o)
		}
	}
	return list, problems
}

// readOverrides reads an override.txt of a part.
func (s *Search) readOverrides(p searchPart, file string) []Override {
	name := path.Join(p.name, file)
	text, err := readFile(p.fsys, file)
	if err != nil {
		s.problems = append(s.problems, Problem{File: name, Text: err.Error()})
		return nil
	}
	list, problems := ParseOverrides(name, text)
	s.problems = append(s.problems, problems...)
	return list
}
