package census

import (
	"bytes"
	"context"
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
	"trowel.example/internal/format"
)

// errNotOurs means that a folder contains other files than those of a dataset.
var errNotOurs = errors.New("contains files that are not of a census")

// Dataset is a dataset that is being updated.
type Dataset struct {
	Program string
	Create  Create
	Tables  []*format.Table
	With    func(option string) bool // reports whether the user gave an option that tables require
	Temp    *Temp
	Few     int         // in a new dataset, up to this many files without shards form one partition
	Prune   bool        // remove the rows of files that no longer exist
	Brief   bool        // the dataset is copied after the run: its files have no second names
	Files   *work.Files // files that parts have stored; nil: their records contain them
	// Adopt makes one of Files a file of the dataset, which is new; nil: the store gets it.
	Adopt func(name string, ref work.Ref) error
	Say   func(Note)
	Miss  func(path, message string) Note // returns a note about lost data of the dataset itself

	store   Store
	states  *states
	left    map[string]string   // as in Index
	empty   map[string]string   // as in Index
	before  map[string]span     // the states at the beginning
	bundle  *State              // that of allFiles at the beginning
	of      map[string][]string // the partitions of each file at the beginning
	sharded map[string]bool     // files that were sharded at the beginning
	partial map[string]bool     // files of which shards were left out at the beginning
	index   []byte
	old     Index              // at the beginning
	runs    []string           // names of the existing runs, the oldest first
	kept    map[string]nameSet // files of earlier runs by table, if the store has no links; nil: not listed yet
	began   time.Time

	made    made            // files of the current part
	seen    nameSet         // parts taken
	present map[string]bool // names of existing files
	failing map[string]bool // names of files that could not be read
	held    []held
	Made    int    // number of rebuilt partitions
	Run     string // name of the recorded run
	Gone    map[string]bool
	Removed map[string]bool
}

// made are the new files of a partition by table.
type made map[string]*spool

// check returns an error if the files do not match the state: a result was damaged in transit.
func (m made) check(state *State) error {
	if state == nil || len(state.Files) == 0 {
		return errors.New("the record does not name its files")
	}
	for table, c := range state.Tables {
		if m[table] == nil || m[table].content(c.Rows) != c {
			return fmt.Errorf("table %s was changed by another program", table)
		}
	}
	return nil
}

func (m made) close() {
	for _, s := range m {
		_ = s.close()
	}
}

type held struct {
	part  string
	state *State
	made  made
}

// Load reads the state of a dataset. An empty folder is not a dataset yet.
func (d *Dataset) Load(ctx context.Context, store Store) error {
	d.store, d.states, d.made = store, newStates(d.Temp), make(made)
	d.seen, d.present, d.failing = make(nameSet), make(map[string]bool), make(map[string]bool)
	d.left, d.empty = make(map[string]string), make(map[string]string)
	d.Gone, d.Removed = make(map[string]bool), make(map[string]bool)
	d.kept, d.of, d.sharded = make(map[string]nameSet), make(map[string][]string), make(map[string]bool)
	var err error
	if d.index, err = d.read(ctx, indexName); errors.Is(err, fs.ErrNotExist) {
		return store.List(ctx, "", func(string, int64) error { return errNotOurs })
	} else if err != nil {
		return err
	}
	var index Index
	if err := json.Unmarshal(d.index, &index); err != nil || index.Census < 1 {
		return fmt.Errorf("%w: its %s does not match", errNotOurs, indexName)
	} else if index.Census > 1 {
		return fmt.Errorf("%s: a newer program made it", indexName)
	}
	d.partial = make(map[string]bool)
	for part, file := range index.Left {
		d.left[part], d.partial[file] = file, true
	}
	maps.Copy(d.empty, index.Empty)
	d.old = index
	if d.runs, err = Runs(ctx, store); err != nil {
		return err
	}
	sizes := make(sizes)
	if err := store.List(ctx, partsFolder, func(name string, _ int64) error {
		part, ok := strings.CutSuffix(name, ".json")
		if p := (work.Part{Name: part}); !ok || !p.Valid() {
			return nil
		}
		data, err := d.read(ctx, stateFile(part))
		if err != nil {
			return err
		}
		state := new(State)
		if json.Unmarshal(data, state) != nil || len(state.Files) == 0 {
			return nil // the partition is rebuilt
		}
		return d.load(ctx, part, state, sizes)
	}); err != nil {
		return err
	}
	d.before = maps.Clone(d.states.at)
	return nil
}

