package twmap_test

import (
	"bytes"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// TestResidueOfWhatIsUsedNow tests that residues of unused integers do not replace values that were set since: a clip
// where there was none, and the name of an envelope whose item was too short for a name.
func TestResidueOfWhatIsUsedNow(t *testing.T) {
	m := playable()
	m.Envelopes = []*twmap.Envelope{{Version: 1, Channels: twmap.ChannelsColor, Synchronized: true}}
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	copy(item(f, itemGroup, 0)[8:], []int32{576, 1, 2, 3}) // its clip, which is disabled
	env := items(f, itemEnvelope)[0]
	env.Data = append(env.Data[:4:4], -1) // as in 2008
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m = decode(t, data)
	m.Groups[0].Clip = &twmap.Clip{Width: 9, Height: 9}
	m.Envelopes[0].Version, m.Envelopes[0].Synchronized = 2, false
	back := decode(t, encode(t, m))
	if got := back.Groups[0].Clip; got == nil || *got != *m.Groups[0].Clip {
		t.Errorf("the clip is %v", got)
	}
	if got := back.Envelopes[0]; got.Name != "" || got.Synchronized {
		t.Errorf("the envelope is %+v", got)
	}
}

// TestSurplusItems tests that an edit writes no item with the id of another one, and that items without effect keep none.
func TestSurplusItems(t *testing.T) {
	auto := datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")
	for name, change := range map[string]func(f *datafile.File){
		"tangents": func(f *datafile.File) {
			f.AddUUIDItem(datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw"), 0, 1, 2, 3)
		},
		"information with id 1 first": func(f *datafile.File) {
			i := slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == 1 })
			f.Items = slices.Insert(f.Items, i, datafile.Item{Type: 1, ID: 1, Data: []int32{1, -1, -1, -1, -1, -1}})
		},
		"versions":                 func(f *datafile.File) { f.AddItem(0, 1, 1) },
		"automapper of version 2":  func(f *datafile.File) { f.AddUUIDItem(auto, 7, 2, 1, 0, 1, 1, 1) },
		"automapper of game layer": func(f *datafile.File) { f.AddUUIDItem(auto, 7, 1, 0, 0, 1, 1, 1) },
		"index with five integers": func(f *datafile.File) {
			f.AddItem(datafile.TypeUUIDIndex, 0xfffe, append(slices.Clone(datafile.UUIDItem(0, auto).Data), 9)...)
			f.AddItem(0xfffe, 0, 1, 1, 0, 1, 1, 1)
		},
	} {
		m := playable()
		m.Info.Settings = []string{"sv_hit 1"}
		m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("", twmap.ChannelsColor, twmap.EnvPoint{Curve: twmap.CurveBezier})}
		f, err := m.Datafile()
		if err != nil {
			t.Fatal(err)
		}
		if name == "tangents" || name == "index with five integers" {
			f.Items = slices.DeleteFunc(f.Items, func(it datafile.Item) bool { return it.Type > 0x8000 })
		}
		change(f)
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		m = decode(t, data)
		if got := m.Info.Settings; len(got) != 1 {
			t.Errorf("%s: the settings are %q", name, got)
		}
		items, extras := len(m.Source().Items), len(m.Extras)
		m.Info.Settings[0] = "sv_hit 0"
		for _, form := range []string{"edited", "clean"} {
			if form == "clean" {
				m.Clean()
			}
			back := decode(t, encode(t, m))
			if form == "edited" && (len(back.Source().Items) != items || len(back.Extras) != extras) {
				t.Errorf("%s: %d items, %d extras of %d, %d", name, len(back.Source().Items), len(back.Extras), items, extras)
			}
			for _, finding := range check.Collect(back.CheckFile) {
				if finding.ID == "tw-datafile-item-id" {
					t.Errorf("%s, %s: %s", name, form, finding.Message)
				}
			}
		}
	}
}

// TestOrphanBeforeGroups tests that an edit of a map whose first layer is in no group leaves the others in their groups.
func TestOrphanBeforeGroups(t *testing.T) {
	m := playable()
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == itemGroup })
	f.Items = slices.Delete(f.Items, i, i+1)
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m = decode(t, data)
	names := func(m *twmap.Map) (list []string) {
		for _, g := range m.Groups {
			for _, l := range g.Layers {
				list = append(list, g.Name+"/"+l.Base().Name)
			}
		}
		return list
	}
	want := names(m)
	m.Info.Author = "another"
	if got := names(decode(t, encode(t, m))); !slices.Equal(got, want) {
		t.Errorf("the layers are %q, want %q", got, want)
	}
}

// TestStaleNumbers tests that the numbers of data blocks which no game reads in a layer are no uses of these blocks:
// an unchanged map keeps them, an image that is removed leaves the file, and a block that only they name is reported
// and can be removed, also from a folder.
func TestStaleNumbers(t *testing.T) {
	m := playable()
	big := picture(32, 32)
	for i := range big.Pix {
		big.Pix[i] = byte(i * i * i >> 7)
	}
	m.Images = []*twmap.Image{twmap.NewImage("big", big)}
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	image, layer := item(f, itemImage, 0), item(f, itemLayer, 0)
	layer[len(layer)-4] = image[5] // tele, speedup, front, switch, tune: number of the pixels
	file := func() []byte {
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, decode(t, data)), data) {
			t.Error("the unchanged map changes")
		}
		return data
	}
	data := file()
	small := len(data) - f.Data[image[5]].StoredSize()
	m = decode(t, data)
	m.Images = nil
	if less := encode(t, m); len(less) >= small {
		t.Errorf("the map without its image has %d bytes, expected fewer than %d", len(less), small)
	}

	image[5] = -1 // only the layer names the block now
	data = file()
	m = decode(t, data)
	if ids, _ := findings(m); !slices.Contains(ids, "tw-map-data-unused") {
		t.Errorf("the block that nothing uses is not reported: %v", ids)
	}
	residues, err := m.Residues()
	if err != nil {
		t.Fatal(err)
	}
	folder := m.Clone()
	folder.SetResidues(residues)
	for _, m := range []*twmap.Map{m, folder} {
		if n := m.RemoveUnusedBlocks(); n != 1 {
			t.Errorf("%d blocks were removed, expected 1", n)
		}
		if less := encode(t, m); len(less) > small {
			t.Errorf("the map without its unused block has %d bytes, expected %d", len(less), small)
		}
	}
}

// TestLargestID tests that a file with several items of the largest ids of a type is written unchanged.
func TestLargestID(t *testing.T) {
	f, err := playable().Datafile()
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []uint16{0, 1, 0xfffe, 0xffff, 0xffff, 0xfffe, 0xffff} {
		f.AddItem(0x7000, id, int32(i))
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, decode(t, data)), data) {
		t.Error("other bytes")
	}
}
