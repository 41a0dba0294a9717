package maprules

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// ddnet checks a map by the rules of DDNet.
func (c *checker) ddnet() {
	c.name()
	c.start()
	c.spawns()
	c.exits()
	c.types()
	c.spam()
	c.lines()
	c.old()
	c.images()
	c.layers()
	c.look()
}

// name reports a name that is taken.
func (c *checker) name() {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	for _, released := range c.Released {
		if plain(released) == plain(c.Name) && plain(c.Name) != "" {
			c.add(foundNameTaken, "", nil, "the released map %q has the name %q, too", released, c.Name)
		}
	}
}

// start reports ways past the start, and to the finish.
func (c *checker) start() {
	f := c.field
	if len(f.starts) > 0 {
		r := f.flood(way{freeze: true, tele: true, traced: true})
		for _, goals := range []struct {
			what  string
			cells []int
		}{{"the finish", f.finishes}, {"a time checkpoint", f.checkpoint}} {
			i := slices.IndexFunc(goals.cells, func(i int) bool { return r.time[i] != 0 })
			if i < 0 {
				continue
			}
			goal := goals.cells[i]
			c.addCells(foundStartSkip, twmap.KindGame, f.gap(r, goal), "a way from a spawn to %s (%s) passes the start line here",
				goals.what, c.where([]int{goal}))
			break
		}
	}
	order := c.all.time
	if len(f.finishes) > 0 && len(f.spawns) > 0 && !slices.ContainsFunc(f.finishes, func(i int) bool { return order[i] > 0 }) {
		c.addCells(foundFinish, twmap.KindGame, f.finishes, "no way leads from a spawn to the finish")
	}
	c.times(order)
}

// times reports time checkpoints that players get to before one with a lower number.
func (c *checker) times(order []int32) {
	f := c.field
	first := make(map[twmap.GameTile]int) // the cell of each number that is reached first
	for _, i := range f.checkpoint {
		for _, id := range [2]twmap.GameTile{f.game[i], f.front[i]} {
			is := order[i] > 0 && id >= twmap.TileTimeCheckpointFirst && id <= twmap.TileTimeCheckpointLast
			if old, ok := first[id]; is && (!ok || order[i] < order[old]) {
				first[id] = i
			}
		}
	}
	last := -1
	var early []int
	for id := twmap.TileTimeCheckpointFirst; id <= twmap.TileTimeCheckpointLast; id++ {
		i, ok := first[id]
		if !ok {
			continue
		}
		if last >= 0 && order[i] < order[last] {
			early = append(early, i)
		}
		last = i
	}
	c.addCells(foundTimesOrder, twmap.KindGame, early, "%s on the way before one of a lower number", count(len(early), "time checkpoint"))
}

// minPlaces is the number of tees that a start area must hold.
const minPlaces = 10

func (c *checker) spawns() {
	f, game := c.field, c.m.PartOf(c.m.Physics(twmap.KindGame))
	var ground, death []int
	for _, i := range f.spawns {
		if f.grounded(i) {
			ground = append(ground, i)
		}
		f.near(i, func(j int) {
			if f.has(j, twmap.TileDeath) && !slices.Contains(death, i) {
				death = append(death, i)
			}
		})
	}
	if len(f.spawns) < 2 {
		c.add(foundSpawnsFew, "", c.places(game, f.spawns), "the map has %s", count(len(f.spawns), "spawn"))
	}
	c.addCells(foundSpawnsGround, twmap.KindGame, ground, "%s on the ground", count(len(ground), "spawn"))
	c.addCells(foundSpawnDeath, twmap.KindGame, death, "%s beside a deadly tile", count(len(death), "spawn"))
	if len(f.spawns) != 1 || len(ground) != 1 {
		c.add(foundSoloSpawn, "", c.places(game, f.spawns), "the map has %s, %d of them on the ground",
			count(len(f.spawns), "spawn"), len(ground))
	}
	var places []int
	for i, time := range f.flood(way{}).time {
		if time != 0 && f.grounded(i) {
			places = append(places, i)
		}
	}
	if len(f.spawns) > 0 && len(f.starts) > 0 && len(places) < minPlaces {
		c.add(foundStartSmall, "", c.places(game, places), "%s for tees before the start line", count(len(places), "place"))
	}
}

