package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func infoCommand(a *Tool) *cobra.Command {
	var o jsonOption
	cmd := &cobra.Command{
		Use:   "info FILE [PATH...]...",
		Short: "Describe files",
		Long: `Info describes files: format, version, counts, sizes, author and so on. It reads only the data that
this needs. "trowel FILE" does the same. A PATH names a file inside the FILE before it.

With --json it prints an array of {file, format, title, size, info}; size is omitted for folders.`,
		Example: `  trowel info climb.map
  trowel info --json *.map
  trowel info better.mod media/ui/icons.dds
  curl -s https://example.org/climb.map | trowel info -`,
		Args: args(1, -1),
	}
	colorFlag(a, cmd)
	OptionFlags(a, cmd, optionsFor(0), &o)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		startPager(a)
		names = Expand(names)
		list := terminal.Array{W: a.out}
		failed := false
		container := "" // the file that contains the paths
		for i, name := range names {
			printInfo := func(g *service.File, info format.Info) error {
				if o.AsJSON {
					return list.Add(infoObject(g, info))
				}
				if i > 0 {
					fmt.Fprintln(a.out)
				}
				return a.printFields("", infoFields(g, info))
			}
			err := infoOf(cmd.Context(), a, name, printInfo)
			if errors.Is(err, os.ErrNotExist) && container != "" {
				err = infoOfInner(cmd.Context(), a, container, name, printInfo)
			} else if err == nil {
				container = name
			}
			if err != nil {
				if len(names) == 1 {
					return err
				}
				a.talk.Fail(err) // continue with the other files
				failed = true
			}
		}
		if o.AsJSON {
			if err := list.End(); err != nil {
				return err
			}
		}
		if failed {
			return errQuiet
		}
		return nil
	}
	return needs(cmd, needPager)
}

// infoOf calls printInfo with the information about a file.
func infoOf(ctx context.Context, a *Tool, name string, printInfo func(*service.File, format.Info) error) error {
	g, err := a.Find(ctx, name)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := a.Owned(g.Format); err != nil {
		return err
	}
	return openForInfo(ctx, a, g, printInfo)
}

// infoOfInner calls printInfo with the information about a file inside a game file.
func infoOfInner(ctx context.Context, a *Tool, container, wanted string, printInfo func(*service.File, format.Info) error) error {
	fsys, closer, err := a.Tree(ctx, container)
	if err != nil {
		return err
	}
	defer closer.Close()
	name, err := lookUp(ctx, fsys, container, wanted)
	if err != nil {
		return err
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return wording.Named(err, container)
	}
	src := format.NewSource(container+":"+name, data)
	f, err := a.Formats.Find(src)
	if err != nil {
		return err
	}
	return openForInfo(ctx, a, &service.File{Format: f, Called: src.Path, Source: src}, printInfo)
}

func openForInfo(ctx context.Context, a *Tool, g *service.File, printInfo func(*service.File, format.Info) error) error {
	job := a.About(a.Job(g.Format), g.Called)
	file, err := g.OpenFile(ctx, job)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Info(ctx, job)
	if err != nil {
		return wording.Named(err, g.Called)
	}
	return printInfo(g, info)
}

// infoFields puts the fields common to all files before the fields of the format.
func infoFields(g *service.File, info format.Info) []format.InfoField {
	fields := []format.InfoField{
		{Key: "file", Value: g.Called},
		{Key: "format", Value: fmt.Sprintf("%s (%s)", g.Title, cmp.Or(info.Format, g.Name))},
	}
	if !g.Source.IsDir() {
		fields = append(fields, format.InfoField{Key: "size", Value: words.Thousands(g.Source.Size) + " bytes"})
	}
	return append(fields, info.Fields...)
}

// printFields prints facts as aligned lines. The parts of a fact are indented below it. On a terminal, long values continue
// below their beginning.
func (a *Tool) printFields(indent string, fields []format.InfoField) error {
	width := 0
	for _, f := range fields {
		width = max(width, utf8.RuneCountInString(label(f)))
	}
	for _, f := range fields {
		lines, parts := fieldLines(f.Value)
		name := words.Printable(label(f)) + ":"
		head := indent + a.screen.Paint(terminal.ColorPlace, name)
		if len(lines) == 1 {
			column := len(indent) + width + 2
			head += strings.Repeat(" ", width+2-utf8.RuneCountInString(name)) + a.screen.Wrapped(words.Printable(lines[0]), column, column)
			lines = nil
		}
		if _, err := fmt.Fprintln(a.out, strings.TrimRight(head, " ")); err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintf(a.out, "%s  %s\n", indent, a.screen.Wrapped(words.Printable(line), len(indent)+2, len(indent)+4))
		}
		if err := a.printFields(indent+"  ", parts); err != nil {
			return err
		}
	}
	return nil
}

func label(f format.InfoField) string { return cmp.Or(f.Label, f.Key) }

// fieldLines returns a value as lines, or the parts of the value.
func fieldLines(value any) ([]string, []format.InfoField) {
	const wide = 70
	switch v := value.(type) {
	case []format.InfoField:
		return nil, v
	case []string:
		if len(v) == 0 {
			return []string{"none"}, nil
		}
		if one := strings.Join(v, ", "); len(one) <= wide {
			return []string{one}, nil
		}
		return v, nil
	case string:
		return strings.Split(strings.TrimRight(v, "\n"), "\n"), nil
	case bool:
		if v {
			return []string{"yes"}, nil
		}
		return []string{"no"}, nil
	case int:
		return []string{words.Thousands(int64(v))}, nil
	case int64:
		return []string{words.Thousands(v)}, nil
	}
	return []string{fmt.Sprint(value)}, nil
}

func infoObject(g *service.File, info format.Info) terminal.Object {
	o := terminal.Object{{"file", g.Called}, {"format", cmp.Or(info.Format, g.Name)}, {"title", g.Title}}
	if !g.Source.IsDir() {
		o = append(o, terminal.Member{"size", g.Source.Size})
	}
	return append(o, terminal.Member{"info", fieldsObject(info.Fields)})
}

func fieldsObject(fields []format.InfoField) terminal.Object {
	o := terminal.Object{}
	for _, f := range fields {
		value := f.Value
		switch v := value.(type) {
		case []format.InfoField:
			value = fieldsObject(v)
		case []string:
			if v == nil {
				value = []string{}
			}
		}
		o = append(o, terminal.Member{f.Key, value})
	}
	return o
}
