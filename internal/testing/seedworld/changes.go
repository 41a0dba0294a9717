package seedworld

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// changes records changes for the rollback: nodes that ann has placed, and diamonds that others took.
func (m *maker) changes() error {
	script := `CREATE TABLE actor (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE node (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE action (id INTEGER PRIMARY KEY AUTOINCREMENT, actor INTEGER NOT NULL, timestamp TIMESTAMP NOT NULL, type INTEGER NOT NULL,
	list TEXT, "index" INTEGER, "add" INTEGER, stackNode INTEGER, stackQuantity INTEGER, nodeMeta INTEGER, x INT, y INT, z INT,
	oldNode INTEGER, oldParam1 INTEGER, oldParam2 INTEGER, oldMeta TEXT, newNode INTEGER, newParam1 INTEGER, newParam2
	INTEGER, newMeta TEXT, guessedActor INTEGER);
CREATE INDEX actionIndex ON action(x, y, z, timestamp, actor);
INSERT INTO node VALUES (1, 'air'), (2, 'default:cobble'), (3, 'default:diamond');`
	var rows strings.Builder
	for i, name := range owners[:3] {
		fmt.Fprintf(&rows, "INSERT INTO actor VALUES (%d, 'player:%s');\n", i+1, name)
	}
	for i := range 30 {
		at := 1_700_000_000 + 3600*i
		if i%3 == 0 {
			fmt.Fprintf(&rows, "INSERT INTO action (actor, timestamp, type, x, y, z, oldNode, newNode) VALUES (1, %d, 1, %d, 8, 3, 1, 2);\n", at, i)
			continue
		}
		m.taken(i)
		fmt.Fprintf(&rows, "INSERT INTO action (actor, timestamp, type, list, \"index\", \"add\", stackNode, stackQuantity, nodeMeta, x, y, z) "+
			"VALUES (%d, %d, 2, 'main', 0, 0, 3, %d, 1, 5, 6, 7);\n", 1+i%3, at, i)
	}
	conn, err := sqlite.OpenConn(filepath.Join(m.dir, "rollback.sqlite"))
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteScript(conn, script+rows.String(), nil), conn.Close())
}

// taken counts the diamonds of action i.
func (m *maker) taken(i int) { m.truth.Taken["player:"+owners[i%3]] += i }
