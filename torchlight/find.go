package torchlight

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// doQuery is [format.Command.Do] of queries.
type doQuery func(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error

// query returns a query whose arguments and options are the fields of T.
func query[T any](c format.Command,
	find func(ctx context.Context, e *modedit.Editor, o T, hit func(format.Hit) error) error) *format.Command {
	return format.Declare[T](c, doQuery(func(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
		return find(ctx, e, format.Values[T](job), hit)
	}))
}

var (
	modFinder    = &format.Finder{Commands: modQueries, Find: findInArchive, Lacks: lacking(findInArchive)}
	singleFinder = &format.Finder{Commands: singleQueries, Find: findInSingle, Lacks: lacking(findInSingle)}
)

func findInArchive(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	o, closer, _, err := editorOptions(withBase(job, query), func(check.Change) error { return nil })
	if err != nil {
		return err
	}
	defer closer.Close()
	e, err := openEditor(job, src, o)
	if err != nil {
		return err
	}
	defer e.close()
	return query.Do.(doQuery)(ctx, e.Editor, query.Job, func(h format.Hit) error {
		if h.At != nil {
			h.At = text.Within{Place: h.At, Path: h.Path}
		}
		return hit(h)
	})
}

// withBase returns a job with the game's own files that a query names.
func withBase(job *format.Job, query format.Step) *format.Job {
	base := optionEditBase.Value(query.Job)
	if base == "" {
		return job
	}
	own := *job
	own.Values = maps.Clone(job.Values)
	own.Values[optionBase.Name] = base
	return &own
}

func findInSingle(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	o, closer, _, err := editorOptions(withBase(job, query), func(check.Change) error { return nil })
	if err != nil {
		return err
	}
	defer closer.Close()
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return err
	}
	return query.Do.(doQuery)(ctx, modedit.OfFile(modsource.GamePath(src), data, o), query.Job, hit)
}

// findFunc is [format.Finder.Find].
type findFunc = func(context.Context, *format.Job, *format.Source, format.Step, func(format.Hit) error) error

// lacking returns a function that reports an error if the key, kind of object or file that a query names does not exist
// anywhere. The function uses find to list all existing names.
func lacking(find findFunc) func(context.Context, *format.Job, *format.Source, format.Step) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, query format.Step) error {
		if !slices.Contains([]string{queryKeys.Name, queryObjects.Name, queryFiles.Name}, query.Name) {
			return nil
		}
		name, _, _ := strings.Cut(query.Args[0].Value(query.Job), "=")
		return modinfo.CheckName(query.Name, name, func(yield func(name string)) error {
			return allNames(ctx, find, job, src, query.Command, yield)
		})
	}
}

// allNames calls yield with the names of all things that a query can find.
func allNames(ctx context.Context, find findFunc, job *format.Job, src *format.Source, query *format.Command,
	yield func(name string)) error {
	argument := query.Args[0].Name
	all := *job
	all.Values = map[string]string{argument: "**"}
	return find(ctx, job, src, format.Step{Command: query, Job: &all}, func(h format.Hit) error {
		if first := h.Fields[0]; first.Key == argument {
			yield(fmt.Sprint(first.Value))
		} else {
			yield(h.Path)
		}
		return ctx.Err()
	})
}

// namesBy returns [format.Format.Names] for files in which find finds the names.
func namesBy(find findFunc) func(ctx context.Context, job *format.Job, src *format.Source, kind string, add func(name string)) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, kind string, add func(name string)) error {
		for _, q := range modQueries {
			if q.Name == kind {
				return allNames(ctx, find, job, src, q, add)
			}
		}
		return nil
	}
}

// inFiles is the option that selects files.
type inFiles struct {
	Files string `option:"files" names:"file"`
}

// Describe describes the option.
func (inFiles) Describe(o *format.Option) {
	o.Explain("files", "only in files that match "+helpPattern)
}

// whereFields are the fields that select files and nodes.
type whereFields struct {
	inFiles
	choiceFields
}

// Describe describes the options.
func (whereFields) Describe(o *format.Option) {
	o.Explain("node", "only in nodes whose way ends with this `way`, such as LEVEL1 or SKILL.LEVEL*.EVENT_START")
}

func (o whereFields) where() modinfo.Where {
	return modinfo.Where{Files: o.Files, Choice: modedit.Choice{Node: o.Node, Where: o.Where}}
}

var (
	modQueries    = append(thingQueries, queryKeys, queryValues, queryGUID, queryObjects, queryFiles, queryReferences, queryEffective)
	singleQueries = []*format.Command{queryKeys, queryValues, queryGUID, queryObjects, queryReferences}
)

