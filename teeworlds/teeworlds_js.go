package teeworlds

import "trowel.example/internal/format"

// The page in the browser needs none of these.
var (
	mapMerging                *format.Merging
	mapAuthoring              *format.Authoring
	mapCensus, datafileCensus *format.Census
	vectorOperations          []*format.Command
)
