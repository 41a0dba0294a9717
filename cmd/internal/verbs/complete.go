package verbs

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/internal/format"
)

// completionTime is the time after which completion offers only the names read so far.
var completionTime = time.Second

// offers are completions, with what the shell is to do.
type offers = []cobra.Completion

// gather returns the names that read adds in completionTime, sorted and without duplicates.
func gather(ctx context.Context, read func(ctx context.Context, add func(name string))) []string {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	var mu sync.Mutex
	names := make(map[string]bool)
	done := make(chan struct{})
	go func() {
		defer close(done)
		read(ctx, func(name string) {
			mu.Lock()
			defer mu.Unlock()
			names[name] = name != "" && !strings.ContainsAny(name, "\n\t")
		})
	}()
	select {
	case <-done:
	case <-ctx.Done(): // read ends with the process
	}
	mu.Lock()
	defer mu.Unlock()
	list := slices.Sorted(maps.Keys(names))
	return slices.DeleteFunc(list, func(name string) bool { return !names[name] })
}

// namesIn returns the names of things of a kind in files. It does not read folders that extract made, because that
// would build their files.
func namesIn(a *Tool, ctx context.Context, files []string, kind string) []string {
	return gather(ctx, func(ctx context.Context, add func(string)) {
		eachFile(a, files, func(f *format.Format, src *format.Source) {
			if f.Names != nil {
				_ = f.Names(ctx, f.Job(), src, kind, add)
			}
		})
	})
}

// eachFile calls do for the files that can be opened and have a known format.
func eachFile(a *Tool, files []string, do func(*format.Format, *format.Source)) {
	for _, name := range files {
		src, err := format.OpenSource(name)
		if err != nil {
			continue
		}
		if f, err := a.Formats.Find(src); err == nil {
			do(f, src)
		}
		src.Close()
	}
}

// completeViews returns the shell completion of names of views.
func completeViews(a *Tool, cmd *cobra.Command, args []string, start string) (offers, cobra.ShellCompDirective) {
	return startingWith(start, inViews(a, cmd.Context(), args, func(v format.View, add func(string)) { add(v.Name) })),
		cobra.ShellCompDirectiveNoFileComp
}

