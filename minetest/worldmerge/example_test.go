package worldmerge_test

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
	"trowel.example/minetest/worldmerge"
)

// mergeWorlds makes a world of what two people made of one.
func mergeWorlds(ctx context.Context, base, ours, theirs, dst string) (err error) {
	w, err := worldedit.Open(ctx, ours, worldedit.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	err = w.Do(ctx, worldmerge.Merge(base, theirs, worldmerge.Options{
		OnConflict: func(c check.Conflict) { fmt.Println(c.Path, c.What) },
	}))
	if err != nil {
		return err
	}
	_, err = w.Copy(ctx, dst, "merge", worldcopy.Options{})
	return err
}

func Example() {
	fmt.Println(mergeWorlds(context.Background(), "base", "ours", "theirs", "merged") != nil) // there are no such worlds
	// Output: true
}
