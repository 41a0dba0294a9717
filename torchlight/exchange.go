package torchlight

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
)

// Conversions export the texts and tables of mods for other programs; operations import them again.

var optionLanguage = format.Option{Name: "language", Help: "a `language` of the game, such as DE: the folder in MEDIA/TRANSLATIONS"}

var optionColumn = format.Option{Name: "column", List: true, Help: "only this `key`, in this order; LEVEL1.MANACOST is one in a node"}

// exchangeConversions are the conversions of mods and archives.
var exchangeConversions = append([]format.Conversion{{
	To: "po", Title: "the texts to translate, for programs of translators", Extension: ".po", Options: []format.Option{optionLanguage, optionEditBase},
	Convert: converted(func(e *opened, job *format.Job) ([]byte, error) {
		texts, err := e.Texts(job.Value(optionLanguage.Name))
		return modedit.FormatPO(texts, e.title, job.Value(optionLanguage.Name)), err
	}),
}, {
	To: "strings-csv", Title: "the texts to translate, for spreadsheets", Extension: ".csv", Options: []format.Option{optionLanguage, optionEditBase},
	Convert: converted(func(e *opened, job *format.Job) ([]byte, error) {
		texts, err := e.Texts(job.Value(optionLanguage.Name))
		return modedit.FormatCSV(texts), err
	}),
}}, tableConversions()...)

// tableConversions returns the conversions that export a table as a spreadsheet.
func tableConversions() []format.Conversion {
	var list []format.Conversion
	for _, table := range modedit.Tables {
		list = append(list, format.Conversion{
			To: string(table) + "-csv", Title: "its " + string(table) + ", for spreadsheets: a row for each file, with what it takes from its BASEFILE", Extension: ".csv",
			Options: []format.Option{optionColumn, optionEditBase},
			Convert: converted(func(e *opened, job *format.Job) ([]byte, error) {
				data, missing, err := e.Table(table, job.List(optionColumn.Name))
				if len(missing) > 0 {
					job.Warn("", "%d files that others are based on are not at hand, such as %s; --base takes the game's own files", len(missing), missing[0])
				}
				return data, err
			}),
		})
	}
	return list
}

// converted returns a conversion that writes the bytes that make returns.
func converted(make func(e *opened, job *format.Job) ([]byte, error)) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
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
		data, err := make(e, job)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
}

// exchangeCommands are the operations that import the results of the conversions.
var exchangeCommands = []modCommand{{
	Command: format.Command{Name: "strings", Title: "Put translated texts in", Heading: "Texts and tables",
		Long: "The file is what `trowel convert --to po` or `--to strings-csv` made, with translations. They take the place of the texts, " +
			"or go into the file of a --language, from which the game takes them. What has no translation, or a fuzzy one, stays.",
		Args:    []format.Option{{Name: "file", Input: true, Help: "a .po or .csv"}},
		Options: []format.Option{optionLanguage},
		Example: "strings wolves.de.po --language DE"},
	do: func(e *modedit.Editor, job *format.Job) error {
		name := job.Value("file")
		data, err := regular.ReadFile(name, maxCompiled)
		if err != nil {
			return err
		}
		texts, fuzzy, err := modedit.ParseTexts(name, data)
		if err != nil {
			return inText(err, name)
		}
		if fuzzy > 0 {
			job.Warn(name, "%d fuzzy translations are left out", fuzzy)
		}
		if language := job.Value(optionLanguage.Name); language != "" {
			n, err := e.AddTranslations(language, texts)
			return found(n, err, job)
		}
		n, err := e.Translate(texts)
		return found(n, err, job)
	},
}, {
	Command: format.Command{Name: "table", Title: "Put a changed table of skills, units, items or affixes in", Heading: "Texts and tables",
		Long: "The file is what `trowel convert --to units-csv` and the like made; rows and columns may be left out. A changed cell is put into the file of its row, also where " +
			"the value came from the BASEFILE, which stays; an emptied one takes the key out of the file. Numbers of 64 bits begin with #, so that no spreadsheet rounds them; with a cell that one has rounded, nothing changes. Give the same --base as for the conversion.",
		Args:    []format.Option{{Name: "file", Input: true, Help: "a .csv"}},
		Example: "table units.csv"},
	do: func(e *modedit.Editor, job *format.Job) error {
		name := job.Value("file")
		data, err := regular.ReadFile(name, maxCompiled)
		if err != nil {
			return err
		}
		n, err := e.SetTable(data)
		var cells modedit.CellsError
		if errors.As(err, &cells) && len(cells) > 1 {
			for _, cell := range cells {
				job.Miss("", "%v", inText(cell, name))
			}
			return fmt.Errorf("%s: nothing was changed, because of %d cells", name, len(cells))
		}
		if len(cells) == 1 {
			err = cells[0]
		}
		return found(n, inText(err, name), job)
	},
}}

// inText adds the file name to an error in a text.
func inText(err error, name string) error {
	if e, ok := err.(*fault.TextError); ok {
		named := *e
		named.File = name
		return &named
	}
	return err
}
