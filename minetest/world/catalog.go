package world

import "trowel.example/check"

// Catalog contains the kinds of findings that [Check] reports, except those of the packages mapblock and item.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("mt-world-unreadable", check.Error,
		"A file or a database of the world cannot be read.", "Restore it from a backup.")
	foundPages = Catalog.Add("mt-world-pages", check.Error,
		"Pages of an SQLite file are damaged, and what was in them is lost.", "Restore it from a backup, or repair the world, which saves what is in the other pages.")
	foundRow = Catalog.Add("mt-world-row", check.Warning,
		"A row of a database or a member of a JSON file holds what no engine writes there, or is one that there is already: it is not taken over.", "Correct or remove it.")
	foundZeroes = Catalog.Add("mt-world-zeroes", check.Error,
		"The file holds nothing but zero bytes, as after a loss of power.", "Restore it from a backup, or remove it.")
	foundRemote = Catalog.Add("mt-world-remote", check.Info,
		"A part of the world is on a database server on another machine, which was not asked.", "Look at it, too, with --remote, if you trust whoever made the world.")
	foundNoSettings = Catalog.Add("mt-world-no-settings", check.Warning,
		"There is no world.mt, as in worlds of before 2012: the engine makes a new one, and knows neither the game nor the mods of the world.",
		"Restore the file from a backup, or write one with the game and the backends.")
	foundGame = Catalog.Add("mt-world-game", check.Warning,
		"world.mt does not tell the game of the world.", "Add a line \"gameid = ...\".")
	foundBackend = Catalog.Add("mt-world-backend", check.Error,
		"world.mt names a backend that no engine has.", "Name one of sqlite3, files, leveldb, postgresql, redis or dummy.")
	foundBlockSize = Catalog.Add("mt-world-blocksize", check.Error,
		"The blocksize in world.mt is not 16: the engine refuses the world.", "Set it to 16, or remove the line, unless another engine made the world.")
	foundMark = Catalog.Add("mt-world-byte-order-mark", check.Warning,
		"A text begins with a byte order mark, which an editor has put there: the engine does not read the first line as Trowel does.", "Save the file as UTF-8 without a byte order mark.")
	foundNoBackend = Catalog.Add("mt-world-no-backend", check.Info,
		"world.mt does not tell a backend: the engine takes its oldest.", "Nothing to do; the engine adds the line.")
	foundUnread = Catalog.Add("mt-world-store-unread", check.Warning,
		"A database of players, accounts or mod storage is there that nobody reads, since world.mt has them elsewhere, or does not say where.",
		"Name its backend in world.mt if it is the right one; else remove it.")
	foundSettingTwice = Catalog.Add("mt-world-setting-twice", check.Warning,
		"A setting occurs twice: the last one is valid.", "Remove the others.")
	foundSettingLine = Catalog.Add("mt-world-setting-line", check.Warning,
		"A line is neither a setting nor a comment: the engine passes over it.", "Correct or remove the line.")

	foundNoMapMeta = Catalog.Add("mt-world-no-map-meta", check.Warning,
		"The world has blocks and no map_meta.txt: the engine makes a new seed, and new parts will not fit the old.", "Restore the file from a backup.")
	foundMapMetaEnd = Catalog.Add("mt-world-map-meta-end", check.Error,
		"map_meta.txt lacks the line [end_of_params]: the engine reads nothing of it, and the seed is lost.", "Add the line at the end.")
	foundSeed = Catalog.Add("mt-world-seed", check.Warning,
		"map_meta.txt has no seed, or one that is no number of 64 bits.", "Restore the seed from a backup.")
	foundEnvEnd = Catalog.Add("mt-world-env-meta-end", check.Error,
		"env_meta.txt lacks the line EnvArgsEnd: the server refuses to start.", "Add the line at the end.")
	foundEnvTime = Catalog.Add("mt-world-env-meta-time", check.Error,
		"env_meta.txt has no game_time, or none that is a number: the server refuses to start.", "Add a line \"game_time = 0\", or a later time.")
	foundEnvValue = Catalog.Add("mt-world-env-meta-value", check.Warning,
		"A value in env_meta.txt is out of its range.", "Correct the value.")
	foundLBM = Catalog.Add("mt-world-lbm", check.Warning,
		"An entry of lbm_introduction_times is not \"name~time;\".", "Remove the entry: the loading block modifier runs once more on old blocks.")
	foundBan = Catalog.Add("mt-world-ban", check.Warning,
		"A line of ipban.txt is not \"address|name\".", "Correct or remove the line.")

	foundPlayer = Catalog.Add("mt-world-player", check.Error,
		"A player cannot be read.", "Restore the player from a backup, or remove what is damaged.")
	foundPlayerName = Catalog.Add("mt-world-player-name", check.Warning,
		"No player can have this name: names have 1 to 19 of a-z, A-Z, 0-9, - and _.", "Rename or remove the player.")
	foundPlayerTwice = Catalog.Add("mt-world-player-twice", check.Warning,
		"Two files hold players of the same name: the engine finds one of them.", "Remove the file that is out of date.")
	foundPlayerInventory = Catalog.Add("mt-world-player-inventory", check.Error,
		"The inventory of a player cannot be read: the engine continues without the rest of it.", "Correct the line.")
	foundPlayerValue = Catalog.Add("mt-world-player-value", check.Warning,
		"A value of a player is out of its range.", "Correct the value.")
	foundPlayerAttributes = Catalog.Add("mt-world-player-attributes", check.Warning,
		"The attributes of a player are no object of texts.", "Correct the line.")
	foundOrphan = Catalog.Add("mt-world-orphan", check.Warning,
		"Rows belong to a player or an account that is not there.", "Remove the rows.")
	foundSlot = Catalog.Add("mt-world-slot", check.Warning,
		"An item is in a slot that its list does not have: the engine drops it.", "Enlarge the list, or remove the row.")

	foundAccount = Catalog.Add("mt-world-account", check.Error,
		"An account cannot be read.", "Restore the account from a backup, or remove it.")
	foundAccountName = Catalog.Add("mt-world-account-name", check.Warning,
		"No account can have this name: names have 1 to 19 of a-z, A-Z, 0-9, - and _.", "Remove the account.")
	foundAccountTwice = Catalog.Add("mt-world-account-twice", check.Warning,
		"Two lines are of the same account: the last one is valid.", "Remove the others.")
	foundAccountCase = Catalog.Add("mt-world-account-case", check.Info,
		"The names of two accounts differ in nothing but case.", "Keep one of them.")
	foundAccountLine = Catalog.Add("mt-world-account-line", check.Warning,
		"A line of auth.txt has less than three fields: the engine drops it.", "Correct or remove the line.")
	foundPassword = Catalog.Add("mt-world-password", check.Error,
		"The password of an account is kept in a form that no engine knows: nobody can log in.", "Set a new password.")

	foundStorage = Catalog.Add("mt-world-storage", check.Error,
		"What a mod keeps cannot be read.", "Restore it from a backup, or remove what is damaged.")

	foundMap = Catalog.Add("mt-map-unreadable", check.Error,
		"The database of the blocks cannot be read, or not to the end.",
		"Restore it from a backup, or copy the world, which takes along what can be read.")
	foundMapRemote = Catalog.Add("mt-map-remote", check.Info,
		"The blocks are on a database server on another machine, which was not asked.",
		"Look at them, too, with --remote, if you trust whoever made the world.")
	foundUnfinished = Catalog.Add("mt-world-unfinished", check.Error,
		"The folder is a copy of a world that was ended before all was done.",
		"Give the same command once more: it continues where it was ended.")
	foundMapNone = Catalog.Add("mt-map-none", check.Warning,
		"There is no database of blocks: the game makes new land, as in a world that nobody has entered yet.",
		"Nothing if nobody has; else restore the database from a backup.")
	foundMapRow = Catalog.Add("mt-map-row", check.Error,
		"A row of the database is no block: its key is no position, or its data are no bytes.",
		"Copy the world, which leaves such rows out.")
	foundMapPages = Catalog.Add("mt-map-pages", check.Error,
		"Parts of the database of the blocks are damaged, and the blocks that were in them are lost.",
		"Restore it from a backup, or repair the world, which saves the blocks in the other parts.")
	foundMapSalvaged = Catalog.Add("mt-map-salvaged", check.Warning,
		"A block is in data of a LevelDB database with a wrong checksum. The block can be decoded to its last byte, and is used.",
		"Compare the block with a backup; repair the world, which writes it again.")
	foundBlockTwice = Catalog.Add("mt-map-block-twice", check.Error,
		"Two rows of the database are of the same block, and the game uses one of them.",
		"Copy the world, which keeps the first.")
	foundBlockEmpty = Catalog.Add("mt-map-block-empty", check.Warning,
		"A block has no bytes at all: the game makes it again.",
		"Nothing, or repair the world, which deletes the row.")
	foundBlockDefect = Catalog.Add("mt-map-block-defect", check.Error,
		"Trowel itself failed on this block, and looked at all others: what is wrong is in the tool, whatever else is wrong with the block.",
		"Please report it, with the message and, if you can, the block.")
	foundMetaInventory = Catalog.Add("mt-map-meta-inventory", check.Error,
		"The inventory of a node cannot be read: the game loses it.",
		"Correct it, or take the block from a backup.")
)
