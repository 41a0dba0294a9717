package worldedit_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// node is a node of a model, with its metadata and timer.
type node struct {
	name           string
	param1, param2 uint8
	meta, timer    string
}

// model is a world in memory: the nodes of each block. It has no ids, versions, sections or areas: steps are applied
// node by node.
type model map[mapdb.Pos]*[mapblock.NodeCount]node

func modelOf(t *testing.T, db mapdb.DB) model {
	t.Helper()
	m := make(model)
	for row, err := range db.Blocks(context.Background(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := mapblock.Decode(row.Data)
		if err != nil {
			t.Fatalf("%v: %v", row.Pos, err)
		}
		if b, _, err = b.Convert(29, mapblock.ConvertOptions{Drop: true}); err != nil {
			t.Fatalf("%v: %v", row.Pos, err)
		}
		nodes := new([mapblock.NodeCount]node)
		names := b.Nodes()
		for i := range nodes {
			nodes[i] = node{name: names.At(i), param1: names.Param1[i], param2: names.Param2[i]}
		}
		for _, e := range slices.Backward(b.Metadata.List) {
			var vars []string // not in the order of metadata of 2011
			for _, v := range e.Vars {
				if v.Key != "formspec" { // its value depends on the target version
					vars = append(vars, fmt.Sprintf("%s=%s\n", v.Key, v.Value))
				}
			}
			slices.Sort(vars)
			// A width of 0 is the same as none, and edits of old blocks write none.
			nodes[e.Pos].meta = strings.Join(vars, "") + "\n" + strings.ReplaceAll(string(e.Inventory), "\nWidth 0\n", "\n")
		}
		for _, e := range b.Timers.List {
			nodes[e.Pos].timer = fmt.Sprint(e.Timeout, e.Elapsed)
		}
		m[row.Pos] = nodes
	}
	return m
}

func (m model) at(v worldedit.Vec) *node {
	if !worldedit.Everywhere.Contains(v) {
		return nil
	}
	p, i := v.Block()
	if m[p] == nil {
		return nil
	}
	return &m[p][i]
}

// set sets a node. With create, it creates the block if it is missing.
func (m model) set(v worldedit.Vec, n node, create bool) {
	at := m.at(v)
	if at == nil && create && n != (node{name: "air"}) {
		p, i := v.Block()
		m[p] = new([mapblock.NodeCount]node)
		for i := range m[p] {
			m[p][i].name = "air"
		}
		at = &m[p][i]
	}
	if at != nil {
		*at = n
	}
}

func (m model) clone() model {
	c := make(model)
	for p, nodes := range m {
		copy := *nodes
		c[p] = &copy
	}
	return c
}

// each calls do for all existing nodes.
func (m model) each(do func(v worldedit.Vec, n *node)) {
	for p, nodes := range m {
		for i := range nodes {
			x, y, z := mapblock.Coordinates(i)
			do(worldedit.Vec{int(p.X)*16 + x, int(p.Y)*16 + y, int(p.Z)*16 + z}, &nodes[i])
		}
	}
}

// dim removes the light that a node of an old block no longer has: its param1 was needed for another purpose.
func (m model) dim(is model, old func(mapdb.Pos) bool) {
	is.each(func(v worldedit.Vec, n *node) {
		if p, _ := v.Block(); n.param1 == 0 && old(p) && m.at(v) != nil {
			m.at(v).param1 = 0
		}
	})
}

func (m model) diff(t *testing.T, want model, what string) {
	t.Helper()
	if len(m) != len(want) {
		t.Fatalf("%s: %d blocks, want %d", what, len(m), len(want))
	}
	wrong := 0
	want.each(func(v worldedit.Vec, n *node) {
		if got := m.at(v); got == nil || *got != *n {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: at %v is\n%+v, want\n%+v", what, v, got, *n)
			}
		}
	})
	if wrong > 0 {
		t.Fatalf("%s: %d nodes", what, wrong)
	}
}

