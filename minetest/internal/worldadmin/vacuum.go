package worldadmin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// Vacuum is a step that rewrites the SQLite databases of a world without unused space, after all other steps. The databases of a
// copy of the world are rewritten, too, except that of the blocks, which is new anyway.
func Vacuum(t *worldedit.Counts) worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		settings, err := world.ReadWorldMT(w.Dir)
		if err != nil {
			return err
		}
		backends := world.FindBackends(w.Dir, settings)
		names := []string{rollback.File}
		for _, part := range world.Parts() {
			if backend := backends.Of(part); backend == mapdb.SQLite {
				names = append(names, part.Files(backend)[0])
			}
		}
		var list []string
		for _, name := range names {
			path := filepath.Join(w.Dir, name)
			if st, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() == 0 {
				continue
			}
			unused, err := sqlitefile.Unused(ctx, path)
			if err != nil {
				return err
			}
			noteChange(t, name, "packed, without "+words.Thousands(unused)+" bytes of unused pages", 1, "")
			list = append(list, name)
		}
		if len(list) == 0 {
			return errors.New("the world has no SQLite database: databases of other kinds reuse their space themselves")
		}
		w.AddPart(worldedit.Part{
			Late: true,
			Keep: func(context.Context, worldedit.Keeper) error { return nil }, // no content changes
			Apply: func(ctx context.Context, dir string, _ *world.Settings) error {
				for _, name := range list {
					path := filepath.Join(dir, name)
					if _, err := os.Stat(path); err != nil || name == world.MapPart.Files(mapdb.SQLite)[0] && dir != w.Dir {
						continue
					}
					if err := sqlitefile.Vacuum(ctx, path); err != nil {
						return err
					}
				}
				return nil
			},
		})
		return nil
	})
}
