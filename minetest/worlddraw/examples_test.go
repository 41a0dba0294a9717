package worlddraw_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worlddraw"
)

// Example_picture draws a whole world from above and encodes the picture as PNG.
func Example_picture() {
	ctx := context.Background()
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "world")
	if _, err := worlddir.Build(ctx, dir, os.DirFS("../../samples/hollow"), worlddir.BuildOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	db, err := mapdb.Open(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	m, err := worlddraw.New(ctx, db, worlddraw.Options{View: worlddraw.Top, Box: worlddraw.Everything(), Colors: nodecolor.Usual()})
	if err != nil {
		fmt.Println(err)
		return
	}
	picture := image.NewRGBA(m.Bounds())
	if err := m.Render(ctx, picture); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err = png.Encode(&file, picture)
	fmt.Println(picture.Rect, file.Len() > 100, err)
	// Output: (0,-16)-(16,0) true <nil>
}
