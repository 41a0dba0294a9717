// Package minetest is the front door of Minetest, which is called Luanti today: it
// declares the formats of its files. What can be done with them is in the packages
// below.
package minetest

import "trowel.example/format"

// Game is Minetest.
var Game = &format.Game{
	Title:   "Minetest/Luanti",
	Formats: []*format.Format{minetestWorld, minetestBlock, minetestSchematic, minetestWorldEdit, minetestManifest, minetestBackup},

	Programs: []*format.Program{mapper},
}

func init() { format.Register(Game) }
