// Package tiletext represents the tiles of a map layer as text: a line for each row, with spaces between cells. An
// empty cell is a dot. Any other cell starts with its number and the letters of its flags: x and y mirror it, r
// rotates it, o marks it as opaque. Other fields of the cell follow after a colon, and values that no cell should
// have after a !:
//
//	tiles, game, front   12xr           number, flags
//	tele, tune           26:3           number, tele number or zone
//	speedup              28:50/0/90     number, force, maximum speed, angle
//	switch               24r:7/5        number, flags, switch number, delay
//
// Cells are padded to three characters, so that short ones are aligned in columns.
package tiletext

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Characters are all characters that can occur in the text of a row, without the end of line.
const Characters = "0123456789-+.:/! " + flagLetters

const cellWidth = 3

// flagLetters are the letters of the flags, by bit.
const flagLetters = "xyor"

func appendFlags(b []byte, f twmap.TileFlags) []byte {
	for i := range len(flagLetters) {
		if f&(1<<i) != 0 {
			b = append(b, flagLetters[i])
		}
	}
	if rest := f >> len(flagLetters); rest != 0 { // bits without meaning
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
				b = appendNumber(append(b, '!'), c.Skip)
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

// empty is the text of many empty cells.
var empty = strings.Repeat(".   ", 64)

// FormatUpTo returns the text of a grid, with all cells that can be read. For a text of more than limit bytes it returns
// an error that wraps [fault.ErrLimit].
func FormatUpTo[T twmap.Cell](g *twmap.Grid[T], limit int) ([]byte, error) {
	cells, _ := g.Cells()
	b := make([]byte, 0, min(len(cells)*(cellWidth+1)+g.Height(), limit))
	var zero T
	for _, row := range g.Rows() {
		for i := 0; i < len(row); {
			n := 0
			for i+n < len(row) && n < len(empty)/(cellWidth+1) && row[i+n] == zero {
				n++
			}
			if n > 0 {
				b = append(b, empty[:n*(cellWidth+1)]...)
				i += n
				continue
			}
			b = append(appendCell(b, row[i]), ' ')
			i++
		}
		b = append(bytes.TrimRight(b, " "), '\n')
		if len(b) > limit {
			return nil, &fault.Error{Offset: -1, Want: fmt.Sprintf("a text of at most %d bytes", limit), Got: "more", Err: fault.ErrLimit}
		}
	}
	return b, nil
}

// FormatCell returns the text of a cell.
func FormatCell[T twmap.Cell](cell T) string {
	return strings.TrimRight(string(appendCell(nil, cell)), " ")
}

// Column returns the position of cell x in the text of a row, in bytes from 1.
func Column[T twmap.Cell](row []T, x int) int {
	column := 1
	var text []byte
	for _, cell := range row[:x] {
		text = appendCell(text[:0], cell)
		column += len(text) + 1
	}
	return column
}

// At returns the index of the cell at a column of a row's text, or of the cell before it.
func At[T twmap.Cell](row []T, column int) (x int) {
	var text []byte
	for x = range row {
		text = appendCell(text[:0], row[x])
		if column -= len(text) + 1; column < 1 {
			break
		}
	}
	return x
}

// maxCellErrors limits the number of reported cells of a layer.
const maxCellErrors = 10

// Parse reads the text of a layer of a kind, with width columns and n cells. It returns the cells that it could read,
// and the errors, limited for cells.
func Parse[T twmap.Cell](text []byte, kind twmap.Kind, width, n int) ([]T, []*fault.TextError) {
	cells := make([]T, 0, min(n, len(text)))
	var errs []*fault.TextError
	fail := func(line, column int, format string, args ...any) {
		errs = append(errs, &fault.TextError{Line: line, Column: column, Msg: fmt.Sprintf(format, args...)})
	}
	row := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		row++
		want := min(width, n-len(cells))
		if want == 0 {
			if len(bytes.TrimSpace(line)) == 0 {
				continue // empty lines at the end
			}
			fail(row, 0, "a row too many: expected %d", row-1)
			return nil, errs
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
				cell, wrong := readCell[T](line[i:end], kind)
				if wrong != "" && len(errs) < maxCellErrors {
					fail(row, 1+utf8.RuneCount(line[:i]), "%s", wrong)
				}
				cells = append(cells, cell)
			}
			i = end
		}
		if have != want {
			fail(row, 0, "a row of %s: expected %d", words.Count(have, "tile"), want)
			return nil, errs
		}
	}
	if len(cells) < n {
		fail(row, 0, "the last row is number %d: expected %d rows", row, (n+width-1)/width)
	}
	return cells, errs
}

