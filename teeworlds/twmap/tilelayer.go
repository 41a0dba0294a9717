package twmap

import (
	"fmt"

	"trowel.example/teeworlds/datafile"
)

// Kind is the purpose of the tiles of a layer.
type Kind int

// Kinds of tile layers. Those from KindGame to KindTune are physics layers.
const (
	KindTiles   Kind = iota // drawn only
	KindGame                // walls, spawns, ...; every map has one
	KindFront               // a second game layer in front of the first; this and the following kinds are DDNet's
	KindTele                // teleporters
	KindSpeedup             // arrows that push
	KindSwitch              // switches and doors
	KindTune                // zones with other physics

	// Layers of early infclass, which have the flags of tele and speedup layers, but plain tiles as cells.
	KindEntities // positions of entities
	KindZones    // areas with a special meaning
	numKinds
)

var kindNames = [numKinds]string{"tiles", "game", "front", "tele", "speedup", "switch", "tune", "infclass entities", "infclass zones"}

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

// Physics reports whether the kind affects the game. A map has at most one layer of each physics kind, all in the
// Game group.
func (k Kind) Physics() bool { return k >= KindGame && k <= KindTune }

// infclass reports whether only infclass has the kind.
func (k Kind) infclass() bool { return k == KindEntities || k == KindZones }

// physicsName returns the name that the game gives a layer of a kind other than KindTiles.
func (k Kind) physicsName() string {
	return [numKinds]string{"", "Game", "Front", "Tele", "Speedup", "Switch", "Tune", "Entities", "Zones"}[k]
}

// TilemapFlags encodes the kind of a tile layer in its item.
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

var kindFlags = [numKinds]TilemapFlags{0, FlagGame, FlagFront, FlagTele, FlagSpeedup, FlagSwitch, FlagTune, FlagTele, FlagSpeedup}

// kind returns the kind for the flags; if several are set, the first that the game tests.
func (f TilemapFlags) kind() Kind {
	for _, k := range []Kind{KindGame, KindTele, KindSpeedup, KindFront, KindSwitch, KindTune} {
		if f&kindFlags[k] != 0 {
			return k
		}
	}
	return KindTiles
}

// infclassRest is the size of the rest of an item of infclass after its flags, in bytes: the item ends with the name,
// before the references of DDNet's kinds.
const infclassRest = 11 * 4

// kindOf returns the kind of a layer whose item has rest bytes after its flags.
func (f TilemapFlags) kindOf(version int32, rest int) Kind {
	kind := f.kind()
	if version < 3 || rest != infclassRest {
		return kind
	}
	switch kind {
	case KindTele:
		return KindEntities
	case KindSpeedup:
		return KindZones
	}
	return kind
}

// TileLayer is a layer of tiles (section "Tile layers"). [NewTileLayer] makes one; the zero value has no cells and
// cannot be encoded.
type TileLayer struct {
	LayerBase
	Version int32 // 2; 3 with a name, as DDNet writes; 4 with compressed tiles, as Teeworlds 0.7 does

	// These fields are for KindTiles only.
	Color          Color
	ColorEnv       int32 // index of its colour envelope, -1 for none
	ColorEnvOffset int32 // in milliseconds
	Image          int   // index of its image, -1 for none
	AutoMapper     *AutoMapper

	kind  Kind
	cells Cells // of the type for the kind
	flags TilemapFlags
	read  struct{ width, height int } // as stated by the item
	data  [numKinds]dataRef           // by the kind of the cells; the entry of KindGame is not used
}

// AutoMapper is the configuration with which the editor draws a layer by rules (section "Automapper").
type AutoMapper struct {
	origin
	Config    int32 // number of the configuration in the .rules file of the image, -1 for none
	Seed      int32 // of the random choices; 0: a new seed for each run
	Automatic bool  // run after each change

	group, layer int32
	flags        int32
}

// NewTileLayer returns a layer of air. It panics where [NewGrid] does, and for an unknown kind.
func NewTileLayer(kind Kind, width, height int) *TileLayer {
	return NewTileLayerOf(kind, newCells(kind, width, height))
}

// NewTileLayerOf returns a layer with the cells of a grid. It panics if the cells do not fit the kind: see
// [TileLayer.SetCells].
func NewTileLayerOf(kind Kind, cells Cells) *TileLayer {
	l := &TileLayer{Version: usualTileVersion, Color: White, ColorEnv: -1, Image: -1}
	l.SetCells(kind, cells)
	l.Name = kind.physicsName()
	return l
}

