package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestActors tests that the changes between a snapshot and the world as it is name who made them, as far as the records of the
// rollback in the world have actions on the changed nodes, in that time.
func TestActors(t *testing.T) {
	e, _, id := openPutBack(t) // bricks at 2,2,3 to 20,14,20
	now := time.Now().Unix() + 1
	rows := ""
	for i, r := range []struct {
		actor, x, y, z int
		time           int64
		guessed        int
	}{
		{1, 5, 5, 5, now, 0}, {1, 6, 5, 5, now, 0}, {2, 7, 5, 5, now, 1}, // within the bricks
		{3, 17, 5, 5, now, 0},       // in another block
		{3, 5, 5, 5, now - 9000, 0}, // before the snapshot
		{3, 0, 0, 0, now, 0},        // unchanged node of a changed block
		{3, 900, 5, 5, now, 0},      // elsewhere
	} {
		rows += fmt.Sprintf("INSERT INTO action (id, actor, timestamp, type, x, y, z, oldNode, newNode, guessedActor) VALUES "+
			"(%d, %d, %d, 1, %d, %d, %d, 1, 1, %d);\n", i+1, r.actor, r.time, r.x, r.y, r.z, r.guessed)
	}
	conn, err := sqlite.OpenConn(filepath.Join(e.name, "rollback.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `
CREATE TABLE actor (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE node (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);
CREATE TABLE action (id INTEGER PRIMARY KEY AUTOINCREMENT, actor INTEGER NOT NULL, timestamp TIMESTAMP NOT NULL, type INTEGER NOT NULL,
	list TEXT, "index" INTEGER, "add" INTEGER, stackNode INTEGER, stackQuantity INTEGER, nodeMeta INTEGER, x INT, y INT, z INT,
	oldNode INTEGER, oldParam1 INTEGER, oldParam2 INTEGER, oldMeta TEXT, newNode INTEGER, newParam1 INTEGER, newParam2
	INTEGER, newMeta TEXT, guessedActor INTEGER);
INSERT INTO actor VALUES (1, 'player:ann'), (2, 'player:<bob>'), (3, 'player:eve');
INSERT INTO node VALUES (1, 'default:brick');
`+rows, nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	// The actions are in the future: the comparison ends before them, unless it waits.
	time.Sleep(time.Until(time.Unix(now+1, 0)))
	var answer struct {
		State   string
		Notes   []string
		Changes []struct {
			Text string
			Who  []struct {
				By     string
				Count  int
				Likely bool
			}
		}
	}
	for answer.State != "done" {
		if err := json.Unmarshal(e.get(fmt.Sprintf("/f/%d/compare/0?run=1", id)).Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	if len(answer.Notes) > 0 {
		t.Errorf("%q", answer.Notes)
	}
	found := make(map[string]string)
	for _, c := range answer.Changes {
		path, _, _ := strings.Cut(c.Text, ":")
		found[path] = fmt.Sprint(c.Who)
	}
	if by, has := found["rollback.sqlite"]; has {
		t.Errorf("the records are a change: %s", by)
	}
	// All bricks are one place.
	if want := "[{ann 2 false} {<bob> 1 true} {eve 1 false}]"; len(answer.Changes) == 0 || fmt.Sprint(answer.Changes[0].Who) != want {
		t.Errorf("the first is not by %s; all: %v", want, found)
	}
}
