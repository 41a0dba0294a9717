package floors

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"trowel.example"
	"trowel.example/check"
	"trowel.example/fault"
	_ "trowel.example/internal/testing/tests" // the host has nothing
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worlddraw"
	"trowel.example/minetest/worldedit"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/torchlight/tga"
)

// zeroValues has a zero value of each exported type with methods.
var zeroValues = []any{
	new(check.Catalog), new(check.Change), new(check.Conflict), new(check.File), new(check.Finding),
	new(check.Kind), new(check.Line), new(check.Rule), new(check.Severity), new(check.Sink), new(check.Span),
	new(fault.Error), new(fault.NameError), new(fault.TextError),
	new(item.Inventory), new(item.List), new(item.Slot), new(item.Stack),
	new(mapblock.Block), new(mapblock.Flags), new(mapblock.Item), new(mapblock.LegacyContent),
	new(mapblock.LegacyID), new(mapblock.LegacyMeta), new(mapblock.LuaEntity), new(mapblock.Metadata),
	new(mapblock.NodeMeta), new(mapblock.Nodes), new(mapblock.Object), new(mapblock.ObjectType), new(mapblock.Var),
	new(mapdb.Area), new(mapdb.Backend), new(mapdb.Bound), new(mapdb.Config), new(mapdb.Memory), new(mapdb.Pos), new(mapdb.RowError),
	new(mapdb.Schema), new(mapdb.SideError), new(mapdb.Slab),
	new(nodecolor.BadLine), new(nodecolor.Choice), new(nodecolor.Color), new(nodecolor.List),
	new(nodecolor.Textures),
	new(nodedef.File), new(nodedef.List), new(nodedef.Node),
	new(schematic.Form), new(schematic.Meta), new(schematic.Placement), new(schematic.Schematic),
	new(turn.Axis), new(turn.Motion),
	new(world.Account), new(world.AuthFile), new(world.Backends), new(world.Bans), new(world.ForceLoaded),
	new(world.ModData), new(world.Part), new(world.Player), new(world.Settings), new(world.Staged[*world.Player]),
	new(world.Verifier),
	new(worldcopy.Report),
	new(worlddir.Parts), new(worlddir.World),
	new(worlddraw.BlockError), new(worlddraw.Iso), new(worlddraw.Map), new(worlddraw.Markers), new(worlddraw.Marks),
	new(worlddraw.Missed), new(worlddraw.Places), new(worlddraw.Sheet), new(worlddraw.View),
	new(worldedit.Block), new(worldedit.Box), new(worldedit.Each), new(worldedit.Mask), new(worldedit.Names),
	new(worldedit.Region), new(worldedit.Shape), new(worldedit.StepFunc), new(worldedit.Taken),
	new(worldedit.Counts), new(worldedit.Vec), new(worldedit.World),
	new(automap.Reference), new(automap.Rules),
	new(datafile.Block), new(datafile.BlockResidue), new(datafile.Content), new(datafile.File), new(datafile.UUID),
	new(mapdir.Names),
	new(mapdraw.Camera), new(mapdraw.MotionCurve), new(mapdraw.Placing), new(mapdraw.Renderer), new(mapdraw.Shape),
	new(mapedit.Area), new(mapedit.Editor), new(mapedit.Sides), new(mapedit.Tile), new(mapedit.Turn),
	new(twmap.Channels), new(twmap.Curve), new(twmap.Envelope), new(twmap.GameTile), new(twmap.Grid[twmap.Tile]),
	new(twmap.Group), new(twmap.Image), new(twmap.Kind), new(twmap.LayerBase), new(twmap.LayerFlags),
	new(twmap.Map), new(twmap.Numbers), new(twmap.Part), new(twmap.Place), new(twmap.QuadLayer), new(twmap.Sound),
	new(twmap.SoundLayer), new(twmap.SoundShape), new(twmap.SpeedupTile), new(twmap.Stored), new(twmap.SwitchTile),
	new(twmap.TeleTile), new(twmap.TileFlags), new(twmap.TileLayer), new(twmap.TilemapFlags), new(twmap.TuneTile), new(twmap.UnknownLayer),
	new(dat.File),
	new(dds.Format), new(dds.Header),
	new(hash.Names),
	new(layout.Descriptor), new(layout.File), new(layout.Group), new(layout.Kind), new(layout.Object),
	new(layout.Property),
	new(mod.CutError), new(mod.Edit), new(mod.GameVersion), new(mod.Header), new(mod.Mod),
	new(moddir.Options), new(moddir.Reference), new(moddir.SourceError), new(moddir.SourcesError),
	new(modedit.CellsError), new(modedit.Editor), new(modedit.Node), new(modedit.Shown), new(modedit.Table),
	new(mpp.File),
	new(pak.Edit), new(pak.File), new(pak.Filetime), new(pak.Kind), new(pak.Manifest), new(pak.Reader),
	new(pak.Record), new(pak.Recording), new(pak.Residue), new(pak.ResidueName), new(pak.ResidueRecords),
	new(pak.Type),
	new(raw.Affixes), new(raw.Flag), new(raw.GUID), new(raw.GameState), new(raw.Kind), new(raw.MenuType),
	new(raw.Missiles), new(raw.RoomPieces), new(raw.Skills), new(raw.Triggerables), new(raw.UI), new(raw.UnitData),
	new(raw.UnitFlags),
	new(text.Encoding), new(text.Error), new(text.Errors), new(text.File), new(text.Index), new(text.Node),
	new(text.Place), new(text.Property), new(text.Type), new(text.Within),
	new(tga.Format), new(tga.Header), new(tga.Kind),
	new(trowel.File),
}

