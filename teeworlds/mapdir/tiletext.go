package mapdir

import (
	"bytes"
	"fmt"
	"strconv"

	"trowel/teeworlds/twmap"
)

// Tiles as text: a line for each row, cells with spaces between them. A cell of
// nothing is a dot. Any other starts with its number, and the letters of its
// flags: x and y mirror it, r rotates it, o marks it as opaque; what a cell has
// besides stands behind a colon:
//
//	tiles, game, front   12xr           number, flags
//	tele, tune           26:3           number, tele number or zone
//	speedup              28:50/0/90     number, force, maximum speed, angle
//	switch               24r:7/5        number, flags, switch number, delay
//
// Cells are filled up to three characters, so that plain ones stand in columns.

const cellWidth = 3

// flagLetters are the letters of the flags, by bit.
const flagLetters = "xyor"

func appendFlags(b []byte, f twmap.TileFlags) []byte {
	for i := range len(flagLetters) {
		if f&(1<<i) != 0 {
			b = append(b, flagLetters[i])
		}
	}
	if rest := f >> len(flagLetters); rest != 0 { // bits that mean nothing
		b = append(b, '+')
		b = strconv.AppendUint(b, uint64(f&^0xf), 10)
	}
	return b
}

func appendNumber[T uint8 | int16](b []byte, v T) []byte { return strconv.AppendInt(b, int64(v), 10) }

// appendCell writes a cell.
func appendCell[T twmap.Cell](b []byte, cell T) []byte {
	start := len(b)
	var zero T
	if cell == zero {
		b = append(b, '.')
	} else {
		switch c := any(cell).(type) {
		case twmap.Tile:
			b = appendFlags(appendNumber(b, c.ID), c.Flags)
			if c.Skip != 0 || c.Reserved != 0 {
				b = appendNumber(append(b, ':'), c.Skip)
				b = appendNumber(append(b, '/'), c.Reserved)
			}
		case twmap.TeleTile:
			b = appendNumber(append(appendNumber(b, c.ID), ':'), c.Number)
		case twmap.TuneTile:
			b = appendNumber(append(appendNumber(b, c.ID), ':'), c.Number)
		case twmap.SpeedupTile:
			b = appendNumber(append(appendNumber(b, c.ID), ':'), c.Force)
			b = appendNumber(append(b, '/'), c.MaxSpeed)
			b = appendNumber(append(b, '/'), c.Angle)
			if c.Padding != 0 {
				b = appendNumber(append(b, '/'), c.Padding)
			}
		case twmap.SwitchTile:
			b = appendFlags(appendNumber(b, c.ID), c.Flags)
			b = appendNumber(append(b, ':'), c.Number)
			b = appendNumber(append(b, '/'), c.Delay)
		}
	}
	for len(b)-start < cellWidth {
		b = append(b, ' ')
	}
	return b
}

// formatTiles writes the cells of a grid, as many as there are.
func formatTiles[T twmap.Cell](g *twmap.Grid[T]) []byte {
	cells, _ := g.Cells()
	b := make([]byte, 0, len(cells)*(cellWidth+1)+g.Height)
	var zero T
	for _, row := range g.Rows() {
		for _, cell := range row {
			if cell == zero {
				b = append(b, ".   "...)
				continue
			}
			b = append(appendCell(b, cell), ' ')
		}
		b = append(bytes.TrimRight(b, " "), '\n')
	}
	return b
}

