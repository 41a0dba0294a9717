package torchlight

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/glob"
	"trowel.example/torchlight/internal/modfind"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// modQuery is a query of mods, with the function that answers it.
type modQuery struct {
	format.Command
	single bool // also useful for a single file
	find   func(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error
}

var (
	modFinder    = &format.Finder{Commands: queriesFor(false), Find: findInArchive, Lacks: lacking(findInArchive)}
	singleFinder = &format.Finder{Commands: queriesFor(true), Find: findInSingle, Lacks: lacking(findInSingle)}
)

func queriesFor(single bool) []*format.Command {
	var commands []*format.Command
	for i := range modQueries {
		if q := &modQueries[i]; q.single || !single {
			commands = append(commands, &q.Command)
		}
	}
	return commands
}

// ask runs a query on the archive that an editor has open.
func ask(ctx context.Context, e *modedit.Editor, query format.Step, hit func(format.Hit) error) error {
	i := slices.IndexFunc(modQueries, func(q modQuery) bool { return q.Name == query.Name })
	return modQueries[i].find(ctx, e, query.Job, hit)
}

func findInArchive(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	o, closer, _, err := editorOptions(job, func(check.Change) error { return nil })
	if err != nil {
		return err
	}
	defer closer.Close()
	e, err := openEditor(job, src, o)
	if err != nil {
		return err
	}
	defer e.close()
	return ask(ctx, e.Editor, query, func(h format.Hit) error {
		if h.At != nil {
			h.At = text.Within{Place: h.At, Path: h.Path}
		}
		return hit(h)
	})
}

func findInSingle(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	o, closer, _, err := editorOptions(job, func(check.Change) error { return nil })
	if err != nil {
		return err
	}
	defer closer.Close()
	data, err := src.ReadUpTo(maxCompiled)
	if err != nil {
		return err
	}
	return ask(ctx, modedit.OfFile(gamePath(src), data, o), query, hit)
}

// lacking returns a function that reports an error if the key, kind of object or file that a query names does not exist
// anywhere. The function uses find to list all existing names.
func lacking(find func(context.Context, *format.Job, *format.Source, format.Step, func(format.Hit) error) error) func(context.Context, *format.Job, *format.Source, format.Step) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, query format.Step) error {
		argument, is := map[string]string{"key": "key", "object": "descriptor", "file": "path"}[query.Name]
		if !is {
			return nil
		}
		name, _, _ := strings.Cut(query.Job.Value(argument), "=")
		all, its := query, *query.Job
		its.Values = map[string]string{argument: "**"}
		all.Job = &its
		names := make(map[string]bool)
		err := find(ctx, job, src, all, func(h format.Hit) error {
			known := h.Path
			for _, f := range h.Fields {
				if f.Key == argument {
					known = fmt.Sprint(f.Value)
				}
			}
			names[known] = true
			return nil
		})
		match := glob.Folded(name)
		for known := range names {
			if match(known) {
				return err
			}
		}
		return errors.Join(err, &fault.NameError{Kind: query.Name, Name: name, Names: slices.Sorted(maps.Keys(names))})
	}
}

var (
	optionFiles = format.Option{Name: "files", Help: "only in files of this `path` in the game, with * and ?, and ** for any number of folders; one that ends with / means all below it"}
	keyOptions  = []format.Option{optionFiles, optionNode, optionWhere}
)

func whereOf(job *format.Job) modfind.Where {
	return modfind.Where{Files: job.Value(optionFiles.Name), Choice: choiceOf(job)}
}

