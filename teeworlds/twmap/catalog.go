package twmap

import "trowel.example/check"

// Catalog lists the kinds of findings that Check can report: first what the current DDNet refuses, then the parts of
// a map. An error is something that the game refuses, drops or leaves undrawn; a warning is something that works, but
// not as intended; the rest is information.
var Catalog check.Catalog

// Things that DDNet's loader refuses.
var (
	foundVersion = Catalog.Add("tw-map-version", check.Error,
		"The map version item with id 0 does not have version 1.",
		"Set the version to 1, unless the file is not a map. `trowel repair MAP -o NEW` does so.")
	foundNoVersion = Catalog.Add("tw-map-no-version", check.Error,
		"The datafile has no map version item: it is a map of 2007, which no current game reads, or not a map.",
		"Extract it as a datafile to see its contents.")
	foundGroupTruncated = Catalog.Add("tw-map-group-truncated", check.Error,
		"A group lacks integers that every version of it has.",
		"Use `trowel repair MAP -o NEW`: the group is written completely.")
	foundGroupLayers = Catalog.Add("tw-map-group-layers", check.Error,
		"A group claims layers that the map does not have.",
		"Use `trowel repair MAP -o NEW`: groups then claim the existing layers.")
	foundLayerShared = Catalog.Add("tw-map-layer-shared", check.Error,
		"A layer belongs to two groups.",
		"Use `trowel repair MAP -o NEW`: the layer stays in the first of the groups.")
	foundLayerTruncated = Catalog.Add("tw-map-layer-truncated", check.Error,
		"A layer lacks integers that its type and version have.",
		"Use `trowel repair MAP -o NEW`: the layer is written completely.")
	foundPhysicsTruncated = Catalog.Add("tw-map-physics-truncated", check.Error,
		"A physics layer ends before the integer that refers to its own tiles.",
		"Delete the layer, or copy it from an intact copy of the map: its tiles are lost. `trowel repair MAP -o NEW` keeps what is readable.")
	foundTilemapVersion = Catalog.Add("tw-map-tilemap-version", check.Error,
		"A tile layer has a version that the game does not read.",
		"Give the layer version 3. `trowel repair MAP -o NEW` does so.")
	foundTilemapFlags = Catalog.Add("tw-map-tilemap-flags", check.Error,
		"The flags of a tile layer mark several physics kinds at once.",
		"Choose one kind of layer; extract and pack uses the first. `trowel repair MAP -o NEW` does so.")
	foundTilemapName = Catalog.Add("tw-map-tilemap-name", check.Error,
		"The name of a tile layer is not valid UTF-8.",
		"Give the layer a name. `trowel repair MAP -o NEW` replaces the invalid bytes.")
	foundModel = Catalog.Add("tw-map-model", check.Error,
		"A program made a map with a part that is nil, or with a tile layer without cells. Maps from files never have this.",
		"Make the parts with the functions of package twmap.")
	foundLayerSize = Catalog.Add("tw-map-layer-size", check.Error,
		"A tile layer is less than two tiles wide or high, or its number of tiles overflows.",
		"Give the layer a size, or delete it. `trowel repair MAP -o NEW` removes it.")
	foundLayerColor = Catalog.Add("tw-map-layer-color", check.Error,
		"A colour component of a tile layer is not between 0 and 255.",
		"Give the layer a colour. `trowel repair MAP -o NEW` does so.")
	foundNoGameLayer = Catalog.Add("tw-map-no-game-layer", check.Error,
		"The map has no game layer in any group.",
		"Add a game layer. `trowel repair MAP -o NEW` adds an empty one.")
	foundTilesIndex = Catalog.Add("tw-map-tiles-index", check.Error,
		"A tile layer refers to a data block that does not exist.",
		"Delete the layer, or copy it from an intact copy of the map: its tiles are lost. `trowel repair MAP -o NEW` keeps what is readable.")
	foundTilesShared = Catalog.Add("tw-map-tiles-shared", check.Error,
		"Two tile layers have their tiles in the same data block.",
		"Use `trowel repair MAP -o NEW`: each layer gets its own tiles.")
	foundPhysicsSmall = Catalog.Add("tw-map-physics-small", check.Error,
		"A physics layer has fewer tiles than the game layer.",
		"Make the layer as wide and as high as the game layer. `trowel repair MAP -o NEW` adds air.")
	foundTilesPacked = Catalog.Add("tw-map-tiles-packed", check.Error,
		"A physics layer of DDNet has tilemap version 4, whose compressed tiles only tiles and game layers can have.",
		"Give the layer version 3. `trowel repair MAP -o NEW` does so.")
	foundTilesForm = Catalog.Add("tw-map-tiles-form", check.Error,
		"A tile layer has tilemap version 4, the compressed tiles of Teeworlds 0.7, in a map of DDNet or Teeworlds 0.6.",
		"Give the layer version 3. `trowel repair MAP -o NEW` does so. If it came from a map of Teeworlds 0.7, paste it again: "+
			"append and paste-group convert its tiles.")
	foundTilesUnreadable = Catalog.Add("tw-map-tiles-unreadable", check.Error,
		"The data block with the tiles of a layer cannot be inflated.",
		"Copy the layer from an intact copy of the map; extract keeps the readable part. `trowel repair MAP -o NEW` keeps what is readable.")
	foundTilesShort = Catalog.Add("tw-map-tiles-short", check.Error,
		"A tile layer has fewer tiles than its width and height require.",
		"Extract, correct the size or the tiles, pack: missing tiles become air. `trowel repair MAP -o NEW` keeps what is readable.")
	foundTilesSurplus = Catalog.Add("tw-map-tiles-surplus", check.Error,
		"A layer with compressed tiles has more tiles than its width and height require.",
		"Use `trowel repair MAP -o NEW`: the surplus is left out.")
	foundTileReserved = Catalog.Add("tw-map-tile-reserved", check.Error,
		"Tiles have a value in a byte that must be 0.",
		"Set the skip and reserved bytes of these tiles to 0. `trowel repair MAP -o NEW` does so.")
)

