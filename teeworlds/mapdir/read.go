package mapdir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"trowel/internal/parallel"
	"trowel/internal/tree"
	"trowel/teeworlds/twmap"
)

// Recognize tells whether a folder is that of a map.
func Recognize(fsys fs.FS) bool { return hasFormat(fsys, fileMap, formatMap) }

func hasFormat(fsys fs.FS, name, format string) bool {
	data, err := fs.ReadFile(fsys, name)
	return err == nil && bytes.Contains(data, []byte(`"`+format+`"`))
}

// Read makes a map of its folder. It reads on all cores and tells everything
// that is wrong with the files at once: each of the errors that it joins is an
// *[Error] or from fsys. Whatever it leaves out, warn is told; it may be nil.
func Read(fsys fs.FS, warn func(file, message string)) (*twmap.Map, error) {
	r := &reader{fs: fsys, warn: warn, m: &twmap.Map{Version: 1}, at: &layout{}}
	r.mapFile()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...) // the rest would only be in error because of it
	}
	r.settings()
	r.envelopes()
	r.groups()
	r.orphans()
	r.run()
	r.sidecar()
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	return r.m, nil
}

type reader struct {
	fs    fs.FS
	warn  func(file, message string)
	m     *twmap.Map
	at    *layout
	tasks []func() error // what takes time, to be done side by side
	errs  []error
}

func (r *reader) fail(file, format string, args ...any) {
	r.errs = append(r.errs, &Error{File: file, Msg: fmt.Sprintf(format, args...)})
}

func (r *reader) json(name string, v any) bool {
	err := readJSON(r.fs, name, v)
	if err != nil {
		r.errs = append(r.errs, err)
	}
	return err == nil
}

// run does the tasks on all cores and keeps their errors in order.
func (r *reader) run() {
	errs := make([]error, len(r.tasks))
	parallel.Each(len(r.tasks), func(i int) { errs[i] = r.tasks[i]() })
	for _, err := range errs {
		if err != nil {
			r.errs = append(r.errs, err)
		}
	}
}

func (r *reader) mapFile() {
	var form mapForm
	if !r.json(fileMap, &form) {
		return
	}
	if form.Format != formatMap {
		r.fail(fileMap, "format is %q: expected %q", form.Format, formatMap)
	}
	r.m.Version = or(form.Version, 1)
	if i := form.Info; i != nil {
		r.m.Info = &twmap.Info{Author: i.Author, MapVersion: i.Version, Credits: i.Credits, License: i.License, Settings: i.Settings}
	}
	known := make(map[string]bool)
	for _, f := range form.Images {
		key := r.claim(known, dirImages, f.File, f.Name)
		r.at.images = append(r.at.images, key)
		r.image(f, dirImages+"/"+key+".png")
	}
	r.findStrays(dirImages, ".png", known)
	known = make(map[string]bool)
	for _, f := range form.Sounds {
		key := r.claim(known, dirSounds, f.File, f.Name)
		r.at.sounds = append(r.at.sounds, key)
		r.sound(f, dirSounds+"/"+key+".opus")
	}
	r.findStrays(dirSounds, ".opus", known)
	for i, f := range form.Extras {
		e := &twmap.Extra{UUID: f.UUID, Type: or(f.Type, 0), ID: f.ID, Data: f.Data}
		if (f.UUID == nil) == (f.Type == nil) {
			r.fail(fileMap, "extras[%d]: expected either \"type\" or \"uuid\"", i)
		}
		r.m.Extras = append(r.m.Extras, e)
	}
}

// claim returns the name of the file, without extension, of an image or sound.
func (r *reader) claim(known map[string]bool, dir, file, name string) string {
	key := cmp.Or(file, name)
	if known[key] {
		r.fail(fileMap, "two of the %s have the file %q: give each a \"file\" of its own", dir, key)
	}
	known[key] = true
	return key
}

// findStrays warns of files that map.json does not list.
func (r *reader) findStrays(dir, ext string, known map[string]bool) {
	list, _ := fs.ReadDir(r.fs, dir) // there need not be one
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), ext)
		if !ok || !known[name] {
			r.leaveOut(dir+"/"+e.Name(), "not listed in "+fileMap+", left out")
		}
	}
}

func (r *reader) leaveOut(file, why string) {
	if r.warn != nil {
		r.warn(file, why)
	}
}

func (r *reader) image(f imageForm, file string) {
	im := twmap.NewExternalImage(f.Name, f.Width, f.Height)
	im.External = f.External
	im.Version, im.Variant = or(f.Version, 1), or(f.Variant, 1)
	r.m.Images = append(r.m.Images, im)
	if f.External || f.Missing {
		return
	}
	r.tasks = append(r.tasks, func() error {
		p, err := readPNG(r.fs, file)
		if err != nil {
			return err
		}
		im.SetPicture(p)
		return nil
	})
}

func (r *reader) sound(f soundForm, file string) {
	s := twmap.NewSound(f.Name, nil)
	s.Version, s.External = or(f.Version, 1), f.External
	r.m.Sounds = append(r.m.Sounds, s)
	if f.External || f.Missing {
		return
	}
	r.tasks = append(r.tasks, func() error {
		opus, err := fs.ReadFile(r.fs, file)
		if err == nil {
			s.SetOpus(opus)
		}
		return err
	})
}

