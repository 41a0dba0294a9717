package minetest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worldedit"
)

var operatorQueries = []worldQuery{
	{format.Command{
		Name: "may-build", Heading: "Operators", Title: "Who may build at a place",
		Long: "It looks at areas.dat of the mod areas and at the protectors around the place. Those whom a privilege lets " +
			"build everywhere (areas, protection_bypass, delprotect) are told, too.",
		Args:    []format.Option{{Name: "place", Help: "x,y,z in nodes"}},
		Options: []format.Option{{Name: "protector-radius", Type: format.Integer, Default: "5", Help: "how far protectors protect, in nodes: the setting protector_radius"}},
		Example: "may-build 100,12,-40",
	}, noBlocks(findMayBuild)},
	{format.Command{
		Name: "areas", Heading: "Operators", Title: "Areas of the mod areas, of an owner or all",
		Args:    []format.Option{{Name: "owner", List: true, Help: "their names; none is all"}},
		Example: "areas ann",
	}, noBlocks(findAreas)},
	{format.Command{
		Name: "changed", Heading: "Operators", Title: "Who changed a place or an area, the newest first",
		Long: "It is rollback.sqlite that tells, which servers with enable_rollback_recording write.",
		Args: []format.Option{{Name: "place", List: true, Help: "x,y,z in nodes, or two corners x1,y1,z1:x2,y2,z2; none is everywhere"}},
		Options: []format.Option{
			{Name: "actor", Help: "only what this `actor` did: a player, or such as liquid"},
			{Name: "since", Help: "only since a `time`: a day such as 2024-01-31, or how long ago, such as 2w"},
			{Name: "before", Help: "only before a `time`"},
			{Name: "limit", Type: format.Integer, Default: "0", Help: "only so many, the newest; 0 is all"},
		},
		Example: "changed 100,12,-40 --since 2w",
	}, noBlocks(findChanged)},
	{format.Command{
		Name: "bans", Heading: "Operators", Title: "Addresses that may not connect",
		Args:    []format.Option{{Name: "who", List: true, Help: "only these addresses and names"}},
		Example: "bans mallory",
	}, noBlocks(findBans)},
	{format.Command{
		Name: "storage", Heading: "Operators", Title: "What mods keep",
		Long:    "A value that is no text is told as base64.",
		Args:    []format.Option{{Name: "mod", List: true, Help: "a mod, and behind it keys; none is all mods"}},
		Example: "storage beds spawn:ann",
	}, noBlocks(findStorage)},
	{format.Command{
		Name: "players", Heading: "Operators", Title: "Players and accounts for whom a rule holds",
		Long:    "The rules are those of edit purge-players.",
		Options: ruleOptions,
		Example: `players --not-seen 30d --where "xp < 100"`,
	}, noBlocks(findPeople)},
}