// Texts, settings and items.
var (
	foundText = Catalog.Add("tw-map-text", check.Error,
		"A text does not end in NUL, contains a NUL or is not valid UTF-8. The game does not read it.",
		"Replace the text. `trowel repair MAP -o NEW` replaces the invalid bytes.")
	foundTextLong = Catalog.Add("tw-map-text-long", check.Warning,
		"A text is longer than the game and its editor have room for, and will be cut.",
		"Shorten the text.")
	foundName = Catalog.Add("tw-map-name", check.Warning,
		"The name of a group, layer or envelope is not valid UTF-8.",
		"Replace the name.")
	foundNameLong = Catalog.Add("tw-map-name-long", check.Warning,
		"The name of a group, layer or envelope is longer than the file has room for, and will be cut.",
		"Shorten the name to 11 bytes, that of an envelope to 31.")
	foundNameUnsafe = Catalog.Add("tw-map-name-unsafe", check.Warning,
		"The name of an image or sound cannot be the name of a file on every system.",
		"Rename the image or sound.")
	foundInfoVersion = Catalog.Add("tw-map-info-version", check.Warning,
		"The info item does not have version 1. The game does not run the settings.",
		"Use `trowel repair MAP -o NEW`.")
	foundSettingLong = Catalog.Add("tw-map-setting-long", check.Warning,
		"A setting has more than 255 bytes, and the editor will cut it.",
		"Shorten the line.")
	foundSettingUnknown = Catalog.Add("tw-map-setting-unknown", check.Warning,
		"A setting is not a command of DDNet's server, or tunes an unknown parameter.",
		"Correct the spelling, or delete the line.")
	foundSettingArguments = Catalog.Add("tw-map-setting-arguments", check.Warning,
		"A setting lacks an argument, and the server ignores it.",
		"Complete the line, or delete it.")
	foundSettingValue = Catalog.Add("tw-map-setting-value", check.Warning,
		"The value of a setting is not a number, or outside of the range that the server accepts.",
		"Correct the number.")
	foundSettingIdle = Catalog.Add("tw-map-setting-idle", check.Info,
		"Settings are about a tune zone or a switch that no tile has.",
		"Delete the lines, correct the number, or add the tiles.")
	foundSettingOther = Catalog.Add("tw-map-setting-other", check.Info,
		"Settings are not commands of DDNet, but look like those of other servers such as KoG, F-DDrace and DDNet++.",
		"Nothing to do if the map is for one of these servers; otherwise delete the lines.")
	foundSettingRefused = Catalog.Add("tw-map-setting-refused", check.Warning,
		"A setting is a command that maps must not run.",
		"Delete the line; the server's operator can run the command.")
	foundDataIndex = Catalog.Add("tw-map-data-index", check.Error,
		"A text, image, sound, quads layer or sounds layer refers to a data block that does not exist.",
		"Copy the named part from an intact copy of the map: its content is lost. `trowel repair MAP -o NEW` keeps what is readable.")
	foundDataEmpty = Catalog.Add("tw-map-data-empty", check.Warning,
		"A layer without quads or sound sources refers to an empty data block, which DDNet cannot read and which crashes its tools.",
		"Use `trowel repair MAP -o NEW`: the block gets one zeroed element that is not counted.")
	foundDataUnused = Catalog.Add("tw-map-data-unused", check.Info,
		"Nothing in the map uses these data blocks, such as the pixels of an image that another program removed.",
		"Use `trowel edit MAP -- remove-unused` to make the map smaller.").FixedBy("remove-unused")
	foundItemShort = Catalog.Add("tw-map-item-short", check.Warning,
		"An item lacks integers that its version has; the game reads beyond its end.",
		"Use `trowel repair MAP -o NEW`: the item is written completely.")
	foundItemLong = Catalog.Add("tw-map-item-long", check.Info,
		"An item has more integers than its version has: it may be newer than this program knows.",
		"Nothing to do: readers ignore them, and edits keep them. Packing without the sidecar drops them.")
	foundItemVersion = Catalog.Add("tw-map-item-version", check.Warning,
		"An item has an undefined version.",
		"Check which program wrote the map; the additions of the version are kept, but not interpreted.")
	foundItemSurplus = Catalog.Add("tw-map-item-surplus", check.Warning,
		"The map has a second item of a type; the game reads only the first.",
		"Extract and delete the surplus item.")
	foundItemUnknown = Catalog.Add("tw-map-item-unknown", check.Info,
		"The map has items of an unknown type, as modified games write them.",
		"Nothing to do: they are kept.")
	foundUUIDIndex = Catalog.Add("tw-map-uuid-index", check.Info,
		"An entry of the UUID index is broken or names a type that has no items.",
		"Nothing to do: readers ignore it.")
	foundGroupEx = Catalog.Add("tw-map-group-ex", check.Info,
		"A group has a parallax zoom, which DDNet wrote from August 2022 to October 2023 and no longer reads.",
		"Nothing to do: the current game ignores it.")
	foundOtherGame = Catalog.Add("tw-map-other-game", check.Info,
		"The map is for another game on the engine, which uses layers, images or items in its own way.",
		"Nothing to do: the named parts are kept and not checked.")
	foundTeeworlds = Catalog.Add("tw-map-teeworlds", check.Info,
		"The map has the format of Teeworlds 0.7, but contains features of DDNet.",
		"Nothing to do if it is for DDNet; Teeworlds ignores the named parts.")
)

