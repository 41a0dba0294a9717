package twmap

import "trowel.example/check"

// Catalog lists the kinds of findings that Check can report: first what the current DDNet refuses, then the parts of
// a map. An error is something that the game refuses, drops or leaves undrawn; a warning is something that works, but
// not as intended; the rest is information.
var Catalog check.Catalog

// Things that DDNet's loader refuses.
var (
	foundVersion = Catalog.Add("tw-map-version", check.Error,
		"The map version item with id 0 does not say version 1.",
		"Set the version to 1; if the file is no map at all, leave it alone.")
	foundNoVersion = Catalog.Add("tw-map-no-version", check.Error,
		"The datafile has no map version item: it is a map of 2007, which no game of today reads, or no map at all.",
		"Extract it as a datafile to see what it holds.")
	foundGroupTruncated = Catalog.Add("tw-map-group-truncated", check.Error,
		"A group lacks integers that every version of it has.",
		"Extract, delete .trowel.json, pack: the group is written whole.")
	foundGroupLayers = Catalog.Add("tw-map-group-layers", check.Error,
		"A group claims layers that the map does not have.",
		"Extract, delete .trowel.json, pack: groups then claim the layers that are there.")
	foundLayerShared = Catalog.Add("tw-map-layer-shared", check.Error,
		"A layer belongs to two groups.",
		"Extract, delete .trowel.json, pack: the layer stays in the first of the groups.")
	foundLayerTruncated = Catalog.Add("tw-map-layer-truncated", check.Error,
		"A layer lacks integers that its type and version have.",
		"Extract, delete .trowel.json, pack: the layer is written whole.")
	foundPhysicsTruncated = Catalog.Add("tw-map-physics-truncated", check.Error,
		"A physics layer ends before the integer that leads to its own tiles.",
		"Delete the layer, or take it from a good copy: its tiles are lost.")
	foundTilemapVersion = Catalog.Add("tw-map-tilemap-version", check.Error,
		"A tile layer has a version that the game does not read.",
		"Give the layer version 3.")
	foundTilemapFlags = Catalog.Add("tw-map-tilemap-flags", check.Error,
		"A tile layer says that it is of several physics kinds at once.",
		"Decide what kind of layer it is; extract and pack takes the first.")
	foundTilemapName = Catalog.Add("tw-map-tilemap-name", check.Error,
		"The name of a tile layer is not valid UTF-8.",
		"Give the layer a name.")
	foundModel = Catalog.Add("tw-map-model", check.Error,
		"A program made a map with a part that is nil, or with a tile layer without cells. No file is such a map.",
		"Make the parts with the functions of package twmap that are there for it.")
	foundLayerSize = Catalog.Add("tw-map-layer-size", check.Error,
		"A tile layer is less than two tiles wide or high, or larger than can be counted.",
		"Give the layer a size, or delete it.")
	foundLayerColor = Catalog.Add("tw-map-layer-color", check.Error,
		"A colour component of a tile layer is not between 0 and 255.",
		"Give the layer a colour.")
	foundNoGameLayer = Catalog.Add("tw-map-no-game-layer", check.Error,
		"The map has no game layer in any group.",
		"Add a game layer.")
	foundTilesIndex = Catalog.Add("tw-map-tiles-index", check.Error,
		"A tile layer refers to a data block that does not exist.",
		"Delete the layer, or take it from a good copy: its tiles are lost.")
	foundTilesShared = Catalog.Add("tw-map-tiles-shared", check.Error,
		"Two tile layers have their tiles in the same data block.",
		"Extract, delete .trowel.json, pack: each gets tiles of its own.")
	foundPhysicsSmall = Catalog.Add("tw-map-physics-small", check.Error,
		"A physics layer has fewer tiles than the game layer.",
		"Make the layer as wide and as high as the game layer.")
	foundTilesPacked = Catalog.Add("tw-map-tiles-packed", check.Error,
		"A physics layer of DDNet has tilemap version 4, whose compressed tiles only tiles and game layers can have.",
		"Give the layer version 3.")
	foundTilesForm = Catalog.Add("tw-map-tiles-form", check.Error,
		"A tile layer has tilemap version 4, the compressed tiles of Teeworlds 0.7, in a map of DDNet or Teeworlds 0.6.",
		"Give the layer version 3, as convert --to ddnet does. If it came from a map of Teeworlds 0.7, paste it again: append and paste-group convert its tiles.")
	foundTilesUnreadable = Catalog.Add("tw-map-tiles-unreadable", check.Error,
		"The data block with the tiles of a layer cannot be inflated.",
		"Take the layer from a good copy; extract keeps what could be read.")
	foundTilesShort = Catalog.Add("tw-map-tiles-short", check.Error,
		"A tile layer has fewer tiles than its width and height say.",
		"Extract, correct the size or the tiles, pack: missing tiles become air.")
	foundTilesSurplus = Catalog.Add("tw-map-tiles-surplus", check.Error,
		"A layer with compressed tiles has more of them than its width and height say.",
		"Extract, delete .trowel.json, pack: what is too much is left out.")
	foundTileReserved = Catalog.Add("tw-map-tile-reserved", check.Error,
		"Tiles have a value in a byte that must be 0.",
		"Set the skip and reserved bytes of these tiles to 0.")
)

