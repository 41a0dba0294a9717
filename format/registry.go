package format

// registered lists the formats, the more particular before the more general.
var registered = []*Format{
	teeworldsMap, teeworldsDatafile,
	torchlightMod, torchlightPak,
	minetestWorld, minetestBlock,
	torchlightData, torchlightADM, torchlightLayout, torchlightRaw, torchlightGrid, torchlightSource, torchlightAsset,
}
