package census

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Input is a file that is open to read its rows.
type Input struct {
	*format.Format
	Source *format.Source
	Job    *format.Job
	Made   string // the folder in which the file was built for this run; "": the file is the user's own
	Close  func() error
}

// Maker makes the partitions of a dataset in any process.
type Maker struct {
	Program string // name and version
	Create  Create
	Temp    *Temp
	Place   *work.Files // where a part stores the files of tables; nil: in its records

	// Open opens a file. The messages of its job go to say. [errNoTables] means that the file has no tables and
	// that this is no error.
	Open func(ctx context.Context, f File, report func(Note)) (*Input, error)
	// Beside opens a file that was read for the rows of another file. The error wraps [io/fs.ErrNotExist] if
	// the file does not exist.
	Beside func(name string) (*format.Source, error)
	// Failed returns a note with the reason why a file could not be read.
	Failed func(err error, f File) Note
}

// errNoTables means that a file has no tables and need not have any.
var errNoTables = errors.New("contains no tables")

// Split returns the shards of a file, or none if it cannot be split. small reports whether the file is so small
// that it need not be split. With an earlier time given by the user, only shards can be left out, so small
// files are split, too, except files already stored as small ones.
func (m *Maker) Split(ctx context.Context, f File, isKept bool) (shards []format.Shard, small bool, err error) {
	if caught := parallel.Catch(func() {
		in, e := m.Open(ctx, f, func(Note) {})
		if err = e; err != nil {
			return
		}
		defer in.Close()
		if in.Sharding == nil {
			return
		}
		dated := slices.ContainsFunc(in.Options, func(o format.Option) bool { return o.For&format.ForCensus != 0 && in.Job.Value(o.Name) != "" })
		small = in.Census.Small != nil && (isKept || !dated) && in.Census.Small(in.Source)
		if _, err = before(ctx, in); err == nil {
			err = in.Sharding.Split(ctx, in.Job, in.Source, func(s format.Shard) error {
				shards = append(shards, s)
				return nil
			})
		}
	}); caught != nil {
		err = caught
	}
	return shards, small, err
}

// Do makes a partition.
func (m *Maker) Do(ctx context.Context, p work.Part, put func(Record) error) error {
	var task Task
	if err := json.Unmarshal(p.Data, &task); err != nil || len(task.Files) == 0 {
		return fmt.Errorf("part %s: its result lists no files: %w", p.Name, err)
	}
	d := doing{Maker: m, shard: p.Shard, leave: task.Leave, files: slices.Clone(task.Files),
		digests: make([]string, len(task.Files)), tables: make(map[*format.Table]*rows)}
	for i := range d.files {
		if err := d.each(ctx, i, func(Note) {}, d.digest); err != nil {
			return err
		}
	}
	defer func() {
		for _, r := range d.tables {
			if !r.put {
				_ = r.spool.close()
			}
		}
	}()
	if key := d.key(); key != "" && key == task.Key && len(d.notes) == 0 {
		return put(Record{Same: true})
	}
	if d.left && len(d.notes) == 0 {
		return put(Record{Left: true})
	}
	for i := range d.files {
		if d.files[i].Fails {
			continue
		}
		if err := d.each(ctx, i, d.report, d.rows); err != nil {
			return err
		}
	}
	return d.end(ctx, put)
}

// doing is a partition that is being made.
type doing struct {
	*Maker
	shard   format.Shard
	files   []File
	digests []string // hash of the input of each file; "" if unknown
	tables  map[*format.Table]*rows
	notes   []Note
	written int64 // number of rows
	leave   bool  // the shard may be left out
	left    bool  // the shard is left out because it is unchanged
}

// rows are the rows of a table.
type rows struct {
	Writer
	*spool
	put bool // the receiver closes the spool
}

func (d *doing) report(n Note) { d.notes = append(d.notes, n) }

// each opens a file and calls do. The messages of its job go to say. Errors that are not about the file end the
// part.
func (d *doing) each(ctx context.Context, i int, report func(Note), do func(context.Context, int, *Input) error) error {
	f, before := &d.files[i], d.written
	var err error
	if caught := parallel.Catch(func() {
		var in *Input
		if in, err = d.Open(ctx, *f, report); err == nil {
			defer func() { err = errors.Join(err, in.Close()) }()
			in.Job.Shard = d.shard
			err = do(ctx, i, in)
		}
	}); caught != nil {
		err = caught
	}
	for _, r := range d.tables {
		if r.spool.err != nil {
			return r.spool.err
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*beforeError)):
		return err
	case errors.Is(err, errNoTables):
		d.digests[i] = "nothing"
	case err != nil:
		f.Fails = d.written == before
		d.report(d.Failed(err, *f))
	}
	return nil
}

// beforeError is an error about the earlier time that the user gave.
type beforeError struct{ Err error }

func (b *beforeError) Error() string { return b.Err.Error() }

// Unwrap returns the cause.
func (b *beforeError) Unwrap() error { return b.Err }

// before is [format.Census.Before] of an input.
func before(ctx context.Context, in *Input) (text string, err error) {
	if in.Census.Before == nil {
		return "", nil
	}
	if text, err = in.Census.Before(ctx, in.Job, in.Source); err != nil {
		return "", &beforeError{err}
	}
	return text, nil
}

