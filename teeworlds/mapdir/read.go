package mapdir

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/forms"
	"trowel.example/teeworlds/twmap"
)

// Recognize reports whether a folder contains a map.
func Recognize(fsys fs.FS) bool { return forms.HasFormat(fsys, fileMap, formatMap) }

// Read builds a map from its folder. It reads on all cores and returns all errors of the files together: each of the
// joined errors is an *[fault.TextError] or comes from fsys. Read calls warn, which may be nil, for every file that
// it leaves out.
func Read(fsys fs.FS, warn func(file, message string)) (*twmap.Map, error) {
	r, err := read(fsys, warn)
	if err != nil {
		return nil, err
	}
	return r.m, nil
}

func read(fsys fs.FS, warn func(file, message string)) (*reader, error) {
	r := readAll(fsys, warn)
	return r, forms.Join(r.errs)
}

// ReadEach is [ReadNames], but it returns each error, also of a repeated mistake. The names are nil if there is one.
func ReadEach(fsys fs.FS, warn func(file, message string)) (*Names, []error) {
	r := readAll(fsys, warn)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return &Names{r.m, r.at}, nil
}

func readAll(fsys fs.FS, warn func(file, message string)) *reader {
	r := &reader{fs: fsys, warn: warn, m: &twmap.Map{Version: 1}, at: &layout{}}
	r.mapFile()
	r.settings()
	r.images()
	r.sounds()
	r.envelopes()
	r.groups()
	orphans := r.folder(dirOrphans, "layer")
	r.m.Orphans, r.at.orphans = r.layers(orphans)
	orphans.leftovers(orphans.isLayer)
	r.run()
	r.top()
	r.reportForeign()
	r.sidecar()
	return r
}

type reader struct {
	fs    fs.FS
	warn  func(file, message string)
	m     *twmap.Map
	at    *layout
	tasks []func() []error // slow work, to be done concurrently
	errs  []error
	own   []string // files of the user that are not parts of the map
}

func (r *reader) fail(file, format string, args ...any) {
	r.errs = append(r.errs, &fault.TextError{File: file, Msg: fmt.Sprintf(format, args...)})
}

func (r *reader) json(name string, v any) bool {
	errs := forms.ReadJSON(r.fs, name, v)
	r.errs = append(r.errs, errs...)
	return len(errs) == 0
}

// run runs the tasks on all cores and keeps their errors in order.
func (r *reader) run() {
	errs := make([][]error, len(r.tasks))
	parallel.Each(len(r.tasks), func(i int) { errs[i] = r.tasks[i]() })
	for _, list := range errs {
		r.errs = append(r.errs, list...)
	}
}

func (r *reader) leaveOut(file, why string) {
	if r.warn != nil {
		r.warn(file, why)
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
		r.m.Info = &twmap.Info{Author: string(i.Author), MapVersion: string(i.Version), Credits: string(i.Credits), License: string(i.License)}
		for _, line := range i.Settings {
			r.m.Info.Settings = append(r.m.Info.Settings, string(line))
		}
	}
	for i, f := range form.Extras {
		e := &twmap.Extra{UUID: f.UUID, Type: or(f.Type, 0), ID: f.ID, Data: f.Data}
		if (f.UUID == nil) == (f.Type == nil) {
			r.fail(fileMap, "extras[%d]: expected either \"type\" or \"uuid\"", i)
		}
		r.m.Extras = append(r.m.Extras, e)
	}
}

// top finds the files next to the folders of the map.
func (r *reader) top() {
	entries, _ := fs.ReadDir(r.fs, ".")
	for _, e := range entries {
		switch e.Name() {
		case fileMap, fileSettings, dirImages, dirSounds, dirEnvelopes, dirGroups, dirOrphans, tree.Sidecar:
		default:
			r.foreign(e.Name(), e.IsDir())
		}
	}
}

func (r *reader) settings() {
	if _, err := fs.Stat(r.fs, fileSettings); errors.Is(err, fs.ErrNotExist) {
		return
	}
	data, err := forms.ReadText(r.fs, fileSettings)
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
		line = strings.TrimRight(line, "\r\n")
		r.m.Info.Settings = append(r.m.Info.Settings, line)
		if strings.Contains(line, "\x00") {
			r.errs = append(r.errs, &fault.TextError{File: fileSettings, Line: len(r.m.Info.Settings),
				Msg: "a NUL character, which ends a setting: expected text"})
		}
	}
}

func (r *reader) images() {
	f := r.folder(dirImages, "image")
	for _, p := range f.parts {
		file := dirImages + "/" + p.name
		hasPNG, hasForm := f.has(p.name+".png"), f.has(p.name+".json")
		var form imageForm
		if hasForm && !r.json(file+".json", &form) {
			hasForm = false
		}
		im := twmap.NewMissingImage(string(or(form.Name, plain(p.name))), int(form.Width), int(form.Height))
		if form.External {
			im.SetExternal(im.Width(), im.Height())
		}
		im.Version, im.Variant = or(form.Version, 1), or(form.Variant, 1)
		r.m.Images = append(r.m.Images, im)
		r.at.images = append(r.at.images, p.name)
		switch {
		case form.External || form.Missing:
			if hasPNG {
				r.leaveOut(file+".png", "was left out, because "+file+".json states that the picture is not in the map")
			}
		case !hasPNG && !hasForm:
			f.missing(p, file+".png, or "+file+".json for an external image")
		case !hasPNG:
			r.fail(file+".json", "the picture is missing: expected %s.png, or \"external\": true with \"width\" and \"height\" here", file)
		case form.Width != 0 || form.Height != 0:
			r.fail(file+".json", "\"width\" and \"height\" are for images without a picture: %s.png has its own", file)
		default:
			r.tasks = append(r.tasks, func() []error {
				picture, err := readPNG(r.fs, file+".png")
				if err != nil {
					return []error{err}
				}
				im.SetPicture(picture)
				return nil
			})
		}
	}
	f.leftovers(withExtension(".png", ".json"))
}