// Texts, settings and items.
var (
	foundText = Catalog.Add("tw-map-text", check.Error,
		"A text does not end in NUL, has a NUL inside or is not valid UTF-8, so that the game does not read it.",
		"Write the text anew.")
	foundTextLong = Catalog.Add("tw-map-text-long", check.Warning,
		"A text is longer than the game and its editor have room for, and will be cut.",
		"Shorten the text.")
	foundName = Catalog.Add("tw-map-name", check.Warning,
		"The name of a group, layer or envelope is not valid UTF-8.",
		"Write the name anew.")
	foundNameLong = Catalog.Add("tw-map-name-long", check.Warning,
		"The name of a group, layer or envelope is longer than the file has room for, and will be cut.",
		"Shorten the name to 11 bytes, that of an envelope to 31.")
	foundNameUnsafe = Catalog.Add("tw-map-name-unsafe", check.Warning,
		"The name of an image or sound cannot be the name of a file on every system.",
		"Rename the image or sound.")
	foundInfoVersion = Catalog.Add("tw-map-info-version", check.Warning,
		"The info item does not have version 1, so that the game does not run the settings.",
		"Extract, delete .trowel.json, pack.")
	foundSettingLong = Catalog.Add("tw-map-setting-long", check.Warning,
		"A setting has more than 255 bytes, and the editor will cut it.",
		"Shorten the line.")
	foundSettingUnknown = Catalog.Add("tw-map-setting-unknown", check.Warning,
		"A setting is no command of DDNet's server, or tunes something that cannot be tuned.",
		"Correct the spelling, or delete the line.")
	foundSettingOther = Catalog.Add("tw-map-setting-other", check.Info,
		"Settings are none of DDNet's, but look like those of other servers such as KoG, F-DDrace and DDNet++.",
		"Nothing if the map is for such a server; else delete the lines.")
	foundSettingRefused = Catalog.Add("tw-map-setting-refused", check.Warning,
		"A setting is a command that the server does not let maps run.",
		"Delete the line; ask whoever runs the server to set it there.")
	foundDataIndex = Catalog.Add("tw-map-data-index", check.Error,
		"A text, image, sound, quads layer or sounds layer refers to a data block that does not exist.",
		"Take the part named from a good copy: its content is lost.")
	foundDataEmpty = Catalog.Add("tw-map-data-empty", check.Warning,
		"A layer without quads or sound sources refers to an empty data block, which DDNet cannot read and its tools die of.",
		"Extract, delete .trowel.json, pack: the block gets one zeroed element that nobody counts.")
	foundItemShort = Catalog.Add("tw-map-item-short", check.Warning,
		"An item lacks integers that its version has; the game reads beyond its end.",
		"Extract, delete .trowel.json, pack: the item is written whole.")
	foundItemLong = Catalog.Add("tw-map-item-long", check.Info,
		"An item has more integers than its version has.",
		"Nothing: readers ignore them. Packing without the sidecar drops them.")
	foundItemVersion = Catalog.Add("tw-map-item-version", check.Warning,
		"An item has a version that nobody has ever defined.",
		"Check what wrote the map; what the version adds is kept but not understood.")
	foundItemSurplus = Catalog.Add("tw-map-item-surplus", check.Warning,
		"The map has a second item of a type of which the game reads only the first.",
		"Extract and delete the surplus item.")
	foundItemUnknown = Catalog.Add("tw-map-item-unknown", check.Info,
		"The map has items of a type that nobody knows, as modified games write them.",
		"Nothing: they are kept.")
	foundUUIDIndex = Catalog.Add("tw-map-uuid-index", check.Info,
		"An entry of the UUID index is broken or names a type that has no items.",
		"Nothing: readers ignore it.")
	foundGroupEx = Catalog.Add("tw-map-group-ex", check.Info,
		"A group has a parallax zoom, which DDNet wrote from August 2022 to October 2023 and no longer reads.",
		"Nothing: today's game ignores it.")
	foundOtherGame = Catalog.Add("tw-map-other-game", check.Info,
		"The map is for another game on the engine, which gives its own meaning to layers, images or items.",
		"Nothing: what is named is kept and not checked.")
	foundTeeworlds = Catalog.Add("tw-map-teeworlds", check.Info,
		"The map is in the form of Teeworlds 0.7 but has things that only DDNet knows.",
		"Nothing if it is for DDNet; Teeworlds ignores what is named.")
)

