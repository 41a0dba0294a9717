package viewer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
)

const keptListings = 4 // tables of hits kept while unused

// listing is the table of the hits of a query.
type listing struct{ table }

func (*listing) Close() error { return nil }

// lists returns the queries whose hits are tables.
func (e *edition) lists() (list []*format.Command) {
	if e.Format.Finder == nil {
		return nil
	}
	for _, c := range e.Format.Finder.Commands {
		if c.Lists != "" {
			list = append(list, c)
		}
	}
	return list
}

// offered returns the options of a query that the page of a table offers: those with choices, and numbers.
func offered(query *format.Command) (list []format.Option) {
	for _, o := range query.Options {
		if o.Choices != nil || o.Type == format.Integer && !o.List {
			list = append(list, o)
		}
	}
	return list
}

// listing returns the table of hits with a number, and what else [tableOf] returns. The values of the options of its query are those of
// "o." with their names.
func (e *edition) listing(ctx context.Context, values url.Values) (*table, []tableHead, func(), error) {
	queries := e.lists()
	if len(queries) == 0 {
		return nil, nil, nil, problem{http.StatusNotFound, "a " + e.Format.Title + " has no tables"}
	}
	i, err := wholeOr(values.Get("table"), 0, 0, len(queries)-1)
	if err != nil {
		return nil, nil, nil, err
	}
	words := []string{queries[i].Name}
	for _, o := range offered(queries[i]) {
		if value := values.Get("o." + o.Name); value != "" {
			words = append(words, "--"+o.Name+"="+value)
		}
	}
	key := e.key() + "\n" + strings.Join(words, "\n")
	l, release, err := e.of.server.panels.listings.get(ctx, key, func(ctx context.Context) (*listing, error) {
		own, release, err := e.lease(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return own.list(ctx, queries[i], words)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	heads := make([]tableHead, len(queries))
	for k, c := range queries {
		heads[k] = tableHead{Name: c.Lists, Total: -1, Options: []tableOption{}}
		for _, o := range offered(c) {
			heads[k].Options = append(heads[k].Options, tableOption{o.Name, o.Choices, o.Default})
		}
	}
	heads[i].Total = len(l.rows)
	return &l.table, heads, release, nil
}

// list runs a query without arguments.
func (e *edition) list(ctx context.Context, query *format.Command, words []string) (*listing, error) {
	job := e.job(nil)
	steps, err := format.ParseSteps(job, e.Format.Finder.Commands, words)
	if err != nil {
		return nil, problem{http.StatusBadRequest, err.Error()}
	}
	job.OnProgress = func(string, int, int) { e.of.server.giveWay(ctx) }
	l := &listing{table{name: query.Lists}}
	columns := make(map[string]int)
	cells := 0
	err = e.Format.Finder.Find(ctx, job, e.Source, steps[0], func(h format.Hit) error {
		row := tableRow{place: h.At, icon: h.Icon}
		if row.place == nil {
			row.place = check.File(h.Path)
		}
		for k, f := range append(facts(h.Fields), facts(h.More)...) {
			i, known := columns[f.Label]
			if !known {
				if len(l.columns) == maxColumns {
					l.more = true
					continue
				}
				i = len(l.columns)
				columns[f.Label] = i
				l.columns = append(l.columns, f.Label)
				if k < len(h.Fields) {
					l.first = i + 1
				}
			}
			for len(row.cells) <= i {
				row.cells = append(row.cells, "")
			}
			row.cells[i] = factText(f.Value)
		}
		if cells += len(row.cells) + 1; cells > maxCells {
			l.more = true
			return errEnough
		}
		l.rows = append(l.rows, row)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return l, nil
}

// factText returns the value of a fact as the text of a cell.
func factText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		return strings.Join(v, ", ")
	case map[string]any:
		return fmt.Sprint(v["text"])
	case []fact:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = f.Label + " " + factText(f.Value)
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}

// linesOf returns the lines of the tree for rows of a table of hits.
func (e *edition) linesOf(ctx context.Context, t *table, rows []int) ([]check.Line, error) {
	if len(rows) == 0 || t.rows[rows[0]].place == nil {
		return nil, nil
	}
	places := make([]check.Place, len(rows))
	for k, i := range rows {
		places[k] = t.rows[i].place
	}
	return e.locate(ctx, places, func(string) bool { return true })
}

// iconOf returns the parameters of the picture of an icon, or nil for none.
func iconOf(i format.Icon) any {
	if i.Path == "" {
		return nil
	}
	return map[string]any{"path": i.Path, "x": i.Rect.Min[0], "y": i.Rect.Min[1], "w": i.Rect.Dx(), "h": i.Rect.Dy()}
}
