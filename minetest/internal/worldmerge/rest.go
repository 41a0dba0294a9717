package worldmerge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// rest merges everything except the blocks.
func (m *merger) rest(ctx context.Context) error {
	players, err := storesOf(ctx, m, (*worldedit.World).Players)
	if err == nil {
		err = mergeStore(ctx, m, players, "player", func(p *world.Player) string { return p.Name }, samePlayer, m.player)
	}
	if err != nil {
		return err
	}
	accounts, err := storesOf(ctx, m, (*worldedit.World).Auth)
	if err == nil {
		err = mergeStore(ctx, m, accounts, "account", func(a *world.Account) string { return a.Name }, sameAccount, m.account)
	}
	if err != nil {
		return err
	}
	storage, err := storesOf(ctx, m, (*worldedit.World).Storage)
	if err == nil {
		err = mergeStore(ctx, m, storage, "mod storage", func(d *world.ModData) string { return d.Mod }, sameData, m.data)
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

// three is a store of base, ours and theirs.
type three[T any] struct{ b, o, t world.Store[T] }

func storesOf[T any](ctx context.Context, m *merger, open func(*worldedit.World, context.Context) (world.Store[T], error)) (s three[T], err error) {
	if s.b, err = open(m.base, ctx); err == nil {
		if s.o, err = open(m.w, ctx); err == nil {
			s.t, err = open(m.theirs, ctx)
		}
	}
	return s, err
}

// mergeStore merges things by name. The function merge merges the changes of theirs into the thing of ours.
func mergeStore[T any](ctx context.Context, m *merger, s three[T], what string, name func(T) string, same func(a, b T) bool, merge func(path string, b, o, t T) T) error {
	names := make(map[string]bool)
	var count [2]int
	for i, store := range []world.Store[T]{s.b, s.t} {
		for n, err := range store.Names(ctx) {
			if err != nil && n == "" {
				return err
			}
			names[n] = true
			count[i]++
		}
	}
	// A copy that contains only the map does not mean that all things were deleted.
	if count[0] > 0 && count[1] == 0 && !m.conflict(what, nil, fmt.Sprintf("theirs has none of %d, as if the store were missing", count[0]), nil, nil, nil) {
		return nil
	}
	var order []string
	for n := range names {
		order = append(order, n)
	}
	slices.Sort(order)
	for _, n := range order {
		var versions [3]T
		var there [3]bool
		var broken error
		for i, store := range []world.Store[T]{s.b, s.o, s.t} {
			thing, err := store.Get(ctx, n)
			switch {
			case err == nil:
				versions[i], there[i] = thing, true
			case !errors.Is(err, world.ErrNotFound):
				broken = err
			}
		}
		path := what + " " + n
		if broken != nil {
			m.conflict(path, nil, fmt.Sprintf("cannot be read: that of ours stays: %v", broken), nil, nil, nil)
			continue
		}
		b, o, t := versions[0], versions[1], versions[2]
		var err error
		switch {
		case there[2] && there[1] && same(o, t), there[0] == there[2] && (!there[0] || same(b, t)):
		case there[0] == there[1] && (!there[0] || same(b, o)):
			if there[2] {
				m.took(path, nil, "taken")
				err = s.o.Put(ctx, t)
			} else {
				m.took(path, nil, "deleted")
				err = s.o.Delete(ctx, n)
			}
		case !there[2]:
			if m.conflict(path, nil, "ours changed it, and theirs deleted it", nil, nil, nil) {
				err = s.o.Delete(ctx, n)
			}
		case !there[1]:
			if m.conflict(path, nil, "ours deleted it, and theirs changed it", nil, nil, nil) {
				err = s.o.Put(ctx, t)
			}
		case !there[0]:
			if m.conflict(path, nil, "both added it", nil, nil, nil) {
				err = s.o.Put(ctx, t)
			}
		default:
			m.took(path, nil, "what theirs changed")
			err = s.o.Put(ctx, merge(path, b, o, t))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// value merges one value of a thing.
func value[T comparable](m *merger, path string, at []check.Place, name string, b, o, t T) T {
	if b == t || o == t || b != o && !m.conflict(path, at, fmt.Sprintf("%s: %v became %v and %v", name, b, o, t), fmt.Sprint(b), fmt.Sprint(o), fmt.Sprint(t)) {
		return o
	}
	return t
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
	at := []check.Place{place.Player(o.Name)}
	o.Pos = value(m, path, at, "position", b.Pos, o.Pos, t.Pos)
	o.Pitch = value(m, path, at, "pitch", b.Pitch, o.Pitch, t.Pitch)
	o.Yaw = value(m, path, at, "yaw", b.Yaw, o.Yaw, t.Yaw)
	o.HP = value(m, path, at, "health", b.HP, o.HP, t.HP)
	o.Breath = value(m, path, at, "breath", b.Breath, o.Breath, t.Breath)
	if t.Modified.After(o.Modified) {
		o.Modified = t.Modified
	}
	var list []world.Attribute
	of := func(p *world.Player, key string) (string, bool) {
		i := slices.IndexFunc(p.Attributes, func(a world.Attribute) bool { return a.Key == key })
		if i < 0 {
			return "", false
		}
		return p.Attributes[i].Value, true
	}
	for _, a := range append(slices.Clone(o.Attributes), t.Attributes...) {
		if slices.ContainsFunc(list, func(x world.Attribute) bool { return x.Key == a.Key }) {
			continue
		}
		if v, keep := entry(m, path, at, a.Key, func(p *world.Player) (string, bool) { return of(p, a.Key) }, b, o, t); keep {
			list = append(list, world.Attribute{Key: a.Key, Value: v})
		}
	}
	o.Attributes = list
	if merged := m.inventory(path, func(name string, slot int) []check.Place {
		return []check.Place{place.Slot{Player: o.Name, List: name, Slot: slot}}
	}, inventoryOf(b), inventoryOf(o), inventoryOf(t)); !bytes.Equal(merged, inventoryOf(o)) {
		if inv, _, err := item.ParseInventory(merged); err == nil {
			o.Inventory = inv
		}
	}
	return o
}

// entry merges one key of a thing, and reports whether the result has the key.
func entry[T any](m *merger, path string, at []check.Place, key string, of func(T) (string, bool), b, o, t T) (string, bool) {
	was, inB := of(b)
	mine, inO := of(o)
	yours, inT := of(t)
	switch {
	case inB == inT && was == yours, inO == inT && mine == yours:
		return mine, inO
	case inB == inO && was == mine, m.conflict(path, at, fmt.Sprintf("both changed %q", key), nil, nil, nil):
		return yours, inT
	}
	return mine, inO
}

func sameAccount(a, b *world.Account) bool {
	return a.Password == b.Password && a.LastLogin == b.LastLogin && slices.Equal(a.Privileges, b.Privileges)
}

func (m *merger) account(path string, b, o, t *world.Account) *world.Account {
	switch { // the verifier is secret and never reported
	case b.Password == t.Password || o.Password == t.Password:
	case b.Password == o.Password, m.conflict(path, []check.Place{place.Account(o.Name)}, "both changed the password", nil, nil, nil):
		o.Password = t.Password
	}
	o.LastLogin = max(o.LastLogin, t.LastLogin)
	for _, p := range t.Privileges {
		if !slices.Contains(b.Privileges, p) && !slices.Contains(o.Privileges, p) {
			o.Privileges = append(o.Privileges, p)
		}
	}
	o.Privileges = slices.DeleteFunc(o.Privileges, func(p string) bool {
		return slices.Contains(b.Privileges, p) && !slices.Contains(t.Privileges, p)
	})
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
	var order []string
	for k := range keys {
		order = append(order, k)
	}
	slices.Sort(order)
	for _, k := range order {
		v, keep := entry(m, path, []check.Place{place.Entry{Mod: o.Mod, Key: k}}, k, func(d *world.ModData) (string, bool) {
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
	for i, w := range []*worldedit.World{m.base, m.w, m.theirs} {
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
					sides[group] = m.side(file, group, b, ours, t)
				}
				v, keep = sides[group].Get(name)
			case clocks[name]: // changes on both sides while a server runs
				if inT && (!inO || later(yours, mine)) {
					v, keep = yours, true
				}
			default:
				v, keep = entry(m, file, []check.Place{check.File(file)}, name, func(s *world.Settings) (string, bool) { return s.Get(name) }, b, o, t)
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
	m.took(file, []check.Place{check.File(file)}, "settings")
	if file != worldMT {
		return m.w.WriteFile(file, o.Append(nil))
	}
	m.w.AddPart(worldedit.Part{ // the settings of a copy describe where its own parts are
		Keep: func(b worldedit.Keeper) error { return b.Store([]string{file}) },
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
func (m *merger) side(file, group string, b, o, t *world.Settings) *world.Settings {
	mine, _ := o.Get(group)
	yours, inT := t.Get(group)
	text := func(s *world.Settings) (string, bool) {
		var lines []string
		for name, value := range s.All() {
			if groupOf(file, name) == group {
				lines = append(lines, name+" = "+value)
			}
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n"), len(lines) > 0
	}
	was, _ := text(b)
	in, _ := text(o)
	theirs, _ := text(t)
	if clocks[group] && inT && mine != yours && in != was && theirs != was {
		if later(yours, mine) {
			return t
		}
		return o
	}
	if taken, _ := entry(m, file, []check.Place{check.File(file)}, group, text, b, o, t); taken == theirs {
		return t
	}
	return o
}

// later reports whether the unsigned decimal number a is larger than b.
func later(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// isPlace reports whether a setting describes where the world keeps its parts. Such settings are taken from ours.
func isPlace(name string) bool {
	return strings.HasSuffix(name, "backend") || strings.HasPrefix(name, "redis_") || strings.HasPrefix(name, "pgsql_")
}
