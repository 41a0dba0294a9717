package nodemesh

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// Looks are the appearances of nodes. They are safe for concurrent use.
type Looks struct {
	nodes  nodedef.List
	assets Assets
	engine texture.Engine

	mu        sync.Mutex
	looks     map[string]*look
	materials []Material
	index     map[Material]int
}

// NewLooks returns the appearances of the nodes of a game.
func NewLooks(nodes nodedef.List, assets Assets, engine texture.Engine) *Looks {
	return &Looks{nodes: nodes, assets: assets, engine: engine, looks: make(map[string]*look),
		index: make(map[Material]int)}
}

// Materials returns the materials of all faces made so far.
func (l *Looks) Materials() []Material {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.materials[:len(l.materials):len(l.materials)]
}

// drawType is the geometry of a node.
type drawType uint8

const (
	normal drawType = iota
	airlike
	liquid
	flowingLiquid
	glasslike
	glasslikeFramed
	allfaces
	torchlike
	signlike
	plantlike
	plantlikeRooted
	firelike
	fencelike
	raillike
	nodebox
	mesh
)

var drawTypes = map[string]drawType{
	"airlike": airlike, "liquid": liquid, "flowingliquid": flowingLiquid, "glasslike": glasslike,
	"glasslike_framed": glasslikeFramed, "glasslike_framed_optional": glasslike, "allfaces": allfaces,
	"allfaces_optional": allfaces, "torchlike": torchlike, "signlike": signlike, "plantlike": plantlike,
	"plantlike_rooted": plantlikeRooted, "firelike": firelike, "fencelike": fencelike, "raillike": raillike,
	"nodebox": nodebox, "mesh": mesh,
}

// look is the appearance of a node.
type look struct {
	def      *nodedef.Node
	draw     drawType
	absent   bool // the node is not loaded
	air      bool
	solid    uint8 // 2 hides all faces of its neighbours, 1 is a liquid
	hides    bool  // it hides the back of a liquid's face
	clear    bool  // light passes
	source   int   // of light
	unshaded bool
	alpha    Alpha

	tiles, specials [6]tile
	tint            [3]uint8
	palette         *[256][3]uint8
	turns           func(param2 uint8) int // the facedir; nil: always 0
	wall            bool                   // wallmounted
	degrees         func(param2 uint8) float64
	scale           float32
	rails           int // the group that rails of other names join
	sides           [6]bool
	liquidRange     float32
	sourceName      string
	flowingName     string
	model           *Model
	files           []string // the model, and texture strings
}

// tile is the image of a face, and of what lies over it.
type tile struct {
	layers [2]layer
	world  bool
	scale  int
	culls  bool // it cannot be seen from behind
}

type layer struct {
	material int // -1: nothing is drawn
	own      bool
	color    [3]uint8 // if own
}

var white = [3]uint8{255, 255, 255}

// of returns the appearance of a node.
func (l *Looks) of(name string) *look {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nodes[name] == nil && name != "air" && name != "ignore" {
		name = "" // all nodes that are not defined look the same
	}
	if k := l.looks[name]; k != nil {
		return k
	}
	k := l.make(name)
	l.looks[name] = k
	return k
}