// exits reports the exits of teleporters.
func (c *checker) exits() {
	f := c.field
	if f.teles == nil {
		return
	}
	var used [256]bool
	var blue []int
	for i := range f.teles {
		if n, ok := f.enters(i); ok {
			used[n] = true
		}
		if id := twmap.GameTile(f.teles[i].ID); id == twmap.TileTeleIn || id == twmap.TileTeleCheckpointIn {
			blue = append(blue, i)
		}
	}
	c.addCells(foundTeleBlue, twmap.KindTele, blue, "%s", count(len(blue), "blue teleporter tile"))
	var single, ground, solo []int
	numbers := 0
	look := func(exits []int) {
		if len(exits) == 0 {
			return
		}
		numbers++
		if len(exits) == 1 {
			single = append(single, exits[0])
		} else {
			solo = append(solo, exits...)
		}
		for _, i := range exits {
			if f.grounded(i) {
				ground = append(ground, i)
			} else if len(exits) == 1 {
				solo = append(solo, i)
			}
		}
	}
	for n, exits := range f.exits {
		if used[n] {
			look(exits)
		}
	}
	for _, exits := range f.comebacks {
		look(exits)
	}
	c.addCells(foundExitSingle, twmap.KindTele, single, "%d of %s with a single exit", len(single), count(numbers, "number"))
	c.addCells(foundExitGround, twmap.KindTele, ground, "%s on the ground", count(len(ground), "exit"))
	c.addCells(foundSoloExit, twmap.KindTele, solo, "%s not the only one of its number, or not on the ground", count(len(solo), "exit"))
}

// ofRaces reports whether races have a tile.
func ofRaces(t twmap.GameTile) bool {
	switch t {
	case twmap.TileAir, twmap.TileSolid, twmap.TileNoHook, twmap.TileDeath, twmap.EntityGrenade, twmap.TileStart, twmap.TileFinish,
		twmap.EntitySpawn, twmap.EntitySpawnRed, twmap.EntitySpawnBlue, twmap.TileEntitiesOff1, twmap.TileEntitiesOff2:
		return true
	}
	return t >= twmap.TileTimeCheckpointFirst && t <= twmap.TileTimeCheckpointLast
}

// types reports what the rules for types of maps say.
func (c *checker) types() {
	f := c.field
	if v, ok := c.setting("sv_deepfly"); !ok || v != "0" {
		c.add(foundDummySetting, "", nil, "the setting sv_deepfly is not 0")
	}
	if v, ok := c.setting("sv_solo_server"); !ok || v == "0" {
		c.add(foundSoloSetting, "", nil, "the setting sv_solo_server is not 1")
	}
	if v, ok := c.setting("sv_team"); ok && v != "1" {
		c.add(foundTeamForced, "", nil, "the setting sv_team is %s", v)
	}
	if !f.anywhere(twmap.TileUnlockTeam) {
		c.add(foundDummyUnlock, "", nil, "no tile unlocks the team")
	}
	other := c.cellsOf(func(id twmap.GameTile) bool { return !ofRaces(id) })
	if slices.ContainsFunc(f.speedups, speeds) || slices.ContainsFunc(f.switches, func(t twmap.SwitchTile) bool { return t.ID != 0 }) {
		c.add(foundRaceTile, "", nil, "the map has speedups or switches")
	}
	c.addCells(foundRaceTile, twmap.KindGame, other, "%s that no race has", count(len(other), "tile"))
}

// cellsOf returns the cells whose tile in the game or front layer is one of those wanted.
func (c *checker) cellsOf(want func(twmap.GameTile) bool) (list []int) {
	for i, id := range c.field.game {
		if want(id) || want(c.field.front[i]) {
			list = append(list, i)
		}
	}
	return list
}

// spam reports tiles that turn something on beside those that turn it off.
func (c *checker) spam() {
	cells := c.field.printing()
	c.addCells(foundSpam, twmap.KindGame, cells, "%s beside the one that turns the same thing off", count(len(cells), "tile"))
}

// printing returns the cells with the first tile of each pair that is beside its other one.
func (f *field) printing() (cells []int) {
	for i := range f.game {
		for _, pair := range togglePairs {
			if !f.has(i, pair[0]) {
				continue
			}
			f.near(i, func(j int) {
				if f.has(j, pair[1]) && (j%f.w == i%f.w || j/f.w == i/f.w) {
					cells = append(cells, i)
				}
			})
		}
	}
	return cells
}

