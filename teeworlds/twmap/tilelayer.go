package twmap

import (
	"fmt"

	"trowel.example/teeworlds/datafile"
)

// Kind tells what the tiles of a layer are for.
type Kind int

// Kinds of tile layers. All but KindTiles are physics layers.
const (
	KindTiles   Kind = iota // to be seen only
	KindGame                // walls, spawns, ...; every map has one
	KindFront               // a second game layer in front of it; this and the rest are DDNet's
	KindTele                // teleporters
	KindSpeedup             // arrows that push
	KindSwitch              // switches and doors
	KindTune                // zones with other physics
	numKinds
)

var kindNames = [numKinds]string{"tiles", "game", "front", "tele", "speedup", "switch", "tune"}

func (k Kind) String() string {
	if k >= 0 && k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", int(k))
}

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, bool) {
	for i, name := range kindNames {
		if s == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// Physics reports whether the layer makes the game. There is at most one of each
// kind, all in the Game group.
func (k Kind) Physics() bool { return k != KindTiles }

// physicsName is the name that the game gives a physics layer.
func (k Kind) physicsName() string {
	return [numKinds]string{"", "Game", "Front", "Tele", "Speedup", "Switch", "Tune"}[k]
}

// TilemapFlags is how the item of a tile layer tells its kind.
type TilemapFlags int32

// Flags of a tile layer; at most one is set.
const (
	FlagGame    TilemapFlags = 1
	FlagTele    TilemapFlags = 2
	FlagSpeedup TilemapFlags = 4
	FlagFront   TilemapFlags = 8
	FlagSwitch  TilemapFlags = 16
	FlagTune    TilemapFlags = 32
)

func (f TilemapFlags) String() string {
	return flagNames(int32(f), []string{"game", "tele", "speedup", "front", "switch", "tune"})
}

var kindFlags = [numKinds]TilemapFlags{0, FlagGame, FlagFront, FlagTele, FlagSpeedup, FlagSwitch, FlagTune}

// kind returns the kind that flags stand for; where there are several, the
// first that the game asks for.
func (f TilemapFlags) kind() Kind {
	for _, k := range []Kind{KindGame, KindTele, KindSpeedup, KindFront, KindSwitch, KindTune} {
		if f&kindFlags[k] != 0 {
			return k
		}
	}
	return KindTiles
}

// TileLayer is a layer of tiles (section "Tile layers").
type TileLayer struct {
	LayerBase
	Version       int32 // 2; 3 with a name, as DDNet writes; 4 with compressed tiles, as Teeworlds 0.7 does
	Kind          Kind
	Width, Height int

	// For KindTiles only.
	Color          Color
	ColorEnv       int32 // index of its colour envelope, -1 for none
	ColorEnvOffset int32 // in milliseconds
	Image          int   // index of its image, -1 for none
	AutoMapper     *AutoMapper

	// The cells: the one that belongs to Kind is set.
	Tiles    *Grid[Tile] // of tiles, game and front layers
	Teles    *Grid[TeleTile]
	Speedups *Grid[SpeedupTile]
	Switches *Grid[SwitchTile]
	Tunes    *Grid[TuneTile]

	flags TilemapFlags
	data  [numKinds]dataRef // by the kind whose cells they hold; KindGame is not used
}

// AutoMapper says how the editor draws a layer by rules (section "Automapper").
type AutoMapper struct {
	origin
	Config    int32 // number of the configuration in the .rules file of the image, -1 for none
	Seed      int32 // of its random choices; 0: another at each run
	Automatic bool  // run after each change

	group, layer int32
	flags        int32
}

// NewTileLayer returns a layer of air.
func NewTileLayer(kind Kind, width, height int) *TileLayer {
	l := &TileLayer{Version: 3, Kind: kind, Width: width, Height: height, Color: White, ColorEnv: -1, Image: -1}
	l.Name = kind.physicsName()
	switch kind {
	case KindTele:
		l.Teles = NewGrid[TeleTile](width, height)
	case KindSpeedup:
		l.Speedups = NewGrid[SpeedupTile](width, height)
	case KindSwitch:
		l.Switches = NewGrid[SwitchTile](width, height)
	case KindTune:
		l.Tunes = NewGrid[TuneTile](width, height)
	default:
		l.Tiles = NewGrid[Tile](width, height)
	}
	return l
}

// cells is what grids of all cells have in common.
type cells interface {
	encode(packed bool) datafile.Content
	isChanged(packed bool) bool
	readErr() error
	count() int
}

// isChanged reports whether the block that was read does not hold the cells in that form.
func (g *Grid[T]) isChanged(packed bool) bool { return g.changed || g.packed != packed }

func (g *Grid[T]) readErr() error {
	_, err := g.Cells()
	return err
}

// grid returns the cells of the layer.
func (l *TileLayer) grid() cells {
	switch l.Kind {
	case KindTele:
		return l.Teles
	case KindSpeedup:
		return l.Speedups
	case KindSwitch:
		return l.Switches
	case KindTune:
		return l.Tunes
	}
	return l.Tiles
}

// Load reads the cells and tells what is wrong with them.
func (l *TileLayer) Load() error { return l.grid().readErr() }

// StoredSize returns the number of bytes that the cells take in the file.
func (l *TileLayer) StoredSize() int { return l.data[l.dataKind()].storedSize() }

// dataKind tells which reference leads to the cells.
func (l *TileLayer) dataKind() Kind {
	if l.Kind == KindGame {
		return KindTiles
	}
	return l.Kind
}

// indexFields are the references behind the name, in their order.
var indexFields = [...]struct {
	name string
	kind Kind
}{{"tele", KindTele}, {"speedup", KindSpeedup}, {"front", KindFront}, {"switch", KindSwitch}, {"tune", KindTune}}

func (l *TileLayer) fields(c *codec) {
	l.LayerBase.fields(c, layerTiles)
	c.int32("version", &l.Version)
	c.int("width", &l.Width)
	c.int("height", &l.Height)
	l.flags |= kindFlags[l.Kind]
	c.int32("flags", (*int32)(&l.flags))
	if !c.writing() {
		l.Kind = l.flags.kind()
		c.r.Means(l.flags)
	} else if l.flags.kind() != l.Kind || c.detached {
		flags := kindFlags[l.Kind]
		c.ints[len(c.ints)-1] = int32(flags)
	}
	l.Color.fields("color", c)
	c.int32("color_env", &l.ColorEnv)
	c.int32("color_env_offset", &l.ColorEnvOffset)
	c.int("image", &l.Image)
	if l.dataKind() == KindTiles {
		l.cellData(c, "data")
	} else {
		l.noCells(c)
	}
	if l.Version >= 3 {
		c.name("name", &l.Name, 3)
	}
	// Version 2 had these before it had a name; version 4 never had them. A
	// layer that needs none of them is written without where it may be.
	if c.writing() && l.Version != 3 && l.dataKind() == KindTiles {
		return
	}
	for _, f := range indexFields {
		if f.kind == l.Kind {
			l.cellData(c, f.name)
		} else {
			c.noData(f.name, &l.data[f.kind])
		}
	}
}

// packed reports whether the cells are stored in the compressed form of version
// 4, which there is for plain tiles only.
func (l *TileLayer) packed() bool { return l.Version >= 4 && l.dataKind() <= KindFront }

// cellData is the reference to the block with the cells.
func (l *TileLayer) cellData(c *codec, name string) {
	if !c.writing() {
		c.data(name, &l.data[l.dataKind()], false, nil)
		return
	}
	packed := l.packed()
	c.content(name, &l.data[l.dataKind()], l.grid().isChanged(packed), func() (datafile.Content, bool) {
		return l.grid().encode(packed), true
	})
}

// noCells is the reference to cells of air that a physics layer of DDNet has
// for games that know nothing of it.
func (l *TileLayer) noCells(c *codec) {
	c.content("data", &l.data[KindTiles], false, func() (datafile.Content, bool) {
		return datafile.Content{Zeros: max(l.Width*l.Height, 1) * 4}, true
	})
}

// over returns the same layer with cells that stand in data.
func (l *TileLayer) over(data []byte) *TileLayer {
	o := &TileLayer{LayerBase: l.LayerBase, Version: l.Version, Kind: l.Kind, Width: l.Width, Height: l.Height}
	o.data[o.dataKind()].block = datafile.NewBlock(data)
	o.connect()
	return o
}

// connect makes the grids of a layer that was read.
func (l *TileLayer) connect() {
	ref := &l.data[l.dataKind()]
	switch l.Kind {
	case KindTele:
		l.Teles = &Grid[TeleTile]{Width: l.Width, Height: l.Height, ref: ref}
	case KindSpeedup:
		l.Speedups = &Grid[SpeedupTile]{Width: l.Width, Height: l.Height, ref: ref}
	case KindSwitch:
		l.Switches = &Grid[SwitchTile]{Width: l.Width, Height: l.Height, ref: ref}
	case KindTune:
		l.Tunes = &Grid[TuneTile]{Width: l.Width, Height: l.Height, ref: ref}
	default:
		l.Tiles = &Grid[Tile]{Width: l.Width, Height: l.Height, ref: ref, packed: l.packed()}
	}
}

func (a *AutoMapper) fields(c *codec) {
	version := int32(1) // DDNet's editor ignores any other
	c.int32("version", &version)
	c.int32("group", &a.group)
	c.int32("layer", &a.layer)
	c.int32("config", &a.Config)
	c.int32("seed", &a.Seed)
	flags := a.flags &^ 1 // bits that mean nothing
	if c.detached {
		flags = 0
	}
	if a.Automatic {
		flags |= 1
	}
	c.int32("flags", &flags)
	if !c.writing() {
		a.flags, a.Automatic = flags, flags&1 != 0
	}
}

// NumCells returns the number of cells that can be read: Width times Height, but
// in a broken map.
func (l *TileLayer) NumCells() int { return l.grid().count() }

func (g *Grid[T]) count() int {
	cells, _ := g.Cells()
	return len(cells)
}
