package minetest

import "trowel.example/internal/format"

// The page in the browser needs none of these.
var (
	minecraftFormats []*format.Format
	worldMerging     *format.Merging
	worldRewriting   *format.Rewriting
	worldCensus      *format.Census
)