// ParseCell reads the text of a cell of a kind of layers.
func ParseCell[T twmap.Cell](text string, kind twmap.Kind) (T, error) {
	cell, wrong := readCell[T]([]byte(text), kind)
	if wrong != "" {
		return cell, errors.New(wrong)
	}
	return cell, nil
}

// readCell reads the text of a cell. If the text is wrong, it returns the reason.
func readCell[T twmap.Cell](text []byte, kind twmap.Kind) (cell T, wrong string) {
	if string(text) == "." {
		return cell, ""
	}
	p := cellParser{text: text}
	parseCell(&p, &cell)
	if len(p.text) > 0 {
		p.fail("%q is not part of a cell of a %v layer", p.text, kind)
	}
	if p.wrong != "" {
		wrong = fmt.Sprintf("%.40s: %s: expected a form like %s", text, p.wrong, cellExample[T]())
	}
	return cell, wrong
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

// cellParser reads numbers and flags from the text of a cell.
type cellParser struct {
	text  []byte
	wrong string // the first error
}

func parseCell[T twmap.Cell](p *cellParser, cell *T) {
	switch c := any(cell).(type) {
	case *twmap.Tile:
		c.ID = p.byte("number")
		c.Flags = p.flags()
		if p.more('!') {
			c.Skip = p.byte("skip")
			p.expect('/')
			c.Reserved = p.byte("reserve")
		}
	case *twmap.TeleTile:
		c.ID = p.byte("number")
		p.expect(':')
		c.Number = p.byte("number after the colon")
	case *twmap.TuneTile:
		c.ID = p.byte("number")
		p.expect(':')
		c.Number = p.byte("zone")
	case *twmap.SpeedupTile:
		c.ID = p.byte("number")
		p.expect(':')
		c.Force = p.byte("force")
		p.expect('/')
		c.MaxSpeed = p.byte("speed")
		p.expect('/')
		c.Angle = int16(p.number("angle", -1<<15, 1<<15-1))
		if p.more('/') {
			c.Padding = p.byte("padding")
		}
	case *twmap.SwitchTile:
		c.ID = p.byte("number")
		c.Flags = p.flags()
		p.expect(':')
		c.Number = p.byte("switch")
		p.expect('/')
		c.Delay = p.byte("delay")
	}
}

// fail records an error and skips the rest of the cell, which cannot be parsed.
func (p *cellParser) fail(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, args...)
	}
	p.text = nil
}

// more skips a character if it is next, and reports whether it was.
func (p *cellParser) more(ch byte) bool {
	if len(p.text) == 0 || p.text[0] != ch {
		return false
	}
	p.text = p.text[1:]
	return true
}

func (p *cellParser) expect(ch byte) {
	switch {
	case p.wrong != "" || p.more(ch):
	case len(p.text) == 0:
		p.fail("expected %c and a number", ch)
	default:
		p.fail("%q in place of a %c", p.text[0], ch)
	}
}

func (p *cellParser) byte(what string) uint8 { return uint8(p.number(what, 0, 255)) }

func (p *cellParser) number(what string, lo, hi int) int {
	if p.wrong != "" {
		return 0
	}
	negative := p.more('-')
	v, n := 0, 0
	for n < len(p.text) && p.text[n] >= '0' && p.text[n] <= '9' {
		v = min(10*v+int(p.text[n]-'0'), 1<<20)
		n++
	}
	if negative {
		v = -v
	}
	p.text = p.text[n:]
	switch {
	case n == 0:
		p.fail("the %s is missing", what)
	case v < lo || v > hi:
		p.fail("the %s must be %d to %d", what, lo, hi)
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
	if p.more('+') {
		f |= twmap.TileFlags(p.byte("flags"))
	}
	return f
}
