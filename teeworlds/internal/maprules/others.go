package maprules

import (
	"slices"
	"strings"

	"trowel.example/teeworlds/twmap"
)

// kogQuests are the quests that KoG knows.
var kogQuests = []string{"Q_NO_HAMMER", "Q_NO_PLATFORM", "Q_TEAM_15"}

// kog checks a map by the rules of KoG.
func (c *checker) kog() {
	f := c.field
	for _, need := range []struct {
		what  string
		cells []int
	}{{"spawn", f.spawns}, {"start tile", f.starts}, {"finish tile", f.finishes}} {
		if len(need.cells) == 0 {
			c.add(foundKogTile, "", nil, "the map has no %s", need.what)
		}
	}
	if v, ok := c.setting("sv_kog_map_quests"); ok {
		for _, quest := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == '"' || r == ';' }) {
			if !slices.Contains(kogQuests, quest) {
				c.add(foundKogQuest, "info.settings", nil, "the quest %q is not %s", quest, list(kogQuests))
			}
		}
	}
	if c.m.Info == nil || c.m.Info.Author == "" {
		c.add(foundKogAuthor, "info.author", nil, "the map names no author")
	}
	if c.m.Info == nil || !strings.EqualFold(c.m.Info.License, "MIT") {
		c.add(foundKogLicense, "info.license", nil, "the license of the map is not MIT")
	}
}

// unique checks a map by the rules of Unique.
func (c *checker) unique() {
	cells := c.cellsOf(func(id twmap.GameTile) bool {
		switch id {
		case twmap.EntityShotgun, twmap.EntityNinja, twmap.EntityLaser, twmap.TileFreeze, twmap.TileUnfreeze, twmap.TileDeepFreeze,
			twmap.TileDeepUnfreeze, twmap.TileLiveFreeze, twmap.TileLiveUnfreeze, twmap.TileWallJump, twmap.TileEndlessHookEnable,
			twmap.TileEndlessHookDisable, twmap.TileEndlessHook, twmap.TileHitEnable, twmap.TileHitDisable, twmap.TileNoHit,
			twmap.TileSoloEnable, twmap.TileSoloDisable, twmap.TileRefillJumps, twmap.TileSpeeder, twmap.TileFastSpeeder,
			twmap.TileOldLaser, twmap.TileThrough:
			return true
		}
		return false
	})
	c.addCells(foundUniqueTile, twmap.KindGame, cells, "%s that no map of Unique has", count(len(cells), "tile"))
}
