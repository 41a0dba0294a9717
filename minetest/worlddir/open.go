package worlddir

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/pattern"
	"trowel.example/internal/text/strictjson"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// shown is a world presented as a folder.
type shown struct {
	ctx     context.Context // of all reading: fs.FS has no place for one
	w       *World
	o       Options
	area    mapdb.Area // area of the blocks in the folder
	others  others
	blocks  positions
	secret  bool // only the owner may read the files of the blocks
	byPlane planes
	ahead   ahead
	players things
	auth    things
	storage things

	keeping  atomic.Bool // the sidecar is wanted: compute residues while reading
	bound    mapdb.Bound
	mu       sync.Mutex // protects the following fields, and the stores, which allow one user at a time
	residues map[string]blockResidue
}

// Open presents a world as a folder. Nothing is read before it is needed, and listing the folder reads no blocks. The
// file system is safe for concurrent use while the world is open. It returns errors once ctx is canceled.
func Open(ctx context.Context, w *World, o Options) fs.FS {
	area := mapdb.All()
	if o.Area != nil {
		area = *o.Area
	}
	s := &shown{ctx: ctx, w: w, o: o, area: area, others: others{dir: w.Dir, hidden: w.databases(), left: w.missed,
		opened: w.closeLater}, residues: make(map[string]blockResidue)}
	s.players = things{s: s, dir: playersDir, all: w.Players.Names, content: s.player}
	s.auth = things{s: s, dir: authDir, all: w.Auth.Names, content: s.account}
	s.storage = things{s: s, dir: storageDir, all: w.Storage.Names, content: s.mod}
	for part, t := range map[world.Part]*things{world.PlayersPart: &s.players, world.AuthPart: &s.auth, world.StoragePart: &s.storage} {
		t.owner = world.OwnerOnly(w.Dir, part.Files(w.Backends.Of(part))...)
	}
	s.secret = world.OwnerOnly(w.Dir, world.MapPart.Files(w.Backends.Of(world.MapPart))...)
	s.others.first = []tree.Node{
		blockFolder(blocksDir, s.planeFolders),
		s.players.folder(), s.auth.folder(), s.storage.folder(), s.sidecarNode(),
	}
	return s
}

// Keep announces that the sidecar will be read, see [tree.Keeper].
func (s *shown) Keep() { s.keeping.Store(true) }

// databases returns the files and folders of the world's own folder that the tree presents in another form, and the log of a copy.
func (w *World) databases() map[string]bool {
	hidden := map[string]bool{world.CopyJournal: true, world.CopyProgress: true, world.CopyHashes: true}
	for _, part := range world.Parts() {
		for _, name := range part.Files(w.Backends.Of(part)) {
			hidden[name] = true
		}
	}
	for _, name := range world.SecondFiles(w.Dir, w.Settings) {
		hidden[name] = true
	}
	return hidden
}

// Open opens a file or folder, see [fs.FS].
func (s *shown) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	n, made, err := s.find(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	case made:
		return n.Open(name)
	}
	return s.others.open(name)
}

// Stat describes a file or folder without generating its content. The content is generated when its size is
// requested.
func (s *shown) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	n, made, err := s.find(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	case made:
		return n.Info(), nil
	}
	f, err := s.others.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// find returns the node at a path, and whether it is generated from the world. Everything else is a file in the
// world's folder.
func (s *shown) find(name string) (n tree.Node, made bool, err error) {
	top, rest, deeper := strings.Cut(name, "/")
	switch top {
	case blocksDir:
		n, err = s.findBlock(rest, deeper)
	case playersDir:
		n, err = s.players.find(rest, deeper)
	case authDir:
		n, err = s.auth.find(rest, deeper)
	case storageDir:
		n, err = s.storage.find(rest, deeper)
	case tree.Sidecar:
		if n = s.sidecarNode(); deeper {
			err = fs.ErrNotExist
		}
	default:
		return tree.Node{}, false, nil
	}
	return n, true, err
}

// blockFolder returns a folder of blocks, or of such folders.
func blockFolder(name string, entries func() (tree.List, error)) tree.Node {
	return tree.Node{Name: name, Meta: tree.Meta{Stored: -1}, List: entries}
}

// planeFolders returns the folders of the planes z.
func (s *shown) planeFolders() (tree.List, error) {
	all, err := s.planes()
	return tree.List{N: len(all), At: func(i int) tree.Node { return s.plane(all[i]) }}, err
}

