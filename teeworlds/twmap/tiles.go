package twmap

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
)

// Tile is a cell of tiles, game and front layers (section "Tiles").
type Tile struct {
	ID    uint8 // position in the image of 16 x 16 tiles, or the function of the tile: see [GameTile]
	Flags TileFlags
	// Skip and Reserved are 0 in every map that the game accepts. The compressed form of Teeworlds 0.7 counts
	// repetitions in Skip; decoding expands them.
	Skip, Reserved uint8
}

// TeleTile is a cell of a tele layer.
type TeleTile struct {
	Number uint8 // connects entries to exits
	ID     uint8
}

// SpeedupTile is a cell of a speedup layer.
type SpeedupTile struct {
	Force    uint8
	MaxSpeed uint8 // 0: no limit
	ID       uint8
	Padding  uint8
	Angle    int16 // in degrees, clockwise, 0 to the right
}

// SwitchTile is a cell of a switch layer.
type SwitchTile struct {
	Number uint8 // connects switches to doors, lasers and similar entities
	ID     uint8
	Flags  TileFlags
	Delay  uint8 // in seconds
}

// TuneTile is a cell of a tune layer.
type TuneTile struct {
	Number uint8 // of the tune zone, which the settings define
	ID     uint8
}

// TileFlags transform a tile. The game first flips the tile, then rotates it.
type TileFlags uint8

// Flags of a tile.
const (
	FlipX  TileFlags = 1 // left and right change places ("vertical flip" in old documents)
	FlipY  TileFlags = 2 // top and bottom change places
	Opaque TileFlags = 4 // hides everything behind the tile
	Rotate TileFlags = 8 // by 90 degrees, clockwise
)

func (f TileFlags) String() string {
	return flagNames(int32(f), []string{"xflip", "yflip", "opaque", "rotate"})
}

// flagNames lists the names of the bits that are set; bits without a name are listed as numbers.
func flagNames(v int32, names []string) string {
	s := ""
	for i, name := range names {
		if v&(1<<i) != 0 {
			s += "|" + name
			v &^= 1 << i
		}
	}
	if v != 0 {
		s += fmt.Sprintf("|0x%x", uint32(v))
	}
	if s == "" {
		return "0"
	}
	return s[1:]
}

// Cell is a tile of any layer.
type Cell interface {
	Tile | TeleTile | SpeedupTile | SwitchTile | TuneTile
}

func cellSize[T Cell]() int {
	var zero T
	switch any(zero).(type) {
	case TeleTile, TuneTile:
		return 2
	case SpeedupTile:
		return 6
	}
	return 4
}

func (g *Grid[T]) load(read func(*datafile.Block) ([]byte, error)) ([]T, error) {
	if g.ref == nil || g.ref.block == nil {
		return nil, &fault.Error{Path: "data", Offset: -1, Want: "a data block with the tiles", Got: "none", Err: fault.ErrFormat}
	}
	data, err := read(g.ref.block)
	n := g.width * g.height
	if g.packed {
		tiles, unpackErr := unpack(data, n)
		cells, _ := any(tiles).([]T)
		if err == nil {
			err = unpackErr
		}
		return cells, err
	}
	size := cellSize[T]()
	if cells := cellsOf2010[T](data, n); cells != nil && err == nil {
		return cells, &fault.Error{Path: "data", Offset: g.ref.block.Offset(), Want: fmt.Sprintf("cells of %s", words.Count(size, "byte")),
			Got: fmt.Sprintf("cells of %s, as DDRace wrote them in 2010", words.Count(len(data)/n, "byte")), Err: fault.ErrVersion}
	}
	if have := len(data) / size; have < n {
		if err == nil {
			err = &fault.Error{Path: "data", Offset: g.ref.block.Offset(),
				Want: fmt.Sprintf("%d bytes for %d x %d tiles", n*size, g.width, g.height), Got: fmt.Sprint(len(data)),
				Err: fault.ErrShort}
		}
		n = have
	}
	return cellsOf[T](data, n), err
}