func (r *reader) sounds() {
	f := r.folder(dirSounds, "sound")
	for _, p := range f.parts {
		file := dirSounds + "/" + p.name
		hasOpus, hasForm := f.has(p.name+".opus"), f.has(p.name+".json")
		var form soundForm
		if hasForm && !r.json(file+".json", &form) {
			hasForm = false
		}
		s := twmap.NewSound(string(or(form.Name, plain(p.name))), nil)
		s.Version = or(form.Version, 1)
		if form.External {
			s.SetExternal()
		}
		r.m.Sounds = append(r.m.Sounds, s)
		r.at.sounds = append(r.at.sounds, p.name)
		switch {
		case form.External || form.Missing:
			if hasOpus {
				r.leaveOut(file+".opus", "was left out, because "+file+".json states that the sound is not in the map")
			}
		case !hasOpus && !hasForm:
			f.missing(p, file+".opus")
		case !hasOpus:
			r.fail(file+".json", "the sound is missing: expected %s.opus", file)
		default:
			r.tasks = append(r.tasks, func() []error {
				opus, err := fs.ReadFile(r.fs, file+".opus")
				if err != nil {
					return []error{err}
				}
				s.SetOpus(opus)
				return nil
			})
		}
	}
	f.leftovers(withExtension(".opus", ".json"))
}

func (r *reader) groups() {
	f := r.folder(dirGroups, "group")
	for _, p := range f.parts {
		dir := dirGroups + "/" + p.name
		if !f.has(p.name) {
			f.missing(p, "a folder "+dir)
			continue
		}
		g := &twmap.Group{}
		r.m.Groups = append(r.m.Groups, g)
		r.at.groups = append(r.at.groups, p.name)
		layers := r.folder(dir, "layer")
		if !layers.has(fileGroup) {
			f.fail(p.line, "the group %q has no %s: expected %s/%s", p.name, fileGroup, dir, fileGroup)
		} else {
			r.group(g, dir+"/"+fileGroup)
		}
		var names []string
		g.Layers, names = r.layers(layers)
		r.at.layers = append(r.at.layers, names)
		layers.unordered(layers.isLayer)
	}
	f.unordered(f.isGroup)
}

func (r *reader) group(g *twmap.Group, file string) {
	var form groupForm
	if !r.json(file, &form) {
		return
	}
	g.Name, g.Version = string(form.Name), or(form.Version, usualGroupVersion)
	offset := or(form.Offset, pair{})
	g.OffsetX, g.OffsetY = offset[0], offset[1]
	g.ParallaxX, g.ParallaxY = form.Parallax[0], form.Parallax[1]
	if c := form.Clip; c != nil {
		g.Clip = &twmap.Clip{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height}
	}
	if form.ParallaxZoom != nil {
		g.ParallaxZoom = &twmap.ParallaxZoom{Percent: *form.ParallaxZoom}
	}
	if g.Version < 3 && g.Name != "" {
		r.fail(file, "a group of version %d has no name: expected version 3, or \"name\": \"\"", g.Version)
	}
	if g.Version < 2 && g.Clip != nil {
		r.fail(file, "a group of version %d has no clip: expected version 2 or 3", g.Version)
	}
}

// layers reads the layers of a folder.
func (r *reader) layers(f *folder) (layers []twmap.Layer, names []string) {
	for _, p := range f.parts {
		file := f.dir + "/" + p.name
		if !f.has(p.name + ".json") {
			f.missing(p, file+".json")
			continue
		}
		l, ok := r.layer(file)
		if _, tiles := l.(*twmap.TileLayer); !ok {
			f.has(p.name + ".txt") // claims the file, whatever the layer is
		} else if tiles && !f.has(p.name+".txt") {
			r.fail(file+".json", "the tiles are missing: expected %s.txt", file)
			r.tasks = r.tasks[:len(r.tasks)-1] // the task would read them
		}
		layers, names = append(layers, l), append(names, p.name)
	}
	return layers, names
}

func (r *reader) sidecar() {
	if len(r.errs) > 0 {
		return
	}
	var form sidecar
	if err := forms.ReadSidecar(r.fs, &form); err != nil {
		r.errs = append(r.errs, err)
		return
	}
	if form.File == nil && len(form.Items) == 0 {
		return
	}
	residues := &twmap.Residues{File: form.File, Of: make(map[twmap.Entity]*twmap.Residue)}
	r.at.entities(r.m, func(key string, e twmap.Entity) {
		if k := form.Items[key]; k != nil {
			residues.Of[e] = k
		}
	})
	r.m.SetResidues(residues)
}
