package torchlight

import (
	"context"

	"trowel.example/internal/format"
)

// The page in the browser needs none of these.
var (
	archiveMerging *format.Merging
	singleMerging  *format.Merging
	modAuthoring   *format.Authoring
	modCodex       *format.Codex
	newMod         *format.Command

	portConversions []format.Conversion
)

type openFunc = func(context.Context, *format.Job, *format.Source) (format.File, error)

func archiveCensus(openFunc) *format.Census { return nil }
func singleCensus(openFunc) *format.Census  { return nil }
