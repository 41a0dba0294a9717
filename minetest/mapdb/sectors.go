package mapdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/regular"
)

// sectors is the folders of files of old worlds: a folder for each column of
// blocks, in one of two layouts, with a file for each block.
//
//	sectors/XXXXZZZZ/YYYY
//	sectors2/XXX/ZZZ/YYYY
//
// A column that is in the first layout is not looked for in the second: so does
// the game.
type sectors struct{ dir string }

// sectorMeta is the one file in the folder of a sector that is no block.
const sectorMeta = "meta"

var sectorsBackend = Backend{
	Name:  Sectors,
	Files: []string{"sectors", "sectors2"},
	open:  func(_ context.Context, dir string, _ Config) (DB, error) { return openSectors(dir) },
}

func openSectors(dir string) (DB, error) {
	for _, name := range []string{"sectors", "sectors2"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.IsDir() {
			return &sectors{dir}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: filepath.Join(dir, "sectors2"), Err: fs.ErrNotExist}
}

// coordOf reads a coordinate in hexadecimal digits, in two's complement.
func coordOf(text string) (int16, bool) {
	n, err := strconv.ParseUint(text, 16, 16)
	if err != nil || len(text) > 4 || strconv.FormatUint(n+1<<(4*len(text)), 16)[1:] != text {
		return 0, false // the game writes small letters only
	}
	shift := 16 - 4*len(text)
	v := int16(n<<shift) >> shift
	return v, inRange(int64(v))
}

// A sector is a column of blocks.
type sector struct {
	dir  string
	x, z int16
}

func (s *sectors) oldDir(x, z int16) string {
	return filepath.Join(s.dir, "sectors", fmt.Sprintf("%04x%04x", uint16(x), uint16(z)))
}

func (s *sectors) newDir(x, z int16) string {
	return filepath.Join(s.dir, "sectors2", fmt.Sprintf("%03x", uint16(x)&0xfff), fmt.Sprintf("%03x", uint16(z)&0xfff))
}

// find returns the folder of a column.
func (s *sectors) find(x, z int16) string {
	if dir := s.oldDir(x, z); exists(dir) {
		return dir
	}
	return s.newDir(x, z)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// walk goes through the sectors of an area in the order of their names.
func (s *sectors) walk(a Area, yield func(sector, error) bool) {
	bad := func(key, want string) bool { return yield(sector{}, badRow(s.dir, key, "", want, "another name")) }
	for name, err := range s.names("sectors") {
		if err != nil {
			if !yield(sector{}, err) {
				return
			}
			continue
		}
		var x, z int16
		okX, okZ := false, false
		if len(name) == 8 {
			x, okX = coordOf(name[:4])
			z, okZ = coordOf(name[4:])
		}
		switch {
		case !okX || !okZ:
			if !bad("sectors/"+name, "8 hexadecimal digits of a position") {
				return
			}
		case outside(x, a.Min.X, a.Max.X) || outside(z, a.Min.Z, a.Max.Z):
		case !yield(sector{s.oldDir(x, z), x, z}, nil):
			return
		}
	}
	for nameX, err := range s.names("sectors2") {
		if err != nil {
			if !yield(sector{}, err) {
				return
			}
			continue
		}
		x, ok := coordOf(nameX)
		if !ok || len(nameX) != 3 {
			if !bad("sectors2/"+nameX, "3 hexadecimal digits") {
				return
			}
			continue
		}
		if outside(x, a.Min.X, a.Max.X) {
			continue
		}
		for nameZ, err := range s.names("sectors2/" + nameX) {
			if err != nil {
				if !yield(sector{}, err) {
					return
				}
				continue
			}
			z, ok := coordOf(nameZ)
			switch {
			case !ok || len(nameZ) != 3:
				if !bad("sectors2/"+nameX+"/"+nameZ, "3 hexadecimal digits") {
					return
				}
			case outside(z, a.Min.Z, a.Max.Z) || exists(s.oldDir(x, z)):
			case !yield(sector{s.newDir(x, z), x, z}, nil):
				return
			}
		}
	}
}

// sectors is walk as a sequence.
func (s *sectors) sectors(a Area) iter.Seq2[sector, error] {
	return func(yield func(sector, error) bool) { s.walk(a, yield) }
}

func outside(v, lo, hi int16) bool { return v < lo || v > hi }

// names returns the names in a folder below the world, in order; none if it is
// not there. That it cannot be read is the error of a row.
func (s *sectors) names(key string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		entries, err := os.ReadDir(filepath.Join(s.dir, filepath.FromSlash(key)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield("", badRow(s.dir, key, "", "a folder", err.Error()))
			return
		}
		for _, e := range entries {
			if !yield(e.Name(), nil) {
				return
			}
		}
	}
}

// Positions goes through the positions of the blocks of an area.
func (s *sectors) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		for sec, err := range s.sectors(a) {
			if err == nil {
				err = ctx.Err()
			}
			var row *RowError
			switch {
			case errors.As(err, &row):
				if !yield(Pos{}, row) {
					return
				}
				continue
			case err != nil:
				yield(Pos{}, err)
				return
			}
			for name, err := range s.names(s.key(sec.dir)) {
				if err != nil {
					if !yield(Pos{}, err) {
						return
					}
					continue
				}
				if name == sectorMeta {
					continue
				}
				y, ok := coordOf(name)
				p := Pos{sec.x, y, sec.z}
				switch {
				case !ok || len(name) != 4:
					if !yield(Pos{}, badRow(s.dir, s.key(filepath.Join(sec.dir, name)), "", "4 hexadecimal digits", "another name")) {
						return
					}
				case a.Contains(p) && !yield(p, nil):
					return
				}
			}
		}
	}
}

// key returns the path of a file below the world.
func (s *sectors) key(path string) string {
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// Blocks goes through the blocks of an area in the order of the names of their
// folders and files.
func (s *sectors) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for p, err := range s.Positions(ctx, a) {
			b := Block{Pos: p}
			if err == nil {
				if b.Data, err = s.Get(ctx, p); errors.Is(err, ErrNotFound) {
					continue // it was removed meanwhile
				}
			}
			var row *RowError
			if err != nil {
				b = Block{}
			}
			if !yield(b, err) || err != nil && !errors.As(err, &row) {
				return
			}
		}
	}
}

// Get returns the bytes of a block.
func (s *sectors) Get(_ context.Context, p Pos) ([]byte, error) {
	path := filepath.Join(s.find(p.X, p.Z), fmt.Sprintf("%04x", uint16(p.Y)))
	key := s.key(path)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || !p.Valid():
		return nil, notFound(p)
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, badRow(s.dir, key, "", "a file", st.Mode().Type().String()).at(p)
	case st.Size() > MaxBlock:
		return nil, tooLarge(s.dir, key, st.Size()).at(p)
	}
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBlock+1))
	if err != nil {
		return nil, &RowError{Key: key, Pos: &p, Err: &fault.Error{File: path, Offset: -1, Want: "a file that can be read", Got: err.Error(), Err: err}}
	}
	return data, nil
}

// Count returns how many files of blocks there are.
func (s *sectors) Count(ctx context.Context) (int64, error) {
	return countPositions(s.Positions(ctx, All()))
}

// countPositions counts positions, except for damaged rows.
func countPositions(all iter.Seq2[Pos, error]) (int64, error) {
	n := int64(0)
	for _, err := range all {
		var row *RowError
		switch {
		case err == nil:
			n++
		case !errors.As(err, &row):
			return 0, err
		}
	}
	return n, nil
}

func (s *sectors) String() string { return "folders of files in " + s.dir }

func (s *sectors) Close() error { return nil }
