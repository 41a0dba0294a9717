package mapdb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/fault"
)

// The limits of one transaction: rows with data of a server, rows of a file, bytes, and time, because a writer of a
// file waits for the transaction.
const (
	pageRows      = 256
	pagePositions = 4096
	pageBytes     = 4 << 20
)

var pageTime = 25 * time.Millisecond // tests change it

const sqliteName = "map.sqlite"

var sqliteTargets = []Target{
	{"sqlite", "SQLite with columns x, y and z, for games since 5.12", SchemaXYZ},
	{"sqlite-pos", "SQLite with the column pos, for all games", SchemaPos},
}

// The tables as the game creates them.
const (
	tablePos = "CREATE TABLE `blocks` (`pos` INT PRIMARY KEY, `data` BLOB)"
	tableXYZ = "CREATE TABLE `blocks` (`x` INTEGER, `y` INTEGER, `z` INTEGER, `data` BLOB NOT NULL, PRIMARY KEY (`x`, `z`, `y`))"
)

// knownTables are all known tables of blocks: those of the game and those of the mapserver.
var knownTables = []string{
	tablePos, tableXYZ,
	"CREATE TABLE `blocks` (`pos` INT PRIMARY KEY, `data` BLOB, `mtime` INTEGER DEFAULT 0)",
	"CREATE TABLE `blocks` (`x` INTEGER, `y` INTEGER, `z` INTEGER, `data` BLOB NOT NULL, `mtime` INTEGER DEFAULT 0, " +
		"PRIMARY KEY (`x`, `z`, `y`))",
}

// SQLiteTables returns the CREATE statements of all known variants of the table of blocks.
func SQLiteTables() []string { return slices.Clone(knownTables) }

// blockTable is the layout of a table of blocks in an SQLite database. Unknown columns are ignored.
type blockTable struct {
	path   string
	schema Schema
	order  order
	// planes is set if the primary key begins with pos, or x, and stores integers as integers, so that the blocks of
	// a plane are one range of the key.
	planes bool
}

// layoutOf determines the layout from the names of the columns, in lower case. first is the first column of the
// primary key, if it holds integers.
func layoutOf(path string, isTable, isView bool, columns []string, first string) (t blockTable, err error) {
	has := func(names ...string) bool {
		for _, n := range names {
			if !slices.Contains(columns, n) {
				return false
			}
		}
		return isTable
	}
	switch {
	case has("pos", "data"):
		return blockTable{path, SchemaPos, orderZYX, first == "pos"}, nil
	case has("x", "y", "z", "data"):
		return blockTable{path, SchemaXYZ, orderXZY, first == "x"}, nil
	case isView:
		return t, &fault.Error{File: path, Path: "blocks", Offset: -1, Want: "a table", Got: "a view", Err: fault.ErrFormat}
	}
	return t, &fault.Error{File: path, Path: "blocks", Offset: -1, Want: "a table with the columns pos and data, " +
		"or x, y, z and data", Got: fmt.Sprintf("columns %q", abridge(strings.Join(columns, ", "))), Err: fault.ErrFormat}
}

// keyColumns returns the key columns, in key order.
func (t *blockTable) keyColumns() string {
	if t.schema == SchemaXYZ {
		return "x, z, y"
	}
	return "pos"
}

// keyOf returns the values of the key columns for a position.
func (t *blockTable) keyOf(p Pos) []any {
	if t.schema == SchemaXYZ {
		return []any{int64(p.X), int64(p.Z), int64(p.Y)}
	}
	return []any{p.Key()}
}

// keyText formats a key for a message.
func keyText(key []any) string { return strings.Trim(fmt.Sprint(key), "[]") }

// edge returns the key values at which an area begins or ends, given a position. For an area of whole planes it
// returns only the first column, so that rows without a valid position between them belong to the area.
func (t *blockTable) edge(a Area, p Pos) []any {
	values := t.keyOf(p)
	if all := All(); a.Min.Y == all.Min.Y && a.Min.Z == all.Min.Z && a.Max.Y == all.Max.Y && a.Max.Z == all.Max.Z {
		values = values[:1]
	}
	return values
}

// oddRow returns the error for a row without a valid position.
func (t *blockTable) oddRow(key []any) *RowError {
	text := keyText(key)
	return badRow(t.path, text, "", "the integers of a position", text)
}

// The kinds of keys.
const (
	keyPos  = iota // a position
	keyOdd         // something else
	keyNull        // NULL in a column, which no condition finds again
)

// position returns the position that a key means, and the kind of the key.
func (t *blockTable) position(key []any) (p Pos, kind int) {
	var ints [3]int64
	for i, v := range key {
		switch v := v.(type) {
		case int64:
			ints[i] = v
		case nil:
			kind = keyNull
		default:
			kind = max(kind, keyOdd)
		}
	}
	if kind != keyPos {
		return p, kind
	}
	ok := false
	if t.schema == SchemaXYZ {
		p, ok = posOfXZY(ints)
	} else {
		p, ok = PosOfKey(ints[0])
	}
	if !ok {
		kind = keyOdd
	}
	return p, kind
}

// coordinate returns the block coordinate in the first column of a key.
func (t *blockTable) coordinate(first any) (int16, bool) {
	n, ok := first.(int64)
	if t.schema == SchemaXYZ {
		return int16(n), ok && inRange(n)
	}
	p, valid := PosOfKey(n)
	return p.Z, ok && valid
}

func posOfXZY(k [3]int64) (Pos, bool) {
	return Pos{int16(k[0]), int16(k[2]), int16(k[1])}, inRange(k[0]) && inRange(k[1]) && inRange(k[2])
}

// Schema returns the schema of the table.
func (t *blockTable) Schema() Schema { return t.schema }

// SchemaOf returns the schema of an SQLite store; for other stores it returns the default schema of [Create].
func SchemaOf(db DB) Schema {
	if s, ok := db.(interface{ Schema() Schema }); ok {
		return s.Schema()
	}
	return SchemaPos
}

func (t *blockTable) keyOrder() order { return t.order }

func (t *blockTable) axis() int { return t.order[0] }

func (t *blockTable) String() string {
	return "SQLite " + strconv.Quote(t.path) + ", schema " + t.schema.String()
}

// errEnough ends a loop early.
var errEnough = errors.New("enough")
