package mapscene

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// kept is the text of a tile that is not drawn.
const kept = "_"

// maxRow is the maximum number of tiles in a row.
const maxRow = 1 << 20

// ParseRow parses a row of tiles of a kind of layers: tiles as in the text of the layer, separated by spaces, each with
// *N after it for N equal tiles. A tile that is kept has the text _. Rows and columns count from 0.
func ParseRow(kind twmap.Kind, text string) ([]mapedit.Run, error) {
	var runs []mapedit.Run
	x := 0
	for _, word := range strings.Fields(text) {
		tile, times, repeated := strings.Cut(word, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 1 || n > maxRow {
				return nil, fmt.Errorf("%.40s: expected a number of tiles from 1 to %s after the *", word, words.Thousands(maxRow))
			}
		}
		if x += n; x > maxRow {
			return nil, fmt.Errorf("expected at most %s tiles", words.Thousands(maxRow))
		}
		if tile == kept {
			continue
		}
		cell, err := ParseCell(kind, tile)
		if err != nil {
			return nil, err
		}
		runs = append(runs, mapedit.Run{X: x - n, Length: n, Cell: cell})
	}
	return runs, nil
}

// ParseCell parses the text of a tile of a kind of layers.
func ParseCell(kind twmap.Kind, text string) (mapedit.Cell, error) {
	switch kind {
	case twmap.KindTele:
		return parseAs[twmap.TeleTile](kind, text)
	case twmap.KindSpeedup:
		return parseAs[twmap.SpeedupTile](kind, text)
	case twmap.KindSwitch:
		return parseAs[twmap.SwitchTile](kind, text)
	case twmap.KindTune:
		return parseAs[twmap.TuneTile](kind, text)
	}
	return parseAs[twmap.Tile](kind, text)
}

func parseAs[T twmap.Cell](kind twmap.Kind, text string) (mapedit.Cell, error) {
	tile, err := tiletext.ParseCell[T](text, kind)
	return mapedit.CellOf(tile), err
}

// appendRow appends the text of cells of a row, of which n cells are outside of the layer on either side.
func appendRow[T twmap.Cell](b []byte, cells []T, before, after int) []byte {
	word := func(text string, n int) {
		if n == 0 {
			return
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		if b = append(b, text...); n > 1 {
			b = strconv.AppendInt(append(b, '*'), int64(n), 10)
		}
	}
	word(kept, before)
	for i := 0; i < len(cells); {
		n := i + 1
		for n < len(cells) && cells[n] == cells[i] {
			n++
		}
		word(tiletext.FormatCell(cells[i]), n-i)
		i = n
	}
	word(kept, after)
	return b
}

// turnRows turns a block of rows of a kind of layers, which need not have the same length.
func turnRows(kind twmap.Kind, rows []string, t mapedit.Turn) ([]string, error) {
	block, width := make([][]*mapedit.Cell, len(rows)), 0
	for y, row := range rows {
		runs, err := ParseRow(kind, row)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", y+1, err)
		}
		for _, r := range runs {
			if width = max(width, r.X+r.Length); width*len(rows) > maxRow {
				return nil, fmt.Errorf("expected a block of at most %s tiles", words.Thousands(maxRow))
			}
			block[y] = append(block[y], make([]*mapedit.Cell, r.X+r.Length-len(block[y]))...)
			for x := range r.Length {
				block[y][r.X+x] = &r.Cell
			}
		}
	}
	for y := range block {
		block[y] = append(block[y], make([]*mapedit.Cell, width-len(block[y]))...)
	}
	var turned []string
	for _, row := range t.Cells(kind, block) {
		turned = append(turned, cellsText(kind, row))
	}
	return turned, nil
}

func cellsText(kind twmap.Kind, row []*mapedit.Cell) string {
	var text []string
	for i := 0; i < len(row); {
		n := i + 1
		for n < len(row) && (row[n] == row[i] || row[n] != nil && row[i] != nil && *row[n] == *row[i]) {
			n++
		}
		word := kept
		if row[i] != nil {
			word = formatCell(kind, *row[i])
		}
		if n-i > 1 {
			word += "*" + strconv.Itoa(n-i)
		}
		text = append(text, word)
		i = n
	}
	return strings.Join(text, " ")
}

func formatCell(kind twmap.Kind, c mapedit.Cell) string {
	switch kind {
	case twmap.KindTele:
		return tiletext.FormatCell(mapedit.TileOf[twmap.TeleTile](c))
	case twmap.KindSpeedup:
		return tiletext.FormatCell(mapedit.TileOf[twmap.SpeedupTile](c))
	case twmap.KindSwitch:
		return tiletext.FormatCell(mapedit.TileOf[twmap.SwitchTile](c))
	case twmap.KindTune:
		return tiletext.FormatCell(mapedit.TileOf[twmap.TuneTile](c))
	}
	return tiletext.FormatCell(mapedit.TileOf[twmap.Tile](c))
}
