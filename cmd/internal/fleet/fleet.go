// Package fleet spreads the work of verbs over many machines.
package fleet

import (
	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/cli"
)

// Verbs are jobs and worker.
func Verbs(*cli.Tool) []*cobra.Command { return nil }
