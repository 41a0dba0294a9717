package minetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/glob"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// worldQuery is a query of worlds, with the function that answers it.
type worldQuery struct {
	format.Command
	find func(ctx context.Context, q *asking) error
}

// worldQueries are all queries of worlds, in the order of the help.
var worldQueries = slices.Concat(nodeQueries, itemQueries, operatorQueries)

var worldFinder = &format.Finder{
	Commands: format.Declared(worldQueries, func(q *worldQuery) *format.Command { return &q.Command }),
	Find:     findInWorld,
	Lacks:    lacksInWorld,
}

// lacksInWorld returns an error for each name in a query that no block contains.
func lacksInWorld(ctx context.Context, job *format.Job, src *format.Source, query format.Step) error {
	kind, is := map[string]worldfind.Kind{
		"node": worldfind.KindNode, "timer": worldfind.KindNode, "item": worldfind.KindItem, "object": worldfind.KindObject, "metadata": worldfind.KindVariable,
	}[query.Name]
	if !is {
		return nil
	}
	given := query.Job.List("name")
	if kind == worldfind.KindVariable {
		key, _, _ := strings.Cut(query.Job.Value("key"), "=")
		given = []string{key}
	}
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	db, err := worlddir.OpenMap(ctx, src.Dir, settings, job.On(optionRemote.Name))
	if err != nil {
		return err
	}
	defer db.Close()
	names := make(map[string]bool)
	err = worldfind.AllCalled(ctx, db, func(c worldfind.Called) error {
		if c.Kind == kind {
			names[c.Name] = true
		}
		return nil
	})
	existing := slices.Sorted(maps.Keys(names))
	for _, name := range given {
		if !slices.ContainsFunc(existing, glob.Text(name)) {
			err = errors.Join(err, &fault.NameError{Kind: string(kind), Name: name, Names: existing, Where: "in the world"})
		}
	}
	return err
}

func findInWorld(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(worldQueries, func(q worldQuery) bool { return q.Name == query.Name })
	return worldQueries[i].find(ctx, &asking{job: job, query: query.Job, dir: src.Dir, name: src.Path, settings: settings, hit: hit})
}

// asking is a query of a world that is being answered.
type asking struct {
	job      *format.Job // the job of the run
	query    *format.Job // the words of the query
	dir      string
	name     string // the name of the world that the user knows
	settings *world.Settings
	hit      func(format.Hit) error
}

func (q *asking) miss(err error) { q.job.Miss(q.name, "%v", err) }

// inBlocks searches the blocks in the selected region.
func (q *asking) inBlocks(ctx context.Context, ask func(mapdb.DB, worldfind.Where, worldfind.Names) error) error {
	names, err := worldfind.ParseNames(q.query.List("name")...)
	if err != nil {
		return err
	}
	where, _, err := q.where()
	if err != nil {
		return err
	}
	where.Slab = mapdb.Slab(q.job.Shard)
	where.OnMiss, where.OnProgress = q.miss, func(done, of int) { q.job.Report("searched blocks", done, of) }
	db, err := worlddir.OpenMap(ctx, q.dir, q.settings, q.job.On(optionRemote.Name))
	if err != nil {
		return err
	}
	defer db.Close()
	if !worlddir.HasMap(db) {
		noMap(q.job, q.name)
	}
	return ask(db, where, names)
}

// noBlocks is a query of data other than blocks.
func noBlocks(find func(context.Context, *asking) error) func(context.Context, *asking) error {
	return func(ctx context.Context, q *asking) error {
		if !inRest(q.job) {
			return nil
		}
		return find(ctx, q)
	}
}

// options returns the options for opening the other stores of the world.
func (q *asking) options() world.Options {
	return world.Options{Remote: q.job.On(optionRemote.Name), Lost: func(err error, _ []check.Place) { q.miss(err) }}
}

// at returns a hit for a node, or for something in its block.
func at(n place.Node, where check.Place, fields ...format.InfoField) format.Hit {
	p, _ := n.BlockPos()
	return format.Hit{Path: fmt.Sprintf("block %d,%d,%d", p[0], p[1], p[2]), At: where, Fields: fields}
}

var (
	placeOptions  = []format.Option{stepBox, stepArea, stepSphere}
	argumentName  = format.Option{Name: "name", List: true, Some: true, Help: "a name, with * for any characters and ? for one; of several one has to fit"}
	argumentNames = format.Option{Name: "name", List: true, Help: argumentName.Help + ", none is any"}
)

// where returns the nodes to search, and whether these are only a part of the world.
func (q *asking) where() (w worldfind.Where, bounded bool, err error) {
	r, bounded, err := regionOf(q.query)
	if bounded {
		w.Box, w.In = &r.Box, r.In
	}
	return w, bounded, err
}

