package twmap

import (
	"slices"
	"strconv"
	"strings"
)

// Numbers is a series of numbers from 1 to 255. Equal numbers connect tiles of a layer. The text is the usual name of
// the series.
type Numbers string

// The series. The checkpoints of teleporters have a series separate from that of other tele tiles.
const (
	TeleNumbers       Numbers = "tele"
	CheckpointNumbers Numbers = "checkpoint"
	SwitchNumbers     Numbers = "switch"
	TuneNumbers       Numbers = "tune"
)

// Kind returns the kind of the layer that the tiles are in.
func (n Numbers) Kind() Kind {
	switch n {
	case SwitchNumbers:
		return KindSwitch
	case TuneNumbers:
		return KindTune
	}
	return KindTele
}

// Has reports whether the number of a tile with the given id belongs to the series.
func (n Numbers) Has(id uint8) bool {
	if id == 0 || n == SwitchNumbers || n == TuneNumbers {
		return id != 0
	}
	switch GameTile(id) {
	case TileTeleCheckpoint, TileTeleCheckpointOut:
		return n == CheckpointNumbers
	case TileTeleCheckpointIn, TileTeleCheckpointInEvil: // lead to the last checkpoint, whatever their number is
		return false
	}
	return n == TeleNumbers
}

// Setting returns the number in a server setting, and its position in the line.
func (n Numbers) Setting(line string) (number uint8, from, to int, ok bool) {
	words := strings.Fields(line)
	var commands []string
	switch n {
	case SwitchNumbers:
		commands = []string{"switch_open"}
	case TuneNumbers:
		commands = []string{"tune_zone", "tune_zone_enter", "tune_zone_leave"}
	}
	if len(words) < 2 || !slices.Contains(commands, strings.ToLower(words[0])) {
		return 0, 0, 0, false
	}
	v, err := strconv.ParseUint(words[1], 10, 8)
	if err != nil {
		return 0, 0, 0, false
	}
	from = strings.Index(line, words[0]) + len(words[0])
	from += strings.Index(line[from:], words[1])
	return uint8(v), from, from + len(words[1]), true
}

// Tied reports whether one of two tele tiles leads to the other: an entry and an exit with the same number, a
// checkpoint and its exit, or a checkpoint teleporter and any checkpoint exit.
func (t TeleTile) Tied(other TeleTile) bool {
	return t.leadsTo(other) || other.leadsTo(t)
}

func (t TeleTile) leadsTo(to TeleTile) bool {
	switch GameTile(t.ID) {
	case TileTeleIn, TileTeleInEvil, TileTeleInWeapon, TileTeleInHook:
		return GameTile(to.ID) == TileTeleOut && to.Number == t.Number && t.Number != 0
	case TileTeleCheckpoint:
		return GameTile(to.ID) == TileTeleCheckpointOut && to.Number == t.Number && t.Number != 0
	case TileTeleCheckpointIn, TileTeleCheckpointInEvil:
		return GameTile(to.ID) == TileTeleCheckpointOut && to.Number != 0
	}
	return false
}

// Tied reports whether both tiles belong to the same switch, either as a switch or as something that depends on it.
// Number 0 is not a switch.
func (t SwitchTile) Tied(other SwitchTile) bool {
	return t.Number != 0 && t.Number == other.Number && t.switched() && other.switched()
}

// switched reports whether the number of a tile is that of a switch, not a part of a time.
func (t SwitchTile) switched() bool {
	switch GameTile(t.ID) {
	case TileAir, TileJump, TileAddTime, TileSubtractTime:
		return false
	}
	return true
}
