package census

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/text/words"
)

// Run lists the files of all tables at the end of a run. Files of earlier runs stay in the folder kept while a run
// lists them.
//
//	runs/MOMENT.json                    a run
//	kept/TABLE/PARTITION-HASH.parquet   a file of a run: a link to TABLE/PARTITION.parquet while they are the same
type Run struct {
	Run      int        `json:"run"`    // version of this form
	Moment   string     `json:"moment"` // when the run began, in UTC, in RFC 3339; "" if unknown
	Program  string     `json:"program"`
	Sources  []source   `json:"sources"`
	Failures []string   `json:"failures,omitempty"`     // messages about sources
	More     int        `json:"moreFailures,omitempty"` // number of failures that are not listed
	Tables   []runTable `json:"tables"`
}

// source is a file from which the rows are.
type source struct {
	Name  string `json:"name"`
	Fails bool   `json:"fails,omitempty"` // the file could not be read at all
	Gone  bool   `json:"gone,omitempty"`  // the file no longer exists; its rows are those of an earlier run
}

// runTable is a table of a run.
type runTable struct {
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Version string    `json:"version"` // changes with the columns
	Columns []Column  `json:"columns"`
	Files   []RunFile `json:"files"`
}

// RunFile is a file of a table.
type RunFile struct {
	Part string `json:"part"` // its partition
	Content
	Path string `json:"-"` // set by [Run.Locate]
}

const (
	runsFolder  = "runs"
	keptFolder  = "kept"
	partsFolder = "parts"

	// runForm is the form of the names of runs, which sort by time and are valid file names everywhere.
	runForm = "2006-01-02T15-04-05Z"
	// maxFailures is the number of failures that a run lists.
	maxFailures = 1000
)

func runFile(name string) string { return runsFolder + "/" + name + ".json" }

// keptName returns the name of a file of a run in the folder of its table.
func keptName(part string, c Content) string {
	return part + "-" + c.SHA256[:min(32, len(c.SHA256))] + ".parquet"
}

func keptFile(table, part string, c Content) string {
	return keptFolder + "/" + table + "/" + keptName(part, c)
}

// isKeptName reports whether a file of the folder of a table can be one that keptName named.
func isKeptName(name string) bool {
	base, ok := strings.CutSuffix(name, ".parquet")
	i := strings.LastIndexByte(base, '-')
	if !ok || i < 0 || len(base)-i != 33 {
		return false
	}
	_, err := hex.DecodeString(base[i+1:])
	return err == nil && (&work.Part{Name: base[:i]}).Valid()
}