// plane returns the folder of a plane, which contains folders of rows.
func (s *shown) plane(z int16) tree.Node {
	return blockFolder(fmt.Sprintf("z%d", z), func() (tree.List, error) {
		blocks, err := s.inPlane(z)
		if err != nil {
			return tree.List{}, err
		}
		all := blocks.rows(z)
		return tree.List{N: len(all), At: func(i int) tree.Node { return s.row(z, all[i]) }}, nil
	})
}

// row returns the folder of a row of a plane.
func (s *shown) row(z, y int16) tree.Node {
	return blockFolder(fmt.Sprintf("y%d", y), func() (tree.List, error) {
		blocks, err := s.inPlane(z)
		if err != nil {
			return tree.List{}, err
		}
		lo, hi := blocks.row(z, y)
		return tree.List{N: hi - lo, At: func(i int) tree.Node { return s.block(blocks.at(lo + i)) }}, nil
	})
}

// findBlock returns the node at a path below the folder of blocks.
func (s *shown) findBlock(rest string, deeper bool) (tree.Node, error) {
	if !deeper {
		return s.others.first[0], nil
	}
	if n, err := s.singleBlock(rest); err != nil || n.Content != nil {
		return n, err
	}
	plane, rest, deeper := strings.Cut(rest, "/")
	all, err := s.planes()
	if err != nil {
		return tree.Node{}, err
	}
	z, ok := coordinate(plane, "z")
	if _, found := slices.BinarySearch(all, z); !ok || !found {
		return tree.Node{}, fs.ErrNotExist
	}
	if !deeper {
		return s.plane(z), nil
	}
	blocks, err := s.inPlane(z)
	if err != nil {
		return tree.Node{}, err
	}
	row, rest, deeper := strings.Cut(rest, "/")
	y, ok := coordinate(row, "y")
	if lo, hi := blocks.row(z, y); !ok || lo == hi {
		return tree.Node{}, fs.ErrNotExist
	}
	if !deeper {
		return s.row(z, y), nil
	}
	pos, raw, ok := parseBlockName(rest)
	if _, found := blocks.find(pos); ok && !raw && found && pos.Z == z && pos.Y == y {
		return s.block(pos), nil
	}
	return tree.Node{}, fs.ErrNotExist
}

// singleBlock returns the file of one block without loading the index of all blocks. The node has no content if the
// path is not that of a block, or if the index is already loaded.
func (s *shown) singleBlock(rest string) (tree.Node, error) {
	if s.blocks.loaded.Load() {
		return tree.Node{}, nil
	}
	pos, raw, ok := parseBlockName(path.Base(rest))
	if !ok || raw || blockPath(pos) != blocksDir+"/"+rest || !s.area.Contains(pos) {
		return tree.Node{}, nil
	}
	data, err := s.get(pos)
	if errors.Is(err, mapdb.ErrNotFound) {
		return tree.Node{}, fs.ErrNotExist
	}
	return tree.Node{Name: blockName(pos), Meta: tree.Meta{Stored: -1, Owner: s.secret}, Content: func() ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return readable(s.blockText(pos, data))
	}}, nil
}

// block returns the file of a block.
func (s *shown) block(pos mapdb.Pos) tree.Node {
	may := func(p *pattern.Pattern) bool {
		data, err := s.get(pos)
		return err != nil || mayBeBlock(data, pos, p)
	}
	return tree.Node{Name: blockName(pos), Meta: tree.Meta{Stored: -1, May: may, Owner: s.secret}, Content: func() ([]byte, error) {
		data, err := s.get(pos)
		if err != nil {
			return nil, err
		}
		return readable(s.blockText(pos, data))
	}}
}

// get reads a block that will be inflated.
func (s *shown) get(pos mapdb.Pos) ([]byte, error) {
	data, err := s.read(pos)
	if err == nil {
		err = s.bound.Spend(pos, data)
	}
	return data, err
}

// readable returns an error for a text that is too large to be read again.
func readable(text []byte) ([]byte, error) {
	if e := effort.WholeFile.Over(int64(len(text))); e != nil {
		return nil, e
	}
	return text, nil
}

