package twmap

import "fmt"

// GameTile is the function of a tile in a physics layer (section "Game tiles"). Some numbers have different functions
// in different layers: see [TileName].
type GameTile uint8

// Tiles of the game and front layers. The first four and some entities are also in Teeworlds; the others are DDNet's.
const (
	TileAir                   GameTile = 0
	TileSolid                 GameTile = 1
	TileDeath                 GameTile = 2
	TileNoHook                GameTile = 3
	TileNoLaser               GameTile = 4
	TileThroughCut            GameTile = 5
	TileThrough               GameTile = 6
	TileFreeze                GameTile = 9
	TileUnfreeze              GameTile = 11
	TileDeepFreeze            GameTile = 12
	TileDeepUnfreeze          GameTile = 13
	TileWallJump              GameTile = 16
	TileEndlessHookEnable     GameTile = 17
	TileEndlessHookDisable    GameTile = 18
	TileHitEnable             GameTile = 19
	TileHitDisable            GameTile = 20
	TileSoloEnable            GameTile = 21
	TileSoloDisable           GameTile = 22
	TileRefillJumps           GameTile = 32
	TileStart                 GameTile = 33
	TileFinish                GameTile = 34
	TileTimeCheckpointFirst   GameTile = 35
	TileTimeCheckpointLast    GameTile = 59
	TileStop                  GameTile = 60
	TileStopBothWays          GameTile = 61
	TileStopAllWays           GameTile = 62
	TileSpeeder               GameTile = 64
	TileFastSpeeder           GameTile = 65
	TileThroughAll            GameTile = 66
	TileThroughDirection      GameTile = 67
	TileOldLaser              GameTile = 71
	TileNoCollision           GameTile = 72
	TileEndlessHook           GameTile = 73
	TileNoHit                 GameTile = 74
	TileNoPlayerHook          GameTile = 75
	TileUnlockTeam            GameTile = 76
	TileCollisionDisable      GameTile = 88
	TileUnlimitedJumpsDisable GameTile = 89
	TileJetpackDisable        GameTile = 90
	TilePlayerHookDisable     GameTile = 91
	TileTeleGunEnable         GameTile = 96
	TileTeleGunDisable        GameTile = 97
	TileCollisionEnable       GameTile = 104
	TileUnlimitedJumpsEnable  GameTile = 105
	TileJetpackEnable         GameTile = 106
	TilePlayerHookEnable      GameTile = 107
	TileTeleGrenadeEnable     GameTile = 112
	TileTeleGrenadeDisable    GameTile = 113
	TileTeleLaserEnable       GameTile = 128
	TileTeleLaserDisable      GameTile = 129
	TileLiveFreeze            GameTile = 144
	TileLiveUnfreeze          GameTile = 145
	TileEntitiesOff1          GameTile = 190
	TileEntitiesOff2          GameTile = 191
)

// Tiles of tele layers.
const (
	TileTeleInEvil           GameTile = 10
	TileTeleInWeapon         GameTile = 14
	TileTeleInHook           GameTile = 15
	TileTeleIn               GameTile = 26
	TileTeleOut              GameTile = 27
	TileTeleCheckpoint       GameTile = 29
	TileTeleCheckpointOut    GameTile = 30
	TileTeleCheckpointIn     GameTile = 31
	TileTeleCheckpointInEvil GameTile = 63
)

// Tiles of speedup layers.
const (
	TileSpeedupOld GameTile = 28
	TileSpeedup    GameTile = 29
)

// Tiles of switch layers, in addition to freeze, hit and the entities from armor on.
const (
	TileJump             GameTile = 7
	TileSwitchTimedOpen  GameTile = 22
	TileSwitchTimedClose GameTile = 23
	TileSwitchOpen       GameTile = 24
	TileSwitchClose      GameTile = 25
	TileAddTime          GameTile = 79
	TileSubtractTime     GameTile = 95
)

// Tiles of front and switch layers.
const (
	TileAllowTeleGun     GameTile = 98
	TileAllowBlueTeleGun GameTile = 99
)

// TileTune is the tile of tune layers.
const TileTune GameTile = 68

