// Package modinfo describes and searches mods: facts about a mod and its files, rows of tables for query engines, and the keys
// and values of data files and layouts, objects, owners and users of a GUID, references to a file.
//
// Results are in the order of the files' paths. An error of the function that receives the results ends the search and is
// returned. Files that cannot be read are reported to Options.Miss of the editor that reads the mod. The mod is not changed.
package modinfo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"trowel.example/internal/format"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// OfArchive returns the facts about a mod, or about an archive without a header, for which m is nil.
func OfArchive(r *pak.Reader, m *mod.Mod) []format.InfoField {
	var info format.Info
	if m != nil {
		h := m.Header
		for _, t := range []struct{ key, label, value string }{
			{"title", "title", h.Title}, {"author", "author", h.Author}, {"description", "description", h.Description},
			{"website", "website", h.Website}, {"downloadURL", "download", h.DownloadURL},
		} {
			if t.value != "" {
				info.Add(t.key, t.label, t.value)
			}
		}
		info.Add("modID", "mod id", strconv.FormatInt(h.ID, 10))
		info.Add("modVersion", "mod version", int(h.ModVersion))
		if h.Version >= 4 {
			info.Add("gameVersion", "game version", h.Game.String())
		}
		info.Add("headerVersion", "header version", int(h.Version))
		var required []string
		for _, r := range h.Required {
			required = append(required, fmt.Sprintf("%s (%d)", r.Name, r.ID))
		}
		if len(required) > 0 {
			info.Add("requiredMods", "required mods", required)
		}
	}
	manifest := r.Manifest()
	info.Add("manifestVersion", "manifest version", int(manifest.Version))
	n := amountsOf(r)
	info.Add("files", "files", n.files)
	kinds := slices.Sorted(maps.Keys(n.types))
	var types []format.InfoField
	for _, k := range kinds {
		types = append(types, format.Fact(k, k, n.types[k]))
	}
	info.Add("types", "types", types)
	info.Add("removedFiles", "removed files", n.removed)
	info.Add("inflatedSize", "inflated size (bytes)", n.inflated)
	return info.Fields
}

// amounts are the totals of an archive.
type amounts struct {
	files, removed int
	inflated       int64          // size in bytes
	types          map[string]int // number of files of each type
}

func amountsOf(r *pak.Reader) amounts {
	n := amounts{types: make(map[string]int)}
	for _, f := range r.Files() {
		if f.Removed() {
			n.removed++
			continue
		}
		n.files++
		n.inflated += int64(f.Record.Size)
		n.types[f.Record.Type.String()]++
	}
	return n
}

// OfData returns the facts about a compiled data file.
func OfData(data []byte, name string) ([]format.InfoField, error) {
	f, err := dat.Decode(data)
	if err != nil {
		return nil, err
	}
	root := f.Text(dat.Options{Path: name})
	nodes, properties := countTree(root)
	return []format.InfoField{format.Fact("version", "version", int(f.Version)),
		format.Fact("root", "root", root.Name), format.Fact("nodes", "nodes", nodes),
		format.Fact("properties", "properties", properties), format.Fact("strings", "strings", len(f.Strings))}, nil
}

func countTree(root *text.Node) (nodes, properties int) {
	for n := range root.All() {
		nodes++
		for range n.Properties() {
			properties++
		}
	}
	return nodes, properties
}

// OfLayout returns the facts about a compiled layout.
func OfLayout(data []byte, _ string) ([]format.InfoField, error) {
	f, err := layout.Decode(data)
	if err != nil {
		return nil, err
	}
	count := make(map[string]int)
	var kinds []format.InfoField
	objects := 0
	for o := range f.All() {
		objects++
		title := fmt.Sprintf("descriptor %d", o.Descriptor)
		if d := layout.DescriptorOf(o.Descriptor); d != nil {
			title = d.Name
		}
		if count[title]++; count[title] == 1 {
			kinds = append(kinds, format.InfoField{Key: title})
		}
	}
	for i := range kinds {
		kinds[i].Value = count[kinds[i].Key]
	}
	return []format.InfoField{format.Fact("objects", "objects", objects), format.Fact("kinds", "kinds", kinds)}, nil
}

// OfTable returns the facts about a compiled table.
func OfTable(data []byte, name string) ([]format.InfoField, error) {
	kind, known := raw.KindOf(name)
	if !known {
		kind, _ = raw.Guess(data)
	}
	t, err := raw.Decode(data, kind)
	if err != nil {
		return nil, err
	}
	return []format.InfoField{format.Fact("table", "table", kind.String()), format.Fact("records", "records", t.Len())}, nil
}

// OfGrid returns the facts about a compiled pathing grid.
func OfGrid(data []byte, _ string) ([]format.InfoField, error) {
	f, err := mpp.Decode(data)
	if err != nil {
		return nil, err
	}
	return []format.InfoField{format.Fact("width", "width in cells", f.Width), format.Fact("height", "height in cells", f.Height),
		format.Fact("size", "size in the world", fmt.Sprintf("%g x %g", f.SizeX, f.SizeZ)),
		format.Fact("origin", "origin of the world", fmt.Sprintf("%g, %g", f.OffsetX, f.OffsetZ))}, nil
}

// OfSource returns the facts about the editable form of a file. Only texts have some.
func OfSource(data []byte) ([]format.InfoField, error) {
	if !text.Recognize(data) {
		return nil, nil
	}
	file, err := text.Parse(data)
	if err != nil {
		return nil, err
	}
	nodes, properties := countTree(file.Root)
	return []format.InfoField{format.Fact("root", "root", file.Root.Name), format.Fact("nodes", "nodes", nodes),
		format.Fact("properties", "properties", properties), format.Fact("encoding", "encoding", file.Encoding.String())}, nil
}

// OfAsset returns the facts about a picture or sound.
func OfAsset(name string, data []byte) ([]format.InfoField, error) {
	fields, known := PictureInfo(name, data)
	if !known {
		return nil, errors.New("unknown format: the first bytes match no picture or sound")
	}
	var facts []format.InfoField
	for _, f := range fields {
		facts = append(facts, format.InfoField{Key: f.Name, Value: f.Value})
	}
	return facts, nil
}
