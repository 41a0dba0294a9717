package torchlight

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// filesFields are the fields of operations on files.
type filesFields struct {
	Files string `arg:"files" names:"file"`
}

// Describe describes the argument.
func (filesFields) Describe(o *format.Option) { o.Explain("files", helpPattern) }

// conditionFields are the fields that select nodes by their values.
type conditionFields struct {
	Where []string `option:"where"`
}

// Describe describes the option.
func (conditionFields) Describe(o *format.Option) {
	o.Explain("where", "only where this `condition` holds: KEY=VALUE (with * and ?, and | between alternatives), "+
		"KEY!=VALUE, KEY<NUMBER, <=, >, >=, or KEY; searched in the node and its parents; in layouts also in the "+
		"object, as in DESCRIPTOR=Monster")
}

// choiceFields are the fields that select nodes.
type choiceFields struct {
	Node string `option:"node"`
	conditionFields
}

// keyFields are the fields of operations on keys.
type keyFields struct {
	filesFields
	choiceFields
}

// Describe describes the options.
func (keyFields) Describe(o *format.Option) {
	o.Explain("node", "in the nodes whose way ends with this `way`, such as LEVEL1 or SKILL.LEVEL*.EVENT_START; "+
		"** selects all nodes (default: the root of data files, and the objects of layouts)")
}

// keyArg is the argument for a key.
type keyArg struct {
	Key string `arg:"key" names:"key" help:"the name of the key"`
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
var keyCommands = []*format.Command{
	operation(format.Command{Name: "set", Title: "Set or calculate the values of a key", Heading: "Keys and values",
		Long: "VALUE is the new value, or +N, +-N or *N to add N or to multiply by N; =VALUE is always a new value. " +
			"An expression of --expr consists of numbers, keys, + - * /, comparisons such as LEVEL>=10 (1 or 0), parentheses, " +
			"abs, ceil, floor, round, min and max, if(CONDITION, A, B), and default(KEY, VALUE) for a missing key. A key is searched " +
			"in the node, in its parents and, with --base also in the game, in the files of BASEFILE; LEVEL1.MANACOST is a key of a " +
			"node below, and [MEMORY DECAY MULT] a key with blanks. Whole numbers are rounded. " +
			"If a value does not fit its type, nothing changes. Tables (.RAW) are updated. With --dry-run, a histogram " +
			"shows by how much the numbers change.",
		Example: "set 'MEDIA/UNITS/**' LEVEL --expr 'max(1, round(LEVEL*0.8))' --where 'RARITY>1'",
	}, setValues),
	operation(format.Command{Name: "add-key", Title: "Add a key where it is missing", Heading: "Keys and values",
		Example: "add-key 'UNITS/MONSTERS/**' INTEGER MINLEVEL 10 --where 'LEVEL>20'",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		keyFields
		typeArg
		keyArg
		Value string `arg:"value" help:"its value"`
	}) error {
		t, _ := text.ParseType(o.Type)
		n, err := e.AddKey(o.Files, t, o.Key, o.Value, o.choice())
		return o.warnUnchanged(n, err, e, "", job)
	}),
	operation(format.Command{Name: "remove-key", Title: "Remove a key", Heading: "Keys and values",
		Example: "remove-key 'SKILLS/**' COOLDOWNMS --node 'SKILL.LEVEL*'",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		keyFields
		keyArg
	}) error {
		n, err := e.RemoveKey(o.Files, o.Key, o.choice())
		return o.warnUnchanged(n, err, e, o.Key, job)
	}),
	operation(format.Command{Name: "rename-key", Title: "Rename a key", Heading: "Keys and values",
		Example: "rename-key 'UNITS/**' MIN_LEVEL MINLEVEL",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		keyFields
		keyArg
		Name string `arg:"name" help:"the new name"`
	}) error {
		n, err := e.RenameKey(o.Files, o.Key, o.Name, o.choice())
		return o.warnUnchanged(n, err, e, o.Key, job)
	}),
}

// typeArg is the argument for the type of a value.
type typeArg struct {
	Type string `arg:"type" help:"the type of the value"`
}

// Describe describes the argument.
func (typeArg) Describe(o *format.Option) {
	if o.Name == "type" {
		o.Choices = typeNames()
	}
}

// settingFields are the fields of set.
type settingFields struct {
	Expr *string `option:"expr" help:"calculate the new value by an {expression}, such as round(LEVEL*0.8)"`
	keyFields
	keyArg
	Value *string `arg:"value,optional" help:"the new value, +N or *N; not with --expr"`
}

// Describe describes the options.
func (f settingFields) Describe(o *format.Option) {
	if o.Name == "expr" {
		o.Parse = modedit.CheckExpression
	}
}

