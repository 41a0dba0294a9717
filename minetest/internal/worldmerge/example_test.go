package worldmerge_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/worldmerge"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// Ann and Bob have edited copies of one world. Each has placed a node, and both have placed different nodes at the
// same position.
func ExampleMerge() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "merge")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	base, ann, bob, both := filepath.Join(dir, "base"), filepath.Join(dir, "ann"), filepath.Join(dir, "bob"), filepath.Join(dir, "both")
	for world, built := range map[string]map[int]string{
		base: nil,
		ann:  {0: "default:stone", 7: "default:glass"},
		bob:  {1: "default:brick", 7: "default:wood"},
	} {
		if err := makeWorld(ctx, world, built); err != nil {
			log.Fatal(err)
		}
	}

	w, err := worldedit.Open(ctx, ann, worldedit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	was, err := w.OpenOther(ctx, base)
	if err != nil {
		log.Fatal(err)
	}
	defer was.Close()
	theirs, err := w.OpenOther(ctx, bob)
	if err != nil {
		log.Fatal(err)
	}
	defer theirs.Close()
	_, conflicts, err := worldmerge.Merge(ctx, was, w, theirs, merge3.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range conflicts {
		fmt.Println("conflict:", c.What)
	}
	if _, err := w.Copy(ctx, both, "merge", worldcopy.Options{}); err != nil {
		log.Fatal(err)
	}
	nodes, err := firstNodes(ctx, both)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(nodes.At(0), nodes.At(1), nodes.At(7))
	// Output:
	// conflict: air 0 became default:glass 0 and default:wood 0
	// default:stone default:brick default:glass
}

var config = mapdb.Config{Backend: mapdb.SQLite}

// makeWorld creates a world with one block of air, and the given nodes by index.
func makeWorld(ctx context.Context, dir string, built map[int]string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "world.mt"), []byte("backend = sqlite3\n"), 0o644); err != nil {
		return err
	}
	db, err := mapdb.Create(ctx, dir, config)
	if err != nil {
		return err
	}
	b := mapblock.New(mapblock.Newest)
	for i, name := range built {
		if err := b.SetNode(i, name, 0, 0); err != nil {
			return err
		}
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if err := db.Store(ctx, []mapdb.Block{{Data: data}}); err != nil {
		return err
	}
	return db.Close()
}

func firstNodes(ctx context.Context, dir string) (*mapblock.Nodes, error) {
	db, err := mapdb.Open(ctx, dir, config)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	data, err := db.Get(ctx, mapdb.Pos{})
	if err != nil {
		return nil, err
	}
	b, err := mapblock.Decode(data)
	if err != nil {
		return nil, err
	}
	return b.Nodes(), nil
}