// cellsOf returns the first n cells in data. Cells of single bytes have the same form in memory and in the file, so
// they share the memory of data: a layer is not held twice. They must not be changed; Set makes a copy first.
func cellsOf[T Cell](data []byte, n int) []T {
	if n == 0 {
		return nil
	}
	var cells []T
	if speedups, ok := any(&cells).(*[]SpeedupTile); ok {
		*speedups = make([]SpeedupTile, n)
		for i := range *speedups {
			b := data[6*i : 6*i+6 : 6*i+6]
			(*speedups)[i] = SpeedupTile{b[0], b[1], b[2], b[3], int16(binary.LittleEndian.Uint16(b[4:]))}
		}
		return cells
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// Sizes of the cells that the first DDRace editors wrote.
const (
	speedupSize2010 = 4
	switchSize2010  = 2
)

// cellsOf2010 reads the smaller cells that the first DDRace editors wrote: speedup cells without maximum speed and
// number, switch cells without flags and delay. The size of the block is the only indication; the result is nil for
// any other size.
func cellsOf2010[T Cell](data []byte, n int) []T {
	var zero []T
	switch any(zero).(type) {
	case []SpeedupTile:
		if len(data) != speedupSize2010*n {
			return nil
		}
		cells := make([]SpeedupTile, n)
		for i := range cells {
			b := data[4*i : 4*i+4]
			cells[i] = SpeedupTile{Force: b[0], Padding: b[1], Angle: int16(binary.LittleEndian.Uint16(b[2:]))}
			if b[0] > 0 {
				cells[i].ID = uint8(speedupOld)
			}
		}
		return any(cells).([]T)
	case []SwitchTile:
		if len(data) != switchSize2010*n {
			return nil
		}
		cells := make([]SwitchTile, n)
		for i := range cells {
			cells[i] = SwitchTile{Number: data[2*i], ID: data[2*i+1]}
		}
		return any(cells).([]T)
	}
	return nil
}

// speedupOld is the number of a speedup tile without a maximum speed.
const speedupOld = 28

// encode returns the contents of the grid's block. Missing cells are air.
func (g *Grid[T]) encode(packed bool) datafile.Content {
	n := g.width * g.height
	if !packed && g.inBlock() {
		read := (*datafile.Block).Bytes
		if g.shelved {
			read = (*datafile.Block).Once
		}
		if data, err := read(g.ref.block); err == nil && len(data) == n*cellSize[T]() {
			return datafile.Content{Bytes: data} // the cells represent the whole block
		}
	}
	cells, _ := g.passing()
	if tiles, ok := any(cells).([]Tile); ok && packed {
		return datafile.Content{Bytes: pack(tiles, n)}
	}
	data := appendCells(make([]byte, 0, len(cells)*cellSize[T]()), cells)
	return datafile.Content{Bytes: data, Zeros: max(n*cellSize[T](), cellSize[T]()) - len(data)}
}

// appendCells adds the cells as they are in the contents of a block.
func appendCells[T Cell](to []byte, cells []T) []byte {
	from, n := len(to), len(cells)*cellSize[T]()
	to = slices.Grow(to, n)[:from+n]
	data := to[from:]
	switch cells := any(cells).(type) {
	case []Tile:
		for i, t := range cells {
			b := data[4*i : 4*i+4 : 4*i+4]
			b[0], b[1], b[2], b[3] = t.ID, byte(t.Flags), t.Skip, t.Reserved
		}
	case []TeleTile:
		for i, t := range cells {
			data[2*i], data[2*i+1] = t.Number, t.ID
		}
	case []SpeedupTile:
		for i, t := range cells {
			b := data[6*i : 6*i+6 : 6*i+6]
			b[0], b[1], b[2], b[3] = t.Force, t.MaxSpeed, t.ID, t.Padding
			binary.LittleEndian.PutUint16(b[4:], uint16(t.Angle))
		}
	case []SwitchTile:
		for i, t := range cells {
			b := data[4*i : 4*i+4 : 4*i+4]
			b[0], b[1], b[2], b[3] = t.Number, t.ID, byte(t.Flags), t.Delay
		}
	case []TuneTile:
		for i, t := range cells {
			data[2*i], data[2*i+1] = t.Number, t.ID
		}
	}
	return to
}

// unpack expands the compressed form of version 4: each tile is followed by as many copies as its Skip states
// (section "Compressed tiles").
func unpack(data []byte, n int) ([]Tile, error) {
	// Each stored tile expands to at most 256 cells, whatever n is.
	tiles := make([]Tile, 0, min(n, len(data)/4*256))
	for ; len(data) >= 4 && len(tiles) < n; data = data[4:] {
		t := Tile{data[0], TileFlags(data[1]), 0, data[3]}
		for range min(int(data[2])+1, n-len(tiles)) {
			tiles = append(tiles, t)
		}
	}
	switch {
	case len(tiles) < n:
		return tiles, &fault.Error{Path: "data", Offset: -1, Want: words.Count(n, "tile"), Got: fmt.Sprint(len(tiles)), Err: fault.ErrShort}
	case len(data) >= 4: // the game ignores less than a tile
		return tiles, &fault.Error{Path: "data", Offset: -1, Want: "no data after the last tile",
			Got: words.Count(len(data), "byte"), Err: fault.ErrFormat}
	}
	return tiles, nil
}

// pack is the inverse of unpack, as Teeworlds 0.7 writes it.
func pack(tiles []Tile, n int) []byte {
	at := func(i int) Tile {
		if i < len(tiles) {
			return tiles[i]
		}
		return Tile{} // missing tiles are air
	}
	var data []byte
	for i := 0; i < n; {
		t, run := at(i), 1
		for i+run < n && run < 256 && at(i+run) == t {
			run++
		}
		data = append(data, t.ID, byte(t.Flags), byte(run-1), t.Reserved)
		i += run
	}
	return data
}
