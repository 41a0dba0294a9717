// Package all registers the formats of all games with package trowel. Import it for this effect only.
package all

import (
	_ "trowel.example/minetest"
	_ "trowel.example/teeworlds"
	_ "trowel.example/torchlight"
)
