// Package twmap is the map of Teeworlds and DDNet as Go types.
//
// A map is a datafile (package datafile) whose items say what it consists of:
// a little information about its author, images and sounds, envelopes that
// animate, and groups of layers. The layers are of tiles, of quads or of sounds;
// the tile layers called physics layers make the game: game, front, tele,
// speedup, switch and tune.
//
// [Decode] reads maps of every version since 0.4 (2008), of Teeworlds 0.7 and of
// DDNet; what an item lacks has its default, and [Map.Check] reports it. [Salvage] reads
// what is left of damaged ones. Tiles, quads, images and sounds are inflated when they are
// first asked for.
//
// Nothing is lost on the way back. What the types below do not say (garbage in
// unused integers, items that are shorter or longer than usual, the order of
// data blocks, compressed streams) stays beside what they do say, and
// [Map.Encode] lays it over the parts that were not changed: a map that was not
// changed at all encodes to the bytes it was read from. [Map.Residues] hands
// these remains to whoever stores the map in another form.
//
// The format is described in docs/formats/teeworlds-map.md; comments name its
// sections.
package twmap

import (
	"errors"
	"slices"

	"trowel.example/teeworlds/datafile"
)

// ErrNoVersion says that a datafile has no map version item: it is a map of
// 2007, or none at all. Package datafile reads it.
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

// Item types of DDNet that have a UUID in place of a number.
var (
	uuidAutoMapper = datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")
	uuidEnvBezier  = datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw")
	uuidGroupEx    = datafile.NameUUID("mapitemtype-group@ddnet.tw")
)

// Map is a map. The zero value is a map without anything; [New] gives one that
// has what every map needs.
type Map struct {
	origin          // of the version item
	Version   int32 // 1 in every map; 0 is written as 1
	Info      *Info // nil in most maps older than 2014
	Images    []*Image
	Sounds    []*Sound
	Envelopes []*Envelope
	Groups    []*Group
	Orphans   []Layer  // layers that no group has; the game does not see them
	Extras    []*Extra // items that nobody knows, and surplus ones of known types

	points, bezier origin // of the two items that hold all envelope points
	file           fileOrigin
	salvage        *datafile.File // that the map was read from, whatever became of it; nil if none
}

// Info is what a map says about itself (section "Info").
type Info struct {
	origin
	Author, MapVersion, Credits, License string
	Settings                             []string // server settings, one command each; DDNet only

	author, version, credits, license, settings dataRef
}

// Group is a group of layers that move together (section "Groups"). [NewGroup] makes
// one; the zero value stands still: it has a parallax of 0.
type Group struct {
	origin
	Version              int32  // 1 to 3; clipping since 2, a name since 3; 0 is written as 3
	Name                 string // up to 11 bytes
	OffsetX, OffsetY     int32  // in 1/32 tiles
	ParallaxX, ParallaxY int32  // in percent: 100 moves with the game, 0 stands still
	Clip                 *Clip  // nil: not clipped
	ParallaxZoom         *ParallaxZoom
	Layers               []Layer

	start, nLayers int32 // what the item said
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

// Clip is the rectangle, in 1/32 tiles, outside of which a group is not drawn.
type Clip struct{ X, Y, Width, Height int32 }

// ParallaxZoom is how far a group follows the zoom of the camera, in percent.
// DDNet wrote it from August 2022 to October 2023, in an item of its own (GroupEx).
type ParallaxZoom struct {
	origin
	Percent int32

	group int32
}

// Extra is an item that the model has no place for. It is kept as it is.
type Extra struct {
	origin
	Type uint16         // number of its type; 0 if UUID tells it
	UUID *datafile.UUID // of its type
	ID   uint16
	Data []int32
}

// Color is a colour with alpha. Components of real maps are 0 to 255.
type Color struct{ R, G, B, A int32 }

// White is the colour that changes nothing.
var White = Color{255, 255, 255, 255}

// New returns a map with what the game asks for: a Game group with a game layer
// of width times height tiles of air. It panics where [NewGrid] does.
func New(width, height int) *Map {
	return &Map{Version: 1, Info: &Info{}, Groups: []*Group{NewGroup("Game", NewTileLayer(KindGame, width, height))}}
}

// Layers returns all layers in the order of their groups, orphans last.
func (m *Map) Layers() []Layer {
	var all []Layer
	for _, g := range m.Groups {
		all = append(all, g.Layers...)
	}
	return append(all, m.Orphans...)
}

// Physics returns the layer of a kind that the game uses, or nil: where a map
// has more than one, the last counts.
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

// fields of the version item.
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
	if version >= 2 {
		var clip Clip
		clipping := g.Clip != nil
		if clipping {
			clip = *g.Clip
		}
		c.bool("clipping", &clipping)
		if clipping && c.writing() { // a group that was not clipped had anything there
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

// Source returns the datafile that the map was read from, nil for a new map.
func (m *Map) Source() *datafile.File { return m.file.datafile }

// Flavor returns the game that the map was made for, as far as its items show it: "DDNet",
// "Teeworlds 0.7" or "Teeworlds 0.6 and older".
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

// Misfits returns the layers of compressed tiles (version 4) in a map that is not one of
// Teeworlds 0.7: it has parts that only DDNet has, or a game layer of another version. Games that
// know such parts need not read such layers; DDNet 16 does not.
func (m *Map) Misfits() (list []*TileLayer) {
	game := m.Physics(KindGame)
	if game == nil || game.Version >= 4 && m.Flavor() != "DDNet" {
		return nil
	}
	for _, l := range m.Layers() {
		if t, is := l.(*TileLayer); is && t.Version >= 4 {
			list = append(list, t)
		}
	}
	return list
}

// Fit gives the layers that [Map.Misfits] returns version 3, and returns them.
func (m *Map) Fit() []*TileLayer {
	list := m.Misfits()
	for _, l := range list {
		l.Version = 3
	}
	return list
}
