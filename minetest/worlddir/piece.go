package worlddir

import (
	"path"
	"strings"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/text/strictjson"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Thing is what a file of the folder of a world represents, if it can be put back into a world separately: a block, a
// player, or the storage of a mod.
type Thing struct {
	Block  *mapdb.Pos
	Player string
	Mod    string
}

// ThingAt returns what the file at a path of the folder represents. It returns false for other files, and for a block
// given as bytes.
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
func PlayerText(p *world.Player) ([]byte, error) { return strictjson.Marshal(playerFormOf(p), "  ") }

// ParsePlayer parses the file of a player. Omitted values are those of a player that the game creates. The error is a
// *[fault.TextError] with line and column.
func ParsePlayer(name string, text []byte) (*world.Player, error) {
	form := playerForm{HP: 20, Breath: 10}
	if err := decodeJSON("", text, &form); err != nil {
		return nil, err
	}
	return form.player(name), nil
}

// ModText returns the file of the storage of a mod.
func ModText(m *world.ModData) ([]byte, error) {
	form := pairs{}
	for _, e := range m.Entries {
		form = append(form, pair{e.Key, e.Value})
	}
	return strictjson.Marshal(form, "  ")
}

// ParseMod parses the file of the storage of a mod. The error is a *[fault.TextError].
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
