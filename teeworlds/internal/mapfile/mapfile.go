// Package mapfile opens maps, other datafiles and rules of automappers as files of package format: their tree,
// description and check. It builds, compares and merges maps. A datafile
// that is no current map, such as a map of 2007, is a folder with datafile.json, a line for each item, and data/NNN.bin.
package mapfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// The names of the formats.
const (
	MapName      = "teeworlds-map"
	DatafileName = "teeworlds-datafile"
	RulesName    = "teeworlds-rules"
)

// reportLoss returns a function that reports losses of a file to the user.
func reportLoss(job *format.Job, src *format.Source) func(loss string) {
	return func(loss string) { job.Lose(src.Path, "%s", loss) }
}

// ReportPart returns a function that reports a part of a map that cannot be read, unless the map itself reports it.
func ReportPart(job *format.Job, src *format.Source) func(path string, err error) {
	return func(path string, err error) {
		if !errors.Is(err, datafile.ErrUnreadable) {
			job.Miss(src.Path, "%s: %v", path, err)
		}
	}
}

// File is an open map.
type File struct {
	Map  *twmap.Map
	name string // of the file, without its folder; "" if it has none
}

// Decode reads a map, and reports what is missing from it.
func Decode(job *format.Job, src *format.Source) (*twmap.Map, error) {
	data, err := Read(src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Salvage(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	m.ReportLosses(reportLoss(job, src))
	return m, nil
}

// Open opens a map.
func Open(ctx context.Context, job *format.Job, src *format.Source) (format.File, error) {
	m, err := Decode(job, src)
	if errors.Is(err, twmap.ErrNoVersion) {
		return OpenDatafile(ctx, job, src) // the table of types was wrong
	}
	if err != nil {
		return nil, err
	}
	return &File{m, src.Name}, nil
}

func (f *File) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	like, err := likeNames(job)
	if err != nil {
		return nil, err
	}
	if like == nil {
		return mapdir.Open(f.Map), nil
	}
	return mapdir.OpenLike(f.Map, like), nil
}

// settingsFile is the file of the tree with the settings, one on each line.
const settingsFile = "settings.cfg"

// Locate returns the lines of settings.
func (f *File) Locate(_ context.Context, tree fs.FS, places []check.Place, want func(path string) bool) ([]check.Line, error) {
	lines := make([]check.Line, len(places))
	if !want(settingsFile) {
		return lines, nil
	}
	if _, err := fs.Stat(tree, settingsFile); err != nil {
		return lines, nil // the settings are no lines of a file
	}
	for i, place := range places {
		if p, ok := place.(twmap.Place); ok && p.Part != nil && p.Part.Kind == twmap.PartSetting {
			lines[i] = check.Line{Path: settingsFile, Line: p.Part.Number + 1}
		}
	}
	return lines, nil
}

func (f *File) Close() error { return nil }

func (f *File) Check(ctx context.Context, job *format.Job, sink check.Sink) error {
	var profile *twmap.Profile
	if name := OptionProfile.Value(job); name != "" {
		var err error
		if profile, err = twmap.ProfileNamed(name); err != nil {
			return fmt.Errorf("--%s: %w", OptionProfile.Name, err)
		}
	}
	var set *maprules.Set
	var o maprules.Options
	if name := OptionRules.Value(job); name != "" {
		var err error
		if set, o, err = rulesOf(ctx, job, name); err != nil {
			return err
		}
	}
	if set == nil {
		f.Map.CheckFileFor(profile, sink)
		return nil
	}
	f.Map.CheckFileFor(profile, set.Naming(o.Type, sink))
	o.Name = strings.TrimSuffix(f.name, path.Ext(f.name))
	return maprules.Check(ctx, f.Map, set, o, sink)
}

// rulesOf returns a set of rules, and what the options of a job say of the map.
func rulesOf(ctx context.Context, job *format.Job, name string) (set *maprules.Set, o maprules.Options, err error) {
	if set, err = maprules.Named(name); err != nil {
		return nil, o, fmt.Errorf("--%s: %w", OptionRules.Name, err)
	}
	o = maprules.Options{Type: OptionType.Value(job), Mapres: mapdraw.MapresFolders()}
	list := OptionReleased.Value(job)
	if list == "" {
		return set, o, nil
	}
	src, err := job.Open(ctx, list)
	if err != nil {
		return nil, o, fmt.Errorf("--%s: %w", OptionReleased.Name, err)
	}
	defer func() { _ = src.Close() }()
	data, err := src.ReadUpTo(effort.RulesFile)
	if err != nil {
		return nil, o, fmt.Errorf("--%s: %w", OptionReleased.Name, err)
	}
	for line := range strings.Lines(string(data)) {
		o.Released = append(o.Released, strings.TrimSuffix(strings.TrimSpace(line), ".map"))
	}
	return set, o, nil
}

// OptionProfile selects the server that a map is checked for.
var OptionProfile = format.Option{Name: "profile", For: format.ForCheck, Choices: twmap.Profiles(),
	Help: "the `server` that maps are for, whose own tiles and settings are not reported (default: DDNet)"}

// Options of checks by the rules of a community.
var (
	// OptionRules selects the rules.
	OptionRules = format.Option{Name: "rules", For: format.ForCheck, Choices: maprules.Names(),
		Help: "also report what stands against a release by the `community`, by its written rules"}
	// OptionType is the type of map that the rules are for.
	OptionType = format.Option{Name: "type", For: format.ForCheck, Choices: maprules.Types,
		Help: "with --rules: the `type` of the map (default: solo if the settings say so)"}
	// OptionReleased lists names that are taken.
	OptionReleased = format.Option{Name: "released", For: format.ForCheck, Access: format.Access{Input: true},
		Help: "with --rules: a `file` with the names of released maps, one on each line"}
)

// Build builds a map from its tree form.
func Build(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	m, err := mapdir.Read(job.Clean(fsys), func(file, msg string) { job.Warn(file, "%s", msg) })
	if err != nil {
		return err
	}
	if !job.Checking && m.Physics(twmap.KindGame) == nil { // Check reports it
		job.Warn("", "the map has no game layer: no game loads it")
	}
	data, err := m.EncodeVerified(func(loss string) { job.Lose("", "in the built file, %s", loss) })
	if err != nil {
		return err
	}
	return format.Write(out, data)
}

func (f *File) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	m := f.Map
	info := containerInfo(MapName, m.Source())
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
	n := AmountsOf(m)
	info.Add("layers", "layers", []format.InfoField{format.Fact("tiles", "tiles", n.TileLayers),
		format.Fact("quads", "quads", n.QuadLayers), format.Fact("sounds", "sounds", n.SoundLayers)})
	info.Add("quads", "quads", n.Quads)
	if n.SoundLayers > 0 {
		info.Add("soundSources", "sound sources", n.Sources)
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
	info.Add("envelopePoints", "envelope points", n.Points)
	if n := len(m.Extras); n > 0 {
		info.Add("unknownItems", "unknown items", n)
	}
	return info, nil
}

// Amounts holds the numbers of things in a map.
type Amounts struct{ TileLayers, QuadLayers, Quads, SoundLayers, Sources, Points int }

// AmountsOf counts the things in a map.
func AmountsOf(m *twmap.Map) (n Amounts) {
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *twmap.TileLayer:
			n.TileLayers++
		case *twmap.QuadLayer:
			n.QuadLayers++
			n.Quads += l.NumQuads()
		case *twmap.SoundLayer:
			n.SoundLayers++
			n.Sources += l.NumSources()
		}
	}
	for _, e := range m.Envelopes {
		n.Points += len(e.Points)
	}
	return n
}