// trial is a random step for the world and the model.
type trial struct {
	name  string
	step  worldedit.Step
	model func(m model)
}

// dice creates random steps around the origin of a world.
type dice struct {
	*rand.Rand
	t     *testing.T
	other *worldedit.World // for overlays
	there model
}

func (r dice) vec(lo, hi int) (v worldedit.Vec) {
	for i := range v {
		v[i] = lo + r.IntN(hi-lo+1)
	}
	return v
}

var names = []string{"air", "default:stone", "default:chest", "stairs:slab_wood", "default:water_source", "unknown:thing"}

func (r dice) node() string { return names[r.IntN(len(names))] }

func (r dice) maybeHollow(s worldedit.Shape) (worldedit.Box, func(worldedit.Vec) bool) {
	if r.IntN(2) == 0 {
		s = s.Hollow()
	}
	return s.Box, s.In
}

// region returns a region, and a function that reports whether a node is in it.
func (r dice) region(bounded bool) (worldedit.Region, func(v worldedit.Vec, n *node) bool) {
	reg := worldedit.Region{Box: worldedit.BoxOf(r.vec(-24, 40), r.vec(-24, 40))}
	switch r.IntN(6) {
	case 0:
		s, err := worldedit.Sphere(r.vec(-10, 20), 2+r.IntN(12))
		if err != nil {
			r.t.Fatal(err)
		}
		reg.Box, reg.In = r.maybeHollow(s)
	case 1:
		s, err := worldedit.Cylinder(r.vec(-10, 20), turn.Axis(r.IntN(3)), 1-2*r.IntN(2)*9, 5, r.IntN(6))
		if err != nil {
			r.t.Fatal(err)
		}
		reg.Box, reg.In = r.maybeHollow(s)
	case 2:
		reg.Box = worldedit.BoxOfBlocks(mapdb.Area{Min: mapdb.Pos{X: -1, Y: 0, Z: 0}, Max: mapdb.Pos{X: 0, Y: 1, Z: 0}})
	case 3:
		if !bounded {
			reg.Invert = true
		}
	case 4:
		if !bounded {
			reg.Box = worldedit.Everywhere
		}
	}
	where := func(*node) bool { return true }
	switch r.IntN(6) {
	case 0:
		reg.Where.Names = worldedit.Names{"default:*", "air"}
		where = func(n *node) bool { return strings.HasPrefix(n.name, "default:") || n.name == "air" }
	case 1:
		reg.Where.Meta = map[string]string{"infotext": "Chest*"}
		where = func(n *node) bool {
			return strings.Contains("\n"+n.meta, "\ninfotext=Chest")
		}
	}
	return reg, func(v worldedit.Vec, n *node) bool {
		in := reg.Box.Contains(v) && (reg.In == nil || reg.In(v))
		return n != nil && in != reg.Invert && where(n)
	}
}

func (r dice) setting() worldedit.Setting {
	return worldedit.Setting{Param2: uint8(r.IntN(256)), KeepParam2: r.IntN(3) == 0, KeepMetadata: r.IntN(3) == 0,
		Counts: new(worldedit.Counts)}
}

// become changes a node according to a setting.
func become(n *node, name string, s worldedit.Setting) {
	if n.name != name && !s.KeepMetadata {
		n.meta, n.timer = "", ""
	}
	if n.name = name; !s.KeepParam2 {
		n.param2 = s.Param2
	}
}