// Images and sounds.
var (
	foundAmount = Catalog.Add("tw-map-amount", check.Warning,
		"The map has more images, sounds, envelopes, groups or layers than the game accepts.",
		"Delete some: the game ignores images and sounds after the 64th.")
	foundImageExternal = Catalog.Add("tw-map-image-external", check.Warning,
		"An external image is not one that every installation has.",
		"Embed the image.")
	foundImageExternalData = Catalog.Add("tw-map-image-external-data", check.Info,
		"An external image has pixels in the map, which the game ignores.",
		"Convert the map: they are dropped. Embed the image if they are needed.")
	foundImageSize = Catalog.Add("tw-map-image-size", check.Error,
		"An embedded image has no width or no height.",
		"Embed the image again. `trowel repair MAP -o NEW` embeds a transparent one.")
	foundImageData = Catalog.Add("tw-map-image-data", check.Error,
		"The data of an embedded image cannot be read or are not width times height pixels; the game drops the image.",
		"Embed the image again. `trowel repair MAP -o NEW` keeps what is readable.")
	foundImageRGB = Catalog.Add("tw-map-image-rgb", check.Warning,
		"An embedded image has pixels of three bytes, which only very old games read; current games drop the image.",
		"Convert the map, or replace the picture: it is embedded with pixels of four bytes.")
	foundImageVariant = Catalog.Add("tw-map-image-variant", check.Warning,
		"An image of version 2 is not marked as RGBA; current games treat it as external.",
		"Set its variant to 1, unless it is external; convert the map if the pixels have three bytes.")
	foundImageNot16 = Catalog.Add("tw-map-image-not16", check.Warning,
		"A tile layer uses an image whose width or height is not a multiple of 16, and the game cannot draw it.",
		"Scale the image so that 16 x 16 tiles fit, preferably to 1024 x 1024.")
	foundImageUnused = Catalog.Add("tw-map-image-unused", check.Info,
		"No layer uses these images.",
		"Delete them if they are not needed, with `trowel edit MAP -- remove-unused`: embedded images make the map larger.").
		FixedBy("remove-unused")
	foundImageMissing = Catalog.Add("tw-map-image-missing", check.Warning,
		"A layer uses an image that the map does not have.",
		"Give the layer an image, or none.")
	foundSoundData = Catalog.Add("tw-map-sound-data", check.Error,
		"A sound cannot be read or is not an Opus file; the game does not play it.",
		"Convert the sound with opusenc and embed it with `trowel edit MAP -- replace-sound SOUND FILE`, or remove it with "+
			"`trowel edit MAP -- remove-sounds SOUND`.")
	foundSoundExternal = Catalog.Add("tw-map-sound-external", check.Warning,
		"A sound is external, but the game provides no sounds for maps.",
		"Embed the sound.")
	foundSoundUnused = Catalog.Add("tw-map-sound-unused", check.Info,
		"No layer plays these sounds.",
		"Delete them if they are not needed, with `trowel edit MAP -- remove-unused`: they make the map larger.").FixedBy("remove-unused")
	foundSoundMissing = Catalog.Add("tw-map-sound-missing", check.Warning,
		"A sounds layer plays a sound that the map does not have.",
		"Give the layer a sound, or none.")
)

