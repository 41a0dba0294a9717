package twmap

import (
	"fmt"
	"strings"

	"trowel.example/check"
)

// teleKey identifies the tiles of a tele layer that have the same function.
type teleKey struct {
	tile   GameTile
	number uint8
}

// directed reports whether a game tile acts in one direction or in two.
func (t GameTile) directed() bool {
	switch t {
	case TileStop, TileStopBothWays, TileSpeeder, TileFastSpeeder, TileThroughDirection, EntityCrazyShotgunEx, EntityCrazyShotgun:
		return true
	}
	return false
}

// turned reports whether the flags are those of a rotation by a multiple of 90 degrees. The game requires this of all
// directed tiles except stoppers.
func (f TileFlags) turned() bool {
	switch f &^ Opaque {
	case 0, Rotate, FlipX | FlipY, FlipX | FlipY | Rotate:
		return true
	}
	return false
}

// checkTeles reports teleporters of the tele layer without an exit or without an entry. It must run after the jobs.
func (c *checker) checkTeles(sink check.Sink) {
	p := c.play[KindTele]
	if p == nil {
		return
	}
	has := func(number int, tiles ...GameTile) bool {
		for _, t := range tiles {
			if p.teles[teleKey{t, uint8(number)}] > 0 {
				return true
			}
		}
		return false
	}
	ins := []GameTile{TileTeleIn, TileTeleInEvil, TileTeleInWeapon, TileTeleInHook}
	// A returning player is placed at the exit of the last checkpoint, or otherwise at the exit with the next lower
	// number.
	var noExit, noEntry, noCheckExit, reached [256]bool
	anyExit, comesBack := false, false
	for n := range 256 {
		noExit[n] = !has(n, TileTeleOut)
		noEntry[n] = !has(n, ins...)
		anyExit = anyExit || has(n, TileTeleCheckpointOut)
		comesBack = comesBack || has(n, TileTeleCheckpointIn, TileTeleCheckpointInEvil)
		if !has(n, TileTeleCheckpoint) {
			continue
		}
		exit := n
		for exit > 0 && !has(exit, TileTeleCheckpointOut) {
			exit--
		}
		noCheckExit[n] = exit == 0
		reached[exit] = true
	}
	report := func(kind *check.Kind, thing string, is func(t GameTile, number uint8) bool) {
		found := false
		for key := range p.teles {
			found = found || is(key.tile, key.number)
		}
		if !found {
			return
		}
		s := c.spots()
		part := c.layers[c.used[KindTele]]
		eachCell(c.used[KindTele].Teles(), func(x, y int, t TeleTile) {
			if id := GameTile(t.ID); !t.Unused() && is(id, t.Number) {
				s.addAs(part.Tile(x, y), func() string { return fmt.Sprintf("%d,%d (%d)", x, y, t.Number) })
			}
		})
		if s.n > 0 {
			sink.AddAt(kind, s.at(), part.Path(), -1, "%s: %s", s.of(thing), &s)
		}
	}
	is := func(t GameTile, list []GameTile) bool {
		for _, one := range list {
			if t == one {
				return true
			}
		}
		return false
	}
	report(foundTeleExit, "teleporter without an exit of its number", func(t GameTile, n uint8) bool { return is(t, ins) && noExit[n] })
	report(foundTeleEntry, "exit without a teleporter of its number", func(t GameTile, n uint8) bool { return t == TileTeleOut && noEntry[n] })
	back := []GameTile{TileTeleCheckpointIn, TileTeleCheckpointInEvil}
	switch {
	case !comesBack:
		report(foundCheckpointUnused, "tile of checkpoints, but no tile returns players to checkpoints", func(t GameTile, _ uint8) bool {
			return t == TileTeleCheckpoint || t == TileTeleCheckpointOut
		})
	case !anyExit:
		const thing = "teleporter to checkpoints, but no checkpoint has an exit"
		report(foundCheckpointExit, thing, func(t GameTile, _ uint8) bool { return is(t, back) })
	default:
		report(foundCheckpointExit, "checkpoint without an exit of its number or a lower number",
			func(t GameTile, n uint8) bool { return t == TileTeleCheckpoint && noCheckExit[n] })
		report(foundCheckpointEntry, "exit without a checkpoint of its number",
			func(t GameTile, n uint8) bool { return t == TileTeleCheckpointOut && !reached[n] })
	}
}

// maxSpawns is the number of spawns of each kind that Teeworlds has room for.
const maxSpawns = 64

// TooManySpawns returns the kinds of spawns that exceed the limit of Teeworlds 0.7, whose server crashes on them, or
// "" if none do.
func (m *Map) TooManySpawns() string {
	var n [3]int
	if game := m.Physics(KindGame); game != nil {
		eachCell(game.Tiles(), func(_, _ int, t Tile) {
			if id := GameTile(t.ID); id.Spawn() {
				n[id-EntitySpawn]++
			}
		})
	}
	return tooManySpawns(n)
}

// tooManySpawns is TooManySpawns for given numbers of spawns: for all players, red and blue.
func tooManySpawns(spawns [3]int) string {
	var list []string
	for i, n := range spawns {
		if n > maxSpawns {
			list = append(list, fmt.Sprintf("%d %ss", n, strings.TrimPrefix((EntitySpawn+GameTile(i)).String(), "entity: ")))
		}
	}
	return strings.Join(list, " and ")
}

// checkSpawns reports more spawns than Teeworlds accepts.
func (c *checker) checkSpawns(sink check.Sink) {
	counts := c.play[KindGame].spawns
	many := tooManySpawns(counts)
	if many == "" {
		return
	}
	kind := foundSpawnsMany
	if c.m.form07() {
		kind = foundSpawnsCrash
	}
	s := c.spots()
	game := c.used[KindGame]
	eachCell(game.Tiles(), func(x, y int, t Tile) {
		if id := GameTile(t.ID); id.Spawn() && counts[id-EntitySpawn] > maxSpawns {
			s.add(c.layers[game].Tile(x, y))
		}
	})
	sink.AddAt(kind, s.at(), c.layers[game].Path(), -1, "the map has %s, Teeworlds 0.7 has room for %d of a kind: %s", many, maxSpawns, &s)
}