// Entities are objects that the game creates from tiles of the game, front and switch layers.
const (
	entityBase GameTile = 191

	EntitySpawn            = entityBase + 1
	EntitySpawnRed         = entityBase + 2
	EntitySpawnBlue        = entityBase + 3
	EntityFlagRed          = entityBase + 4
	EntityFlagBlue         = entityBase + 5
	EntityArmor            = entityBase + 6
	EntityHealth           = entityBase + 7
	EntityShotgun          = entityBase + 8
	EntityGrenade          = entityBase + 9
	EntityNinja            = entityBase + 10
	EntityLaser            = entityBase + 11
	EntityLaserFastCCW     = entityBase + 12
	EntityLaserNormalCCW   = entityBase + 13
	EntityLaserSlowCCW     = entityBase + 14
	EntityLaserStop        = entityBase + 15
	EntityLaserSlowCW      = entityBase + 16
	EntityLaserNormalCW    = entityBase + 17
	EntityLaserFastCW      = entityBase + 18
	EntityLaserShort       = entityBase + 19
	EntityLaserMedium      = entityBase + 20
	EntityLaserLong        = entityBase + 21
	EntityLaserCloseSlow   = entityBase + 22
	EntityLaserCloseNormal = entityBase + 23
	EntityLaserCloseFast   = entityBase + 24
	EntityLaserOpenSlow    = entityBase + 25
	EntityLaserOpenNormal  = entityBase + 26
	EntityLaserOpenFast    = entityBase + 27
	EntityPlasmaExplosive  = entityBase + 29
	EntityPlasmaFreeze     = entityBase + 30
	EntityPlasma           = entityBase + 31
	EntityPlasmaUnfreeze   = entityBase + 32
	EntityCrazyShotgunEx   = entityBase + 33
	EntityCrazyShotgun     = entityBase + 34
	EntityArmorShotgun     = entityBase + 35
	EntityArmorGrenade     = entityBase + 36
	EntityArmorNinja       = entityBase + 37
	EntityArmorLaser       = entityBase + 38
	EntityDraggerWeak      = entityBase + 42
	EntityDraggerNormal    = entityBase + 43
	EntityDraggerStrong    = entityBase + 44
	EntityDraggerWeakNW    = entityBase + 45
	EntityDraggerNormalNW  = entityBase + 46
	EntityDraggerStrongNW  = entityBase + 47
	EntityDoor             = entityBase + 49
)

// gameTileNames are the names of the tiles of game and front layers, and of the tiles that other layers share with
// them.
var gameTileNames = map[GameTile]string{
	TileAir: "air", TileSolid: "solid", TileDeath: "death", TileNoHook: "nohook", TileNoLaser: "nolaser",
	TileThroughCut: "through cut", TileThrough: "through", TileFreeze: "freeze", TileUnfreeze: "unfreeze",
	TileDeepFreeze: "deep freeze", TileDeepUnfreeze: "deep unfreeze", TileWallJump: "walljump",
	TileEndlessHookEnable: "endless hook on", TileEndlessHookDisable: "endless hook off",
	TileHitEnable: "hit on", TileHitDisable: "hit off", TileSoloEnable: "solo on", TileSoloDisable: "solo off",
	TileRefillJumps: "refill jumps", TileStart: "start", TileFinish: "finish",
	TileStop: "stopper", TileStopBothWays: "stopper both ways", TileStopAllWays: "stopper all ways",
	TileSpeeder: "speeder", TileFastSpeeder: "fast speeder",
	TileThroughAll: "through all", TileThroughDirection: "through direction", TileOldLaser: "old laser",
	TileNoCollision: "no collision", TileEndlessHook: "endless hook", TileNoHit: "no hit", TileNoPlayerHook: "no player hook",
	TileUnlockTeam: "unlock team", TileCollisionDisable: "collision off", TileUnlimitedJumpsDisable: "unlimited jumps off",
	TileJetpackDisable: "jetpack off", TilePlayerHookDisable: "player hook off",
	TileTeleGunEnable: "tele gun on", TileTeleGunDisable: "tele gun off",
	TileAllowTeleGun: "allow tele gun", TileAllowBlueTeleGun: "allow blue tele gun",
	TileCollisionEnable: "collision on", TileUnlimitedJumpsEnable: "unlimited jumps on",
	TileJetpackEnable: "jetpack on", TilePlayerHookEnable: "player hook on",
	TileTeleGrenadeEnable: "tele grenade on", TileTeleGrenadeDisable: "tele grenade off",
	TileTeleLaserEnable: "tele laser on", TileTeleLaserDisable: "tele laser off",
	TileLiveFreeze: "live freeze", TileLiveUnfreeze: "live unfreeze",
	140: "credits 1", 141: "credits 2", 142: "credits 3", 143: "credits 4",
	156: "credits 5", 157: "credits 6", 158: "credits 7", 159: "credits 8",
	TileEntitiesOff1: "entities off 1", TileEntitiesOff2: "entities off 2",

	EntitySpawn: "entity: spawn", EntitySpawnRed: "entity: red spawn", EntitySpawnBlue: "entity: blue spawn",
	EntityFlagRed: "entity: red flag", EntityFlagBlue: "entity: blue flag",
	EntityArmor: "entity: armor", EntityHealth: "entity: health", EntityShotgun: "entity: shotgun",
	EntityGrenade: "entity: grenade", EntityNinja: "entity: ninja", EntityLaser: "entity: laser",
	EntityLaserFastCCW: "entity: laser fast ccw", EntityLaserNormalCCW: "entity: laser normal ccw",
	EntityLaserSlowCCW: "entity: laser slow ccw",
	EntityLaserStop:    "entity: laser stop",
	EntityLaserSlowCW:  "entity: laser slow cw", EntityLaserNormalCW: "entity: laser normal cw", EntityLaserFastCW: "entity: laser fast cw",
	EntityLaserShort: "entity: laser short", EntityLaserMedium: "entity: laser medium", EntityLaserLong: "entity: laser long",
	EntityLaserCloseSlow: "entity: laser close slow", EntityLaserCloseNormal: "entity: laser close normal",
	EntityLaserCloseFast: "entity: laser close fast",
	EntityLaserOpenSlow:  "entity: laser open slow", EntityLaserOpenNormal: "entity: laser open normal",
	EntityLaserOpenFast:   "entity: laser open fast",
	EntityPlasmaExplosive: "entity: explosive plasma", EntityPlasmaFreeze: "entity: freezing plasma",
	EntityPlasma: "entity: freezing explosive plasma", EntityPlasmaUnfreeze: "entity: unfreezing plasma",
	EntityCrazyShotgunEx: "entity: explosive crazy shotgun", EntityCrazyShotgun: "entity: crazy shotgun",
	EntityArmorShotgun: "entity: shotgun shield", EntityArmorGrenade: "entity: grenade shield",
	EntityArmorNinja: "entity: ninja shield", EntityArmorLaser: "entity: laser shield",
	EntityDraggerWeak: "entity: weak dragger", EntityDraggerNormal: "entity: normal dragger", EntityDraggerStrong: "entity: strong dragger",
	EntityDraggerWeakNW: "entity: weak dragger through walls", EntityDraggerNormalNW: "entity: normal dragger through walls",
	EntityDraggerStrongNW: "entity: strong dragger through walls",
	EntityDoor:            "entity: door",
}

