package minetest

import (
	"context"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldselect"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
	"trowel.example/trace"
)

const schematicDoc = "docs/formats/minetest-schematic.md"

// minetestSchematic is the engine's own format of schematics, as a binary file or as a Lua table.
var minetestSchematic = &format.Format{
	Name:       schematic.MTS.FolderName(),
	Title:      "Minetest/Luanti schematic",
	Extensions: []string{".mts"},
	Doc:        schematicDoc,
	Recognize: func(src *format.Source) bool {
		form, _ := schematic.Recognize(src.Head(schematic.HeadSize))
		return form == schematic.MTS || form == schematic.Lua
	},
	RecognizeTree: func(fsys fs.FS) bool { return schematic.RecognizeFolder(fsys, schematic.MTS) },
	Open:          openSchematic,
	Build:         format.BuildOf(schematic.Build),
	Dump:          dumpSchematic,
	Kinds:         schematic.Catalog.Kinds(),
	Options:       []format.Option{format.OptionClean},
	Conversions: []format.Conversion{
		schematicTo(schematic.WorldEdit, ".we", "a file of WorldEdit"),
		schematicTo(schematic.Lua, ".lua", "a schematic as a table in Lua"),
		schematicTo(schematic.MTS, ".mts", "a schematic of version 4"),
	},
}

var minetestWorldEdit = &format.Format{
	Name:       schematic.WorldEdit.FolderName(),
	Title:      "WorldEdit file of Minetest/Luanti",
	Extensions: []string{".we"},
	Common:     true,
	Doc:        schematicDoc,
	Recognize: func(src *format.Source) bool {
		return schematic.IsWorldEdit(src.Head(schematic.HeadSize))
	},
	RecognizeTree: func(fsys fs.FS) bool { return schematic.RecognizeFolder(fsys, schematic.WorldEdit) },
	Open:          openSchematic,
	Build:         format.BuildOf(schematic.Build),
	Dump:          dumpSchematic,
	Kinds:         schematic.Catalog.Kinds(),
	Options:       []format.Option{format.OptionClean},
	Conversions: []format.Conversion{
		schematicTo(schematic.MTS, ".mts", "a schematic of the engine"),
		schematicTo(schematic.Lua, ".lua", "a schematic as a table in Lua"),
		schematicTo(schematic.WorldEdit, ".we", "a file of WorldEdit, version 5"),
	},
}

// schematicFile is an open schematic.
type schematicFile struct {
	src  *format.Source
	data []byte
}

func openSchematic(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadUpTo(schematic.MaxFile)
	return &schematicFile{src, data}, err
}

func (f *schematicFile) decode() (*schematic.Schematic, error) {
	s, err := schematic.Decode(f.data)
	return s, fault.InFile(err, f.src.Path)
}

func (f *schematicFile) Tree(context.Context, *format.Job) (fs.FS, error) {
	name := f.src.Name
	for _, ext := range []string{".mts", ".we", ".lua"} {
		name, _ = format.CutExtension(name, ext)
	}
	fsys, err := schematic.Open(f.data, name+".txt")
	return fsys, fault.InFile(err, f.src.Path)
}

func (f *schematicFile) Info(context.Context, *format.Job) (format.Info, error) {
	s, err := f.decode()
	if err != nil {
		return format.Info{}, err
	}
	info := format.Info{Format: s.Form.FolderName()}
	info.Add("form", "form", string(s.Form))
	if s.Version > 0 {
		info.Add("version", "version", s.Version)
	}
	info.Add("dimensions", "nodes along x, y and z", fmt.Sprintf("%d x %d x %d", s.Size[0], s.Size[1], s.Size[2]))
	counts := make([]int, len(s.Names))
	placed, chance, forced := 0, 0, 0
	for i, p := range s.Prob {
		if p == schematic.Never {
			continue
		}
		placed++
		counts[s.Name[i]]++
		if p != schematic.Always {
			chance++
		}
		if s.Force != nil && s.Force[i] {
			forced++
		}
	}
	info.Add("nodes", "nodes that are placed", placed)
	if chance > 0 {
		info.Add("chance", "of them by chance", chance)
	}
	if forced > 0 {
		info.Add("force", "of them instead of whatever is there", forced)
	}
	if len(s.Meta) > 0 {
		info.Add("metadata", "nodes with metadata", len(s.Meta))
	}
	var names []format.InfoField
	for i, name := range s.Names {
		if counts[i] > 0 {
			names = append(names, format.Fact(name, name, counts[i]))
		}
	}
	if len(names) > 0 {
		info.Add("names", "nodes", names)
	}
	return info, nil
}

func (f *schematicFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	schematic.Check(f.data, sink)
	return nil
}

func (f *schematicFile) Close() error { return nil }

func dumpSchematic(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := src.ReadUpTo(schematic.MaxFile)
	if err != nil {
		return err
	}
	return schematic.Dump(data, t)
}

// schematicTo is the conversion to a form of schematic.
func schematicTo(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext,
		Rename: func(name string) string {
			for _, old := range []string{".mts", ".we", ".lua"} {
				name, _ = format.CutExtension(name, old)
			}
			return name + ext
		},
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			data, err := src.ReadUpTo(schematic.MaxFile)
			if err != nil {
				return err
			}
			s, err := (&schematicFile{src, data}).decode()
			if err != nil {
				return err
			}
			s, lost := s.Convert(form)
			for _, what := range lost {
				job.Miss(src.Path, "lost: %s", what)
			}
			data, err = s.Encode()
			if err != nil {
				return err
			}
			return format.Write(out, data)
		},
	}
}

// optionSchematicBox selects the nodes that become a schematic.
var optionSchematicBox = format.Option{Name: "box", Help: "the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, which become the schematic"}

// schematicConversions convert a part of a world to a schematic.
var schematicConversions = []format.Conversion{
	worldToSchematic(schematic.MTS, ".mts", "a schematic of the nodes in --box"),
	worldToSchematic(schematic.WorldEdit, ".we", "a file of WorldEdit of the nodes in --box, with metadata and inventories"),
}

func worldToSchematic(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext, Options: []format.Option{optionSchematicBox},
		Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
			text := optionSchematicBox.Value(job)
			if text == "" {
				return fmt.Errorf("--to %s needs --%s", form, optionSchematicBox.Name)
			}
			box, err := worldselect.ParseBox(optionSchematicBox.Name, text)
			if err != nil {
				return err
			}
			settings, err := world.ReadWorldMT(src.Dir)
			if err != nil {
				return err
			}
			db, _, err := world.OpenMap(ctx, src.Dir, settings, world.Options{Remote: worldjob.OptionRemote.On(job)})
			if err != nil {
				return err
			}
			defer db.Close()
			if err := mapdb.Verify(ctx, db); err != nil {
				return err
			}
			s, left, err := worldedit.Take(ctx, db, box, form)
			if err != nil {
				return err
			}
			for _, err := range left.Damaged {
				worldjob.LoseRow(job, src, err)
			}
			for _, l := range []struct {
				n    int
				what string
			}{
				{left.Absent, "%d nodes are not there: they are left out"},
				{left.Metadata, "lost: the metadata of %d nodes"},
				{left.Timers, "lost: %d timers"},
				{left.Private, "%d private fields of metadata, which everybody can read in the file"},
			} {
				if l.n > 0 {
					job.Miss(src.Path, l.what, l.n)
				}
			}
			if left.Objects > 0 {
				job.Warn(src.Path, "no schematic has objects: %d are in these blocks", left.Objects)
			}
			data, err := s.Encode()
			if err != nil {
				return err
			}
			return format.Write(out, data)
		},
	}
}
