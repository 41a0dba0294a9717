package mapdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
)

// sectors is the folders of files of old worlds: a folder for each column of
// blocks, in one of two layouts, with a file for each block.
//
//	sectors/XXXXZZZZ/YYYY
//	sectors2/XXX/ZZZ/YYYY
//
// If a column exists in the first layout, the second is not searched for it, as in the game.
type sectors struct{ dir string }

// sectorMeta is the only file in a sector's folder that is not a block.
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
		return 0, false // the game writes lower-case letters only
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

func (s *sectors) axis() int { return alongX }
func (s *sectors) inOrder()  {}

// plane is the sectors with the same x: the z coordinates of those in the first layout, and the folder of those in
// the second, or "" if there is none.
type plane struct {
	x      int16
	old    []int16
	folder string
}

// planes returns the planes of an area in order, with the first layout sorted by name, and the errors of folders that
// belong to no plane. Folders without a position are reported only for [All].
func (s *sectors) planes(a Area) (list []*plane, bad []*RowError) {
	all := make(map[int16]*plane)
	at := func(x int16) *plane {
		if all[x] == nil {
			all[x] = &plane{x: x}
		}
		return all[x]
	}
	odd := func(key, want string) {
		if a == All() {
			bad = append(bad, s.bad(key, want))
		}
	}
	for name, err := range s.names("sectors") {
		var x, z int16
		okX, okZ := false, false
		if len(name) == 8 {
			x, okX = coordOf(name[:4])
			z, okZ = coordOf(name[4:])
		}
		switch {
		case err != nil:
			err.Key = "" // concerns the whole layout
			bad = append(bad, err)
		case !okX || !okZ:
			odd("sectors/"+name, "8 hexadecimal digits of a position, in lower case")
		case !outside(x, a.Min.X, a.Max.X) && !outside(z, a.Min.Z, a.Max.Z):
			at(x).old = append(at(x).old, z)
		}
	}
	for name, err := range s.names("sectors2") {
		x, ok := coordOf(name)
		switch {
		case err != nil:
			err.Key = ""
			bad = append(bad, err)
		case !ok || len(name) != 3:
			odd("sectors2/"+name, "3 hexadecimal digits in lower case")
		case !outside(x, a.Min.X, a.Max.X):
			at(x).folder = "sectors2/" + name
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *plane) int { return cmp.Compare(a.x, b.x) }), bad
}

func (s *sectors) bad(key, want string) *RowError {
	return badRow(s.dir, key, "", want, "another name")
}

// slabs lists the slabs. Errors of folders inside a plane are reported with that plane's slab.
func (s *sectors) slabs(_ context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	planes, bad := s.planes(a)
	for _, p := range planes {
		if slab := slabAt(alongX, p.x); len(list) == 0 || slab != list[len(list)-1] {
			list = append(list, slab)
		}
	}
	return list, bad, len(bad) <= maxOdd, nil
}

func (s *sectors) slab(ctx context.Context, slab Slab, a Area) (iter.Seq2[Block, error], error) {
	return slabOfPlanes(ctx, s, slab, a)
}

// walk yields the sectors of an area in the order of x, after the errors of folders that belong to no plane.
func (s *sectors) walk(a Area, yield func(sector, error) bool) {
	planes, bad := s.planes(a)
	for _, row := range bad {
		if !yield(sector{}, row) {
			return
		}
	}
	for _, p := range planes {
		for _, z := range p.old {
			if !yield(sector{s.oldDir(p.x, z), p.x, z}, nil) {
				return
			}
		}
		if p.folder == "" {
			continue
		}
		for name, row := range s.names(p.folder) {
			z, ok := coordOf(name)
			more := true
			switch {
			case row != nil:
				more = yield(sector{}, row)
			case !ok || len(name) != 3:
				more = yield(sector{}, s.bad(p.folder+"/"+name, "3 hexadecimal digits in lower case"))
			case outside(z, a.Min.Z, a.Max.Z):
			case slices.Contains(p.old, z):
				for y := range s.names(p.folder + "/" + name) {
					if _, ok := coordOf(y); ok && len(y) == 4 && !exists(filepath.Join(s.oldDir(p.x, z), y)) {
						more = more && yield(sector{}, badRow(s.dir, p.folder+"/"+name+"/"+y, "", "no block in a column that the "+
							"folder sectors has", "a block that only sectors2 has, which no game reads"))
					}
				}
			default:
				more = yield(sector{s.newDir(p.x, z), p.x, z}, nil)
			}
			if !more {
				return
			}
		}
	}
}

