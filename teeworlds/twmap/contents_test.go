package twmap_test

import (
	"errors"
	"image"
	"slices"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// shared returns a map with n images that share one data block of 64 MiB.
func shared(t *testing.T, n int) []byte {
	t.Helper()
	m := twmap.New(2, 2)
	m.Images = append(m.Images, twmap.NewImage("a", image.NewNRGBA(image.Rect(0, 0, 4, 4))))
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	const typeImage = 2
	at := slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == typeImage })
	for i := range n {
		it := f.Items[at]
		it.ID = uint16(i + 1)
		f.Items = slices.Insert(f.Items, at+1+i, it)
	}
	f.Data[f.Items[at].Data[5]] = datafile.NewBlockStream(make([]byte, 1<<17), 64<<20)
	if data, err = f.Encode(); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSharedContents tests that parts that share a data block are limited together, that the error names the first
// item beyond the budget, and that the budget can be raised.
func TestSharedContents(t *testing.T) {
	if _, err := twmap.Decode(shared(t, 10)); err != nil {
		t.Error(err)
	}
	data := shared(t, 1000)
	for _, read := range []func([]byte) (*twmap.Map, error){twmap.Decode, twmap.Salvage} {
		m, err := read(data)
		e, ok := errors.AsType[*fault.Error](err)
		if m != nil || !ok || !errors.Is(err, effort.ErrMet) || e.Path != "items[130]" {
			t.Errorf("%v", err)
		}
	}
	effort.SetFactor(40)
	defer effort.SetFactor(1)
	if _, err := twmap.Decode(data); err != nil {
		t.Errorf("with more effort: %v", err)
	}
}
