// Package worldadmin contains operations for server operators, as steps of package worldedit: deleting, keeping,
// regenerating and pruning map chunks; purging and renaming players, with everything that contains their names; and
// changing bans and mod storage.
//
// Steps that would delete everything fail with [ErrAll] unless that is explicitly allowed.
package worldadmin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// ErrAll means that a step would delete everything, which was not explicitly allowed.
var ErrAll = errors.New("the selection contains everything")

// noteChange reports a change to t, which may be nil, if count is not 0.
func noteChange(t *worldedit.Counts, path, what string, count int64, unit string, at ...check.Place) {
	if count > 0 {
		t.Add(check.Change{Path: path, What: what, Count: count, Unit: unit, At: at})
	}
}

// ClearObjects is a step that removes all objects: from the blocks themselves or, if quick, by writing the current
// game time to env_meta.txt. The engine then drops the objects of each block that is older than that when it loads
// the block.
func ClearObjects(quick bool, t *worldedit.Counts) worldedit.Step {
	if !quick {
		return worldedit.Each{Area: mapdb.All(), Edit: func(b *worldedit.Block) error {
			if n := len(b.Objects.List); n > 0 {
				b.Objects.List = nil
				b.Mark()
				if t != nil {
					t.Objects.Add(int64(n))
				}
			}
			return nil
		}}
	}
	return worldedit.StepFunc(func(_ context.Context, w *worldedit.World) error {
		const file = "env_meta.txt"
		text, err := w.ReadFile(file)
		if err != nil {
			return err
		}
		s := world.ParseSettings(text, world.EnvMetaEnd)
		now, ok := s.Get("game_time")
		var seconds uint32
		if _, err := fmt.Sscanf(now, "%d", &seconds); !ok || err != nil {
			return fmt.Errorf("%s: expected a game_time, found %.20q", file, now)
		}
		// Blocks that were active when the server stopped have exactly this time, and would keep their objects if the
		// written time were not later.
		if err := s.Set("last_clear_objects_time", fmt.Sprint(uint64(seconds)+1)); err != nil {
			return err
		}
		noteChange(t, file, "objects of older blocks are removed when the blocks are loaded", 1, "")
		return w.WriteFile(file, s.Append(nil))
	})
}

// bansFile is the engine's file of bans.
const bansFile = "ipban.txt"

// bans reads the bans of a world, which may have none.
func bans(w *worldedit.World) (*world.Bans, error) {
	text, err := w.ReadFile(bansFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return world.ParseBans(text), nil
}

// Ban is a step that bans an address. An existing ban is kept.
func Ban(ban world.Ban, t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(_ context.Context, w *worldedit.World) error {
		b, err := bans(w)
		if err != nil {
			return err
		}
		if slices.Contains(slices.Collect(b.All()), ban) {
			return nil
		}
		if err := b.Add(ban); err != nil {
			return err
		}
		noteChange(t, bansFile, strings.TrimSuffix(ban.Address+" "+ban.Name, " ")+" is banned", 1, "")
		return w.WriteFile(bansFile, b.Append(nil))
	})
}

// Unban is a step that removes the bans of an address or a name.
func Unban(addressOrName string, t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(_ context.Context, w *worldedit.World) error {
		b, err := bans(w)
		if err != nil {
			return err
		}
		n := int64(0)
		for ban := range b.All() {
			if ban.Address == addressOrName || ban.Name == addressOrName {
				n++
			}
		}
		if !b.Remove(addressOrName) {
			missing := &fault.NameError{Kind: "ban", Name: addressOrName, Where: "in " + bansFile}
			for ban := range b.All() {
				missing.Names = append(missing.Names, ban.Name, ban.Address)
			}
			return missing
		}
		noteChange(t, bansFile, addressOrName+" is banned no longer", n, "bans")
		return w.WriteFile(bansFile, b.Append(nil))
	})
}

// SetStorage is a step that sets the value of a key in the storage of a mod.
func SetStorage(mod, key string, value []byte, t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		s, err := w.Storage(ctx)
		if err != nil {
			return err
		}
		m, err := s.Get(ctx, mod)
		if errors.Is(err, world.ErrNotFound) {
			m, err = &world.ModData{Mod: mod}, nil
		}
		if err != nil {
			return err
		}
		if old, ok := m.Get(key); ok && string(old) == string(value) {
			return nil
		}
		m.Set(key, value)
		noteChange(t, "mod_storage", "set", 1, "", place.Entry{Mod: mod, Key: key})
		return s.Put(ctx, m)
	})
}

// DeleteStorage is a step that deletes a key from the storage of a mod. If key is "", it deletes everything that the
// mod stored, which must be allowed with all.
func DeleteStorage(mod, key string, all bool, t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		s, err := w.Storage(ctx)
		if err != nil {
			return err
		}
		m, err := s.Get(ctx, mod)
		if errors.Is(err, world.ErrNotFound) {
			missing := &fault.NameError{Kind: "mod", Name: mod, Where: "in the mod storage"}
			for name, err := range s.Names(ctx) {
				if err == nil {
					missing.Names = append(missing.Names, name)
				}
			}
			return missing
		}
		if err != nil {
			return err
		}
		at := place.Entry{Mod: mod, Key: key}
		switch {
		case key == "" && !all:
			return fmt.Errorf("all data of the mod %s: %w", mod, ErrAll)
		case key == "":
			noteChange(t, "mod_storage", "all keys deleted", int64(len(m.Entries)), "keys", at)
			return s.Delete(ctx, mod)
		case !m.Delete(key):
			missing := &fault.NameError{Kind: "key", Name: key, Where: "in the storage of the mod " + mod + " keeps"}
			for _, e := range m.Entries {
				missing.Names = append(missing.Names, string(e.Key))
			}
			return missing
		}
		noteChange(t, "mod_storage", "deleted", 1, "", at)
		if len(m.Entries) == 0 {
			return s.Delete(ctx, mod)
		}
		return s.Put(ctx, m)
	})
}

// TrimRollback is a step that deletes the actions before a time from rollback.sqlite.
func TrimRollback(before time.Time, t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		db, err := rollback.Open(ctx, w.Dir)
		if err != nil {
			return err
		}
		n, err := db.Count(ctx, rollback.Filter{Until: before})
		if err = errors.Join(err, db.Close()); err != nil || n == 0 {
			return err
		}
		noteChange(t, rollback.File, "actions before "+before.UTC().Format(time.DateTime)+" deleted", n, "actions")
		w.AddPart(worldedit.Database(rollback.File, func(ctx context.Context, dir string) error {
			_, err := rollback.Trim(ctx, dir, before)
			return err
		}))
		return nil
	})
}
