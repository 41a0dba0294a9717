package worldjob

import (
	"errors"
	"fmt"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/minecraft"
)

var (
	optionGame = format.Option{Name: "game", Choices: minecraft.Games, Default: minecraft.Games[0],
		Help: "the built-in `table` of names: minetest_game, or mineclone for MineClone 2 and VoxeLibre"}
	optionTable = format.Option{Name: "table", Access: format.Access{Input: true},
		Help: "a `file` with rows such as \"oak_planks = default:wood\", which precede those of the table"}
	optionUnknown = format.Option{Name: "unknown", Default: "air", Help: "the `node` that blocks become that no row matches"}

	// MinecraftOptions determine the nodes of a schematic of Minecraft.
	MinecraftOptions = []format.Option{optionGame, optionTable, optionUnknown}
)

// Minecraft is a schematic of Minecraft, with the names of its nodes.
type Minecraft struct {
	*minecraft.Schematic
	Table   minecraft.Table
	Unknown string // the node of blocks that are not in the table
}

// ReadMinecraft reads a schematic of Minecraft, and the table that the user selected.
func ReadMinecraft(job *format.Job, src *format.Source) (m Minecraft, err error) {
	if m.Unknown = optionUnknown.Value(job); m.Unknown == "" || strings.ContainsAny(m.Unknown, " \t*?=") {
		return m, fmt.Errorf("--%s %q is not a valid name of a node", optionUnknown.Name, m.Unknown)
	}
	if name := optionTable.Value(job); name != "" {
		text, err := regular.ReadFile(name, effort.RulesFile)
		if err == nil {
			m.Table, err = minecraft.ParseTable(name, string(text))
		}
		if err != nil {
			return m, err
		}
	}
	m.Table = append(m.Table, minecraft.TableOf(optionGame.Value(job))...)
	data, err := src.ReadUpTo(effort.MinecraftFile)
	if err == nil {
		m.Schematic, err = minecraft.Decode(data)
	}
	return m, fault.InFile(err, src.Path)
}

// AsMinecraft returns a better error for a schematic of Minecraft that is used as one of the engine.
func AsMinecraft(head []byte, err error) error {
	if err != nil && minecraft.Recognize(head) {
		return errors.New("the file is a schematic of Minecraft: convert it first (`trowel convert FILE --to mts`)")
	}
	return err
}
