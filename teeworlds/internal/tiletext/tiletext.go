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
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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

// appendRow writes a row.
func appendRow[T twmap.Cell](b []byte, row []T) []byte {
	var zero T
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
	return append(bytes.TrimRight(b, " "), '\n')
}

// tooLong returns the error for a text of more than limit bytes.
func tooLong(limit int) error {
	return &fault.Error{Offset: -1, Want: fmt.Sprintf("a text of at most %d bytes", limit), Got: "more", Err: fault.ErrLimit}
}

// FormatUpTo returns the text of a grid, with all cells that can be read. For a text of more than limit bytes it returns
// an error that wraps [fault.ErrLimit].
func FormatUpTo[T twmap.Cell](g *twmap.Grid[T], limit int) ([]byte, error) {
	cells, _ := g.Cells()
	size := len(cells)*(cellWidth+1) + g.Height()
	if len(cells) > manyCells {
		size = textSize(g, limit)
	}
	b := make([]byte, 0, min(size, limit))
	for _, row := range g.Rows() {
		if b = appendRow(b, row); len(b) > limit {
			return nil, tooLong(limit)
		}
	}
	return b, nil
}

// PiecesUpTo returns a reader of the text of a grid, of which one row is in memory at a time, and the size of the text. It returns
// nil where [FormatUpTo] must be used, see [twmap.Grid.Pieces], and for cells that cannot be read. For a text of more than limit
// bytes it returns an error that wraps [fault.ErrLimit].
func PiecesUpTo[T twmap.Cell](g *twmap.Grid[T], limit int) (r io.Reader, size int64, err error) {
	next, again := g.Pieces(), g.Pieces() // another goroutine may load the cells, after which there are none
	if next == nil || again == nil {
		return nil, 0, nil
	}
	var text []byte
	row, err := next()
	for ; err == nil && size <= int64(limit); row, err = next() {
		text = appendRow(text[:0], row)
		size += int64(len(text))
	}
	switch {
	case size > int64(limit):
		return nil, 0, tooLong(limit)
	case err != io.EOF:
		return nil, 0, nil
	}
	return &pieces[T]{next: again}, size, nil
}

// pieces reads the text of rows.
type pieces[T twmap.Cell] struct {
	next func() ([]T, error)
	text []byte // of the last row
	rest []byte // of this text
}

func (p *pieces[T]) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		row, err := p.next()
		if err != nil {
			return 0, err
		}
		p.text = appendRow(p.text[:0], row)
		p.rest = p.text
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// manyCells is the number of cells from which on the size of a text is computed first: a text that grows takes more than
// twice its memory.
const manyCells = 1 << 22

// textSize returns the room that the text of a grid takes, up to about limit.
func textSize[T twmap.Cell](g *twmap.Grid[T], limit int) (size int) {
	var text []byte
	var zero T
	for _, row := range g.Rows() {
		for _, cell := range row {
			if cell == zero {
				size += cellWidth + 1
				continue
			}
			text = appendCell(text[:0], cell)
			size += len(text) + 1
		}
		if size++; size > limit {
			break
		}
	}
	return size
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
	p := parser[T]{kind: kind, width: width, left: n, cells: make([]T, 0, min(n, len(text)))}
	for line := range bytes.Lines(text) {
		if !p.line(line) {
			return nil, p.errs
		}
	}
	p.end()
	return p.cells, p.errs
}

// ParseRows is [Parse] for a text that is in memory line by line: it calls add with the cells of each row. The error is that of
// reading.
func ParseRows[T twmap.Cell](text *bufio.Reader, kind twmap.Kind, width, n int, add func(row []T)) ([]*fault.TextError, error) {
	p := parser[T]{kind: kind, width: width, left: n}
	var line []byte
	for {
		part, err := text.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxCell*(width+1):
			p.row++
			p.fail(0, "a row of more than %s bytes: expected %s", words.Thousands(int64(maxCell*(width+1))), words.Count(min(width, p.left), "tile"))
			return p.errs, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && err != io.EOF:
			return nil, err
		case len(line) > 0:
			p.cells = p.cells[:0]
			if !p.line(line) {
				return p.errs, nil
			}
			add(p.cells)
			line = line[:0]
		}
		if err == io.EOF {
			p.end()
			return p.errs, nil
		}
	}
}

// maxCell is the number of bytes of a row that are read for each cell, more than any cell has.
const maxCell = 64

// parser reads the rows of a text.
type parser[T twmap.Cell] struct {
	kind        twmap.Kind
	width, left int // left: the number of expected cells
	row         int // the number of rows so far
	cells       []T
	errs        []*fault.TextError
}

func (p *parser[T]) fail(column int, format string, args ...any) {
	p.errs = append(p.errs, &fault.TextError{Line: p.row, Column: column, Msg: fmt.Sprintf(format, args...)})
}

// line adds the cells of a line. It returns false if the number of cells is wrong.
func (p *parser[T]) line(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	p.row++
	want := min(p.width, p.left)
	if want == 0 {
		if len(bytes.TrimSpace(line)) == 0 {
			return true // empty lines at the end
		}
		p.fail(0, "a row too many: expected %s", words.Thousands(int64(p.row-1)))
		return false
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
			cell, wrong := readCell[T](line[i:end], p.kind)
			if wrong != "" && len(p.errs) < maxCellErrors {
				p.fail(1+utf8.RuneCount(line[:i]), "%s", wrong)
			}
			p.cells = append(p.cells, cell)
		}
		i = end
	}
	if have != want {
		p.fail(0, "a row of %s: expected %s", words.Count(have, "tile"), words.Thousands(int64(want)))
		return false
	}
	p.left -= want
	return true
}

// end adds an error if rows are missing.
func (p *parser[T]) end() {
	if p.left > 0 {
		p.fail(0, "the last row is number %d: expected %d rows", p.row, p.row+(p.left+p.width-1)/p.width)
	}
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
