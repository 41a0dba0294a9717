package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func (p *picture) drawTiles(cmd *cobra.Command, dir string) error { return errors.New("not yet") }
