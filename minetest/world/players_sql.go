package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
)

var playerTables = tables{
	sqlite: []string{
		"CREATE TABLE IF NOT EXISTS player (name VARCHAR(50) NOT NULL, pitch NUMERIC(11, 4) NOT NULL, yaw NUMERIC(11, 4) " +
			"NOT NULL, posX NUMERIC(11, 4) NOT NULL, posY NUMERIC(11, 4) NOT NULL, posZ NUMERIC(11, 4) NOT NULL, hp INT NOT " +
			"NULL, breath INT NOT NULL, creation_date DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, modification_date " +
			"DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (name))",
		"CREATE TABLE IF NOT EXISTS player_metadata (player VARCHAR(50) NOT NULL, metadata VARCHAR(256) NOT NULL, value " +
			"TEXT, PRIMARY KEY (player, metadata), FOREIGN KEY (player) REFERENCES player (name) ON DELETE CASCADE)",
		"CREATE TABLE IF NOT EXISTS player_inventories (player VARCHAR(50) NOT NULL, inv_id INT NOT NULL, inv_width INT " +
			"NOT NULL, inv_name TEXT NOT NULL DEFAULT '', inv_size INT NOT NULL, PRIMARY KEY (player, inv_id), FOREIGN KEY " +
			"(player) REFERENCES player (name) ON DELETE CASCADE)",
		"CREATE TABLE IF NOT EXISTS player_inventory_items (player VARCHAR(50) NOT NULL, inv_id INT NOT NULL, slot_id " +
			"INT NOT NULL, item TEXT NOT NULL DEFAULT '', PRIMARY KEY (player, inv_id, slot_id), FOREIGN KEY (player) " +
			"REFERENCES player (name) ON DELETE CASCADE)",
	},
	postgres: []string{
		"CREATE TABLE IF NOT EXISTS player (name VARCHAR(60) NOT NULL, pitch NUMERIC(15, 7) NOT NULL, yaw NUMERIC(15, 7) " +
			"NOT NULL, posX NUMERIC(15, 7) NOT NULL, posY NUMERIC(15, 7) NOT NULL, posZ NUMERIC(15, 7) NOT NULL, hp INT NOT " +
			"NULL, breath INT NOT NULL, creation_date TIMESTAMP WITHOUT TIME ZONE NOT NULL DEFAULT NOW(), modification_date " +
			"TIMESTAMP WITHOUT TIME ZONE NOT NULL DEFAULT NOW(), PRIMARY KEY (name))",
		"CREATE TABLE IF NOT EXISTS player_inventories (player VARCHAR(60) NOT NULL, inv_id INT NOT NULL, inv_width INT " +
			"NOT NULL, inv_name TEXT NOT NULL DEFAULT '', inv_size INT NOT NULL, PRIMARY KEY (player, inv_id), CONSTRAINT " +
			"player_inventories_fkey FOREIGN KEY (player) REFERENCES player (name) ON DELETE CASCADE)",
		"CREATE TABLE IF NOT EXISTS player_inventory_items (player VARCHAR(60) NOT NULL, inv_id INT NOT NULL, slot_id " +
			"INT NOT NULL, item TEXT NOT NULL DEFAULT '', PRIMARY KEY (player, inv_id, slot_id), CONSTRAINT " +
			"player_inventory_items_fkey FOREIGN KEY (player) REFERENCES player (name) ON DELETE CASCADE)",
		"CREATE TABLE IF NOT EXISTS player_metadata (player VARCHAR(60) NOT NULL, attr VARCHAR(256) NOT NULL, value " +
			"TEXT, PRIMARY KEY (player, attr), CONSTRAINT player_metadata_fkey FOREIGN KEY (player) REFERENCES player (name) ON DELETE CASCADE)",
	},
}

var playerRows = rowsOf[*Player]{
	names: func(db *sqlDB) string {
		if !db.has("player") {
			return ""
		}
		return "SELECT name FROM player"
	},
	get:    getPlayer,
	put:    putPlayer,
	delete: deletePlayer,
}

// attributeColumn returns the name of the column with the keys of attributes, which differs between SQLite and
// PostgreSQL.
func (db *sqlDB) attributeColumn() string {
	if slices.Contains(db.columns["player_metadata"], "attr") {
		return "attr"
	}
	return "metadata"
}

// dateColumns are the columns with the dates of a player.
var dateColumns = []string{"creation_date", "modification_date"}

