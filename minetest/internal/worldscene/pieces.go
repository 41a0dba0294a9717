package worldscene

import (
	"context"
	"path/filepath"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
)

// PieceOptions are the options of pictures of schematics and of separate blocks.
var PieceOptions = []format.Option{optionColors, optionGuess, optionTextures, worldjob.OptionNodes, optionMinY, optionMaxY,
	optionSlice, optionAlpha, optionNoShading, optionFlat, format.OptionAt, format.OptionLook, optionFov, format.OptionDaylight,
	optionCorner}

// readSchematic reads a schematic that is small enough to be shown.
func readSchematic(src *format.Source) (*schematic.Schematic, error) {
	data, err := src.ReadUpTo(effort.SchematicFile)
	if err != nil {
		return nil, err
	}
	s, err := schematic.Decode(data)
	if err == nil {
		err = checkModelSize(s.Size)
	}
	return s, fault.InFile(err, src.Path)
}

// OpenSchematic opens the picture of a schematic: of its nodes in the light of day, also those that are only placed by chance.
func OpenSchematic(ctx context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	s, err := readSchematic(src)
	if err != nil {
		return nil, err
	}
	return showSchematic(ctx, job, src, s)
}

// OpenMinecraft opens the picture of a schematic of Minecraft, with the nodes that its blocks become.
func OpenMinecraft(ctx context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	m, err := worldjob.ReadMinecraft(job, src)
	if err != nil {
		return nil, err
	}
	s, _, err := m.Convert(m.Table, m.Unknown)
	if err == nil {
		err = checkModelSize(s.Size)
	}
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return showSchematic(ctx, job, src, s)
}

func showSchematic(ctx context.Context, job *format.Job, src *format.Source, s *schematic.Schematic) (*format.Scene, error) {
	p := make(piece)
	for i := range s.Name {
		if s.Prob != nil && s.Prob[i] == schematic.Never {
			continue
		}
		x, y, z := s.Coordinates(i)
		p.set([3]int{x, y, z}, s.At(i), s.Param2[i])
	}
	return openPiece(ctx, job, src, p, worlddraw.Box{Max: [3]int{s.Size[0] - 1, s.Size[1] - 1, s.Size[2] - 1}})
}

// OpenGhost opens the picture of the nodes that are placed if a schematic is placed at 0,0,0 of a world, in the light of day.
func OpenGhost(ctx context.Context, job *format.Job, src *format.Source, file string, how schematic.Placing) (*format.Scene, error) {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil, err
	}
	of, err := format.OpenSource(file)
	if err != nil {
		return nil, err
	}
	defer of.Close()
	s, err := readSchematic(of)
	if err != nil {
		return nil, err
	}
	definitions := nodedef.MinetestGame()
	how.ParamType2 = func(name string) string {
		if n := definitions[name]; n != nil {
			return n.ParamType2
		}
		return ""
	}
	l := s.Place(how)
	p, box := make(piece), worlddraw.Box{Min: l.Origin, Max: l.Origin}
	for a, size := range l.Size {
		box.Max[a] += size - 1
	}
	for x := range l.Size[0] {
		for y := range l.Size[1] {
			for z := range l.Size[2] {
				if n, placed := l.At(x, y, z); placed {
					p.set([3]int{box.Min[0] + x, box.Min[1] + y, box.Min[2] + z}, n.Name, n.Param2)
				}
			}
		}
	}
	return openPieceIn(ctx, job, src.Dir, settings, p, box)
}

// piece is blocks by their positions.
type piece map[mapdb.Pos]*mapblock.Block

// set sets a node in the light of day. The other nodes of a new block are air.
func (p piece) set(node [3]int, name string, param2 uint8) {
	pos := blockOf(node)
	b := p[pos]
	if b == nil {
		b = mapblock.New(28)
		b.Names = []mapblock.NameID{{Name: mapblock.Air}}
		for i := range b.Param1 {
			b.Param0[i], b.Param1[i] = 0, 15
		}
		p[pos] = b
	}
	at := mapblock.Index(node[0]&15, node[1]&15, node[2]&15)
	b.Param0[at], b.Param2[at] = idOf(b, name), param2
}

// idOf returns the id of a name in a block, which is added.
func idOf(b *mapblock.Block, name string) uint16 {
	for _, n := range b.Names {
		if n.Name == name {
			return n.ID
		}
	}
	id := uint16(len(b.Names))
	b.Names = append(b.Names, mapblock.NameID{ID: id, Name: name})
	return id
}

// OpenBlock opens the picture of a separate block, as if it were at 0,0,0.
func OpenBlock(ctx context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	data, err := src.ReadUpTo(effort.BlockData)
	if err != nil {
		return nil, err
	}
	b, err := mapblock.Decode(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	const last = mapblock.Side - 1
	return openPiece(ctx, job, src, piece{{}: b}, worlddraw.Box{Max: [3]int{last, last, last}})
}

// openPiece opens the picture of a piece of a world. It does not name its game, which is minetest_game if no file of definitions
// says otherwise.
func openPiece(ctx context.Context, job *format.Job, src *format.Source, blocks piece,
	box worlddraw.Box) (*format.Scene, error) {
	scene, err := openPieceIn(ctx, job, filepath.Dir(src.Path), world.ParseSettings([]byte("gameid = minetest\n"), ""), blocks, box)
	return scene, fault.InFile(err, src.Path)
}

// openPieceIn opens the picture of a piece for the world in dir.
func openPieceIn(ctx context.Context, job *format.Job, dir string, settings *world.Settings, blocks piece,
	box worlddraw.Box) (*format.Scene, error) {
	w := &sharedWorld{dir: dir, settings: settings, uses: 1, colors: make(map[string]*colorSource), piece: &box}
	db := mapdb.NewMemory()
	w.db = db
	var list []mapdb.Block
	for pos, b := range blocks {
		data, err := b.EncodeLevel(1)
		if err != nil {
			return nil, err
		}
		list = append(list, mapdb.Block{Pos: pos, Data: data})
	}
	if err := db.Store(ctx, list); err != nil {
		return nil, err
	}
	var err error
	if w.places, err = worlddraw.ReadPlaces(ctx, db, worlddraw.Everything(), nil); err != nil {
		return nil, err
	}
	return newScene(ctx, job, w, nil)
}