var modQueries = []modQuery{
	{format.Command{
		Name: "key", Heading: "Keys and values", Title: "Keys of data files and layouts, with their values",
		Args: []format.Option{{Name: "key", Help: "KEY, or KEY=VALUE; both may have * and ?, and capitals do not matter"}}, Options: keyOptions,
		Example: "key LEVEL --files 'UNITS/MONSTERS/**'",
	}, true, findKeys},
	{format.Command{
		Name: "value", Heading: "Keys and values", Title: "Values, whatever their key is",
		Args: []format.Option{{Name: "value", Help: "the value, with * and ?; capitals do not matter"}}, Options: keyOptions,
		Example: "value '*wolf*'",
	}, true, findValues},
	{format.Command{
		Name: "guid", Heading: "Keys and values", Title: "Who has a GUID, and who refers to it",
		Args: []format.Option{{Name: "number", Help: "the GUID, as a data file has it"}}, Example: "guid -- -5242160843106471439",
	}, true, findGUID},
	{format.Command{
		Name: "object", Heading: "Layouts", Title: "Objects of layouts by their kinds, with their places",
		Args:    []format.Option{{Name: "descriptor", Default: "*", Help: "the kind, with * and ?, such as Monster"}},
		Options: append([]format.Option{{Name: "name", Help: "only those of this `name`, with * and ?"}}, optionFiles, optionWhere),
		Example: "object 'Unit Spawner' --files 'LAYOUTS/**'",
	}, true, findObjects},
	{format.Command{
		Name: "file", Heading: "Files", Title: "Files by their paths in the game",
		Args: []format.Option{{Name: "path", Default: "**", Help: "a path, with * and ?, and ** for any number of folders"}}, Example: "file '**/*.LAYOUT'",
	}, false, findFiles},
	{format.Command{
		Name: "reference", Heading: "Files", Title: "Who refers to a file: a sound, a texture, a layout",
		Args:    []format.Option{{Name: "path", Help: "a path in the game, or the name of a file, with * and ?, and ** for any number of folders"}},
		Example: "reference 'MEDIA/SOUNDS/**'",
	}, true, findReferences},
}

// keyHit returns the hit for a key.
func keyHit(k modfind.Key, more ...format.InfoField) format.Hit {
	return format.Hit{Path: k.File, At: k.At, Fields: append([]format.InfoField{format.Fact("key", "", k.Key), format.Fact("type", "", k.Type.String()), format.Fact("value", "", k.Value)}, more...)}
}

func findKeys(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	name, value, hasValue := strings.Cut(job.Value("key"), "=")
	keys, values := glob.Folded(name), glob.Folded(value)
	return modfind.Keys(ctx, e, whereOf(job), func(p *text.Property) bool {
		return keys(p.Key) && (!hasValue || values(p.Value))
	}, func(k modfind.Key) error { return hit(keyHit(k)) })
}

func findValues(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	values := glob.Folded(job.Value("value"))
	return modfind.Keys(ctx, e, whereOf(job), func(p *text.Property) bool { return values(p.Value) },
		func(k modfind.Key) error { return hit(keyHit(k)) })
}

func findGUID(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	guid, err := strconv.ParseInt(job.Value("number"), 10, 64)
	if err != nil {
		return fmt.Errorf("expected a GUID, a whole number, not %q", job.Value("number"))
	}
	return modfind.GUIDs(ctx, e, guid, func(k modfind.Key, own bool) error {
		use := "refers to it"
		if own {
			use = "has it"
		}
		return hit(keyHit(k, format.Fact("use", "", use)))
	})
}

func findReferences(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	return modfind.References(ctx, e, job.Value("path"), func(k modfind.Key) error { return hit(keyHit(k)) })
}

func findObjects(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	return modfind.Objects(ctx, e, whereOf(job), job.Value("descriptor"), job.Value("name"), func(o modfind.Object) error {
		return hit(format.Hit{Path: o.File, At: o.At, Fields: []format.InfoField{
			format.Fact("descriptor", "", o.Descriptor), format.Fact("name", "", o.Name), format.Fact("id", "", strconv.FormatInt(o.ID, 10)),
			format.Fact("x", "", o.X), format.Fact("y", "", o.Y), format.Fact("z", "", o.Z),
		}})
	})
}

func findFiles(ctx context.Context, e *modedit.Editor, job *format.Job, hit func(format.Hit) error) error {
	return modedit.LookAtFiles(ctx, e, job.Value("path"), func(string) bool { return true }, func(name string, content []byte) []format.Hit {
		return []format.Hit{{Path: name, Fields: []format.InfoField{
			format.Fact("extension", "", strings.ToUpper(path.Ext(name))), format.Fact("size", "", int64(len(content))),
		}}}
	}, hit)
}
