package judge

import (
	"bytes"
	"os/exec"
	"testing"

	"trowel.example/internal/testing/tests"
)

// ImageMagick returns the path of ImageMagick's conversion program. It skips the test if the program is not installed,
// unless judges are required.
func ImageMagick(t testing.TB) string {
	t.Helper()
	tests.Judges(t)
	for _, name := range []string{"magick", "convert-im6.q16", "convert-im7.q16", "convert"} {
		if path, err := exec.LookPath(name); err == nil {
			if output, err := exec.Command(path, "-version").Output(); err == nil && bytes.Contains(output, []byte("ImageMagick")) {
				return path
			}
		}
	}
	tests.Missing(t, "judges", "no ImageMagick here: on Debian, it is the package imagemagick")
	return ""
}
