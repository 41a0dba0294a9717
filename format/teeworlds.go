package format

import (
	"errors"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/tree"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// optionClean makes Build forget the sidecar.
var optionClean = Option{Name: "clean", Bool: true, Building: true, Help: "leave out the sidecar: build a clean file, not the same bytes"}

var teeworldsMap = &Format{
	Name:       "teeworlds-map",
	Title:      "Teeworlds/DDNet map",
	Game:       gameTeeworlds,
	Extensions: []string{".map"},
	Doc:        "docs/formats/teeworlds-map.md",
	Recognize: func(src *Source) bool {
		return twmap.Recognize(src.Head(maxTablesHead))
	},
	RecognizeTree: mapdir.Recognize,
	Open:          openMap,
	Build:         buildMap,
	Compare:       compareMaps,
	Dump:          dumpTeeworlds,
	Conversions:   mapConversions,
	Kinds:         append(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()...),
	Options:       []Option{optionClean, optionLike},
}

var teeworldsDatafile = &Format{
	Name:       "teeworlds-datafile",
	Title:      "Teeworlds datafile without a map version (maps of 2007)",
	Game:       gameTeeworlds,
	Extensions: []string{".map"},
	Doc:        "docs/formats/teeworlds-datafile.md",
	Recognize: func(src *Source) bool {
		return datafile.Recognize(src.Head(8))
	},
	RecognizeTree: mapdir.RecognizeDatafile,
	Open:          openDatafile,
	Build: func(job *Job, fsys fs.FS, out Output) error {
		data, err := mapdir.ReadDatafile(withoutSidecar(job, fsys))
		if err != nil {
			return err
		}
		return writeAll(out, data)
	},
	Dump:    dumpTeeworlds,
	Kinds:   append(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()...),
	Options: []Option{optionClean},
}

// maxTablesHead is enough of a datafile to see its table of item types.
const maxTablesHead = 4096

func writeAll(out Output, data []byte) error {
	w, err := out.Create("")
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// missOf returns what tells the user of losses of a file.
func (j *Job) missOf(src *Source) func(loss string) {
	return func(loss string) { j.Miss(src.Path, "%s", loss) }
}

type mapFile struct {
	m    *twmap.Map
	like func() (*mapdir.Names, error) // the names that the parts shall have, nil for new ones
}

func decodeMap(src *Source, tell func(loss string)) (*twmap.Map, error) {
	data, err := readDatafile(src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Decode(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	m.TellLosses(tell)
	return m, nil
}

func openMap(job *Job, src *Source) (File, error) {
	m, err := decodeMap(src, job.missOf(src))
	if errors.Is(err, twmap.ErrNoVersion) {
		return openDatafile(job, src) // what its table of types told was not true
	}
	if err != nil {
		return nil, err
	}
	return &mapFile{m, func() (*mapdir.Names, error) { return likeNames(job) }}, nil
}

func (f *mapFile) Tree() (fs.FS, error) {
	like, err := f.like()
	if err != nil {
		return nil, err
	}
	if like == nil {
		return mapdir.Open(f.m), nil
	}
	return mapdir.OpenLike(f.m, like), nil
}

func (f *mapFile) Close() error { return nil }

func (f *mapFile) Check(_ *Job, sink check.Sink) error {
	twmap.CheckFile(f.m.Source(), sink)
	return nil
}

func buildMap(job *Job, fsys fs.FS, out Output) error {
	m, err := mapdir.Read(withoutSidecar(job, fsys), func(file, msg string) { job.Warn(file, "%s", msg) })
	if err != nil {
		return err
	}
	if m.Physics(twmap.KindGame) == nil {
		job.Warn("", "the map has no game layer: no game loads it")
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return writeAll(out, data)
}

func (f *mapFile) Info() (Info, error) {
	m := f.m
	info := infoOfDatafile(teeworldsMap, m.Source())
	add := func(key, label string, value any) { info.Fields = append(info.Fields, InfoField{key, label, value}) }
	add("flavor", "made for", m.Flavor())
	if i := m.Info; i != nil {
		for _, t := range []struct{ key, label, value string }{
			{"author", "author", i.Author}, {"mapVersion", "map version", i.MapVersion},
			{"credits", "credits", i.Credits}, {"license", "license", i.License},
		} {
			if t.value != "" {
				add(t.key, t.label, t.value)
			}
		}
		add("settings", "settings", len(i.Settings))
	}
	if game := m.Physics(twmap.KindGame); game != nil {
		add("width", "width in tiles", game.Width)
		add("height", "height in tiles", game.Height)
	}
	var physics []string
	for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
		if m.Physics(kind) != nil {
			physics = append(physics, kind.String())
		}
	}
	add("physics", "physics layers", physics)
	add("groups", "groups", len(m.Groups))
	var tiles, quadLayers, quads, soundLayers, sources int
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *twmap.TileLayer:
			tiles++
		case *twmap.QuadLayer:
			quadLayers++
			quads += l.NumQuads()
		case *twmap.SoundLayer:
			soundLayers++
			sources += l.NumSources()
		}
	}
	add("layers", "layers", []InfoField{{"tiles", "tiles", tiles}, {"quads", "quads", quadLayers}, {"sounds", "sounds", soundLayers}})
	add("quads", "quads", quads)
	if soundLayers > 0 {
		add("soundSources", "sound sources", sources)
	}
	var embedded, external []string
	for _, im := range m.Images {
		if im.External {
			external = append(external, im.Name)
		} else {
			embedded = append(embedded, im.Name)
		}
	}
	add("embeddedImages", "embedded images", embedded)
	add("externalImages", "external images", external)
	var sounds []string
	for _, s := range m.Sounds {
		sounds = append(sounds, s.Name)
	}
	add("sounds", "sounds", sounds)
	points := 0
	for _, e := range m.Envelopes {
		points += len(e.Points)
	}
	add("envelopes", "envelopes", len(m.Envelopes))
	add("envelopePoints", "envelope points", points)
	if n := len(m.Extras); n > 0 {
		add("unknownItems", "items nobody knows", n)
	}
	return info, nil
}

type datafileFile struct{ f *datafile.File }

func openDatafile(job *Job, src *Source) (File, error) {
	data, err := readDatafile(src)
	if err != nil {
		return nil, err
	}
	f, err := datafile.Decode(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	twmap.TellLosses(f, job.missOf(src))
	return &datafileFile{f}, nil
}

func (f *datafileFile) Tree() (fs.FS, error) { return mapdir.OpenDatafile(f.f), nil }
func (f *datafileFile) Close() error         { return nil }

func (f *datafileFile) Check(_ *Job, sink check.Sink) error {
	twmap.CheckFile(f.f, sink)
	return nil
}

func (f *datafileFile) Info() (Info, error) {
	info := infoOfDatafile(teeworldsDatafile, f.f)
	var types []string
	for _, t := range f.f.Types() {
		n := 0
		for range f.f.All(t) {
			n++
		}
		types = append(types, fmt.Sprintf("0x%04x: %d items", t, n))
	}
	info.Fields = append(info.Fields, InfoField{"itemTypes", "item types", types})
	return info, nil
}

// infoOfDatafile tells what all datafiles have.
func infoOfDatafile(format *Format, f *datafile.File) Info {
	inflated := int64(0)
	for _, b := range f.Blocks() {
		inflated += int64(b.Size())
	}
	id := f.Identity()
	return Info{Format: format.Name, Fields: []InfoField{
		{"datafileVersion", "datafile version", f.Version},
		{"crc32", "crc32", id.CRC32},
		{"sha256", "sha256", id.SHA256},
		{"items", "items", len(f.Items)},
		{"data", "data blocks", len(f.Data)},
		{"inflatedSize", "inflated size (bytes)", inflated},
	}}
}

// maxDatafile is the size of the largest datafile that is read, in bytes. The largest
// that are known have some ten million.
const maxDatafile = 256 << 20

// readDatafile reads a datafile; of what is none it reads as much as says so.
func readDatafile(src *Source) ([]byte, error) {
	if head := src.Head(64); src.Size > 64 && !datafile.Recognize(head) {
		return head, nil
	}
	return src.ReadUpTo(maxDatafile)
}

func dumpTeeworlds(job *Job, src *Source, _ string, t trace.Tracer) error {
	data, err := readDatafile(src)
	if err != nil {
		return err
	}
	return fault.InFile(twmap.Trace(data, t, job.missOf(src)), src.Path)
}

// withoutSidecar hides the sidecar of a tree if the user asks for a clean file.
func withoutSidecar(job *Job, fsys fs.FS) fs.FS {
	if job.On(optionClean.Name) {
		return cleanTree{fsys}
	}
	return fsys
}

type cleanTree struct{ fs.FS }

func (t cleanTree) Open(name string) (fs.File, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return t.FS.Open(name)
}

// ReadFile is there for the limit of the tree that it is read from.
func (t cleanTree) ReadFile(name string) ([]byte, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(t.FS, name)
}