// lines reports lines of one tile that a ninja passes.
func (c *checker) lines() {
	f := c.field
	if !f.anywhere(twmap.EntityNinja) {
		return
	}
	line := func(i int) int {
		switch {
		case f.has(i, twmap.TileStart):
			return 1
		case f.has(i, twmap.TileFinish):
			return 2
		case f.has(i, twmap.TileFreeze):
			return 3
		case f.walls(i):
			return 4
		}
		return 0
	}
	open := func(x, y int) bool {
		if x < 0 || y < 0 || x >= f.w || y >= f.h {
			return false
		}
		i := y*f.w + x
		return line(i) == 0 && !f.has(i, twmap.TileSolid, twmap.TileNoHook, twmap.TileDeath)
	}
	var cells []int
	for i := range f.game {
		if x, y := i%f.w, i/f.w; line(i) != 0 && open(x-1, y) && open(x+1, y) { // a ninja dashes to the sides
			cells = append(cells, i)
		}
	}
	c.addCells(foundNinja, twmap.KindGame, cells, "%s in lines that are one tile thick", count(len(cells), "tile"))
}

// rareSettings are the settings that twmap-check-ddnet reports: names, or the part of names before a star.
var rareSettings = []string{"sv_no_weak_hook*", "sv_old_laser", "sv_old_teleport_*", "mapbug", "sv_reset_pickups", "sv_save_worse_scores",
	"sv_show_others_default", "sv_teleport_lose_weapons", "sv_destroy_*", "sv_plasma_*", "sv_endless_drag"}

// old reports what twmap-check-ddnet does, beyond what [twmap.Map.Check] reports.
func (c *checker) old() {
	f := c.field
	var nothing, boosters, idle []int
	for i, id := range f.front {
		if id == twmap.TileThroughCut && f.game[i] != twmap.TileSolid && f.game[i] != twmap.TileNoHook {
			nothing = append(nothing, i)
		}
	}
	c.addCells(foundThroughNothing, twmap.KindFront, nothing, "%s over no solid tile", count(len(nothing), "hook-through tile"))
	old := c.cellsOf(func(id twmap.GameTile) bool { return id == twmap.TileThrough })
	c.addCells(foundTileOld, twmap.KindGame, old, "%s of the old kind", count(len(old), "hook-through tile"))
	for i, t := range f.speedups {
		switch id := twmap.GameTile(t.ID); {
		case id == twmap.TileSpeedupOld:
			boosters = append(boosters, i)
		case id == twmap.TileSpeedup && t.Force == 0:
			idle = append(idle, i)
		}
	}
	c.addCells(foundTileOld, twmap.KindSpeedup, boosters, "%s of the old kind", count(len(boosters), "booster"))
	c.addCells(foundSpeedupIdle, twmap.KindSpeedup, idle, "%s without force", count(len(idle), "speedup"))
	for i, line := range c.settings() {
		f := strings.Fields(strings.ToLower(line))
		if len(f) == 0 || !slices.ContainsFunc(rareSettings, func(name string) bool {
			start, end, star := strings.Cut(name, "*")
			return f[0] == name || star && strings.HasPrefix(f[0], start) && strings.HasSuffix(f[0], end)
		}) {
			continue
		}
		place := check.Place(&twmap.Place{Part: &twmap.Part{Kind: twmap.PartSetting, Number: i}, X: -1, Y: -1, Index: -1})
		c.add(foundSettingRare, "info.settings", []check.Place{place}, "the setting %q", words.OneLine(line))
	}
}

// images reports images that are not as they should be.
func (c *checker) images() {
	seen := make(map[string]int)
	for i, im := range c.m.Images {
		part := &twmap.Part{Kind: twmap.PartImage, Number: i, Name: im.Name}
		place := part.Whole()
		at := []check.Place{&place}
		if !im.External() && slices.Contains(twmap.ExternalImages06, im.Name) {
			c.add(foundImageEmbedded, part.Path(), at, "the image %q is embedded", im.Name)
		}
		if w, h := im.Width(), im.Height(); w > 0 && h > 0 && (bits.OnesCount(uint(w)) > 1 || bits.OnesCount(uint(h)) > 1) {
			c.add(foundImageSide, part.Path(), at, "the image %q has %d x %d pixels", im.Name, w, h)
		}
		if print := c.sight.image(i).print; print != "" {
			if first, ok := seen[print]; ok {
				c.add(foundImageTwice, part.Path(), at, "the image %q has the pixels of image %d, %q",
					im.Name, first, c.m.Images[first].Name)
			} else {
				seen[print] = i
			}
		}
	}
}