// Envelopes.
var (
	foundEnvelopePoints = Catalog.Add("tw-map-envelope-points", check.Warning,
		"An envelope claims points that the map does not have, or the points' item has an odd size.",
		"Set the envelope's points again; extract writes it without points.")
	foundEnvelopeChannels = Catalog.Add("tw-map-envelope-channels", check.Warning,
		"An envelope has neither 1, 3 nor 4 channels.",
		"Give the envelope one of the kinds sound, position and color.")
	foundEnvelopeCurve = Catalog.Add("tw-map-envelope-curve", check.Warning,
		"Points of an envelope have an unknown curve; the game treats it as linear.",
		"Give these points a curve.")
	foundEnvelopeOrder = Catalog.Add("tw-map-envelope-order", check.Warning,
		"The times of an envelope's points decrease, so the envelope jumps there.",
		"Sort the points by time.")
	foundEnvelopeBezier = Catalog.Add("tw-map-envelope-bezier", check.Warning,
		"Bezier curves have no tangents that the game reads; it draws them as straight lines.",
		"Set the tangents, or use another curve.")
	foundEnvelopeUnused = Catalog.Add("tw-map-envelope-unused", check.Info,
		"Nothing uses these envelopes.",
		"Delete them if they are not needed, with `trowel edit MAP -- remove-unused`.").FixedBy("remove-unused")
	foundEnvelopeMissing = Catalog.Add("tw-map-envelope-missing", check.Warning,
		"A layer, quad or sound source uses an envelope that the map does not have.",
		"Give it another envelope, or none.")
	foundEnvelopeNone = Catalog.Add("tw-map-envelope-none", check.Info,
		"A layer, quad or sound source has an envelope number below -1, which means no envelope.",
		"Nothing to do: the game treats all numbers below 0 alike.")
	foundEnvelopeKind = Catalog.Add("tw-map-envelope-kind", check.Warning,
		"A layer, quad or sound source uses an envelope of the wrong kind, such as a colour envelope for a position.",
		"Give it an envelope of the right kind.")
	foundNegative = Catalog.Add("tw-map-negative", check.Warning,
		"A time, delay or size is negative.",
		"Set it to 0 or more.")
)