func (l *Looks) make(name string) *look {
	def := l.nodes[name]
	switch {
	case name == "ignore":
		return &look{def: &nodedef.Node{Name: name}, draw: airlike, absent: true, clear: true}
	case name == "air":
		return &look{def: &nodedef.Node{Name: name}, draw: airlike, air: true, clear: true}
	case def == nil:
		unknown := nodedef.Tile{Name: "unknown_node.png", BackfaceCulling: true, RepeatU: true, RepeatV: true}
		def = &nodedef.Node{Name: name, DrawType: "normal", Alpha: "opaque", VisualScale: 1, Tiles: []nodedef.Tile{unknown}}
	}
	k := &look{def: def, draw: drawTypes[def.DrawType], clear: def.ParamType == "light", source: def.LightSource,
		scale: float32(def.VisualScale), tint: white, rails: def.Groups["connect_to_raillike"],
		sourceName: def.LiquidSource, flowingName: def.LiquidFlowing,
		liquidRange: float32(max(1, min(8, def.LiquidRange)))}
	switch k.draw {
	case normal, plantlikeRooted:
		k.solid = 2
	case liquid:
		k.solid = 1
	case glasslike, glasslikeFramed, allfaces:
		k.hides = true
	}
	k.hides = k.hides || k.solid > 0
	switch k.draw {
	case torchlike, signlike, plantlike, firelike, raillike, flowingLiquid:
		k.unshaded = true
	}
	k.colors(l)
	k.alpha = k.alphaOf(l)
	for face := range k.tiles {
		k.tiles[face] = l.tile(k, def.Tile(face), def.Overlay(face))
	}
	for i := range k.specials {
		k.specials[i].layers = [2]layer{{material: -1}, {material: -1}}
		if i < len(def.Specials) {
			k.specials[i] = l.tile(k, def.Specials[i], nodedef.Tile{})
		}
	}
	k.turn()
	for i, side := range [6]string{"top", "bottom", "right", "left", "back", "front"} {
		k.sides[i] = len(def.ConnectSides) == 0
		for _, s := range def.ConnectSides {
			k.sides[i] = k.sides[i] || s == side
		}
	}
	if k.draw == mesh {
		k.model = l.assets.Model(def.Mesh)
		k.files = append(k.files, def.Mesh)
	}
	for _, tiles := range [][]nodedef.Tile{{{Name: def.Palette}}, def.Tiles, def.Overlays, def.Specials} {
		for _, t := range tiles {
			k.files = append(k.files, t.Name)
		}
	}
	return k
}

// turn sets how param2 turns the node.
func (k *look) turn() {
	kind := strings.TrimPrefix(k.def.ParamType2, "color")
	k.wall = kind == "wallmounted"
	switch k.draw {
	case normal, nodebox, mesh, allfaces, glasslikeFramed, plantlikeRooted:
		switch kind {
		case "facedir":
			k.turns = func(param2 uint8) int { return int(param2&31) % 24 }
		case "4dir":
			k.turns = func(param2 uint8) int { return int(param2 & 3) }
		case "wallmounted":
			if k.draw == normal || k.draw == nodebox || k.draw == mesh {
				k.turns = func(param2 uint8) int { return facedirOfWall[param2&7] }
			}
		}
	}
	if k.draw == plantlike || k.draw == plantlikeRooted || k.draw == mesh {
		switch k.def.ParamType2 {
		case "degrotate":
			k.degrees = func(param2 uint8) float64 { return 1.5 * float64(param2%240) }
		case "colordegrotate":
			k.degrees = func(param2 uint8) float64 { return 15 * float64(param2&31%24) }
		}
	}
}

// colors sets the colours of the node.
func (k *look) colors(l *Looks) {
	if c, ok := texture.ParseColor(k.def.Color); ok {
		k.tint = [3]uint8{c.R, c.G, c.B}
	}
	if k.def.Palette == "" || !strings.HasPrefix(k.def.ParamType2, "color") {
		return
	}
	img := l.assets.Image(k.def.Palette)
	if img == nil || img.Rect.Empty() {
		return
	}
	size := img.Rect.Size()
	n := min(size.X*size.Y, 256)
	k.palette = new([256][3]uint8)
	for i := range k.palette {
		k.palette[i] = white
		if at := i / (256 / n); at < n {
			c := img.NRGBAAt(img.Rect.Min.X+at%size.X, img.Rect.Min.Y+at/size.X)
			k.palette[i] = [3]uint8{c.R, c.G, c.B}
		}
	}
}

func (k *look) alphaOf(l *Looks) Alpha {
	switch k.def.Alpha {
	case "clip":
		if (k.draw == liquid || k.draw == flowingLiquid) && k.def.Waving != 3 {
			return Blend
		}
		return Clip
	case "blend":
		return Blend
	case "":
		for face := range 6 {
			if name := k.def.Tile(face).Name; name != "" && !opaque(l.assets.Image(name)) {
				return Clip
			}
		}
	}
	return Opaque
}

func opaque(img *image.NRGBA) bool { return img == nil || img.Opaque() }

