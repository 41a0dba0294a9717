//go:build !js

package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapquery"
)

var (
	mapMerging     = &format.Merging{Merge: mapfile.Merge}
	mapCensus      = mapquery.Maps
	datafileCensus = mapquery.Datafiles
)
