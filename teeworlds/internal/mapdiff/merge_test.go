package mapdiff_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// repository is a git repository with the folder of a map.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here: the merge of folders is not tested")
	}
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) run(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	return cmd.CombinedOutput()
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	if out, err := r.run(args...); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit extracts a map over the folder, as with -f, and commits the result.
func (r *repository) commit(m *twmap.Map) {
	r.t.Helper()
	m = decode(r.t, m)
	tree := mapdir.Open(m)
	if old, err := mapdir.ReadNames(os.DirFS(r.dir)); err == nil {
		tree = mapdir.OpenLike(m, old)
	}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o666)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "map")
}

// pack reads the folder.
func (r *repository) pack() *twmap.Map {
	r.t.Helper()
	m, err := mapdir.Read(os.DirFS(r.dir), func(file, message string) { r.t.Errorf("warning: %s: %s", file, message) })
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

func insertGroup(m *twmap.Map, at int, name string) {
	m.Groups = slices.Insert(m.Groups, at, &twmap.Group{Version: 3, Name: name, ParallaxX: 10, ParallaxY: 20,
		Layers: []twmap.Layer{tiles(name, 10, 10, len(name)), twmap.NewQuadLayer(quad(1, int32(at)))}})
}

// TestGitMerge tests that git merges changes of two people at different places of a map, and that the result has
// both.
func TestGitMerge(t *testing.T) {
	type edit = func(m *twmap.Map)
	for _, c := range []struct {
		name         string
		ours, theirs edit
	}{
		{"a group each", func(m *twmap.Map) { insertGroup(m, 1, "Clouds") }, func(m *twmap.Map) { insertGroup(m, 3, "Hills") }},
		{"groups of one name", func(m *twmap.Map) { insertGroup(m, 0, "New") }, func(m *twmap.Map) { insertGroup(m, 5, "Newer") }},
		{"different layers", func(m *twmap.Map) { layer[*twmap.TileLayer](m, 3, 0).Tiles().Set(1, 1, twmap.Tile{ID: 77}) },
			func(m *twmap.Map) { layer[*twmap.TileLayer](m, 3, 2).Tiles().Set(1, 1, twmap.Tile{ID: 77}) }},
		{"layers without names", func(m *twmap.Map) { layer[*twmap.TileLayer](m, 1, 0).Tiles().Set(1, 1, twmap.Tile{ID: 77}) },
			func(m *twmap.Map) { layer[*twmap.TileLayer](m, 1, 2).Tiles().Set(1, 1, twmap.Tile{ID: 77}) }},
		{"a group, and tiles behind it", func(m *twmap.Map) { insertGroup(m, 0, "Clouds") },
			func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 77}) }},
		{"rows of one layer", func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 77}) },
			func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(5, 20, twmap.Tile{ID: 77}) }},
		{"an image and a setting", func(m *twmap.Map) {
			m.Images = append(m.Images, twmap.NewExternalImage("snow", 64, 64))
		}, func(m *twmap.Map) { m.Info.Settings[0] = "sv_hit 1" }},
		{"an envelope each", func(m *twmap.Map) {
			m.Envelopes = append(m.Envelopes, &twmap.Envelope{Version: 2, Name: "late", Channels: 1})
		}, func(m *twmap.Map) { m.Envelopes[0].Points[1].Values[0] = 5 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.commit(base())
			r.git("checkout", "-q", "-b", "theirs")
			theirs := base()
			c.theirs(theirs)
			r.commit(theirs)
			r.git("checkout", "-q", "main")
			ours := base()
			c.ours(ours)
			r.commit(ours)
			r.git("merge", "-q", "--no-edit", "theirs")

			want := base()
			if c.name == "a group each" || c.name == "groups of one name" { // from the end, so that indexes stay valid
				c.theirs(want)
				c.ours(want)
			} else {
				c.ours(want)
				c.theirs(want)
			}
			merged := r.pack()
			if lines, _ := compare(t, decode(t, want), decode(t, merged)); len(lines) > 0 {
				t.Errorf("the merged map differs: %q", lines)
			}
			if _, err := merged.Encode(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCorpusGitMerge tests the same with maps of the corpus, whose sidecars are not empty.
func TestCorpusGitMerge(t *testing.T) {
	for i, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		if st, err := os.Stat(path); err != nil || i%6 != 0 || st.Size() > 300_000 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			read := func() *twmap.Map {
				data := judge.Read(t, path)
				m, err := twmap.Decode(data)
				if errors.Is(err, twmap.ErrNoVersion) {
					t.Skip("a map of 2007")
				}
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			n := len(read().Groups)
			if n < 3 {
				t.Skip("too few groups")
			}
			r := newRepository(t)
			r.commit(read())
			r.git("checkout", "-q", "-b", "theirs")
			theirs := read()
			insertGroup(theirs, n, "TheirsX")
			r.commit(theirs)
			r.git("checkout", "-q", "main")
			ours := read()
			insertGroup(ours, n-2, "OursX")
			r.commit(ours)
			r.git("merge", "-q", "--no-edit", "theirs")
			want := read()
			insertGroup(want, n, "TheirsX")
			insertGroup(want, n-2, "OursX")
			if lines, _ := compare(t, decode(t, want), decode(t, r.pack())); len(lines) > 0 {
				t.Errorf("the merged map differs: %q", lines)
			}
		})
	}
}
