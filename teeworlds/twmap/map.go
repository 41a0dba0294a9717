// Package twmap represents maps of Teeworlds and DDNet as Go types.
//
// A map is a datafile (package datafile) whose items describe its parts: information about the author, images and
// sounds, envelopes that animate, and groups of layers. The layers consist of tiles, of quads or of sounds. The tile
// layers called physics layers define the game: game, front, tele, speedup, switch and tune.
//
// [Decode] reads maps of every version since 0.4 (2008), of Teeworlds 0.7 and of DDNet. Fields that an item lacks
// have their default, and [Map.Check] reports them. [Salvage] reads what remains of damaged maps. Tiles, quads,
// images and sounds are inflated when they are first used.
//
// Encoding is lossless. Details that the types do not express (garbage in unused integers, items that are shorter or
// longer than usual, the order of data blocks, compressed streams) are kept alongside, and [Map.Encode] applies them
// to the parts that were not changed: an unchanged map encodes to the bytes it was read from. [Map.Residues] returns
// these details to programs that store the map in another form.
//
// The format is described in docs/formats/teeworlds-map.md; comments name its sections.
package twmap

import (
	"errors"
	"slices"

	"trowel.example/teeworlds/datafile"
)

// ErrNoVersion is returned for a datafile without a map version item: a map of 2007, or not a map at all. Package
// datafile reads it.
var ErrNoVersion = errors.New("the datafile has no map version item")

// Item types, the type_id of a map's items.
const (
	typeVersion   = 0
	typeInfo      = 1
	typeImage     = 2
	typeEnvelope  = 3
	typeGroup     = 4
	typeLayer     = 5
	typeEnvPoints = 6
	typeSound     = 7
)

// Item types of DDNet that have a UUID instead of a number.
var (
	uuidAutoMapper = datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")
	uuidEnvBezier  = datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw")
	uuidGroupEx    = datafile.NameUUID("mapitemtype-group@ddnet.tw")
)

// Map is a map. The zero value is an empty map; [New] returns one with the parts that every map needs.
type Map struct {
	origin          // of the version item
	Version   int32 // 1 in every map; 0 is written as 1
	Info      *Info // nil in most maps older than 2014
	Images    []*Image
	Sounds    []*Sound
	Envelopes []*Envelope
	Groups    []*Group
	Orphans   []Layer  // layers without a group; the game ignores them
	Extras    []*Extra // items of unknown types, and surplus items of known types

	points, bezier origin // of the two items that hold all envelope points
	file           fileOrigin
	salvage        *datafile.File // the file that the map was read from, kept through later changes; nil if none
}

// Info describes a map (section "Info").
type Info struct {
	origin
	Author, MapVersion, Credits, License string
	Settings                             []string // server settings, one command each; DDNet only

	author, version, credits, license, settings dataRef
}

// Group is a group of layers that move together (section "Groups"). [NewGroup] makes one; the zero value has a
// parallax of 0, so it does not move with the game.
type Group struct {
	origin
	Version              int32  // 1 to 3; clipping since 2, a name since 3; 0 is written as 3
	Name                 string // up to 11 bytes
	OffsetX, OffsetY     int32  // in 1/32 tiles
	ParallaxX, ParallaxY int32  // in percent: 100 moves with the game, 0 does not move
	Clip                 *Clip  // nil: not clipped
	ParallaxZoom         *ParallaxZoom
	Layers               []Layer

	start, nLayers int32 // as stated by the item
}

// NewGroup returns a group that moves with the game.
func NewGroup(name string, layers ...Layer) *Group {
	return &Group{Version: usualGroupVersion, Name: name, ParallaxX: 100, ParallaxY: 100, Layers: layers}
}

// The versions that DDNet writes.
const (
	usualGroupVersion    = 3
	usualTileVersion     = 3
	usualQuadVersion     = 2
	usualSoundVersion    = 2
	usualEnvelopeVersion = 2
)

// Clip is a rectangle in 1/32 tiles. The parts of a group outside of it are not drawn.
type Clip struct{ X, Y, Width, Height int32 }

// ParallaxZoom is the degree to which a group follows the zoom of the camera, in percent. DDNet wrote it from August
// 2022 to October 2023, in a separate item (GroupEx).
type ParallaxZoom struct {
	origin
	Percent int32

	group int32
}

// Extra is an item that the model has no field for. It is kept unchanged.
type Extra struct {
	origin
	Type uint16         // number of its type; 0 if UUID is set
	UUID *datafile.UUID // of its type
	ID   uint16
	Data []int32
}

// Color is a colour with alpha. Components of real maps are 0 to 255.
type Color struct{ R, G, B, A int32 }

// White is the colour that leaves others unchanged.
var White = Color{255, 255, 255, 255}

