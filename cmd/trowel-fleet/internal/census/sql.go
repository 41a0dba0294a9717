package census

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/format"
)

// Engine is a query engine with its form of SQL.
type Engine int

// The engines.
const (
	DuckDB Engine = iota
	Spark
)

// sqlTypes maps the types of columns to those of the engines.
var sqlTypes = map[string][2]string{
	format.ColumnInt.String(): {"BIGINT", "BIGINT"}, format.ColumnFloat.String(): {"DOUBLE", "DOUBLE"},
	format.ColumnBool.String(): {"BOOLEAN", "BOOLEAN"}, format.ColumnText.String(): {"VARCHAR", "STRING"},
	format.ColumnTime.String(): {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP"},
}

// SQL writes statements that create a view for each table of a run whose files were located, the view census_run, and the
// given views whose tables exist. dir is the folder of the dataset, or its URL.
func (r *Run) SQL(to io.Writer, engine Engine, dir string, views []format.TableView) error {
	w := &sqlWriter{Writer: bufio.NewWriter(to), engine: engine, dir: dir}
	if u, err := url.Parse(dir); err == nil && strings.Contains(dir, "://") {
		u.RawQuery, u.Fragment = "", "" // settings of trowel
		if u.Scheme == "s3" && engine == Spark {
			u.Scheme = "s3a"
		}
		w.dir = u.Scheme + "://" + u.Host + u.Path
		if u.Scheme == "file" {
			w.dir = u.Path
		}
	}
	fmt.Fprintf(w, "-- Views of a census, made by %s.\n\n", strings.Join(strings.Fields(r.Program), " "))
	w.comment = "The run of the census whose files these views read."
	moment := "CAST(NULL AS " + sqlTypes[format.ColumnTime.String()][engine] + ")"
	if r.Moment != "" {
		moment = fmt.Sprintf("CAST(%s AS %s)", w.text(r.Moment), sqlTypes[format.ColumnTime.String()][engine])
	}
	w.view("census_run", []Column{{Name: "moment", Help: "When the run began."}, {Name: "program", Help: "The program that made it."}},
		fmt.Sprintf("SELECT %s AS moment, %s AS program", moment, w.text(r.Program)))
	exists := map[string]bool{}
	for i := range r.Tables {
		t := &r.Tables[i]
		exists[t.Name], w.comment = true, t.Title
		w.view(t.Name, t.Columns, w.rows(t))
	}
	for _, v := range views {
		if !slices.ContainsFunc(v.Tables, func(name string) bool { return !exists[name] }) {
			w.comment = v.Title
			w.view(v.Name, nil, strings.Join(strings.Fields(v.SQL), " "))
		}
	}
	return w.Flush()
}

// sqlWriter writes statements for an engine.
type sqlWriter struct {
	*bufio.Writer
	engine  Engine
	dir     string
	comment string // of the next view
}

// text returns a literal.
func (w *sqlWriter) text(s string) string {
	if w.engine == Spark {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// view writes a statement that creates a view.
func (w *sqlWriter) view(name string, columns []Column, query string) {
	if w.engine == DuckDB {
		fmt.Fprintf(w, "CREATE OR REPLACE VIEW %s AS\n%s;\nCOMMENT ON VIEW %s IS %s;\n", name, query, name, w.text(w.comment))
		for _, c := range columns {
			fmt.Fprintf(w, "COMMENT ON COLUMN %s.%s IS %s;\n", name, c.Name, w.text(c.Help))
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "CREATE OR REPLACE TEMPORARY VIEW %s", name)
	for i, c := range columns {
		fmt.Fprintf(w, "%s\n  %s COMMENT %s", []string{",", " ("}[min(1, 1-min(i, 1))], c.Name, w.text(c.Help))
	}
	if len(columns) > 0 {
		fmt.Fprint(w, ")")
	}
	fmt.Fprintf(w, "\n  COMMENT %s AS\n%s;\n\n", w.text(w.comment), query)
}

// rows returns the query of the rows of a table.
func (w *sqlWriter) rows(t *runTable) string {
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	if len(t.Files) == 0 {
		for i, c := range t.Columns {
			columns[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", sqlTypes[c.Type][w.engine], c.Name)
		}
		return "SELECT " + strings.Join(columns, ", ") + " WHERE 1 = 0"
	}
	var files []string
	for _, f := range t.Files {
		files = append(files, f.Path)
	}
	if w.engine == Spark {
		return "SELECT " + strings.Join(columns, ", ") + " FROM parquet.`" + strings.ReplaceAll(w.glob(files), "`", "``") + "`"
	}
	for i, name := range files {
		files[i] = "  " + w.text(path.Join(literalGlob(w.dir), name))
		if strings.Contains(w.dir, "://") {
			files[i] = "  " + w.text(strings.TrimSuffix(w.dir, "/")+"/"+name)
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + "\nFROM read_parquet([\n" + strings.Join(files, ",\n") + "], union_by_name = true)"
}

// literalGlob returns a pattern of DuckDB that matches only the name itself.
func literalGlob(name string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(name)
}

// glob returns a pattern of Hadoop that matches only files of the dataset.
func (w *sqlWriter) glob(files []string) string {
	dir := w.dir
	if !strings.Contains(dir, "://") {
		dir = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "?", `\?`, "{", `\{`, "}", `\}`, ",", `\,`).Replace(path.Clean(dir))
	}
	for i, name := range files {
		files[i] = strings.ReplaceAll(name, ",", "?") // a comma separates names
	}
	if len(files) == 1 {
		return strings.TrimSuffix(dir, "/") + "/" + files[0]
	}
	return strings.TrimSuffix(dir, "/") + "/{" + strings.Join(files, ",") + "}"
}