// stretch returns a trial that enlarges a region.
func (r dice) stretch(reg worldedit.Region, in func(worldedit.Vec, *node) bool, s worldedit.Setting) trial {
	by := worldedit.Vec{1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(3)}
	step, err := worldedit.Stretch(reg, by, s)
	if err != nil {
		r.t.Fatal(err)
	}
	return trial{fmt.Sprint("stretch", by, reg.Box), step, func(m model) {
		was, least := m.clone(), reg.Box.Min
		to := func(v worldedit.Vec, i, j, k int) worldedit.Vec {
			d := v.Sub(least)
			return least.Add(worldedit.Vec{d[0]*by[0] + i, d[1]*by[1] + j, d[2]*by[2] + k})
		}
		was.each(func(v worldedit.Vec, n *node) {
			if in(v, n) && was.at(to(v, 0, 0, 0)) != nil {
				m.set(v, node{name: "air", param1: n.param1}, false)
			}
		})
		was.each(func(v worldedit.Vec, n *node) {
			if !in(v, n) {
				return
			}
			for i := range by[0] * by[1] * by[2] {
				m.set(to(v, i%by[0], i/by[0]%by[1], i/by[0]/by[1]), *n, false)
			}
		})
	}}
}

func (r dice) trial() trial {
	s := r.setting()
	switch r.IntN(12) {
	case 0:
		s.Create = r.IntN(2) == 0
		reg, in := r.region(s.Create)
		if s.Create {
			reg.Where, in = worldedit.Where{}, func(v worldedit.Vec, n *node) bool { return reg.Box.Contains(v) && (reg.In == nil || reg.In(v)) }
		}
		name := r.node()
		return trial{"set " + name, worldedit.Set(reg, name, s), func(m model) {
			box := reg.Box
			if !s.Create {
				m.each(func(v worldedit.Vec, n *node) {
					if in(v, n) {
						become(n, name, s)
					}
				})
				return
			}
			for x := box.Min[0]; x <= box.Max[0]; x++ {
				for y := box.Min[1]; y <= box.Max[1]; y++ {
					for z := box.Min[2]; z <= box.Max[2]; z++ {
						v := worldedit.Vec{x, y, z}
						if !in(v, nil) {
							continue
						}
						n := node{name: "air"}
						if at := m.at(v); at != nil {
							n = *at
						}
						become(&n, name, s)
						m.set(v, n, true)
					}
				}
			}
		}}
	case 1, 2:
		reg, in := r.region(false)
		to := r.node()
		inverse := r.IntN(3) == 0
		step := worldedit.Replace(reg, worldedit.Names{"default:st*", "air"}, to, s)
		if inverse {
			step = worldedit.ReplaceOthers(reg, worldedit.Names{"default:st*"}, to, s)
		}
		return trial{"replace by " + to, step, func(m model) {
			m.each(func(v worldedit.Vec, n *node) {
				match := strings.HasPrefix(n.name, "default:st") || !inverse && n.name == "air"
				if match != inverse && !(inverse && n.name == "air") && in(v, n) {
					become(n, to, s)
				}
			})
		}}
	case 3:
		reg, in := r.region(false)
		return trial{"set-param2", worldedit.SetParam2(reg, s.Param2, s), func(m model) {
			m.each(func(v worldedit.Vec, n *node) {
				if in(v, n) {
					n.param2 = s.Param2
				}
			})
		}}
	case 4, 5, 6:
		reg, in := r.region(true)
		by := r.vec(-20, 20)
		count, leave := 1, false
		s.Create = r.IntN(3) == 0
		step, what := worldedit.Copy(reg, by, s), "copy"
		switch r.IntN(3) {
		case 0:
			step, what, leave = worldedit.Move(reg, by, s), "move", true
		case 1:
			count = 1 + r.IntN(4)
			step, what = worldedit.Stack(reg, by, count, s), "stack"
		}
		return trial{fmt.Sprint(what, by, count, reg.Box, reg.In != nil, reg.Where), step, func(m model) {
			if by == (worldedit.Vec{}) {
				return
			}
			was := m.clone()
			if leave {
				was.each(func(v worldedit.Vec, n *node) {
					if in(v, n) && (s.Create || was.at(v.Add(by)) != nil) {
						m.set(v, node{name: "air", param1: n.param1}, false)
					}
				})
			}
			for k := 1; k <= count; k++ {
				was.each(func(v worldedit.Vec, n *node) {
					if in(v, n) {
						m.set(v.Add(worldedit.Vec{by[0] * k, by[1] * k, by[2] * k}), *n, s.Create)
					}
				})
			}
		}}
	case 7, 8:
		reg, in := r.region(true)
		if r.IntN(4) == 0 {
			return r.stretch(reg, in, s)
		}
		motion := turn.Turn(turn.Axis(r.IntN(3)), 1+r.IntN(3))
		if r.IntN(2) == 0 {
			motion = motion.Then(turn.Mirror(turn.Axis(r.IntN(3))))
		}
		s.Orient = r.IntN(2) == 0
		step, err := worldedit.Turn(reg, motion, s)
		if err != nil {
			r.t.Fatal(err)
		}
		return trial{fmt.Sprint("turn ", motion, reg.Box), step, func(m model) {
			was := m.clone()
			to := func(v worldedit.Vec) worldedit.Vec {
				return reg.Box.Min.Add(motion.In(reg.Box.Size(), v.Sub(reg.Box.Min)))
			}
			was.each(func(v worldedit.Vec, n *node) {
				if in(v, n) && was.at(to(v)) != nil {
					m.set(v, node{name: "air", param1: n.param1}, false)
				}
			})
			was.each(func(v worldedit.Vec, n *node) {
				if !in(v, n) {
					return
				}
				new := *n
				if s.Orient {
					new.param2 = oriented(n, motion)
				}
				m.set(to(v), new, false)
			})
		}}
	case 9:
		reg, in := r.region(false)
		motion := turn.Turn(turn.Y, 1+r.IntN(3))
		return trial{"orient", worldedit.Orient(reg, motion, s), func(m model) {
			m.each(func(v worldedit.Vec, n *node) {
				if in(v, n) {
					n.param2 = oriented(n, motion)
				}
			})
		}}
	case 10:
		reg, in := r.region(false)
		switch r.IntN(4) {
		case 0:
			return trial{"delete-metadata", worldedit.DeleteMetadata(reg, "", s.Counts), func(m model) {
				m.each(func(v worldedit.Vec, n *node) {
					if in(v, n) {
						n.meta = ""
					}
				})
			}}
		case 1:
			return trial{"delete-timers", worldedit.DeleteTimers(reg, s.Counts), func(m model) {
				m.each(func(v worldedit.Vec, n *node) {
					if in(v, n) {
						n.timer = ""
					}
				})
			}}
		case 2:
			return trial{"set-metadata", worldedit.SetMetadata(reg, "infotext", "new", worldedit.MetadataOptions{}, s.Counts), func(m model) {
				m.each(func(v worldedit.Vec, n *node) {
					if _, rest, ok := strings.Cut(n.meta, "infotext="); ok && in(v, n) {
						before, _, _ := strings.Cut(n.meta, "infotext=")
						_, after, _ := strings.Cut(rest, "\n")
						n.meta = before + "infotext=new\n" + after
					}
				})
			}}
		}
		return trial{"replace-items", worldedit.ReplaceItems(reg, worldedit.Names{"default:d*"}, "default:gold",
			worldedit.ItemOptions{}, s.Counts), func(m model) {
			m.each(func(v worldedit.Vec, n *node) {
				if in(v, n) {
					n.meta = strings.ReplaceAll(n.meta, "Item default:dirt", "Item default:gold")
				}
			})
		}}
	}
	reg, in := r.region(false)
	if r.IntN(2) == 0 {
		lost := func(err error) { r.t.Error(err) }
		return trial{"put-back", worldedit.PutBack(r.other, reg, worldedit.PutBackOptions{Lost: lost, Counts: s.Counts}), func(m model) {
			absent := make(map[mapdb.Pos]bool)
			r.there.each(func(v worldedit.Vec, n *node) {
				p, _ := v.Block()
				if m[p] == nil && in(v, n) {
					absent[p] = true
				} else if in(v, n) {
					m.set(v, *n, false)
				}
			})
			for p := range absent {
				whole := *r.there[p]
				m[p] = &whole
			}
		}}
	}
	by := r.vec(-2, 2)
	if r.IntN(2) == 0 {
		by = worldedit.Vec{by[0] * 16, by[1] * 16, by[2] * 16}
	}
	return trial{"overlay", worldedit.Overlay(r.other, reg, by, s), func(m model) {
		r.there.each(func(v worldedit.Vec, n *node) {
			if in(v, n) {
				m.set(v.Add(by), *n, false)
			}
		})
	}}
}

