package twmap

import (
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
)

// playStats collects what matters for playing in a physics layer.
type playStats struct {
	starts, finishes int
	spawns           [3]int // for all, red, blue
	timeCheckpoints  [25]bool
	numbers          [256]bool // that tune zones or switches have
	teles            map[teleKey]int
	unknown          int // tiles of other games
	solid            int // tiles other than air
}

// cellFaults collects the problems of the tiles of a layer.
type cellFaults struct {
	profile                                           *Profile
	part                                              *Part
	reserved, invalid, unused, flags, angle, mirrored spots
	deprecated                                        spots
}

// checkCells checks the tiles of a layer and records their functions.
func (c *checker) checkCells(sink check.Sink, part *Part, layer *TileLayer) {
	l := layer
	stored := !l.cells.isChanged(l.Version >= 4)
	if stored && (l.data[l.dataKind()].block == nil || l.Version >= 4 && l.dataKind() != KindTiles) {
		return // already reported by checkLaw
	}
	what := title(fmt.Sprintf("%v layer", l.Kind()), l.Name)
	if !stored {
		c.checkGrid(sink, part, layer, l, what, -1)
		return
	}
	ref := &l.data[l.dataKind()]
	ref.block.Look(func(data []byte, err error) { // all layers at once would take too much memory
		if l.checkAmount(sink, part, what, ref.offset(), data, err) { // cells of another size than the current one would only cause noise
			c.checkGrid(sink, part, layer, l.over(datafile.NewBlock(data)), what, ref.offset())
		}
	})
}

// checkGrid checks the tiles of a layer; l holds the cells.
func (c *checker) checkGrid(sink check.Sink, part *Part, layer, l *TileLayer, what string, offset int64) {
	f := cellFaults{profile: c.profile, part: part, reserved: c.spots(), invalid: c.spots(), unused: c.spots(), flags: c.spots(),
		angle: c.spots(), mirrored: c.spots(), deprecated: c.spots()}
	p := playStats{teles: make(map[teleKey]int)}
	switch l.Kind() {
	case KindTele:
		eachCell(l.Teles(), func(x, y int, t TeleTile) { f.tele(&p, x, y, t) })
	case KindSpeedup:
		eachCell(l.Speedups(), f.speedup)
	case KindSwitch:
		eachCell(l.Switches(), func(x, y int, t SwitchTile) { f.switches(&p, x, y, t) })
	case KindTune:
		eachCell(l.Tunes(), func(x, y int, t TuneTile) { f.tune(&p, x, y, t) })
	case KindTiles, KindEntities, KindZones:
		eachCell(l.Tiles(), f.tile)
	default:
		eachCell(l.Tiles(), func(x, y int, t Tile) { f.game(&p, l.Kind(), x, y, t) })
	}
	f.report(sink, what, offset, l.Kind())
	if l.Kind().Physics() && c.used[l.Kind()] == layer {
		p.unknown = f.invalid.n
		c.play[l.Kind()] = &p
	}
}

// checkAmount reports whether the tiles can be checked: the block has at least as many as the layer, or it is damaged, and everything
// that keeps the readable tiles makes the rest air.
func (l *TileLayer) checkAmount(sink check.Sink, part *Part, what string, offset int64, data []byte, err error) bool {
	if errors.Is(err, fault.ErrLimit) {
		return false // reported for the data block
	}
	if err != nil {
		sink.AddAt(foundTilesUnreadable, part.at(), part.Path(), offset, "the %s: %s", what, reason(err))
		return true
	}
	n := l.Width() * l.Height()
	have := len(data) / kindCellSizes[l.Kind()]
	if l.Version >= 4 {
		records := have
		have = 0
		for i := range records {
			if have >= n { // the game ignores a final piece of less than a tile
				sink.AddAt(foundTilesSurplus, part.at(), part.Path(), offset, "the %s has %d more tiles than its %d x %d", what,
					records-i, l.Width(), l.Height())
				break
			}
			have += int(data[4*i+2]) + 1
		}
	}
	if have < n {
		sink.AddAt(foundTilesShort, part.at(), part.Path(), offset, "the %s has %d tiles, %d x %d are %d", what, have, l.Width(), l.Height(), n)
	}
	return have >= n
}

