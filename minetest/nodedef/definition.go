package nodedef

import (
	"slices"
)

// The words of the engine. The first is the default.
var (
	drawTypes = []string{
		"normal", "airlike", "liquid", "flowingliquid", "glasslike", "glasslike_framed", "glasslike_framed_optional", "allfaces",
		"allfaces_optional", "torchlike", "signlike", "plantlike", "plantlike_rooted", "firelike", "fencelike", "raillike",
		"nodebox", "mesh",
	}
	scaledTypes = []string{
		"plantlike", "plantlike_rooted", "signlike", "torchlike", "firelike", "mesh", "nodebox", "allfaces", "allfaces_optional",
	}
	paramTypes2 = []string{
		"none", "flowingliquid", "facedir", "4dir", "wallmounted", "leveled", "degrotate", "meshoptions", "color", "colorfacedir",
		"color4dir", "colorwallmounted", "colordegrotate", "glasslikeliquidlevel", "full",
	}
	boxTypes = []string{"regular", "fixed", "leveled", "wallmounted", "connected"}
	sides    = []string{"top", "bottom", "front", "left", "back", "right"}
)

// node returns the definition, with the defaults of the engine.
func (f fields) node(in *File) *Node {
	n := &Node{
		Name:     f.text("name"),
		DrawType: f.word("drawtype", drawTypes...),
		Color:    f.color("color"),
		Palette:  f.text("palette"),

		VisualScale:  1,
		Mesh:         f.text("mesh"),
		Box:          f.table("node_box").nodeBox(),
		ConnectsTo:   f.texts("connects_to"),
		ConnectSides: f.texts("connect_sides"),
		Groups:       f.table("groups").integers(),

		ParamType:          f.word("paramtype", "none", "light"),
		ParamType2:         f.word("paramtype2", paramTypes2...),
		LightSource:        f.integer("light_source", 0, 0, 14),
		SunlightPropagates: f.is("sunlight_propagates", false),
		Leveled:            f.integer("leveled", 0, 0, 127),
		LeveledMax:         f.integer("leveled_max", 127, 0, 127),

		LiquidType:    f.word("liquidtype", "none", "source", "flowing"),
		LiquidFlowing: f.text("liquid_alternative_flowing"),
		LiquidSource:  f.text("liquid_alternative_source"),
		LiquidRange:   f.integer("liquid_range", 8, 0, 8),
		Waving:        f.integer("waving", 0, 0, 3),
		Walkable:      f.is("walkable", true),

		LegacyFacedirSimple: f.is("legacy_facedir_simple", false),
		LegacyWallmounted:   f.is("legacy_wallmounted", false),
	}
	if slices.Contains(scaledTypes, n.DrawType) {
		n.VisualScale = f.number("visual_scale", 1)
	}
	if n.LiquidType == "flowing" {
		n.ParamType2 = "flowingliquid"
	}
	n.ConnectSides = slices.DeleteFunc(n.ConnectSides, func(s string) bool { return !slices.Contains(sides, s) })
	tiles, specials := "tiles", "special_tiles"
	if !in.since(5, 6) { // which ended the support of the old names
		tiles, specials = f.oldName(tiles, "tile_images"), f.oldName(specials, "special_materials")
	}
	n.Tiles = f.tiles(tiles, n.DrawType, false)
	n.Overlays = f.tiles("overlay_tiles", n.DrawType, false)
	n.Specials = f.tiles(specials, n.DrawType, true)
	n.Alpha = f.alpha(n, in)
	return n
}

// oldName returns the name of the field to read: old if only that exists.
func (f fields) oldName(name, old string) string {
	if f[name] == nil && f[old] != nil {
		return old
	}
	return name
}

