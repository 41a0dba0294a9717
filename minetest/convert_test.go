package minetest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// keptDir is an output that is a folder.
type keptDir struct {
	format.Output
	dir string
}

func (o keptDir) KeptDir() (string, error) { return o.dir, nil }

// TestFollow tests that --follow copies the changes of a world until its server has stopped, or until nothing changes.
func TestFollow(t *testing.T) {
	pause, quiet := followPause, followQuiet
	followPause, followQuiet = time.Millisecond, 50*time.Millisecond
	t.Cleanup(func() { followPause, followQuiet, filelock.FindUser = pause, quiet, nil })
	for _, stops := range []bool{true, false} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
		dst := filepath.Join(t.TempDir(), "dst")
		asked := 0
		filelock.FindUser = func(path string) string {
			if asked++; path != dir || stops && asked > 4 {
				return ""
			}
			judge.Write(t, filepath.Join(dir, "players", "ann"), []byte(strings.Replace(worldtest.Files["players/ann"], "99",
				map[bool]string{true: "98", false: "97"}[asked < 3], 1)))
			return "minetestserver (process 7)"
		}
		var done, warned []string
		job := &format.Job{Values: map[string]string{"follow": "true", "players": "sqlite3"},
			Reports: format.Reports{
				OnDone: func(text string) { done = append(done, text) },
				OnWarn: func(_, text string) { warned = append(warned, text) },
			}}
		if err := convertWorld(t.Context(), job, &format.Source{Path: dir, Dir: dir}, keptDir{dir: dst}, mapdb.LevelDB); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(done, "1 change since the last pass") {
			t.Errorf("%q", done)
		}
		if last := done[len(done)-1]; strings.HasSuffix(last, "no program had the world open") != stops || len(warned) > 0 == stops {
			t.Errorf("stops %v: %q, %q", stops, done, warned)
		}
	}
}
