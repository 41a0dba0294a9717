package twmap

// TileDoes returns a short description of what a tile with the given id does in a layer of the given kind, or "" if
// there is none.
func TileDoes(kind Kind, id uint8) string {
	t := GameTile(id)
	switch {
	case t == TileAir || kind == KindTiles || kind.infclass():
		return ""
	case !ValidTile(kind, id) && !(t <= TileNoHook && kind == KindGame):
		if _, named := tileName(kind, t); named && kind <= KindFront {
			return gameTileDoes[t]
		}
		return "nothing in DDNet"
	}
	switch kind {
	case KindTele:
		return teleTileDoes[t]
	case KindSpeedup:
		return "pushes players in its direction"
	case KindSwitch:
		if does := switchTileDoes[t]; does != "" {
			return does
		}
		if t >= entityBase {
			return gameTileDoes[t] + ", while the switch is on"
		}
	case KindTune:
		return "players here have the physics of the zone of this number"
	}
	if t >= TileTimeCheckpointFirst && t <= TileTimeCheckpointLast {
		return "shows how far ahead of the best time the player is"
	}
	return gameTileDoes[t]
}

var teleTileDoes = map[GameTile]string{
	TileTeleIn:               "teleports players to an exit of its number; they keep speed and hook",
	TileTeleInEvil:           "teleports players to an exit of its number; they lose speed and hook",
	TileTeleInWeapon:         "teleports shots to an exit of its number",
	TileTeleInHook:           "teleports hooks to an exit of its number",
	TileTeleOut:              "is an exit for the entries of its number",
	TileTeleCheckpoint:       "becomes the checkpoint of players who touch it",
	TileTeleCheckpointOut:    "is the exit for players whose last checkpoint has its number",
	TileTeleCheckpointIn:     "teleports players to the exit of their last checkpoint; they keep speed and hook",
	TileTeleCheckpointInEvil: "teleports players to the exit of their last checkpoint; they lose speed and hook",
}

var switchTileDoes = map[GameTile]string{
	TileJump:             "gives players the number of jumps in its delay",
	TileFreeze:           "freezes players for the seconds of its delay, while the switch is on",
	TileDeepFreeze:       "freezes players until they are unfrozen, while the switch is on",
	TileDeepUnfreeze:     "ends deep freeze, while the switch is on",
	TileHitEnable:        "lets players hit others with the weapon of its delay",
	TileHitDisable:       "players cannot hit others with the weapon of its delay",
	TileSwitchTimedOpen:  "turns the switch on for the seconds of its delay: doors are closed",
	TileSwitchTimedClose: "turns the switch off for the seconds of its delay: doors are open",
	TileSwitchOpen:       "turns the switch on: doors are closed",
	TileSwitchClose:      "turns the switch off: doors are open",
	TileAddTime:          "adds the minutes of its delay and the seconds of its number to the time of a player",
	TileSubtractTime:     "subtracts the minutes of its delay and the seconds of its number from the time of a player",
	TileLiveFreeze:       "players cannot move but hang on, while the switch is on",
	TileLiveUnfreeze:     "ends live freeze, while the switch is on",
}

