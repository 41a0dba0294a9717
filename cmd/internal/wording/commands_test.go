package wording

import (
	"strings"
	"testing"

	"trowel.example/internal/format"
)

// TestCommandHint tests that suggestions for operations do what the word says, and remove nothing if it does not.
func TestCommandHint(t *testing.T) {
	list := func(groups ...string) (all []*format.Command) {
		for _, group := range groups {
			heading, names, _ := strings.Cut(group, ": ")
			for name := range strings.FieldsSeq(names) {
				c := &format.Command{Name: name, Heading: heading}
				if name == "set-layer" || name == "set-group" {
					c.Options = []format.Option{{Name: "name"}}
				}
				all = append(all, c)
			}
		}
		return all
	}
	sets := map[string][]*format.Command{
		"map": list("Map: info mirror rotate crop remove-unused", "Tiles: fill-tiles draw-tiles replace-tiles shift-tiles clean-game-tiles",
			"Layers and groups: add-layer remove-layers move-layer set-layer add-group remove-groups set-group duplicate-layers",
			"Images: add-image replace-image rename-image remove-images", "Art: tile-art",
			"Settings: add-setting set-setting remove-settings", "Automapper: automap set-automapper clear-automapper"),
		"world": list("Nodes: set replace replace-inverse mix set-param2 place", "Pieces: copy move flip", "Metadata and objects: set-metadata "+
			"delete-metadata delete-timers delete-objects replace-items delete-items", "Map chunks: delete-chunks delete-blocks keep-chunks prune",
			"Operators: clear-objects purge-players rename-player ban unban"),
		"mod": list("Keys and values: set add-key remove-key rename-key", "Nodes: add-node copy-node remove-node",
			"Files: rename put delete clone"),
		"find": list("Nodes: node", "Tiles: tile tele", "Parts: layer image quad setting", "Operators: players bans",
			"Items and players: item player"),
	}
	for _, c := range []struct{ set, word, want string }{
		{"map", "rename-picture", "did you mean rename-image?"},
		{"map", "renmae-layers", "advice"},
		{"map", "renmae-image", "did you mean rename-image?"},
		{"map", "delete-layer", "did you mean remove-layers?"},
		{"map", "remvoe-layers", "did you mean remove-layers?"},
		{"map", "delete_layers", "did you mean remove-layers?"},
		{"map", "rm-tiles", "did you mean replace-tiles TILE 0?"},
		{"map", "set-tile", "there is fill-tiles, draw-tiles"},
		{"map", "fil-tiles", "did you mean fill-tiles?"},
		{"map", "replace-tile", "did you mean replace-tiles?"},
		{"map", "tile", "there is fill-tiles, draw-tiles, replace-tiles, shift-tiles, clean-game-tiles"},
		{"map", "layer", "there is add-layer, move-layer, set-layer, duplicate-layers"},
		{"map", "add-command", "did you mean add-setting?"},
		{"map", "miror", "did you mean mirror?"},
		{"map", "mirror-map", "did you mean mirror?"},
		{"map", "set-seting", "did you mean set-setting?"},
		{"map", "remove",
			"there is remove-unused, remove-layers, remove-groups, remove-images, remove-settings, clear-automapper"},
		{"map", "all", "advice"},
		{"map", "undo", "advice"},
		{"map", "node", "advice"},
		{"world", "node", "there is set, replace, mix, place"},
		{"world", "rename-node", "did you mean replace?"},
		{"world", "replace-nodes", "did you mean replace?"},
		{"world", "set-node", "did you mean set?"},
		{"world", "delete-nodes", "did you mean replace NODE air?"},
		{"world", "delete-player", "did you mean purge-players?"},
		{"world", "rename", "did you mean rename-player?"},
		{"world", "remove-entities", "there is delete-objects, clear-objects"},
		{"world", "repalce", "did you mean replace?"},
		{"world", "unbann", "did you mean unban?"},
		{"world", "kick", "advice"},
		{"mod", "rename-file", "did you mean rename?"},
		{"mod", "delete-key", "did you mean remove-key?"},
		{"mod", "set-key", "did you mean set?"},
		{"mod", "delete-file", "did you mean delete?"},
		{"find", "tiles", "did you mean tile?"},
		{"find", "nodes", "did you mean node?"},
		{"find", "layers", "did you mean layer?"},
		{"find", "teles", "did you mean tele?"},
		{"find", "list-layers", "did you mean layer?"},
		{"find", "", "advice"},
		{"find", "-", "advice"},
	} {
		err := CommandHint(format.ErrCommand, c.word, sets[c.set], "advice")
		if got := Advice(err, nil); got != c.want && !strings.HasPrefix(got, c.want+",") {
			t.Errorf("%s, %s: %s, want %s", c.set, c.word, got, c.want)
		}
	}
}
