package twmap

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
)

// law checks the items of a map against the rules by which DDNet loads it. It reads the raw integers, because the
// model has defaults for missing ones. The game stops at the first broken rule; law continues.
type law struct {
	check.Sink
	c    *checker
	f    *datafile.File
	maps []lawTilemap // tile layers of which enough is known, in the order of the game
}

// lawTilemap is a tile layer that passed the checks.
type lawTilemap struct {
	part          *Part
	kind          Kind
	width, height int64
	data          int32
	version       int32
}

func (c *checker) checkLaw(sink check.Sink) {
	l := law{Sink: sink, c: c, f: c.f}
	l.version()
	l.groups()
	l.tiles()
}

func itemsOf(f *datafile.File, typ uint16) (items []datafile.Item) {
	for _, it := range f.All(typ) {
		items = append(items, it)
	}
	return items
}

func (l *law) version() {
	for id, it := range l.f.All(typeVersion) {
		if id != 0 {
			continue
		}
		switch {
		case len(it.Data) == 0:
			l.Add(foundVersion, "version", -1, "the version item is empty")
		case it.Data[0] != 1:
			l.Add(foundVersion, "version", -1, "the map has version %d, the game reads version 1", it.Data[0])
		}
		return
	}
	l.Add(foundVersion, "version", -1, "no version item has the id 0")
}

func (l *law) groups() {
	layers := itemsOf(l.f, typeLayer)
	owner := make([]*Part, len(layers))
	for i, g := range itemsOf(l.f, typeGroup) {
		group := &Part{Kind: PartGroup, Number: i}
		if i < len(l.c.groups) {
			group = l.c.groups[i]
		}
		path := group.Path()
		if len(g.Data) < 7 {
			l.AddAt(foundGroupTruncated, group.at(), path, -1, "the group has %s, at least 7 are needed", words.Count(len(g.Data), "integer"))
			continue
		}
		start, n := int64(g.Data[5]), int64(g.Data[6])
		if start < 0 || n < 0 || start+n > int64(len(layers)) {
			l.AddAt(foundGroupLayers, group.at(), path, -1, "the group claims %s from number %d on, the map has %d",
				words.Count(n, "layer"), start, len(layers))
		}
		for j := max(start, 0); j < min(start+n, int64(len(layers))); j++ {
			part := &Part{Kind: PartLayer, Number: int(j - start), Name: rawLayerName(layers[j].Data), Group: group}
			if owner[j] != nil {
				// Reported once for a group: damaged numbers can claim many layers at once.
				l.AddAt(foundLayerShared, part.at(), part.Path(), -1, "the layer is also %s", owner[j].Path())
				break
			}
			owner[j] = part
			l.layer(part, layers[j].Data)
		}
	}
}

func (l *law) layer(part *Part, v []int32) {
	switch {
	case len(v) < 3:
		l.AddAt(foundLayerTruncated, part.at(), part.Path(), -1, "the layer has %s, at least 3 are needed", words.Count(len(v), "integer"))
	case v[1] == layerTiles:
		l.tilemap(part, v)
	}
}

func (l *law) tilemap(part *Part, v []int32) {
	if len(v) < 15 {
		l.AddAt(foundLayerTruncated, part.at(), part.Path(), -1, "the tile layer has %s, at least 15 are needed", words.Count(len(v), "integer"))
		return
	}
	t := lawTilemap{part: part, version: v[3], width: int64(v[4]), height: int64(v[5]), data: v[14]}
	flags := TilemapFlags(v[6])
	t.kind = flags.kind()
	if t.version < 2 || t.version > 4 {
		l.AddAt(foundTilemapVersion, part.at(), part.Path(), -1, "the tile layer has version %d, the game reads 2 to 4", t.version)
	}
	if bits.OnesCount32(uint32(flags)&63) > 1 {
		l.AddAt(foundTilemapFlags, part.at(), part.Path(), -1, "the tile layer has the flags %v, of which there can be one", flags&63)
	}
	if t.version >= 3 {
		if len(v) < 18 {
			l.AddAt(foundLayerTruncated, part.at(), part.Path(), -1,
				"the tile layer is truncated (version %d, size %d): the name is missing", t.version, 4*len(v))
		} else if _, ok := nameText(v[15:18]); !ok {
			l.AddAt(foundTilemapName, part.at(), part.Path(), -1, "the name of the tile layer is not valid UTF-8")
		}
	}
	if infclassLayer(flags.kindOf(t.version, 4*(len(v)-7)), part.Name) {
		return // reported once for the map
	}
	complete := true
	for i, f := range indexFields {
		at := 15 + i
		if t.version >= 3 {
			at = 18 + i
		}
		if f.kind != t.kind {
			continue
		}
		if complete = len(v) > at; complete {
			t.data = v[at]
		} else {
			l.AddAt(foundPhysicsTruncated, part.at(), part.Path(), -1,
				"the %v layer is truncated (version %d, size %d): the number of its data block is missing", t.kind, t.version,
				4*len(v))
		}
	}
	if t.width < 2 || t.height < 2 {
		l.AddAt(foundLayerSize, part.at(), part.Path(), -1, "the layer is %d x %d tiles large, at least 2 x 2 are needed", t.width, t.height)
		complete = false
	} else if t.width*t.height > math.MaxInt32 {
		l.AddAt(foundLayerSize, part.at(), part.Path(), -1, "the layer of %d x %d tiles is too large", t.width, t.height)
		complete = false
	}
	for _, component := range v[7:11] {
		if t.kind == KindTiles && (component < 0 || component > 255) {
			l.AddAt(foundLayerColor, part.at(), part.Path(), -1, "the colour %d, %d, %d, %d has components outside of 0 to 255",
				v[7], v[8], v[9], v[10])
			break
		}
	}
	if complete {
		l.maps = append(l.maps, t)
	}
}