// Kind returns the purpose of the tiles.
func (l *TileLayer) Kind() Kind { return l.kind }

// Width returns the number of columns.
func (l *TileLayer) Width() int {
	if l.cells == nil {
		return 0
	}
	return l.cells.Width()
}

// Height returns the number of rows.
func (l *TileLayer) Height() int {
	if l.cells == nil {
		return 0
	}
	return l.cells.Height()
}

// At returns the ID and the flags of the cell at column x of row y, of a layer of any kind, or air outside the layer. Cells of some
// kinds have no flags. The other fields are available from Teles, Speedups, Switches and Tunes.
func (l *TileLayer) At(x, y int) Tile {
	switch g := l.cells.(type) {
	case *Grid[Tile]:
		return g.At(x, y)
	case *Grid[TeleTile]:
		return Tile{ID: g.At(x, y).ID}
	case *Grid[SpeedupTile]:
		return Tile{ID: g.At(x, y).ID}
	case *Grid[SwitchTile]:
		cell := g.At(x, y)
		return Tile{ID: cell.ID, Flags: cell.Flags}
	case *Grid[TuneTile]:
		return Tile{ID: g.At(x, y).ID}
	}
	return Tile{}
}

// Tiles returns the cells of a tiles, game, front or infclass layer, or nil for other kinds: [TileLayer.At] reads all kinds.
func (l *TileLayer) Tiles() *Grid[Tile] { return cellsAs[Tile](l) }

// Teles returns the cells of a tele layer, or nil for other kinds.
func (l *TileLayer) Teles() *Grid[TeleTile] { return cellsAs[TeleTile](l) }

// Speedups returns the cells of a speedup layer, or nil for other kinds.
func (l *TileLayer) Speedups() *Grid[SpeedupTile] { return cellsAs[SpeedupTile](l) }

// Switches returns the cells of a switch layer, or nil for other kinds.
func (l *TileLayer) Switches() *Grid[SwitchTile] { return cellsAs[SwitchTile](l) }

// Tunes returns the cells of a tune layer, or nil for other kinds.
func (l *TileLayer) Tunes() *Grid[TuneTile] { return cellsAs[TuneTile](l) }

func cellsAs[T Cell](l *TileLayer) *Grid[T] {
	g, _ := l.cells.(*Grid[T])
	return g
}

// Resize removes rows and columns at the right and the bottom, or adds some of air. It panics where [NewGrid] does.
// All physics layers of a map should have the same size.
func (l *TileLayer) Resize(width, height int) { l.cells.Resize(width, height) }

// SetKind changes the kind of the layer and keeps its name. Cells are kept between tiles, game, front and infclass
// layers; a layer of any other kind starts with air. SetKind panics for an unknown kind.
func (l *TileLayer) SetKind(kind Kind) {
	if kind == l.kind {
		return
	}
	cells := l.cells
	if !cells.fits(kind) {
		cells = newCells(kind, l.Width(), l.Height())
	}
	l.SetCells(kind, cells)
}

// SetCells sets the kind and the cells of the layer, and keeps the grid: a grid of [Tile] for tiles, game, front and
// infclass layers, or of the cell type of any other kind. It panics if the cells do not fit the kind.
func (l *TileLayer) SetCells(kind Kind, cells Cells) {
	if !cells.fits(kind) {
		panic(fmt.Sprintf("twmap: a %v layer cannot have cells of a %T", kind, cells))
	}
	if kind != l.kind || cells != l.cells {
		cells.detach() // from the block of another field or layer
	}
	if kind != l.kind {
		l.data, l.flags = [numKinds]dataRef{}, 0 // all fields are written as those of the new kind
	}
	l.kind, l.cells = kind, cells
}

// Load reads the cells and returns the error of reading them.
func (l *TileLayer) Load() error {
	if l.cells == nil {
		return nil
	}
	return l.cells.readErr()
}

// StoredSize returns the number of bytes that the cells take in the file.
func (l *TileLayer) StoredSize() int { return l.data[l.dataKind()].storedSize() }

// dataKind returns the kind whose reference points to the cells.
func (l *TileLayer) dataKind() Kind {
	if l.kind == KindGame || l.kind.infclass() {
		return KindTiles
	}
	return l.kind
}

// indexFields are the references after the name, in file order.
var indexFields = [...]struct {
	name string
	kind Kind
}{{"tele", KindTele}, {"speedup", KindSpeedup}, {"front", KindFront}, {"switch", KindSwitch}, {"tune", KindTune}}

