// Package mapdir represents a Teeworlds or DDNet map as a folder of ordinary files, for people and for version
// control:
//
//	map.json                  author and other information
//	settings.cfg              server settings, one on each line
//	images/order.txt          the images in their order, a name on each line
//	images/NAME.png           embedded images
//	images/NAME.json          what the .png does not state, such as that the image is external
//	sounds/order.txt, NAME.opus, NAME.json
//	envelopes/order.txt
//	envelopes/NAME.json       a line for each point
//	groups/order.txt          the groups from the back to the front
//	groups/NAME/group.json
//	groups/NAME/order.txt     its layers
//	groups/NAME/LAYER.json    a layer; a line for each quad or sound source
//	groups/NAME/LAYER.txt     its tiles, a line for each row
//	orphans/order.txt, LAYER.json, LAYER.txt    layers without a group
//	.trowel.json              details needed only to reproduce identical bytes
//
// Lists and other parts refer to a part by the name of its file, which does not depend on its position in its list.
// See names.go for how parts get these names. File names have no other meaning: the JSON of a group, a layer or an
// envelope contains its name in the map.
//
// [Open] returns the folder of a map. Opening a file whose data cannot be read is an error, unless the map was
// returned by [twmap.Salvage]. [Read] builds a map from its folder. With the sidecar the map encodes to the same
// bytes as before, except for edits; without the sidecar it encodes to a clean map. Datafiles that are not maps have
// a different kind of folder: see package mapfile.
package mapdir

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

const (
	fileMap      = "map.json"
	fileSettings = "settings.cfg"
	fileGroup    = "group.json"
)

// sidecar is the JSON form of the sidecar file.
type sidecar struct {
	Format string                    `json:"format"`
	File   *twmap.FileResidue        `json:"file,omitempty"`
	Items  map[string]*twmap.Residue `json:"items,omitempty"` // by the keys of layout.entities
}

// Open returns the folder of a map. It inflates nothing before a file that needs it is opened, except layers that
// only their contents distinguish. The map must not be changed while the folder is in use.
func Open(m *twmap.Map) fs.FS { return NamesOf(m).Open() }

// OpenLike returns the folder of a map in which the parts that package mapmatch finds in like keep their names from
// there.
func OpenLike(m *twmap.Map, like *Names) fs.FS {
	return like.For(m).Open()
}

// Open returns the folder of the map with these names.
func (n *Names) Open() fs.FS {
	m := n.m
	w := &writer{m: m, at: n.at, tree: &tree.FS{}}
	w.add(fileMap, w.mapForm)
	w.settings()
	w.media()
	w.order(dirEnvelopes, w.at.envelopes)
	for i, e := range m.Envelopes {
		w.tree.Add(dirEnvelopes+"/"+w.at.envelopes[i]+".json", tree.Meta{Stored: -1,
			Note: fmt.Sprintf("%s, %s", e.Channels, words.Count(len(e.Points), "point"))}, func() ([]byte, error) { return envelopeFile(e) })
	}
	w.order(dirGroups, w.at.groups)
	for i, g := range m.Groups {
		w.add(w.at.group(i)+"/"+fileGroup, func() any { return formOfGroup(g) })
		w.order(w.at.group(i), w.at.layers[i])
		for j, l := range g.Layers {
			w.layer(w.at.layer(i, j), l)
		}
	}
	w.order(dirOrphans, w.at.orphans)
	for i, l := range m.Orphans {
		w.layer(w.at.orphan(i), l)
	}
	w.tree.Add(tree.Sidecar, tree.Meta{Stored: -1, Note: "restores identical bytes"}, sync.OnceValues(w.sidecar))
	return w.tree
}

type writer struct {
	m    *twmap.Map
	at   *layout
	tree *tree.FS
}

// lost returns an error of reading a data block, except for a map whose reader accepted losses: its folder contains
// what could be read. Check reports all other problems of parts.
func (w *writer) lost(err error) error {
	if errors.Is(err, fault.ErrLimit) {
		return err
	}
	if f := w.m.Source(); errors.Is(err, datafile.ErrUnreadable) && f != nil && !f.Salvaged() {
		return err
	}
	return nil
}

// add adds a JSON file.
func (w *writer) add(name string, form func() any) {
	w.tree.Add(name, tree.Meta{Stored: -1}, func() ([]byte, error) { return forms.Marshal[any](form(), "", nil) })
}