// tiles runs the checks of tiles that need all layers.
func (l *law) tiles() {
	var game *lawTilemap
	for i := range l.maps {
		if l.maps[i].kind == KindGame {
			game = &l.maps[i]
		}
	}
	if game == nil {
		l.Add(foundNoGameLayer, "", -1, "the map has no game layer")
	}
	used := make(map[int32]*Part)
	packed := game != nil && game.version >= 4 && l.c.m.Flavor() != "DDNet" // see Misfits
	for _, t := range l.maps {
		block := l.f.Block(t.data)
		if block == nil {
			l.AddAt(foundTilesIndex, t.part.at(), t.part.Path(), -1,
				"the tiles of the %v layer are in data block %d, the map has %d", t.kind, t.data, len(l.f.Data))
		} else if by, ok := used[t.data]; ok {
			l.AddAt(foundTilesShared, t.part.at(), t.part.Path(), block.Offset(), "data block %d also contains the tiles of %s", t.data, by.Path())
		} else {
			used[t.data] = t.part
		}
		if game != nil && !packed && t.version == 4 && (t.kind == KindTiles || t.kind == KindGame) {
			why := "the game layer has version " + strconv.Itoa(int(game.version))
			if game.version >= 4 {
				why = "the map has parts that only DDNet has"
			}
			l.AddAt(foundTilesForm, t.part.at(), t.part.Path(), -1,
				"the %v layer has version 4, which is for maps of Teeworlds 0.7, but %s", t.kind, why)
		}
		if t.kind != KindTiles && t.kind != KindGame {
			if game != nil && t.width*t.height < game.width*game.height {
				l.AddAt(foundPhysicsSmall, t.part.at(), t.part.Path(), -1,
					"the %v layer has %d x %d tiles, the game layer %d x %d", t.kind, t.width, t.height, game.width, game.height)
			}
			if t.version >= 4 {
				l.AddAt(foundTilesPacked, t.part.at(), t.part.Path(), -1,
					"the %v layer has version %d, which only tiles and game layers can have", t.kind, t.version)
			}
		}
	}
}

// checkItems compares the lengths and versions of all other items with the usual ones.
func (c *checker) checkItems(sink check.Sink) {
	seen := make(map[uint16]int)
	for _, it := range c.f.Items {
		n := seen[it.Type]
		seen[it.Type]++
		form, ok := itemForms[it.Type]
		if !ok {
			continue
		}
		path := form.name
		if form.many {
			path = fmt.Sprintf("%s[%d]", form.name, n)
		} else if n > 0 {
			continue // reported as surplus
		}
		if it.Type == typeImage && ninslashImage(it.Data) {
			continue // reported once for the map
		}
		form.check(sink, c.itemPlace(it.Type, n), path, it.Data)
	}
}

// itemPlace returns the place of item number n of a type, or nil if the item is not a part of the map.
func (c *checker) itemPlace(typ uint16, n int) []check.Place {
	m := c.m
	switch {
	case typ == typeImage && n < len(m.Images):
		return (&Part{Kind: PartImage, Number: n, Name: m.Images[n].Name}).at()
	case typ == typeSound && n < len(m.Sounds):
		return (&Part{Kind: PartSound, Number: n, Name: m.Sounds[n].Name}).at()
	case typ == typeEnvelope && n < len(m.Envelopes):
		return (&Part{Kind: PartEnvelope, Number: n, Name: m.Envelopes[n].Name}).at()
	case typ == typeGroup && n < len(c.groups):
		return c.groups[n].at()
	case typ == typeLayer:
		for _, g := range m.Groups {
			if n < len(g.Layers) {
				return c.layers[g.Layers[n]].at()
			}
			n -= len(g.Layers)
		}
	}
	return nil
}

