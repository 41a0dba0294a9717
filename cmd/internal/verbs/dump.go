package verbs

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

func dumpCommand(a *Tool) *cobra.Command {
	var o jsonOption
	cmd := &cobra.Command{
		Use:   "dump FILE [PATH]",
		Short: "Show every byte of a file",
		Long: `Dump shows every field of a game file in the order in which it is read: its
offset, in hexadecimal and in decimal, its length in bytes, its name and value,
and the meaning of the value. Fields of compressed data follow, indented, with their
offsets in the inflated data. Bytes that belong to no field are listed at the end as
gaps, and so are missing bytes. For a damaged file, dump shows everything before the
damage.

PATH selects the fields below a field: items[3] shows items[3].size and the others of
that item. In an archive, PATH can be the path of a file.

With --json it prints an array of {space, path, offset, length, value, meaning}.
Space is the field that the bytes were inflated from, "" for the file itself;
byte strings are in hexadecimal; the path of a gap is "gap".`,
		Example: `  trowel dump climb.map | less
  trowel dump climb.map header
  trowel dump --json broken.map`,
		Args: args(1, 2),
	}
	OptionFlags(a, cmd, optionsFor(0), &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		startPager(a)
		g, err := a.Find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer g.Close()
		if err := a.Owned(g.Format); err != nil {
			return err
		}
		if g.Dump == nil {
			return fmt.Errorf("%s: has no bytes to show (%s)", g.Called, g.Title)
		}
		d := &dump{w: a.out, jsonOption: o, list: terminal.Array{W: a.out}}
		if !g.Source.IsDir() {
			d.account.Size = g.Source.Size
		}
		if len(args) == 2 {
			d.path = args[1]
		}
		broke := g.Dump(cmd.Context(), a.Job(g.Format), g.Source, d.path, d.field)
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		d.end(g.Source)
		if d.err != nil {
			return d.err
		}
		if broke != nil {
			var fault *fault.Error
			if !errors.As(broke, &fault) {
				return wording.Named(broke, g.Called) // the file is valid
			}
			a.talk.Fail(wording.Named(broke, g.Called))
			return errFound
		}
		if d.fields == 0 && d.path != "" {
			return wording.Hint(fmt.Errorf("%s: no field %s", g.Called, d.path), "`trowel dump %s` shows all", words.Quoted(g.Called))
		}
		a.talk.Say("%s", d.summary())
		return nil
	}
	return needs(cmd, needPager)
}

// dump prints fields as they arrive and records which bytes they cover.
type dump struct {
	w io.Writer
	jsonOption
	list terminal.Array
	path string // path of the field to show; "" for all
	err  error  // error from writing to w

	fields  int
	space   string // space of the last printed field
	account service.FieldAccount
	gaps    int
	missing int64 // bytes in gaps
	beyond  int64 // bytes that are expected after the end of the file
}

func (d *dump) field(f trace.Field) {
	if !d.account.Add(f) {
		d.beyond += f.Len
		return
	}
	if d.err != nil || d.path != "" && !service.FieldUnder(f.Path, d.path) && !service.FieldUnder(f.Space, d.path) {
		return
	}
	d.fields++
	if d.AsJSON {
		d.add(f)
		return
	}
	if f.Space != d.space && f.Space != "" {
		d.printf("%32sinside %s:\n", "", words.Printable(f.Space))
	}
	d.space = f.Space
	indent := ""
	if f.Space != "" {
		indent = "  "
	}
	text := words.Printable(f.Path)
	if v := service.FieldText(f.Value); v != "" {
		text += " = " + v
	}
	if f.Meaning != "" {
		text += "  (" + words.Printable(f.Meaning) + ")"
	}
	d.printf("%s%08x %10d %10d  %s\n", indent, f.Offset, f.Offset, f.Len, text)
}

// add prints a field as JSON.
func (d *dump) add(f trace.Field) {
	if d.err == nil {
		d.err = d.list.Add(terminal.Object{{"space", f.Space}, {"path", f.Path}, {"offset", f.Offset}, {"length", f.Len},
			{"value", service.FieldJSON(f.Value)}, {"meaning", f.Meaning}})
	}
}

func (d *dump) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

// end prints the gaps if the whole file is shown.
func (d *dump) end(src *format.Source) {
	if d.path == "" && !src.IsDir() {
		gaps, absent := d.account.Gaps(src)
		for _, f := range gaps {
			d.gaps++
			d.missing += f.Len
			start := f.Value.([]byte)
			if d.AsJSON {
				f.Value = start[:min(len(start), service.FieldPreview)]
				d.add(f)
				continue
			}
			d.printf("%08x %10d %10d  gap  %s\n", f.Offset, f.Offset, f.Len, service.FieldHex(start))
		}
		for _, f := range absent {
			if d.AsJSON {
				d.add(f)
				continue
			}
			d.printf("%08x %10d %10d  gap  (%s)\n", f.Offset, f.Offset, f.Len, words.Printable(f.Meaning))
		}
	}
	if d.AsJSON && d.err == nil {
		d.err = d.list.End()
	}
}

func (d *dump) summary() string {
	s := wording.Count(d.fields, "field")
	switch {
	case d.path != "":
		return s
	case d.gaps > 0:
		s += fmt.Sprintf(", %s in %s", wording.Count(int(d.missing), "byte"), wording.Count(d.gaps, "gap"))
	case d.beyond == 0:
		s += ", no gaps"
	}
	if d.beyond > 0 {
		s += fmt.Sprintf(", %s missing", wording.Count(int(d.beyond), "byte"))
	}
	return s
}