// Images and sounds.
var (
	foundAmount = Catalog.Add("tw-map-amount", check.Warning,
		"The map has more images, sounds, envelopes, groups or layers than the game takes.",
		"Delete some: the game ignores images and sounds behind the 64th.")
	foundImageExternal = Catalog.Add("tw-map-image-external", check.Warning,
		"An external image is not among those that every installation has.",
		"Embed the image.")
	foundImageSize = Catalog.Add("tw-map-image-size", check.Error,
		"An embedded image has no width or no height.",
		"Embed the image anew.")
	foundImageData = Catalog.Add("tw-map-image-data", check.Error,
		"The data of an embedded image cannot be read or are not width times height pixels; the game drops the image.",
		"Embed the image anew.")
	foundImageRGB = Catalog.Add("tw-map-image-rgb", check.Warning,
		"An embedded image has pixels of three bytes, which only very old games read; today's drop the image.",
		"Extract and pack: the image gets pixels of four bytes when it is embedded anew.")
	foundImageVariant = Catalog.Add("tw-map-image-variant", check.Warning,
		"An image of version 2 is not marked as RGBA; today's games take it for an external one.",
		"Set its variant to 1, if it is not external anyway.")
	foundImageNot16 = Catalog.Add("tw-map-image-not16", check.Warning,
		"A tile layer uses an image whose width or height is not a multiple of 16, and the game cannot draw it.",
		"Scale the image so that 16 x 16 tiles fit, best to 1024 x 1024.")
	foundImageUnused = Catalog.Add("tw-map-image-unused", check.Info,
		"No layer uses these images.",
		"Delete them if nothing is planned with them: embedded ones make the map larger.")
	foundImageMissing = Catalog.Add("tw-map-image-missing", check.Warning,
		"A layer uses an image that the map does not have.",
		"Give the layer an image, or none.")
	foundSoundData = Catalog.Add("tw-map-sound-data", check.Error,
		"A sound cannot be read or is not an Opus file; the game does not play it.",
		"Convert the sound with opusenc and embed it anew.")
	foundSoundExternal = Catalog.Add("tw-map-sound-external", check.Warning,
		"A sound is external, but the game has no sounds to be used by maps.",
		"Embed the sound.")
	foundSoundUnused = Catalog.Add("tw-map-sound-unused", check.Info,
		"No layer plays these sounds.",
		"Delete them if nothing is planned with them: they make the map larger.")
	foundSoundMissing = Catalog.Add("tw-map-sound-missing", check.Warning,
		"A sounds layer plays a sound that the map does not have.",
		"Give the layer a sound, or none.")
)

