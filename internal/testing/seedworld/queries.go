package seedworld

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"trowel.example/internal/testing/censustest"
)

// Queries returns questions about the world with their answers.
func (t *Truth) Queries() []censustest.Query {
	chests, lying := make(map[string]int), []string(nil)
	for _, c := range t.Chests {
		if c.Owner != "" && c.Diamonds > 0 {
			chests[c.Owner] += c.Diamonds
		}
	}
	all := t.Diamonds()
	delete(all, "")
	if t.Lying > 0 {
		lying = []string{fmt.Sprint(t.Lying)}
	}
	var texts, players, never, forced, free []string
	signs := slices.Clone(t.Signs)
	slices.SortFunc(signs, func(a, b Sign) int { return compareAt(a.At, b.At) })
	for _, s := range signs {
		texts = append(texts, fmt.Sprintf("%d|%d|%d|%s", s.At[0], s.At[1], s.At[2], s.Text))
	}
	full := slices.Clone(t.Chests)
	slices.SortFunc(full, func(a, b Chest) int { return compareAt(a.At, b.At) })
	for _, c := range full {
		if c.Owner == "" && c.Diamonds >= 50 {
			free = append(free, fmt.Sprintf("%d|%d|%d|%d", c.At[0], c.At[1], c.At[2], c.Diamonds))
		}
	}
	for _, p := range t.Players {
		players = append(players, fmt.Sprintf("%s|%d", p.Name, p.HP))
		if p.LastLogin < 0 {
			never = append(never, p.Name)
		}
	}
	for i, p := range t.Forced {
		forced = append(forced, fmt.Sprintf("%d|%d|%d|%d", p[0], p[1], p[2], i+1))
	}
	versions := make(map[string]int)
	for v, n := range t.Versions {
		versions[fmt.Sprint(v)] = n
	}
	return []censustest.Query{
		{Name: "who owns chests with diamonds, and how many", Want: counted(chests), SQL: `
			SELECT owner, sum(count) FROM minetest_inventories WHERE item = 'default:diamond' AND holder LIKE
			'default:chest%' AND owner IS NOT NULL GROUP BY owner ORDER BY owner`},
		{Name: "how many diamonds everybody has, in chests and with him", Want: counted(all), SQL: `
			SELECT owner, sum(count) FROM minetest_inventories WHERE item = 'default:diamond' AND kind <> 'object' AND owner
			IS NOT NULL GROUP BY owner ORDER BY owner`},
		{Name: "where 50 diamonds and more are in chests of nobody", Want: free, SQL: `
			SELECT x, y, z, count FROM minetest_inventories WHERE item = 'default:diamond' AND kind = 'node' AND owner IS
			NULL AND count >= 50 ORDER BY z, y, x`},
		{Name: "how many diamonds lie around", Want: lying, SQL: `
			SELECT sum(count) FROM minetest_inventories WHERE item = 'default:diamond' AND kind = 'object' HAVING sum(count) > 0`},
		{Name: "how many nodes there are of each name", Want: counted(t.Nodes), SQL: `
			SELECT node, sum(count) FROM minetest_nodes GROUP BY node ORDER BY node`},
		{Name: "how many blocks there are of each version", Want: counted(versions), SQL: `
			SELECT version, count(*) FROM minetest_blocks GROUP BY version ORDER BY version`},
		{Name: "what is written on signs", Want: texts, SQL: `
			SELECT x, y, z, value FROM minetest_metadata WHERE key = 'text' ORDER BY z, y, x`},
		{Name: "of which nodes timers run", Want: counted(t.Timers), SQL: `
			SELECT node, count(*) FROM minetest_timers GROUP BY node ORDER BY node`},
		{Name: "which objects there are", Want: counted(t.Objects), SQL: `
			SELECT object, count(*) FROM minetest_objects GROUP BY object ORDER BY object`},
		{Name: "who plays, with how much health", Want: players, SQL: `
			SELECT player, hp FROM minetest_players ORDER BY player`},
		{Name: "who has never logged in", Want: never, SQL: `
			SELECT player FROM minetest_players WHERE last_login IS NULL ORDER BY player`},
		{Name: "how much each mod keeps under each key", Want: counted(t.Storage), SQL: `
			SELECT concat(mod, ' ', key), value_bytes FROM minetest_mod_storage ORDER BY 1`},
		{Name: "which blocks stay loaded", Want: forced, SQL: `
			SELECT block_x, block_y, block_z, count FROM minetest_forceloaded ORDER BY count`},
		{Name: "who took how many diamonds out of chests, as recorded for the rollback", Want: counted(t.Taken), SQL: `
			SELECT actor, sum(count) FROM minetest_actions WHERE item = 'default:diamond' AND NOT added GROUP BY actor ORDER BY actor`},
		{Name: "who is banned", Want: t.Banned, SQL: `
			SELECT player FROM minetest_bans ORDER BY player`},
	}
}

// compareAt compares positions by z, y and x.
func compareAt(a, b [3]int) int {
	return cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
}

// counted returns the counts as sorted lines.
func counted(counts map[string]int) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s|%d", name, counts[name]))
	}
	return lines
}
