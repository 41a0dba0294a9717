package mapblock

import "trowel.example/check"

// Catalog lists the kinds of findings about blocks.
var Catalog check.Catalog

// Unreadable data.
var (
	foundVersion = Catalog.Add("mt-block-version", check.Error,
		"A block has a version that does not exist, or no bytes at all.",
		"Delete the block, so that the game regenerates it, or restore it from a backup.")
	foundUnreadable = Catalog.Add("mt-block-unreadable", check.Error,
		"A section of a block is truncated, damaged or invalid, and the game rejects the block, "+
			"unless the finding names a version that loads it.",
		"Restore the block from a backup, or repair it to keep its readable parts.")
	foundNodesLost = Catalog.Add("mt-block-nodes-lost", check.Error,
		"Nodes of a damaged block could not be read, and have become ignore.",
		"Restore the block from a backup, or regenerate its area.")
	foundResumed = Catalog.Add("mt-block-resumed", check.Warning,
		"Sections after the damaged sections of a block were salvaged.",
		"Check that they are right.")
	foundMapBlockObjects = Catalog.Add("mt-block-mapblock-objects", check.Error,
		"A block has objects of a kind that was removed before version 15, and the game ignores everything after them.",
		"Nothing to do: their length is unknown.")
	foundTrailing = Catalog.Add("mt-block-trailing", check.Warning,
		"Bytes follow the end of a block, and the game ignores them.",
		"Write the block again.")
)

// The head of a block.
var (
	foundMisread = Catalog.Add("mt-block-misread", check.Warning,
		"A block has a version up to 19, whose air all games since 2012 treat as an unknown node.",
		"Convert the block to a current version before a game loads it.")
	foundFlags = Catalog.Add("mt-block-flags", check.Warning,
		"A block has undefined flags.",
		"Clear them.")
	foundLighting = Catalog.Add("mt-block-lighting", check.Info,
		"The upper four bits of lighting_complete are not all 1, as every game writes them.",
		"Nothing to do: the game ignores them.")
	foundContentWidth = Catalog.Add("mt-block-content-width", check.Warning,
		"The ids of a block do not have the width of its version.",
		"Write the block again.")
	foundUnused = Catalog.Add("mt-block-unused", check.Info,
		"The unused byte of version 23 is not 0.",
		"Nothing to do: the game ignores it.")
)

// Names and nodes.
var (
	foundNameDuplicate = Catalog.Add("mt-block-name-duplicate", check.Warning,
		"Two entries of the map from ids to names have the same id, and the game uses the last, or the same name.",
		"Load and save the block in the game.")
	foundNameEmpty = Catalog.Add("mt-block-name-invalid", check.Warning,
		"A name in the map from ids to names is empty or contains characters that names of nodes cannot contain.",
		"Replace the node.")
	foundNameUnused = Catalog.Add("mt-block-name-unused", check.Info,
		"A name in the map from ids to names belongs to no node of the block.",
		"Nothing to do: the game drops it when it saves the block.")
	foundUnmapped = Catalog.Add("mt-block-id-unmapped", check.Error,
		"Nodes have an id without a name; games since 5.15 reject the block, older games show a wrong node.",
		"Replace these nodes, or restore the block from a backup.")
)

// Metadata of nodes.
var (
	foundMetaUnreadable = Catalog.Add("mt-block-meta-unreadable", check.Error,
		"The metadata of nodes cannot be read completely, and the game loses the rest of the block.",
		"Restore the block from a backup; the readable part is kept.")
	foundMetaRest = Catalog.Add("mt-block-meta-rest", check.Warning,
		"Bytes follow the metadata of nodes, and the game ignores them.",
		"Write the block again.")
	foundMetaPosition = Catalog.Add("mt-block-meta-position", check.Error,
		"Metadata belongs to a node outside of the block.",
		"Delete the entry.")
	foundMetaDuplicate = Catalog.Add("mt-block-meta-duplicate", check.Warning,
		"A node has metadata twice, and the game uses the first.",
		"Delete the second entry.")
	foundMetaKey = Catalog.Add("mt-block-meta-key", check.Warning,
		"A node has a variable twice, and the game uses the last.",
		"Delete the unused entry.")
	foundMetaPrivate = Catalog.Add("mt-block-meta-private", check.Warning,
		"The mark of a private variable is neither 0 nor 1, and the game treats it as 0.",
		"Set it to 1 if players must not see the variable.")
	foundMetaBody = Catalog.Add("mt-block-meta-body", check.Error,
		"Metadata of an old block has an unknown id, or does not match its id, and the game loses all metadata of the block.",
		"Delete the entry.")
)