// tile returns the materials of a tile and of its overlay.
func (l *Looks) tile(k *look, base, over nodedef.Tile) tile {
	t := tile{scale: 1}
	if base.Name == "" {
		base.Name, base.BackfaceCulling = "no_texture.png", false
	}
	switch k.draw {
	case torchlike, signlike, plantlike, firelike, raillike:
		base.BackfaceCulling = false // whatever the definition says
	}
	if base.Align != "" && base.Align != "node" && (k.draw == normal || k.draw == nodebox) {
		t.world, t.scale = true, max(1, base.Scale)
	}
	t.culls = base.BackfaceCulling
	t.layers[0] = l.layer(base, k.alpha)
	t.layers[1].material = -1
	if over.Name != "" {
		over.BackfaceCulling = base.BackfaceCulling
		alpha := k.alpha
		if alpha == Opaque {
			alpha = Clip
		}
		t.layers[1] = l.layer(over, alpha)
	}
	return t
}

func (l *Looks) layer(t nodedef.Tile, alpha Alpha) layer {
	m := Material{Texture: t.Name, Alpha: alpha, Culling: t.BackfaceCulling, RepeatU: t.RepeatU, RepeatV: t.RepeatV}
	img := l.assets.Image(t.Name)
	if img == nil {
		return layer{material: -1}
	}
	m.Texture += firstFrame(t.Animation, img.Rect.Size())
	made := layer{material: l.material(m)}
	var c color.NRGBA
	if c, made.own = texture.ParseColor(t.Color); made.own {
		made.color = [3]uint8{c.R, c.G, c.B}
	}
	return made
}

// material returns the index of a material.
func (l *Looks) material(m Material) int {
	i, known := l.index[m]
	if !known {
		i = len(l.materials)
		l.materials = append(l.materials, m)
		l.index[m] = i
	}
	return i
}

// culled returns the index of a material that cannot be seen from behind.
func (l *Looks) culled(material int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.materials[material]
	m.Culling = true
	return l.material(m)
}

// firstFrame returns the modifier that takes the first frame of an animated image.
func firstFrame(a nodedef.Animation, size image.Point) string {
	switch a.Type {
	case "vertical_frames":
		height := size.Y
		if a.AspectW > 0 {
			height = int(float32(size.X) / float32(a.AspectW) * float32(a.AspectH))
		}
		if height > 0 && size.Y/height > 1 {
			return fmt.Sprintf("^[verticalframe:%d:0", size.Y/height)
		}
	case "sheet_2d":
		if a.FramesW > 0 && a.FramesH > 0 {
			return fmt.Sprintf("^[sheet:%dx%d:0,0", a.FramesW, a.FramesH)
		}
	}
	return ""
}

// Mean returns the mean colour of the top of a node with a value of param2, and the texture string that it comes from. The colour is
// translucent only if the node is. It reports whether the node is defined and has a texture.
func (l *Looks) Mean(name string, param2 uint8) (mean color.NRGBA, from string, ok bool) {
	if l.nodes[name] == nil {
		return mean, "", false
	}
	k := l.of(name)
	if k.draw == airlike {
		return mean, "", true
	}
	top := &k.tiles[k.facing(param2)]
	if k.draw == flowingLiquid && k.specials[0].layers[0].material >= 0 {
		top = &k.specials[0]
	}
	y := &top.layers[0]
	if y.material < 0 {
		return mean, "", false
	}
	m := l.Materials()[y.material]
	img := l.assets.Image(m.Texture)
	if img == nil {
		return mean, "", false
	}
	mean = texture.Mean(img)
	tint := k.tintOf(y, param2)
	for i, c := range [3]*uint8{&mean.R, &mean.G, &mean.B} {
		*c = uint8(int(*c) * int(tint[i]) / 255)
	}
	if m.Alpha != Blend {
		mean.A = 255
	}
	return mean, m.Texture, mean.A > 0
}

// facing returns the tile of the top side.
func (k *look) facing(param2 uint8) int {
	if k.turns == nil {
		return up
	}
	return facedirs[k.turns(param2)].from[up]
}

// HasPalette reports whether the colour of a node depends on its param2.
func (l *Looks) HasPalette(name string) bool {
	return l.nodes[name] != nil && l.of(name).palette != nil
}

// tintOf returns the colour of a layer, for a value of param2.
func (k *look) tintOf(y *layer, param2 uint8) [3]uint8 {
	switch {
	case y.own:
		return y.color
	case k.palette != nil:
		return k.palette[param2]
	}
	return k.tint
}

// liquidOf reports whether k is the source or the flowing form of the same liquid as the node of.
func (k *look) liquidOf(of *look) bool {
	return k.def.Name == of.sourceName || k.def.Name == of.flowingName
}
