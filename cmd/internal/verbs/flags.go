package verbs

import (
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/format"
)

// Bind adds the options that the fields of structs declare to a verb: exported fields with a tag, as for [format.Declare], also those
// of embedded structs. Of two options of one name, the first counts. The value of a field is its default if the tag has none.
// Choices are for completion: a verb checks its values itself. More marks are the letter of an option, and commas for a list
// whose values may be separated by them: option:"allow,a,commas".
func Bind(a *Tool, cmd *cobra.Command, own ...any) {
	for _, of := range own {
		bindFields(a, cmd, reflect.ValueOf(of).Elem())
	}
}

func bindFields(a *Tool, cmd *cobra.Command, own reflect.Value) {
	flags := cmd.Flags()
	for f, field := range own.Fields() {
		if inner := reflect.Indirect(field); f.Anonymous && inner.Kind() == reflect.Struct {
			bindFields(a, cmd, inner)
		}
		if f.Tag.Get("option") == "" {
			continue
		}
		letter, commas := "", false
		o, _, err := format.ParseTag(f.Tag, func(mark string) bool {
			if len(mark) == 1 {
				letter = mark
			}
			commas = commas || mark == "commas"
			return letter == mark || mark == "commas"
		})
		if err != nil {
			panic(fmt.Sprintf("%v.%s: %v", own.Type(), f.Name, err))
		}
		if flags.Lookup(o.Name) != nil {
			continue
		}
		switch p := field.Addr().Interface().(type) {
		case *string:
			flags.StringVarP(p, o.Name, letter, *p, o.Help)
		case *bool:
			flags.BoolVarP(p, o.Name, letter, *p, o.Help)
		case *int:
			flags.IntVarP(p, o.Name, letter, *p, o.Help)
		case *float64:
			flags.Float64VarP(p, o.Name, letter, *p, o.Help)
		case *time.Duration:
			flags.DurationVarP(p, o.Name, letter, *p, o.Help)
		case *[]string:
			add := flags.StringArrayVarP
			if commas {
				add = flags.StringSliceVarP
			}
			add(p, o.Name, letter, *p, o.Help)
		default:
			flags.VarP(p.(pflag.Value), o.Name, letter, o.Help)
		}
		if flag := flags.Lookup(o.Name); o.Default != "" {
			flag.DefValue = o.Default
			_ = flag.Value.Set(o.Default)
		}
		if o.Input {
			_ = flags.SetAnnotation(o.Name, inputNote, nil)
		}
		if o.Choices != nil {
			a.Completes(cmd, o.Name, cobra.FixedCompletions(o.Choices, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// jsonOption is the option of verbs that can print JSON.
type jsonOption struct {
	AsJSON bool `option:"json" help:"print JSON"`
}

// optionsOf returns the options that the user gave to a verb.
func optionsOf(cmd *cobra.Command) service.Options {
	var o service.Options
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if of := flag.Annotations[optionNote]; of != nil { // flags of the verb itself are not options of a format
			o.Given = append(o.Given, service.Given{Name: flag.Name, Value: flag.Value.String(), Of: of[0]})
		}
	})
	o.KeepGoing, _ = cmd.Flags().GetBool("keep-going") // only verbs that write have the flag
	return o
}
