package census

import (
	"context"
	"errors"
	"io"

	"trowel.example/cmd/internal/work"
)

// taker is a [Store] that can take over a file that a part has stored, without reading it.
type taker interface {
	// takeOver is Put with the content of a file. It reports false if the file is in another kind of place.
	takeOver(ctx context.Context, name string, files *work.Files, ref work.Ref) (bool, error)
}

// refOf returns the reference to the content of a spool.
func (s *spool) refOf() (work.Ref, error) { return work.ParseRef(s.content(0).SHA256, s.size) }

func (s *spool) isPlaced() bool { return s.ref.Size > 0 }

// placed returns a spool for a placed file.
func (t *Temp) placed(ref work.Ref) *spool { return &spool{temp: t, ref: ref, size: ref.Size} }

// here copies a placed file into the spool, so that it can be read.
func (d *Dataset) here(ctx context.Context, s *spool) error {
	if !s.isPlaced() {
		return nil
	}
	read, err := d.Temp.spool()
	if err != nil {
		return err
	}
	if err := d.Files.CopyTo(ctx, read, s.ref); err != nil {
		return errors.Join(err, read.close())
	}
	d.Temp.rename(read, s)
	return nil
}

// rename makes a spool the file of another one.
func (t *Temp) rename(from, to *spool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*to = *from
	delete(t.open, from)
	t.open[to] = true
}

// putTable stores the file of a table.
func (d *Dataset) putTable(ctx context.Context, name string, s *spool) error {
	if !s.isPlaced() {
		return d.store.Put(ctx, name, func(w io.Writer) error {
			_, err := io.Copy(w, s.reader())
			return err
		})
	}
	if d.Adopt != nil {
		return d.Adopt(name, s.ref)
	}
	if to, ok := d.store.(taker); ok {
		if done, err := to.takeOver(ctx, name, d.Files, s.ref); done || err != nil {
			return err
		}
	}
	return d.store.Put(ctx, name, func(w io.Writer) error { return d.Files.CopyTo(ctx, w, s.ref) })
}

// place stores a table in its final place and passes its name to put.
func (d *doing) place(ctx context.Context, table string, s *spool, put func(Record) error) error {
	ref, err := s.refOf()
	if err == nil {
		err = d.Place.Put(ctx, ref, s.reader())
	}
	if err == nil {
		err = s.close()
	}
	if err != nil {
		return err
	}
	return put(Record{Table: table, File: ref})
}
