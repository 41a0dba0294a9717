//go:build !js

package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/maprows"
)

var (
	mapMerging     = &format.Merging{Merge: mapfile.Merge}
	mapCensus      = maprows.Maps
	datafileCensus = maprows.Datafiles
)