// order adds the list of the parts in a folder.
func (w *writer) order(dir string, names []string) {
	if len(names) > 0 {
		w.tree.Add(dir+"/"+fileOrder, tree.Meta{Stored: -1}, func() ([]byte, error) { return orderFile(names), nil })
	}
}

func (w *writer) mapForm() any {
	m := w.m
	form := mapForm{Format: formatMap, Version: version(m.Version, 1)}
	if i := m.Info; i != nil {
		form.Info = &infoForm{Author: plain(i.Author), Version: plain(i.MapVersion), Credits: plain(i.Credits), License: plain(i.License)}
		if !fitLines(i.Settings) {
			for _, line := range i.Settings {
				form.Info.Settings = append(form.Info.Settings, plain(line))
			}
		}
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

// fitLines reports whether settings can be stored as the lines of a file.
func fitLines(settings []string) bool {
	for _, s := range settings {
		if strings.ContainsAny(s, "\r\n\x00") || strings.HasPrefix(s, forms.ByteOrderMark) {
			return false
		}
	}
	return true
}

func (w *writer) settings() {
	if w.m.Info == nil || len(w.m.Info.Settings) == 0 || !fitLines(w.m.Info.Settings) {
		return
	}
	w.tree.Add(fileSettings, tree.Meta{Stored: -1, Note: words.Count(len(w.m.Info.Settings), "setting")}, func() ([]byte, error) {
		return []byte(strings.Join(w.m.Info.Settings, "\n") + "\n"), nil
	})
}

func (w *writer) media() {
	w.order(dirImages, w.at.images)
	for i, im := range w.m.Images {
		name := dirImages + "/" + w.at.images[i]
		form := imageForm{External: im.External(), Missing: !im.External() && !im.HasPicture(),
			Version: version(im.Version, 1), Variant: unless(im.Variant, 1)}
		if im.Name != w.at.images[i] {
			form.Name = (*plain)(&im.Name)
		}
		if form.External || form.Missing {
			form.Width, form.Height = int32(im.Width()), int32(im.Height())
		}
		if form != (imageForm{}) {
			w.add(name+".json", func() any { return form })
		}
		if form.External || form.Missing {
			continue
		}
		meta := tree.Meta{Stored: int64(im.StoredSize()), Binary: true,
			Note:   fmt.Sprintf("%d x %d pixels", im.Width(), im.Height()),
			Memory: int64(im.Width()) * int64(im.Height()) * memoryOfPixel}
		w.tree.Add(name+".png", meta, func() (data []byte, err error) {
			im.Look(func(p *image.NRGBA, e error) {
				if err = w.lost(e); err == nil {
					data, err = writePNG(p)
				}
			})
			return data, err
		})
	}
	w.order(dirSounds, w.at.sounds)
	for i, s := range w.m.Sounds {
		name := dirSounds + "/" + w.at.sounds[i]
		form := soundForm{External: s.External(), Missing: !s.External() && !s.HasOpus(), Version: version(s.Version, 1)}
		if s.Name != w.at.sounds[i] {
			form.Name = (*plain)(&s.Name)
		}
		if form != (soundForm{}) {
			w.add(name+".json", func() any { return form })
		}
		if s.HasOpus() {
			w.tree.Add(name+".opus", tree.Meta{Stored: int64(s.StoredSize())}, func() ([]byte, error) {
				opus, err := s.Opus()
				return opus, w.lost(err)
			})
		}
	}
}

func (w *writer) sidecar() ([]byte, error) {
	residues, err := w.m.Residues()
	if err != nil {
		return nil, err
	}
	form := sidecar{Format: formatMap, File: residues.File, Items: make(map[string]*twmap.Residue)}
	w.at.entities(w.m, func(key string, e twmap.Entity) {
		if k := residues.Of[e]; k != nil {
			form.Items[key] = k
		}
	})
	if form.File != nil && form.File.Original != nil {
		if form.File, err = w.unbuildable(form); err != nil {
			return nil, err
		}
	}
	return forms.Marshal[any](form, "", nil)
}

// unbuildable completes the residue of a file that must be kept whole: it determines what the folder builds to
// without the residue, so that Read can detect edits.
func (w *writer) unbuildable(form sidecar) (*twmap.FileResidue, error) {
	kept, rest := *form.File, *form.File
	rest.Original, rest.Was = nil, ""
	form.File = &rest
	side, err := forms.Marshal[any](form, "", nil)
	if err != nil {
		return nil, err
	}
	m, err := Read(withSidecar{w.tree, side}, nil)
	if err != nil {
		return nil, err
	}
	data, err := m.Encode()
	kept.Was = datafile.Mark(data)
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