var nodeQueries = []worldQuery{
	{format.Command{
		Name: "node", Heading: "Nodes", Title: "Nodes by their names",
		Args: []format.Option{argumentName}, Options: placeOptions,
		Example: "node default:chest 'default:chest_*'",
	}, findNodes},
	{format.Command{
		Name: "unknown-nodes", Heading: "Nodes", Title: "Nodes that the game does not know",
		Long:    "Without definitions of its nodes these are the ones whose id has no name in their block, and those that a repair called unknown:id_7 and the like.",
		Options: append([]format.Option{editNodes}, placeOptions...),
		Example: "unknown-nodes --nodes nodes.json --by node",
	}, findUnknown},
	{format.Command{
		Name: "metadata", Heading: "Nodes", Title: "What nodes keep under a key",
		Args:    []format.Option{{Name: "key", Help: "KEY, or KEY=VALUE; both may have * and ?"}},
		Options: placeOptions,
		Example: "metadata owner=ann --by node",
	}, findMetadata},
	{format.Command{
		Name: "sign", Heading: "Nodes", Title: "Signs and whatever has a text",
		Args:    []format.Option{{Name: "text", List: true, Help: "words that are in it, in capitals or not; none is any text"}},
		Options: placeOptions,
		Example: "sign spawn",
	}, findSigns},
	{format.Command{
		Name: "timer", Heading: "Nodes", Title: "Nodes with a timer",
		Args: []format.Option{argumentNames}, Options: placeOptions,
		Example: "timer 'default:furnace*'",
	}, findTimers},
	{format.Command{
		Name: "object", Heading: "Objects", Title: "Mobs, carts, lying items and other objects",
		Args:    []format.Option{argumentNames},
		Options: append([]format.Option{{Name: "data", Help: "only those that keep this `text`"}}, placeOptions...),
		Example: "object 'mobs_animal:*' --by object",
	}, findObjects},
}

var itemQueries = []worldQuery{
	{format.Command{
		Name: "item", Heading: "Items and players", Title: "Items in inventories of nodes and players, and lying around",
		Long:    "The owner is the player, or who the node says its owner is, such as that of a locked chest. With a place players are left out.",
		Args:    []format.Option{argumentName},
		Options: append([]format.Option{{Name: "in", Help: "only what is there", Choices: []string{"nodes", "players"}}}, placeOptions...),
		Example: "item default:diamond --by owner",
	}, findItems},
	{format.Command{
		Name: "player", Heading: "Items and players", Title: "Players: where they are, and what they may",
		Args: []format.Option{argumentNames}, Options: placeOptions,
		Example: "player 'a*'",
	}, noBlocks(findPlayers)},
}

func findNodes(ctx context.Context, q *asking) error {
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, names worldfind.Names) error {
		return worldfind.Nodes(ctx, db, where, names, q.node)
	})
}

func (q *asking) node(n worldfind.Node) error {
	return q.hit(at(n.At, n.At, format.Fact("node", "", n.Name), format.Fact("param1", "", int(n.Param1)), format.Fact("param2", "", int(n.Param2))))
}

func findUnknown(ctx context.Context, q *asking) error {
	var known func(string) bool
	if file := q.query.Value(optionNodes.Name); file != "" {
		defined, err := nodedef.ReadFile(file)
		if err != nil {
			return err
		}
		known = func(name string) bool { return defined[name] != nil }
	}
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, _ worldfind.Names) error {
		return worldfind.Unknown(ctx, db, where, known, q.node)
	})
}

func findMetadata(ctx context.Context, q *asking) error {
	key, value, hasValue := strings.Cut(q.query.Value("key"), "=")
	keys, err := worldfind.ParseNames(key)
	if err != nil {
		return err
	}
	wanted := func(k, v string) bool { return keys.Match(k) }
	if hasValue && value == "" {
		wanted = func(k, v string) bool { return v == "" && keys.Match(k) }
	} else if hasValue {
		values, err := worldfind.ParseNames(value)
		if err != nil {
			return err
		}
		wanted = func(k, v string) bool { return keys.Match(k) && values.Match(v) }
	}
	return q.metadata(ctx, wanted, func(m worldfind.Meta) []format.InfoField {
		return []format.InfoField{format.Fact("node", "", m.Node), format.Fact("key", "", m.Key), format.Fact("value", "", m.Value), format.Fact("owner", "", m.Owner), format.Fact("private", "", m.Private)}
	})
}

func findSigns(ctx context.Context, q *asking) error {
	words := strings.ToLower(strings.Join(q.query.List("text"), " "))
	return q.metadata(ctx, func(key, value string) bool {
		return key == "text" && value != "" && strings.Contains(strings.ToLower(value), words)
	}, func(m worldfind.Meta) []format.InfoField {
		return []format.InfoField{format.Fact("node", "", m.Node), format.Fact("text", "", m.Value), format.Fact("owner", "", m.Owner)}
	})
}

