package maprules

import (
	"slices"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Catalog lists the kinds of findings that rules report in addition to those of [twmap.Map.Check]. A warning is something that hardly
// any released map has.
var Catalog check.Catalog

var (
	foundStartSkip = Catalog.Add("tw-release-start-skipped", check.Warning,
		"Players can get past the start line without touching it.",
		"Close the gap in the line of start tiles.")
	foundNoStart = known("tw-map-race")
	foundFinish  = Catalog.Add("tw-release-finish-closed", check.Warning,
		"No way leads from a spawn to the finish.",
		"Open a way, or add the exit of a teleporter.")
	foundTimes      = known("tw-map-time-checkpoints")
	foundTimesOrder = Catalog.Add("tw-release-times-order", check.Info,
		"Players can get to a time checkpoint before one with a lower number.",
		"Number time checkpoints in the order of the race, unless the map has several ways.")
	foundNinja = Catalog.Add("tw-release-line-thin", check.Info,
		"The map has a ninja, with which players pass lines of start, finish, teleporter and freeze tiles that are one tile thick.",
		"Make these lines two tiles thick, or make sure that the ninja ends before.")
	foundSpawnsFew = Catalog.Add("tw-release-spawns-few", check.Warning,
		"Fewer than two spawns: players who enter at the same time appear inside each other.",
		"Add spawns, more than two tiles apart.")
	foundSpawnsGround = Catalog.Add("tw-release-spawn-ground", check.Info,
		"A spawn is directly on the ground.",
		"Move the spawn up by a tile or more.")
	foundSpawnDeath = Catalog.Add("tw-release-spawn-death", check.Warning,
		"A deadly tile is beside a spawn.",
		"Move the spawn or the deadly tile.")
	foundStartSmall = Catalog.Add("tw-release-start-small", check.Info,
		"The area before the start line has room for fewer than ten tees.",
		"Enlarge the start area.")
	foundFake = Catalog.Add("tw-release-tile-fake", check.Warning,
		"A place is air, but shows a tile that is solid, freezes, kills or teleports everywhere else in its layer.",
		"Add the missing tile to the game layer, or draw another one.")
	foundUnmarked = Catalog.Add("tw-release-unmarked", check.Warning,
		"Players come near to tiles that no design layer shows.",
		"Draw the tiles in a design layer.")
	foundUnmarkedGroup = Catalog.Add("tw-release-unmarked-group", check.Info,
		"Connected tiles with an effect have no mark in any design layer.",
		"Draw a mark at the tiles or beside them.")
	foundUnmarkedDetail = Catalog.Add("tw-release-unmarked-detail", check.Info,
		"Tiles are drawn only in layers of the high detail, which many players turn off.",
		"Turn off Detail for the layer.")
	foundNameTaken = Catalog.Add("tw-release-name-taken", check.Warning,
		"A released map has a name that differs only in case or punctuation.",
		"Give the map another name.")
	foundDummySetting = Catalog.Add("tw-release-dummy-deepfly", check.Warning,
		"A map for a dummy lacks the setting sv_deepfly 0.",
		"Add sv_deepfly 0, unless the map cannot be finished without.")
	foundDummyUnlock = Catalog.Add("tw-release-dummy-unlock", check.Warning,
		"A map for a dummy has no tile that unlocks the team, which players need before they kill the dummy.",
		"Add the tile unlock team (76).")
	foundRaceTile = Catalog.Add("tw-release-race-tile", check.Warning,
		"A race map has tiles other than those of a race.",
		"Remove the tiles, or release the map as another type.")
	foundSoloSetting = Catalog.Add("tw-release-solo-setting", check.Warning,
		"A solo map lacks the setting sv_solo_server 1.",
		"Add sv_solo_server 1.")
	foundSoloSpawn = Catalog.Add("tw-release-solo-spawn", check.Warning,
		"A solo map has not exactly one spawn, or its spawn is not on the ground.",
		"Leave one spawn, on the ground.")
	foundSoloExit = Catalog.Add("tw-release-solo-exit", check.Warning,
		"A solo map has several exits of a teleporter's number, or one that is not on the ground.",
		"Leave one exit of each number, on the ground.")
	foundTeleBlue = Catalog.Add("tw-release-tele-blue", check.Info,
		"Blue teleporters keep the movement and the hook of players.",
		"Use red teleporters (10, 63) unless the movement is wanted.")
	foundExitSingle = Catalog.Add("tw-release-exit-single", check.Info,
		"A number has a single exit, where players block each other.",
		"Add exits of the number.")
	foundExitGround = Catalog.Add("tw-release-exit-ground", check.Info,
		"Exits of teleporters are directly on the ground.",
		"Move the exits up by a tile or more.")
	foundSpam = Catalog.Add("tw-release-spam", check.Info,
		"A tile that turns something on is beside the one that turns it off, and players between them fill the chat.",
		"Leave room between the two tiles, or use one of them.")
	foundTeamForced = Catalog.Add("tw-release-team-forced", check.Info,
		"The map forces teams, or their size.",
		"Remove the setting sv_team unless the map needs it.")
	foundImageEmbedded = Catalog.Add("tw-release-image-embedded", check.Info,
		"An image is embedded, although every game has one of its name.",
		"Make the image external, if it is that of the game.")
	foundImageTwice = Catalog.Add("tw-release-image-twice", check.Info,
		"Several images have the same pixels.",
		"Use `trowel edit MAP -- merge-images`.").FixedBy("merge-images")
	foundImageExternal = known("tw-map-image-external")
	foundImageUnused   = known("tw-map-image-unused")
	foundEmpty         = Catalog.Add("tw-release-empty", check.Info,
		"A layer or group is empty.",
		"Use `trowel edit MAP -- remove-unused`.").FixedBy("remove-unused")
	foundEnvelopeUnused = known("tw-map-envelope-unused")
	foundImageSide      = Catalog.Add("tw-release-image-side", check.Info,
		"The side of an image is no power of two, which takes more memory and is less sharp.",
		"Make the sides 64, 128, 256, 512 or 1024 pixels long.")
	foundLayerLarge = Catalog.Add("tw-release-layer-large", check.Info,
		"The outer rows or columns of layers only repeat: the game draws them anyway.",
		"Use `trowel edit MAP -- shrink`.").FixedBy("shrink")
	foundHole = Catalog.Add("tw-release-hole", check.Warning,
		"Players see a place where nothing opaque is drawn.",
		"Enlarge the background: use a group with a parallax of 0, or larger quads.")
	foundNoSign = Catalog.Add("tw-release-no-sign", check.Info,
		"The design has texts or signs, but no tile tells players who see entities to turn them off.",
		"Add the tiles entities off (190, 191) where the design informs.")
	foundThroughNothing = Catalog.Add("tw-release-through-nothing", check.Info,
		"A hook-through tile of the front layer is over neither solid nor unhookable tiles.",
		"Remove the tile, or add the tile below.")
	foundTileOld = Catalog.Add("tw-release-tile-old", check.Info,
		"Tiles of old versions: hook-through (6), and boosters (28).",
		"Use their successors: `trowel edit MAP -- migrate-speedups` for boosters.")
	foundSpeedupIdle = Catalog.Add("tw-release-speedup-idle", check.Info,
		"Speedups have a force of 0.",
		"Give them a force, or remove them.")
	foundSettingRare = Catalog.Add("tw-release-setting", check.Info,
		"A setting restores the behaviour of old versions, or one that released maps do not have.",
		"Remove the setting unless the map needs it.")
	foundKogTile = Catalog.Add("tw-release-kog-tile", check.Warning,
		"A map for KoG lacks a spawn, a start or a finish.",
		"Add the tile.")
	foundKogQuest = Catalog.Add("tw-release-kog-quest", check.Warning,
		"The setting sv_kog_map_quests has a quest that KoG does not know.",
		"Use Q_NO_HAMMER, Q_NO_PLATFORM and Q_TEAM_15.")
	foundKogAuthor = Catalog.Add("tw-release-kog-author", check.Info,
		"A map for KoG names no author.",
		"Use `trowel edit MAP -- info --author NAME`.")
	foundKogLicense = Catalog.Add("tw-release-kog-license", check.Info,
		"The license of a map for KoG is not MIT.",
		"Use `trowel edit MAP -- info --license MIT`.")
	foundUniqueTile = Catalog.Add("tw-release-unique-tile", check.Warning,
		"A map for Unique has tiles that its races do not have.",
		"Remove the tiles.")
	foundUnread = Catalog.Add("tw-release-unread", check.Warning,
		"A part of the map that the rules are about cannot be read.",
		"Use `trowel repair MAP -o NEW`.")
	foundPerson = Catalog.Add("tw-release-person", check.Info,
		"No program can judge everything: this lists what a person must check.",
		"Play the map.")
)

// known returns a kind of package twmap.
func known(id string) *check.Kind {
	kinds := twmap.Catalog.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k *check.Kind) bool { return k.ID == id })]
}