var gameTileDoes = func() map[GameTile]string {
	does := map[GameTile]string{
		TileSolid: "is a wall that hooks hold on", TileDeath: "kills", TileNoHook: "is a wall that no hook holds on",
		TileNoLaser:    "stops spinning lasers and draggers",
		TileThroughCut: "hooks pass the wall behind it, and what is hooked from there is cut off",
		TileThrough:    "hooks pass the wall here", TileFreeze: "freezes players for some seconds", TileUnfreeze: "ends freeze",
		TileDeepFreeze: "freezes players until they are unfrozen", TileDeepUnfreeze: "ends deep freeze",
		TileWallJump: "lets players jump at the wall", TileEndlessHookEnable: "hooks of players have no time limit from here on",
		TileEndlessHookDisable: "hooks of players have a time limit again from here on",
		TileHitEnable:          "players can hit others again from here on",
		TileHitDisable:         "players cannot hit others from here on", TileSoloEnable: "players do not interact with others from here on",
		TileSoloDisable: "players interact with others again", TileRefillJumps: "restores all jumps of players",
		TileStart: "the time of a run begins", TileFinish: "the time of a run ends",
		TileStop: "lets players pass in one direction only", TileStopBothWays: "stops players from two sides",
		TileStopAllWays: "stops players from all sides",
		TileSpeeder:     "moves pickups and spinning lasers in its direction",
		TileFastSpeeder: "moves pickups and spinning lasers in its direction, fast",
		TileThroughAll:  "hooks pass the wall from all sides", TileThroughDirection: "hooks pass the wall from one side",
		TileOldLaser:    "anywhere in the map: lasers work as they did in old versions",
		TileNoCollision: "anywhere in the map: players pass through each other",
		TileEndlessHook: "anywhere in the map: hooks have no time limit", TileNoHit: "anywhere in the map: players cannot hit others",
		TileNoPlayerHook: "anywhere in the map: players cannot be hooked", TileUnlockTeam: "players may leave a team that is locked",
		TileCollisionDisable:      "players do not collide with others from here on",
		TileCollisionEnable:       "players collide with others again from here on",
		TileUnlimitedJumpsDisable: "players have a limited number of jumps again from here on",
		TileUnlimitedJumpsEnable:  "players have unlimited jumps from here on",
		TileJetpackDisable:        "takes the jetpack away", TileJetpackEnable: "makes the pistol a jetpack",
		TilePlayerHookDisable: "players cannot hook others from here on", TilePlayerHookEnable: "players can hook others again from here on",
		TileTeleGunEnable: "shots of the pistol teleport the shooter", TileTeleGunDisable: "shots of the pistol no longer teleport",
		TileAllowTeleGun:      "tele guns may lead here; players lose their speed",
		TileAllowBlueTeleGun:  "tele guns may lead here; players keep their speed",
		TileTeleGrenadeEnable: "grenades teleport the shooter", TileTeleGrenadeDisable: "grenades no longer teleport",
		TileTeleLaserEnable: "the laser teleports the shooter", TileTeleLaserDisable: "the laser no longer teleports",
		TileLiveFreeze: "players cannot move but hang on", TileLiveUnfreeze: "ends live freeze",
		TileEntitiesOff1: "is a sign: the view of entities is not allowed", TileEntitiesOff2: "is a sign: the view of entities is not allowed",

		EntitySpawn: "players begin here", EntitySpawnRed: "players of the red team begin here",
		EntitySpawnBlue: "players of the blue team begin here",
		EntityFlagRed:   "is the place of the red flag", EntityFlagBlue: "is the place of the blue flag",
		EntityArmor: "gives armor; in DDNet it takes all weapons away", EntityHealth: "gives health; in DDNet it freezes",
		EntityShotgun: "gives the shotgun", EntityGrenade: "gives the grenade launcher", EntityNinja: "makes a ninja",
		EntityLaser:          "gives the laser",
		EntityLaserFastCCW:   "is the middle of a laser that spins to the left, fast",
		EntityLaserNormalCCW: "is the middle of a laser that spins to the left",
		EntityLaserSlowCCW:   "is the middle of a laser that spins to the left, slowly",
		EntityLaserStop:      "is the middle of a laser that does not spin",
		EntityLaserSlowCW:    "is the middle of a laser that spins to the right, slowly",
		EntityLaserNormalCW:  "is the middle of a laser that spins to the right",
		EntityLaserFastCW:    "is the middle of a laser that spins to the right, fast",
		EntityLaserShort:     "makes the adjacent laser or door 3 tiles long", EntityLaserMedium: "makes the adjacent laser or door 6 tiles long",
		EntityLaserLong:      "makes the adjacent laser or door 9 tiles long",
		EntityLaserCloseSlow: "the adjacent laser becomes shorter, slowly", EntityLaserCloseNormal: "the adjacent laser becomes shorter",
		EntityLaserCloseFast: "the adjacent laser becomes shorter, fast", EntityLaserOpenSlow: "the adjacent laser becomes longer, slowly",
		EntityLaserOpenNormal: "the adjacent laser becomes longer", EntityLaserOpenFast: "the adjacent laser becomes longer, fast",
		EntityPlasmaExplosive: "shoots plasma that explodes", EntityPlasmaFreeze: "shoots plasma that freezes",
		EntityPlasma: "shoots plasma that freezes and explodes", EntityPlasmaUnfreeze: "shoots plasma that ends freeze",
		EntityCrazyShotgunEx: "sends out a ball that bounces, freezes and explodes",
		EntityCrazyShotgun:   "sends out a ball that bounces and freezes",
		EntityArmorShotgun:   "takes the shotgun away", EntityArmorGrenade: "takes the grenade launcher away",
		EntityArmorNinja: "takes the ninja away", EntityArmorLaser: "takes the laser away",
		EntityDraggerWeak: "pulls players to it, weakly", EntityDraggerNormal: "pulls players to it",
		EntityDraggerStrong: "pulls players to it, strongly",
		EntityDraggerWeakNW: "pulls players to it through walls, weakly", EntityDraggerNormalNW: "pulls players to it through walls",
		EntityDraggerStrongNW: "pulls players to it through walls, strongly",
		EntityDoor:            "is the end of a door, whose length the adjacent tile sets",
	}
	does[entityBase+28] = "is accepted, and does nothing"
	for _, t := range []GameTile{140, 141, 142, 143, 156, 157, 158, 159} {
		does[t] = "shows the game's authors, and does nothing"
	}
	return does
}()