// Envelopes.
var (
	foundEnvelopePoints = Catalog.Add("tw-map-envelope-points", check.Warning,
		"An envelope claims points that the map does not have, or the points' item has an odd size.",
		"Set the envelope's points anew; extract shows it without any.")
	foundEnvelopeChannels = Catalog.Add("tw-map-envelope-channels", check.Warning,
		"An envelope has neither 1, 3 nor 4 channels.",
		"Give the envelope one of the kinds sound, position and color.")
	foundEnvelopeCurve = Catalog.Add("tw-map-envelope-curve", check.Warning,
		"Points of an envelope have a curve that does not exist; the game takes it for linear.",
		"Give these points a curve.")
	foundEnvelopeOrder = Catalog.Add("tw-map-envelope-order", check.Warning,
		"The times of an envelope's points go back, and the game jumps there.",
		"Put the points in the order of their times.")
	foundEnvelopeBezier = Catalog.Add("tw-map-envelope-bezier", check.Warning,
		"Bezier curves have no tangents that the game reads, so that it draws them as straight lines.",
		"Set the tangents, or use another curve.")
	foundEnvelopeUnused = Catalog.Add("tw-map-envelope-unused", check.Info,
		"Nothing uses these envelopes.",
		"Delete them if nothing is planned with them.")
	foundEnvelopeMissing = Catalog.Add("tw-map-envelope-missing", check.Warning,
		"A layer, quad or sound source uses an envelope that the map does not have.",
		"Give it another envelope, or none.")
	foundEnvelopeNone = Catalog.Add("tw-map-envelope-none", check.Info,
		"A layer, quad or sound source says by a number below -1 that it has no envelope.",
		"Nothing: the game reads any number below 0 so.")
	foundEnvelopeKind = Catalog.Add("tw-map-envelope-kind", check.Warning,
		"A layer, quad or sound source uses an envelope of the wrong kind, such as one of colour for a position.",
		"Give it an envelope of the right kind.")
	foundNegative = Catalog.Add("tw-map-negative", check.Warning,
		"A time, delay or size is negative.",
		"Set it to 0 or more.")
)

// Groups and layers.
var (
	foundLayerOrphan = Catalog.Add("tw-map-layer-orphan", check.Warning,
		"A layer belongs to no group, so that the game does not see it.",
		"Extract and put it into a group, or delete it.")
	foundLayerUnknown = Catalog.Add("tw-map-layer-unknown", check.Warning,
		"A layer is of a type that nobody knows, and the game ignores it.",
		"Delete the layer, unless it belongs to a modified game.")
	foundLayerHuge = Catalog.Add("tw-map-layer-huge", check.Warning,
		"A tile layer has more than 67 million tiles, and is neither read nor checked.",
		"Make the layer smaller.")
	foundLayerFlags = Catalog.Add("tw-map-layer-flags", check.Warning,
		"A layer has flags that nobody has ever defined.",
		"Extract and correct the flags.")
	foundPhysicsDuplicate = Catalog.Add("tw-map-physics-duplicate", check.Warning,
		"The map has two physics layers of a kind, and the game uses the last only.",
		"Delete the one that is not used.")
	foundPhysicsGroup = Catalog.Add("tw-map-physics-group", check.Warning,
		"A physics layer lies in another group than the game layer.",
		"Move it into the Game group.")
	foundPhysicsShape = Catalog.Add("tw-map-physics-shape", check.Warning,
		"A physics layer has another width or height than the game layer, so that its tiles lie elsewhere.",
		"Make the layer as wide and as high as the game layer.")
	foundPhysicsName = Catalog.Add("tw-map-physics-name", check.Info,
		"A physics layer or the group of the game layer has another name than the game gives it.",
		"Nothing: the game ignores the name.")
	foundPhysicsLook = Catalog.Add("tw-map-physics-look", check.Info,
		"A physics layer has a colour, an image or the detail flag, which mean nothing there.",
		"Nothing: the game ignores them.")
	foundGameClip = Catalog.Add("tw-map-game-clip", check.Warning,
		"The group of the game layer is clipped, and the game ignores that.",
		"Switch clipping off.")
	foundGameParallax = Catalog.Add("tw-map-game-parallax", check.Warning,
		"The group of the game layer has a parallax other than 100, and the game ignores that.",
		"Set both to 100, and move what is for the eye into another group.")
	foundGameOffset = Catalog.Add("tw-map-game-offset", check.Warning,
		"The group of the game layer has an offset, and the game ignores that.",
		"Set both to 0, and move what is for the eye into another group.")
	foundQuadsData = Catalog.Add("tw-map-quads-data", check.Error,
		"The quads of a layer cannot be read, or are fewer than it says.",
		"Take the layer from a good copy; extract keeps what could be read.")
	foundSourcesData = Catalog.Add("tw-map-sources-data", check.Error,
		"The sources of a sounds layer cannot be read, or are fewer than it says.",
		"Take the layer from a good copy; extract keeps what could be read.")
	foundSoundsDeprecated = Catalog.Add("tw-map-sounds-deprecated", check.Info,
		"A sounds layer has the form of early 2015, which only DDNet reads.",
		"Load and save the map in the editor, or convert it, to have the form of today.")
	foundSoundSource = Catalog.Add("tw-map-sound-source", check.Warning,
		"A sound source has a shape that does not exist, or a falloff that is not between 0 and 255.",
		"Correct the source.")
	foundAutoMapperSeed = Catalog.Add("tw-map-automapper-seed", check.Warning,
		"The seed of an automapper is not between 0 and 1,000,000,000, the editor's limits.",
		"Give it another seed.")
	foundAutoMapperLost = Catalog.Add("tw-map-automapper-lost", check.Info,
		"An automapper belongs to no tile layer, or to one that has another.",
		"Nothing: the editor ignores it.")
)