// readFile reads a file of the world, which may be missing.
func (q *asking) readFile(name string) ([]byte, error) {
	text, err := regular.ReadFile(filepath.Join(q.dir, name), world.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// placeOf parses the position of a node.
func placeOf(text string) ([3]int, error) {
	v, ok := parseVec(text, worldedit.MinNode, worldedit.MaxNode)
	if !ok {
		return v, fmt.Errorf("%q: expected x,y,z in nodes, such as 100,12,-40", text)
	}
	return v, nil
}

// nodeAt returns the place of a node.
func nodeAt(v [3]int) place.Node {
	p, index := worldedit.Vec(v).Block()
	return place.InBlock(index).In(p.X, p.Y, p.Z)
}

func (q *asking) areas() (*protect.Areas, error) {
	text, err := q.readFile(protect.AreasFile)
	if err != nil {
		return nil, err
	}
	return protect.ParseAreas(text)
}

func findMayBuild(ctx context.Context, q *asking) error {
	pos, err := placeOf(q.query.Value("place"))
	if err != nil {
		return err
	}
	radius := q.query.Integer("protector-radius")
	if radius < 0 || radius > 1000 {
		return errors.New("--protector-radius: expected 0 to 1000")
	}
	areas, err := q.areas()
	if err != nil {
		return err
	}
	db, err := worlddir.OpenMap(ctx, q.dir, q.settings, q.job.On(optionRemote.Name))
	if err != nil {
		return err
	}
	defer db.Close()
	var protectors []protect.Protector
	for b, err := range db.Blocks(ctx, protect.Near(pos, radius)) {
		var row *mapdb.RowError
		if errors.As(err, &row) {
			q.miss(err)
			continue
		}
		if err != nil {
			return err
		}
		block, err := mapblock.Decode(b.Data)
		if err != nil {
			q.miss(fmt.Errorf("%s: %w", place.Block(b.Pos.X, b.Pos.Y, b.Pos.Z), err))
			continue
		}
		for _, p := range protect.Protectors(b.Pos, block) {
			if p.Reaches(pos, radius) {
				protectors = append(protectors, p)
			}
		}
	}
	at := nodeAt(pos)
	in := areas.At(pos)
	hit := func(who, why string) error {
		return q.hit(format.Hit{Path: "protection", At: at, Fields: []format.InfoField{format.Fact("who", "", who), format.Fact("why", "", why)}})
	}
	var reasons []string
	for _, a := range in {
		reasons = append(reasons, strings.TrimSpace(fmt.Sprintf("area %d %s", a.ID, a.Name)))
	}
	for _, p := range protectors {
		reasons = append(reasons, fmt.Sprintf("%s at %d,%d,%d", p.Node, p.Pos[0], p.Pos[1], p.Pos[2]))
	}
	why := strings.Join(reasons, ", ")
	right := protect.MayBuild(in, protectors)
	if right.Everybody {
		if why == "" {
			why = "nothing protects it"
		}
		return hit("everybody", why)
	}
	for _, name := range right.Names {
		if err := hit(name, why); err != nil {
			return err
		}
	}
	for _, f := range right.Factions {
		if err := hit("faction "+f, why); err != nil {
			return err
		}
	}
	if len(right.Needs) > 0 {
		if err := hit("who has "+strings.Join(right.Needs, " and "), why); err != nil {
			return err
		}
	}
	return q.bypass(ctx, len(in) > 0, len(protectors) > 0, hit)
}

// bypass reports the accounts with privileges that allow building everywhere.
func (q *asking) bypass(ctx context.Context, areas, protectors bool, hit func(who, why string) error) error {
	auth, err := world.OpenAuth(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer auth.Close()
	for name, err := range auth.Names(ctx) {
		var a *world.Account
		if err == nil {
			a, err = auth.Get(ctx, name)
		}
		if err != nil {
			if ctx.Err() != nil || world.Failed(err) {
				return err
			}
			q.miss(err)
			continue
		}
		has := func(privilege string) bool { return slices.Contains(a.Privileges, privilege) }
		why := ""
		switch {
		case has("protection_bypass"):
			why = "privilege protection_bypass"
		case areas && !protectors && has("areas"):
			why = "privilege areas"
		case protectors && !areas && has("delprotect"):
			why = "privilege delprotect"
		case areas && protectors && has("areas") && has("delprotect"):
			why = "privileges areas and delprotect"
		default:
			continue
		}
		if err := hit(name, why); err != nil {
			return err
		}
	}
	return nil
}

func findAreas(_ context.Context, q *asking) error {
	areas, err := q.areas()
	if err != nil {
		return err
	}
	owners := q.query.List("owner")
	for _, a := range areas.List {
		if len(owners) > 0 && !slices.Contains(owners, a.Owner) {
			continue
		}
		size := int64(1)
		for i := range a.Min {
			size *= int64(a.Max[i]) - int64(a.Min[i]) + 1
		}
		corner := func(v [3]int) string { return fmt.Sprintf("%d,%d,%d", v[0], v[1], v[2]) }
		err := q.hit(format.Hit{Path: protect.AreasFile, At: nodeAt(clamp(a.Min)), Fields: []format.InfoField{
			format.Fact("id", "", a.ID), format.Fact("name", "", a.Name), format.Fact("owner", "", a.Owner),
			format.Fact("from", "", corner(a.Min)), format.Fact("to", "", corner(a.Max)), format.Fact("nodes", "", size),
			format.Fact("parent", "", a.Parent), format.Fact("open", "", a.Open),
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// clamp returns the node of the world that is nearest to a position.
func clamp(v [3]int) [3]int {
	for i := range v {
		v[i] = min(max(v[i], worldedit.MinNode), worldedit.MaxNode)
	}
	return v
}

func findChanged(ctx context.Context, q *asking) error {
	f := rollback.Filter{Actor: q.query.Value("actor"), Limit: q.query.Integer("limit")}
	if words := q.query.List("place"); len(words) > 1 {
		return errors.New("expected one place")
	} else if len(words) == 1 {
		from, to, isArea := strings.Cut(words[0], ":")
		if !isArea {
			to = from
		}
		a, err := placeOf(from)
		if err != nil {
			return err
		}
		b, err := placeOf(to)
		if err != nil {
			return err
		}
		box := worldedit.BoxOf(a, b)
		f.Area = &[2][3]int{box.Min, box.Max}
	}
	now := time.Now()
	for option, at := range map[string]*time.Time{"since": &f.Since, "before": &f.Until} {
		if text := q.query.Value(option); text != "" {
			var err error
			if *at, err = timeOf(text, now); err != nil {
				return fmt.Errorf("--%s %w", option, err)
			}
		}
	}
	db, err := rollback.Open(ctx, q.dir)
	if errors.Is(err, fs.ErrNotExist) {
		q.job.Warn(q.name, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	for a, err := range db.Actions(ctx, f) {
		if errors.Is(err, fault.ErrLost) {
			if q.miss(err); a.ID == 0 {
				continue
			}
		} else if err != nil {
			return err
		}
		hit := format.Hit{Path: rollback.File, Fields: []format.InfoField{
			format.Fact("time", "", a.Time.Format(time.DateTime)), format.Fact("actor", "", a.Actor), format.Fact("what", "", a.What()),
			format.Fact("kind", "", a.Type.String()), format.Fact("guessed", "", a.Guessed),
		}}
		if a.HasPos {
			hit.At = nodeAt(clamp(a.Pos))
		}
		if err := q.hit(hit); err != nil {
			return err
		}
	}
	return nil
}

func findBans(_ context.Context, q *asking) error {
	text, err := q.readFile("ipban.txt")
	if err != nil {
		return err
	}
	who := q.query.List("who")
	for ban := range world.ParseBans(text).All() {
		if len(who) > 0 && !slices.Contains(who, ban.Address) && !slices.Contains(who, ban.Name) {
			continue
		}
		if err := q.hit(format.Hit{Path: "ipban.txt", Fields: []format.InfoField{format.Fact("address", "", ban.Address), format.Fact("name", "", ban.Name)}}); err != nil {
			return err
		}
	}
	return nil
}

func findStorage(ctx context.Context, q *asking) error {
	store, err := world.OpenStorage(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer store.Close()
	words := q.query.List("mod")
	for mod, err := range store.Names(ctx) {
		if err == nil && len(words) > 0 && mod != words[0] {
			continue
		}
		var m *world.ModData
		if err == nil {
			m, err = store.Get(ctx, mod)
		}
		if err != nil {
			if ctx.Err() != nil || world.Failed(err) {
				return err
			}
			q.miss(err)
			continue
		}
		for _, e := range m.Entries {
			if len(words) > 1 && !slices.Contains(words[1:], string(e.Key)) {
				continue
			}
			var at check.Place = place.Entry{Mod: mod, Key: string(e.Key)}
			value, binary := string(e.Value), ""
			if !utf8.ValidString(value) {
				value, binary = "", base64.StdEncoding.EncodeToString(e.Value)
			}
			if err := q.hit(format.Hit{Path: "mod_storage", At: at, Fields: []format.InfoField{
				format.Fact("mod", "", mod), format.Fact("key", "", string(e.Key)), format.Fact("value", "", value),
				format.Fact("base64", "", binary), format.Fact("bytes", "", int64(len(e.Value))),
			}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func findPeople(ctx context.Context, q *asking) error {
	rule, err := ruleOf(q.query)
	if err != nil {
		return err
	}
	players, err := world.OpenPlayers(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer players.Close()
	auth, err := world.OpenAuth(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer auth.Close()
	for p, err := range worldadmin.Find(ctx, players, auth, rule) {
		if err != nil {
			if p == nil && (ctx.Err() != nil || world.Failed(err) || errors.Is(err, worldadmin.ErrNoKey)) {
				return err
			}
			q.miss(err)
			continue
		}
		seen, privileges := "", ""
		if !p.Seen.IsZero() {
			seen = p.Seen.Format(time.DateTime)
		}
		if p.Account != nil {
			privileges = strings.Join(p.Account.Privileges, " ")
		}
		if err := q.hit(format.Hit{Path: "players", At: place.Player(p.Name), Fields: []format.InfoField{
			format.Fact("name", "", p.Name), format.Fact("seen", "", seen), format.Fact("player", "", p.Playing), format.Fact("account", "", p.Account != nil), format.Fact("privileges", "", privileges),
		}}); err != nil {
			return err
		}
	}
	return nil
}
