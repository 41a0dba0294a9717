package torchlight

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/modedit"
)

// Conversions export the texts and tables of mods for other programs; operations import them again.

var optionLanguage = format.Option{Name: "language", Help: "a `language` of the game, such as DE: the folder in MEDIA/TRANSLATIONS"}

var optionColumn = format.Option{Name: "column", List: true, Help: "only this `key`, in this order; LEVEL1.MANACOST is a key in a node"}

// exchangeConversions are the conversions of mods and archives.
var exchangeConversions = slices.Concat(textConversions(openEditor, optionLanguage, optionEditBase),
	[]format.Conversion{modModelConversion}, tableConversions(), portConversions)

// An opener opens a file for editing.
type opener func(job *format.Job, src *format.Source, o modedit.Options) (*opened, error)

// openSingle opens a single data file.
func openSingle(_ *format.Job, src *format.Source, o modedit.Options) (*opened, error) {
	data, err := src.ReadUpTo(effort.TextFile)
	return &opened{Editor: modedit.OfFile(modsource.GamePath(src), data, o), close: func() error { return nil }}, err
}

// textConversions returns the conversions that export texts to translate, or a list of translations.
func textConversions(open opener, options ...format.Option) []format.Conversion {
	return []format.Conversion{{
		To: "po", Title: "the texts to translate, for translation programs", Extension: ".po",
		Options: options,
		Convert: converted(open, func(ctx context.Context, e *opened, job *format.Job) ([]byte, error) {
			texts, err := e.Texts(ctx, optionLanguage.Value(job))
			return modedit.FormatPO(texts, e.title, optionLanguage.Value(job)), err
		}),
	}, {
		To: "strings-csv", Title: "the texts to translate, for spreadsheets", Extension: ".csv",
		Options: options,
		Convert: converted(open, func(ctx context.Context, e *opened, job *format.Job) ([]byte, error) {
			texts, err := e.Texts(ctx, optionLanguage.Value(job))
			return modedit.FormatCSV(texts), err
		}),
	}}
}

// tableConversions returns the conversions that export a table as a spreadsheet.
func tableConversions() []format.Conversion {
	var list []format.Conversion
	for _, table := range modedit.Tables {
		list = append(list, format.Conversion{
			To: string(table) + "-csv", Title: "the " + string(table) +
				", for spreadsheets: a row for each file, with the values from its BASEFILE", Extension: ".csv",
			Options: []format.Option{optionColumn, optionEditBase},
			Convert: converted(openEditor, func(ctx context.Context, e *opened, job *format.Job) ([]byte, error) {
				data, missing, err := e.Table(table, optionColumn.Values(job))
				if len(missing) > 0 {
					job.Warn("", "%s missing on which other files are based, such as %s (give the game's own files "+
						"with --base)", words.Count(len(missing), "file"), missing[0])
				}
				return data, err
			}),
		})
	}
	return list
}

// converted returns a conversion that writes the bytes that make returns.
func converted(open opener, make func(ctx context.Context, e *opened, job *format.Job) ([]byte, error)) func(context.Context, *format.Job,
	*format.Source, format.Output) error {
	return func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
		o, closer, _, err := editorOptions(job, func(check.Change) error { return nil })
		if err != nil {
			return err
		}
		defer closer.Close()
		e, err := open(job, src, o)
		if err != nil {
			return err
		}
		defer e.close()
		data, err := make(ctx, e, job)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
}

// stringsFields are the fields of strings.
type stringsFields struct {
	File     string `arg:"file,input" help:"a .po or .csv"`
	Language string `option:"language"`
}

// Describe describes the options.
func (stringsFields) Describe(o *format.Option) { o.As(optionLanguage) }

// exchangeCommands are the operations that import the results of the conversions.
var exchangeCommands = []*format.Command{
	operation(format.Command{Name: "strings", Title: "Import translated texts", Heading: "Texts and tables",
		Long: "The file is the output of `trowel convert --to po` or `--to strings-csv`, with translations. They " +
			"replace the texts, or with " +
			"--language go into the file of that language, from which the game reads them; those of a single TRANSLATION.DAT " +
			"go into it. Texts without a translation, or with a fuzzy one, stay.",
		Example: "strings wolves.de.po --language DE",
	}, func(e *modedit.Editor, job *format.Job, o stringsFields) error {
		data, err := regular.ReadFile(o.File, effort.TextFile)
		if err != nil {
			return err
		}
		texts, fuzzy, err := modedit.ParseTexts(o.File, data)
		if err != nil {
			return inText(err, o.File)
		}
		if fuzzy > 0 {
			job.Warn(o.File, "ignored %s", words.Count(fuzzy, "fuzzy translation"))
		}
		var n int
		if o.Language != "" {
			n, err = e.AddTranslations(o.Language, texts)
		} else {
			n, err = e.Translate(texts)
		}
		return warnUnchanged(n, err, job)
	}),
	operation(format.Command{Name: "table", Title: "Import an edited table of skills, units, items or affixes", Heading: "Texts and tables",
		Long: "The file is the edited output of `trowel convert --to units-csv` or another table; rows and columns may " +
			"be missing. A changed cell is written " +
			"to the file of its row, even if the value came from the BASEFILE, which stays; an emptied cell removes the " +
			"key from the file. " +
			"64-bit numbers begin with #, so that no spreadsheet rounds them; if a cell was rounded, nothing changes. " +
			"Give the same --base as for the conversion.",
		Example: "table units.csv",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		File string `arg:"file,input" help:"a .csv"`
	}) error {
		data, err := regular.ReadFile(o.File, effort.TextFile)
		if err != nil {
			return err
		}
		n, err := e.SetTable(data)
		var cells modedit.CellsError
		if errors.As(err, &cells) && len(cells) > 1 {
			for _, cell := range cells {
				job.Miss("", "%v", inText(cell, o.File))
			}
			return fmt.Errorf("%s: nothing was changed: correct %s", o.File, words.Count(len(cells), "cell"))
		}
		if len(cells) == 1 {
			err = cells[0]
		}
		return warnUnchanged(n, inText(err, o.File), job)
	}),
}

// inText adds the file name to an error in a text.
func inText(err error, name string) error {
	if e, ok := err.(*fault.TextError); ok {
		named := *e
		named.File = name
		return &named
	}
	return err
}
