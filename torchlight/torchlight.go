// Package torchlight is the front door of Torchlight II, and of what Torchlight has in
// common with it: it declares the formats of their files. What can be done with them
// is in the packages below.
package torchlight

import (
	"trowel.example/format"
	"trowel.example/torchlight/hash"
)

// Game is Torchlight II.
var Game = &format.Game{
	Title: "Torchlight II",
	Formats: []*format.Format{
		torchlightMod, torchlightPak,
		torchlightData, torchlightADM, torchlightLayout, torchlightRaw, torchlightGrid, torchlightSource,
		torchlightDDS, torchlightTGA, torchlightPNG, torchlightJPEG, torchlightImageSet, torchlightAsset,
	},
	Hash: &format.Hash{Of: hash.Of, Names: nameFinder},
}

func init() { format.Register(Game) }
