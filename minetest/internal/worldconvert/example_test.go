package worldconvert_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldconvert"
)

func Example() {
	ctx := context.Background()
	w, err := worldconvert.Open(ctx, filepath.Join("worlds", "survival"), worldconvert.Options{
		Blocks:  29,
		Backups: filepath.Join("worlds", "survival.before"),
		Sink:    func(f check.Finding) { fmt.Println(f) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	r, err := w.All(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Converted, "blocks were converted,", r.Kept, "stay as they are")
}
