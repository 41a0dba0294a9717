package mapedit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Numbers are the tiles that one series of numbers, from 1 to 255, ties together.
type Numbers string

// Series of numbers. Those of checkpoints of teleporters have nothing to do with those of the
// other tiles of a tele layer.
const (
	TeleNumbers       Numbers = "tele"
	CheckpointNumbers Numbers = "checkpoint"
	SwitchNumbers     Numbers = "switch"
	TuneNumbers       Numbers = "tune"
)

// kind returns the layers that the tiles are in.
func (n Numbers) kind() twmap.Kind {
	switch n {
	case SwitchNumbers:
		return twmap.KindSwitch
	case TuneNumbers:
		return twmap.KindTune
	}
	return twmap.KindTele
}

// has reports whether the number of a tile is one of the series.
func (n Numbers) has(c Cell) bool {
	if c.ID == 0 || c.Number == 0 {
		return false
	}
	switch twmap.GameTile(c.ID) {
	case twmap.TileTeleCheckpoint, twmap.TileTeleCheckpointOut:
		return n != TeleNumbers
	case twmap.TileTeleCheckpointIn, twmap.TileTeleCheckpointInEvil: // lead to the last checkpoint
		return n == SwitchNumbers || n == TuneNumbers
	}
	return n != CheckpointNumbers
}

// commands are settings whose first word is such a number.
func (n Numbers) commands() []string {
	switch n {
	case SwitchNumbers:
		return []string{"switch_open"}
	case TuneNumbers:
		return []string{"tune_zone", "tune_zone_enter", "tune_zone_leave"}
	}
	return nil
}

// Used returns how many tiles of a map have each number of a series.
func (n Numbers) Used(m *twmap.Map) (used [256]int) {
	l := m.Physics(n.kind())
	if l == nil {
		return used
	}
	cells := openGrid(l)
	for y := range l.Height() {
		for x := range l.Width() {
			if c := cells.at(x, y); n.has(c) {
				used[c.Number]++
			}
		}
	}
	return used
}

// NextFree returns the lowest number of a series that no tile of a map has; 0 if there is none.
func (n Numbers) NextFree(m *twmap.Map) uint8 {
	used := n.Used(m)
	for i := 1; i < len(used); i++ {
		if used[i] == 0 {
			return uint8(i)
		}
	}
	return 0
}

// RenumberTiles gives the tiles of a series whose numbers are from first to last other numbers,
// which begin with to. Settings about them go along. It fails if tiles that stay have one of
// the new numbers, unless they may become one with them.
func (e *Editor) RenumberTiles(n Numbers, first, last, to uint8, join bool) error {
	if first == 0 || to == 0 || last < first || int(to)+int(last-first) > 255 {
		return fmt.Errorf("%d to %d from %d on: expected numbers from 1 to 255", first, last, to)
	}
	used := n.Used(e.m)
	table := make(map[uint8]uint8)
	found := false
	for i := int(first); i <= int(last); i++ {
		is := i - int(first) + int(to)
		table[uint8(i)] = uint8(is)
		if found = found || used[i] > 0; used[i] > 0 && used[is] > 0 && (is < int(first) || is > int(last)) && !join {
			return fmt.Errorf("%d cannot become %d, which %d other tiles have", i, is, used[is])
		}
	}
	if !found {
		return fmt.Errorf("no %s tile has a number from %d to %d", n, first, last)
	}
	e.renumber(n, table)
	return nil
}

// PackNumbers gives the tiles of a series the numbers from 1 on without a gap, in the order of
// those that they have.
func (e *Editor) PackNumbers(n Numbers) {
	table := make(map[uint8]uint8)
	for i, used := range n.Used(e.m) {
		if used > 0 {
			table[uint8(i)] = uint8(len(table) + 1)
		}
	}
	e.renumber(n, table)
}

func (e *Editor) renumber(n Numbers, table map[uint8]uint8) {
	if e.m.Physics(n.kind()) == nil {
		return
	}
	var numbers []uint8
	for was, is := range table {
		if was != is {
			numbers = append(numbers, was)
		}
	}
	slices.Sort(numbers)
	at, used := e.physicsLayer(n.kind()), n.Used(e.m)
	l := e.layer(at)
	for _, was := range numbers {
		e.tell(l, used[was], "tiles", "%s %d became %d", n, was, table[was])
	}
	report := e.report
	e.report = func(check.Change) {} // it was told number by number
	e.edit(at, nil, "", func(_, _ int, c Cell) Cell {
		if is, has := table[c.Number]; has && n.has(c) {
			c.Number = is
		}
		return c
	})
	e.report = report
	if e.m.Info == nil {
		return
	}
	for i, line := range e.m.Info.Settings {
		words := strings.Fields(line)
		if len(words) < 2 || !slices.Contains(n.commands(), strings.ToLower(words[0])) {
			continue
		}
		was, err := strconv.ParseUint(words[1], 10, 8)
		is, has := table[uint8(was)]
		if err != nil || !has || is == uint8(was) {
			continue
		}
		begin := strings.Index(line, words[0]) + len(words[0])
		begin += strings.Index(line[begin:], words[1])
		changed := line[:begin] + fmt.Sprint(is) + line[begin+len(words[1]):]
		e.tell(nil, 1, "", "setting: %s became %s", line, changed)
		e.m.Info.Settings[i] = changed
	}
}
