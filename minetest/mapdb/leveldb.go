package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/leveldb"
	"trowel.example/minetest/mapblock"
)

const levelName = "map.db"

var levelBackend = Backend{
	Name:      LevelDB,
	Files:     []string{levelName},
	Targets:   []Target{{LevelDB, "LevelDB", SchemaPos}},
	Alone:     true,
	CountsAll: true,
	open: func(_ context.Context, dir string, _ Config) (DB, error) {
		return openLevelDB(filepath.Join(dir, levelName))
	},
	create: func(_ context.Context, dir string, c Config) (Writer, error) {
		return newLevelWriter(filepath.Join(dir, levelName), c.Unseen, leveldb.Create)
	},
	edit: func(_ context.Context, dir string, c Config, _ bool) (Writer, error) {
		path := filepath.Join(dir, levelName)
		if err := filelock.CheckUnused(path); err != nil {
			return nil, err
		}
		return newLevelWriter(path, c.Unseen, leveldb.Reopen)
	},
}

// levelDB is a LevelDB database: the key is Pos.Key in decimal digits.
type levelDB struct {
	path string
	view func() (*leveldb.DB, error)
}

// levelReader is a database opened for reading. A server that has it open merges its files now and then and removes
// the old ones. When a removed file is needed, levelReader reopens the database and reads its new state.
type levelReader struct {
	levelDB
	mu sync.Mutex
	db *leveldb.DB
}

// freeminerKey matches the key of a block in a database of Freeminer.
var freeminerKey = regexp.MustCompile(`^a-?[0-9]+,-?[0-9]+,-?[0-9]+$`)

func openLevelDB(path string) (DB, error) {
	db, err := leveldb.Open(path, CompleteRecord)
	if err != nil {
		return nil, err
	}
	of, _ := db.Range([]byte("a"), []byte("b"))
	for key := range of {
		if freeminerKey.Match(key) {
			return nil, errors.Join(&fault.Error{File: path, Offset: -1, Want: "a database of Minetest or Luanti",
				Got: fmt.Sprintf("one of Freeminer, with keys such as %s, which is not supported", key), Err: fault.ErrFormat}, db.Close())
		}
	}
	l := &levelReader{db: db}
	l.levelDB = levelDB{path: path, view: func() (*leveldb.DB, error) { return l.current(), nil }}
	return l, nil
}

func (l *levelReader) current() *leveldb.DB {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.db
}

// Get returns the bytes of a block.
func (l *levelReader) Get(_ context.Context, p Pos) ([]byte, error) {
	db := l.current()
	data, err := l.get(db, p)
	if !errors.Is(err, os.ErrNotExist) {
		return data, err
	}
	if db, err = l.renew(db); err != nil {
		return nil, err
	}
	return l.get(db, p)
}

// renew reopens the database, unless another goroutine has done so since old was in use.
func (l *levelReader) renew(old *leveldb.DB) (*leveldb.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db != old {
		return l.db, nil
	}
	db, err := leveldb.Open(l.path, CompleteRecord)
	if err != nil {
		return nil, err
	}
	l.db = db
	return db, old.Close() // closes files only; concurrent readers of old continue
}

func (l *levelReader) Close() error { return l.current().Close() }

// CompleteRecord reports whether a record of a LevelDB database is a block that can be decoded to its last byte. Such
// a record in data with a wrong checksum is read and reported as salvaged.
func CompleteRecord(key, value []byte) bool {
	if _, row := posOfDecimal("", string(key)); row != nil {
		return false
	}
	b, err := mapblock.Decode(value)
	return err == nil && len(b.Trailing)+len(b.Inner) == 0
}

func decimalKey(p Pos) []byte { return strconv.AppendInt(nil, p.Key(), 10) }

// posOfDecimal returns the position of a key in decimal digits. Only the form that the game writes is valid, so that
// each number has exactly one form.
func posOfDecimal(store, key string) (Pos, *RowError) {
	n, err := strconv.ParseInt(key, 10, 64)
	p, ok := PosOfKey(n)
	if err != nil || !ok || strconv.FormatInt(n, 10) != key {
		return Pos{}, badRow(store, strconv.Quote(key), "key", "the number of a position", strconv.Quote(abridge(key)))
	}
	return p, nil
}

// getter is implemented by databases opened for reading and for writing.
type getter interface {
	Get(key []byte) (value []byte, ok bool, err error)
}

func (l *levelDB) get(from getter, p Pos) ([]byte, error) {
	data, ok, err := from.Get(decimalKey(p))
	switch {
	case errors.Is(err, fault.ErrFormat):
		return nil, &RowError{Key: string(decimalKey(p)), Pos: &p, Err: err}
	case err != nil:
		return nil, err
	case !ok:
		return nil, notFound(p)
	}
	if err := tooLarge(l.path, string(decimalKey(p)), int64(len(data)), p); err != nil {
		return nil, err
	}
	return data, nil
}

