package world

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/leveldb"
)

// records defines how things are stored in a LevelDB database.
type records[T any] struct {
	parse func(name string, value []byte) (T, error)
	name  func(T) string
	make  func(T) ([]byte, error)
}

// complete reports whether a record of the database is complete, up to its last byte.
func (r records[T]) complete(key, value []byte) bool {
	thing, err := r.parse(string(key), value)
	if err != nil {
		return false
	}
	again, err := r.make(thing)
	return err == nil && bytes.Equal(again, value)
}

var playerRecords = records[*Player]{
	parse: SalvagePlayerRecord,
	name:  func(p *Player) string { return p.Name },
	make:  func(p *Player) ([]byte, error) { return p.AppendRecord(nil) },
}

// level is a store backed by a LevelDB database.
type level[T any] struct {
	records[T]
	dir     string
	write   bool
	db      *leveldb.DB       // nil if there is no database
	changed map[string][]byte // name to new value, nil if the record is to be removed
}

func openLevel[T any](dir string, write bool, r records[T]) (*level[T], error) {
	l := &level[T]{records: r, dir: dir, write: write, changed: make(map[string][]byte)}
	return l, l.open()
}

func (l *level[T]) open() (err error) {
	if !exists(l.dir) {
		return nil
	}
	l.db, err = leveldb.Open(l.dir, l.complete)
	return err
}

func (l *level[T]) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range l.stored(ctx) {
			if _, ok := l.changed[name]; err == nil && ok {
				continue
			}
			if !yield(name, err) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(l.changed)) {
			if l.changed[name] != nil && !yield(name, nil) {
				return
			}
		}
	}
}

// stored yields the names in the database.
func (l *level[T]) stored(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if l.db == nil {
			return
		}
		for key := range l.db.All() {
			if err := ctx.Err(); !yield(string(key), err) || err != nil {
				return
			}
			if l.db.Salvaged(key) && !yield("", wrong(filepath.Base(l.dir), string(key), "data with the right checksum",
				"a wrong checksum; the entry is complete, and was salvaged")) {
				return
			}
		}
		for _, err := range l.db.Problems() {
			if !errors.Is(err, leveldb.ErrTorn) && !yield("", err) {
				return
			}
		}
	}
}

// value returns the value of a name, or nil if there is none.
func (l *level[T]) value(name string) ([]byte, error) {
	if data, ok := l.changed[name]; ok || l.db == nil {
		return data, nil
	}
	data, ok, err := l.db.Get([]byte(name))
	if ok && data == nil {
		data = []byte{}
	}
	return data, err
}

func (l *level[T]) Get(_ context.Context, name string) (thing T, err error) {
	data, err := l.value(name)
	switch {
	case err != nil:
		return thing, err
	case data == nil:
		return thing, ErrNotFound
	}
	if thing, err = l.parse(name, data); err != nil {
		err = fault.InFile(err, name)
	}
	return thing, err
}

func (l *level[T]) Put(_ context.Context, thing T) error {
	if !l.write {
		return ErrReadOnly
	}
	data, err := l.make(thing)
	if err != nil {
		return err
	}
	l.changed[l.name(thing)] = data
	return nil
}

func (l *level[T]) Delete(_ context.Context, name string) error {
	if !l.write {
		return ErrReadOnly
	}
	data, err := l.value(name)
	switch {
	case err != nil:
		return err
	case data == nil:
		return ErrNotFound
	}
	l.changed[name] = nil
	return nil
}

// Commit writes all changes in one batch.
func (l *level[T]) Commit(context.Context) error {
	if !l.write {
		return ErrReadOnly
	}
	open := leveldb.Create
	if l.db != nil {
		if err := filelock.CheckUnused(l.dir); err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
		open = leveldb.Reopen
	}
	w, err := open(l.dir)
	if err != nil {
		return errors.Join(err, l.open())
	}
	var batch leveldb.Batch
	for _, name := range slices.Sorted(maps.Keys(l.changed)) {
		if data := l.changed[name]; data != nil {
			batch.Put([]byte(name), data)
		} else {
			batch.Delete([]byte(name))
		}
	}
	if err = w.Write(&batch); err == nil {
		err = w.Close()
	} else {
		w.Abandon()
	}
	if err == nil {
		clear(l.changed)
	}
	return errors.Join(err, l.open())
}

func (l *level[T]) Close() (err error) {
	if l.db != nil {
		err = l.db.Close()
	}
	l.db = nil
	return err
}
