package mapscene

import (
	"errors"
	"fmt"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// tile returns the tile of a layer at the place, or nil if it is empty.
func (h *here) tile(l *twmap.TileLayer) []format.Thing {
	if l.Width() < 1 || l.Height() < 1 {
		return nil
	}
	column, row := math.Floor(h.x/mapdraw.TileSize), math.Floor(h.y/mapdraw.TileSize)
	x, y := int(min(max(column, 0), float64(l.Width()-1))), int(min(max(row, 0), float64(l.Height()-1)))
	var c cell
	var err error
	l.Look(func(l *twmap.TileLayer) {
		if err = cellError(l); err == nil {
			c = cellOf(l, x, y)
		}
	})
	if err != nil { // Look does not return these cells
		l := l.Clone()
		err = cellError(l)
		c = cellOf(l, x, y)
	}
	if !c.there {
		return []format.Thing{h.thing(l.Kind().String(), h.part.Whole(), twmap.Stored{}, err)}
	}
	if c.text == "." {
		return nil
	}
	t := h.thing(twmap.TileName(l.Kind(), c.ID), h.part.Tile(x, y), l.Stored(x, y), err)
	if t.Line.Line > 0 {
		t.Line.Column = c.column
	}
	add := func(facts ...format.InfoField) { t.Facts = append(t.Facts, facts...) }
	if column != float64(x) || row != float64(y) {
		add(format.Fact("repeats", "", fmt.Sprintf("the tile %d,%d at the edge of the layer, as in the game", x, y)))
	}
	add(format.Fact("cell", "in the tree", c.text), format.Fact("tile", "number", int(c.ID)))
	if does := twmap.TileDoes(l.Kind(), c.ID); does != "" {
		add(format.Fact("does", "", does))
	}
	add(c.facts...)
	if settings := h.settings(c.series, c.Number); settings != nil {
		add(format.Fact("settings", "", settings))
	}
	if c.partners > 0 {
		add(format.Fact("partners", "", c.partners))
	}
	for _, p := range c.tied {
		t.Links = append(t.Links, format.Link{Title: p.title, At: tilesOf(h.placing, (float64(p.x)+0.5)*mapdraw.TileSize,
			(float64(p.y)+0.5)*mapdraw.TileSize)})
	}
	if l.Kind() == twmap.KindTiles {
		add(h.image(l.Image)...)
		if l.Color != twmap.White {
			add(format.Fact("color", "colour of the layer", colorOf(l.Color)))
		}
		add(h.envelope("colorEnvelope", "colour envelope", l.ColorEnv, l.ColorEnvOffset)...)
	}
	add(h.groupFacts())
	return []format.Thing{t}
}

// cellError returns the reason why the cells of a layer cannot be read. Cells of another version are readable.
func cellError(l *twmap.TileLayer) error {
	if err := l.Load(); !errors.Is(err, fault.ErrVersion) {
		return err
	}
	return nil
}

// cell describes a cell.
type cell struct {
	mapedit.Cell
	there  bool
	text   string // as in the tree
	column int    // in the line of its row
	facts  []format.InfoField
	series twmap.Numbers // of its number; "" if it has none

	partners int
	tied     []partner // the first partners
}

// partner is a tile that is connected to another one.
type partner struct {
	x, y  int
	title string
}

func cellOf(l *twmap.TileLayer, x, y int) (c cell) {
	add := func(key, label string, value any) { c.facts = append(c.facts, format.Fact(key, label, value)) }
	number := func(series twmap.Numbers) {
		c.series = series
		add("number", string(series)+" number", int(c.Number))
	}
	switch l.Kind() {
	case twmap.KindTele:
		readTied(&c, l.Kind(), l.Teles(), twmap.TeleTile.Tied, x, y)
		if twmap.CheckpointNumbers.Has(c.ID) {
			number(twmap.CheckpointNumbers)
		} else {
			number(twmap.TeleNumbers)
		}
	case twmap.KindSwitch:
		readTied(&c, l.Kind(), l.Switches(), twmap.SwitchTile.Tied, x, y)
		number(twmap.SwitchNumbers)
		add("delay", "", int(c.Delay))
		c.facts = append(c.facts, flagsFact(c.Flags))
	case twmap.KindSpeedup:
		read(&c, l.Speedups(), x, y)
		limit := any(int(c.MaxSpeed))
		if c.MaxSpeed == 0 {
			limit = "none"
		}
		add("force", "", int(c.Force))
		add("maxSpeed", "maximum speed", limit)
		add("angle", "angle in degrees, clockwise from the right", int(c.Angle))
	case twmap.KindTune:
		read(&c, l.Tunes(), x, y)
		number(twmap.TuneNumbers)
	default:
		read(&c, l.Tiles(), x, y)
		c.facts = append(c.facts, flagsFact(c.Flags))
	}
	return c
}

// read reads a cell.
func read[T twmap.Cell](c *cell, g *twmap.Grid[T], x, y int) (t T) {
	cells, _ := g.Cells()
	from := y * g.Width()
	if c.there = from+x < len(cells); c.there {
		t = cells[from+x]
		if u, ok := any(t).(interface{ Unused() bool }); ok && u.Unused() {
			c.facts = append(c.facts, format.Fact("unused", "", "the tile does nothing, because a required number is 0"))
		}
		c.text, c.column = tiletext.FormatCell(t), tiletext.Column(cells[from:from+x+1], x)
	}
	c.Cell = mapedit.CellOf(t)
	return t
}

// readTied is read for tiles that are connected to others, and finds the partners of the cell.
func readTied[T twmap.Cell](c *cell, kind twmap.Kind, g *twmap.Grid[T], tied func(t, other T) bool, x, y int) {
	own := read(c, g, x, y)
	for py, row := range g.Rows() {
		for px, t := range row {
			if !tied(own, t) || px == x && py == y {
				continue
			}
			if c.partners++; c.partners <= maxLinks {
				other := mapedit.CellOf(t)
				c.tied = append(c.tied, partner{px, py, fmt.Sprintf("%s %d at %d,%d", twmap.TileName(kind, other.ID), other.Number, px, py)})
			}
		}
	}
}

func flagsFact(f twmap.TileFlags) format.InfoField {
	if f == 0 {
		return format.Fact("flags", "", "none")
	}
	return format.Fact("flags", "", f.String())
}

// settings returns the settings about a number.
func (h *here) settings(series twmap.Numbers, number uint8) (lines []string) {
	if series == "" || number == 0 || h.m.Info == nil {
		return nil
	}
	for _, line := range h.m.Info.Settings {
		if n, _, _, ok := series.Setting(line); ok && n == number {
			lines = append(lines, line)
		}
	}
	return lines
}
