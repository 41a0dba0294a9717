package verbs

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/wording"
)

// inputNote is the annotation of an option whose value is the path of an input file, like [format.Option.Input]
// for options of formats.
const inputNote = "trowel_input"

// readInputs replaces pipes in the values of options by files with the content of the pipes. A path of anything
// else that is neither a file nor a folder is an error: reading it might never end.
func readInputs(a *Tool, ctx context.Context, flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		_, isInput := flag.Annotations[inputNote]
		if err == nil {
			switch v := flag.Value.(type) {
			case *optionValue:
				if v.option.Input {
					v.text, err = a.Input(ctx, v.text)
				}
			case pflag.SliceValue:
				if isInput {
					var names string
					names, err = a.Input(ctx, strings.Join(v.GetSlice(), "\n"))
					err = errors.Join(err, v.Replace(strings.Split(names, "\n")))
				}
			default:
				if isInput {
					var name string
					name, err = a.Input(ctx, v.String())
					err = errors.Join(err, v.Set(name))
				}
			}
			err = wording.Named(err, optionName(flag))
		}
	})
	return err
}
