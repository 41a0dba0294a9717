package worlddir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"iter"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// buildMap builds the database of the blocks.
func (b *builder) buildMap() error {
	backend := b.backends().Map
	if known, ok := mapdb.BackendOf(backend); ok && known.ReadOnly() {
		backend = mapdb.SQLite // folders of 2011 become SQLite
	}
	config, err := world.MapConfig("", b.settings, world.Options{Backend: backend, Remote: b.o.Remote})
	if err != nil {
		return b.unlessEmpty(err)
	}
	if b.side.Schema == schemaXYZ {
		config.Schema = mapdb.SchemaXYZ
	}
	if b.o.Schema != nil {
		config.Schema = *b.o.Schema
	}
	config.Unseen = true // until the world is complete
	db, err := mapdb.Create(b.ctx, b.dst, config)
	if errors.Is(err, fault.ErrVersion) { // an unknown backend
		return b.unlessEmpty(err)
	}
	if err != nil {
		return err
	}
	err = b.load(db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	for f, err := range b.blockFiles() { // report the first of all files
		if err != nil {
			return err
		}
		if st, err := fs.Stat(b.fsys, f.at); err != nil || !ownerOnly(st) {
			return err
		}
		return world.Protect(b.dst, world.MapPart.Files(config.Backend)...)
	}
	return nil
}

// unlessEmpty returns an error about the backend of the blocks, unless the tree contains no blocks: a world whose
// blocks could not be found is restored unchanged.
func (b *builder) unlessEmpty(wrong error) error {
	for _, err := range b.blockFiles() {
		return cmp.Or(err, wrong)
	}
	return nil
}

func (b *builder) load(db mapdb.Writer) error {
	n, err := db.Count(b.ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s is not empty: blocks: %d: %w", db, n, fs.ErrExist)
	}
	if b.report.Blocks, err = mapdb.Load(b.ctx, db, b.encoded()); err != nil {
		return err
	}
	if _, memory := db.(*mapdb.Memory); memory && b.report.Blocks > 0 {
		return &fault.TextError{File: worldMT, Msg: "the backend dummy stores no blocks, but the folder contains blocks"}
	}
	return nil
}

// blockFile is a file of a block in the tree.
type blockFile struct {
	at  string
	pos mapdb.Pos
	raw bool
}

// encodedBlock is the result of encoding a file.
type encodedBlock struct {
	mapdb.Block
	raw bool
	err error
}

// encoded yields the blocks of the tree, in the order of their keys. The next blocks are encoded while the caller
// writes the previous ones. No file is open after the iteration has ended.
func (b *builder) encoded() iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		done, ended := 0, false
		err := parallel.Ordered(b.ctx,
			func(send func(blockFile) error) error {
				for file, err := range b.blockFiles() {
					if err == nil {
						err = send(file)
					}
					if err != nil {
						return err
					}
				}
				return nil
			},
			b.encode,
			func(e encodedBlock) error {
				if e.err != nil {
					return e.err
				}
				if e.raw {
					b.report.Raw++
				}
				if ended = !yield(e.Block, nil); ended {
					return context.Canceled
				}
				if done++; b.o.OnProgress != nil {
					b.o.OnProgress(done)
				}
				return nil
			})
		if err != nil && !ended {
			yield(mapdb.Block{}, err)
		}
	}
}

// encode encodes the block in a file.
func (b *builder) encode(f blockFile) encodedBlock {
	e := encodedBlock{Block: mapdb.Block{Pos: f.pos}, raw: f.raw}
	text, err := fs.ReadFile(b.fsys, f.at)
	switch {
	case err != nil:
		e.err = err
		return e
	case f.raw:
		e.Data = text
		return e
	}
	residue, kept := b.side.Blocks[f.at]
	kept = kept && residue.CRC32 == crc32.ChecksumIEEE(text)
	if kept && residue.Data != nil {
		e.Data = residue.Data
		return e
	}
	if e.Data, e.raw, err = parseRaw(text); !e.raw {
		e.Data, err = encodeText(text)
	}
	if err == nil && kept {
		e.Data, err = residue.apply(e.Data)
	}
	if err != nil {
		e.err = inFile(err, f.at)
	}
	return e
}

// blockFiles yields the files of blocks, in the order of their keys. It keeps the names of only one row of blocks in
// memory.
func (b *builder) blockFiles() iter.Seq2[blockFile, error] {
	return func(yield func(blockFile, error) bool) {
		_, err := b.folders(blocksDir, "z", func(plane string, z int16) (bool, error) {
			return b.folders(plane, "y", func(row string, y int16) (bool, error) {
				files, err := b.row(row, z, y)
				for _, f := range files {
					if !yield(f, nil) {
						return false, nil
					}
				}
				return true, err
			})
		})
		if err != nil {
			yield(blockFile{}, err)
		}
	}
}

// folders calls do for the subfolders of dir, whose names are a letter and a number, in the order of the numbers,
// until do returns false or an error.
func (b *builder) folders(dir, letter string, do func(at string, v int16) (bool, error)) (bool, error) {
	var all []int16
	err := b.eachEntry(dir, func(e fs.DirEntry) error {
		v, ok := coordinate(e.Name(), letter)
		if !ok || !e.IsDir() {
			return &fault.TextError{File: dir + "/" + e.Name(),
				Msg: fmt.Sprintf("expected a folder whose name is %s and a number from %d to %d", letter, mapdb.MinCoord, mapdb.MaxCoord)}
		}
		all = append(all, v)
		return nil
	})
	if err != nil {
		return false, err
	}
	slices.Sort(all)
	for _, v := range all {
		if more, err := do(fmt.Sprintf("%s/%s%d", dir, letter, v), v); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// row returns the files of a row of blocks, sorted.
func (b *builder) row(dir string, z, y int16) ([]blockFile, error) {
	var files []blockFile
	err := b.eachEntry(dir, func(e fs.DirEntry) error {
		at := dir + "/" + e.Name()
		pos, raw, ok := parseBlockName(e.Name())
		switch {
		case !ok || e.IsDir():
			return &fault.TextError{File: at, Msg: fmt.Sprintf("expected a file whose name is the position x,y,z of a "+
				"block, and %s or %s", textEnding, rawEnding)}
		case pos.Z != z || pos.Y != y:
			return &fault.TextError{File: at, Msg: fmt.Sprintf("the block belongs in the folder %s/z%d/y%d", blocksDir, pos.Z, pos.Y)}
		}
		files = append(files, blockFile{at, pos, raw})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b blockFile) int {
		return cmp.Or(cmp.Compare(a.pos.X, b.pos.X), cmp.Compare(a.at, b.at))
	})
	for i := 1; i < len(files); i++ {
		if files[i].pos == files[i-1].pos {
			return nil, &fault.TextError{File: files[i].at, Msg: "the block is in " + files[i-1].at + " already"}
		}
	}
	return files, nil
}