func (l *TileLayer) fields(c *codec) {
	l.LayerBase.fields(c, layerTiles)
	c.int32("version", &l.Version)
	width, height := l.Width(), l.Height()
	c.int("width", &width)
	c.int("height", &height)
	if c.writing() {
		flags := l.flags | kindFlags[l.kind]
		if flags.kind() != kindFlags[l.kind].kind() || c.detached {
			flags = kindFlags[l.kind]
		}
		c.int32("flags", (*int32)(&flags))
	} else {
		l.read.width, l.read.height = width, height
		c.int32("flags", (*int32)(&l.flags))
		l.kind = l.flags.kindOf(l.Version, c.r.Len())
		c.r.Means(l.flags)
		l.connect(width, height)
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
	// Version 2 had these before it had a name; version 4 never had them. A layer that needs none of them is written
	// without them where the version allows it.
	if c.writing() && l.Version != 3 && l.dataKind() == KindTiles || l.kind.infclass() {
		return
	}
	for _, f := range indexFields {
		if f.kind == l.kind {
			l.cellData(c, f.name)
		} else {
			c.noData(f.name)
		}
	}
}

// packed reports whether the cells are stored in the compressed form of version 4, which exists for plain tiles only.
func (l *TileLayer) packed() bool { return l.Version >= 4 && l.dataKind() <= KindFront }

// cellData visits the reference to the block with the cells.
func (l *TileLayer) cellData(c *codec, name string) {
	if !c.writing() {
		ref := &l.data[l.dataKind()]
		c.data(name, ref, false, nil)
		if sizeOK(l.Width(), l.Height()) {
			c.state(ref, l.Width(), l.Height(), l.cellSize(l.dataKind()), l.packed())
		}
		return
	}
	packed := l.packed()
	size := 2 * l.Width() * l.Height() * l.cellSize(l.dataKind()) // as cells, and as bytes
	c.content(name, &l.data[l.dataKind()], l.cells.isChanged(packed), size, func() datafile.Content {
		return l.cells.encode(packed)
	})
	if !packed {
		c.isWhole(l.cells.size()) // in the current form, not in that of 2010
	}
}

// noCells visits the reference to the cells of air that a physics layer of DDNet has for games that do not support
// it.
func (l *TileLayer) noCells(c *codec) {
	resized := l.Width() != l.read.width || l.Height() != l.read.height
	size := max(l.Width()*l.Height(), 1) * 4
	c.content("data", &l.data[KindTiles], resized, size, func() datafile.Content {
		return datafile.Content{Zeros: size}
	})
	if !c.writing() && sizeOK(l.Width(), l.Height()) {
		c.state(&l.data[KindTiles], l.Width(), l.Height(), 4, false)
	}
}

// over returns the same layer with the cells in block.
func (l *TileLayer) over(block *datafile.Block) *TileLayer {
	o := &TileLayer{LayerBase: l.LayerBase, Version: l.Version, kind: l.kind}
	o.data[o.dataKind()].block = block
	o.connect(l.Width(), l.Height())
	return o
}

// connect makes the grid of a layer that was read.
func (l *TileLayer) connect(width, height int) {
	ref := &l.data[l.dataKind()]
	switch l.kind {
	case KindTele:
		l.cells = &Grid[TeleTile]{width: width, height: height, ref: ref}
	case KindSpeedup:
		l.cells = &Grid[SpeedupTile]{width: width, height: height, ref: ref}
	case KindSwitch:
		l.cells = &Grid[SwitchTile]{width: width, height: height, ref: ref}
	case KindTune:
		l.cells = &Grid[TuneTile]{width: width, height: height, ref: ref}
	default:
		l.cells = &Grid[Tile]{width: width, height: height, ref: ref, packed: l.packed()}
	}
}

// autoMapperKnown reports whether an item has the version of automappers that the game reads, and names a layer.
func autoMapperKnown(v []int32) bool { return len(v) >= 3 && v[0] == 1 }

func (a *AutoMapper) fields(c *codec) {
	version := int32(1) // DDNet's editor ignores any other
	c.int32("version", &version)
	c.number("group", &a.group)
	c.number("layer", &a.layer)
	c.int32("config", &a.Config)
	c.int32("seed", &a.Seed)
	flags := a.flags &^ 1 // bits without meaning
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

// NumCells returns the number of cells that can be read: width times height, except in a broken map.
func (l *TileLayer) NumCells() int {
	if l.cells == nil {
		return 0
	}
	return l.cells.count()
}
