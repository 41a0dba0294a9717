package minetestmapper_test

import (
	"context"
	"fmt"
	"os"

	"trowel.example/minetest/internal/minetestmapper"
)

func ExampleRun() {
	code := minetestmapper.Run(context.Background(), []string{"--zoom", "0"}, minetestmapper.IO{Out: os.Stdout, Talk: os.Stdout})
	fmt.Println(code)
	// Output:
	// minetestmapper: --zoom "0": expected a number from 1 to 1024
	// 1
}