// layers reports empty and large layers.
func (c *checker) layers() {
	var empty []string
	var at []check.Place
	var large []string
	var largeAt []check.Place
	cells, spare := 0, 0
	for gi, g := range c.m.Groups {
		group := &twmap.Part{Kind: twmap.PartGroup, Number: gi, Name: g.Name}
		if len(g.Layers) == 0 {
			place := group.Whole()
			empty, at = append(empty, group.Path()), append(at, &place)
		}
		for _, l := range g.Layers {
			part := c.m.PartOf(l)
			place := part.Whole()
			none := false
			switch l := l.(type) {
			case *twmap.QuadLayer:
				none = l.NumQuads() == 0
			case *twmap.SoundLayer:
				list, err := l.Sources()
				none = err == nil && len(list) == 0
			case *twmap.TileLayer:
				if l.Kind() != twmap.KindTiles {
					continue
				}
				n, air := repeated(l)
				none = air
				if n > 0 && !air {
					large, largeAt = append(large, part.Path()), append(largeAt, &place)
				}
				if !air {
					cells, spare = cells+l.Width()*l.Height(), spare+n
				}
			}
			if none {
				empty, at = append(empty, part.Path()), append(at, &place)
			}
		}
	}
	if len(empty) > 0 {
		c.add(foundEmpty, "", at, "%s: %s", count(len(empty), "empty part"), list(empty))
	}
	if len(large) > 0 {
		c.add(foundLayerLarge, "", largeAt, "%d %% of the cells of %s only repeat: %s", spare*100/max(cells, 1), count(len(large), "layer"),
			list(large))
	}
	if !c.field.anywhere(twmap.TileEntitiesOff1) && !c.field.anywhere(twmap.TileEntitiesOff2) {
		if name := c.informs(); name != "" {
			c.add(foundNoSign, "", nil, "%s seems to inform players, but no tile asks them to turn off entities", name)
		}
	}
}

// informing are the words in names of images and layers with texts.
var informing = []string{"font", "text", "sign", "info", "letter"}

// informs returns what seems to inform players, or "".
func (c *checker) informs() string {
	has := func(name string) bool {
		return slices.ContainsFunc(informing, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
	}
	for _, im := range c.m.Images {
		if has(im.Name) {
			return "the image " + strconv.Quote(im.Name)
		}
	}
	for _, l := range c.m.Layers() {
		if has(l.Base().Name) {
			return "the layer " + strconv.Quote(l.Base().Name)
		}
	}
	return ""
}

// look reports what players see.
func (c *checker) look() {
	st, err := newStage(c.field, c.all, c.sight)
	if err != nil {
		c.sink.Add(foundUnread, "", -1, "%v", err)
		return
	}
	for k, sign := range signs {
		bare, n := st.unmarked(k, st.drawn)
		kind := foundUnmarked
		if sign.group {
			kind = foundUnmarkedGroup
		}
		c.addCells(kind, twmap.KindGame, bare, "nothing marks %s of %s", words.Thousands(int64(len(bare))), count(n, sign.what))
		more, _ := st.unmarked(k, st.plain)
		more = slices.DeleteFunc(more, func(i int) bool { _, found := slices.BinarySearch(bare, i); return found })
		c.addCells(foundUnmarkedDetail, twmap.KindGame, more, "without high detail, nothing marks %s", count(len(more), sign.what))
	}
	fake, err := st.misleading()
	if err != nil {
		c.sink.Add(foundUnread, "", -1, "%v", err)
		return
	}
	c.addCells(foundFake, twmap.KindGame, fake, "%s that looks like something else", count(len(fake), "place"))
	holes, err := st.holes(c.ctx)
	if c.err = c.ctx.Err(); c.err != nil {
		return
	}
	if err != nil {
		c.sink.Add(foundUnread, "", -1, "%v", err)
		return
	}
	c.addCells(foundHole, twmap.KindGame, holes, "no background in the view from %s", count(len(holes), "place"))
}