// Tiles, and what they amount to together.
var (
	foundTileInvalid = Catalog.Add("tw-map-tile-invalid", check.Warning,
		"Tiles of a physics layer are none that DDNet knows in such a layer, and do nothing there.",
		"Delete these tiles, unless they belong to a modified game.")
	foundTileUnused = Catalog.Add("tw-map-tile-unused", check.Warning,
		"Tiles do nothing because their number, delay, force or zone is 0.",
		"Give them a number, or delete them.")
	foundTileFlags = Catalog.Add("tw-map-tile-flags", check.Warning,
		"Tiles have flags that nobody has ever defined, or the opaque flag in a physics layer.",
		"Draw these tiles anew.")
	foundSpeedupAngle = Catalog.Add("tw-map-speedup-angle", check.Warning,
		"Speedup tiles have an angle that is not between 0 and 359.",
		"Set the angle anew.")
	foundTileMirrored = Catalog.Add("tw-map-tile-mirrored", check.Warning,
		"Directed tiles stand mirrored: DDNet takes a stopper for the rotation that looks the same, but a speeder or hook-through tile does nothing then, and a crazy shotgun shoots elsewhere.",
		"Turn the tiles instead of mirroring them.")
	foundTileDeprecated = Catalog.Add("tw-map-tile-deprecated", check.Info,
		"The speedup layer has old boosters, whose place newer ones have taken.",
		"Nothing as long as the map plays well; in a new map use speedups of today.")
	foundSpawnsCrash = Catalog.Add("tw-map-spawns-crash", check.Error,
		"A map in the form of Teeworlds 0.7 has more than 64 spawns of one kind; that game has no room for them, and its server crashes, at once or later.",
		"Delete some.")
	foundSpawnsMany = Catalog.Add("tw-map-spawns-many", check.Info,
		"The map has more than 64 spawns of one kind, which DDNet takes and the server of Teeworlds 0.7 crashes on.",
		"Nothing if it is for DDNet; delete some before you convert it for Teeworlds 0.7.")
	foundNoSpawn = Catalog.Add("tw-map-no-spawn", check.Warning,
		"No tile is a spawn, so that nobody can play the map.",
		"Add a spawn, unless the map is only a background.")
	foundRace = Catalog.Add("tw-map-race", check.Warning,
		"The map has a start but no finish, or a finish but no start.",
		"Add what is missing.")
	foundTimeCheckpoints = Catalog.Add("tw-map-time-checkpoints", check.Info,
		"A map with start and finish has no time checkpoints, or leaves out a number of them.",
		"Add time checkpoints in the order in which they are passed.")
	foundTeleExit = Catalog.Add("tw-map-tele-exit", check.Warning,
		"Teleporters lead nowhere: no exit has their number.",
		"Add the exit, or correct the number.")
	foundTeleEntry = Catalog.Add("tw-map-tele-entry", check.Info,
		"No teleporter has the number of an exit, so that nobody comes out there.",
		"Delete the exit, or correct a number.")
	foundCheckpointExit = Catalog.Add("tw-map-checkpoint-exit", check.Info,
		"A checkpoint has no exit of its number, nor of a lower one: who comes back is put at a spawn.",
		"Add a checkpoint exit of that number, unless starting anew is meant.")
	foundCheckpointEntry = Catalog.Add("tw-map-checkpoint-entry", check.Info,
		"No checkpoint leads to an exit of checkpoints, so that nobody comes out there.",
		"Add the checkpoint, delete the exit, or correct a number.")
	foundCheckpointUnused = Catalog.Add("tw-map-checkpoint-unused", check.Info,
		"The map has checkpoints or exits of theirs, but no tile that leads back to a checkpoint.",
		"Add checkpoint teleporters, or delete the rest.")
	foundTuneZone = Catalog.Add("tw-map-tune-zone", check.Info,
		"The tune layer has zones that no setting defines.",
		"Add tune_zone settings, or delete the tiles.")
)
