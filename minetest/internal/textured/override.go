package textured

import (
	"slices"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// Override returns the definitions with the textures that files named override.txt replace.
func Override(nodes nodedef.List, overrides []texture.Override) nodedef.List {
	changed := make(map[*nodedef.Node]*nodedef.Node)
	for _, o := range overrides {
		was := nodes[o.Node]
		if was == nil {
			continue
		}
		n := changed[was]
		if n == nil {
			n = new(nodedef.Node)
			*n = *was
			n.Tiles, n.Overlays, n.Specials = sixTiles(was.Tiles), sixTiles(was.Overlays), slices.Clone(was.Specials)
			changed[was] = n
		}
		for i := range 6 {
			for first, tiles := range map[texture.Targets][]nodedef.Tile{texture.Top: n.Tiles, texture.OverlayTop: n.Overlays,
				texture.Special1: n.Specials} {
				if o.Targets&(first<<i) == 0 || i >= len(tiles) {
					continue
				}
				tiles[i].Name = o.Texture
				if o.World > 0 {
					tiles[i].Align, tiles[i].Scale = "world", o.World
				}
			}
		}
	}
	if len(changed) == 0 {
		return nodes
	}
	all := make(nodedef.List, len(nodes))
	for name, n := range nodes {
		if all[name] = n; changed[n] != nil {
			all[name] = changed[n]
		}
	}
	return all
}

// sixTiles returns the tiles of all faces.
func sixTiles(tiles []nodedef.Tile) []nodedef.Tile {
	six := make([]nodedef.Tile, 6)
	for i := range six {
		if len(tiles) == 0 {
			six[i] = nodedef.Tile{BackfaceCulling: true, RepeatU: true, RepeatV: true, Scale: 1}
		} else {
			six[i] = tiles[min(i, len(tiles)-1)]
		}
	}
	return six
}
