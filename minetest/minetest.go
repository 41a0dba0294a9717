// Package minetest declares the file formats of the game Minetest, now called Luanti. The packages below it implement
// the operations on these files.
package minetest

import "trowel.example/internal/format"

// game is Minetest.
var game = &format.Game{
	Title:   "Minetest/Luanti",
	Formats: []*format.Format{minetestWorld, minetestBlock, minetestSchematic, minetestWorldEdit, minetestManifest, minetestBackup},

	Programs: []*format.Program{mapper},
}

func init() { format.Register(game) }
