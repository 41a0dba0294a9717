// Package worldquery answers the queries of find about worlds, from the options of the queries, and converts the contents of
// a world to rows of tables, for query engines: in one pass on all cores that reads each block once.
//
// Blocks of all versions are presented as a current game reads them. Results come in the order of [mapdb.InSlabs], and within
// a block in the order of the block. An error of yield ends the search and is returned. Rows contain no verifiers of
// passwords, no addresses of players, no values of mod storage and no passwords of settings.
package worldquery

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
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// findFunc is [format.Command.Do] of a query.
type findFunc func(ctx context.Context, s *Search) error

// Bind returns a query whose options are the fields of T.
func Bind[T any](c format.Command, find func(ctx context.Context, s *Search, options T) error) *format.Command {
	return format.Declare[T](c, findFunc(func(ctx context.Context, s *Search) error { return find(ctx, s, format.Values[T](s.step)) }))
}

// BindRest is [Bind] for a query of data other than blocks.
func BindRest[T any](c format.Command, find func(ctx context.Context, s *Search, options T) error) *format.Command {
	return Bind(c, func(ctx context.Context, s *Search, options T) error {
		if !worldjob.InRest(s.job) {
			return nil
		}
		return find(ctx, s, options)
	})
}

// Finder returns the implementation of find with some queries.
func Finder(queries []*format.Command) *format.Finder {
	return &format.Finder{
		Commands: queries,
		Find: func(ctx context.Context, job *format.Job, src *format.Source, step format.Step, hit func(format.Hit) error) error {
			settings, err := world.ReadWorldMT(src.Dir)
			if err != nil {
				return err
			}
			s := &Search{job: job, step: step.Job, dir: src.Dir, name: src.Path, settings: settings, hit: hit}
			return step.Do.(findFunc)(ctx, s)
		},
		Lacks: lacks,
	}
}

// Search is a query of a world that is being answered.
type Search struct {
	job      *format.Job // the job of the run
	step     *format.Job // with the options of the query
	dir      string
	name     string // the name of the world that the user knows
	settings *world.Settings
	hit      func(format.Hit) error
}

// lacks returns an error for each name in a query that no block contains.
func lacks(ctx context.Context, job *format.Job, src *format.Source, query format.Step) error {
	kinds := []Kind{KindNode, KindItem, KindObject, KindVariable}
	i := slices.IndexFunc(query.Args, func(o format.Option) bool { return slices.Contains(kinds, Kind(o.Names)) })
	if i < 0 {
		return nil
	}
	kind, given := Kind(query.Args[i].Names), query.Args[i].Values(query.Job)
	db, err := worldjob.OpenMap(ctx, job, src.Dir)
	if err != nil {
		return err
	}
	defer db.Close()
	names := make(map[string]bool)
	see := func(c Called) error {
		if c.Kind == kind {
			names[c.Name] = true
		}
		return nil
	}
	err = AllCalled(ctx, db, see)
	if kind == KindItem {
		o := world.Options{Remote: worldjob.OptionRemote.On(job)}
		err = errors.Join(err, PlayersCalled(ctx, src.Dir, o, see))
	}
	existing := slices.Sorted(maps.Keys(names))
	for _, name := range given {
		if kind == KindVariable {
			name, _, _ = strings.Cut(name, "=")
		}
		if !slices.ContainsFunc(existing, glob.Text(name)) {
			err = errors.Join(err, &fault.NameError{Kind: string(kind), Name: name, Names: existing, Where: "in the world"})
		}
	}
	return err
}

func (s *Search) miss(err error) { s.job.Miss(s.name, "%v", err) }

func (s *Search) missThing(_ string, err error) { s.miss(err) }

// inBlocks searches the blocks in the selected region.
func (s *Search) inBlocks(ctx context.Context, o worldjob.Places, search func(mapdb.DB, Where) error) error {
	where, err := whereOf(o)
	if err != nil {
		return err
	}
	where.Slab = mapdb.Slab(s.job.Shard)
	where.OnMiss, where.OnProgress = s.miss, func(done, of int) { s.job.Report("searched blocks", done, of) }
	db, err := worlddir.OpenMap(ctx, s.dir, s.settings, world.Options{Remote: worldjob.OptionRemote.On(s.job)})
	if err != nil {
		return err
	}
	defer db.Close()
	if !worlddir.HasMap(db) {
		worldjob.NoMap(s.job, s.name)
	}
	return search(db, where)
}

// inNamed is inBlocks for things with one of some names.
func (s *Search) inNamed(ctx context.Context, o NameOptions, search func(mapdb.DB, Where, Names) error) error {
	names, err := ParseNames(o.Names...)
	if err != nil {
		return err
	}
	return s.inBlocks(ctx, o.Places, func(db mapdb.DB, where Where) error { return search(db, where, names) })
}

