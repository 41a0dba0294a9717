package torchlight

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// filesFields are the fields of operations on files.
type filesFields struct {
	Files string `option:"files"`
}

// choiceFields are the fields that select nodes.
type choiceFields struct {
	Node  string   `option:"node"`
	Where []string `option:"where"`
}

// keyFields are the fields of operations on a key.
type keyFields struct {
	filesFields
	choiceFields
	Key string `option:"key"`
}

// choice returns the nodes to change: without --node, only the top nodes.
func (o keyFields) choice() modedit.Choice {
	return modedit.Choice{Node: o.Node, Where: o.Where, Top: o.Node == ""}
}

// warnUnchanged warns if a change matched nothing. It returns an error if no node of the files has the key.
func (o keyFields) warnUnchanged(n int, err error, e *modedit.Editor, key string, step *format.Job) error {
	if err != nil || n > 0 {
		return err
	}
	if err := e.CheckNames(o.Files, key, o.choice()); err != nil {
		return err
	}
	if o.Node != "" {
		return warnUnchanged(n, err, step)
	}
	step.Warn("", "nothing to change in the roots of data files and the objects of layouts; --node '**' selects all nodes")
	return nil
}

// keyCommands are the operations on keys and values.
var keyCommands = []modCommand{
	operation(format.Command{Name: "set", Title: "Set or calculate the values of a key", Heading: "Keys and values",
		Long: "VALUE is the new value, or +N, +-N or *N to add N or to multiply by N; =VALUE is always a new value. " +
			"An expression of --expr consists of numbers, keys, + - * /, comparisons such as LEVEL>=10 (1 or 0), parentheses, " +
			"abs, ceil, floor, round, min and max, if(CONDITION, A, B), and default(KEY, VALUE) for a missing key. A key is searched " +
			"in the node, in its parents and, with --base also in the game, in the files of BASEFILE; LEVEL1.MANACOST is a key of a " +
			"node below, and [MEMORY DECAY MULT] a key with blanks. Whole numbers are rounded. " +
			"If a value does not fit its type, nothing changes. Tables (.RAW) are updated. With --dry-run, a histogram " +
			"shows by how much the numbers change.",
		Args:    []format.Option{argFiles, argKey, {Name: "value", Spare: true, Help: "the new value, +N or *N; not with --expr"}},
		Options: []format.Option{optionExpr, optionNodes, optionWhere},
		Example: "set 'MEDIA/UNITS/**' LEVEL --expr 'max(1, round(LEVEL*0.8))' --where 'RARITY>1'",
	}, setValues),
	operation(format.Command{Name: "add-key", Title: "Add a key where it is missing", Heading: "Keys and values",
		Args: []format.Option{
			argFiles, {Name: "type", Choices: typeNames(), Help: "the type of the value"}, argKey, {Name: "value", Help: "its value"},
		},
		Options: []format.Option{optionNodes, optionWhere},
		Example: "add-key 'UNITS/MONSTERS/**' INTEGER MINLEVEL 10 --where 'LEVEL>20'",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		keyFields
		Type  string `option:"type"`
		Value string `option:"value"`
	}) error {
		t, _ := text.ParseType(o.Type)
		n, err := e.AddKey(o.Files, t, o.Key, o.Value, o.choice())
		return o.warnUnchanged(n, err, e, "", job)
	}),
	operation(format.Command{Name: "remove-key", Title: "Remove a key", Heading: "Keys and values",
		Args: []format.Option{argFiles, argKey}, Options: []format.Option{optionNodes, optionWhere},
		Example: "remove-key 'SKILLS/**' COOLDOWNMS --node 'SKILL.LEVEL*'",
	}, func(e *modedit.Editor, job *format.Job, o keyFields) error {
		n, err := e.RemoveKey(o.Files, o.Key, o.choice())
		return o.warnUnchanged(n, err, e, o.Key, job)
	}),
	operation(format.Command{Name: "rename-key", Title: "Rename a key", Heading: "Keys and values",
		Args:    []format.Option{argFiles, argKey, {Name: "name", Help: "the new name"}},
		Options: []format.Option{optionNodes, optionWhere},
		Example: "rename-key 'UNITS/**' MIN_LEVEL MINLEVEL",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		keyFields
		Name string `option:"name"`
	}) error {
		n, err := e.RenameKey(o.Files, o.Key, o.Name, o.choice())
		return o.warnUnchanged(n, err, e, o.Key, job)
	}),
}

var optionExpr = format.Option{Name: "expr", Parse: modedit.CheckExpression,
	Help: "calculate the new value by an `expression`, such as round(LEVEL*0.8)"}

func setValues(e *modedit.Editor, job *format.Job, o struct {
	keyFields
	Value *string `option:"value"`
	Expr  *string `option:"expr"`
}) error {
	switch {
	case o.Value != nil && o.Expr != nil:
		return fmt.Errorf("the value %s and --expr exclude each other", *o.Value)
	case o.Expr != nil:
		n, err := e.SetExpression(o.Files, o.Key, *o.Expr, o.choice())
		if name := modedit.MissingKey(err); name != "" {
			err = cmp.Or(e.CheckNames(o.Files, name, modedit.Choice{}), err)
		}
		return o.warnUnchanged(n, err, e, o.Key, job)
	case o.Value != nil:
		n, err := e.Set(o.Files, o.Key, *o.Value, o.choice())
		return o.warnUnchanged(n, err, e, o.Key, job)
	}
	return errors.New("expected VALUE or --expr")
}