// New returns a map with what the game requires: a group named Game with a game layer of width times height tiles of
// air. It panics where [NewGrid] does.
func New(width, height int) *Map {
	return &Map{Version: 1, Info: &Info{}, Groups: []*Group{NewGroup("Game", NewTileLayer(KindGame, width, height))}}
}

// Layers returns all layers in the order of their groups, and orphans last.
func (m *Map) Layers() []Layer {
	var all []Layer
	for _, g := range m.Groups {
		all = append(all, g.Layers...)
	}
	return append(all, m.Orphans...)
}

// Physics returns the layer of a kind that the game uses, or nil. If a map has several layers of the kind, the game
// uses the last.
func (m *Map) Physics(kind Kind) *TileLayer {
	for _, g := range slices.Backward(m.Groups) {
		for _, l := range slices.Backward(g.Layers) {
			if t, ok := l.(*TileLayer); ok && t.Kind() == kind {
				return t
			}
		}
	}
	return nil
}

// fields visits the fields of the version item.
func (m *Map) fields(c *codec) { c.version(&m.Version, 1) }

func (i *Info) fields(c *codec) {
	version := int32(1)
	c.int32("version", &version)
	c.text("author", &i.author, &i.Author)
	c.text("version", &i.version, &i.MapVersion)
	c.text("credits", &i.credits, &i.Credits)
	c.text("license", &i.license, &i.License)
	c.texts("settings", &i.settings, &i.Settings)
}

func (g *Group) fields(c *codec) {
	version := c.version(&g.Version, usualGroupVersion)
	c.int32("offset_x", &g.OffsetX)
	c.int32("offset_y", &g.OffsetY)
	c.int32("parallax_x", &g.ParallaxX)
	c.int32("parallax_y", &g.ParallaxY)
	c.number("start_layer", &g.start)
	c.number("num_layers", &g.nLayers)
	if c.writing() { // a group that claims missing layers must not claim later ones
		c.exact = append(c.exact, len(c.ints)-1)
	}
	if version >= 2 {
		var clip Clip
		clipping := g.Clip != nil
		if clipping {
			clip = *g.Clip
		}
		c.bool("clipping", &clipping)
		if clipping && c.writing() { // groups without clipping may contain anything here
			for i := range 4 {
				c.exact = append(c.exact, len(c.ints)+i)
			}
		}
		c.int32("clip_x", &clip.X)
		c.int32("clip_y", &clip.Y)
		c.int32("clip_width", &clip.Width)
		c.int32("clip_height", &clip.Height)
		if !c.writing() && clipping {
			g.Clip = &clip
		}
	}
	if version >= 3 {
		c.name("name", &g.Name, 3)
	}
}

func (z *ParallaxZoom) fields(c *codec) {
	version := int32(1)
	c.int32("version", &version)
	c.int32("parallax_zoom", &z.Percent)
}

func (e *Extra) fields(c *codec) { c.rest("data", &e.Data) }

func (c *Color) fields(name string, k *codec) {
	k.int32(name+".r", &c.R)
	k.int32(name+".g", &c.G)
	k.int32(name+".b", &c.B)
	k.int32(name+".a", &c.A)
}

// Source returns the datafile that the map was read from, or nil for a new map.
func (m *Map) Source() *datafile.File { return m.file.datafile }

// Flavor returns the game that the map was made for, as far as its items indicate it: "DDNet", "Teeworlds 0.7" or
// "Teeworlds 0.6 and older".
func (m *Map) Flavor() string {
	for kind := KindFront; kind <= KindTune; kind++ {
		if m.Physics(kind) != nil {
			return "DDNet"
		}
	}
	if len(m.Sounds) > 0 || len(m.file.uuids) > 0 || m.Info != nil && len(m.Info.Settings) > 0 {
		return "DDNet"
	}
	for _, l := range m.Layers() {
		if t, ok := l.(*TileLayer); ok && t.Version >= 4 {
			return "Teeworlds 0.7"
		}
	}
	for _, im := range m.Images {
		if im.Version >= 2 {
			return "Teeworlds 0.7"
		}
	}
	return "Teeworlds 0.6 and older"
}

// Misfits returns the layers of compressed tiles (version 4) in a map that is not one of Teeworlds 0.7: a map with
// parts that only DDNet has, or with a game layer of another version. Games that support these parts need not read
// compressed layers; DDNet 16 does not.
func (m *Map) Misfits() (list []*TileLayer) {
	game := m.Physics(KindGame)
	if game == nil || game.Version >= 4 && m.Flavor() != "DDNet" {
		return nil
	}
	for _, l := range m.Layers() {
		if t, ok := l.(*TileLayer); ok && t.Version >= 4 {
			list = append(list, t)
		}
	}
	return list
}

// Fit sets the version of the layers that [Map.Misfits] returns to 3, and returns them.
func (m *Map) Fit() []*TileLayer {
	list := m.Misfits()
	for _, l := range list {
		l.Version = 3
	}
	return list
}
