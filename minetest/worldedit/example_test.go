package worldedit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// In a copy of a world with one block of air, a corner becomes stone.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	old, edited := filepath.Join(dir, "old"), filepath.Join(dir, "edited")
	if err := makeWorld(ctx, old); err != nil {
		log.Fatal(err)
	}

	w, err := worldedit.Open(ctx, old, worldedit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	counts := new(worldedit.Counts)
	corner := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{0, 0, 0}, worldedit.Vec{1, 2, 3})}
	err = w.Do(ctx, worldedit.Replace(corner, worldedit.Names{"air"}, "default:stone", worldedit.Setting{Counts: counts}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := w.Copy(ctx, edited, "a corner of stone", worldcopy.Options{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.Nodes.Load(), "nodes")
	// Output: 24 nodes
}

func makeWorld(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "world.mt"), []byte("backend = sqlite3\n"), 0o644); err != nil {
		return err
	}
	db, err := mapdb.Create(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		return err
	}
	data, err := mapblock.New(mapblock.Newest).Encode()
	if err != nil {
		return err
	}
	if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{}, Data: data}}); err != nil {
		return err
	}
	return db.Close()
}

// ExampleOpen opens a world and counts its blocks.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	world := filepath.Join(dir, "world")
	if err := makeWorld(ctx, world); err != nil {
		log.Fatal(err)
	}
	w, err := worldedit.Open(ctx, world, worldedit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	n, err := w.Count(ctx)
	fmt.Println(n, err)
	// Output: 1 <nil>
}