// TestZeroValues tests that methods without arguments accept the zero value of their type, or that the comment of the type
// describes the zero value.
func TestZeroValues(t *testing.T) {
	listed := make(map[string]any)
	for _, zero := range zeroValues {
		name, _, _ := strings.Cut(reflect.TypeOf(zero).Elem().String(), "[")
		listed[name] = zero
	}
	methods := 0
	for _, pkg := range publicPackages(t) {
		described := zeroValuesIn(t, pkg)
		for _, f := range exportedFuncs(t, pkg) {
			if f.decl.Recv == nil {
				continue
			}
			own := receiver(f.decl).Name
			zero := listed[f.pkg+"."+own]
			if zero == nil {
				t.Errorf("%v: zeroValues has no %s.%s", f.at, f.pkg, own)
				continue
			}
			method := reflect.New(reflect.TypeOf(zero).Elem()).MethodByName(f.decl.Name.Name)
			if method.Type().NumIn() > 0 {
				continue
			}
			methods++
			if got := panicOf(method); got != nil && !described[own] {
				t.Errorf("%v: %s of a zero value panics: %v", f.at, f.decl.Name.Name, got)
			}
		}
	}
	if methods < 200 {
		t.Errorf("only %d methods were called", methods)
	}
}

// zeroValuesIn returns the types of a package whose comment describes the zero value.
func zeroValuesIn(t *testing.T, pkg string) map[string]bool {
	described := make(map[string]bool)
	sources, _ := sourcesOf(t, token.NewFileSet(), pkg)
	for _, f := range sources {
		for _, d := range f.Decls {
			if d, is := d.(*ast.GenDecl); is && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					s := s.(*ast.TypeSpec)
					text := strings.Join(strings.Fields(d.Doc.Text()+s.Doc.Text()), " ")
					described[s.Name.Name] = strings.Contains(text, "zero value")
				}
			}
		}
	}
	return described
}

// panicOf calls a method, and the iterator that it returns, and returns the value of a panic.
func panicOf(f reflect.Value) (got any) {
	defer func() { got = recover() }()
	for _, result := range f.Call(nil) {
		switch {
		case result.Kind() != reflect.Func || result.IsNil():
		case result.Type().CanSeq():
			for range result.Seq() {
			}
		case result.Type().CanSeq2():
			for range result.Seq2() {
			}
		}
	}
	return nil
}