func getPlayer(ctx context.Context, db *sqlDB, name string) (*Player, error) {
	if !db.has("player") {
		return nil, ErrNotFound
	}
	var p *Player
	path := fmt.Sprintf("player[%q]", name)
	err := db.query(ctx, path, "SELECT pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date "+
		"FROM player WHERE name = $1", []any{name}, func(r *row) error {
		p = &Player{
			Name: name, Pitch: r.float(0, "pitch"), Yaw: r.float(1, "yaw"),
			Pos: [3]float64{r.float(2, "posX"), r.float(3, "posY"), r.float(4, "posZ")},
			HP:  int(r.int(5, "hp", 0, math.MaxUint16)), Breath: int(r.int(6, "breath", 0, math.MaxUint16)),
		}
		for i, date := range []*time.Time{&p.Created, &p.Modified} {
			ok := false
			if *date, ok = r.time(7 + i); !ok {
				db.lose(path+"."+dateColumns[i], place.Player(name), "%.40q, which is not a date", fmt.Sprint(r.values[7+i]))
			}
		}
		return nil
	})
	if err == nil && p == nil {
		err = ErrNotFound
	}
	if err == nil && db.has("player_metadata") {
		key := db.attributeColumn()
		err = db.query(ctx, path, "SELECT "+key+", value FROM player_metadata WHERE player = $1 ORDER BY "+key, []any{name}, func(r *row) error {
			p.Attributes = append(p.Attributes, Attribute{r.text(0, key), r.textOrNull(1, "value")})
			return nil
		})
	}
	if err == nil {
		err = getInventory(ctx, db, path, p)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// getInventory reads the lists of a player. As in the engine, slots beyond the size of a list are ignored.
func getInventory(ctx context.Context, db *sqlDB, path string, p *Player) error {
	p.Inventory = new(item.Inventory)
	if !db.has("player_inventories") {
		return nil
	}
	index := make(map[int64]int)
	err := db.query(ctx, path, "SELECT inv_id, inv_width, inv_name, inv_size FROM player_inventories WHERE player = "+
		"$1 ORDER BY inv_id", []any{p.Name}, func(r *row) error {
		name := r.text(2, "inv_name")
		if strings.ContainsAny(name, " \n") {
			r.fail("inv_name", "a name without spaces", name)
		}
		index[r.int(0, "inv_id", math.MinInt64, math.MaxInt64)] = len(p.Inventory.Lists)
		p.Inventory.Lists = append(p.Inventory.Lists, item.List{
			Name: name, Size: int(r.int(3, "inv_size", 0, math.MaxUint32)), Width: int(r.int(1, "inv_width", 0, math.MaxUint32)),
		})
		return nil
	})
	if err != nil || !db.has("player_inventory_items") {
		return err
	}
	gaps := 0
	var broken error
	texts := make([][]string, len(p.Inventory.Lists))
	err = db.query(ctx, path, "SELECT inv_id, slot_id, item FROM player_inventory_items WHERE player = $1 ORDER BY "+
		"inv_id, slot_id", []any{p.Name}, func(r *row) error {
		i, ok := index[r.int(0, "inv_id", math.MinInt64, math.MaxInt64)]
		slot := r.int(1, "slot_id", math.MinInt64, math.MaxInt64)
		text := r.text(2, "item")
		if !ok || r.err != nil {
			return nil
		}
		l := &p.Inventory.Lists[i]
		if slot < int64(len(l.Items)) || slot >= int64(l.Size) {
			return nil
		}
		missing := int(slot) - len(l.Items)
		if gaps += missing; gaps > 0 {
			if e := effort.PlayerGaps.Over(int64(gaps)); e != nil {
				e.File, e.Path = db.file, path+"."+l.Name
				return e
			}
		}
		if strings.Contains(text, "\n") {
			r.fail("item", "a string of one line", text)
			return nil
		}
		stack, err := item.ParseStack(text)
		if broken == nil {
			broken = err
		}
		l.Items = append(l.Items, make([]item.Slot, missing+1)...)
		l.Items[slot].Stack = stack
		texts[i] = append(append(texts[i], make([]string, missing)...), text)
		return nil
	})
	if broken != nil {
		p.Broken = brokenText(p.Inventory, texts)
		p.Inventory = nil
	}
	return err
}

// brokenText returns the text of an inventory that contains items that cannot be parsed. All items are written as
// they are in the rows.
func brokenText(inv *item.Inventory, texts [][]string) (dst []byte) {
	for i, l := range inv.Lists {
		dst = fmt.Appendf(dst, "List %s %d\nWidth %d\n", l.Name, l.Size, l.Width)
		for _, text := range texts[i] {
			if text == "" {
				dst = append(dst, "Empty\n"...)
			} else {
				dst = fmt.Appendf(dst, "Item %s\n", text)
			}
		}
		dst = append(dst, "EndInventoryList\n"...)
	}
	return append(dst, "EndInventory\n"...)
}

func putPlayer(ctx context.Context, db *sqlDB, p *Player) error {
	path := fmt.Sprintf("player[%q]", p.Name)
	lists, err := p.rows(db.file, path)
	if err != nil {
		return err
	}
	there, created, modified := false, p.Created, p.Modified
	if modified.IsZero() {
		modified = undated
	}
	err = db.query(ctx, path, "SELECT creation_date FROM player WHERE name = $1", []any{p.Name}, func(r *row) error {
		there = true
		if created.IsZero() {
			created, _ = r.time(0)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if created.IsZero() {
		created = modified
	}
	created, modified = created.UTC(), modified.UTC()
	write := "INSERT INTO player (name, pitch, yaw, posX, posY, posZ, hp, breath, creation_date, modification_date) " +
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
	args := []any{p.Name, p.Pitch, p.Yaw, p.Pos[0], p.Pos[1], p.Pos[2], p.HP, p.Breath, created, modified}
	if there {
		write = "UPDATE player SET pitch = $1, yaw = $2, posX = $3, posY = $4, posZ = $5, hp = $6, breath = $7, " +
			"creation_date = $8, modification_date = $9 WHERE name = $10"
		args = append(args[1:], p.Name)
	}
	if err := errors.Join(db.exec(ctx, path, write, args...), deleteParts(ctx, db, p.Name)); err != nil {
		return err
	}
	last := make(map[string]int)
	for i, a := range p.Attributes {
		last[a.Key] = i
	}
	for i, a := range p.Attributes {
		if last[a.Key] != i {
			db.lose(path, place.Player(p.Name), "duplicate attribute %.40q: the last one is used", a.Key)
			continue
		}
		if err := db.exec(ctx, path, "INSERT INTO player_metadata (player, "+db.attributeColumn()+
			", value) VALUES ($1, $2, $3)", p.Name, a.Key, a.Value); err != nil {
			return err
		}
	}
	for i, l := range lists {
		if err := db.exec(ctx, path, "INSERT INTO player_inventories (player, inv_id, inv_width, inv_name, inv_size) "+
			"VALUES ($1, $2, $3, $4, $5)", p.Name, i, l.width, l.name, l.size); err != nil {
			return err
		}
		for j, text := range l.items {
			if err := db.exec(ctx, path, "INSERT INTO player_inventory_items (player, inv_id, slot_id, item) VALUES ($1, "+
				"$2, $3, $4)", p.Name, i, j, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// listRows is a list of an inventory as rows. Its items may be invalid.
type listRows struct {
	name        string
	size, width int
	items       []string
}

// rows returns the inventory as rows. An inventory with damaged items is written back unchanged: see brokenText.
func (p *Player) rows(file, path string) (lists []listRows, err error) {
	if p.Inventory == nil {
		lists, ok := rowsOfText(string(p.Broken))
		if !ok {
			return nil, wrong(file, path+".inventory", "an inventory that can be read", "an unreadable inventory")
		}
		return lists, nil
	}
	for _, l := range p.Inventory.Lists {
		if l.Keep || len(l.Items) > l.Size {
			return nil, wrong(file, path+"."+l.Name, "a list of at most its size", "%s", words.Count(len(l.Items), "item"))
		}
		rows := listRows{name: l.Name, size: l.Size, width: l.Width}
		for _, slot := range l.Items {
			rows.items = append(rows.items, slot.Stack.String())
		}
		lists = append(lists, rows)
	}
	return lists, nil
}

// rowsOfText is the inverse of brokenText.
func rowsOfText(text string) (lists []listRows, ok bool) {
	inList := false
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !inList {
			name, size, _ := strings.Cut(rest, " ")
			n, err := strconv.ParseUint(size, 10, 32)
			switch {
			case word == "EndInventory" && line == "EndInventory\n":
				continue
			case word != "List" || err != nil:
				return nil, false
			}
			lists, inList = append(lists, listRows{name: name, size: int(n)}), true
			continue
		}
		l := &lists[len(lists)-1]
		switch word {
		case "Width":
			n, err := strconv.ParseUint(rest, 10, 32)
			if err != nil {
				return nil, false
			}
			l.width = int(n)
		case "Item", "Empty":
			if len(l.items) == l.size {
				return nil, false
			}
			l.items = append(l.items, rest)
		case "EndInventoryList":
			inList = false
		default:
			return nil, false
		}
	}
	return lists, !inList && (text == "" || strings.HasSuffix(text, "\nEndInventory\n") || text == "EndInventory\n")
}

// deleteParts removes all rows of a player except the row in the table player.
func deleteParts(ctx context.Context, db *sqlDB, name string) error {
	for _, table := range []string{"player_metadata", "player_inventory_items", "player_inventories"} {
		if err := db.exec(ctx, table, "DELETE FROM "+table+" WHERE player = $1", name); err != nil {
			return err
		}
	}
	return nil
}

func deletePlayer(ctx context.Context, db *sqlDB, name string) error {
	if _, err := getPlayer(ctx, db, name); errors.Is(err, ErrNotFound) {
		return err
	}
	return errors.Join(deleteParts(ctx, db, name), db.exec(ctx, "player", "DELETE FROM player WHERE name = $1", name))
}