// whereOf returns the nodes to search.
func whereOf(o worldjob.Places) (w Where, err error) {
	r, bounded, err := o.Select()
	if bounded {
		w.Box, w.In = &r.Box, r.In
	}
	return w, err
}

// options returns the options for opening the other stores of the world.
func (s *Search) options() world.Options {
	return world.Options{Remote: worldjob.OptionRemote.On(s.job), Lost: func(err error, _ []check.Place) { s.miss(err) }}
}

// at returns a hit for a node, or for something in its block.
func at(n place.Node, where check.Place, fields ...format.InfoField) format.Hit {
	p, _ := n.BlockPos()
	return format.Hit{Path: fmt.Sprintf("block %d,%d,%d", p[0], p[1], p[2]), At: where, Fields: fields}
}

// NameOptions are the options for names in a region.
type NameOptions struct {
	Names []string `arg:"name"`
	worldjob.Places
}

// describeNames describes the argument for names of a kind.
func describeNames(o *format.Option, kind string, required bool) {
	if o.Name != "name" {
		return
	}
	o.Names = kind
	o.Help = "a name, in which * matches any characters and ? one; of several names, one must match"
	if required {
		o.Need = format.Required
	} else {
		o.Help += "; without a name, all match"
	}
}

// NodeOptions are the options of [Nodes].
type NodeOptions struct{ NameOptions }

// Describe describes the names.
func (NodeOptions) Describe(o *format.Option) { describeNames(o, string(KindNode), true) }

// Nodes finds nodes by their names.
func Nodes(ctx context.Context, s *Search, o NodeOptions) error {
	return s.inNamed(ctx, o.NameOptions, func(db mapdb.DB, where Where, names Names) error {
		return FindNodes(ctx, db, where, names, s.node)
	})
}

func (s *Search) node(n Node) error {
	return s.hit(at(n.At, n.At,
		format.Fact("node", "", n.Name), format.Fact("param1", "", int(n.Param1)), format.Fact("param2", "", int(n.Param2))))
}

// UnknownOptions are the options of [Unknown].
type UnknownOptions struct {
	Nodes string `option:"nodes"`
	worldjob.Places
}

// Describe describes the options.
func (UnknownOptions) Describe(o *format.Option) { o.As(worldjob.OfCommand(worldjob.OptionNodes)) }

// Unknown finds nodes that the game does not define.
func Unknown(ctx context.Context, s *Search, o UnknownOptions) error {
	var known func(string) bool
	if o.Nodes == "" {
		o.Nodes = nodedef.Find(s.dir)
	}
	if o.Nodes != "" {
		defined, err := nodedef.ReadFile(o.Nodes)
		if err != nil {
			return err
		}
		known = func(name string) bool { return defined.Nodes[name] != nil }
	}
	return s.inBlocks(ctx, o.Places, func(db mapdb.DB, where Where) error {
		return FindUnknown(ctx, db, where, known, s.node)
	})
}

// MetadataOptions are the options of [Metadata].
type MetadataOptions struct {
	Key string `arg:"key" names:"variable" help:"KEY, or KEY=VALUE; both may contain the wildcards * and ?"`
	worldjob.Places
}

// Metadata finds variables of the metadata of nodes.
func Metadata(ctx context.Context, s *Search, o MetadataOptions) error {
	key, value, hasValue := strings.Cut(o.Key, "=")
	keys, err := ParseNames(key)
	if err != nil {
		return err
	}
	match := func(k, v string) bool { return keys.Match(k) }
	if hasValue && value == "" {
		match = func(k, v string) bool { return v == "" && keys.Match(k) }
	} else if hasValue {
		values, err := ParseNames(value)
		if err != nil {
			return err
		}
		match = func(k, v string) bool { return keys.Match(k) && values.Match(v) }
	}
	return s.metadata(ctx, o.Places, match, func(m Meta) []format.InfoField {
		return []format.InfoField{
			format.Fact("node", "", m.Node), format.Fact("key", "", m.Key), format.Fact("value", "", m.Value),
			format.Fact("owner", "", m.Owner), format.Fact("private", "", m.Private),
		}
	})
}

// SignOptions are the options of [Signs].
type SignOptions struct {
	Text []string `arg:"text" help:"words of the text, ignoring case; without words, any text matches"`
	worldjob.Places
}

// Signs finds nodes with a text.
func Signs(ctx context.Context, s *Search, o SignOptions) error {
	text := strings.ToLower(strings.Join(o.Text, " "))
	return s.metadata(ctx, o.Places, func(key, value string) bool {
		return key == "text" && value != "" && strings.Contains(strings.ToLower(value), text)
	}, func(m Meta) []format.InfoField {
		return []format.InfoField{format.Fact("node", "", m.Node), format.Fact("text", "", m.Value), format.Fact("owner", "", m.Owner)}
	})
}

