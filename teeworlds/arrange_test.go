package teeworlds

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdir"
)

// burrowSource returns the sample map.
func burrowSource(t *testing.T) *format.Source {
	t.Helper()
	m, err := mapdir.Read(os.DirFS("../samples/burrow"), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return format.NewSource("burrow.map", data)
}

// edited performs a step and returns the reports.
func edited(t *testing.T, src *format.Source, words []string) (reports []string, err error) {
	t.Helper()
	job := teeworldsMap.Job()
	steps, err := format.ParseSteps(job, mapEditing.Commands, words)
	if err != nil {
		return nil, err
	}
	err = mapEditing.Edit(t.Context(), job, src, steps, nil, func(c check.Change) error {
		reports = append(reports, c.String())
		return nil
	})
	return reports, err
}

// TestActions tests that each action of the scene changes something, or is the beginning of a step, and that it names its part.
func TestActions(t *testing.T) {
	src := burrowSource(t)
	scene, err := teeworldsMap.Scene(context.Background(), teeworldsMap.Job(), src, "")
	if err != nil {
		t.Fatal(err)
	}
	defer scene.Close()
	layers := make(map[string]int)
	for _, l := range scene.Views[0].Layers {
		layers[l.Name] = 0
	}
	for _, a := range scene.Actions() {
		reports, err := edited(t, src, a.Words)
		switch {
		case a.Asks && err != nil && !strings.Contains(err.Error(), "expected") && !strings.Contains(err.Error(), "no burrow.rules"):
			t.Errorf("%s of %s: %q: %v", a.Title, a.Part, a.Words, err)
		case a.Asks:
		case err != nil && (a.Title != "Remove" || !strings.Contains(err.Error(), "game layer")):
			t.Errorf("%s of %s: %q: %v", a.Title, a.Part, a.Words, err)
		case err == nil && !slices.ContainsFunc(reports, func(r string) bool { return strings.Contains(r, a.Part) }):
			t.Errorf("%s of %s: %q: %q", a.Title, a.Part, a.Words, reports)
		}
		if n, is := layers[a.Part]; is {
			layers[a.Part] = n + 1
		}
	}
	for name, n := range layers {
		if n < 2 {
			t.Errorf("%s has %d actions", name, n)
		}
	}
}

// TestShapes tests that the numbers and lengths of shapes are those of the commands.
func TestShapes(t *testing.T) {
	src := burrowSource(t)
	scene, err := teeworldsMap.Scene(context.Background(), teeworldsMap.Job(), src, "")
	if err != nil {
		t.Fatal(err)
	}
	defer scene.Close()
	s := scene.Shaping
	some := 0
	for _, o := range s.Outlines() {
		shapes, err := s.Shapes(o.Layer)
		if err != nil || len(shapes) != o.Shapes {
			t.Fatalf("%s: %d shapes of %d, %v", o.Layer, len(shapes), o.Shapes, err)
		}
		if some += len(shapes); len(shapes) == 0 {
			continue
		}
		last := string(rune('0' + (len(shapes)-1)%10))
		if len(shapes) > 10 {
			continue
		}
		for _, words := range [][]string{{mapEditing.Move, o.Word, "3,-4", last}, {mapEditing.Tint, o.Word, "#12345678", last}} {
			if reports, err := edited(t, src, words); err != nil || len(reports) != 1 || !strings.Contains(reports[0], o.Layer) {
				t.Errorf("%q: %q, %v", words, reports, err)
			}
		}
		if _, err := edited(t, src, []string{mapEditing.Move, o.Word, "3,-4", "99999"}); err == nil {
			t.Errorf("%s: a quad that does not exist was moved", o.Layer)
		}
	}
	if some == 0 {
		t.Error("the sample has no shapes")
	}
	if _, err := s.Shapes("Game/Game"); err == nil {
		t.Error("a layer of tiles has shapes")
	}
}

// TestReplaceSettings tests that settings are replaced by their numbers.
func TestReplaceSettings(t *testing.T) {
	src := burrowSource(t)
	for _, c := range []struct{ words, want string }{
		{"0 1 sv_hit|0", "setting changed: "},
		{"0 0 sv_deepfly|1", "setting added: sv_deepfly 1"},
		{"0 1", "setting removed: "},
		{"9999 0 sv_hit", "!no settings 9999 to 9998"},
		{"0 9999", "!no settings 0 to 9998"},
		{"-1 0", "!no settings -1 to -2"},
		{"0 2147483647", "!no settings"},
		{"0 0 |", "!expected a command"},
	} {
		words := append([]string{"replace-settings"}, strings.Fields(c.words)...)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "|", " ")
		}
		reports, err := edited(t, src, words)
		want, fails := strings.CutPrefix(c.want, "!")
		if fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", words, err, want)
			}
		} else if err != nil || len(reports) != 1 || !strings.Contains(reports[0], want) {
			t.Errorf("%q: %q, %v", words, reports, err)
		}
	}
}
