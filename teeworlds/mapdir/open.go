// Package mapdir is a Teeworlds or DDNet map as a folder of ordinary files, for
// people and for version control:
//
//	map.json                  author and the like; images and sounds in their order
//	settings.cfg              server settings, one on each line
//	images/NAME.png           embedded images
//	sounds/NAME.opus
//	envelopes/NN-NAME.json    a line for each point
//	groups/NN-NAME/group.json
//	groups/NN-NAME/NN-NAME.json   a layer; a line for each quad or sound source
//	groups/NN-NAME/NN-NAME.txt    its tiles, a line for each row
//	orphans/NN-NAME.json, .txt    layers that no group has
//	.trowel.json              what only matters for giving back the same bytes
//
// Groups, layers and envelopes stand in the order of the numbers that their
// names begin with. Layers name their images, sounds and envelopes by the names
// of the files.
//
// [Open] makes the folder of a map, [Read] makes a map of the folder. With the
// sidecar in place the map encodes to the same bytes as before, but for what was
// edited; without it to a clean one. Datafiles that are not maps have a folder
// of their own form: see [OpenDatafile].
package mapdir

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"trowel/internal/tree"
	"trowel/teeworlds/datafile"
	"trowel/teeworlds/twmap"
)

const (
	fileMap      = "map.json"
	fileSettings = "settings.cfg"
	fileGroup    = "group.json"
)

// sidecar is the form of the sidecar file.
type sidecar struct {
	Format string                  `json:"format"`
	File   *twmap.FileRelic        `json:"file,omitempty"`
	Items  map[string]*twmap.Relic `json:"items,omitempty"` // by the keys of layout.entities
}

// Open returns the folder of a map. Nothing is inflated before a file that
// needs it is opened. The map must not be changed while the folder is in use.
func Open(m *twmap.Map) fs.FS {
	w := &writer{m: m, at: layoutOf(m), tree: &tree.FS{}}
	w.add(fileMap, w.mapForm)
	w.settings()
	w.media()
	for i, e := range m.Envelopes {
		w.tree.Add(dirEnvelopes+"/"+w.at.envelopes[i]+".json", tree.Meta{Stored: -1, Note: fmt.Sprintf("%s, %d points", e.Channels, len(e.Points))}, func() ([]byte, error) { return envelopeFile(e) })
	}
	for i, g := range m.Groups {
		w.add(w.at.groups[i]+"/"+fileGroup, func() any { return formOfGroup(g) })
		for j, l := range g.Layers {
			w.layer(w.at.layers[i][j], l)
		}
	}
	for i, l := range m.Orphans {
		w.layer(w.at.orphans[i], l)
	}
	w.tree.Add(tree.Sidecar, tree.Meta{Stored: -1, Note: "what gives back the same bytes"}, sync.OnceValues(w.sidecar))
	return w.tree
}

type writer struct {
	m    *twmap.Map
	at   *layout
	tree *tree.FS
}

// add adds a JSON file.
func (w *writer) add(name string, form func() any) {
	w.tree.Add(name, tree.Meta{Stored: -1}, func() ([]byte, error) { return marshal[any](form(), "", nil) })
}

func (w *writer) mapForm() any {
	m := w.m
	form := mapForm{Format: formatMap, Version: unless(m.Version, 1)}
	if i := m.Info; i != nil {
		form.Info = &infoForm{Author: i.Author, Version: i.MapVersion, Credits: i.Credits, License: i.License}
		if !fitLines(i.Settings) {
			form.Info.Settings = i.Settings
		}
	}
	for i, im := range m.Images {
		f := imageForm{Name: im.Name, External: im.External, Version: unless(im.Version, 1), Variant: unless(im.Variant, 1)}
		if w.at.images[i] != im.Name {
			f.File = w.at.images[i]
		}
		f.Missing = !im.External && !im.HasPicture()
		if im.External || f.Missing {
			f.Width, f.Height = im.Width, im.Height
		}
		form.Images = append(form.Images, f)
	}
	for i, s := range m.Sounds {
		f := soundForm{Name: s.Name, External: s.External, Missing: !s.External && !s.HasOpus(), Version: unless(s.Version, 1)}
		if w.at.sounds[i] != s.Name {
			f.File = w.at.sounds[i]
		}
		form.Sounds = append(form.Sounds, f)
	}
	for _, e := range m.Extras {
		f := extraForm{UUID: e.UUID, ID: e.ID, Data: e.Data}
		if e.UUID == nil {
			f.Type = &e.Type
		}
		form.Extras = append(form.Extras, f)
	}
	return form
}

// fitLines tells whether settings can stand in the lines of a file.
func fitLines(settings []string) bool {
	for _, s := range settings {
		if strings.ContainsAny(s, "\r\n") {
			return false
		}
	}
	return true
}

func (w *writer) settings() {
	if w.m.Info == nil || len(w.m.Info.Settings) == 0 || !fitLines(w.m.Info.Settings) {
		return
	}
	w.tree.Add(fileSettings, tree.Meta{Stored: -1, Note: fmt.Sprintf("%d settings", len(w.m.Info.Settings))}, func() ([]byte, error) {
		return []byte(strings.Join(w.m.Info.Settings, "\n") + "\n"), nil
	})
}

func (w *writer) media() {
	for i, im := range w.m.Images {
		if !im.HasPicture() {
			continue
		}
		meta := tree.Meta{Stored: int64(im.StoredSize()), Note: fmt.Sprintf("%d x %d pixels", im.Width, im.Height)}
		w.tree.Add(dirImages+"/"+w.at.images[i]+".png", meta, func() ([]byte, error) {
			p, _ := im.Picture() // Check tells what is wrong with it
			return writePNG(p)
		})
	}
	for i, s := range w.m.Sounds {
		if s.HasOpus() {
			w.tree.Add(dirSounds+"/"+w.at.sounds[i]+".opus", tree.Meta{Stored: int64(s.StoredSize())}, func() ([]byte, error) {
				opus, _ := s.Opus()
				return opus, nil
			})
		}
	}
}

func (w *writer) sidecar() ([]byte, error) {
	relics, err := w.m.Relics()
	if err != nil {
		return nil, err
	}
	form := sidecar{Format: formatMap, File: relics.File, Items: make(map[string]*twmap.Relic)}
	w.at.entities(w.m, func(key string, e twmap.Entity) {
		if k := relics.Of[e]; k != nil {
			form.Items[key] = k
		}
	})
	if form.File != nil && form.File.Original != nil {
		if form.File, err = w.unbuildable(form); err != nil {
			return nil, err
		}
	}
	return marshal[any](form, "", nil)
}

// unbuildable completes the relic of a file that has to be kept whole: it finds
// out what the folder builds to without it, so that Read knows whether somebody
// changed something.
func (w *writer) unbuildable(form sidecar) (*twmap.FileRelic, error) {
	kept, rest := *form.File, *form.File
	rest.Original, rest.Was = nil, ""
	form.File = &rest
	side, err := marshal[any](form, "", nil)
	if err != nil {
		return nil, err
	}
	m, err := Read(withSidecar{w.tree, side}, nil)
	if err != nil {
		return nil, err
	}
	data, err := m.Encode()
	kept.Was = datafile.Mark(data, true)
	return &kept, err
}

// withSidecar is a folder with another sidecar.
type withSidecar struct {
	fs.FS
	side []byte
}

func (w withSidecar) ReadFile(name string) ([]byte, error) {
	if name == tree.Sidecar {
		return w.side, nil
	}
	return fs.ReadFile(w.FS, name)
}
