package worldadmin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// Rename is a step that renames a player everywhere: the player, the account, the bans, the metadata of nodes,
// areas.dat, and the keys in mod storage.
type Rename struct {
	From, To string
	// Keys are the keys of node metadata whose value is one name, in addition to owner.
	Keys []string
	// Password is a new password for the account, or "" to keep the old one. The stored password depends on the name,
	// so the old password remains valid only if the names differ only in case.
	Password string
	// KeepStorage leaves the keys of mod storage unchanged.
	KeepStorage bool
	Counts      *worldedit.Counts
}

// Step returns the step.
func (r Rename) Step() worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		if !world.ValidPlayerName(r.To) {
			return fmt.Errorf("%.40q: expected a name of 1 to 19 letters, digits, - and _", r.To)
		}
		if r.From == r.To {
			return fmt.Errorf("the name is already %s", r.To)
		}
		if err := r.person(ctx, w); err != nil {
			return err
		}
		for _, do := range []func(context.Context, *worldedit.World) error{r.bans, r.areas, r.storage, r.metadata} {
			if err := do(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// person renames the player and the account.
func (r Rename) person(ctx context.Context, w *worldedit.World) error {
	players, err := w.Players(ctx)
	if err != nil {
		return err
	}
	auth, err := w.Auth(ctx)
	if err != nil {
		return err
	}
	player, noPlayer := players.Get(ctx, r.From)
	account, noAccount := auth.Get(ctx, r.From)
	for _, err := range []error{noPlayer, noAccount} {
		if err != nil && !errors.Is(err, world.ErrNotFound) {
			return err
		}
	}
	if noPlayer != nil && noAccount != nil {
		return requirePlayer(ctx, players, auth, r.From)
	}
	_, free := players.Get(ctx, r.To)
	_, freeAccount := auth.Get(ctx, r.To)
	if !errors.Is(free, world.ErrNotFound) || !errors.Is(freeAccount, world.ErrNotFound) {
		return fmt.Errorf("a player or account with the name %s exists already", r.To)
	}
	if noPlayer == nil {
		player.Name = r.To
		if err := errors.Join(players.Delete(ctx, r.From), players.Put(ctx, player)); err != nil {
			return err
		}
		noteChange(r.Counts, "players", r.From+" renamed to "+r.To, 1, "")
	}
	if noAccount == nil {
		switch kind := account.Password.Kind(); {
		case r.Password != "":
			account.Password = world.NewVerifier(r.To, r.Password)
			noteChange(r.Counts, "auth", r.To+" has a new password", 1, "")
		case kind == "none", kind == "srp" && strings.EqualFold(r.From, r.To):
		default: // the verifier of a password depends on the name
			noteChange(r.Counts, "auth", "the password is invalid for the new name: set a new password for "+r.To, 1, "")
		}
		account.Name = r.To
		if err := errors.Join(auth.Delete(ctx, r.From), auth.Put(ctx, account)); err != nil {
			return err
		}
		noteChange(r.Counts, "auth", r.From+" renamed to "+r.To, 1, "")
	}
	return nil
}

func (r Rename) bans(_ context.Context, w *worldedit.World) error {
	b, err := bans(w)
	if err != nil {
		return err
	}
	var list []world.Ban
	for ban := range b.All() {
		if ban.Name == r.From {
			list = append(list, ban)
		}
	}
	if len(list) == 0 {
		return nil
	}
	for _, ban := range list {
		b.Rename(ban, r.To)
	}
	noteChange(r.Counts, bansFile, "bans renamed", int64(len(list)), "bans")
	return w.WriteFile(bansFile, b.Append(nil))
}

// areasOf returns the areas of a world, or nil if there are none.
func areasOf(w *worldedit.World) (*protect.Areas, error) {
	text, err := w.ReadFile(protect.AreasFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return protect.ParseAreas(text)
}

func (r Rename) areas(_ context.Context, w *worldedit.World) error {
	areas, err := areasOf(w)
	if err != nil || areas == nil {
		return err
	}
	n := areas.Rename(r.From, r.To)
	if n == 0 {
		return nil
	}
	noteChange(r.Counts, protect.AreasFile, "areas with a new owner", int64(n), "areas")
	return w.WriteFile(protect.AreasFile, areas.Append(nil))
}

// storage renames keys in mod storage that are the name, or contain it as a word, such as home:ann. Values belong to
// the mods and are not changed: the step reports how many contain the name.
func (r Rename) storage(ctx context.Context, w *worldedit.World) error {
	storage, err := w.Storage(ctx)
	if err != nil || r.KeepStorage {
		return err
	}
	var mods []string
	for mod, err := range storage.Names(ctx) {
		if err != nil {
			return err
		}
		mods = append(mods, mod)
	}
	for _, mod := range mods {
		m, err := storage.Get(ctx, mod)
		if err != nil {
			return err
		}
		var renamed, within int64
		for i, e := range m.Entries {
			if hasName(string(e.Value), r.From) {
				within++
			}
			key := replaceName(string(e.Key), r.From, r.To)
			if key == string(e.Key) {
				continue
			}
			if _, taken := m.Get(key); taken {
				return fmt.Errorf("the mod %s has values for both keys, %s and %s", mod, e.Key, key)
			}
			m.Entries[i].Key = []byte(key)
			renamed++
		}
		noteChange(r.Counts, "mod_storage", "keys of "+mod+" renamed", renamed, "keys", place.Entry{Mod: mod})
		noteChange(r.Counts, "mod_storage", "values of "+mod+" that contain the name, unchanged", within, "values", place.Entry{Mod: mod})
		if renamed > 0 {
			if err := storage.Put(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// inName reports whether a character can occur in a name.
func inName(c rune) bool {
	return c == '-' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// hasName reports whether name occurs in text as a word.
func hasName(text, name string) bool { return replaceName(text, name, name+"*") != text }

// replaceName replaces the name from where it occurs in text as a word.
func replaceName(text, from, to string) string {
	if !strings.Contains(text, from) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		n := strings.IndexFunc(text, inName)
		if n < 0 {
			break
		}
		b.WriteString(text[:n])
		text = text[n:]
		end := strings.IndexFunc(text, func(c rune) bool { return !inName(c) })
		if end < 0 {
			end = len(text)
		}
		if word := text[:end]; word == from {
			b.WriteString(to)
		} else {
			b.WriteString(word)
		}
		text = text[end:]
	}
	return b.String() + text
}

// metadata renames the owners and members of nodes. Other texts that contain the name, such as the title of a chest,
// and the data of objects belong to the mods and are not changed: the step reports how many there are.
func (r Rename) metadata(ctx context.Context, w *worldedit.World) error {
	var nodes, texts, objects atomic.Int64
	err := w.Do(ctx, worldedit.Each{Area: mapdb.All(), Edit: func(b *worldedit.Block) error {
		for i := range b.Metadata.List {
			changed := false
			for j := range b.Metadata.List[i].Vars {
				v := &b.Metadata.List[i].Vars[j]
				if value := r.inNode(v.Key, v.Value); value != v.Value {
					v.Value, changed = value, true
				} else if hasName(value, r.From) {
					texts.Add(1)
				}
			}
			if changed {
				nodes.Add(1)
				b.Mark()
			}
		}
		for i := range b.Objects.List {
			if hasName(string(b.Objects.List[i].Data), r.From) {
				objects.Add(1)
			}
		}
		return nil
	}})
	noteChange(r.Counts, "map", "nodes with a new owner or member", nodes.Load(), "nodes")
	noteChange(r.Counts, "map", "other metadata that contain the name, unchanged", texts.Load(), "values")
	noteChange(r.Counts, "map", "objects that contain the name, unchanged", objects.Load(), "objects")
	return err
}

// inNode returns the new value of a key in the metadata of a node.
func (r Rename) inNode(key, value string) string {
	switch {
	case key == "members": // names separated by spaces
		words := strings.Split(value, " ")
		for i, word := range words {
			if word == r.From {
				words[i] = r.To
			}
		}
		return strings.Join(words, " ")
	case value == r.From && (key == "owner" || slices.Contains(r.Keys, key)):
		return r.To
	}
	return value
}
