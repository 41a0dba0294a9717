// Package teeworlds is the entry point for Teeworlds and DDNet: it declares the formats of their files. The packages
// below it implement them.
package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"trowel.example/internal/format"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/datadir"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// game is Teeworlds, including DDNet and all other games that share its maps.
var game = &format.Game{
	Title:   "Teeworlds/DDNet",
	Formats: []*format.Format{teeworldsMap, teeworldsDatafile, teeworldsRules},
}

func init() { format.Register(game) }

var teeworldsMap = &format.Format{
	Name:       "teeworlds-map",
	Title:      "Teeworlds/DDNet map",
	Extensions: []string{".map"},
	Doc:        "docs/formats/teeworlds-map.md",
	Recognize: func(src *format.Source) bool {
		return twmap.Recognize(src.Head(maxTablesHead))
	},
	RecognizeTree: mapdir.Recognize,
	Open:          openMap,
	Build:         buildMap,
	Compare:       compareMaps,
	Editing:       mapEditing,
	Merging:       mapMerging,
	Finder:        mapFinder,
	Names:         namesInMap,
	Census:        mapCensus,
	Dump:          dumpTeeworlds,
	Conversions:   mapConversions,
	Kinds:         append(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()...),
	Scene:         openScene,
	Options:       append([]format.Option{format.OptionClean, optionLike}, sceneOptions...),
}

var teeworldsDatafile = &format.Format{
	Name:       "teeworlds-datafile",
	Title:      "Teeworlds datafile without a map version (maps of 2007)",
	Extensions: []string{".map"},
	Doc:        "docs/formats/teeworlds-datafile.md",
	Recognize: func(src *format.Source) bool {
		return datafile.Recognize(src.Head(8))
	},
	RecognizeTree: datadir.Recognize,
	Open:          openDatafile,
	Build:         buildDatafile,
	Scene:         openScene2007,
	Dump:          dumpTeeworlds,
	Census:        datafileCensus,
	Kinds:         append(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()...),
	Options:       append([]format.Option{format.OptionClean}, sceneOptions...),
}

// maxTablesHead is the number of bytes of a datafile that contain its table of item types.
const maxTablesHead = 4096

// missOf returns a function that reports losses of a file to the user.
func missOf(job *format.Job, src *format.Source) func(loss string) {
	return func(loss string) { job.Lose(src.Path, "%s", loss) }
}

type mapFile struct{ m *twmap.Map }

func decodeMap(src *format.Source, tell func(loss string)) (*twmap.Map, error) {
	data, err := readDatafile(src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Salvage(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	m.TellLosses(tell)
	return m, nil
}

func openMap(ctx context.Context, job *format.Job, src *format.Source) (format.File, error) {
	m, err := decodeMap(src, missOf(job, src))
	if errors.Is(err, twmap.ErrNoVersion) {
		return openDatafile(ctx, job, src) // the table of types was wrong
	}
	if err != nil {
		return nil, err
	}
	return &mapFile{m}, nil
}

func (f *mapFile) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	like, err := likeNames(job)
	if err != nil {
		return nil, err
	}
	if like == nil {
		return mapdir.Open(f.m), nil
	}
	return mapdir.OpenLike(f.m, like), nil
}

func (f *mapFile) Close() error { return nil }

func (f *mapFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	f.m.CheckFile(sink)
	return nil
}

func buildMap(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	m, err := mapdir.Read(job.Clean(fsys), func(file, msg string) { job.Warn(file, "%s", msg) })
	if err != nil {
		return err
	}
	if !job.Checking && m.Physics(twmap.KindGame) == nil { // Check reports it
		job.Warn("", "the map has no game layer: no game loads it")
	}
	data, err := m.EncodeVerified(func(loss string) { job.Lose("", "in what was made, %s", loss) })
	if err != nil {
		return err
	}
	return format.Write(out, data)
}

func (f *mapFile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	m := f.m
	info := infoOfDatafile(teeworldsMap, m.Source())
	info.Add("flavor", "made for", m.Flavor())
	if i := m.Info; i != nil {
		for _, t := range []struct{ key, label, value string }{
			{"author", "author", i.Author}, {"mapVersion", "map version", i.MapVersion},
			{"credits", "credits", i.Credits}, {"license", "license", i.License},
		} {
			if t.value != "" {
				info.Add(t.key, t.label, t.value)
			}
		}
		info.Add("settings", "settings", len(i.Settings))
	}
	if game := m.Physics(twmap.KindGame); game != nil {
		info.Add("width", "width in tiles", game.Width())
		info.Add("height", "height in tiles", game.Height())
	}
	var physics []string
	for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
		if m.Physics(kind) != nil {
			physics = append(physics, kind.String())
		}
	}
	info.Add("physics", "physics layers", physics)
	info.Add("groups", "groups", len(m.Groups))
	n := amountsOf(m)
	info.Add("layers", "layers", []format.InfoField{format.Fact("tiles", "tiles", n.tileLayers), format.Fact("quads", "quads", n.quadLayers), format.Fact("sounds", "sounds", n.soundLayers)})
	info.Add("quads", "quads", n.quads)
	if n.soundLayers > 0 {
		info.Add("soundSources", "sound sources", n.sources)
	}
	var embedded, external []string
	for _, im := range m.Images {
		if im.External() {
			external = append(external, im.Name)
		} else {
			embedded = append(embedded, im.Name)
		}
	}
	info.Add("embeddedImages", "embedded images", embedded)
	info.Add("externalImages", "external images", external)
	var sounds []string
	for _, s := range m.Sounds {
		sounds = append(sounds, s.Name)
	}
	info.Add("sounds", "sounds", sounds)
	info.Add("envelopes", "envelopes", len(m.Envelopes))
	info.Add("envelopePoints", "envelope points", n.points)
	if n := len(m.Extras); n > 0 {
		info.Add("unknownItems", "items nobody knows", n)
	}
	return info, nil
}

