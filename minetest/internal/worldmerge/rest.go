package worldmerge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// rest merges everything except the blocks.
func (m *merger) rest(ctx context.Context) error {
	err := mergeStore(ctx, m, (*worldedit.World).Players, "player", samePlayer, m.player)
	if err == nil {
		err = mergeStore(ctx, m, (*worldedit.World).Auth, "account", (*world.Account).Equal, m.account)
	}
	if err == nil {
		err = mergeStore(ctx, m, (*worldedit.World).Storage, "mod storage", sameData, m.data)
	}
	if err != nil {
		return err
	}
	for _, file := range []struct{ name, end string }{{worldMT, ""}, {"map_meta.txt", world.MapMetaEnd}, {"env_meta.txt", world.EnvMetaEnd}} {
		if err := m.settings(file.name, file.end); err != nil {
			return err
		}
	}
	return m.files(ctx)
}

// mergeStore merges things by name. The function merge merges the changes of theirs into the thing of ours.
func mergeStore[T comparable](ctx context.Context, m *merger,
	open func(*worldedit.World, context.Context) (world.Store[T], error), what string, same func(a, b T) bool,
	merge func(path string, b, o, t T) T) error {
	var stores []world.Store[T]
	for _, w := range m.worlds() {
		s, err := open(w, ctx)
		if err != nil {
			return err
		}
		stores = append(stores, s)
	}
	names := make(map[string]bool)
	var count [3]int
	for i, store := range stores {
		if i == 1 { // things that only ours has stay
			continue
		}
		for n, err := range store.Names(ctx) {
			if err != nil && n == "" {
				return err
			}
			names[n] = true
			count[i]++
		}
	}
	// A copy that contains only the map does not mean that all things were deleted.
	if count[0] > 0 && count[2] == 0 &&
		m.conflict(spot{path: what}, fmt.Sprintf("theirs has none of %d: the store seems to be missing", count[0])) == merge3.Ours {
		return nil
	}
	var none T
	for _, n := range slices.Sorted(maps.Keys(names)) {
		here := spot{path: what + " " + n}
		var versions [3]T
		var broken error
		for i, store := range stores {
			thing, err := store.Get(ctx, n)
			switch {
			case err == nil:
				versions[i] = thing
			case !errors.Is(err, world.ErrNotFound):
				broken = err
			}
		}
		if broken != nil {
			m.conflict(here, fmt.Sprintf("cannot be read: ours is kept: %v", broken))
			continue
		}
		b, o, t := versions[0], versions[1], versions[2]
		side := merge3.Pick(b, o, t, merge3.Item(same), func() {
			if t == none {
				m.took(here, "deleted")
			} else {
				m.took(here, "taken")
			}
		}, func() merge3.Side {
			switch none {
			case t:
				return m.conflict(here, "ours changed it, and theirs deleted it")
			case o:
				return m.conflict(here, "ours deleted it, and theirs changed it")
			case b:
				return m.conflict(here, "both added it")
			}
			m.took(here, "changes of theirs")
			t = merge(here.path, b, o, t)
			return merge3.Theirs
		})
		var err error
		switch {
		case side == merge3.Ours:
		case t == none:
			err = stores[1].Delete(ctx, n)
		default:
			err = stores[1].Put(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", here.path, err)
		}
	}
	return nil
}

// value merges one value of a thing.
func value[T comparable](m *merger, here spot, name string, b, o, t T) T {
	return merge3.Value(b, o, t, nil, func() merge3.Side {
		b, o, t := fmt.Sprint(b), fmt.Sprint(o), fmt.Sprint(t)
		return m.conflictOf(here, fmt.Sprintf("%s: %s became %s and %s", name, b, o, t), b, o, t)
	})
}

func samePlayer(a, b *world.Player) bool {
	return a.Pos == b.Pos && a.Pitch == b.Pitch && a.Yaw == b.Yaw && a.HP == b.HP && a.Breath == b.Breath &&
		slices.Equal(a.Attributes, b.Attributes) && bytes.Equal(inventoryOf(a), inventoryOf(b))
}

func inventoryOf(p *world.Player) []byte {
	if p.Inventory == nil {
		return p.Broken
	}
	return p.Inventory.Append(nil)
}

func (m *merger) player(path string, b, o, t *world.Player) *world.Player {
	here := spot{path, []check.Place{place.Player(o.Name)}}
	o.Pos = value(m, here, "position", b.Pos, o.Pos, t.Pos)
	o.Pitch = value(m, here, "pitch", b.Pitch, o.Pitch, t.Pitch)
	o.Yaw = value(m, here, "yaw", b.Yaw, o.Yaw, t.Yaw)
	o.HP = value(m, here, "health", b.HP, o.HP, t.HP)
	o.Breath = value(m, here, "breath", b.Breath, o.Breath, t.Breath)
	if t.Modified.After(o.Modified) {
		o.Modified = t.Modified
	}
	o.Attributes = merge3.Store[string, world.Attribute]{
		Key: func(a world.Attribute) string { return a.Key },
		Conflict: func(key string, _, _, _ merge3.Maybe[world.Attribute]) merge3.Side {
			return m.conflict(here, fmt.Sprintf("both changed %q", key))
		},
	}.Merge(b.Attributes, o.Attributes, t.Attributes)
	if merged := m.inventory(here, func(name string, slot int) check.Place {
		return place.Slot{Player: o.Name, List: name, Slot: slot}
	}, inventoryOf(b), inventoryOf(o), inventoryOf(t)); !bytes.Equal(merged, inventoryOf(o)) {
		if inv, _, err := item.ParseInventory(merged); err == nil {
			o.Inventory = inv
		}
	}
	return o
}

// entry merges one key of a thing, and reports whether the result has the key.
func entry[T any](m *merger, here spot, key string, get func(T) (string, bool), b, o, t T) (string, bool) {
	of := func(thing T) (e merge3.Maybe[string]) {
		e.Item, e.There = get(thing)
		return e
	}
	is := merge3.Value(of(b), of(o), of(t), nil, func() merge3.Side { return m.conflict(here, fmt.Sprintf("both changed %q", key)) })
	return is.Item, is.There
}

func (m *merger) account(path string, b, o, t *world.Account) *world.Account {
	// the verifier is secret and never reported
	o.Password = merge3.Value(b.Password, o.Password, t.Password, nil, func() merge3.Side {
		return m.conflict(spot{path, []check.Place{place.Account(o.Name)}}, "both changed the password")
	})
	o.LastLogin = max(o.LastLogin, t.LastLogin)
	o.Privileges = merge3.Store[string, string]{Key: func(p string) string { return p }}.Merge(b.Privileges, o.Privileges, t.Privileges)
	return o
}

func sameData(a, b *world.ModData) bool {
	if len(a.Entries) != len(b.Entries) {
		return false
	}
	for _, e := range a.Entries {
		if v, ok := b.Get(string(e.Key)); !ok || !bytes.Equal(v, e.Value) {
			return false
		}
	}
	return true
}

func (m *merger) data(path string, b, o, t *world.ModData) *world.ModData {
	keys := make(map[string]bool)
	for _, d := range []*world.ModData{b, t} {
		for _, e := range d.Entries {
			keys[string(e.Key)] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		v, keep := entry(m, spot{path, []check.Place{place.Entry{Mod: o.Mod, Key: k}}}, k, func(d *world.ModData) (string, bool) {
			v, ok := d.Get(k)
			return string(v), ok
		}, b, o, t)
		if keep {
			o.Set(k, []byte(v))
		} else {
			o.Delete(k)
		}
	}
	return o
}

// settings merges a file of settings, name by name.
func (m *merger) settings(file, end string) error {
	var texts [3][]byte
	for i, w := range m.worlds() {
		text, err := w.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		texts[i] = text
	}
	if bytes.Equal(texts[0], texts[2]) || bytes.Equal(texts[1], texts[2]) {
		return nil
	}
	b, o, t := world.ParseSettings(texts[0], end), world.ParseSettings(texts[1], end), world.ParseSettings(texts[2], end)
	here := spot{file, []check.Place{check.File(file)}}
	names := make(map[string]bool)
	changed := false
	ours := world.ParseSettings(texts[1], end) // the original settings, for groups whose settings follow one another
	sides := make(map[string]*world.Settings)
	for _, s := range []*world.Settings{b, t, ours} {
		for name := range s.All() {
			if names[name] || isPlace(name) {
				continue
			}
			names[name] = true
			mine, inO := o.Get(name)
			yours, inT := t.Get(name)
			v, keep := mine, inO
			switch group := groupOf(file, name); {
			case group != "":
				if sides[group] == nil {
					sides[group] = m.side(here, group, b, ours, t)
				}
				v, keep = sides[group].Get(name)
			case clocks[name]: // changes on both sides while a server runs
				if inT && (!inO || later(yours, mine)) {
					v, keep = yours, true
				}
			default:
				v, keep = entry(m, here, name, func(s *world.Settings) (string, bool) { return s.Get(name) }, b, o, t)
			}
			switch {
			case keep && (!inO || v != mine):
				if err := o.Set(name, v); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				changed = true
			case !keep && inO:
				o.Remove(name)
				changed = true
			}
		}
	}
	if !changed {
		return nil
	}
	m.took(here, "settings")
	if file != worldMT {
		return m.w.WriteFile(file, o.Append(nil))
	}
	m.w.AddPart(worldedit.Part{ // the settings of a copy describe where its own parts are
		Keep: func(_ context.Context, b worldedit.Keeper) error { return b.Store([]string{file}) },
		Apply: func(_ context.Context, _ string, s *world.Settings) error {
			for name := range names {
				if v, ok := o.Get(name); !ok {
					s.Remove(name)
				} else if err := s.Set(name, v); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return nil
}

const worldMT = "world.mt"

// clocks are settings that increase while a server runs, so the larger value is right.
var clocks = map[string]bool{"game_time": true, "last_clear_objects_time": true, "lbm_introduction_times_version": true}

// groupOf returns the group of a setting that is only meaningful together with others, so that all of them are taken
// from one side: the time of day and the day, the map generator, and the times when mods first changed blocks. It
// returns "" for other settings.
func groupOf(file, name string) string {
	switch {
	case file == "map_meta.txt":
		return "the map generator"
	case name == "game_time" || name == "day_count" || name == "time_of_day":
		return "game_time"
	case strings.HasPrefix(name, "lbm_introduction_times"):
		return "lbm_introduction_times_version"
	}
	return ""
}

// side returns the settings of the side from which a group is taken: the side that changed it, or the side with the
// later clock.
func (m *merger) side(here spot, group string, b, o, t *world.Settings) *world.Settings {
	text := func(s *world.Settings) string {
		var lines []string
		for name, value := range s.All() {
			if groupOf(here.path, name) == group {
				lines = append(lines, name+" = "+value)
			}
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	return merge3.Of(merge3.Pick(b, o, t, func(x, y *world.Settings) bool { return text(x) == text(y) }, nil, func() merge3.Side {
		mine, _ := o.Get(group)
		yours, inT := t.Get(group)
		switch {
		case !clocks[group] || !inT || mine == yours:
			return m.conflict(here, fmt.Sprintf("both changed %q", group))
		case later(yours, mine):
			return merge3.Theirs
		}
		return merge3.Ours
	}), o, t)
}

// later reports whether the unsigned decimal number a is larger than b.
func later(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// isPlace reports whether a setting describes where the world keeps its parts. Such settings are taken from ours.
func isPlace(name string) bool {
	return strings.HasSuffix(name, "backend") || strings.HasPrefix(name, "redis_") || strings.HasPrefix(name, "pgsql_")
}