// Groups and layers.
var (
	foundLayerOrphan = Catalog.Add("tw-map-layer-orphan", check.Warning,
		"A layer belongs to no group, so the game ignores it.",
		"Extract and put it into a group, or delete it.")
	foundLayerUnknown = Catalog.Add("tw-map-layer-unknown", check.Warning,
		"A layer has an unknown type, and the game ignores it.",
		"Delete the layer, unless it belongs to a modified game.")
	foundLayerHuge = Catalog.Add("tw-map-layer-huge", check.Warning,
		"A tile layer states more than 50 million tiles, has data for fewer, and is neither read nor checked.",
		"Correct the size of the layer.")
	foundLayerFlags = Catalog.Add("tw-map-layer-flags", check.Warning,
		"A layer has undefined flags.",
		"Extract and correct the flags.")
	foundPhysicsDuplicate = Catalog.Add("tw-map-physics-duplicate", check.Warning,
		"The map has two physics layers of a kind; the game uses only the last.",
		"Delete the unused layer.")
	foundPhysicsGroup = Catalog.Add("tw-map-physics-group", check.Warning,
		"A physics layer is not in the group of the game layer.",
		"Move it into the Game group.")
	foundPhysicsShape = Catalog.Add("tw-map-physics-shape", check.Warning,
		"The width or height of a physics layer differs from the game layer's, so its tiles are misplaced.",
		"Make the layer as wide and as high as the game layer.")
	foundPhysicsName = Catalog.Add("tw-map-physics-name", check.Info,
		"The name of a physics layer, or of the group of the game layer, differs from the game's.",
		"Nothing to do: the game ignores the name.")
	foundPhysicsLook = Catalog.Add("tw-map-physics-look", check.Info,
		"A physics layer has a colour, an image or the detail flag, which have no effect.",
		"Nothing to do: the game ignores them.")
	foundTilesOther = Catalog.Add("tw-map-physics-tiles-other", check.Info,
		"A physics layer that only DDNet has contains tiles for other games, which DDNet ignores; other games draw them.",
		"Nothing to do for DDNet. Convert the map: it gets air there.")
	foundGameClip = Catalog.Add("tw-map-game-clip", check.Warning,
		"The group of the game layer is clipped, and the game ignores that.",
		"Turn clipping off.")
	foundGameParallax = Catalog.Add("tw-map-game-parallax", check.Warning,
		"The group of the game layer has a parallax other than 100, and the game ignores that.",
		"Set both to 100, and move design layers into another group.")
	foundGameOffset = Catalog.Add("tw-map-game-offset", check.Warning,
		"The group of the game layer has an offset, and the game ignores that.",
		"Set both to 0, and move design layers into another group.")
	foundQuadsData = Catalog.Add("tw-map-quads-data", check.Error,
		"The quads of a layer cannot be read, or are fewer than the layer states.",
		"Copy the layer from an intact copy of the map; extract keeps the readable part. `trowel repair MAP -o NEW` keeps what is readable.")
	foundQuadColor = Catalog.Add("tw-map-quad-color", check.Warning,
		"Colours of quads have components outside of 0 to 255, of which the game takes the lowest 8 bits.",
		"Set the components to 0 to 255.")
	foundSourcesData = Catalog.Add("tw-map-sources-data", check.Error,
		"The sources of a sounds layer cannot be read, or are fewer than the layer states.",
		"Copy the layer from an intact copy of the map; extract keeps the readable part. `trowel repair MAP -o NEW` keeps what is readable.")
	foundSoundsDeprecated = Catalog.Add("tw-map-sounds-deprecated", check.Info,
		"A sounds layer has the format of early 2015, which only DDNet reads.",
		"Load and save the map in the editor, or convert it, to update the format.")
	foundSoundSource = Catalog.Add("tw-map-sound-source", check.Warning,
		"A sound source has an unknown shape, or a falloff that is not between 0 and 255.",
		"Correct the source.")
	foundAutoMapperSeed = Catalog.Add("tw-map-automapper-seed", check.Warning,
		"The seed of an automapper is not between 0 and 1,000,000,000, the editor's limits.",
		"Set another seed.")
	foundAutoMapperLost = Catalog.Add("tw-map-automapper-lost", check.Info,
		"An automapper belongs to no tile layer, or to a layer that already has one.",
		"Nothing to do: the editor ignores it.")
)