// amounts holds the numbers of things in a map.
type amounts struct{ tileLayers, quadLayers, quads, soundLayers, sources, points int }

func amountsOf(m *twmap.Map) (n amounts) {
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *twmap.TileLayer:
			n.tileLayers++
		case *twmap.QuadLayer:
			n.quadLayers++
			n.quads += l.NumQuads()
		case *twmap.SoundLayer:
			n.soundLayers++
			n.sources += l.NumSources()
		}
	}
	for _, e := range m.Envelopes {
		n.points += len(e.Points)
	}
	return n
}

type datafileFile struct{ f *datafile.File }

func openDatafile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	f, err := decodeDatafile(job, src)
	if err != nil {
		return nil, err
	}
	return &datafileFile{f}, nil
}

// decodeDatafile reads a datafile, and reports what is missing from it.
func decodeDatafile(job *format.Job, src *format.Source) (*datafile.File, error) {
	data, err := readDatafile(src)
	if err != nil {
		return nil, err
	}
	f, err := datafile.Salvage(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	twmap.TellLosses(f, missOf(job, src))
	return f, nil
}

func (f *datafileFile) Tree(_ context.Context, _ *format.Job) (fs.FS, error) {
	return datadir.Open(f.f), nil
}
func (f *datafileFile) Close() error { return nil }

func buildDatafile(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	data, err := datadir.Read(job.Clean(fsys))
	if err != nil {
		return err
	}
	made, err := datafile.Salvage(data)
	if err != nil {
		return fmt.Errorf("what was made cannot be read again: %w", err)
	}
	twmap.TellLosses(made, func(loss string) { job.Lose("", "in what was made, %s", loss) })
	_ = made.Verify() // reports losses
	return format.Write(out, data)
}

func (f *datafileFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	twmap.CheckFile(f.f, sink)
	return nil
}

func (f *datafileFile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	info := infoOfDatafile(teeworldsDatafile, f.f)
	var types []string
	for _, t := range f.f.Types() {
		n := 0
		for range f.f.All(t) {
			n++
		}
		types = append(types, fmt.Sprintf("0x%04x: %d items", t, n))
	}
	info.Add("itemTypes", "item types", types)
	return info, nil
}

// infoOfDatafile returns the information that all datafiles have.
func infoOfDatafile(of *format.Format, f *datafile.File) format.Info {
	id := f.Identity()
	return format.Info{Format: of.Name, Fields: []format.InfoField{
		format.Fact("datafileVersion", "datafile version", f.Version),
		format.Fact("crc32", "crc32", id.CRC32),
		format.Fact("sha256", "sha256", id.SHA256),
		format.Fact("items", "items", len(f.Items)),
		format.Fact("data", "data blocks", len(f.Data)),
		format.Fact("inflatedSize", "inflated size (bytes)", inflatedSize(f)),
	}}
}

func inflatedSize(f *datafile.File) (n int64) {
	for _, b := range f.Blocks() {
		n += int64(b.Size())
	}
	return n
}

// maxDatafile is the size of the largest datafile that is read, in bytes. The largest known files have about ten
// million.
const maxDatafile = 256 << 20

// readDatafile reads a datafile. For other files it returns only enough bytes to identify them.
func readDatafile(src *format.Source) ([]byte, error) {
	if head := src.Head(64); src.Size > 64 && !datafile.Recognize(head) {
		return head, nil
	}
	return src.ReadUpTo(maxDatafile)
}

func dumpTeeworlds(_ context.Context, job *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := readDatafile(src)
	if err != nil {
		return err
	}
	return fault.InFile(twmap.Trace(data, t, missOf(job, src)), src.Path)
}