// oriented returns the param2 of a node that is rotated in place.
func oriented(n *node, motion turn.Motion) uint8 {
	def := nodedef.MinetestGame()[n.name]
	if def == nil {
		return n.param2
	}
	p, _ := motion.Param2(def.ParamType2, n.param2)
	return p
}

// blocks returns the blocks around the origin of a world: of all versions from oldest on, with some missing.
func blocks(r *rand.Rand, oldest int) []mapdb.Block {
	var list []mapdb.Block
	for p := range worldedit.Positions(mapdb.Area{Min: mapdb.Pos{X: -1, Y: -1, Z: -1}, Max: mapdb.Pos{X: 1, Y: 1, Z: 1}}) {
		if r.IntN(6) == 0 {
			continue
		}
		version := 0
		for version < oldest {
			version = worldtest.Versions[r.IntN(len(worldtest.Versions))]
		}
		list = append(list, mapdb.Block{Pos: p, Data: worldtest.Block(r.IntN(48), version)})
	}
	return list
}

func each(list []mapdb.Block) func(yield func(mapdb.Block, error) bool) {
	return func(yield func(mapdb.Block, error) bool) {
		for _, b := range list {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func storedWorld(t *testing.T, c mapdb.Config, list []mapdb.Block) string {
	t.Helper()
	return worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), c, each(list))
}

// TestModel applies random steps to random worlds and to a model, with all kinds of stores, and compares them.
func TestModel(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	for _, name := range slices.Sorted(maps.Keys(worldtest.Backends)) {
		t.Run(name, func(t *testing.T) {
			c := worldtest.Backends[name](t)
			rounds := 2
			if c.Backend == mapdb.SQLite && c.Schema == mapdb.SchemaPos {
				rounds = 4
			}
			if c.Postgres != "" || c.Redis.Address != "" || !tests.Long(t) { // there is only one such store
				rounds = 1
			}
			for seed := range rounds {
				r := dice{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(len(name)))), t: t}
				dir := storedWorld(t, c, blocks(r.Rand, 17))
				other := storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, blocks(r.Rand, 17))
				r.other = open(t, other)
				r.there = modelOf(t, r.other)
				w := open(t, dir)
				m := modelOf(t, w)
				for n := range 5 {
					var steps []worldedit.Step
					what := fmt.Sprintf("seed %d, step %d:", seed, n)
					for range 1 + r.IntN(3) {
						trial := r.trial()
						steps = append(steps, trial.step)
						trial.model(m)
						what += " " + trial.name
					}
					if err := w.Do(ctx, steps...); err != nil {
						t.Fatal(what, err)
					}
					is := modelOf(t, w)
					m.dim(is, func(p mapdb.Pos) bool {
						data, err := w.Get(ctx, p)
						return err == nil && data[0] < 22
					})
					is.diff(t, m, what)
				}
				if r := w.Report(); r.Damaged+r.Kept > 0 {
					t.Fatalf("%+v", r)
				}
				dst := filepath.Join(t.TempDir(), "copy")
				if _, err := w.Copy(ctx, dst, "x", worldcopy.Options{Map: "sqlite-pos"}); err != nil {
					t.Fatal(err)
				}
				modelOf(t, open(t, dst)).diff(t, m, "copy")
				if _, err := w.InPlace(ctx, ""); err != nil {
					t.Fatal(err)
				}
				modelOf(t, open(t, dir)).diff(t, m, "in place")
			}
		})
	}
}
