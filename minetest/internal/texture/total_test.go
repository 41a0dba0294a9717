package texture

import (
	"errors"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
)

// TestTotal tests that the work for all strings of a Maker is limited, that strings which exceed a limit are not tried again,
// and that strings which have been made count once.
func TestTotal(t *testing.T) {
	m := NewMaker(new(Search), Newest)
	const text = Crack + "^[brighten"
	if _, err := m.Make(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	_ = m.total.Spend(effort.Textures.Least - partWork)
	for range 2 {
		if img, err := m.Make(t.Context(), text+"^[brighten"); !errors.Is(err, fault.ErrLimit) || img != nil {
			t.Errorf("%v, %v", img, err)
		}
	}
	clear(m.cache)
	if img, err := m.Make(t.Context(), text); err != nil || img == nil {
		t.Errorf("%v, %v", img, err)
	}
}
