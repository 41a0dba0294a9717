package pixel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/testing/judge"
)

// TestPNGImageMagick tests that ImageMagick reads the written PNG files.
func TestPNGImageMagick(t *testing.T) {
	convert := judge.ImageMagick(t)
	for name, test := range map[string]struct {
		colors int
		opaque bool
		kind   pixel.Kind
	}{
		"rgb":     {2000, true, pixel.RGB},
		"rgba":    {2000, false, pixel.RGBA},
		"palette": {200, false, pixel.RGBA},
	} {
		m := picture(3, 700, 900, test.colors, test.opaque)
		path := filepath.Join(t.TempDir(), name+".png")
		judge.Write(t, path, write(t, m, test.kind, 450))
		cmd := exec.Command(convert, path, "-depth", "8", "rgba:-")
		cmd.Stderr = os.Stderr
		got, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, len(m.Pix))
		pixel.Straight(want, m.Pix)
		if len(got) != len(want) {
			t.Fatalf("%s: %d bytes", name, len(got))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: byte %d is %d, want %d", name, i, got[i], want[i])
			}
		}
	}
}
