// Package all lets package trowel open the files of all games: import it for that alone.
package all

import (
	_ "trowel.example/minetest"
	_ "trowel.example/teeworlds"
	_ "trowel.example/torchlight"
)