func (s *Search) metadata(ctx context.Context, o worldjob.Places, match func(key, value string) bool,
	fields func(Meta) []format.InfoField) error {
	return s.inBlocks(ctx, o, func(db mapdb.DB, where Where) error {
		return FindMetadata(ctx, db, where, match, func(m Meta) error { return s.hit(at(m.At, m.At, fields(m)...)) })
	})
}

// TimerOptions are the options of [Timers].
type TimerOptions struct{ NameOptions }

// Describe describes the names.
func (TimerOptions) Describe(o *format.Option) { describeNames(o, string(KindNode), false) }

// Timers finds nodes with a timer.
func Timers(ctx context.Context, s *Search, o TimerOptions) error {
	return s.inNamed(ctx, o.NameOptions, func(db mapdb.DB, where Where, names Names) error {
		return FindTimers(ctx, db, where, names, func(t Timer) error {
			return s.hit(at(t.At, t.At,
				format.Fact("node", "", t.Node), format.Fact("timeout", "", t.Timeout), format.Fact("elapsed", "", t.Elapsed)))
		})
	})
}

// ObjectOptions are the options of [Objects].
type ObjectOptions struct {
	Data string `option:"data" help:"only objects whose data contain this {text}"`
	NameOptions
}

// Describe describes the names.
func (ObjectOptions) Describe(o *format.Option) {
	describeNames(o, string(KindObject), false)
}

// Objects finds objects.
func Objects(ctx context.Context, s *Search, o ObjectOptions) error {
	return s.inNamed(ctx, o.NameOptions, func(db mapdb.DB, where Where, names Names) error {
		return FindObjects(ctx, db, where, names, func(object Object) error {
			if !strings.Contains(object.Data, o.Data) {
				return nil
			}
			fields := []format.InfoField{
				format.Fact("object", "", object.Name), format.Fact("hp", "", object.HP), format.Fact("item", "", object.Item),
			}
			return s.hit(at(object.At, object.At, append(fields, coordinates(object.Pos)...)...))
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

// ItemOptions are the options of [Items].
type ItemOptions struct {
	worldjob.Items
	NameOptions
}

// Describe describes the names.
func (ItemOptions) Describe(o *format.Option) { describeNames(o, string(KindItem), true) }

// Items finds items in the inventories of nodes and players, and dropped items.
func Items(ctx context.Context, s *Search, o ItemOptions) error {
	hit := func(it Item) error {
		fields := []format.InfoField{
			format.Fact("item", "", it.Stack.Name), format.Fact("count", "", int64(it.Stack.Count)), format.Fact("wear", "", it.Stack.Wear),
			format.Fact("in", "", it.Holder), format.Fact("owner", "", it.Owner),
		}
		switch p := it.At.(type) {
		case place.Node:
			return s.hit(at(p, p, fields...))
		case place.Slot:
			if p.Node != nil {
				return s.hit(at(*p.Node, p, fields...))
			}
		}
		return s.hit(format.Hit{Path: "players", At: it.At, Fields: fields})
	}
	_, bounded, err := o.Places.Select()
	if err != nil {
		return err
	}
	nodes, players, err := o.Items.Select(bounded)
	if players && worldjob.InRest(s.job) {
		err = s.inPlayers(ctx, o.Names, func(players world.Players, names Names) error {
			return playerItems(ctx, players, names, s.miss, hit)
		})
	}
	if err != nil || !nodes {
		return err
	}
	return s.inNamed(ctx, o.NameOptions, func(db mapdb.DB, where Where, names Names) error {
		return FindItems(ctx, db, where, names, hit)
	})
}

// inPlayers searches the players.
func (s *Search) inPlayers(ctx context.Context, names []string, search func(world.Players, Names) error) error {
	match, err := ParseNames(names...)
	if err != nil {
		return err
	}
	players, err := world.OpenPlayers(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer players.Close()
	return search(players, match)
}

// PlayerOptions are the options of [Players].
type PlayerOptions struct{ NameOptions }

// Describe describes the names.
func (PlayerOptions) Describe(o *format.Option) { describeNames(o, "player", false) }

// Players finds players.
func Players(ctx context.Context, s *Search, o PlayerOptions) error {
	where, err := whereOf(o.Places)
	if err != nil {
		return err
	}
	accounts, err := world.OpenAuth(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer accounts.Close()
	return s.inPlayers(ctx, o.Names, func(players world.Players, names Names) error {
		return findPlayers(ctx, players, names, s.miss, func(p *world.Player) error {
			pos := [3]float64{p.Pos[0] / 10, p.Pos[1] / 10, p.Pos[2] / 10}
			if !where.Contains(NodeOf(pos)) {
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
				s.miss(fmt.Errorf("account %s: %w", p.Name, err))
			}
			return s.hit(format.Hit{Path: "players", At: place.Player(p.Name), Fields: append([]format.InfoField{
				format.Fact("hp", "", p.HP), format.Fact("breath", "", p.Breath),
				format.Fact("lastLogin", "last login", login), format.Fact("privileges", "", privileges),
			}, coordinates(pos)...)})
		})
	})
}
