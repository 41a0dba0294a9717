package mapdraw

import (
	"image"
	"maps"
	"slices"
	"strconv"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// The signs of entities, drawn for Trowel and in the public domain (CC0 1.0). Colours show the subject of a tile and
// shapes its function; a red stroke means that the tile ends it. Signs that the game rotates point up when they are
// not rotated.

const (
	white = 0xffffffff
	dark  = 0x101018ff
	ink   = 0x181820d0
	no    = 0xe02020ff
	yes   = 0x30c040ff

	stone  = 0x86807aff // can be hooked
	steel  = 0x4a5a78ff // cannot be hooked
	deadly = 0xb01820ff
	icy    = 0x1c3c6ee0
	warm   = 0xd88a20d0
	violet = 0x7a3aa0c0
	blue   = 0x2858b8c0
	green  = 0x1f7a3cc0
	red    = 0xa02828c0
	gray   = 0x50505ac0
	teal   = 0x14707cc0
	pale   = 0xbfe6ffff
	gold   = 0xffd24aff
	laser  = 0x66e0ffff
)

// ownSigns returns the sheet of signs.
func ownSigns() *image.NRGBA {
	sheet := newSigns()
	table := signTable()
	ids := slices.Collect(maps.Keys(table))
	parallel.Each(len(ids), func(i int) { table[ids[i]](newPen(sheet, int(ids[i]))) })
	return sheet
}

func signTable() map[twmap.GameTile]func(*pen) {
	t := map[twmap.GameTile]func(*pen){
		twmap.TileSolid:      func(p *pen) { p.block(stone) },
		twmap.TileDeath:      func(p *pen) { p.block(deadly); p.skull() },
		twmap.TileNoHook:     func(p *pen) { p.block(steel); p.rivets() },
		twmap.TileNoLaser:    func(p *pen) { p.plate(gray); p.beam(); p.stroke() },
		twmap.TileThroughCut: func(p *pen) { p.checks(0x8a5ac8b0, 0, 8); p.hook(white) },
		twmap.TileThrough:    func(p *pen) { p.block(steel); p.checks(0xb48ae0c0, 0, 8); p.hook(white) },
		twmap.TileThroughAll: func(p *pen) { p.checks(0x8a5ac8b0, 0, 8); p.hook(white); p.tag("ALL") },
		twmap.TileThroughDirection: func(p *pen) {
			p.checks(0x606068b0, 0, 4)
			p.checks(0x8a5ac8b0, 4, 8)
			p.hook(white)
		},

		twmap.TileFreeze:       func(p *pen) { p.plate(icy); p.flake(32, 32, 22, pale) },
		twmap.TileUnfreeze:     func(p *pen) { p.plate(warm); p.sun() },
		twmap.TileDeepFreeze:   func(p *pen) { p.plate(0x0c1830f0); p.flake(32, 26, 19, pale); p.tag("DEEP") },
		twmap.TileDeepUnfreeze: func(p *pen) { p.plate(0xa85c08e0); p.sun(); p.tag("DEEP") },
		twmap.TileLiveFreeze:   func(p *pen) { p.plate(icy); p.flake(32, 26, 19, pale); p.tag("LIVE") },
		twmap.TileLiveUnfreeze: func(p *pen) { p.plate(warm); p.sun(); p.tag("LIVE") },

		twmap.TileTeleIn:               func(p *pen) { p.portal(blue, true); p.tag("IN") },
		twmap.TileTeleInEvil:           func(p *pen) { p.portal(red, true); p.tag("IN") },
		twmap.TileTeleOut:              func(p *pen) { p.portal(green, false); p.tag("OUT") },
		twmap.TileTeleCheckpoint:       func(p *pen) { p.plate(teal); p.flag(gold); p.tag("CHECK") },
		twmap.TileTeleCheckpointOut:    func(p *pen) { p.portal(teal, false); p.tag("CHECK") },
		twmap.TileTeleCheckpointIn:     func(p *pen) { p.portal(blue, true); p.tag("CHECK") },
		twmap.TileTeleCheckpointInEvil: func(p *pen) { p.portal(red, true); p.tag("CHECK") },
		twmap.TileTeleInWeapon:         func(p *pen) { p.portal(violet, true); p.tag("GUNS") },
		twmap.TileTeleInHook:           func(p *pen) { p.portal(violet, true); p.tag("HOOK") },

		twmap.TileWallJump:     func(p *pen) { p.plate(gray); p.rect(stone, 6, 6, 10, 52); p.arrow(white, 7, 20, 54, 50, 14) },
		twmap.TileRefillJumps:  func(p *pen) { p.plate(green); p.feather(); p.tag("REFILL") },
		twmap.TileJump:         func(p *pen) { p.plate(green); p.feather(); p.tag("JUMPS") },
		twmap.TileStart:        func(p *pen) { p.plate(0x1f9a3ca0); p.tag("START"); p.flag(yes) },
		twmap.TileFinish:       func(p *pen) { p.plate(0x303038a0); p.finish(); p.tag("FINISH") },
		twmap.TileStop:         func(p *pen) { p.bar(0); p.upwards() },
		twmap.TileStopBothWays: func(p *pen) { p.halt(); p.bar(0); p.bar(180) },
		twmap.TileStopAllWays:  func(p *pen) { p.halt(); p.bar(0); p.bar(90); p.bar(180); p.bar(270) },
		twmap.TileSpeeder:      func(p *pen) { p.chevrons(1) },
		twmap.TileFastSpeeder:  func(p *pen) { p.chevrons(2) },
		twmap.TileTune:         func(p *pen) { p.plate(0xb0b0b0c0); p.sliders() },
		twmap.TileOldLaser:     func(p *pen) { p.plate(gray); p.beam(); p.tag("OLD") },
		twmap.TileNoCollision:  func(p *pen) { p.plate(gray); p.pair(); p.stroke() },
		twmap.TileEndlessHook:  func(p *pen) { p.plate(teal); p.hook(white); p.tag("ENDLESS") },
		twmap.TileNoHit:        func(p *pen) { p.plate(gray); p.hammer(); p.stroke() },
		twmap.TileNoPlayerHook: func(p *pen) { p.plate(gray); p.hook(white); p.stroke() },
		twmap.TileUnlockTeam:   func(p *pen) { p.plate(green); p.pair(); p.tag("UNLOCK") },

		switchTimedOpenCell:        func(p *pen) { p.lever(yes); p.clock(); p.tag("OPEN") },
		twmap.TileSwitchTimedClose: func(p *pen) { p.lever(no); p.clock(); p.tag("CLOSE") },
		twmap.TileSwitchOpen:       func(p *pen) { p.lever(yes); p.tag("OPEN") },
		twmap.TileSwitchClose:      func(p *pen) { p.lever(no); p.tag("CLOSE") },
		twmap.TileAddTime:          func(p *pen) { p.plate(red); p.clock(); p.tag("+ TIME") },
		twmap.TileSubtractTime:     func(p *pen) { p.plate(green); p.clock(); p.tag("- TIME") },
		twmap.TileAllowTeleGun:     func(p *pen) { p.plate(green); p.gun(laser); p.tag("TELE") },
		twmap.TileAllowBlueTeleGun: func(p *pen) { p.plate(blue); p.gun(laser); p.tag("TELE") },
		twmap.TileEntitiesOff1:     func(p *pen) { p.plate(deadly); p.text(white, dark, "ENTI", 32, 32, 26, 58) },
		twmap.TileEntitiesOff2:     func(p *pen) { p.plate(deadly); p.text(white, dark, "TIES", 32, 32, 26, 58); p.stroke() },

		twmap.EntitySpawn:     func(p *pen) { p.plate(0x80808080); p.tee(0xe8b050ff); p.tag("SPAWN") },
		twmap.EntitySpawnRed:  func(p *pen) { p.plate(0x80808080); p.tee(0xe04040ff); p.tag("SPAWN") },
		twmap.EntitySpawnBlue: func(p *pen) { p.plate(0x80808080); p.tee(0x4070e0ff); p.tag("SPAWN") },
		twmap.EntityFlagRed:   func(p *pen) { p.plate(0x80808080); p.flag(0xe04040ff) },
		twmap.EntityFlagBlue:  func(p *pen) { p.plate(0x80808080); p.flag(0x4070e0ff) },
		twmap.EntityArmor:     func(p *pen) { p.shield(0xd0d0e0ff) },
		twmap.EntityHealth:    func(p *pen) { p.heart() },
		twmap.EntityDoor:      func(p *pen) { p.plate(gray); p.beams(); p.tag("DOOR") },
	}
	// Functions that can be switched on and off.
	for _, s := range []struct {
		on, off twmap.GameTile
		draw    func(p *pen)
	}{
		{twmap.TileEndlessHookEnable, twmap.TileEndlessHookDisable, func(p *pen) { p.hook(white); p.tag("ENDLESS") }},
		{twmap.TileHitEnable, twmap.TileHitDisable, func(p *pen) { p.hammer(); p.tag("HIT") }},
		{twmap.TileSoloEnable, twmap.TileSoloDisable, func(p *pen) { p.tee(0xe8b050ff); p.tag("SOLO") }},
		{twmap.TileCollisionEnable, twmap.TileCollisionDisable, func(p *pen) { p.pair(); p.tag("COLLIDE") }},
		{twmap.TileUnlimitedJumpsEnable, twmap.TileUnlimitedJumpsDisable, func(p *pen) { p.feather(); p.tag("SUPER") }},
		{twmap.TileJetpackEnable, twmap.TileJetpackDisable, func(p *pen) { p.gun(0xff9030ff); p.tag("JETPACK") }},
		{twmap.TilePlayerHookEnable, twmap.TilePlayerHookDisable, func(p *pen) { p.hook(white); p.tag("PLAYERS") }},
		{twmap.TileTeleGunEnable, twmap.TileTeleGunDisable, func(p *pen) { p.gun(laser); p.tag("T-GUN") }},
		{twmap.TileTeleGrenadeEnable, twmap.TileTeleGrenadeDisable, func(p *pen) { p.gun(0xe05050ff); p.tag("T-GREN") }},
		{twmap.TileTeleLaserEnable, twmap.TileTeleLaserDisable, func(p *pen) { p.gun(0x6080ffff); p.tag("T-LASER") }},
	} {
		t[s.on] = func(p *pen) { p.plate(green); s.draw(p) }
		t[s.off] = func(p *pen) { p.plate(red); s.draw(p); p.stroke() }
	}
	for id := twmap.TileTimeCheckpointFirst; id <= twmap.TileTimeCheckpointLast; id++ {
		number := strconv.Itoa(int(id-twmap.TileTimeCheckpointFirst) + 1)
		t[id] = func(p *pen) { p.plate(0x30303870); p.text(0xffffffc0, 0x101018c0, number, 32, 34, 34, 56) }
	}
	for i, weapon := range []string{"SHOTGUN", "GRENADE", "NINJA", "LASER"} {
		tint := [4]uint32{0xb07840ff, 0xe05050ff, 0x404048ff, 0x6080ffff}[i]
		t[twmap.EntityShotgun+twmap.GameTile(i)] = func(p *pen) { p.plate(0x80808080); p.gun(tint); p.tag(weapon) }
		t[twmap.EntityArmorShotgun+twmap.GameTile(i)] = func(p *pen) { p.shield(tint); p.stroke(); p.tag(weapon) }
	}
	speeds := []string{"SLOW", "", "FAST"}
	for i := range 3 {
		n := twmap.GameTile(i)
		t[twmap.EntityLaserFastCCW+n] = func(p *pen) { p.turning(false, speeds[2-i]) }
		t[twmap.EntityLaserSlowCW+n] = func(p *pen) { p.turning(true, speeds[i]) }
		t[twmap.EntityLaserShort+n] = func(p *pen) { p.plate(teal); p.length(i + 1) }
		t[twmap.EntityLaserCloseSlow+n] = func(p *pen) { p.plate(red); p.moving(false); p.tag(speeds[i]) }
		t[twmap.EntityLaserOpenSlow+n] = func(p *pen) { p.plate(green); p.moving(true); p.tag(speeds[i]) }
		t[twmap.EntityDraggerWeak+n] = func(p *pen) { p.plate(green); p.claw(i + 1) }
		t[twmap.EntityDraggerWeakNW+n] = func(p *pen) { p.plate(green); p.rect(stone, 4, 28, 56, 8); p.claw(i + 1) }
	}
	t[twmap.EntityLaserStop] = func(p *pen) { p.plate(teal); p.beam() }
	for i, what := range []string{"BOOM", "FREEZE", "BOTH", "UNFREEZE"} {
		t[twmap.EntityPlasmaExplosive+twmap.GameTile(i)] = func(p *pen) { p.plate(violet); p.turret(); p.tag(what) }
	}
	t[twmap.EntityCrazyShotgunEx] = func(p *pen) { p.plate(violet); p.burst(); p.bullet() }
	t[twmap.EntityCrazyShotgun] = func(p *pen) { p.plate(violet); p.bullet() }
	return t
}
