package census

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// printTable prints the rows of a table as comma-separated values.
func (c *censusRun) printTable(ctx context.Context, name string) error {
	var names []string
	var table *format.Table
	for _, t := range c.data.Tables {
		if names = append(names, t.Name); t.Name == name {
			table = t
		}
	}
	switch {
	case table == nil:
		return wording.DidYouMean(fmt.Errorf("--csv: no table %s", name), name, names, "there are %s", strings.Join(names, ", "))
	case table.Option != "" && !c.data.With(table.Option):
		return fmt.Errorf("--csv: the table %s needs --%s", name, table.Option)
	}
	out := csv.NewWriter(c.Out())
	var row []string
	for _, column := range table.All() {
		row = append(row, column.Name)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, name := range c.names {
		any := false
		err := c.Targets(ctx, name, func(t service.Target) error {
			f := NewFile(t.Name, t.Found)
			if any = any || seen[f.Name]; seen[f.Name] {
				return nil
			}
			var stop, err error
			if panicked := parallel.Catch(func() {
				err = c.eachRow(ctx, f, table, func(cells []format.Cell) error {
					row = append(row[:0], f.Name)
					for _, cell := range cells {
						text := ""
						if !cell.Null() {
							text = cell.String()
						}
						row = append(row, text)
					}
					stop = out.Write(row)
					return stop
				})
			}); panicked != nil {
				err = panicked
			}
			switch {
			case stop != nil:
				return stop
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, errNoTables):
				return nil
			case err != nil:
				c.report(c.maker.Failed(err, f))
			}
			seen[f.Name], any = true, true
			return nil
		})
		if err != nil {
			return err
		}
		if !any {
			c.failed = true
			c.Service.Report.Fail(fmt.Errorf("%s: contains no file that has tables", name))
		}
	}
	if out.Flush(); out.Error() != nil {
		return out.Error()
	}
	if c.failed {
		return verbs.Exit(2)
	}
	return c.Unfit()
}

// eachRow calls do with the rows of a table that a file has.
func (c *censusRun) eachRow(ctx context.Context, f File, table *format.Table, do func([]format.Cell) error) error {
	in, err := c.input(ctx, f, c.report)
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Census.Rows(ctx, in.Job, in.Source, func(t *format.Table, cells []format.Cell) error {
		if t != table {
			return nil
		}
		if err := t.CheckRow(cells); err != nil {
			return err
		}
		return do(cells)
	})
}