// blockText returns the text of a block. It also computes the residue, if residues are wanted and the index is
// loaded.
func (s *shown) blockText(pos mapdb.Pos, data []byte) []byte {
	i, noting := 0, s.keeping.Load() && s.blocks.loaded.Load()
	if noting {
		i, noting = s.blocks.find(pos)
	}
	b, err := mapblock.Decode(data)
	if err != nil {
		if noting {
			s.blocks.setMade(i)
		}
		return rawText(data, pos, err)
	}
	text := BlockText(b, pos)
	if noting && !s.blocks.isMade(i) {
		if residue := newResidue(data, text, s.o.Exact); residue != nil {
			s.mu.Lock()
			s.residues[blockPath(pos)] = *residue
			s.mu.Unlock()
		}
		s.blocks.setMade(i)
	}
	return text
}

// things are the files generated from a store: players, accounts or mods.
type things struct {
	s       *shown
	dir     string
	all     func(context.Context) iter.Seq2[string, error]
	content func(name string, keep bool) (data []byte, residue *thingResidue, err error)
	owner   bool // only the owner may read the store

	once  sync.Once
	files []string          // sorted
	names map[string]string // by file
	err   error
}

const thingEnding = ".json"

// load reads the names.
func (t *things) load() error {
	t.once.Do(func() {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		t.names = make(map[string]string)
		next := make(map[string]int) // the next number to try, by the name that is in use
		for name, err := range t.all(t.s.ctx) {
			if err != nil && t.s.w.missed != nil && !world.Failed(err) {
				t.s.w.miss(t.dir, err)
				continue
			}
			if err != nil {
				t.err = err
				return
			}
			escaped := safename.Escape(name)
			file := escaped + thingEnding
			for n := max(next[escaped], 2); t.names[file] != ""; n++ {
				file, next[escaped] = fmt.Sprintf("%s~%d%s", escaped, n, thingEnding), n+1
			}
			t.names[file] = name
			t.files = append(t.files, file)
		}
		slices.Sort(t.files)
	})
	return t.err
}

func (t *things) folder() tree.Node {
	return tree.Node{Name: t.dir, Meta: tree.Meta{Stored: -1}, List: func() (tree.List, error) {
		if err := t.load(); err != nil {
			return tree.List{}, err
		}
		return tree.List{N: len(t.files), At: func(i int) tree.Node { return t.file(t.files[i]) }}, nil
	}}
}

func (t *things) find(rest string, deeper bool) (tree.Node, error) {
	if !deeper {
		return t.folder(), nil
	}
	if err := t.load(); err != nil {
		return tree.Node{}, err
	}
	if _, ok := t.names[rest]; !ok {
		return tree.Node{}, fs.ErrNotExist
	}
	return t.file(rest), nil
}

func (t *things) file(file string) tree.Node {
	return tree.Node{Name: file, Meta: tree.Meta{Stored: -1, Owner: t.owner}, Content: func() ([]byte, error) {
		data, _, err := t.make(file, false)
		return data, err
	}}
}

// make generates a file. If keep is set, it also returns the residue.
func (t *things) make(file string, keep bool) ([]byte, *thingResidue, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	data, residue, err := t.content(t.names[file], keep)
	if residue != nil {
		residue.CRC32 = crc32.ChecksumIEEE(data)
	}
	return data, residue, err
}

func (s *shown) player(name string, keep bool) ([]byte, *thingResidue, error) {
	p, err := s.w.Players.Get(s.ctx, name)
	if err != nil {
		return nil, nil, err
	}
	form := playerFormOf(p)
	data, err := strictjson.Marshal(form, "  ")
	if err != nil || !keep {
		return data, nil, err
	}
	residue, err := playerResidue(p, form, s.w.Backends.Players)
	return data, residue, err
}

func (s *shown) account(name string, _ bool) ([]byte, *thingResidue, error) {
	a, err := s.w.Auth.Get(s.ctx, name)
	if err != nil {
		return nil, nil, err
	}
	data, err := strictjson.Marshal(accountFormOf(a, s.o.Verifiers), "  ")
	return data, nil, err
}

func (s *shown) mod(name string, keep bool) ([]byte, *thingResidue, error) {
	m, err := s.w.Storage.Get(s.ctx, name)
	if err != nil {
		return nil, nil, err
	}
	data, err := ModText(m)
	if err != nil || !keep {
		return data, nil, err
	}
	residue, err := modResidue(m, s.w.Backends.ModStorage)
	return data, residue, err
}
