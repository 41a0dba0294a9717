package twmap

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"trowel.example/teeworlds/datafile"
)

// TestUnreadReference tests that the tiles of a layer that is too large to be read stay its own when a layer before it is removed.
func TestUnreadReference(t *testing.T) {
	m := New(20, 20)
	for i := range 4 {
		l := NewTileLayer(KindTiles, 10+i, 10)
		l.Name = fmt.Sprint("layer ", i)
		l.Tiles().Set(i, 5, Tile{ID: uint8(i + 1)})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	}
	const width, data = 4, 14 // places in the item of a layer of tiles
	large := func(f *datafile.File) *datafile.Item {
		t.Helper()
		i := slices.IndexFunc(f.Items, func(it datafile.Item) bool {
			return it.Type == 5 && len(it.Data) > data && (it.Data[width] == 12 || it.Data[width] > MaxCells)
		})
		if i < 0 {
			t.Fatal("the layer is gone")
		}
		return &f.Items[i]
	}
	content := func(f *datafile.File) []byte {
		t.Helper()
		data, err := f.Data[large(f).Data[data]].Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := datafile.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	want := content(f)
	large(f).Data[width] = MaxCells + 1
	if m, err = FromDatafile(f); err != nil {
		t.Fatal(err)
	}
	m.Groups[0].Layers = slices.DeleteFunc(m.Groups[0].Layers, func(l Layer) bool { return l.Base().Name == "layer 0" })
	if encoded, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	if f, err = datafile.Decode(encoded); err != nil {
		t.Fatal(err)
	}
	if got := content(f); !bytes.Equal(got, want) {
		t.Errorf("the layer has %d other bytes", len(got))
	}
}
