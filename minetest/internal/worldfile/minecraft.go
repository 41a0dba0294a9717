package worldfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/minecraft"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/schematic"
	"trowel.example/trace"
)

// MinecraftName is the name of the format.
const MinecraftName = "minecraft-schematic"

// minecraftFile is an open schematic of Minecraft.
type minecraftFile struct{ src *format.Source }

// OpenMinecraft opens a schematic of Minecraft.
func OpenMinecraft(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	return minecraftFile{src}, nil
}

// Tree has the table of names for the blocks of the file.
func (f minecraftFile) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	m, err := worldjob.ReadMinecraft(job, f.src)
	if err != nil {
		return nil, err
	}
	var t tree.FS
	t.AddBytes("names.txt", []byte(m.Names(m.Table, m.Unknown)))
	return &t, nil
}

func (f minecraftFile) Info(_ context.Context, job *format.Job) (format.Info, error) {
	m, err := worldjob.ReadMinecraft(job, f.src)
	if err != nil {
		return format.Info{}, err
	}
	info := format.Info{Format: MinecraftName}
	info.Add("form", "form", string(m.Form))
	if m.Version > 0 {
		info.Add("version", "version", m.Version)
	}
	if m.DataVersion > 0 {
		info.Add("dataVersion", "version of the game's data", m.DataVersion)
	}
	info.Add("dimensions", "blocks along x, y and z", fmt.Sprintf("%d x %d x %d", m.Size[0], m.Size[1], m.Size[2]))
	info.Add("kinds", "kinds of blocks", len(m.States))
	info.Add("blockEntities", "block entities", m.BlockEntities)
	info.Add("entities", "entities", m.Entities)
	return info, nil
}

func (f minecraftFile) Check(_ context.Context, job *format.Job, sink check.Sink) error {
	m, err := worldjob.ReadMinecraft(job, f.src)
	if bad, ok := errors.AsType[*fault.Error](err); ok {
		rest := *bad
		rest.File, rest.Offset = "", -1
		sink.Add(foundNotRead, "", bad.Offset, "%v", &rest)
		return nil
	}
	if err != nil {
		return err
	}
	_, unknown, err := m.Convert(m.Table, m.Unknown)
	for _, u := range unknown {
		sink.Add(foundNoNode, "", -1, "%s: %s", u.Name, words.Thousands(int64(u.Count)))
	}
	return err
}

func (f minecraftFile) Close() error { return nil }

// DumpMinecraft prints the tags of a schematic of Minecraft.
func DumpMinecraft(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := src.ReadUpTo(effort.MinecraftFile)
	if err != nil {
		return err
	}
	content, err := minecraft.Decompress(data)
	if err != nil {
		return err
	}
	t(trace.Field{Path: "content", Len: int64(len(data)), Meaning: fmt.Sprintf("%d bytes of NBT", len(content)), Bytes: data})
	return minecraft.Trace(content, len(data), t)
}

// MinecraftTo is the conversion of a schematic of Minecraft to a form of schematic.
func MinecraftTo(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext,
		Rename: func(name string) string {
			for _, old := range []string{".schematic", ".schem"} {
				name, _ = format.CutExtension(name, old)
			}
			return name + ext
		},
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			m, err := worldjob.ReadMinecraft(job, src)
			if err != nil {
				return err
			}
			s, unknown, err := m.Convert(m.Table, m.Unknown)
			if err != nil {
				return fault.InFile(err, src.Path)
			}
			for _, u := range unknown {
				job.Miss(src.Path, "no node for %s, now %s: %s", u.Name, m.Unknown, words.Thousands(int64(u.Count)))
			}
			if m.BlockEntities > 0 {
				job.Miss(src.Path, "lost block entities, such as the contents of chests and the texts of signs: %s",
					words.Thousands(int64(m.BlockEntities)))
			}
			if m.Entities > 0 {
				job.Miss(src.Path, "lost entities: %s", words.Thousands(int64(m.Entities)))
			}
			s, _ = s.Convert(form) // the probabilities are 0 and 127 only, which all forms have
			data, err := s.Encode()
			if err != nil {
				return err
			}
			return format.Write(out, data)
		},
	}
}

// MinecraftCatalog has the kinds of findings about schematics of Minecraft.
var MinecraftCatalog check.Catalog

var (
	foundNotRead = MinecraftCatalog.Add("mt-minecraft-unreadable", check.Error,
		"A schematic of Minecraft is truncated, damaged or invalid.", "Restore it from its source, or save it again.")
	foundNoNode = MinecraftCatalog.Add("mt-minecraft-no-node", check.Warning,
		"A block of Minecraft is not in the table of names, and becomes air.",
		"Add a row for it to a file of names (--table), or choose another node (--unknown).")
)
