package torchlight

import (
	"errors"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// keyCommands are the operations on keys and values.
var keyCommands = []modCommand{{
	single: true,
	Command: format.Command{Name: "set", Title: "Set, add to or multiply the values of a key", Heading: "Keys and values",
		Long: "The value is a new one, or +N, +-N or *N with a number that is added or multiplied; =VALUE is always a new one. " +
			"Whole numbers are rounded, and a value that does not fit its type changes nothing at all. Tables (.RAW) follow.",
		Args:    []format.Option{argFiles, argKey, {Name: "value", Help: "the new value, +N or *N"}},
		Options: []format.Option{optionNodes, optionWhere},
		Example: "set 'MEDIA/UNITS/**' LEVEL '*1.1' --where 'RARITY>1'"},
	do: func(e *modedit.Editor, job *format.Job) error {
		n, err := e.Set(job.Value("files"), job.Value("key"), job.Value("value"), changed(job))
		return foundKey(n, err, e, job.Value("key"), job)
	},
}, {
	single: true,
	Command: format.Command{Name: "add-key", Title: "Add a key where it is missing", Heading: "Keys and values",
		Args:    []format.Option{argFiles, {Name: "type", Choices: typeNames(), Help: "the type of the value"}, argKey, {Name: "value", Help: "its value"}},
		Options: []format.Option{optionNodes, optionWhere},
		Example: "add-key 'UNITS/MONSTERS/**' INTEGER MINLEVEL 10 --where 'LEVEL>20'"},
	do: func(e *modedit.Editor, job *format.Job) error {
		t, _ := text.ParseType(job.Value("type"))
		n, err := e.AddKey(job.Value("files"), t, job.Value("key"), job.Value("value"), changed(job))
		return foundKey(n, err, e, "", job)
	},
}, {
	single: true,
	Command: format.Command{Name: "remove-key", Title: "Take a key away", Heading: "Keys and values",
		Args: []format.Option{argFiles, argKey}, Options: []format.Option{optionNodes, optionWhere},
		Example: "remove-key 'SKILLS/**' COOLDOWNMS --node 'SKILL.LEVEL*'"},
	do: func(e *modedit.Editor, job *format.Job) error {
		n, err := e.RemoveKey(job.Value("files"), job.Value("key"), changed(job))
		return foundKey(n, err, e, job.Value("key"), job)
	},
}, {
	single: true,
	Command: format.Command{Name: "rename-key", Title: "Give a key another name", Heading: "Keys and values",
		Args: []format.Option{argFiles, argKey, {Name: "name", Help: "the new name"}}, Options: []format.Option{optionNodes, optionWhere},
		Example: "rename-key 'UNITS/**' MIN_LEVEL MINLEVEL"},
	do: func(e *modedit.Editor, job *format.Job) error {
		n, err := e.RenameKey(job.Value("files"), job.Value("key"), job.Value("name"), changed(job))
		return foundKey(n, err, e, job.Value("key"), job)
	},
}, {
	Command: format.Command{Name: "new-guids", Title: "Give units, skills and room pieces numbers that nothing else has", Heading: "Keys and values",
		Long: "For files that are copies of others. What refers to them by number in the same mod follows. Characters that were saved with " +
			"such an item lose it. With --base no number of the game is taken. The numbers follow from the mod and the old numbers, so that a dry run tells the same.",
		Args:    []format.Option{argFiles},
		Example: "new-guids 'UNITS/ITEMS/MY_SWORDS/'"},
	do: func(e *modedit.Editor, job *format.Job) error {
		n, err := e.NewGUIDs(job.Value("files"))
		return found(n, err, job)
	},
}}

func typeNames() []string {
	var names []string
	for t := text.Integer; t.Known(); t++ {
		names = append(names, t.String())
	}
	return names
}

// fileCommands are the operations on files and on the mod's header.
var fileCommands = []modCommand{{
	Command: format.Command{Name: "rename", Title: "Give a file or folder another path, with all that refers to it", Heading: "Files",
		Long: "Paths in data files, layouts and image sets follow, and so do textures in materials, meshes that are named in a RESOURCEDIRECTORY, " +
			"the grids of a layout (.MPP) and the tables (.RAW).",
		Args:    []format.Option{{Name: "from", Help: "its path in the game"}, {Name: "to", Help: "the new path"}},
		Example: "rename UNITS/MONSTERS/WOLF UNITS/MONSTERS/DIREWOLF"},
	do: func(e *modedit.Editor, job *format.Job) error { return e.Rename(job.Value("from"), job.Value("to")) },
}, {
	Command: format.Command{Name: "put", Title: "Add a file, or replace one", Heading: "Files",
		Long:    "Texts of data files and layouts, tables as JSON and grids as pictures are compiled.",
		Args:    []format.Option{{Name: "path", Help: "in the game"}, {Name: "file", Input: true, Help: "the file to take"}},
		Example: "put SKILLS/FIREBALL/FIREBALL.DAT fireball.txt"},
	do: func(e *modedit.Editor, job *format.Job) error {
		data, err := regular.ReadFile(job.Value("file"), maxCompiled)
		if err != nil {
			return err
		}
		return e.Put(job.Value("path"), data)
	},
}, {
	Command: format.Command{Name: "delete", Title: "Take files out of the mod", Heading: "Files",
		Args:    []format.Option{argFiles},
		Example: "delete 'MEDIA/**/*BACKUP*'"},
	do: func(e *modedit.Editor, job *format.Job) error { return e.Delete(job.Value("files")) },
}, {
	Command: format.Command{Name: "hide", Title: "Make the mod take files of the game away", Heading: "Files",
		Args:    []format.Option{{Name: "path", List: true, Some: true, Help: "paths in the game"}},
		Example: "hide MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT"},
	do: func(e *modedit.Editor, job *format.Job) error { return hide(e, job, false) },
}, {
	Command: format.Command{Name: "show", Title: "Give files back that the mod takes away from the game", Heading: "Files",
		Args:    []format.Option{{Name: "path", List: true, Some: true, Help: "paths in the game"}},
		Example: "show MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT"},
	do: func(e *modedit.Editor, job *format.Job) error { return hide(e, job, true) },
}, {
	Command: format.Command{Name: "info", Title: "Set what the mod says of itself", Heading: "Mod",
		Options: []format.Option{
			{Name: "title", Help: "what it is called"}, {Name: "author", Help: "who made it"}, {Name: "description", Help: "what it is"},
			{Name: "website", Help: "its page"}, {Name: "download", Help: "where it can be had"},
			{Name: "version", Help: "a `number` from 0 to 65535, one more than in MOD.DAT"},
			{Name: "id", Help: "the `number` by which the game knows it, or new for one that no other mod has"},
		},
		Example: "info --title 'Wolves' --version 7 --id new"},
	do: func(e *modedit.Editor, job *format.Job) error {
		for _, field := range []modedit.InfoField{modedit.Title, modedit.Author, modedit.Description, modedit.Website, modedit.Download, modedit.Version, modedit.ID} {
			if value, given := job.Given(string(field)); given {
				if err := e.SetInfo(field, value); err != nil {
					return err
				}
			}
		}
		return nil
	},
}}

func hide(e *modedit.Editor, job *format.Job, show bool) error {
	var err error
	for _, path := range job.List("path") {
		err = errors.Join(err, e.Hide(strings.TrimSpace(path), show))
	}
	return err
}
