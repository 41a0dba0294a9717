package world

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
)

// names calls do for each name in a store, or only counts what in a quick check. It reports a store that cannot be opened
// and entries whose name cannot be read. It returns the number of names.
func names[T any](c *checker, label, what string, s Store[T], err error, do func(name string)) (n int) {
	if errors.Is(err, ErrRemote) {
		c.add(foundRemote, label, "the data is on %v", ErrRemote)
		return 0
	}
	c.unreadable(label, err)
	if err != nil {
		return 0
	}
	for name, err := range s.Names(c.ctx) {
		if err != nil {
			c.unreadable(label, err)
			continue
		}
		if n++; !c.quick {
			do(name)
		}
	}
	c.counts = append(c.counts, what+": "+words.Thousands(int64(n)))
	return n
}

// lost reports the parts of a damaged database, or of a row, that cannot be read.
func (c *checker) lost(err error, at []check.Place) {
	var e *fault.Error
	if !errors.As(err, &e) || len(at) == 0 {
		c.sink.AddAt(foundPages, at, "", -1, "%v", err)
		return
	}
	rest := *e
	rest.File = ""
	if span, ok := at[0].(check.Span); ok {
		c.sink.AddAt(foundPages, at, e.File, span.Offset, "%v", &rest)
		return
	}
	c.sink.AddAt(foundRow, at, e.File, -1, "%v", &rest)
}

// label returns the name of the store of a part in findings.
func (c *checker) label(p Part) string { return p.label(FindBackends(c.dir, c.world).Of(p)) }

func (c *checker) players() {
	at := c.label(PlayersPart)
	s, err := OpenPlayers(c.ctx, c.dir, c.world, c.opts)
	n := names(c, at, "players", s, err, func(name string) {
		where := fmt.Sprintf("%s:%s", at, name)
		c.owner = place.Player(name)
		defer func() { c.owner = nil }()
		if !ValidPlayerName(name) {
			c.add(foundPlayerName, where, "the name is %.60q", name)
		}
		p, err := s.Get(c.ctx, name)
		if err != nil {
			c.report(foundPlayer, where, err)
			return
		}
		c.player(where, p)
	})
	c.entered = n > 0
	switch s := s.(type) {
	case *folder[*Player]:
		if !c.quick {
			c.playerFiles(s)
		}
	case *sqlStore[*Player]:
		if !c.quick {
			c.playerRows(at, s.db)
		}
	}
	c.done(at, s)
}

// done closes a store, if it is open.
func (c *checker) done(at string, s io.Closer) {
	if s != nil {
		c.unreadable(at, s.Close())
	}
}

// maxPosition is the largest distance of an object from the center of the world, in tenths of a node (the unit of
// player positions).
const maxPosition = 327680

// maxSent is the size of a message at which a server ends instead of sending it: processReliableSendCommand in the engine's
// connection.cpp asserts less.
var maxSent = 0x8000 * 512 // for tests

func (c *checker) player(where string, p *Player) {
	for i, v := range p.Pos {
		if !(math.Abs(v) <= maxPosition) {
			c.add(foundPlayerValue, where, "the coordinate %s is %v nodes", "xyz"[i:i+1], v/10)
		}
	}
	if !(math.Abs(p.Pitch) <= 90) || math.IsNaN(p.Yaw) || math.IsInf(p.Yaw, 0) {
		c.add(foundPlayerValue, where, "the player looks along pitch %v, yaw %v", p.Pitch, p.Yaw)
	}
	if p.HP < 0 || p.HP > math.MaxUint16 || p.Breath < 0 || p.Breath > math.MaxUint16 {
		c.add(foundPlayerValue, where, "the player has hp %d, breath %d", p.HP, p.Breath)
	}
	if p.file != nil {
		_, _, _, _, _, unread := headValues(p.file)
		for _, err := range unread {
			c.add(foundPlayerValue, where, "%v", err)
		}
		text, _ := p.file.Get("extended_attributes")
		if _, _, err := parseAttributes(text); err != nil {
			c.report(foundPlayerAttributes, where, err)
		}
	}
	if n := len(p.appendInventory(nil)); n >= maxSent {
		c.add(foundPlayerLarge, where, "the inventory has %d bytes, the engine sends less than %d", n, maxSent)
	}
	if p.Inventory != nil {
		p.Inventory.Check(place.Inside(c.sink, place.Player(p.Name)).In(where))
		return
	}
	_, _, err := item.ParseInventory(p.Broken)
	c.report(foundPlayerInventory, where, err)
}

