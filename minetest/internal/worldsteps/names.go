package worldsteps

import (
	"context"
	"errors"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/glob"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
)

// Kinds of names of options and arguments, in addition to those of [worldquery.Kind].
const (
	NamesNewNode   = "new node"           // nodes of this name are created
	NamesNewItem   = "new item"           // items are renamed to this name
	NamesRule      = "node to keep"       // nodes that a rule names, whether or not the step changes any
	NamesCondition = "node or a variable" // as in --where
	NamesPlayer    = "player"
	NamesMod       = "mod"
	NamesSchematic = "schematic" // files in the folder of the world
)

// givenName is a name that the user gave.
type givenName struct {
	worldquery.Called
	step  *format.Step
	made  bool // nodes or items of this name are created
	match func(string) bool
}

// madeOf reports whether a new name may be of a kind: each node is also an item.
func (w *givenName) madeOf(kind worldquery.Kind) bool {
	return w.made && w.Kind == worldquery.KindItem && kind == worldquery.KindNode
}

// givenNames returns the names in the steps that may not exist in the world. If a step changed something, the names
// in its arguments exist.
func (e *Edited) givenNames(known nodedef.List) (list []givenName) {
	for i := range e.steps {
		s, changed := &e.steps[i], e.tallies[i].Changed()
		add := func(kind worldquery.Kind, name string, made bool) {
			if strings.Trim(name, "*") == "" { // matches everything
				return
			}
			list = append(list, givenName{worldquery.Called{Kind: kind, Name: name}, s, made, glob.Text(name)})
		}
		for _, o := range slices.Concat(s.Args, s.Options) {
			values := o.Values(s.Job)
			if o.Names == string(worldquery.KindVariable) && s.Job.Value("all") == "true" {
				continue // the variable is also set where it does not exist
			}
			for _, value := range values {
				switch o.Names {
				case NamesCondition:
					if kind, name := conditionOf(value); name != "" {
						add(kind, name, false)
					}
				case NamesNewNode, NamesNewItem:
					name, _, _ := strings.Cut(value, "=")
					kind := worldquery.KindNode
					if o.Names == NamesNewItem {
						kind = worldquery.KindItem
					}
					if !known.Defines(name) && !nodedef.MinetestGame().Defines(name) && name != mapblock.Air && s.Job.Value("new-name") == "" {
						add(kind, name, true)
					}
				case NamesRule:
					add(worldquery.KindNode, value, false)
				case string(worldquery.KindObject):
					if s.Job.Value("items") == "true" {
						o.Names = string(worldquery.KindItem)
					}
					fallthrough
				case string(worldquery.KindNode), string(worldquery.KindItem), string(worldquery.KindVariable):
					if !changed || len(values) > 1 {
						add(worldquery.Kind(o.Names), value, false)
					}
				}
			}
		}
	}
	return list
}

// conditionOf returns the kind and the name in a condition of --where.
func conditionOf(text string) (worldquery.Kind, string) {
	key, value, _ := strings.Cut(text, "=")
	if key == "node" {
		return worldquery.KindNode, value
	}
	return worldquery.KindVariable, strings.TrimPrefix(key, "meta:")
}

// checkNames returns an error if the world does not contain a name that the user gave. It reads blocks only if
// necessary, in the worst case all.
func (e *Edited) checkNames(ctx context.Context, known nodedef.List, o world.Options) error {
	list := e.givenNames(known)
	names := make(map[worldquery.Called]bool)
	enough := errors.New("all names were found")
	see := func(made bool) func(c worldquery.Called) error {
		return func(c worldquery.Called) error {
			if names[c] {
				return nil
			}
			names[c] = true
			list = slices.DeleteFunc(list, func(w givenName) bool {
				return (w.Kind == c.Kind || w.madeOf(c.Kind)) && (made || !w.made) && w.match(c.Name)
			})
			if len(list) == 0 {
				return enough
			}
			return nil
		}
	}
	for i, db := range []mapdb.DB{e.Base(), e.World} { // a step may have created what the next step names
		if len(list) == 0 {
			return e.lacks.Err
		}
		if i > 0 {
			clear(names)
		}
		if err := worldquery.AllCalled(ctx, db, see(i == 0)); err != nil && err != enough {
			return err
		}
	}
	if slices.ContainsFunc(list, func(w givenName) bool { return w.Kind == worldquery.KindItem }) {
		if err := worldquery.PlayersCalled(ctx, e.Dir, o, see(true)); err != nil && err != enough {
			return err
		}
	}
	for _, w := range list {
		missing := &fault.NameError{Kind: string(w.Kind), Name: w.Name, Where: "in the world"}
		for c := range names {
			if (c.Kind == w.Kind || w.madeOf(c.Kind)) && !(w.made && c.Name == w.Name) {
				missing.Names = append(missing.Names, c.Name)
			}
		}
		slices.Sort(missing.Names)
		if w.Kind == worldquery.KindNode || w.made {
			missing.Names = slices.Concat(missing.Names, known.Names(), nodedef.MinetestGame().Names())
			missing.Names = slices.DeleteFunc(missing.Names, func(name string) bool { return name == w.Name })
		}
		if w.made {
			missing.Fixed, missing.Where = true, "in the world or in the definitions"
			missing.Advice = "--new-name confirms a new name"
		}
		if err := e.lacks.Add(*w.step, w.step.Job.Lack(missing)); err != nil {
			return err
		}
	}
	return e.lacks.Err
}