// digest records the hash of the input for the rows of a file.
func (d *doing) digest(ctx context.Context, i int, in *Input) error {
	sum := sha256.New()
	fmt.Fprintln(sum, in.Name, d.shard)
	for _, name := range slices.Sorted(maps.Keys(in.Job.Values)) {
		if !slices.ContainsFunc(in.Options, func(o format.Option) bool { return o.Name == name && o.For&format.ForCensus != 0 }) {
			fmt.Fprintf(sum, "%s=%q\n", name, in.Job.Values[name])
		}
	}
	switch {
	case in.Census.Digest != nil:
		text, err := in.Census.Digest(ctx, in.Job, in.Source)
		if err != nil || text == "" {
			return nil // the error is reported when the rows are read
		}
		if d.leave {
			then, err := before(ctx, in)
			if err != nil {
				return err
			}
			d.left = text == then
		}
		fmt.Fprintln(sum, text)
	case in.Source.IsDir():
		return nil
	default:
		if err := hashOf(sum, io.NewSectionReader(in.Source, 0, in.Source.Size)); err != nil {
			return err
		}
	}
	for _, name := range d.files[i].Reads {
		if err := d.hashFile(sum, name); err != nil {
			return err
		}
	}
	if err := in.hashMade(sum); err != nil {
		return err
	}
	d.digests[i] = fmt.Sprintf("%x", sum.Sum(nil))
	return nil
}

// hashMade hashes the files that were built together with the file, such as the list of an archive.
func (in *Input) hashMade(sum io.Writer) error {
	if in.Made == "" {
		return nil
	}
	list, err := os.ReadDir(in.Made)
	for _, e := range list {
		if err != nil || !e.Type().IsRegular() {
			continue
		}
		var f *os.File
		if f, err = os.Open(filepath.Join(in.Made, e.Name())); err == nil {
			fmt.Fprintln(sum, e.Name())
			err = errors.Join(hashOf(sum, f), f.Close())
		}
	}
	return err
}

// reads returns the other files that were read for the rows, without those built together with the file.
func (in *Input) reads() []string {
	all := in.Source.Reads()
	if len(all) <= 1 || in.Source.IsDir() {
		return nil
	}
	reads := slices.DeleteFunc(slices.Clone(all[1:]), func(name string) bool { return in.Made != "" && filepath.Dir(name) == in.Made })
	slices.Sort(reads)
	return reads
}

func hashOf(sum io.Writer, r io.Reader) error {
	own := sha256.New()
	_, err := io.Copy(own, r)
	fmt.Fprintf(sum, "%x\n", own.Sum(nil))
	return err
}

// hashFile is hashOf for a file that may be missing.
func (d *doing) hashFile(sum io.Writer, name string) error {
	f, err := d.Beside(name)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = fmt.Fprintln(sum, "missing")
		return err
	} else if err != nil {
		return err
	}
	defer f.Close()
	return hashOf(sum, io.NewSectionReader(f, 0, f.Size))
}

// key returns the key of a partition, which changes with its sources; "" if unknown.
func (d *doing) key() string {
	sum := sha256.New()
	fmt.Fprintln(sum, d.Program)
	for i, f := range d.files {
		if d.digests[i] == "" {
			return ""
		}
		fmt.Fprintf(sum, "%q %q %s\n", f.Name, f.Reads, d.digests[i])
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:16])
}

// rows writes the rows of a file.
func (d *doing) rows(ctx context.Context, i int, in *Input) error {
	f := &d.files[i]
	err := in.Census.Rows(ctx, in.Job, in.Source, func(t *format.Table, cells []format.Cell) error {
		r := d.tables[t]
		if r == nil {
			s, err := d.Temp.spool()
			if err != nil {
				return err
			}
			r = &rows{d.Create(s, t, d.Program), s, false}
			d.tables[t] = r
		}
		d.written++
		return r.Writer.Write(f.Name, cells)
	})
	if reads := in.reads(); !slices.Equal(reads, f.Reads) { // the digest does not cover these files
		f.Reads = reads
		err = errors.Join(err, d.digest(ctx, i, in))
	}
	return err
}

// end passes the results to put.
func (d *doing) end(ctx context.Context, put func(Record) error) error {
	state := &State{Key: d.key(), Shard: d.shard, Files: d.files, Tables: make(map[string]Content), Notes: d.notes}
	for _, t := range slices.SortedFunc(maps.Keys(d.tables), func(a, b *format.Table) int { return strings.Compare(a.Name, b.Name) }) {
		r := d.tables[t]
		if err := r.Writer.Close(); err != nil {
			return err
		}
		state.Tables[t.Name] = r.content(r.Rows())
		r.put = true
		if d.Place != nil {
			if err := d.place(ctx, t.Name, r.spool, put); err != nil {
				return err
			}
			continue
		}
		if err := r.chunks(func(c Chunk) error { return put(Record{Table: t.Name, Bytes: c}) }); err != nil {
			return err
		}
	}
	return put(Record{State: state})
}