// kindCellSizes are the sizes of a tile in the file, in bytes.
var kindCellSizes = [numKinds]int{
	cellSize[Tile](), cellSize[Tile](), cellSize[Tile](), cellSize[TeleTile](),
	cellSize[SpeedupTile](), cellSize[SwitchTile](), cellSize[TuneTile](), cellSize[Tile](), cellSize[Tile](),
}

func eachCell[T Cell](g *Grid[T], check func(x, y int, t T)) {
	var air T
	for y, row := range g.Rows() {
		for x, t := range row {
			if t != air {
				check(x, y, t)
			}
		}
	}
}

const knownTileFlags = FlipX | FlipY | Opaque | Rotate

func (f *cellFaults) tile(x, y int, t Tile) {
	if t.Skip != 0 || t.Reserved != 0 {
		f.reserved.add(f.part.Tile(x, y))
	}
	if t.Flags&^knownTileFlags != 0 {
		f.flags.add(f.part.Tile(x, y))
	}
}

// physicsTile checks what the tiles of all physics layers have in common.
func (f *cellFaults) physicsTile(kind Kind, x, y int, id uint8, flags TileFlags) {
	if !ValidTile(kind, id) && !f.profile.hasTile(kind, id) {
		f.invalid.addAs(f.part.Tile(x, y), func() string { return fmt.Sprintf("%d,%d (%d)", x, y, id) })
	}
	if GameTile(id).directed() && !flags.turned() {
		f.mirrored.addAs(f.part.Tile(x, y), func() string { return fmt.Sprintf("%d,%d (%v)", x, y, GameTile(id)) })
	}
	if flags&^(knownTileFlags&^Opaque) != 0 {
		f.flags.add(f.part.Tile(x, y))
	}
}

func (f *cellFaults) game(p *playStats, kind Kind, x, y int, t Tile) {
	if t.Skip != 0 || t.Reserved != 0 {
		f.reserved.add(f.part.Tile(x, y))
	}
	f.physicsTile(kind, x, y, t.ID, t.Flags)
	p.solid++
	switch id := GameTile(t.ID); {
	case id == TileStart:
		p.starts++
	case id == TileFinish:
		p.finishes++
	case id >= TileTimeCheckpointFirst && id <= TileTimeCheckpointLast:
		p.timeCheckpoints[id-TileTimeCheckpointFirst] = true
	case id.Spawn():
		p.spawns[id-EntitySpawn]++
	}
}

func (f *cellFaults) tele(p *playStats, x, y int, t TeleTile) {
	f.physicsTile(KindTele, x, y, t.ID, 0)
	if t.Unused() {
		f.unused.add(f.part.Tile(x, y))
		return
	}
	p.teles[teleKey{GameTile(t.ID), t.Number}]++
}

func (f *cellFaults) speedup(x, y int, t SpeedupTile) {
	f.physicsTile(KindSpeedup, x, y, t.ID, 0)
	if GameTile(t.ID) == TileSpeedupOld {
		f.deprecated.add(f.part.Tile(x, y))
	}
	if t.Padding != 0 {
		f.reserved.add(f.part.Tile(x, y))
	}
	if t.Unused() {
		f.unused.add(f.part.Tile(x, y))
	}
	if t.ID != 0 && (t.Angle < 0 || t.Angle > 359) {
		f.angle.addAs(f.part.Tile(x, y), func() string { return fmt.Sprintf("%d,%d (%d)", x, y, t.Angle) })
	}
}

func (f *cellFaults) switches(p *playStats, x, y int, t SwitchTile) {
	f.physicsTile(KindSwitch, x, y, t.ID, t.Flags)
	if t.Unused() {
		f.unused.add(f.part.Tile(x, y))
	}
	if t.switched() {
		p.numbers[t.Number] = true
	}
}

func (f *cellFaults) tune(p *playStats, x, y int, t TuneTile) {
	f.physicsTile(KindTune, x, y, t.ID, 0)
	if t.Unused() {
		f.unused.add(f.part.Tile(x, y))
	} else if t.ID != 0 {
		p.numbers[t.Number] = true
	}
}

// unusedReasons names what a tile that does nothing lacks.
var unusedReasons = [numKinds]string{
	KindTele: "number", KindSpeedup: "force", KindSwitch: "number or delay", KindTune: "zone",
}

