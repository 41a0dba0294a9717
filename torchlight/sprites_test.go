package torchlight

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/picture"
)

// cutSprites converts an image set and returns the pictures, by the names of their files, and the reports.
func cutSprites(t *testing.T, at string) (pictures map[string]*image.NRGBA, warned, lost []string, err error) {
	t.Helper()
	src, err := format.OpenSource(at)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	job := &format.Job{}
	job.OnWarn = func(_, message string) { warned = append(warned, message) }
	job.OnMiss = func(_, message string) { lost = append(lost, message) }
	dir := filepath.Join(t.TempDir(), "sprites")
	out, err := output.New(dir, output.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Discard()
	if err := toSprites.Convert(t.Context(), job, src, out); err != nil {
		return nil, warned, lost, err
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pictures = make(map[string]*image.NRGBA)
	for _, e := range entries {
		data := judge.Read(t, filepath.Join(dir, e.Name()))
		m, err := picture.Decode(e.Name(), data)
		if err != nil {
			t.Fatal(e.Name(), err)
		}
		pictures[strings.TrimSuffix(e.Name(), ".png")] = m
	}
	return pictures, warned, lost, nil
}

// TestSpritesRoundTrip tests that the pictures of which an image set was made come out of it with the same pixels, also those that nobody
// sees.
func TestSpritesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 30; n += 4 {
		want := make(map[string]*image.NRGBA)
		for i := range n {
			m := image.NewNRGBA(image.Rect(0, 0, 1+r.IntN(70), 1+r.IntN(70)))
			for i := range m.Pix {
				m.Pix[i] = uint8(r.IntN(256))
			}
			want[fmt.Sprintf("icon %d", i)] = m
		}
		dir := filepath.Join(t.TempDir(), "media", "ui")
		set, m, err := imageset.Build("MEDIA/UI/frost.dds", want)
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := dds.Encode(m, dds.Plain)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "Frost.dds"), sheet)
		writeFile(t, filepath.Join(dir, "frost.imageset"), set)
		got, warned, lost, err := cutSprites(t, filepath.Join(dir, "frost.imageset"))
		if err != nil || warned != nil || lost != nil || len(got) != n {
			t.Fatalf("%d pictures became %d: %v %v %v", n, len(got), err, warned, lost)
		}
		for name, m := range want {
			if got[name] == nil || got[name].Rect.Size() != m.Rect.Size() || !slices.Equal(got[name].Pix, m.Pix) {
				t.Errorf("%s has other pixels", name)
			}
		}
	}
}

func writeFile(t *testing.T, at string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, at, data)
}

// TestSpritesReports tests what is reported about sprites that cannot be cut as they are.
func TestSpritesReports(t *testing.T) {
	sheet, err := dds.Encode(image.NewNRGBA(image.Rect(0, 0, 16, 8)), dds.Plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set, warned, lost, err string
		names                  []string
	}{
		{set: sprite("a", 0, 0, 16, 8), names: []string{"a"}},
		{set: sprite("a", 1, 1, 16, 8), names: []string{"a"},
			warned: `the sprite "a" is cut at the edge of the picture: it is (1,1)-(17,9), and the picture has 16 x 8`},
		{set: sprite("a", -4, 0, 8, 8), warned: `the sprite "a" is cut at the edge`, names: []string{"a"}},
		{set: sprite("a", 20, 0, 4, 4) + sprite("b", 0, 0, 4, 4), lost: `line 2: the sprite "a" is outside of the picture`, names: []string{"b"}},
		{set: sprite("a", -8, 0, 8, 8), lost: `the sprite "a" is outside`},
		{set: sprite("a", 0, 0, 4, 4) + sprite("A", 4, 0, 4, 4), warned: `left out a second sprite with the name "A"`, names: []string{"a"}},
		{set: sprite("a", 0, 0, 0, 4), warned: "has no pixels"},
		{set: sprite("", 0, 0, 4, 4), warned: "without a name"},
		{set: sprite("a/../../b", 0, 0, 4, 4), warned: "because not all systems allow its name", names: []string{"a%2F..%2F..%2Fb"}},
		{set: `<Image Name="a" XPos="x" YPos="0" Width="4" Height="4"/>` + sprite("b", 0, 0, 4, 4), lost: "whole numbers XPos",
			names: []string{"a", "b"}},
		{set: "", err: "the image set has no sprites"},
	} {
		at := filepath.Join(t.TempDir(), "x.imageset")
		writeFile(t, at, []byte(`<Imageset Name="x" Imagefile="media/ui/X.DDS">`+"\n"+test.set+"</Imageset>"))
		if _, _, _, err := cutSprites(t, at); err == nil || !strings.Contains(err.Error(), "its picture media/ui/X.DDS is missing") {
			t.Errorf("without its picture: %v", err)
		}
		writeFile(t, filepath.Join(filepath.Dir(at), "X.DDS"), sheet)
		got, warned, lost, err := cutSprites(t, at)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", test.set, err)
			}
			continue
		}
		var names []string
		for name := range got {
			names = append(names, name)
		}
		slices.Sort(names)
		if err != nil || !slices.Equal(names, test.names) {
			t.Errorf("%s: %q %v", test.set, names, err)
		}
		for want, reports := range map[string][]string{"warned: " + test.warned: warned, "lost: " + test.lost: lost} {
			what, want, _ := strings.Cut(want, ": ")
			if got := strings.Join(reports, "\n"); !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("%s: %s: %q, expected %q", test.set, what, got, want)
			}
		}
	}
}

func sprite(name string, x, y, w, h int) string {
	return fmt.Sprintf("<Image Name=\"%s\" XPos=\"%d\" YPos=\"%d\" Width=\"%d\" Height=\"%d\"/>\n", name, x, y, w, h)
}