// parseTiles reads the cells of a layer of width columns, n cells in all.
func parseTiles[T twmap.Cell](file string, text []byte, width, n int) ([]T, error) {
	cells := make([]T, 0, min(n, len(text)))
	row := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		row++
		want := min(width, n-len(cells))
		if want == 0 {
			if len(bytes.TrimSpace(line)) == 0 {
				continue // empty lines at the end
			}
			return nil, &Error{file, row, fmt.Sprintf("a row too many: expected %d", row-1)}
		}
		have := 0
		for i := 0; i < len(line); {
			if line[i] == ' ' || line[i] == '\t' {
				i++
				continue
			}
			end := i
			for end < len(line) && line[end] != ' ' && line[end] != '\t' {
				end++
			}
			have++
			if have <= want {
				var cell T
				if end-i != 1 || line[i] != '.' {
					p := cellParser{text: line[i:end]}
					parseCell(&p, &cell)
					if p.bad || len(p.text) > 0 {
						return nil, &Error{file, row, fmt.Sprintf("column %d: invalid tile %q: expected a form like %s", have, line[i:end], cellExample[T]())}
					}
				}
				cells = append(cells, cell)
			}
			i = end
		}
		if have != want {
			return nil, &Error{file, row, fmt.Sprintf("a row of %d tiles: expected %d", have, want)}
		}
	}
	if len(cells) < n {
		return nil, &Error{file, row, fmt.Sprintf("the file ends after %d rows: expected %d", row, (n+width-1)/width)}
	}
	return cells, nil
}

func cellExample[T twmap.Cell]() string {
	var zero T
	switch any(zero).(type) {
	case twmap.TeleTile, twmap.TuneTile:
		return "26:3"
	case twmap.SpeedupTile:
		return "28:50/0/90"
	case twmap.SwitchTile:
		return "24r:7/5"
	}
	return "12xr"
}

// cellParser takes numbers and flags from the text of a cell.
type cellParser struct {
	text []byte
	bad  bool
}

func parseCell[T twmap.Cell](p *cellParser, cell *T) {
	switch c := any(cell).(type) {
	case *twmap.Tile:
		c.ID = p.byte()
		c.Flags = p.flags()
		if len(p.text) > 0 {
			p.expect(':')
			c.Skip = p.byte()
			p.expect('/')
			c.Reserved = p.byte()
		}
	case *twmap.TeleTile:
		c.ID = p.byte()
		p.expect(':')
		c.Number = p.byte()
	case *twmap.TuneTile:
		c.ID = p.byte()
		p.expect(':')
		c.Number = p.byte()
	case *twmap.SpeedupTile:
		c.ID = p.byte()
		p.expect(':')
		c.Force = p.byte()
		p.expect('/')
		c.MaxSpeed = p.byte()
		p.expect('/')
		c.Angle = int16(p.number(-1<<15, 1<<15-1))
		if len(p.text) > 0 {
			p.expect('/')
			c.Padding = p.byte()
		}
	case *twmap.SwitchTile:
		c.ID = p.byte()
		c.Flags = p.flags()
		p.expect(':')
		c.Number = p.byte()
		p.expect('/')
		c.Delay = p.byte()
	}
}

func (p *cellParser) expect(ch byte) {
	if len(p.text) == 0 || p.text[0] != ch {
		p.bad = true
		return
	}
	p.text = p.text[1:]
}

func (p *cellParser) byte() uint8 { return uint8(p.number(0, 255)) }

func (p *cellParser) number(lo, hi int) int {
	negative := len(p.text) > 0 && p.text[0] == '-'
	if negative {
		p.text = p.text[1:]
	}
	v, n := 0, 0
	for n < len(p.text) && p.text[n] >= '0' && p.text[n] <= '9' && v <= 1<<16 {
		v = 10*v + int(p.text[n]-'0')
		n++
	}
	if negative {
		v = -v
	}
	p.text = p.text[n:]
	if n == 0 || v < lo || v > hi {
		p.bad = true
		return 0
	}
	return v
}

func (p *cellParser) flags() twmap.TileFlags {
	var f twmap.TileFlags
	for len(p.text) > 0 {
		i := bytes.IndexByte([]byte(flagLetters), p.text[0])
		if i < 0 {
			break
		}
		f |= 1 << i
		p.text = p.text[1:]
	}
	if len(p.text) > 0 && p.text[0] == '+' {
		p.text = p.text[1:]
		f |= twmap.TileFlags(p.byte())
	}
	return f
}
