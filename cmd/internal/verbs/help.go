package verbs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/internal/format"
)

// Annotations of flags that are options of formats: the titles of the formats, and their games.
const (
	optionNote = "trowel_format_option"
	gameNote   = "trowel_games"
)

// OptionFlags adds the options of a verb, see [Bind], and of formats as flags of the verb. Formats may share an option.
func OptionFlags(a *Tool, cmd *cobra.Command, options func(*format.Format) []format.Option, own ...any) {
	Bind(a, cmd, own...)
	for _, f := range a.Formats {
		for _, o := range options(f) {
			if o.Views != nil && o.For != 0 {
				o.Help = "in the view " + strings.Join(o.Views, ", ") + ": " + o.Help
			}
			flag := cmd.Flags().Lookup(o.Name)
			if flag == nil {
				if o.Type == format.Bool {
					cmd.Flags().Bool(o.Name, o.Default == "true", o.Help)
				} else {
					cmd.Flags().Var(&optionValue{option: o, text: o.Default}, o.Name, o.Help)
					a.Completes(cmd, o.Name, completeOption(a, o))
				}
				flag = cmd.Flags().Lookup(o.Name)
				flag.Annotations = make(map[string][]string)
			}
			for note, value := range map[string]string{optionNote: f.Title, gameNote: a.Games.Of(f).Title} {
				if list := flag.Annotations[note]; !slices.Contains(list, value) {
					flag.Annotations[note] = append(list, value)
				}
			}
		}
	}
}

// optionValue is the value of a flag that is an option of a format. It accepts only the values that the option
// accepts.
type optionValue struct {
	option format.Option
	text   string
	given  bool
}

func (v *optionValue) String() string { return v.text }

// Type returns the name of the value in help.
func (v *optionValue) Type() string {
	switch v.option.Type {
	case format.Integer, format.Number:
		return "number"
	case format.Color:
		return "#rrggbb"
	case format.Place:
		return "x,y"
	}
	return "string"
}

// viewName is the value of a flag that names a view. Help and completion then offer only options that affect it.
type viewName struct {
	name  string
	flags *pflag.FlagSet
}

func (v *viewName) String() string { return v.name }

// Type returns the name of the value in help.
func (v *viewName) Type() string { return "string" }

func (v *viewName) Set(text string) error {
	v.name = text
	v.flags.VisitAll(func(flag *pflag.Flag) {
		if o, ok := flag.Value.(*optionValue); ok && !o.option.Affects(text) {
			flag.Hidden = true
		}
	})
	return nil
}

func (v *optionValue) Set(text string) error {
	if err := v.option.Check(text); err != nil {
		return err
	}
	if v.given && v.option.List {
		text = v.text + "\n" + text
	}
	v.text, v.given = text, true
	return nil
}

// useLine returns a verb with its arguments.
func useLine(cmd *cobra.Command) string {
	return strings.Replace(cmd.UseLine(), "[flags]", "[OPTION...]", 1)
}

// flagGroup is the group of a verb's flags that apply to the same games.
type flagGroup struct {
	games string
	flags *pflag.FlagSet
}

// flagGroups groups flags by the games they apply to. Flags that apply to all files are first.
func flagGroups(a *Tool, flags *pflag.FlagSet) []flagGroup {
	groups := []flagGroup{{flags: pflag.NewFlagSet("", pflag.ContinueOnError)}}
	flags.VisitAll(func(flag *pflag.Flag) {
		games := strings.Join(flag.Annotations[gameNote], ", ")
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.games == games })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{games, pflag.NewFlagSet("", pflag.ContinueOnError)})
		}
		groups[i].flags.AddFlag(flag)
	})
	order := func(g flagGroup) int {
		if g.games == "" {
			return -1
		}
		return strings.Count(g.games, ",")*len(a.Games) + slices.IndexFunc(a.Games,
			func(game *format.Game) bool { return strings.HasPrefix(g.games, game.Title) })
	}
	slices.SortStableFunc(groups, func(x, y flagGroup) int { return order(x) - order(y) })
	return groups
}

// optionsFor returns the function that returns the options of a format for the given capabilities.
func optionsFor(use format.Use) func(*format.Format) []format.Option {
	return func(f *format.Format) []format.Option { return f.OptionsFor(use) }
}
