// Package minetest declares the file formats of the game Minetest, now called Luanti. The packages below it implement
// the operations on these files.
package minetest

import (
	_ "embed" // of the examples of findings

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldscene"
)

// game is Minetest.
var game = &format.Game{
	Title:    "Minetest/Luanti",
	Findings: findings,
	Formats: append([]*format.Format{minetestWorld, minetestBlock, minetestSchematic, minetestWorldEdit, minetestManifest, minetestBackup},
		minecraftFormats...),

	Around:  worldscene.Around,
	Servers: worldjob.OnServer,

	Programs: []*format.Program{mapper},
}

//go:embed findings.txt
var findings string

func init() { format.Register(game) }
