package verbs

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// findOptions are the options of find itself. They are accepted after the query, too.
type findOptions struct {
	JSON  bool   `option:"json" help:"print JSON"`
	CSV   bool   `option:"csv" help:"print a table with comma-separated values, for spreadsheets"`
	By    string `option:"by" help:"group the matches by a {field}, path, at or file, with counts and sums of amounts"`
	Count bool   `option:"count" help:"print only the number of matches"`
	Limit string `option:"limit" help:"print only the first {number} of matches or, with --by, of groups"`
}

var queryOptions = format.OptionsOf[findOptions]()

// Describe implements [format.Describer].
func (findOptions) Describe(o *format.Option) {
	if o.Name == "limit" {
		o.Parse = func(value string) error { _, err := parseLimit(value); return err }
	}
}

// findOutput is the output format of find.
type findOutput struct {
	findOptions
	limit int64 // number of hits or groups; 0 for all
}

func parseLimit(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q: expected a number of 1 or more", value)
	}
	return n, nil
}

// outputOf returns the output format from the options before -- and from those of the query.
func outputOf(before findOptions, job *format.Job) (findOutput, error) {
	o, err := findOutput{findOptions: format.Values[findOptions](job)}, error(nil)
	o.JSON, o.CSV, o.Count = o.JSON || before.JSON, o.CSV || before.CSV, o.Count || before.Count
	o.By, o.Limit = cmp.Or(o.By, before.By), cmp.Or(o.Limit, before.Limit)
	if o.Limit != "" {
		if o.limit, err = parseLimit(o.Limit); err != nil {
			return o, fmt.Errorf("--limit %w", err)
		}
	}
	switch {
	case o.Count && o.limit > 0:
		return o, errors.New("--count and --limit cannot be combined")
	case o.JSON && o.CSV:
		return o, errors.New("--json and --csv cannot be combined")
	case o.Count && (o.JSON || o.CSV || o.By != ""):
		return o, wording.Hint(errors.New("--count prints only a number"), "--by file counts for each file")
	}
	return o, nil
}

// each reports whether each hit is printed.
func (o *findOutput) each() bool { return !o.Count && o.By == "" }

// column returns the value of a column for a hit.
func column(file string, h format.Hit, name string) (any, error) {
	switch name {
	case "file":
		return file, nil
	case "path":
		return h.Path, nil
	case "at":
		if h.At == nil {
			return "", nil
		}
		return h.At.String(), nil
	}
	names := []string{"file", "path", "at"}
	for _, f := range h.Fields {
		if f.Key == name {
			return f.Value, nil
		}
		names = append(names, f.Key)
	}
	return nil, wording.DidYouMean(fmt.Errorf("the matches have no field %s", name), name, names, "there are %s", strings.Join(names, ", "))
}

// counts counts hits and groups of hits. Package gob can encode it.
type counts struct {
	Hits   int64
	Groups map[string]*group
	Sums   []string // fields with amounts, in order
}

type group struct {
	By   any
	Hits int64
	Sums map[string]int64
}

func (t *counts) count(o *findOutput, file string, h format.Hit) error {
	t.Hits++
	if o.By == "" {
		return nil
	}
	by, err := column(file, h, o.By)
	if err != nil {
		return err
	}
	g := t.group(by)
	g.Hits++
	for _, f := range h.Fields {
		if n, ok := f.Value.(int64); ok {
			g.Sums[f.Key] += n
			t.sum(f.Key)
		}
	}
	return nil
}

func (t *counts) group(by any) *group {
	key := fieldText(by)
	if t.Groups == nil {
		t.Groups = make(map[string]*group)
	}
	g := t.Groups[key]
	if g == nil {
		g = &group{By: by, Sums: make(map[string]int64)}
		t.Groups[key] = g
	}
	return g
}

func (t *counts) sum(key string) {
	if !slices.Contains(t.Sums, key) {
		t.Sums = append(t.Sums, key)
	}
}

// add adds the counts of another file.
func (t *counts) add(more *counts) {
	t.Hits += more.Hits
	for _, key := range more.Sums {
		t.sum(key)
	}
	for _, m := range more.Groups {
		g := t.group(m.By)
		g.Hits += m.Hits
		for key, n := range m.Sums {
			g.Sums[key] += n
		}
	}
}

// sorted returns the groups, the largest first.
func (t *counts) sorted() []*group {
	return slices.SortedFunc(maps.Values(t.Groups), func(a, b *group) int {
		for _, key := range t.Sums {
			if c := cmp.Compare(b.Sums[key], a.Sums[key]); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), strings.Compare(fieldText(a.By), fieldText(b.By)))
	})
}