func setValues(e *modedit.Editor, job *format.Job, o settingFields) error {
	switch {
	case o.Value != nil && o.Expr != nil:
		return fmt.Errorf("the value %s and --expr cannot be combined", *o.Value)
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
var fileCommands = []*format.Command{
	operation(format.Command{Name: "new-guids", Title: "Give units, skills and room pieces new unique GUIDs", Heading: "Keys and values",
		Long: "For files that are copies of other files. References by GUID in the same mod are updated. Characters that were saved with " +
			"an item with the old GUID lose it. With --base, no GUID of the game is used. The new GUIDs are derived from the mod " +
			"and the old GUIDs, so a dry run reports the same GUIDs.",
		Example: "new-guids 'UNITS/ITEMS/MY_SWORDS/'",
	}, func(e *modedit.Editor, job *format.Job, o filesFields) error {
		n, err := e.NewGUIDs(o.Files)
		return warnUnchanged(n, err, job)
	}),
	operation(format.Command{Name: "rename", Title: "Rename or move a file or folder, and update all references", Heading: "Files",
		Long: "Updates paths in data files, layouts and image sets, textures in materials, meshes that are named in a RESOURCEDIRECTORY, " +
			"the grids of a layout (.MPP) and the tables (.RAW).",
		Example: "rename UNITS/MONSTERS/WOLF UNITS/MONSTERS/DIREWOLF",
	}, func(e *modedit.Editor, _ *format.Job, o struct {
		From string `arg:"from" names:"file" help:"its path in the game"`
		To   string `arg:"to" help:"the new path"`
	}) error {
		return e.Rename(o.From, o.To)
	}),
	operation(format.Command{Name: "put", Title: "Add or replace a file", Heading: "Files",
		Long:    "Texts of data files and layouts, tables as JSON and grids as pictures are compiled.",
		Example: "put SKILLS/FIREBALL/FIREBALL.DAT fireball.txt",
	}, func(e *modedit.Editor, _ *format.Job, o struct {
		Path string `arg:"path" names:"file" help:"in the game"`
		File string `arg:"file,input" help:"the new content"`
	}) error {
		data, err := regular.ReadFile(o.File, effort.TextFile)
		if err != nil {
			return err
		}
		return e.Put(o.Path, data)
	}),
	operation(format.Command{Name: "add-icons", Title: "Make an image set of a folder of pictures", Heading: "Files",
		Long: "Each picture of the folder becomes a sprite with the name of the file, without its extension: ICON and SKILL_ICON name it. " +
			"The pictures are put on one sheet, next to the image set. `trowel convert FILE.IMAGESET --to png` makes pictures of sprites.",
		Example: "add-icons icons UI/WOLF_ICONS.IMAGESET",
	}, func(e *modedit.Editor, _ *format.Job, o struct {
		Folder string `arg:"folder,input" help:"with pictures, such as PNG"`
		Path   string `arg:"path" names:"file" help:"the new image set in the game"`
		Codec  string `option:"codec" default:"dxt5" choices:"plain|dxt1|dxt3|dxt5" help:"how the sheet stores pixels; plain is lossless"`
	}) error {
		return addIcons(e, o.Folder, o.Path, codecs[o.Codec])
	}),
	operation(format.Command{Name: "delete", Title: "Remove files from the mod", Heading: "Files",
		Example: "delete 'MEDIA/**/*BACKUP*'",
	}, func(e *modedit.Editor, _ *format.Job, o filesFields) error { return e.Delete(o.Files) }),
	operation(format.Command{Name: "hide", Title: "Make the mod remove files from the game", Heading: "Files",
		Example: "hide MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT",
	}, func(e *modedit.Editor, _ *format.Job, o pathsFields) error { return eachPath(o, e.Hide) }),
	operation(format.Command{Name: "show", Title: "Restore files that the mod removes from the game", Heading: "Files",
		Example: "show MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT",
	}, func(e *modedit.Editor, _ *format.Job, o pathsFields) error { return eachPath(o, e.Unhide) }),
	operation(format.Command{Name: "info", Title: "Set the title, author, version and other facts about the mod", Heading: "Mod",
		Example: "info --title 'Wolves' --version 7 --id new",
	}, func(e *modedit.Editor, _ *format.Job, o infoFields) error { return o.set(e) }),
}

type pathsFields struct {
	Paths []string `arg:"path,required" names:"file" help:"paths in the game"`
}

type infoFields struct {
	Title       *string `option:"title" help:"the name of the mod"`
	Author      *string `option:"author" help:"the author of the mod"`
	Description *string `option:"description" help:"the description of the mod"`
	Website     *string `option:"website" help:"the page of the mod"`
	Download    *string `option:"download" help:"the address of the download"`
	Version     *string `option:"version" help:"a {number} from 0 to 65535, one more than in MOD.DAT"`
	ID          *string `option:"id" help:"the {number} that identifies the mod in the game, or new for a number that no other mod has"`
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