// Node timers and objects.
var (
	foundTimerPosition = Catalog.Add("mt-block-timer-position", check.Error,
		"A timer belongs to a node outside of the block.",
		"Delete the timer.")
	foundTimerDuplicate = Catalog.Add("mt-block-timer-duplicate", check.Warning,
		"A node has two timers, and the game uses the first.",
		"Delete the second.")
	foundTimerTimeout = Catalog.Add("mt-block-timer-timeout", check.Warning,
		"A timer has a timeout of 0 or less, and the game drops it.",
		"Delete the timer, or set its timeout.")
	foundObjectVersion = Catalog.Add("mt-block-object-version", check.Info,
		"The list of objects has a version other than 0.",
		"Nothing to do: the game ignores it.")
	foundObjectType = Catalog.Add("mt-block-object-type", check.Warning,
		"An object has a type that current games do not support, and they drop it.",
		"Delete the object, or replace it by an entity of a mod.")
	foundObjectData = Catalog.Add("mt-block-object-data", check.Error,
		"The data of an object is invalid for its type.",
		"Delete the object.")
	foundObjectMany = Catalog.Add("mt-block-object-many", check.Warning,
		"A block has more than 256 objects, and a game with default settings deletes all of them.",
		"Delete unneeded objects, or raise max_objects_per_block before the game loads the block.")
)

// Data that a conversion loses, reported by [Block.Convert].
var (
	foundLostName = Catalog.Add("mt-convert-name", check.Warning,
		"The older version has no id for a node; with --drop it becomes air.",
		"Replace the node before converting, or choose version 21 or later.")
	foundLostParam = Catalog.Add("mt-convert-param", check.Warning,
		"The older version cannot store a number of a node; with --drop a part of it is lost.",
		"Choose a later version.")
	foundLostMeta = Catalog.Add("mt-convert-meta", check.Warning,
		"The older version cannot store the metadata of a node, or the metadata cannot be read.",
		"Choose a later version, or convert with --drop, which leaves the metadata out.")
	foundLostPrivate = Catalog.Add("mt-convert-private", check.Warning,
		"The older version has no private variables; with --drop players see them.",
		"Choose version 28 or later.")
	foundLostTimer = Catalog.Add("mt-convert-timer", check.Warning,
		"The older version has no node timers; with --drop they are left out.",
		"Choose version 24 or later.")
	foundLostLighting = Catalog.Add("mt-convert-lighting", check.Warning,
		"The older version does not store which light is complete; with --drop all light is recomputed.",
		"Choose version 27 or later.")
	foundLostObject = Catalog.Add("mt-convert-object", check.Warning,
		"The older version cannot store objects of a type, or some of their data; with --drop these are left out.",
		"Choose a later version.")
	foundLostFlag = Catalog.Add("mt-convert-flag", check.Warning,
		"The older version cannot mark blocks as not generated; with --drop the block is never generated.",
		"Choose version 18 or later.")
	foundLostRest = Catalog.Add("mt-convert-rest", check.Warning,
		"The block has unreadable bytes that the other version cannot store; with --drop they are left out.",
		"Check them first.")
	foundLifted = Catalog.Add("mt-convert-lifted", check.Warning,
		"An edit gave a block a newer version, because its version cannot store the change; data that no current game reads was left out.",
		"Check the left out data in the backup.")
)