// fileCommands are the operations on files and on the mod's header.
var fileCommands = []modCommand{
	operation(format.Command{Name: "new-guids", Title: "Give units, skills and room pieces new unique GUIDs", Heading: "Keys and values",
		Long: "For files that are copies of other files. References by GUID in the same mod are updated. Characters that were saved with " +
			"such an item lose it. With --base, no GUID of the game is used. The new GUIDs are derived from the mod and the old GUIDs, " +
			"so a dry run reports the same GUIDs.",
		Args:    []format.Option{argFiles},
		Example: "new-guids 'UNITS/ITEMS/MY_SWORDS/'",
	}, func(e *modedit.Editor, job *format.Job, o filesFields) error {
		n, err := e.NewGUIDs(o.Files)
		return warnUnchanged(n, err, job)
	}),
	operation(format.Command{Name: "rename", Title: "Rename or move a file or folder, and update all references", Heading: "Files",
		Long: "Updates paths in data files, layouts and image sets, textures in materials, meshes that are named in a RESOURCEDIRECTORY, " +
			"the grids of a layout (.MPP) and the tables (.RAW).",
		Args:    []format.Option{{Name: "from", Names: kindFile, Help: "its path in the game"}, {Name: "to", Help: "the new path"}},
		Example: "rename UNITS/MONSTERS/WOLF UNITS/MONSTERS/DIREWOLF",
	}, func(e *modedit.Editor, _ *format.Job, o struct {
		From string `option:"from"`
		To   string `option:"to"`
	}) error {
		return e.Rename(o.From, o.To)
	}),
	operation(format.Command{Name: "put", Title: "Add or replace a file", Heading: "Files",
		Long: "Texts of data files and layouts, tables as JSON and grids as pictures are compiled.",
		Args: []format.Option{{Name: "path", Names: kindFile, Help: "in the game"},
			{Name: "file", Input: true, Help: "the new content"}},
		Example: "put SKILLS/FIREBALL/FIREBALL.DAT fireball.txt",
	}, func(e *modedit.Editor, _ *format.Job, o struct {
		Path string `option:"path"`
		File string `option:"file"`
	}) error {
		data, err := regular.ReadFile(o.File, modsource.MaxSize)
		if err != nil {
			return err
		}
		return e.Put(o.Path, data)
	}),
	operation(format.Command{Name: "delete", Title: "Remove files from the mod", Heading: "Files",
		Args:    []format.Option{argFiles},
		Example: "delete 'MEDIA/**/*BACKUP*'",
	}, func(e *modedit.Editor, _ *format.Job, o filesFields) error { return e.Delete(o.Files) }),
	operation(format.Command{Name: "hide", Title: "Make the mod remove files from the game", Heading: "Files",
		Args:    []format.Option{argPaths},
		Example: "hide MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT",
	}, func(e *modedit.Editor, _ *format.Job, o pathsFields) error { return eachPath(o, e.Hide) }),
	operation(format.Command{Name: "show", Title: "Restore files that the mod removes from the game", Heading: "Files",
		Args:    []format.Option{argPaths},
		Example: "show MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT",
	}, func(e *modedit.Editor, _ *format.Job, o pathsFields) error { return eachPath(o, e.Unhide) }),
	operation(format.Command{Name: "info", Title: "Set the title, author, version and other facts about the mod", Heading: "Mod",
		Options: []format.Option{
			{Name: "title", Help: "the name of the mod"}, {Name: "author", Help: "the author of the mod"},
			{Name: "description", Help: "the description of the mod"},
			{Name: "website", Help: "the page of the mod"}, {Name: "download", Help: "the address of the download"},
			{Name: "version", Help: "a `number` from 0 to 65535, one more than in MOD.DAT"},
			{Name: "id", Help: "the `number` that identifies the mod in the game, or new for a number that no other mod has"},
		},
		Example: "info --title 'Wolves' --version 7 --id new",
	}, func(e *modedit.Editor, _ *format.Job, o infoFields) error { return o.set(e) }),
}

var argPaths = format.Option{Name: "path", Names: kindFile, List: true, Some: true, Help: "paths in the game"}

type pathsFields struct {
	Paths []string `option:"path"`
}

type infoFields struct {
	Title       *string `option:"title"`
	Author      *string `option:"author"`
	Description *string `option:"description"`
	Website     *string `option:"website"`
	Download    *string `option:"download"`
	Version     *string `option:"version"`
	ID          *string `option:"id"`
}

func (o infoFields) set(e *modedit.Editor) error {
	for _, f := range []struct {
		field modedit.InfoField
		value *string
	}{
		{modedit.Title, o.Title}, {modedit.Author, o.Author}, {modedit.Description, o.Description}, {modedit.Website, o.Website},
		{modedit.Download, o.Download}, {modedit.Version, o.Version}, {modedit.ID, o.ID},
	} {
		if f.value == nil {
			continue
		}
		if err := e.SetInfo(f.field, *f.value); err != nil {
			return err
		}
	}
	return nil
}

func eachPath(o pathsFields, do func(name string) error) error {
	var err error
	for _, path := range o.Paths {
		err = errors.Join(err, do(strings.TrimSpace(path)))
	}
	return err
}

func typeNames() []string {
	var names []string
	for t := text.Integer; t.Known(); t++ {
		names = append(names, t.String())
	}
	return names
}