// playerFiles reports files of players that are hidden by another file with the same player.
func (c *checker) playerFiles(f *folder[*Player]) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return // the error is already reported, or there are no files
	}
	for _, e := range entries {
		if e.IsDir() || f.broken[e.Name()] != nil {
			continue
		}
		p, err := f.read(e.Name())
		switch {
		case err != nil:
		case f.index[p.Name] != e.Name():
			c.add(foundPlayerTwice, "players:"+e.Name(), "%s also contains the player of %s", p.Name, f.index[p.Name])
		case !f.isNamed(e.Name(), p.Name):
			c.add(foundPlayerFile, "players:"+e.Name(), "the player in it is %.60q", p.Name)
		}
	}
}

// playerRows reports rows without a player and items without a slot.
func (c *checker) playerRows(at string, db *sqlDB) {
	player := func(name string) check.Place { return place.Player(name) }
	for _, table := range []string{"player_metadata", "player_inventories", "player_inventory_items"} {
		if db.has(table) && db.has("player") {
			c.rows(at, db, foundOrphan, player, "SELECT DISTINCT player FROM "+table+" WHERE player NOT IN (SELECT name "+
				"FROM player)", table+" has rows of %q, who does not exist")
		}
	}
	if db.has("player_inventories") && db.has("player_inventory_items") {
		c.unreadable(at, db.run(c.ctx, "", c.row(at, foundSlot, player, "%q has items in slots that do not exist"),
			func(row func([]any) error) error { return db.conn.missingSlots(c.ctx, row) }))
	}
}

// rows reports each row of a query with one column. The value of the column is formatted into the message.
func (c *checker) rows(at string, db *sqlDB, k *check.Kind, owner func(string) check.Place, query, format string) {
	c.unreadable(at, db.query(c.ctx, "", query, nil, c.row(at, k, owner, format)))
}

// row returns a function that reports a row.
func (c *checker) row(at string, k *check.Kind, owner func(string) check.Place, format string) func(r *row) error {
	return func(r *row) error {
		name := r.textOrNull(0, "")
		c.sink.AddAt(k, []check.Place{owner(name)}, at, -1, format, name)
		r.err = nil
		return nil
	}
}

func (c *checker) accounts() {
	at := c.label(AuthPart)
	s, err := OpenAuth(c.ctx, c.dir, c.world, c.opts)
	lower := make(map[string]string)
	names(c, at, "accounts", s, err, func(name string) {
		where := fmt.Sprintf("%s:%s", at, name)
		c.owner = place.Account(name)
		defer func() { c.owner = nil }()
		if !ValidPlayerName(name) {
			c.add(foundAccountName, where, "the name is %.60q", name)
		}
		if other, ok := lower[lowerASCII(name)]; ok {
			c.add(foundAccountCase, where, "%s also exists", other)
		}
		lower[lowerASCII(name)] = name
		a, err := s.Get(c.ctx, name)
		if err != nil {
			c.report(foundAccount, where, err)
		} else if a.Password.Kind() == "unknown" {
			c.add(foundPassword, where, "the kind of the verifier is unknown")
		}
		if a != nil {
			for _, p := range a.Privileges {
				if p == "" || strings.ContainsAny(p, space) {
					c.add(foundPrivilege, where, "the privilege %.40q", p)
					break
				}
			}
		}
	})
	switch s := s.(type) {
	case *authStore:
		c.authFile(s.file)
	case *sqlStore[*Account]:
		if !c.quick {
			c.accountRows(at, s.db)
		}
	}
	c.done(at, s)
}

func (c *checker) authFile(f *AuthFile) {
	seen := make(map[string]bool)
	for i, l := range f.lines {
		where := fmt.Sprintf("auth.txt:%d", i+1)
		switch {
		case !l.ok && strings.Trim(l.raw, space) != "":
			c.add(foundAccountLine, where, "the line has %s", words.Count(len(l.fields()), "field"))
		case l.ok && seen[l.name]:
			c.add(foundAccountTwice, where, "an earlier line has the account %q", l.name)
		}
		seen[l.name] = l.ok
	}
}

// accountRows reports privileges without an account.
func (c *checker) accountRows(at string, db *sqlDB) {
	if db.has("auth") && db.has("user_privileges") {
		c.rows(at, db, foundOrphan, func(string) check.Place { return check.File(at) },
			"SELECT DISTINCT id FROM user_privileges WHERE id NOT IN (SELECT id FROM auth)",
			"user_privileges has rows of the account %s, which does not exist")
	}
}

func (c *checker) storage() {
	at := c.label(StoragePart)
	s, err := OpenStorage(c.ctx, c.dir, c.world, c.opts)
	names(c, at, "mods with storage", s, err, func(mod string) {
		c.owner = place.Entry{Mod: mod}
		defer func() { c.owner = nil }()
		if _, err := s.Get(c.ctx, mod); err != nil {
			c.report(foundStorage, at+":"+mod, err)
		}
	})
	c.done(at, s)
}