// load adds a state that was read.
func (d *Dataset) load(ctx context.Context, part string, state *State, sizes sizes) error {
	if whole, err := d.intact(ctx, part, state, sizes); err != nil {
		return err
	} else if !whole {
		state.Key = ""
	}
	if part == allFiles {
		d.bundle = state
	}
	for _, f := range state.Files {
		d.of[f.Name] = append(d.of[f.Name], part)
	}
	if state.Shard != "" {
		d.sharded[state.Files[0].Name] = true
	}
	return d.states.set(part, state)
}

func tableName(name string) bool {
	return plainName(name) && name != partsFolder && name != runsFolder && name != keptFolder
}

func plainName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func (d *Dataset) read(ctx context.Context, name string) ([]byte, error) {
	r, err := d.store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func (d *Dataset) put(ctx context.Context, name string, data []byte) error {
	return d.store.Put(ctx, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Begin makes the folder a dataset.
func (d *Dataset) Begin(ctx context.Context) error {
	d.began = time.Now().UTC()
	if d.index != nil {
		return nil
	}
	d.index = d.newIndex()
	return d.put(ctx, indexName, d.index)
}

// Exists reports whether the folder that Load has read is a dataset.
func (d *Dataset) Exists() bool { return d.index != nil }

// Part returns the part for files or for a shard of a file. held states that its rows are currently in other
// partitions.
func (d *Dataset) Part(name string, shard format.Shard, files []File, held bool) (work.Part, error) {
	task := Task{Files: files}
	if at, ok := d.before[name]; ok {
		old, err := d.states.read(at)
		if err != nil {
			return work.Part{}, err
		}
		gone := false
		reads := make(map[string][]string)
		for _, f := range old.Files {
			reads[f.Name] = f.Reads
			gone = gone || f.Gone
		}
		for i, f := range files {
			task.Files[i].Reads = reads[f.Name]
		}
		if !gone || !d.Prune {
			task.Key = old.Key
		}
	} else {
		task.Hold = held
		task.Leave = shard != "" && !held && !d.whole(files[0].Name)
	}
	data, err := json.Marshal(task)
	return work.Part{Name: name, File: files[0].Path(), Shard: shard, Data: data}, err
}

// whole reports whether all shards of a file are present.
func (d *Dataset) whole(name string) bool {
	return !d.partial[name] && (d.IsSmall(name) || d.sharded[name])
}

// Moved reports whether a file has partitions other than the given ones.
func (d *Dataset) Moved(name string, parts map[string]bool) bool {
	return slices.ContainsFunc(d.of[name], func(part string) bool { return !parts[part] })
}

// Take takes the next record of a part. All records of a part are taken consecutively.
func (d *Dataset) Take(ctx context.Context, p work.Part, r Record) error {
	if _, ok := r.Refers(); ok && d.Files != nil && r.Table != "" && d.made[r.Table] == nil {
		d.made[r.Table] = d.Temp.placed(r.File)
		return nil
	}
	if r.Table != "" {
		s := d.made[r.Table]
		if s == nil {
			var err error
			if s, err = d.Temp.spool(); err != nil {
				return err
			}
			d.made[r.Table] = s
		}
		return r.Bytes.writeTo(s)
	}
	all := d.made
	d.made = make(made)
	holds, err := d.takePart(ctx, p, r, all)
	if !holds {
		all.close()
	}
	return err
}

// takePart takes a record of a part and reports whether the new files are held until the end.
func (d *Dataset) takePart(ctx context.Context, p work.Part, r Record, made made) (holds bool, err error) {
	var task Task
	if err := json.Unmarshal(p.Data, &task); err != nil {
		return false, err
	}
	d.seen.add(p.Name)
	old, err := d.states.get(p.Name)
	if err != nil {
		return false, err
	}
	if r.Left {
		d.left[p.Name] = task.Files[0].Name
		d.present[task.Files[0].Name] = true
		return false, nil
	}
	delete(d.left, p.Name)
	if r.Same {
		if old == nil || old.Key != task.Key {
			return false, fmt.Errorf("part %s: the census was rewritten or damaged after the work was divided: run again", p.Name)
		}
		for _, f := range task.Files {
			d.present[f.Name] = true
		}
		for _, n := range old.Notes {
			d.Say(n)
		}
		return false, nil
	}
	if err := made.check(r.State); err != nil {
		return false, fmt.Errorf("part %s: %w", p.Name, err)
	}
	for _, n := range r.State.Notes {
		d.Say(n)
	}
	for _, f := range r.State.Files {
		if f.Fails {
			d.failing[f.Name] = true
		} else {
			d.present[f.Name] = true
		}
	}
	if old != nil && p.Shard != "" && r.State.Files[0].Fails {
		return false, nil // the existing files stay
	}
	if task.Hold {
		d.held = append(d.held, held{p.Name, r.State, made})
		return true, nil
	}
	return false, d.update(ctx, p.Name, r.State, made)
}

// update replaces a partition by the new one.
func (d *Dataset) update(ctx context.Context, part string, state *State, made made) error {
	was, err := d.states.get(part)
	if err != nil {
		return err
	}
	old := was
	if old != nil {
		if err := d.keep(ctx, part, old, state, made); err != nil {
			return err
		}
	} else {
		old = new(State)
	}
	data := encode(state)
	if was != nil && bytes.Equal(data, encode(old)) {
		return nil
	}
	if err := d.states.set(part, state); err != nil {
		return err
	}
	if !maps.Equal(state.Tables, old.Tables) {
		d.Made++
		if err := d.replace(ctx, part, old, state, made); err != nil {
			return err
		}
	}
	return d.put(ctx, stateFile(part), data)
}

// replace replaces the files of a partition. Until it is done, the stored state of the partition lists all
// files that may exist, and its key matches no sources.
func (d *Dataset) replace(ctx context.Context, part string, old, state *State, made made) error {
	for table, c := range old.Tables {
		if state.Tables[table] != c {
			if err := d.preserve(ctx, table, part, c); err != nil {
				return err
			}
		}
	}
	between := &State{Shard: state.Shard, Files: state.Files, Tables: maps.Clone(state.Tables)}
	for table, c := range old.Tables {
		if state.Tables[table] != c {
			between.Tables[table] = Content{Size: -1}
		}
	}
	if err := d.put(ctx, stateFile(part), encode(between)); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(state.Tables)) {
		if state.Tables[table] == old.Tables[table] {
			continue
		}
		if err := d.putTable(ctx, tableFile(table, part), made[table]); err != nil {
			return err
		}
	}
	for _, table := range slices.Sorted(maps.Keys(old.Tables)) {
		if _, ok := state.Tables[table]; !ok {
			if err := d.store.Remove(ctx, tableFile(table, part)); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep takes over the rows of files that no longer exist or currently cannot be read.
func (d *Dataset) keep(ctx context.Context, part string, old, state *State, made made) error {
	if state.Shard != "" {
		return nil
	}
	now := make(map[string]*File)
	for i := range state.Files {
		now[state.Files[i].Name] = &state.Files[i]
	}
	kept := make(map[string]bool)
	for _, f := range old.Files {
		is := now[f.Name]
		switch {
		case is == nil && d.present[f.Name]: // its rows are in other partitions now
		case is == nil && d.Prune:
			d.Removed[f.Name] = true
		case is == nil:
			d.Gone[f.Name] = true
			f.Gone = true
			state.Files = append(state.Files, f)
			kept[f.Name] = true
		case is.Fails:
			kept[f.Name] = true
		}
	}
	if len(kept) == 0 {
		return nil
	}
	state.Notes = append(state.Notes, d.sayLost(old)...)
	for _, name := range slices.Sorted(maps.Keys(old.Tables)) {
		i := slices.IndexFunc(d.Tables, func(t *format.Table) bool { return t.Name == name })
		switch {
		case i < 0:
			d.lost(state, name, part, errors.New("the table no longer exists"))
			continue
		case !d.wants(d.Tables[i]):
			continue
		}
		if err := d.merge(ctx, d.Tables[i], part, old.Tables[name], state, made, func(file string) bool { return kept[file] }); err != nil {
			return err
		}
	}
	return nil
}

// merge appends rows of the existing partition to the new one.
func (d *Dataset) merge(ctx context.Context, t *format.Table, part string, was Content, state *State, made made,
	keep func(string) bool) error {
	before, err := d.spooled(ctx, tableFile(t.Name, part))
	if before != nil {
		defer before.close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The library may not terminate on a damaged file, so it reads only files whose hash is correct.
	if err != nil || before.content(was.Rows) != was {
		d.lost(state, t.Name, part, errors.New("another program changed the table"))
		return nil
	}
	both, err := d.Temp.spool()
	if err != nil {
		return err
	}
	w := d.Create(both, t, d.Program)
	own := made[t.Name]
	if own != nil {
		if err := d.here(ctx, own); err != nil {
			return errors.Join(err, both.close())
		}
		if err := w.Copy(own.file, own.size, func(string) bool { return true }); err != nil {
			return errors.Join(err, both.close())
		}
	}
	if err := w.Copy(before.file, before.size, keep); both.err == nil && err != nil {
		d.lost(state, t.Name, part, err)
		return both.close()
	}
	if err := errors.Join(w.Close(), both.err); err != nil {
		return errors.Join(err, both.close())
	}
	if w.Rows() == 0 {
		return both.close()
	}
	state.Tables[t.Name] = both.content(w.Rows())
	made[t.Name] = both
	if own != nil {
		return own.close()
	}
	return nil
}

// lost records that rows of a partition are lost, in this run and in each run that keeps other rows of their
// files.
func (d *Dataset) lost(state *State, table, part string, err error) {
	n := d.Miss(tableFile(table, part), fmt.Sprintf("the rows of deleted files cannot be kept: %v", err))
	n.Lost = true
	state.Notes = append(state.Notes, n)
	d.Say(n)
}

// sayLost returns notes about rows of a partition that earlier runs lost.
func (d *Dataset) sayLost(s *State) (notes []Note) {
	for _, n := range s.Notes {
		if n.Lost {
			d.Say(n)
			notes = append(notes, n)
		}
	}
	return notes
}

// spooled copies a file of the dataset to a spool.
func (d *Dataset) spooled(ctx context.Context, name string) (*spool, error) {
	r, err := d.store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := d.Temp.spool()
	if err == nil {
		_, err = io.Copy(s, r)
	}
	return s, err
}

// Finish removes outdated files after all parts were taken, writes the index, and records the run.
func (d *Dataset) Finish(ctx context.Context) error {
	for _, h := range d.held {
		err := d.update(ctx, h.part, h.state, h.made)
		if h.made.close(); err != nil {
			return err
		}
	}
	d.held = nil
	for _, part := range d.states.names() {
		if d.seen.has(part) {
			continue
		}
		s, err := d.states.get(part)
		if err != nil {
			return err
		}
		outdated := true
		for _, f := range s.Files {
			switch {
			case d.present[f.Name]:
			case d.failing[f.Name]:
				outdated = false
			case d.Prune:
				d.Removed[f.Name] = true
			default:
				d.Gone[f.Name], outdated = true, false
			}
		}
		if moved := slices.ContainsFunc(s.Files, func(f File) bool { return d.present[f.Name] }); moved && !outdated {
			if err := d.update(ctx, part, &State{Tables: make(map[string]Content)}, make(made)); err != nil {
				return err
			}
		}
		if !outdated {
			d.sayLost(s)
			continue
		}
		for _, table := range slices.Sorted(maps.Keys(s.Tables)) {
			if err := d.preserve(ctx, table, part, s.Tables[table]); err != nil {
				return err
			}
			if err := d.store.Remove(ctx, tableFile(table, part)); err != nil {
				return err
			}
		}
		if err := d.store.Remove(ctx, stateFile(part)); err != nil {
			return err
		}
		if err := d.states.delete(part); err != nil {
			return err
		}
		d.Made++
	}
	maps.DeleteFunc(d.left, func(part, file string) bool {
		return !d.seen.has(part) && (d.present[file] || d.Prune && !d.failing[file])
	})
	if err := d.writeEmpty(ctx); err != nil {
		return err
	}
	if index := d.newIndex(); !bytes.Equal(index, d.index) {
		d.index = index
		if err := d.put(ctx, indexName, index); err != nil {
			return err
		}
	}
	return d.record(ctx)
}
