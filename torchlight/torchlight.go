// Package torchlight declares the formats of Torchlight II, and of Torchlight where both games share them. The packages
// below it implement what can be done with the files.
package torchlight

import (
	_ "embed"

	"trowel.example/internal/format"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/modsource"
)

// game is Torchlight II.
var game = &format.Game{
	Title:    "Torchlight II",
	Findings: findings,
	Formats: []*format.Format{
		torchlightMod, torchlightPak,
		torchlightData, torchlightADM, torchlightLayout, torchlightRaw, torchlightGrid, torchlightModel, torchlightMaterial,
		torchlightSource,
		torchlightDDS, torchlightTGA, torchlightPNG, torchlightJPEG, torchlightImageSet, torchlightAsset,
	},
	Around: modsource.Around,
	Codex:  modCodex,
	Hash:   &format.Hash{Of: hash.Meant, Names: nameFinder},
}

//go:embed findings.txt
var findings string

func init() { format.Register(game) }
