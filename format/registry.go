package format

// registered lists the formats, the more particular before the more general.
var registered = []*Format{
	teeworldsMap, teeworldsDatafile,
	torchlightMod, torchlightPak,
	minetestWorld, minetestBlock,
	torchlightData, torchlightADM, torchlightLayout, torchlightRaw, torchlightGrid, torchlightSource, torchlightAsset,
}

// The games, as people call them.
const (
	gameTeeworlds  = "Teeworlds/DDNet"
	gameTorchlight = "Torchlight II"
	gameMinetest   = "Minetest/Luanti"
)