// sectors is walk as an iterator.
func (s *sectors) sectors(a Area) iter.Seq2[sector, error] {
	return func(yield func(sector, error) bool) { s.walk(a, yield) }
}

func outside(v, lo, hi int16) bool { return v < lo || v > hi }

// names yields the sorted names in a folder below the world's folder, or nothing if the folder does not exist. A
// folder that cannot be read is a RowError.
func (s *sectors) names(key string) iter.Seq2[string, *RowError] {
	return func(yield func(string, *RowError) bool) {
		path := filepath.Join(s.dir, filepath.FromSlash(key))
		entries, err := os.ReadDir(path)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || exists(path)) { // Windows returns ErrNotExist for a file too
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

// Positions yields the positions of the blocks of an area.
func (s *sectors) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		s.each(ctx, a, func(_ sector, p Pos, err error) bool { return yield(p, err) })
	}
}

// each yields the positions of the blocks of an area, with their sectors.
func (s *sectors) each(ctx context.Context, a Area, yield func(sector, Pos, error) bool) {
	for sec, err := range s.sectors(a) {
		if err == nil {
			err = ctx.Err()
		}
		var row *RowError
		switch {
		case errors.As(err, &row):
			if !yield(sec, Pos{}, row) {
				return
			}
			continue
		case err != nil:
			yield(sec, Pos{}, err)
			return
		}
		for name, err := range s.names(s.key(sec.dir)) {
			if err != nil {
				if !yield(sec, Pos{}, err) {
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
				if !yield(sec, Pos{}, s.bad(s.key(filepath.Join(sec.dir, name)), "4 hexadecimal digits in lower case")) {
					return
				}
			case a.Contains(p) && !yield(sec, p, nil):
				return
			}
		}
	}
}

// key returns the path of a file relative to the world's folder.
func (s *sectors) key(path string) string {
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// Blocks yields the blocks of an area, sorted by the names of their folders and files.
func (s *sectors) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		s.each(ctx, a, func(sec sector, p Pos, err error) bool {
			b := Block{Pos: p}
			if err == nil {
				if b.Data, err = s.read(sec.dir, p); errors.Is(err, ErrNotFound) {
					return true // the file was deleted meanwhile
				}
			}
			var row *RowError
			if err != nil {
				b = Block{}
			}
			return yield(b, err) && (err == nil || errors.As(err, &row))
		})
	}
}

// Get returns the bytes of a block.
func (s *sectors) Get(_ context.Context, p Pos) ([]byte, error) {
	return s.read(s.find(p.X, p.Z), p)
}

// read returns the bytes of a block, given the folder of its sector.
func (s *sectors) read(dir string, p Pos) ([]byte, error) {
	path := filepath.Join(dir, fmt.Sprintf("%04x", uint16(p.Y)))
	key := s.key(path)
	f, st, err := regular.Open(path)
	if err == nil {
		defer f.Close()
	} else if was, failed := os.Stat(path); failed == nil && !was.Mode().IsRegular() {
		st, err = was, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || !p.Valid():
		return nil, notFound(p)
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, badRow(s.dir, key, "", "a file", st.Mode().Type().String()).at(p)
	}
	if err := tooLarge(s.dir, key, st.Size(), p); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, effort.BlockData.Limit(0)+1))
	if err != nil {
		return nil, &RowError{Key: key, Pos: &p, Err: &fault.Error{File: path, Offset: -1, Want: "a file that can be read",
			Got: err.Error(), Err: err}}
	}
	return data, nil
}

// Count returns the number of block files.
func (s *sectors) Count(ctx context.Context) (int64, error) {
	return countPositions(s.Positions(ctx, All()))
}

// countPositions counts positions. It does not count damaged rows.
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