func (r *reader) settings() {
	data, err := fs.ReadFile(r.fs, fileSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	if r.m.Info == nil {
		r.m.Info = &twmap.Info{}
	}
	if len(r.m.Info.Settings) > 0 {
		r.fail(fileSettings, "%s has settings too: keep one of them", fileMap)
	}
	for line := range strings.Lines(string(data)) {
		r.m.Info.Settings = append(r.m.Info.Settings, strings.TrimRight(line, "\r\n"))
	}
}

func (r *reader) envelopes() {
	for _, name := range r.list(dirEnvelopes, ".json") {
		e := &twmap.Envelope{}
		r.m.Envelopes = append(r.m.Envelopes, e)
		r.at.envelopes = append(r.at.envelopes, name)
		var form envelopeForm
		file := dirEnvelopes + "/" + name + ".json"
		if !r.json(file, &form) {
			continue
		}
		e.Name, e.Version, e.Synchronized = form.Name, or(form.Version, usualEnvelopeVersion), form.Synchronized
		switch t := form.Type.(type) {
		case float64:
			e.Channels = twmap.Channels(toInt32(t))
		case string:
			for _, c := range []twmap.Channels{twmap.ChannelsSound, twmap.ChannelsPosition, twmap.ChannelsColor} {
				if t == c.String() {
					e.Channels = c
				}
			}
		}
		if e.Channels == 0 {
			if n, ok := form.Type.(float64); !ok || n != 0 {
				r.fail(file, "type is %v: expected \"position\", \"color\" or \"sound\"", form.Type)
			}
		}
		for i, f := range form.Points {
			p := twmap.EnvPoint{Time: f.Time, Curve: twmap.CurveLinear}
			switch c := f.Curve.(type) {
			case float64:
				p.Curve = twmap.Curve(toInt32(c))
			case string:
				curve, ok := twmap.ParseCurve(c)
				if !ok {
					r.fail(file, "points[%d]: curve is %q: expected step, linear, slow, fast, smooth or bezier", i, c)
				}
				p.Curve = curve
			case nil:
			default:
				r.fail(file, "points[%d]: curve is %v: expected a name", i, c)
			}
			if copy(p.Values[:], f.Values) < len(f.Values) {
				r.fail(file, "points[%d]: %d values: expected at most 4", i, len(f.Values))
			}
			for j := range min(len(f.In), 4) {
				p.In[j] = twmap.Tangent{DX: f.In[j][0], DY: f.In[j][1]}
			}
			for j := range min(len(f.Out), 4) {
				p.Out[j] = twmap.Tangent{DX: f.Out[j][0], DY: f.Out[j][1]}
			}
			e.Points = append(e.Points, p)
		}
	}
}

// toInt32 makes an integer of a JSON number; what does not fit becomes 0.
func toInt32(f float64) int32 {
	if f < math.MinInt32 || f > math.MaxInt32 {
		return 0
	}
	return int32(f)
}

// list returns the names of the files in a folder that have an extension,
// without it, or of the folders if ext is "", in the order of their numbers.
func (r *reader) list(dir, ext string) []string {
	entries, err := fs.ReadDir(r.fs, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ext)
		if e.IsDir() != (ext == "") || !ok || name == "" || e.Name() == fileGroup {
			continue
		}
		names = append(names, name)
	}
	if err := sortNumbered(names); err != nil {
		r.fail(dir, "%v", err)
	}
	return names
}

func (r *reader) groups() {
	for _, name := range r.list(dirGroups, "") {
		dir := dirGroups + "/" + name
		g := &twmap.Group{}
		r.m.Groups = append(r.m.Groups, g)
		r.at.groups = append(r.at.groups, dir)
		var form groupForm
		if r.json(dir+"/"+fileGroup, &form) {
			g.Name, g.Version = form.Name, or(form.Version, usualGroupVersion)
			offset := or(form.Offset, pair{})
			g.OffsetX, g.OffsetY = offset[0], offset[1]
			g.ParallaxX, g.ParallaxY = form.Parallax[0], form.Parallax[1]
			if c := form.Clip; c != nil {
				g.Clip = &twmap.Clip{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height}
			}
			if form.ParallaxZoom != nil {
				g.ParallaxZoom = &twmap.ParallaxZoom{Percent: *form.ParallaxZoom}
			}
		}
		layers, files := r.layers(dir)
		g.Layers = layers
		r.at.layers = append(r.at.layers, files)
	}
}

func (r *reader) orphans() { r.m.Orphans, r.at.orphans = r.layers(dirOrphans) }

// layers reads the layers in a folder.
func (r *reader) layers(dir string) (layers []twmap.Layer, files []string) {
	names := r.list(dir, ".json")
	for _, name := range names {
		file := path.Join(dir, name)
		files = append(files, file)
		layers = append(layers, r.layer(file))
	}
	entries, _ := fs.ReadDir(r.fs, dir)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".txt"); ok && !slices.Contains(names, name) {
			r.fail(dir+"/"+e.Name(), "tiles without a layer: expected %s.json beside it", name)
		}
	}
	return layers, files
}

func (r *reader) sidecar() {
	var form sidecar
	data, err := fs.ReadFile(r.fs, tree.Sidecar)
	if errors.Is(err, fs.ErrNotExist) || len(r.errs) > 0 {
		return
	}
	if err == nil {
		err = decodeSidecar(data, &form)
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	relics := &twmap.Relics{File: form.File, Of: make(map[twmap.Entity]*twmap.Relic)}
	r.at.entities(r.m, func(key string, e twmap.Entity) {
		if k := form.Items[key]; k != nil {
			relics.Of[e] = k
		}
	})
	r.m.SetRelics(relics)
}