var queryKeys = query(format.Command{
	Name: "key", Heading: "Keys and values", Title: "Keys of data files and layouts, with their values",
	Example: "key LEVEL --files 'UNITS/MONSTERS/**'",
}, func(ctx context.Context, e *modedit.Editor, o struct {
	whereFields
	Key string `arg:"key" names:"key" help:"KEY, or KEY=VALUE; both may contain * and ?, and ignore case"`
}, hit func(format.Hit) error) error {
	return modinfo.Keys(ctx, e, o.where(), modinfo.MatchKey(o.Key), keyHits(hit))
})

var queryValues = query(format.Command{
	Name: "value", Heading: "Keys and values", Title: "Values of any key",
	Example: "value '*wolf*'",
}, func(ctx context.Context, e *modedit.Editor, o struct {
	whereFields
	Value string `arg:"value" help:"the value, with * and ?, ignoring case"`
}, hit func(format.Hit) error) error {
	return modinfo.Keys(ctx, e, o.where(), modinfo.MatchKey("*="+o.Value), keyHits(hit))
})

var queryGUID = query(format.Command{
	Name: "guid", Heading: "Keys and values", Title: "List the owners and users of a GUID",
	Example: "guid -- -5242160843106471439",
}, func(ctx context.Context, e *modedit.Editor, o struct {
	Number string `arg:"number" help:"the GUID, as in a data file"`
}, hit func(format.Hit) error) error {
	guid, err := strconv.ParseInt(o.Number, 10, 64)
	if err != nil {
		return fmt.Errorf("expected a GUID, a whole number, not %q", o.Number)
	}
	return modinfo.GUIDs(ctx, e, guid, func(k modinfo.Key, own bool) error {
		use := "refers to it"
		if own {
			use = "has it"
		}
		return keyHits(hit, format.Fact("use", "", use))(k)
	})
})

var queryObjects = query(format.Command{
	Name: "object", Heading: "Layouts", Title: "Objects of layouts by kind, with their positions",
	Example: "object 'Unit Spawner' --files 'LAYOUTS/**'",
}, func(ctx context.Context, e *modedit.Editor, o struct {
	Descriptor string `arg:"descriptor" names:"object" default:"*" help:"the kind, with * and ?, such as Monster"`
	Name       string `option:"name" help:"only objects with this {name}, with * and ?"`
	inFiles
	conditionFields
}, hit func(format.Hit) error) error {
	where := modinfo.Where{Files: o.Files, Choice: modedit.Choice{Where: o.Where}}
	return modinfo.Objects(ctx, e, where, o.Descriptor, o.Name, func(o modinfo.Object) error {
		return hit(format.Hit{Path: o.File, At: o.At, Fields: []format.InfoField{
			format.Fact("descriptor", "", o.Descriptor), format.Fact("name", "", o.Name),
			format.Fact("id", "", strconv.FormatInt(o.ID, 10)),
			format.Fact("x", "", o.X), format.Fact("y", "", o.Y), format.Fact("z", "", o.Z),
		}})
	})
})

var queryFiles = query(format.Command{
	Name: "file", Heading: "Files", Title: "Files by their paths in the game",
	Example: "file '**/*.LAYOUT'",
}, func(ctx context.Context, e *modedit.Editor, o struct {
	Path string `arg:"path" names:"file" default:"**" help:"a path, with * and ?, and ** for any number of folders"`
}, hit func(format.Hit) error) error {
	return modinfo.Files(ctx, e, o.Path, func(name string, size int64) error {
		return hit(format.Hit{Path: name, Fields: []format.InfoField{
			format.Fact("extension", "", strings.ToUpper(path.Ext(name))), format.Fact("size", "", size),
		}})
	})
})

// referenceFields are the fields of the query reference.
type referenceFields struct {
	Path string `arg:"path" names:"file"`
}

// Describe describes the argument.
func (referenceFields) Describe(o *format.Option) {
	o.Explain("path", "a path in the game, or the name of a file, with * and ?, and ** for any number of folders")
}

var queryReferences = query(format.Command{
	Name: "reference", Heading: "Files", Title: "References to a file: a sound, a texture, a layout",
	Example: "reference 'MEDIA/SOUNDS/**'", About: true,
}, func(ctx context.Context, e *modedit.Editor, o referenceFields, hit func(format.Hit) error) error {
	pattern := o.Path
	if !strings.ContainsAny(pattern, "*?") { // perhaps a path in the tree
		pattern = moddir.GamePath(pattern)
	}
	return modinfo.References(ctx, e, pattern, keyHits(hit))
})

// keyHits returns a function that calls hit for a key, with more facts after its own.
func keyHits(hit func(format.Hit) error, more ...format.InfoField) func(modinfo.Key) error {
	return func(k modinfo.Key) error {
		facts := []format.InfoField{format.Fact("key", "", k.Key), format.Fact("type", "", k.Type.String()),
			format.Fact("value", "", k.Value)}
		return hit(format.Hit{Path: k.File, At: k.At, Fields: append(facts, more...)})
	}
}
