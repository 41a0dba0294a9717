package worlddir

import (
	"path"
	"strings"

	"trowel.example/internal/safename"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Thing is what a file of the folder of a world stands for, if that goes back into a world by
// itself: a block, a player, or what a mod keeps.
type Thing struct {
	Block  *mapdb.Pos
	Player string
	Mod    string
}

// ThingAt returns what the file at a path of the folder stands for. It is false for other
// files, and for a block that stands there as bytes.
func ThingAt(at string) (t Thing, ok bool) {
	dir, rest, _ := strings.Cut(at, "/")
	if dir == blocksDir {
		pos, raw, ok := parseBlockName(path.Base(rest))
		return Thing{Block: &pos}, ok && !raw && blockPath(pos) == at
	}
	stem, ok := strings.CutSuffix(rest, thingEnding)
	name := safename.FromTreePath(stem)
	switch {
	case !ok || name == "" || strings.Contains(rest, "/"):
		return t, false
	case dir == playersDir:
		return Thing{Player: name}, true
	case dir == storageDir:
		return Thing{Mod: name}, true
	}
	return t, false
}

// PlayerText returns the file of a player.
func PlayerText(p *world.Player) ([]byte, error) { return encodeJSON(playerFormOf(p)) }

// ParsePlayer reads the file of a player. What the file does not say is as in a player that the
// game makes. The error is a *[fault.TextError] with line and column.
func ParsePlayer(name string, text []byte) (*world.Player, error) {
	form := playerForm{HP: 20, Breath: 10}
	if err := decodeJSON("", text, &form); err != nil {
		return nil, err
	}
	return form.player(name), nil
}

// ModText returns the file of what a mod keeps.
func ModText(m *world.ModData) ([]byte, error) {
	form := pairs{}
	for _, e := range m.Entries {
		form = append(form, pair{e.Key, e.Value})
	}
	return encodeJSON(form)
}

// ParseMod reads the file of what a mod keeps. The error is a *[fault.TextError].
func ParseMod(mod string, text []byte) (*world.ModData, error) {
	var form pairs
	if err := decodeJSON("", text, &form); err != nil {
		return nil, err
	}
	m := &world.ModData{Mod: mod}
	for _, e := range form {
		m.Entries = append(m.Entries, world.Entry{Key: e.Key, Value: e.Value})
	}
	return m, nil
}
