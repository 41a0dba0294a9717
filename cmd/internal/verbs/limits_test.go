package verbs

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// TestEffortMemory tests --effort and --memory: their errors, their effect, and the advice about a file that needs more.
func TestEffortMemory(t *testing.T) {
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
	at := slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == 2 }) // the image
	f.Items = slices.Insert(f.Items, at, slices.Repeat(f.Items[at:at+1], 200)...)
	f.Data[f.Items[at].Data[5]] = datafile.NewBlockStream(make([]byte, 1<<17), 64<<20)
	if data, err = f.Encode(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "swarm.map")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	limit := debug.SetMemoryLimit(-1)
	defer func() {
		debug.SetMemoryLimit(limit)
		parallel.SetMemory(0)
		effort.SetFactor(1)
	}()
	for _, test := range []struct {
		args, out string
		code      int
	}{
		{"info FILE", "items[130]: expected at most 8,598,", exitFailed},
		{"info FILE", "if you trust the file, --effort N allows N times as much", exitFailed},
		{"check FILE", "--effort N allows N times as much) [limit]", exitFound},
		{"info --effort 4 FILE", "embedded images:", exitFine},
		{"info --effort 0 FILE", `--effort: expected 1 to 1048576, not "0"`, exitFailed},
		{"info --effort many FILE", `--effort: expected 1 to 1048576, not "many"`, exitFailed},
		{"info --memory 1KB FILE", `--memory: expected at least 64MB, such as 512MB or 2GB, not "1KB"`, exitFailed},
		{"info --memory 0 FILE", "--memory: expected at least 64MB", exitFailed},
		{"info --memory 256MB --effort 4 FILE", "embedded images:", exitFine},
	} {
		var out bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(test.args, "FILE", filepath.ToSlash(path)))
		if code := Main(games, args, strings.NewReader(""), &out, &out); code != test.code || !strings.Contains(out.String(), test.out) {
			t.Errorf("%s: %d, %s", test.args, code, &out)
		}
	}
	if got := debug.SetMemoryLimit(-1); got != 256<<20 || parallel.Share(100) != 25 {
		t.Errorf("--memory 256MB: a limit of %d, a quarter of 100 is %d", got, parallel.Share(100))
	}
}