// Tiles, and what they amount to together.
var (
	foundTileInvalid = Catalog.Add("tw-map-tile-invalid", check.Warning,
		"Tiles of a physics layer have no meaning for DDNet in that layer, and do nothing.",
		"Delete these tiles, unless they belong to a modified game.")
	foundTileUnused = Catalog.Add("tw-map-tile-unused", check.Warning,
		"Tiles do nothing because their number, delay, force or zone is 0.",
		"Give them a number, or delete them.")
	foundTileFlags = Catalog.Add("tw-map-tile-flags", check.Warning,
		"Tiles have undefined flags, or the opaque flag in a physics layer.",
		"Draw these tiles again.")
	foundSpeedupAngle = Catalog.Add("tw-map-speedup-angle", check.Warning,
		"Speedup tiles have an angle that is not between 0 and 359.",
		"Set the angle to 0 to 359.")
	foundTileMirrored = Catalog.Add("tw-map-tile-mirrored", check.Warning,
		"Tiles with a direction are mirrored. DDNet treats a mirrored stopper as the rotation that looks the same, but a "+
			"mirrored speeder or hook-through tile does nothing, and a crazy shotgun shoots elsewhere.",
		"Rotate the tiles instead of mirroring them.")
	foundTileDeprecated = Catalog.Add("tw-map-tile-deprecated", check.Info,
		"The speedup layer has deprecated speedups.",
		"Nothing to do if the map plays well; in a new map use current speedups.")
	foundSpawnsCrash = Catalog.Add("tw-map-spawns-crash", check.Error,
		"A map in the format of Teeworlds 0.7 has more than 64 spawns of one kind. The game has no room for them, and its "+
			"server crashes, immediately or later.",
		"Delete some.")
	foundSpawnsMany = Catalog.Add("tw-map-spawns-many", check.Info,
		"The map has more than 64 spawns of one kind. DDNet accepts them, but the server of Teeworlds 0.7 crashes.",
		"Nothing to do if it is for DDNet; delete some before you convert it for Teeworlds 0.7.")
	foundNoSpawn = Catalog.Add("tw-map-no-spawn", check.Warning,
		"No tile is a spawn, so the map cannot be played.",
		"Add a spawn, unless the map is only a background.")
	foundRace = Catalog.Add("tw-map-race", check.Warning,
		"The map has a start but no finish, or a finish but no start.",
		"Add the missing one.")
	foundTimeCheckpoints = Catalog.Add("tw-map-time-checkpoints", check.Info,
		"A map with start and finish has no time checkpoints, or skips a number.",
		"Add time checkpoints, numbered in the order of the race.")
	foundTeleExit = Catalog.Add("tw-map-tele-exit", check.Warning,
		"Teleporters have no target: no exit has their number.",
		"Add the exit, or correct the number.")
	foundTeleEntry = Catalog.Add("tw-map-tele-entry", check.Info,
		"No teleporter has the number of an exit, so the exit is never used.",
		"Delete the exit, or correct a number.")
	foundCheckpointExit = Catalog.Add("tw-map-checkpoint-exit", check.Info,
		"A checkpoint has no exit with its number or a lower one: returning players appear at a spawn.",
		"Add a checkpoint exit with that number, unless players should start again.")
	foundCheckpointEntry = Catalog.Add("tw-map-checkpoint-entry", check.Info,
		"No checkpoint has the number of a checkpoint exit, so the exit is never used.",
		"Add the checkpoint, delete the exit, or correct a number.")
	foundCheckpointUnused = Catalog.Add("tw-map-checkpoint-unused", check.Info,
		"The map has checkpoints or checkpoint exits, but no tile that returns players to a checkpoint.",
		"Add checkpoint teleporters, or delete the rest.")
	foundTuneZone = Catalog.Add("tw-map-tune-zone", check.Info,
		"The tune layer has zones that no setting defines.",
		"Add tune_zone settings, or delete the tiles.")
)