// Blocks yields the blocks of an area in the order of the digits of their keys. It reports damage of the files at the
// end.
func (l *levelDB) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		db, err := l.view()
		if err != nil {
			yield(Block{}, err)
			return
		}
		if !l.rows(ctx, db, db.All(), a, yield) {
			return
		}
		for _, row := range l.damageOf(db.Problems()) {
			if !yield(Block{}, row) {
				return
			}
		}
	}
}

// rows decodes records to blocks of an area and reports whether the caller wants more.
func (l *levelDB) rows(ctx context.Context, db *leveldb.DB, records iter.Seq2[[]byte, []byte], a Area, yield func(Block, error) bool) bool {
	for key, data := range records {
		if err := ctx.Err(); err != nil {
			yield(Block{}, err)
			return false
		}
		p, row := posOfDecimal(l.path, string(key))
		if row == nil && !a.Contains(p) {
			continue
		}
		if row == nil {
			row, _ = tooLarge(l.path, string(key), int64(len(data)), p).(*RowError)
		}
		if row != nil {
			if !yield(Block{}, row) {
				return false
			}
			continue
		}
		if !yield(Block{p, data}, nil) {
			return false
		}
		if db.Salvaged(key) && !yield(Block{}, salvaged(l.path, string(key)).at(p)) {
			return false
		}
	}
	return true
}

// salvaged returns the error that follows a block from damaged data.
func salvaged(store, key string) *RowError {
	e := badRow(store, key, "", "data with the right checksum", "a wrong checksum; the block is complete, and was salvaged")
	e.Salvaged = true
	return e
}

// damageOf converts the problems of a database to errors about its files.
func (l *levelDB) damageOf(problems []error) (list []*RowError) {
	for _, err := range problems {
		if errors.Is(err, leveldb.ErrTorn) {
			continue
		}
		place := filepath.Base(l.path)
		var e *fault.Error
		if errors.As(err, &e) && filepath.Dir(e.File) == l.path {
			place += "/" + filepath.Base(e.File)
		}
		list = append(list, &RowError{Err: err, At: []check.Place{check.File(place)}})
	}
	return list
}

// Positions yields the positions of the blocks of an area. It reads the data as well, because the files store keys
// and data together.
func (l *levelDB) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return positionsOf(l.Blocks(ctx, a))
}

// positionsOf drops the bytes.
func positionsOf(blocks iter.Seq2[Block, error]) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		for b, err := range blocks {
			if !yield(b.Pos, err) {
				return
			}
		}
	}
}

// Count counts the blocks by reading all of them.
func (l *levelDB) Count(ctx context.Context) (int64, error) {
	return countPositions(l.Positions(ctx, All()))
}

func (l *levelDB) String() string { return "LevelDB " + l.path }

// levelWriter creates or changes a LevelDB database.
type levelWriter struct {
	levelDB
	w *leveldb.Writer
}

func newLevelWriter(path string, unseen bool, open func(string) (*leveldb.Writer, error)) (Writer, error) {
	w, err := open(path)
	if err != nil {
		return nil, err
	}
	if unseen {
		w.SyncLate()
	}
	return &levelWriter{levelDB{path: path, view: w.View}, w}, nil
}

// Get returns the bytes of a block.
func (l *levelWriter) Get(_ context.Context, p Pos) ([]byte, error) { return l.get(l.w, p) }

// Update runs f in a transaction.
func (l *levelWriter) Update(ctx context.Context, f func(Tx) error) error {
	tx := newChanges(func(p Pos) ([]byte, error) { return l.get(l.w, p) })
	if err := f(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var batch leveldb.Batch
	for _, c := range tx.list {
		if c.delete {
			batch.Delete(decimalKey(c.pos))
		} else {
			batch.Put(decimalKey(c.pos), c.data)
		}
	}
	return l.write(&batch)
}

// write writes the records of a transaction.
func (l *levelWriter) write(batch *leveldb.Batch) error {
	if err := l.w.Write(batch); err != nil {
		return err
	}
	return l.w.Sync()
}

// enough is the number of bytes of blocks that fill a separate table.
const enough = 1 << 20

// Store stores blocks in one transaction.
func (l *levelWriter) Store(ctx context.Context, blocks []Block) error {
	records := make([]leveldb.Record, len(blocks))
	size := 0
	for i, b := range blocks {
		if err := storable(b.Pos, b.Data); err != nil {
			return err
		}
		records[i] = leveldb.Record{Key: decimalKey(b.Pos), Value: b.Data}
		size += len(b.Data)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if size >= enough {
		return l.w.WriteTable(records)
	}
	var batch leveldb.Batch
	for _, r := range records {
		batch.Put(r.Key, r.Value)
	}
	return l.write(&batch)
}

func (l *levelWriter) Close() error { return l.w.Close() }

// Abandon closes the store unfinished; OpenForWriting can continue it.
func (l *levelWriter) Abandon() { l.w.Abandon() }
