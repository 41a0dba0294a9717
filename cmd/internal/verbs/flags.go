package verbs

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
)

// optionsOf returns the options that the user gave to a verb.
func optionsOf(cmd *cobra.Command) service.Options {
	var o service.Options
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if of := flag.Annotations[optionNote]; of != nil { // flags of the verb itself are not options of a format
			o.Given = append(o.Given, service.Given{Name: flag.Name, Value: flag.Value.String(), Of: of[0]})
		}
	})
	o.KeepGoing, _ = cmd.Flags().GetBool(keepFlag) // only verbs that write have the flag
	return o
}
