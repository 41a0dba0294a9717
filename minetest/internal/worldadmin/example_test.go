package worldadmin_test

import (
	"context"
	"fmt"

	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/world"
)

// ExampleFind finds the persons with a privilege.
func ExampleFind() {
	ctx := context.Background()
	players, auth := world.None[*world.Player](), world.Stage(world.None[*world.Account]())
	for name, privs := range map[string][]string{"ann": {"interact", "server"}, "bob": {"interact"}} {
		if err := auth.Put(ctx, &world.Account{Name: name, Privileges: privs}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for p, err := range worldadmin.Find(ctx, players, auth, worldadmin.Rule{Has: []string{"server"}}) {
		fmt.Println(p.Name, err)
	}
	// Output: ann <nil>
}