// Datafile is an open datafile that is not a map.
type Datafile struct{ File *datafile.File }

// OpenDatafile opens a datafile that is not a map.
func OpenDatafile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	f, err := DecodeDatafile(job, src)
	if err != nil {
		return nil, err
	}
	return &Datafile{f}, nil
}

// DecodeDatafile reads a datafile, and reports what is missing from it.
func DecodeDatafile(job *format.Job, src *format.Source) (*datafile.File, error) {
	data, err := Read(src)
	if err != nil {
		return nil, err
	}
	f, err := datafile.Salvage(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	twmap.ReportLosses(f, reportLoss(job, src))
	return f, nil
}

func (f *Datafile) Tree(_ context.Context, _ *format.Job) (fs.FS, error) {
	return OpenData(f.File), nil
}
func (f *Datafile) Close() error { return nil }

// BuildDatafile builds a datafile from its tree form.
func BuildDatafile(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	data, err := ReadData(job.Clean(fsys))
	if err != nil {
		return err
	}
	built, err := datafile.Salvage(data)
	if err != nil {
		return fmt.Errorf("the built file cannot be read: %w", err)
	}
	twmap.ReportLosses(built, func(loss string) { job.Lose("", "in the built file, %s", loss) })
	_ = built.Verify() // reports losses
	return format.Write(out, data)
}

func (f *Datafile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	twmap.CheckFile(f.File, sink)
	return nil
}

func (f *Datafile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	info := containerInfo(DatafileName, f.File)
	count := make(map[uint16]int)
	for _, it := range f.File.Items {
		count[it.Type]++
	}
	var types []string
	for _, t := range f.File.Types() {
		types = append(types, fmt.Sprintf("0x%04x: %s", t, words.Count(count[t], "item")))
	}
	info.Add("itemTypes", "item types", types)
	missing := "the map version: the file is not a map, or damaged"
	if n := count[tiles2007]; n > 0 {
		missing = fmt.Sprintf("the map version, groups and layers of current maps: a map of 2007, which current games do not load, with %s",
			words.Count(n, "tile layer"))
	}
	info.Add("missing", "missing", missing)
	return info, nil
}

// tiles2007 is the item type of layers in maps of 2007 (section "Maps of 2007").
const tiles2007 = 0x8002

// containerInfo returns the information that all datafiles have.
func containerInfo(name string, f *datafile.File) format.Info {
	id := f.Identity()
	return format.Info{Format: name, Fields: []format.InfoField{
		format.Fact("datafileVersion", "datafile version", f.Version),
		format.Fact("crc32", "crc32", id.CRC32),
		format.Fact("sha256", "sha256", id.SHA256),
		format.Fact("items", "items", len(f.Items)),
		format.Fact("data", "data blocks", len(f.Data)),
		format.Fact("inflatedSize", "inflated size (bytes)", InflatedSize(f)),
	}}
}

// InflatedSize returns the size of all data blocks, as the file states them.
func InflatedSize(f *datafile.File) (n int64) {
	for _, b := range f.Blocks() {
		n += int64(b.Size())
	}
	return n
}

// Read reads a datafile. For other files it returns only enough bytes to identify them.
func Read(src *format.Source) ([]byte, error) {
	if head := src.Head(64); src.Size > 64 && !datafile.Recognize(head) {
		return head, nil
	}
	return src.ReadUpTo(effort.MapFile)
}

// Dump reports the fields of a datafile.
func Dump(_ context.Context, job *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := Read(src)
	if err != nil {
		return err
	}
	return fault.InFile(twmap.Trace(data, t, reportLoss(job, src)), src.Path)
}
