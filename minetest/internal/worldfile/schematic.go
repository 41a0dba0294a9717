package worldfile

import (
	"context"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/worldedit"
	"trowel.example/trace"
)

// schematicFile is an open schematic.
type schematicFile struct {
	src  *format.Source
	data []byte
}

// OpenSchematic opens a schematic.
func OpenSchematic(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadUpTo(effort.SchematicFile)
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
	info.Add("nodes", "placed nodes", placed)
	if chance > 0 {
		info.Add("chance", "of them at random", chance)
	}
	if forced > 0 {
		info.Add("force", "of them replacing any node", forced)
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

// DumpSchematic prints the fields of a schematic.
func DumpSchematic(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := src.ReadUpTo(effort.SchematicFile)
	if err != nil {
		return err
	}
	return schematic.Dump(data, t)
}

// SchematicTo is the conversion to a form of schematic.
func SchematicTo(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext,
		Rename: func(name string) string {
			for _, old := range []string{".mts", ".we", ".lua"} {
				name, _ = format.CutExtension(name, old)
			}
			return name + ext
		},
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			data, err := src.ReadUpTo(effort.SchematicFile)
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

// OptionBox selects the nodes that become a schematic or a model.
var OptionBox = format.Option{Name: "box", Help: "the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any " +
	"order, which become the schematic or the model"}

// WorldToSchematic is the conversion of a part of a world to a form of schematic.
func WorldToSchematic(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext, Options: []format.Option{OptionBox},
		Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
			text := OptionBox.Value(job)
			if text == "" {
				return fmt.Errorf("--to %s requires --%s", form, OptionBox.Name)
			}
			box, err := worldjob.ParseBox(OptionBox.Name, text)
			if err != nil {
				return err
			}
			db, err := openBlocks(ctx, job, src)
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
			for _, line := range left.Losses() {
				job.Miss(src.Path, "%s", line)
			}
			if left.Objects > 0 {
				job.Warn(src.Path, "schematics cannot contain objects: %d in these blocks are left out", left.Objects)
			}
			data, err := s.Encode()
			if err != nil {
				return err
			}
			return format.Write(out, data)
		},
	}
}