// Runs returns the names of the runs of a dataset, the oldest first. They are the moments of the runs.
func Runs(ctx context.Context, store Store) (names []string, err error) {
	err = store.List(ctx, runsFolder, func(name string, _ int64) error {
		base, ok := strings.CutSuffix(name, ".json")
		if _, err := time.Parse(runForm, base); ok && err == nil {
			names = append(names, base)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// findRun returns the newest of some runs whose moment begins with a text, such as 2026-11-27 or 2026-11-27T18:30. The
// names are in order. "" selects the newest run.
func findRun(names []string, moment string) (string, error) {
	begin := strings.NewReplacer(":", "-", " ", "T").Replace(moment)
	for _, name := range slices.Backward(names) {
		if strings.HasPrefix(name, begin) {
			return name, nil
		}
	}
	if len(names) == 0 {
		return "", errors.New("no runs: programs of earlier versions recorded none")
	}
	return "", fmt.Errorf("no run of %.50q: give the start time of one of %s, in UTC; the newest are %s",
		moment, words.Count(len(names), "run"), strings.Join(names[max(0, len(names)-5):], ", "))
}

// ReadRun reads the run with a name.
func ReadRun(ctx context.Context, store Store, name string) (*Run, error) {
	r, err := store.Open(ctx, runFile(name))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	run, err := decodeRun(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", runFile(name), err)
	}
	return run, nil
}

// decodeRun decodes a run. All names in it are valid.
func decodeRun(r io.Reader) (*Run, error) {
	run := new(Run)
	d := json.NewDecoder(r)
	if err := d.Decode(run); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("damaged: data after the end")
	}
	switch {
	case run.Run < 1:
		return nil, errors.New("not a run of a census")
	case run.Run > 1:
		return nil, errors.New("a newer program made it")
	}
	if _, err := time.Parse(time.RFC3339, run.Moment); err != nil {
		return nil, fmt.Errorf("its moment: %w", err)
	}
	seen := make(map[string]bool)
	for _, t := range run.Tables {
		if err := t.check(); err != nil {
			return nil, err
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("the table %s occurs twice", t.Name)
		}
		seen[t.Name] = true
	}
	return run, nil
}

// check returns an error for an invalid name.
func (t *runTable) check() error {
	if !tableName(t.Name) {
		return fmt.Errorf("%.50q is not the name of a table", t.Name)
	}
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %s has no columns", t.Name)
	}
	for _, c := range t.Columns {
		if !plainName(c.Name) || sqlTypes[c.Type] == [2]string{} {
			return fmt.Errorf("table %s: %.50q of type %.50q is not a column", t.Name, c.Name, c.Type)
		}
	}
	for _, f := range t.Files {
		if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 || !(&work.Part{Name: f.Part}).Valid() {
			return fmt.Errorf("table %s: %.100q with the hash %.100q is not a partition", t.Name, f.Part, f.SHA256)
		}
	}
	return nil
}

// Locate sets the paths of the files of a run.
func (r *Run) Locate(ctx context.Context, store Store) error {
	states := make(map[string]*State)
	for i := range r.Tables {
		t := &r.Tables[i]
		kept, err := listNames(ctx, store, keptFolder+"/"+t.Name)
		if err != nil {
			return err
		}
		for j := range t.Files {
			f := &t.Files[j]
			if kept.has(keptName(f.Part, f.Content)) {
				f.Path = keptFile(t.Name, f.Part, f.Content)
				continue
			}
			s, ok := states[f.Part]
			if !ok {
				s = readState(ctx, store, f.Part)
				states[f.Part] = s
			}
			if s == nil || s.Tables[t.Name].SHA256 != f.SHA256 {
				return fmt.Errorf("%s is missing: the run cannot be read", keptFile(t.Name, f.Part, f.Content))
			}
			f.Path = tableFile(t.Name, f.Part)
		}
	}
	return nil
}

// readState reads the state of a partition; nil if it is missing or damaged.
func readState(ctx context.Context, store Store, part string) *State {
	r, err := store.Open(ctx, stateFile(part))
	if err != nil {
		return nil
	}
	defer r.Close()
	s := new(State)
	if json.NewDecoder(r).Decode(s) != nil {
		return nil
	}
	return s
}

// Now returns the dataset as it is, as a run without a moment. It is for datasets without runs.
func (d *Dataset) Now() (*Run, error) {
	run, err := d.run("")
	if err != nil {
		return nil, err
	}
	run.Program = d.old.Program
	of := make(map[string]Table)
	for _, t := range d.old.Tables {
		of[t.Name] = t
	}
	run.Tables = slices.DeleteFunc(run.Tables, func(t runTable) bool {
		_, hasRows := of[t.Name]
		return !hasRows && d.old.Empty[t.Name] == ""
	})
	for i := range run.Tables {
		t := &run.Tables[i]
		if columns := of[t.Name].Columns; columns != nil {
			t.Columns = columns
		}
		if err := d.eachFile(t, func(f RunFile) error {
			f.Path = tableFile(t.Name, f.Part)
			t.Files = append(t.Files, f)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// run describes the current dataset, without its files.
func (d *Dataset) run(moment string) (*Run, error) {
	run := &Run{Run: 1, Moment: moment, Program: d.Program, Sources: []source{}, Tables: []runTable{}}
	sources := make(map[string]source)
	if err := d.states.each(func(_ string, state *State) error {
		for _, f := range state.Files {
			s := sources[f.Name]
			sources[f.Name] = source{f.Name, s.Fails || f.Fails, s.Gone || f.Gone || d.Gone[f.Name]}
		}
		for _, n := range state.Notes {
			if n.Kind == 0 {
				continue
			}
			if len(run.Failures) < maxFailures {
				run.Failures = append(run.Failures, n.Text)
			} else {
				run.More++
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		run.Sources = append(run.Sources, sources[name])
	}
	for _, t := range d.Tables {
		if d.states.totals[t.Name].files > 0 || d.wants(t) {
			run.Tables = append(run.Tables, runTable{t.Name, t.Title, t.Version(), columnsOf(t), []RunFile{}})
		}
	}
	return run, nil
}

// eachFile calls do with the files of a table in the current dataset.
func (d *Dataset) eachFile(t *runTable, do func(RunFile) error) error {
	if d.states.totals[t.Name].files == 0 {
		return nil
	}
	return d.states.each(func(part string, s *State) error {
		if c := s.Tables[t.Name]; c.SHA256 != "" {
			return do(RunFile{Part: part, Content: c})
		}
		return nil
	})
}

// linker is a [Store] whose files can have two names.
type linker interface {
	// Link gives a file a second name, unless the name exists.
	Link(from, to string) error
}

// preserve keeps a file that is about to be replaced or removed, if a run may list it.
func (d *Dataset) preserve(ctx context.Context, table, part string, c Content) error {
	if len(d.runs) == 0 || c.SHA256 == "" {
		return nil
	}
	to := keptFile(table, part, c)
	l, ok := d.store.(linker)
	if ok && linked(l.Link(tableFile(table, part), to)) {
		return nil
	}
	if d.kept[table] == nil {
		list, err := listNames(ctx, d.store, keptFolder+"/"+table)
		if err != nil {
			return err
		}
		d.kept[table] = list
	}
	if d.kept[table].has(keptName(part, c)) {
		return nil
	}
	err := d.copyFile(ctx, tableFile(table, part), to, c.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another program has removed it
	} else if err != nil {
		return err
	}
	d.kept[table].add(keptName(part, c))
	return nil
}

// copier is a [Store] that copies files of less than 5 GiB without reading them.
type copier interface {
	Copy(ctx context.Context, from, to string) error
}

// copyFile copies a file of a size in bytes.
func (d *Dataset) copyFile(ctx context.Context, from, to string, size int64) error {
	if s, ok := d.store.(copier); ok && size < 5<<30 {
		if err := s.Copy(ctx, from, to); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	r, err := d.store.Open(ctx, from)
	if err != nil {
		return err
	}
	defer r.Close()
	return d.store.Put(ctx, to, func(w io.Writer) error { _, err := io.Copy(w, r); return err })
}

// linked reports whether a file has a second name.
func linked(err error) bool { return err == nil || errors.Is(err, fs.ErrExist) }

// listNames returns the names of the files in a folder.
func listNames(ctx context.Context, store Store, folder string) (nameSet, error) {
	names := make(nameSet)
	err := store.List(ctx, folder, func(name string, _ int64) error {
		names.add(name)
		return nil
	})
	return names, err
}

// record stores the run, after everything else. The files of the run get their second name now if the store has links,
// else when they are replaced.
func (d *Dataset) record(ctx context.Context) error {
	if err := d.pin(ctx); err != nil {
		return err
	}
	moment := d.began
	for slices.Contains(d.runs, moment.Format(runForm)) {
		moment = moment.Add(time.Second)
	}
	d.Run = moment.Format(runForm)
	run, err := d.run(moment.Format(time.RFC3339))
	if err != nil {
		return err
	}
	if err := d.store.Put(ctx, runFile(d.Run), func(w io.Writer) error { return run.encode(w, d.eachFile) }); err != nil {
		return err
	}
	d.runs = append(d.runs, d.Run)
	slices.Sort(d.runs)
	return nil
}

func (d *Dataset) pin(ctx context.Context) error {
	l, ok := d.store.(linker)
	if !ok || d.Brief {
		return nil
	}
	err := d.states.each(func(part string, s *State) error {
		for table, c := range s.Tables {
			if c.SHA256 != "" && !linked(l.Link(tableFile(table, part), keptFile(table, part, c))) {
				return errNoLinks
			}
		}
		return nil
	})
	if errors.Is(err, errNoLinks) {
		return nil
	}
	return err
}

// errNoLinks ends the links of a store that has none.
var errNoLinks = errors.New("no links")

// encode writes the run, with a line for each file that files yields of a table.
func (r *Run) encode(to io.Writer, files func(t *runTable, do func(RunFile) error) error) error {
	w := bufio.NewWriter(to)
	const none = "null}" // the end of an object whose last field is an empty list
	begin := func(v any) error {
		data, err := json.Marshal(v)
		w.Write(data[:max(0, len(data)-len(none))])
		w.WriteByte('[')
		return err
	}
	next := func(i int) { fmt.Fprintf(w, "%s\n", strings.Repeat(",", min(i, 1))) }
	head := *r
	head.Tables = nil
	if err := begin(head); err != nil {
		return err
	}
	for i, t := range r.Tables {
		next(i)
		t.Files = nil
		if err := begin(t); err != nil {
			return err
		}
		j := 0
		if err := files(&r.Tables[i], func(f RunFile) error {
			next(j)
			j++
			data, err := json.Marshal(f)
			w.Write(data)
			return err
		}); err != nil {
			return err
		}
		w.WriteString("]}")
	}
	w.WriteString("]}\n")
	return w.Flush()
}

// Earlier returns the size in bytes of the files that only earlier runs list.
func (d *Dataset) Earlier(ctx context.Context) (size int64, err error) {
	if d.Brief && len(d.old.Tables) == 0 {
		return 0, nil // a new dataset without second names
	}
	current := make(nameSet)
	if err := d.states.each(func(part string, s *State) error {
		for table, c := range s.Tables {
			current.add(keptFile(table, part, c))
		}
		return nil
	}); err != nil {
		return 0, err
	}
	err = d.eachKept(ctx, func(name string, n int64) error {
		if !current.has(name) {
			size += n
		}
		return nil
	})
	return size, err
}

// eachKept calls do with the files of runs. do may remove the file.
func (d *Dataset) eachKept(ctx context.Context, do func(name string, size int64) error) error {
	return d.store.List(ctx, keptFolder, func(table string, size int64) error {
		if size >= 0 || !tableName(table) {
			return nil
		}
		folder := keptFolder + "/" + table
		return d.store.List(ctx, folder, func(name string, size int64) error {
			if size < 0 || !isKeptName(name) {
				return nil
			}
			return do(folder+"/"+name, size)
		})
	})
}

// Expire removes runs, and the files that only they list: all but the newest runs, or all before a moment if newest is
// 0. It never removes the run that was recorded now. Nothing is lost if it is killed: the next call removes the rest.
func (d *Dataset) Expire(ctx context.Context, newest int, before time.Time) (removed int, err error) {
	needed := make(nameSet)
	var old []string
	for i, name := range slices.Backward(d.runs) {
		moment, _ := time.Parse(runForm, name)
		if expired := newest > 0 && len(d.runs)-i > newest || newest == 0 && moment.Before(before); expired && name != d.Run {
			old = append(old, name)
			continue
		}
		run, err := ReadRun(ctx, d.store, name)
		if err != nil {
			return 0, fmt.Errorf("no runs are removed, because one that is kept cannot be read: %w", err)
		}
		for _, t := range run.Tables {
			for _, f := range t.Files {
				needed.add(keptFile(t.Name, f.Part, f.Content))
			}
		}
	}
	for _, name := range slices.Backward(old) { // the oldest first
		if err := d.store.Remove(ctx, runFile(name)); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, d.eachKept(ctx, func(name string, _ int64) error {
		if needed.has(name) {
			return nil
		}
		return d.store.Remove(ctx, name)
	})
}
