package twmap

// validTiles lists the tiles that DDNet supports, by kind of layer.
var validTiles = func() (valid [numKinds][256]bool) {
	add := func(ranges []GameTile, kinds ...Kind) {
		for i := 0; i < len(ranges); i += 2 {
			for t := int(ranges[i]); t <= int(ranges[i+1]); t++ {
				for _, k := range kinds {
					valid[k][t] = true
				}
			}
		}
	}
	add([]GameTile{0, 255}, KindTiles)
	add([]GameTile{
		TileAir, TileAir,
		TileDeath, TileDeath,
		TileNoLaser, TileThrough,
		TileFreeze, TileFreeze,
		TileUnfreeze, TileDeepUnfreeze,
		TileWallJump, TileSoloDisable,
		TileRefillJumps, TileStopAllWays,
		TileSpeeder, TileThroughDirection,
		TileOldLaser, TileUnlockTeam,
		TileCollisionDisable, TilePlayerHookDisable,
		TileTeleGunEnable, TileTeleGunDisable,
		TileCollisionEnable, TilePlayerHookEnable,
		TileTeleGrenadeEnable, TileTeleGrenadeDisable,
		TileTeleLaserEnable, TileTeleLaserDisable,
		TileLiveFreeze, TileLiveUnfreeze,
		TileEntitiesOff1, TileEntitiesOff2,
	}, KindGame, KindFront)
	add([]GameTile{TileSolid, TileSolid, TileNoHook, TileNoHook}, KindGame)
	add([]GameTile{TileAllowTeleGun, TileAllowBlueTeleGun}, KindFront, KindSwitch)
	add([]GameTile{
		TileAir, TileAir,
		TileTeleInEvil, TileTeleInEvil,
		TileTeleInWeapon, TileTeleInHook,
		TileTeleIn, TileTeleOut,
		TileTeleCheckpoint, TileTeleCheckpointIn,
		TileTeleCheckpointInEvil, TileTeleCheckpointInEvil,
	}, KindTele)
	add([]GameTile{TileAir, TileAir, TileSpeedupOld, TileSpeedup}, KindSpeedup)
	add([]GameTile{
		TileAir, TileAir,
		TileJump, TileJump,
		TileFreeze, TileFreeze,
		TileDeepFreeze, TileDeepUnfreeze,
		TileHitEnable, TileHitDisable,
		TileSwitchTimedOpen, TileSwitchClose,
		TileAddTime, TileAddTime,
		TileSubtractTime, TileSubtractTime,
		TileLiveFreeze, TileLiveUnfreeze,
	}, KindSwitch)
	add([]GameTile{TileAir, TileAir, TileTune, TileTune}, KindTune)
	for t := range 256 {
		if GameTile(t).Entity() {
			valid[KindGame][t], valid[KindFront][t] = true, true
			valid[KindSwitch][t] = GameTile(t) >= EntityArmor
		}
	}
	return valid
}()

// ValidTile reports whether DDNet supports tiles with the given id in layers of the given kind. All ids are valid in
// layers of KindTiles.
func ValidTile(kind Kind, id uint8) bool {
	return kind >= 0 && kind < numKinds && validTiles[kind][id]
}

// NeedsNumber reports whether a tile of a tele, switch or tune layer does nothing while its number is 0.
func NeedsNumber(kind Kind, id uint8) bool {
	t := GameTile(id)
	if t == TileAir || !ValidTile(kind, id) {
		return false
	}
	switch kind {
	case KindTele:
		return t != TileTeleCheckpointIn && t != TileTeleCheckpointInEvil
	case KindSwitch:
		return t >= TileSwitchTimedOpen && t <= TileSwitchClose
	case KindTune:
		return true
	}
	return false
}

// Unused reports whether the tile does nothing because a number that must not be 0 is 0. Old editors, other programs
// and wrong clicks leave such tiles.
func (t TeleTile) Unused() bool { return t.Number == 0 && NeedsNumber(KindTele, t.ID) }

// Unused is [TeleTile.Unused] for a tune tile.
func (t TuneTile) Unused() bool { return t.Number == 0 && NeedsNumber(KindTune, t.ID) }

// Unused is [TeleTile.Unused] for a speedup tile.
func (t SpeedupTile) Unused() bool {
	switch GameTile(t.ID) {
	case TileSpeedupOld:
		return t.Force == 0
	case TileSpeedup: // can slow down without a force
		return t.Force == 0 && t.MaxSpeed == 0
	}
	return false
}

// Unused is [TeleTile.Unused] for a switch tile.
func (t SwitchTile) Unused() bool {
	if t.Number != 0 {
		return false
	}
	switch GameTile(t.ID) {
	case TileFreeze, TileAddTime, TileSubtractTime: // zero time means never; number 0 is always on
		return t.Delay == 0
	}
	return NeedsNumber(KindSwitch, t.ID)
}