func (q *asking) metadata(ctx context.Context, wanted func(key, value string) bool, fields func(worldfind.Meta) []format.InfoField) error {
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, _ worldfind.Names) error {
		return worldfind.Metadata(ctx, db, where, wanted, func(m worldfind.Meta) error { return q.hit(at(m.At, m.At, fields(m)...)) })
	})
}

func findTimers(ctx context.Context, q *asking) error {
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, names worldfind.Names) error {
		return worldfind.Timers(ctx, db, where, names, func(t worldfind.Timer) error {
			return q.hit(at(t.At, t.At, format.Fact("node", "", t.Node), format.Fact("timeout", "", t.Timeout), format.Fact("elapsed", "", t.Elapsed)))
		})
	})
}

func findObjects(ctx context.Context, q *asking) error {
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, names worldfind.Names) error {
		return worldfind.Objects(ctx, db, where, names, func(o worldfind.Object) error {
			if !strings.Contains(o.Data, q.query.Value("data")) {
				return nil
			}
			fields := append([]format.InfoField{format.Fact("object", "", o.Name), format.Fact("hp", "", o.HP), format.Fact("item", "", o.Item)}, coordinates(o.Pos)...)
			return q.hit(at(o.At, o.At, fields...))
		})
	})
}

// coordinates returns facts with a position, rounded to a thousandth of a node.
func coordinates(pos [3]float64) []format.InfoField {
	var facts []format.InfoField
	for i, axis := range []string{"x", "y", "z"} {
		facts = append(facts, format.Fact(axis, "", math.Round(pos[i]*1000)/1000))
	}
	return facts
}

func findItems(ctx context.Context, q *asking) error {
	hit := func(it worldfind.Item) error {
		fields := []format.InfoField{format.Fact("item", "", it.Stack.Name), format.Fact("count", "", int64(it.Stack.Count)), format.Fact("wear", "", it.Stack.Wear),
			format.Fact("in", "", it.Holder), format.Fact("owner", "", it.Owner)}
		switch p := it.At.(type) {
		case place.Node:
			return q.hit(at(p, p, fields...))
		case place.Slot:
			if p.Node != nil {
				return q.hit(at(*p.Node, p, fields...))
			}
		}
		return q.hit(format.Hit{Path: "players", At: it.At, Fields: fields})
	}
	_, bounded, err := q.where()
	if err == nil && !bounded && q.query.Value("in") != "nodes" && inRest(q.job) {
		err = q.inPlayers(ctx, func(players world.Players, names worldfind.Names) error {
			return worldfind.PlayerItems(ctx, players, names, q.miss, hit)
		})
	}
	if err != nil || q.query.Value("in") == "players" {
		return err
	}
	return q.inBlocks(ctx, func(db mapdb.DB, where worldfind.Where, names worldfind.Names) error {
		return worldfind.Items(ctx, db, where, names, hit)
	})
}

// inPlayers searches the players.
func (q *asking) inPlayers(ctx context.Context, ask func(world.Players, worldfind.Names) error) error {
	names, err := worldfind.ParseNames(q.query.List("name")...)
	if err != nil {
		return err
	}
	players, err := world.OpenPlayers(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer players.Close()
	return ask(players, names)
}

func findPlayers(ctx context.Context, q *asking) error {
	where, _, err := q.where()
	if err != nil {
		return err
	}
	accounts, err := world.OpenAuth(ctx, q.dir, q.settings, q.options())
	if err != nil {
		return err
	}
	defer accounts.Close()
	return q.inPlayers(ctx, func(players world.Players, names worldfind.Names) error {
		return worldfind.Players(ctx, players, names, q.miss, func(p *world.Player) error {
			pos := [3]float64{p.Pos[0] / 10, p.Pos[1] / 10, p.Pos[2] / 10}
			if !where.Contains(worldfind.NodeOf(pos)) {
				return nil
			}
			var privileges, login string
			switch a, err := accounts.Get(ctx, p.Name); {
			case err == nil:
				privileges = strings.Join(a.Privileges, " ")
				if a.LastLogin > 0 {
					login = time.Unix(a.LastLogin, 0).UTC().Format(time.DateTime)
				}
			case !errors.Is(err, world.ErrNotFound):
				q.miss(fmt.Errorf("account %s: %w", p.Name, err))
			}
			return q.hit(format.Hit{Path: "players", At: place.Player(p.Name), Fields: append([]format.InfoField{
				format.Fact("hp", "", p.HP), format.Fact("breath", "", p.Breath), format.Fact("lastLogin", "last login", login), format.Fact("privileges", "", privileges),
			}, coordinates(pos)...)})
		})
	})
}