// findPrinter prints hits as they arrive, and groups after the last hit.
type findPrinter struct {
	findOutput
	w      io.Writer
	list   terminal.Array
	table  *csv.Writer
	header []string // of the table; nil before the first row
	shown  int64    // number of hits
	more   bool     // the limit was reached, and there is more
}

func (o findOutput) printer(w io.Writer) *findPrinter {
	return &findPrinter{findOutput: o, w: w, list: terminal.Array{W: w}, table: csv.NewWriter(w)}
}

// print prints a hit, or returns errEnough after as many as the limit allows.
func (p *findPrinter) print(file string, h format.Hit) error {
	if p.limit > 0 && p.shown == p.limit {
		p.more = true
		return errEnough
	}
	p.shown++
	if p.JSON {
		one := terminal.Object{{"file", file}, {"path", h.Path}, {"at", h.At}, {"fields", fieldsObject(h.Fields)}}
		if h.More != nil {
			one = append(one, terminal.Member{"more", fieldsObject(h.More)})
		}
		return p.list.Add(one)
	}
	at := ""
	if h.At != nil {
		at = h.At.String()
	}
	if p.CSV {
		header, row := []string{"file", "path", "at"}, []string{file, h.Path, at}
		for _, f := range h.Fields {
			header, row = append(header, f.Key), append(row, fieldText(f.Value))
		}
		return p.row(header, row)
	}
	line := words.Printable(file) + ":"
	for _, where := range []string{h.Path, at} {
		if where != "" {
			line += " " + words.Printable(where)
		}
	}
	if line = strings.TrimSuffix(line, ":"); len(h.Fields) > 0 {
		line += ":"
	}
	between := " "
	for _, f := range h.Fields {
		if text := fieldText(f.Value); text != "" {
			line += between + label(f) + " " + quotedField(text)
			between = ", "
		}
	}
	_, err := fmt.Fprintln(p.w, line)
	return err
}

// row prints a row of the table. All rows must have the same columns.
func (p *findPrinter) row(header, row []string) error {
	if p.header == nil {
		p.header = header
		if err := p.table.Write(header); err != nil {
			return err
		}
	}
	if !slices.Equal(header, p.header) {
		return wording.Hint(fmt.Errorf("a table needs rows of one kind, but these files have %s and %s",
			strings.Join(p.header, ","), strings.Join(header, ",")), "use --json")
	}
	err := p.table.Write(row)
	p.table.Flush() // writes to the buffered output
	return cmp.Or(err, p.table.Error())
}

// end prints the groups or the total after the last hit.
func (p *findPrinter) end(t *counts) error {
	if p.Count {
		_, err := fmt.Fprintln(p.w, t.Hits)
		return err
	}
	for i, g := range t.sorted() {
		if p.limit > 0 && int64(i) == p.limit {
			p.more = true
			break
		}
		if err := p.printGroup(g, t.Sums); err != nil {
			return err
		}
	}
	if p.JSON {
		return p.list.End()
	}
	if p.CSV && p.header == nil {
		_, err := fmt.Fprintln(p.w, cmp.Or(p.By, "file,path,at"))
		return err
	}
	return nil
}

func (p *findPrinter) printGroup(g *group, sums []string) error {
	if p.JSON {
		all := terminal.Object{}
		for _, key := range sums {
			all = append(all, terminal.Member{key, g.Sums[key]})
		}
		return p.list.Add(terminal.Object{{"by", g.By}, {"hits", g.Hits}, {"sums", all}})
	}
	header, row := []string{p.By, "hits"}, []string{fieldText(g.By), strconv.FormatInt(g.Hits, 10)}
	for _, key := range sums {
		header, row = append(header, key), append(row, strconv.FormatInt(g.Sums[key], 10))
	}
	if p.CSV {
		return p.row(header, row)
	}
	line := quotedField(row[0]) + ": " + wording.Count(int(g.Hits), "hit")
	for i, key := range sums {
		line += ", " + key + " " + row[2+i]
	}
	_, err := fmt.Fprintln(p.w, line)
	return err
}

// fieldText returns the value of a field as text.
func fieldText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, " ")
	case nil:
		return ""
	case []format.InfoField:
		data, _ := json.Marshal(fieldsObject(v))
		return string(data)
	}
	return fmt.Sprint(value)
}

// quotedField returns a text, quoted if needed to be distinct from other texts in the line.
func quotedField(text string) string {
	if text == "" || strings.ContainsAny(text, "\n\r\",") {
		return strconv.Quote(text)
	}
	return words.Printable(text)
}
