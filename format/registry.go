package format

// registered lists the formats, the more particular before the more general.
var registered = []*Format{
	teeworldsMap, teeworldsDatafile,
	torchlightMod, torchlightPak,
	minetestWorld, minetestBlock,
	torchlightData, torchlightLayout, torchlightRaw, torchlightGrid, torchlightSource, torchlightAsset,
}
