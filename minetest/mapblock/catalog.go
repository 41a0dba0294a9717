package mapblock

import "trowel.example/check"

// Catalog lists the kinds of findings about blocks.
var Catalog check.Catalog

// Unreadable data.
var (
	foundVersion = Catalog.Add("mt-block-version", check.Error,
		"A block has a version that does not exist, or no bytes at all.",
		"Delete the block, so that the game makes it again, or take it from a backup.")
	foundUnreadable = Catalog.Add("mt-block-unreadable", check.Error,
		"A section of a block is cut, damaged or impossible, and the game refuses the block.",
		"Take the block from a backup, or keep what can be saved of it by repairing it.")
	foundNodesLost = Catalog.Add("mt-block-nodes-lost", check.Error,
		"Nodes of a damaged block could not be saved; they have become ignore.",
		"Take the block from a backup, or have its area made again.")
	foundResumed = Catalog.Add("mt-block-resumed", check.Warning,
		"Behind the damaged sections of a block there are others that could be saved.",
		"Look whether they are right.")
	foundMapBlockObjects = Catalog.Add("mt-block-mapblock-objects", check.Error,
		"A block has objects of a kind that was gone before version 15, and the game ignores all that follows.",
		"Nothing: their length is not known to anybody.")
	foundTrailing = Catalog.Add("mt-block-trailing", check.Warning,
		"Bytes follow the end of a block, and the game ignores them.",
		"Write the block again.")
)

// The head of a block.
var (
	foundMisread = Catalog.Add("mt-block-misread", check.Warning,
		"A block has a version up to 19, whose air all games since 2012 take for an unknown node.",
		"Convert the block to a version of today before a game loads it.")
	foundFlags = Catalog.Add("mt-block-flags", check.Warning,
		"A block has flags that nobody has ever defined.",
		"Clear them.")
	foundLighting = Catalog.Add("mt-block-lighting", check.Info,
		"The upper four bits of lighting_complete are not all 1, as every game writes them.",
		"Nothing: the game does not look at them.")
	foundContentWidth = Catalog.Add("mt-block-content-width", check.Warning,
		"The ids of a block have another width than its version says.",
		"Write the block again.")
	foundUnused = Catalog.Add("mt-block-unused", check.Info,
		"The unused byte of version 23 is not 0.",
		"Nothing: the game ignores it.")
)

// Names and nodes.
var (
	foundNameDuplicate = Catalog.Add("mt-block-name-duplicate", check.Warning,
		"Two entries of the map from ids to names have the same id, and the game uses the last, or the same name.",
		"Load and save the block in the game.")
	foundNameEmpty = Catalog.Add("mt-block-name-invalid", check.Warning,
		"A name in the map from ids to names is empty or has characters that no node can have.",
		"Replace the node by another one.")
	foundNameUnused = Catalog.Add("mt-block-name-unused", check.Info,
		"A name in the map from ids to names belongs to no node of the block.",
		"Nothing: the game drops it when it saves the block.")
	foundUnmapped = Catalog.Add("mt-block-id-unmapped", check.Error,
		"Nodes have an id without a name; games since 5.15 refuse the block, older ones show a wrong node.",
		"Replace these nodes, or take the block from a backup.")
)

// Metadata of nodes.
var (
	foundMetaUnreadable = Catalog.Add("mt-block-meta-unreadable", check.Error,
		"The metadata of nodes cannot be read, or not to the end, and the game loses what follows.",
		"Take the block from a backup; what can be read is kept.")
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
		"Delete the one that is not used.")
	foundMetaPrivate = Catalog.Add("mt-block-meta-private", check.Warning,
		"The mark of a private variable is neither 0 nor 1, and the game takes it for 0.",
		"Set it to 1 if players must not see the variable.")
	foundMetaBody = Catalog.Add("mt-block-meta-body", check.Error,
		"Metadata of an old block has an id that nobody knows, or not the form of its id, and the game loses all metadata of the block.",
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
		"Nothing: the game does not look at it.")
	foundObjectType = Catalog.Add("mt-block-object-type", check.Warning,
		"An object has a type that games of today do not know, and they drop it.",
		"Delete the object, or replace it by an entity of a mod.")
	foundObjectData = Catalog.Add("mt-block-object-data", check.Error,
		"The data of an object do not have the form of its type.",
		"Delete the object.")
	foundObjectMany = Catalog.Add("mt-block-object-many", check.Warning,
		"A block has more than 256 objects, and a game with the usual settings deletes all of them.",
		"Delete what is not needed, or raise max_objects_per_block before the game loads the block.")
)

// Data that a conversion loses, reported by [Block.Convert].
var (
	foundLostName = Catalog.Add("mt-convert-name", check.Warning,
		"The older version has no id for a node; with --drop it becomes air.",
		"Replace the node before converting, or choose version 21 or later.")
	foundLostParam = Catalog.Add("mt-convert-param", check.Warning,
		"The older version has no room for a number of a node; with --drop a part of it is lost.",
		"Choose a later version.")
	foundLostMeta = Catalog.Add("mt-convert-meta", check.Warning,
		"The older version has no form for the metadata of a node, or nobody can read them.",
		"Choose a later version, or convert with --drop, which leaves out what does not fit.")
	foundLostPrivate = Catalog.Add("mt-convert-private", check.Warning,
		"The older version has no private variables; with --drop players see them.",
		"Choose version 28 or later.")
	foundLostTimer = Catalog.Add("mt-convert-timer", check.Warning,
		"The older version has no node timers; with --drop they are left out.",
		"Choose version 24 or later.")
	foundLostLighting = Catalog.Add("mt-convert-lighting", check.Warning,
		"The older version cannot tell which light is complete; with --drop all of it is computed again.",
		"Choose version 27 or later.")
	foundLostObject = Catalog.Add("mt-convert-object", check.Warning,
		"The older version has no objects of a type, or not all that belongs to one; with --drop that is left out.",
		"Choose a later version.")
	foundLostFlag = Catalog.Add("mt-convert-flag", check.Warning,
		"The older version cannot tell that the map generator has not been here; with --drop it never will be.",
		"Choose version 18 or later.")
	foundLostRest = Catalog.Add("mt-convert-rest", check.Warning,
		"The block has bytes that nobody can read, and that have no place in the other version; with --drop they are left out.",
		"Look at them first.")
)
