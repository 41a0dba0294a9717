package world

import "trowel.example/check"

// Catalog contains the kinds of findings that [Check] reports, except those of the packages mapblock and item.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("mt-world-unreadable", check.Error,
		"A file or a database of the world cannot be read.", "Restore it from a backup.")
	foundPages = Catalog.Add("mt-world-pages", check.Error,
		"Pages of an SQLite file are damaged, and their content is lost.",
		"Restore it from a backup, or repair the world, which keeps the content of the other pages.")
	foundRow = Catalog.Add("mt-world-row", check.Warning,
		"A row of a database or a member of a JSON file is invalid or a duplicate: it is ignored.", "Correct or remove it.")
	foundZeroes = Catalog.Add("mt-world-zeroes", check.Error,
		"The file contains only zero bytes, as after a loss of power.", "Restore it from a backup, or remove it.")
	foundRemote = Catalog.Add("mt-world-remote", check.Info,
		"A part of the world is on a database server on another machine, and was not read.",
		"Read it with --remote, if you trust the author of the world.")
	foundCounts = Catalog.Add("mt-world-counts", check.Info,
		"The numbers of blocks, players, accounts and mods with storage that a quick check counted.", "Nothing to do.")
	foundNoSettings = Catalog.Add("mt-world-no-settings", check.Warning,
		"world.mt is missing, as in worlds from before 2012: the engine writes a new file, without the game and the mods of the world.",
		"Restore the file from a backup, or write one with the game and the backends.")
	foundGame = Catalog.Add("mt-world-game", check.Warning,
		"world.mt does not name the game of the world.", "Add a line \"gameid = ...\".")
	foundBackend = Catalog.Add("mt-world-backend", check.Error,
		"world.mt names an unknown backend.", "Name one of sqlite3, files, leveldb, postgresql, redis or dummy.")
	foundBlockSize = Catalog.Add("mt-world-blocksize", check.Error,
		"The blocksize in world.mt is not 16: the engine rejects the world.",
		"Set it to 16, or remove the line, unless another engine made the world.")
	foundMark = Catalog.Add("mt-world-byte-order-mark", check.Warning,
		"A text begins with a byte order mark, written by an editor: the engine reads the first line differently than Trowel.",
		"Save the file as UTF-8 without a byte order mark.")
	foundNoBackend = Catalog.Add("mt-world-no-backend", check.Info,
		"world.mt does not name a backend: the engine uses its oldest.", "Nothing to do; the engine adds the line.")
	foundGone = Catalog.Add("mt-world-store-gone", check.Error,
		"A database of players, accounts or mod storage that world.mt names is empty or missing, although players have entered the "+
			"world: the engine makes a new one, and anybody can register the names of lost accounts.",
		"Restore it from a backup.")
	foundNever = Catalog.Add("mt-world-store-none", check.Info,
		"A database of players, accounts or mod storage that world.mt names is empty or missing, as in a world that no player has entered.",
		"Nothing to do if no player has; otherwise restore it from a backup.")
	foundSchema = Catalog.Add("mt-world-schema", check.Error,
		"A table of an SQLite or PostgreSQL database is not as the engine needs it: a trigger names something that does not exist, a "+
			"column is missing or needs a value that the engine does not write, or a key is missing or added. The server aborts when it "+
			"starts or saves, or rows are added or lost. Functions of triggers of PostgreSQL are not checked.",
		"Repair the world; in PostgreSQL, run the statement that the finding contains.")
	foundUnread = Catalog.Add("mt-world-store-unread", check.Warning,
		"A database of players, accounts or mod storage, or a folder of blocks, is not in use: world.mt names another backend, or none. "+
			"Copies lack what only it contains.",
		"If it is the right database, name its backend in world.mt; otherwise remove it.")
	foundSettingTwice = Catalog.Add("mt-world-setting-twice", check.Warning,
		"A setting occurs twice: the last one is valid.", "Remove the others.")
	foundSettingLine = Catalog.Add("mt-world-setting-line", check.Warning,
		"A line is neither a setting nor a comment: the engine ignores it.", "Correct or remove the line.")

	foundNoMapMeta = Catalog.Add("mt-world-no-map-meta", check.Warning,
		"The world has blocks but no map_meta.txt: the engine makes a new seed, and new parts will not match the old ones.",
		"Restore the file from a backup.")
	foundMapMetaEnd = Catalog.Add("mt-world-map-meta-end", check.Error,
		"map_meta.txt lacks the line [end_of_params]: the engine reads nothing of it, and the seed is lost.", "Add the line at the end.")
	foundSeed = Catalog.Add("mt-world-seed", check.Warning,
		"map_meta.txt has no seed, or the seed is not a 64-bit number.", "Restore the seed from a backup.")
	foundEnvEnd = Catalog.Add("mt-world-env-meta-end", check.Error,
		"env_meta.txt lacks the line EnvArgsEnd: the server refuses to start.", "Add the line at the end.")
	foundEnvTime = Catalog.Add("mt-world-env-meta-time", check.Error,
		"env_meta.txt has no game_time, or it is not a number: the server refuses to start.", "Add a line \"game_time = 0\", or a later time.")
	foundEnvValue = Catalog.Add("mt-world-env-meta-value", check.Warning,
		"A value in env_meta.txt is out of its range.", "Correct the value.")
	foundLBM = Catalog.Add("mt-world-lbm", check.Warning,
		"An entry of lbm_introduction_times is not \"name~time;\".", "Remove the entry: the loading block modifier runs once more on old blocks.")
	foundBan = Catalog.Add("mt-world-ban", check.Warning,
		"A line of ipban.txt is not \"address|name\".", "Correct or remove the line.")

	foundPlayer = Catalog.Add("mt-world-player", check.Error,
		"A player cannot be read.", "Restore the player from a backup, or remove the damaged part.")
	foundPlayerName = Catalog.Add("mt-world-player-name", check.Warning,
		"No player can have this name: names have 1 to 19 of a-z, A-Z, 0-9, - and _.", "Rename or remove the player.")
	foundPlayerFile = Catalog.Add("mt-world-player-file", check.Warning,
		"A file of a player does not have the name of the player: the engine does not find it, and the player starts from nothing.",
		"Rename the file to the player's name. Copies of the world have the name.")
	foundPlayerTwice = Catalog.Add("mt-world-player-twice", check.Warning,
		"Two files contain players with the same name: the engine finds only one of them.", "Remove the outdated file.")
	foundPlayerInventory = Catalog.Add("mt-world-player-inventory", check.Error,
		"The inventory of a player cannot be read: the engine continues without the rest of it.", "Correct the line.")
	foundPlayerLarge = Catalog.Add("mt-world-player-large", check.Error,
		"The inventory of a player has 16 MiB or more, as with many written books: a server ends when the player joins.",
		"Delete its largest items: `trowel edit WORLD --in-place -- delete-items NAME --in players`.")
	foundPlayerValue = Catalog.Add("mt-world-player-value", check.Warning,
		"A value of a player is out of its range.", "Correct the value.")
	foundPlayerAttributes = Catalog.Add("mt-world-player-attributes", check.Warning,
		"The attributes of a player are not an object of texts.", "Correct the line.")
	foundOrphan = Catalog.Add("mt-world-orphan", check.Warning,
		"Rows belong to a player or an account that does not exist.", "Remove the rows.")
	foundSlot = Catalog.Add("mt-world-slot", check.Warning,
		"An item is in a slot that its list does not have: the engine drops it.", "Enlarge the list, or remove the row.")

	foundAccount = Catalog.Add("mt-world-account", check.Error,
		"An account cannot be read.", "Restore the account from a backup, or remove it.")
	foundAccountName = Catalog.Add("mt-world-account-name", check.Warning,
		"No account can have this name: names have 1 to 19 of a-z, A-Z, 0-9, - and _.", "Remove the account.")
	foundAccountTwice = Catalog.Add("mt-world-account-twice", check.Warning,
		"Two lines have the same account: the last one is valid.", "Remove the others.")
	foundAccountCase = Catalog.Add("mt-world-account-case", check.Info,
		"The names of two accounts differ only in case.", "Keep one of them.")
	foundAccountLine = Catalog.Add("mt-world-account-line", check.Warning,
		"A line of auth.txt has less than three fields: the engine drops it.", "Correct or remove the line.")
	foundPrivilege = Catalog.Add("mt-world-account-privilege", check.Warning,
		"A privilege of an account is empty, or contains blanks or a line end of Windows: no game has a privilege of this kind.",
		"Correct or remove the privilege; save auth.txt with line ends of Unix.")
	foundPassword = Catalog.Add("mt-world-password", check.Error,
		"The password of an account is stored in an unknown form: logging in is impossible.", "Set a new password.")

	foundStorage = Catalog.Add("mt-world-storage", check.Error,
		"The storage of a mod cannot be read.", "Restore it from a backup, or remove the damaged part.")

	foundMap = Catalog.Add("mt-map-unreadable", check.Error,
		"The database of the blocks cannot be read completely.",
		"Restore it from a backup, or copy the world, which copies the readable part.")
	foundMapRemote = Catalog.Add("mt-map-remote", check.Info,
		"The blocks are on a database server on another machine, and were not read.",
		"Read them with --remote, if you trust the author of the world.")
	foundUnfinished = Catalog.Add("mt-world-unfinished", check.Error,
		"The folder is an unfinished copy of a world.",
		"Run the same command again: it resumes the copy.")
	foundMapNone = Catalog.Add("mt-map-none", check.Warning,
		"There is no database of blocks: the game generates new land, as in a world that no player has entered yet.",
		"Nothing to do if no player has; otherwise restore the database from a backup.")
	foundMapRow = Catalog.Add("mt-map-row", check.Error,
		"A row of the database is not a block: its key is not a position, or its data is not bytes.",
		"Copy the world: the copy leaves the row out.")
	foundMapPages = Catalog.Add("mt-map-pages", check.Error,
		"Parts of the database of the blocks are damaged, and their blocks are lost.",
		"Restore it from a backup, or repair the world, which keeps the blocks in the other parts.")
	foundMapSalvaged = Catalog.Add("mt-map-salvaged", check.Warning,
		"A block is in data of a LevelDB database with a wrong checksum. The block can be decoded completely, and is used.",
		"Compare the block with a backup; repair the world, which rewrites it.")
	foundBlockTwice = Catalog.Add("mt-map-block-twice", check.Error,
		"Two rows of the database contain the same block, and the game uses one of them.",
		"Copy the world, which keeps the first.")
	foundBlockEmpty = Catalog.Add("mt-map-block-empty", check.Warning,
		"A block has no bytes: the game regenerates it.",
		"Nothing to do, or repair the world, which deletes the row.")
	foundBlockDefect = Catalog.Add("mt-map-block-defect", check.Error,
		"Trowel failed on this block, and checked all others: this is a defect of Trowel, regardless of the block.",
		"Please report it, with the message and, if you can, the block.")
	foundMetaInventory = Catalog.Add("mt-map-meta-inventory", check.Error,
		"The inventory of a node cannot be read: the game loses it.",
		"Correct it, or restore the block from a backup.")
)