// completeLayers returns the shell completion of the last of several names of layers, as --layers of render accepts
// them.
func completeLayers(a *Tool, cmd *cobra.Command, args []string, start string) (offers, cobra.ShellCompDirective) {
	before := start[:strings.LastIndexByte(start, ',')+1]
	if sign := start[len(before):]; sign != "" && strings.ContainsAny(sign[:1], "+-") {
		before += sign[:1]
	}
	names := inViews(a, cmd.Context(), args, func(v format.View, add func(string)) {
		for _, l := range v.Layers {
			add(before + l.Name)
			for _, word := range l.Words {
				add(before + word)
			}
		}
	})
	return startingWith(start, names), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// inViews returns the names that read adds for the views of files.
func inViews(a *Tool, ctx context.Context, files []string, read func(v format.View, add func(string))) []string {
	return gather(ctx, func(ctx context.Context, add func(string)) {
		eachFile(a, files, func(f *format.Format, src *format.Source) {
			if f.Scene == nil {
				return
			}
			if scene, err := f.Scene(ctx, f.Job(), src, ""); err == nil {
				for _, v := range scene.Views {
					read(v, add)
				}
				scene.Close()
			}
		})
	})
}

// completeValue returns the completion of the value of an option.
func completeValue(a *Tool, ctx context.Context, o *format.Option, files []string, start string) (offers, cobra.ShellCompDirective) {
	switch {
	case o.Choices != nil:
		return o.Choices, cobra.ShellCompDirectiveNoFileComp
	case o.Names != "" && !o.Input:
		return startingWith(start, namesIn(a, ctx, files, o.Names)), cobra.ShellCompDirectiveNoFileComp
	case o.Input || o.Type == format.Text && strings.Contains(o.Help, "`file`") || strings.Contains(o.Help, "`folder`"):
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// startingWith returns the words that begin with start, ignoring case if start has no capitals.
func startingWith(start string, words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool {
		return !strings.HasPrefix(word, start) && !(start == strings.ToLower(start) && strings.HasPrefix(strings.ToLower(word), start))
	})
}

// completeCommands returns the shell completion for FILE... -- COMMAND and its options. Only commands that the files
// have are offered.
func completeCommands(a *Tool, of commandsOf, own []format.Option) func(*cobra.Command, []string, string) (offers,
	cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, start string) (offers, cobra.ShellCompDirective) {
		if len(a.Args) == 0 || !slices.Contains(a.Args[:len(a.Args)-1], "--") { // cobra adds a -- of its own
			return nil, cobra.ShellCompDirectiveDefault
		}
		dash := cmd.ArgsLenAtDash()
		files, words := args[:dash], args[dash:]
		formats, _ := filesAndCommand(a, files)
		if len(byCommands(formats, of)) == 0 {
			formats = a.Formats
		}
		words = lastStep(words)
		if len(words) == 0 {
			return startingWith(start, titledCommands(formats, of)), cobra.ShellCompDirectiveNoFileComp
		}
		var found offers
		directive := cobra.ShellCompDirectiveNoFileComp
		for _, f := range formats {
			for _, c := range of(f) {
				if c.Name != words[0] {
					continue
				}
				more, d := completeStep(a, cmd.Context(), c, own, files, words[1:], start)
				for _, one := range more {
					if !slices.Contains(found, one) {
						found = append(found, one)
					}
				}
				if len(more) == 0 {
					directive = d
				}
			}
		}
		return found, directive
	}
}

// completeStep returns the completion of the word that follows the name and other words of a command.
func completeStep(a *Tool, ctx context.Context, c *format.Command, own []format.Option, files, words []string,
	start string) (offers, cobra.ShellCompDirective) {
	options := slices.Concat(c.Options, own)
	switch o := optionAt(c, options, words); {
	case o != nil && !strings.HasPrefix(start, "-"):
		return completeValue(a, ctx, o, files, start)
	case o == nil && !strings.HasPrefix(start, "-"):
		return startingWith(start, offers{"then"}), cobra.ShellCompDirectiveNoFileComp
	}
	var found offers
	for _, o := range options {
		_, help := optionUsage(&o)
		found = append(found, "--"+o.Name+"\t"+help)
	}
	return startingWith(start, found), cobra.ShellCompDirectiveNoFileComp
}

// optionAt returns the option or argument of a command whose value follows some words; nil if there is none.
func optionAt(c *format.Command, options []format.Option, words []string) *format.Option {
	args := 0
	for i := 0; i < len(words); i++ {
		name, ok := strings.CutPrefix(words[i], "--")
		if !ok {
			if args < len(c.Args) && !c.Args[args].List {
				args++
			}
			continue
		}
		if j := slices.IndexFunc(options, func(o format.Option) bool { return o.Name == name && o.Type != format.Bool }); j >= 0 {
			if i++; i == len(words) {
				return &options[j]
			}
		}
	}
	if args < len(c.Args) {
		return &c.Args[args]
	}
	return nil
}

// Completes sets the completion of a flag, if this run completes a command line: cobra keeps completions until the process ends,
// and with them the tool.
func (a *Tool) Completes(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if len(a.Args) > 0 && strings.HasPrefix(a.Args[0], cobra.ShellCompRequestCmd) {
		_ = cmd.RegisterFlagCompletionFunc(flag, complete)
	}
}

// completeOption returns the shell completion of the value of an option of formats.
func completeOption(a *Tool, o format.Option) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) (offers, cobra.ShellCompDirective) {
		return completeValue(a, cmd.Context(), &o, args, start)
	}
}

// completing returns a completion of the tool as cobra calls it.
func completing(a *Tool, complete func(*Tool, *cobra.Command, []string, string) (offers, cobra.ShellCompDirective)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) (offers, cobra.ShellCompDirective) {
		a.Options = optionsOf(cmd)
		return complete(a, cmd, args, start)
	}
}