func (f *cellFaults) report(sink check.Sink, what string, offset int64, kind Kind) {
	for _, fault := range []struct {
		kind  *check.Kind
		spots *spots
		are   string
	}{
		{foundTileReserved, &f.reserved, "whose reserved bytes are not 0"},
		{foundTileInvalid, &f.invalid, fmt.Sprintf("that a %v layer does not have", kind)},
		{foundTileUnused, &f.unused, fmt.Sprintf("whose %s is 0", unusedReasons[kind])},
		{foundTileFlags, &f.flags, "with flags that they cannot have"},
		{foundSpeedupAngle, &f.angle, "with an angle outside of 0 to 359"},
		{foundTileMirrored, &f.mirrored, "mirrored instead of rotated"},
		{foundTileDeprecated, &f.deprecated, "of the old kind of booster"},
	} {
		if s := fault.spots; s.n > 0 {
			sink.AddAt(fault.kind, s.at(), f.part.Path(), offset, "the %s has %s %s: %s", what, s.of("tile"), fault.are, s)
		}
	}
}

// checkPlay reports what the physics layers together lack. It must run after the jobs.
func (c *checker) checkPlay(sink check.Sink) {
	if c.play[KindGame] == nil {
		return // already reported by checkLaw
	}
	var all playStats
	for _, k := range []Kind{KindGame, KindFront} {
		if p := c.play[k]; p != nil {
			for i, n := range p.spawns {
				all.spawns[i] += n
			}
			all.starts += p.starts
			all.finishes += p.finishes
			all.unknown += p.unknown
			all.solid += p.solid
			for i, is := range p.timeCheckpoints {
				all.timeCheckpoints[i] = all.timeCheckpoints[i] || is
			}
		}
	}
	if all.spawns == [3]int{} && all.solid > 0 && all.unknown == 0 && c.mod == "" &&
		(c.profile == nil || !c.profile.ownSpawns) {
		sink.Add(foundNoSpawn, "", -1, "the map has no spawn")
	}
	c.checkSpawns(sink)
	switch {
	case all.starts > 0 && all.finishes == 0:
		sink.Add(foundRace, "", -1, "the map has a start but no finish")
	case all.starts == 0 && all.finishes > 0:
		sink.Add(foundRace, "", -1, "the map has a finish but no start")
	case all.starts > 0:
		checkTimeCheckpoints(sink, &all)
	}
	c.checkNumbers(sink)
}

// checkNumbers reports zones of the tune layer without settings, and settings for zones and switches without tiles.
func (c *checker) checkNumbers(sink check.Sink) {
	var settings []string
	if c.m.Info != nil {
		settings = c.m.Info.Settings
	}
	var idle spots
	for _, series := range []struct {
		numbers Numbers
		name    string
	}{{TuneNumbers, "zone"}, {SwitchNumbers, "switch"}} {
		p := c.play[series.numbers.Kind()]
		if p == nil {
			if c.used[series.numbers.Kind()] != nil {
				continue // the tiles cannot be read
			}
			p = new(playStats)
		}
		var set, reported [256]bool
		numberedSettings(settings, series.numbers, func(i, n int) {
			set[n] = true
			if n > 0 && !p.numbers[n] && !reported[n] {
				reported[n] = true
				part := Part{Kind: PartSetting, Number: i, Name: settings[i]}
				idle.addAs(part.Whole(), func() string { return fmt.Sprintf("%s %d", series.name, n) })
			}
		})
		var unset spots
		for n, is := range p.numbers {
			if is && !set[n] {
				unset.number(n)
			}
		}
		if unset.n > 0 && series.numbers == TuneNumbers {
			sink.Add(foundTuneZone, "", -1, "no settings for %s of the tune layer: %s", unset.of("zone"), &unset)
		}
	}
	if idle.n > 0 {
		sink.AddAt(foundSettingIdle, idle.at(), "info.settings", -1, "settings for %s that no tile has: %s", idle.of("number"), &idle)
	}
}

func checkTimeCheckpoints(sink check.Sink, p *playStats) {
	last := -1
	var gaps spots
	for i, is := range p.timeCheckpoints {
		if !is {
			continue
		}
		for missing := last + 1; missing < i; missing++ {
			gaps.number(missing + 1)
		}
		last = i
	}
	switch {
	case last < 0:
		sink.Add(foundTimeCheckpoints, "", -1, "the map has no time checkpoints")
	case gaps.n > 0:
		sink.Add(foundTimeCheckpoints, "", -1, "the map has time checkpoints up to %d, but leaves out %s", last+1, &gaps)
	}
}