// itemForm describes the length of the items of a type by their version.
type itemForm struct {
	name    string
	many    bool
	lengths []int // by version; the last applies to all higher versions
	floor   int   // the least that programs have written in any version
}

// itemForms holds the forms of all items but layers, which are in layerForms.
var itemForms = map[uint16]itemForm{
	typeVersion:  {"version", false, []int{1, 1}, 1},
	typeInfo:     {"info", false, []int{6, 6}, 5},
	typeImage:    {"images", true, []int{6, 6, 7}, 6},
	typeEnvelope: {"envelopes", true, []int{12, 12, 13, 13}, 5},
	typeGroup:    {"groups", true, []int{7, 7, 12, 15}, 7},
	typeSound:    {"sounds", true, []int{5, 5}, 5},
	typeLayer:    {"layers", true, nil, 0},
}

// layerForms holds the forms of layers by type; the version is integer 3.
var layerForms = map[int32]itemForm{
	layerQuads:            {"", true, []int{7, 7, 10}, 7},
	layerSounds:           {"", true, []int{10, 10, 10}, 10},
	layerDeprecatedSounds: {"", true, []int{10, 10, 10}, 10},
}

func (form itemForm) check(sink check.Sink, at []check.Place, path string, v []int32) {
	first := 0
	if form.lengths == nil {
		if len(v) < 3 {
			return // already reported by checkLaw
		}
		var ok bool
		if form, ok = layerForms[v[1]]; !ok {
			checkTilemapLength(sink, at, path, v)
			return
		}
		first = 3
	}
	if len(v) <= first {
		if path != "version" { // already reported by checkLaw
			sink.AddAt(foundItemShort, at, path, -1, "the item has %s, at least %d are needed", words.Count(len(v), "integer"), form.floor)
		}
		return
	}
	version, last := int(v[first]), len(form.lengths)-1
	if version < 0 || version > last {
		if path != "version" && path != "info" { // reported elsewhere
			sink.AddAt(foundItemVersion, at, path, -1, "the item has version %d; the highest known is %d", version, last)
		}
		return
	}
	// Version 1 of some items had fewer integers at first. A length that the editors accept is not reported.
	want := form.lengths[version]
	least := want
	if version <= 1 {
		least = form.floor
	}
	switch {
	case len(v) < least:
		if path[0] != 'g' || len(v) >= 7 { // already reported by checkLaw
			sink.AddAt(foundItemShort, at, path, -1, "the item has %s, version %d has %d", words.Count(len(v), "integer"), version, want)
		}
	case len(v) > want:
		sink.AddAt(foundItemLong, at, path, -1, "the item has %s, version %d has %d", words.Count(len(v), "integer"), version, want)
	}
}

func checkTilemapLength(sink check.Sink, at []check.Place, path string, v []int32) {
	if v[1] != layerTiles || len(v) < 4 {
		return
	}
	most := 23
	if v[3] < 3 {
		most = 20
	}
	if len(v) > most {
		sink.AddAt(foundItemLong, at, path, -1, "the item has %s, version %d has up to %d", words.Count(len(v), "integer"), v[3], most)
	}
}

// rawLayerName returns the name in the integers of a layer, or "" if the layer has none.
func rawLayerName(v []int32) string {
	if len(v) < 4 {
		return ""
	}
	at := 0
	switch {
	case v[1] == layerTiles && v[3] >= 3:
		at = 15
	case v[1] == layerQuads && v[3] >= 2, v[1] == layerSounds, v[1] == layerDeprecatedSounds:
		at = 7
	}
	if at == 0 || len(v) < at+3 {
		return ""
	}
	name, _ := nameText(v[at : at+3])
	return name
}

// rawName reports whether the name in n integers of an item is valid. Old tools left all of them 0, which means no
// name.
func rawName(v []int32, at, n int) bool {
	if len(v) < at+n {
		return true
	}
	v = v[at : at+n]
	_, ok := nameText(v)
	return ok || !slices.ContainsFunc(v, func(i int32) bool { return i != 0 })
}

// badName reports an invalid name of a part. The model has "" for an invalid name that was read from an item.
func badName(sink check.Sink, part *Part, what, name string, o *origin, at, n int) {
	switch {
	case !utf8.ValidString(name), name == "" && o.item != nil && !rawName(o.item.Data, at, n):
		sink.AddAt(foundName, part.at(), part.Path(), -1, "the name of the %s is not valid UTF-8", what)
	case len(name) > 4*n-1:
		sink.AddAt(foundNameLong, part.at(), part.Path(), -1, "the name %q of the %s has %s: expected at most %d",
			name, what, words.Count(len(name), "byte"), 4*n-1)
	}
}