// alpha returns how a node uses the alpha of its textures.
func (f fields) alpha(n *Node, in *File) string {
	alpha := "clip"
	switch n.DrawType {
	case "normal", "liquid", "flowingliquid":
		alpha = "opaque"
	case "nodebox", "mesh":
		alpha = ""
		if in.since(5, 9) {
			alpha = "opaque"
		}
	}
	if f.number("alpha", 255) != 255 {
		alpha = "blend"
	}
	switch use := f["use_texture_alpha"]; {
	case use == true && n.DrawType == "normal":
		alpha = "clip"
	case use == true:
		alpha = "blend"
	case use != false:
		alpha = f.word("use_texture_alpha", alpha, "opaque", "clip", "blend")
	}
	switch n.DrawType { // the materials that the engine has for these drawtypes
	case "plantlike", "allfaces_optional":
		if n.Waving > 0 {
			alpha = "clip"
		}
	case "nodebox", "mesh":
		if n.Waving == 1 || n.Waving == 2 {
			alpha = "clip"
		}
	case "liquid", "flowingliquid":
		if alpha == "clip" && n.Waving != 3 {
			alpha = "blend"
		}
	}
	return alpha
}

// tiles returns up to six tiles.
func (f fields) tiles(key, drawType string, special bool) (list []Tile) {
	for _, v := range f.list(key) {
		if len(list) == 6 {
			break
		}
		list = append(list, tileOf(v, drawType, special))
	}
	return list
}

func tileOf(v any, drawType string, special bool) Tile {
	plant := drawType == "plantlike" || drawType == "firelike" || drawType == "plantlike_rooted" && special
	culling := !plant && drawType != "mesh" && drawType != "liquid"
	f := tableOf(v)
	switch v.(type) {
	case string, float64:
		f = fields{"name": v}
	case map[string]any:
	default: // the engine ignores it with everything that the drawtype implies
		plant, culling = false, true
	}
	t := Tile{
		Name:            f.text("name"),
		BackfaceCulling: f.is("backface_culling", culling),
		RepeatU:         f.is("tileable_horizontal", !plant),
		RepeatV:         f.is("tileable_vertical", !plant),
		Align:           f.word("align_style", "node", "world", "user"),
		Scale:           f.integer("scale", 0, 0, 255),
		Color:           f.color("color"),
	}
	t.Scale = max(1, t.Scale)
	if f["image"] != nil {
		t.Name = f.text("image")
	}
	switch a, play := f.table("animation"), &t.Animation; a.text("type") {
	case "vertical_frames":
		*play = Animation{
			Type: "vertical_frames", Length: a.number("length", 1),
			AspectW: a.integer("aspect_w", 16, 0, 1<<16), AspectH: a.integer("aspect_h", 16, 0, 1<<16),
		}
	case "sheet_2d":
		*play = Animation{
			Type: "sheet_2d", Length: a.number("frame_length", 1),
			FramesW: a.integer("frames_w", 1, 0, 255), FramesH: a.integer("frames_h", 1, 0, 255),
		}
	}
	return t
}

// nodeBox returns a box. Its shapes are only those of its type.
func (f fields) nodeBox() NodeBox {
	b := NodeBox{Type: f.word("type", boxTypes...)}
	switch b.Type {
	case "regular":
		return b
	case "wallmounted":
		wall := func(key string, usual Box) []Box {
			if boxes := f.boxes(key); boxes != nil {
				return boxes
			}
			return []Box{usual}
		}
		const inner = 0.5 - 1./16
		b.WallTop = wall("wall_top", Box{-.5, inner, -.5, .5, .5, .5})
		b.WallBottom = wall("wall_bottom", Box{-.5, -.5, -.5, .5, -inner, .5})
		b.WallSide = wall("wall_side", Box{-.5, -.5, -.5, -inner, .5, .5})
		return b
	}
	b.Fixed = f.boxes("fixed")
	if b.Type == "connected" {
		for i, side := range sides {
			b.Connect[i], b.Disconnected[i] = f.boxes("connect_"+side), f.boxes("disconnected_"+side)
		}
		b.DisconnectedAll, b.DisconnectedXZ = f.boxes("disconnected"), f.boxes("disconnected_sides")
	}
	return b
}