var teleTileNames = map[GameTile]string{
	TileTeleInEvil: "evil tele in", TileTeleInWeapon: "weapon tele in", TileTeleInHook: "hook tele in",
	TileTeleIn: "tele in", TileTeleOut: "tele out",
	TileTeleCheckpoint: "tele checkpoint", TileTeleCheckpointOut: "checkpoint tele out",
	TileTeleCheckpointIn: "checkpoint tele in", TileTeleCheckpointInEvil: "evil checkpoint tele in",
}

var speedupTileNames = map[GameTile]string{TileSpeedupOld: "old speedup", TileSpeedup: "speedup"}

var switchTileNames = map[GameTile]string{
	TileJump: "jump", TileSwitchTimedOpen: "timed open", TileSwitchTimedClose: "timed close",
	TileSwitchOpen: "open", TileSwitchClose: "close", TileAddTime: "add time", TileSubtractTime: "subtract time",
}

var tuneTileNames = map[GameTile]string{TileTune: "tune"}

// String returns the name of the tile in the game layer, or otherwise in the layer that it belongs to.
func (t GameTile) String() string {
	for _, kind := range []Kind{KindGame, KindTele, KindSpeedup, KindSwitch, KindTune} {
		if name, ok := tileName(kind, t); ok {
			return name
		}
	}
	return fmt.Sprintf("tile %d", uint8(t))
}

// TileName returns the name of the tile with the given id in a layer of the given kind. In a layer of KindTiles the
// name is a number.
func TileName(kind Kind, id uint8) string {
	if name, ok := tileName(kind, GameTile(id)); ok {
		return name
	}
	return fmt.Sprintf("tile %d", id)
}

func tileName(kind Kind, t GameTile) (name string, ok bool) {
	switch kind {
	case KindTiles:
		return "", false
	case KindTele:
		name, ok = teleTileNames[t]
	case KindSpeedup:
		name, ok = speedupTileNames[t]
	case KindSwitch:
		if name, ok = switchTileNames[t]; !ok && ValidTile(KindSwitch, uint8(t)) {
			name, ok = gameTileNames[t]
		}
	case KindTune:
		name, ok = tuneTileNames[t]
	default:
		if t >= TileTimeCheckpointFirst && t <= TileTimeCheckpointLast {
			return fmt.Sprintf("time checkpoint %d", t-TileTimeCheckpointFirst+1), true
		}
		name, ok = gameTileNames[t]
	}
	if t == TileAir {
		return "air", true
	}
	return name, ok
}

// Spawn reports whether players begin at the tile.
func (t GameTile) Spawn() bool { return t >= EntitySpawn && t <= EntitySpawnBlue }

// Entity reports whether the game creates an entity from the tile.
func (t GameTile) Entity() bool {
	return t >= EntitySpawn && t <= EntityArmorLaser || t >= EntityDraggerWeak && t <= EntityDraggerStrongNW || t == EntityDoor
}

// Rotatable reports whether rotating the tile changes its function.
func (t GameTile) Rotatable() bool {
	switch t {
	case TileStop, TileStopBothWays, TileSpeeder, TileFastSpeeder, TileThroughDirection,
		TileEntitiesOff1, TileEntitiesOff2, EntityCrazyShotgunEx, EntityCrazyShotgun:
		return true
	}
	return t >= EntityArmor && t <= EntityLaser || t >= EntityArmorShotgun && t <= EntityArmorLaser
}
