package mapdir_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// A judged is a map written by this project, as the judges read it.
type judged struct {
	name   string
	data   []byte
	before []byte // the map before it was edited in its folder, nil if it was not edited
	edit   edits
	uuids  bool // it has items with a UUID that DDNet 16.4 does not support; map_resave crashes on all of these
}

// edits lists what was changed in the folder of a map.
type edits struct {
	x, y  int             // of the changed tile of the game layer
	files map[string]bool // all files that were changed
}

// tuning is the setting that edits adds. The server of DDNet prints tuned when it applies it.
const tuning, tuned = "tune gravity 0.75", "gravity changed to 0.75"

// judgedMaps returns new maps, and maps edited through their folders.
func judgedMaps(t *testing.T) []judged {
	zoom := everything()
	zoom.Groups[0].ParallaxZoom = &twmap.ParallaxZoom{Percent: 20}
	bezier := everything()
	bezier.Envelopes[0].Points[1].Curve = twmap.CurveBezier
	bezier.Envelopes[0].Points[1].Out[0] = twmap.Tangent{DX: 100, DY: 50}
	made := []judged{
		{name: "everything", data: encode(t, everything())},
		{name: "small", data: encode(t, twmap.New(2, 2))},
		{name: "zoom", data: encode(t, zoom)},
		{name: "bezier", data: encode(t, bezier), uuids: true},
		{name: "sample", data: encode(t, sample()), uuids: true},
		{name: "seven", data: encode(t, everything07())},
		edited(t, "everything, edited", encode(t, everything())),
		edited(t, "seven, edited", encode(t, everything07())),
	}
	t.Run("corpus", func(t *testing.T) { // skips itself
		files := tests.CorpusFiles(t, "teeworlds", ".map")
		for _, name := range []string{
			"/Sunny Side Up.map",         // sounds, automapper, big images
			"/Kobra 4@2017-07-19",        // physics layers
			"/coverage.map",              // all physics layers
			"/Tutorial.map",              // many layers
			"ddnet_ddnet/data/maps/dm7.", // of 2008: old header sizes, no info, envelopes of five integers
			"/winter_day@2023-09-20",     // items of a UUID that was used for a short time
			"/bin/maps/dm7@2019-04-16",   // of 0.7: points of 88 bytes
			"teeworlds-maps/ctf1.map",    // of 0.7: compressed tiles
			"/Castle_Echos.map",          // Bezier curves, settings
		} {
			at := slices.IndexFunc(files, func(path string) bool { return strings.Contains(filepath.ToSlash(path), name) })
			if at < 0 {
				t.Errorf("no %s in the corpus", name)
				continue
			}
			j := edited(t, filepath.Base(files[at]), judge.Read(t, files[at]))
			j.uuids = name == "/Castle_Echos.map"
			made = append(made, j)
			if name == "teeworlds-maps/ctf1.map" {
				m := decode(t, judge.Read(t, files[at]))
				m.Modernize()
				made = append(made, judged{name: "ctf1, converted", data: encode(t, m)})
			}
		}
	})
	return made
}

// edited changes a setting, a tile, a pixel and an envelope of a map through its folder, if the map has them, and
// packs the map.
func edited(t *testing.T, name string, before []byte) judged {
	t.Helper()
	files := unfold(t, decode(t, before))
	old := maps.Clone(files)
	e := edits{x: 1, y: 1, files: make(map[string]bool)}
	change := func(name string, data []byte) {
		files[name] = &fstest.MapFile{Data: data}
		e.files[name] = true
	}
	settings := []byte(tuning + "\n")
	if f := files["settings.cfg"]; f != nil {
		settings = append(bytes.Clone(f.Data), settings...)
	}
	change("settings.cfg", settings)

	picture, envelope := false, false
	for _, name := range slices.Sorted(maps.Keys(old)) {
		data := old[name].Data
		tiles := strings.TrimSuffix(name, ".json") + ".txt"
		switch {
		case strings.HasPrefix(name, "groups/") && bytes.Contains(data, []byte(`"type": "game"`)):
			rows := strings.Split(string(old[tiles].Data), "\n")
			row := strings.Fields(rows[e.y])
			row[e.x] = map[bool]string{false: "3", true: "1"}[row[e.x] == "3"]
			rows[e.y] = strings.Join(row, " ")
			change(tiles, []byte(strings.Join(rows, "\n")))
		case !picture && strings.HasPrefix(name, "images/") && strings.HasSuffix(name, ".png"):
			picture = true
			p, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			p.(draw.Image).Set(1, 2, color.NRGBA{12, 34, 56, 255})
			var b bytes.Buffer
			if err := png.Encode(&b, p); err != nil {
				t.Fatal(err)
			}
			change(name, b.Bytes())
		case !envelope && strings.HasPrefix(name, "envelopes/") && strings.HasSuffix(name, ".json"):
			envelope = true
			value := regexp.MustCompile(`("values":\[)-?\d+`)
			change(name, value.ReplaceAll(data, []byte("${1}777")))
		}
	}
	return judged{name: name, data: encode(t, fold(t, files)), before: before, edit: e}
}

// TestJudges tests that the games' own programs read new maps, and maps edited through their folders, as this project
// does.
func TestJudges(t *testing.T) {
	all := judgedMaps(t)
	for _, test := range []struct {
		name string
		test func(*testing.T, judged)
	}{
		{"edited", testEdited},
		{"map_resave", testResave},
		{"map_extract", testExtract},
		{"map_diff", testDiff},
		{judge.DDNetServer, func(t *testing.T, j judged) { testServer(t, judge.DDNetServer, j) }},
		{judge.TeeworldsServer, func(t *testing.T, j judged) { testServer(t, judge.TeeworldsServer, j) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, j := range all {
				t.Run(j.name, func(t *testing.T) {
					t.Parallel()
					test.test(t, j)
				})
			}
		})
	}
}

// testEdited compares the contents of the edited map with the edits.
func testEdited(t *testing.T, j judged) {
	if j.before == nil {
		t.SkipNow()
	}
	old := decode(t, j.before)
	before, after := contents(t, old), contentsOf(t, mapdir.OpenLike(decode(t, j.data), mapdir.NamesOf(old)))
	for name, content := range after {
		if changed := content != before[name]; changed != j.edit.files[name] && name != "map.json" {
			t.Errorf("%s: changed: %v, was edited: %v", name, changed, j.edit.files[name])
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

// testResave runs map_resave, which reads a map and writes everything that it read. It always writes headers without
// the old sizes, and swaps the numbers of the types if two have UUIDs; otherwise it must write exactly the bytes that
// this project wrote.
func testResave(t *testing.T, j judged) {
	dir := given(t, j.data)
	said, err := judge.Run(t, dir, "map_resave", "given.map", "wrote.map")
	if j.uuids {
		if err == nil {
			t.Error("map_resave can read UUIDs that it does not know?")
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	wrote := judge.Read(t, filepath.Join(dir, "wrote.map"))
	if diff := cmp.Diff(contents(t, decode(t, j.data)), contents(t, decode(t, wrote))); diff != "" {
		t.Errorf("map_resave (+) read something else than was written (-):\n%s", diff)
	}
	f, err := datafile.Decode(j.data)
	if err != nil {
		t.Fatal(err)
	}
	usual := f.SizeError == 0 && f.SwaplenError == 0 && len(f.UUIDs()) < 2
	if same := bytes.Equal(wrote, j.data); same != usual {
		t.Errorf("map_resave writes the same bytes: %v, expected %v", same, usual)
	}
}

// TestJudgeUnknownUUID tests that map_resave 16.4 crashes on every item with a UUID that it was not built with, and
// on a map that a later DDNet wrote. Its crash on Bezier curves is therefore its own error, and does not prove that
// the curves are written wrongly.
func TestJudgeUnknownUUID(t *testing.T) {
	resave := func(data []byte) error {
		_, err := judge.Run(t, given(t, data), "map_resave", "given.map", "wrote.map")
		return err
	}
	for name, crashes := range map[string]bool{
		"mapitemtype-test@ddnet.tw":             false,
		"mapitemtype-group@ddnet.tw":            false,
		"mapitemtype-envpoints-bezier@ddnet.tw": true,
		"nobody@example.org":                    true,
	} {
		f, err := twmap.New(5, 5).Datafile()
		if err != nil {
			t.Fatal(err)
		}
		f.AddUUIDItem(datafile.NameUUID(name), 0, 1, 2, 3)
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := resave(data); (err != nil) != crashes {
			t.Errorf("an item of type %s: %v, expected a crash: %v", name, err, crashes)
		}
	}
	for _, path := range tests.CorpusFiles(t, "teeworlds", "/Castle_Echos.map") {
		if resave(judge.Read(t, path)) == nil {
			t.Errorf("%s: map_resave reads it", path)
		}
	}
}

// testExtract runs map_extract, and compares the pictures and sounds that it writes with those in the map.
func testExtract(t *testing.T, j judged) {
	dir := given(t, j.data)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := judge.Run(t, dir, "map_extract", "given.map", "out")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	m := decode(t, j.data)
	if m.Info != nil && m.Info.Author != "" && !strings.Contains(said, "author:  "+m.Info.Author+"\n") {
		t.Errorf("another author than %s:\n%s", m.Info.Author, said)
	}
	files := make(map[string]bool)
	for _, im := range m.Images {
		want, _ := im.Picture()
		if want == nil || strings.Contains(im.Name, "/") { // which it treats as missing folders
			continue
		}
		name := im.Name + ".png"
		files[name] = true
		got, err := png.Decode(bytes.NewReader(judge.Read(t, filepath.Join(dir, "out", name))))
		if err != nil {
			t.Fatal(err)
		}
		for y := range im.Height() {
			for x := range im.Width() {
				if c := color.NRGBAModel.Convert(got.At(x, y)); c != want.NRGBAAt(x, y) {
					t.Fatalf("image %s: pixel %d, %d: map_extract has %v, we %v", im.Name, x, y, c, want.NRGBAAt(x, y))
				}
			}
		}
	}
	for _, s := range m.Sounds {
		files[s.Name+".opus"] = true
		if want, _ := s.Opus(); !bytes.Equal(judge.Read(t, filepath.Join(dir, "out", s.Name+".opus")), want) {
			t.Errorf("sound %s differs", s.Name)
		}
	}
	wrote, err := os.ReadDir(filepath.Join(dir, "out"))
	if err != nil || len(wrote) != len(files) {
		t.Errorf("map_extract wrote %v, expected %v, %v", wrote, files, err)
	}
}

// compressed reports whether a map has layers in the compressed form of Teeworlds 0.7.
func compressed(m *twmap.Map) bool {
	return slices.ContainsFunc(m.Layers(), func(l twmap.Layer) bool {
		t, ok := l.(*twmap.TileLayer)
		return ok && t.Version == 4
	})
}

// testDiff tests that map_diff finds the changed tile and no other.
func testDiff(t *testing.T, j judged) {
	if compressed(decode(t, j.data)) {
		t.Skip("map_diff does not know compressed tiles: it reads beyond their end")
	}
	dir := given(t, j.data)
	want := regexp.MustCompile("^$")
	if j.before == nil {
		judge.Write(t, filepath.Join(dir, "before.map"), j.data)
	} else {
		judge.Write(t, filepath.Join(dir, "before.map"), j.before)
		was := decode(t, j.before).Physics(twmap.KindGame).Tiles().At(j.edit.x, j.edit.y)
		is := decode(t, j.data).Physics(twmap.KindGame).Tiles().At(j.edit.x, j.edit.y)
		want = regexp.MustCompile(fmt.Sprintf(`(?s)^\[\d+:.*\] %dx%d: \(index: %d, flags: %d\) != \(index: %d, flags: %d\)$`,
			j.edit.x, j.edit.y, was.ID, was.Flags, is.ID, was.Flags)) // it prints the old flags twice
	}
	said, err := judge.Run(t, dir, "map_diff", "before.map", "given.map")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var found []string
	for _, m := range regexp.MustCompile(`map_compare: (.*)`).FindAllStringSubmatch(said, -1) {
		found = append(found, m[1])
	}
	if got := strings.Join(found, "\n"); !want.MatchString(got) {
		t.Errorf("map_diff finds %s, expected %v", got, want)
	}
}

// testServer tests that the servers load the maps: they print the hashes of the files, and the server of DDNet
// applies the settings.
func testServer(t *testing.T, server string, j judged) {
	if server == judge.DDNetServer && compressed(decode(t, j.data)) {
		t.Skip("DDNet-Server 16.4 crashes on compressed tiles, on those of the game's own maps too")
	}
	log, err := judge.Load(t, server, j.data)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	want := []string{fmt.Sprintf("judged.map sha256 is %x", sha256.Sum256(j.data))}
	if j.before != nil && server == judge.DDNetServer {
		want = append(want, tuned)
	}
	for _, want := range want {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in the log:\n%s", want, log)
		}
	}
}

// given returns a folder for the judges that contains a map.
func given(t *testing.T, data []byte) (dir string) {
	dir = judge.Dir(t)
	judge.Write(t, filepath.Join(dir, "given.map"), data)
	return dir
}

// TestJudgeSpawns tests that the server of Teeworlds 0.7 accepts 64 spawns of a kind, and crashes on very many.
func TestJudgeSpawns(t *testing.T) {
	for n, crashes := range map[int]bool{64: false, 2000: true} {
		m := twmap.New(50, 50)
		for i := range n {
			m.Physics(twmap.KindGame).Tiles().Set(i%50, i/50, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
		}
		m.To07()
		if many := m.TooManySpawns() != ""; many != crashes {
			t.Errorf("%d spawns are too many: %v", n, many)
		}
		if log, err := judge.Load(t, judge.TeeworldsServer, encode(t, m)); (err != nil) != crashes {
			t.Errorf("%d spawns: %v\n%s", n, err, log)
		}
	}
}

// TestJudge07 tests that Teeworlds 0.7 loads maps that were converted for it.
func TestJudge07(t *testing.T) {
	convert := func(name string, m *twmap.Map) {
		m.To07()
		if log, err := judge.Load(t, judge.TeeworldsServer, encode(t, m)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
	convert("sample", sample())
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		switch name := filepath.Base(path); name {
		case "Sunny Side Up.map", "coverage.map", "Castle_Echos.map", "dm7@2009-01-12-4c77a4.map":
			convert(name, decode(t, judge.Read(t, path)))
		}
	}
}

// TestJudgeVersion3 tests that all programs read version 3 of the datafile. They write version 4, with the same bytes
// as this project.
func TestJudgeVersion3(t *testing.T) {
	old, err := everything().EncodeVersion(3)
	if err != nil {
		t.Fatal(err)
	}
	now := encode(t, everything())
	dir := given(t, old)
	if said, err := judge.Run(t, dir, "map_resave", "given.map", "wrote.map"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !bytes.Equal(judge.Read(t, filepath.Join(dir, "wrote.map")), now) {
		t.Error("map_resave makes another map of version 4 of it than we do")
	}
	testExtract(t, judged{data: old})
	testDiff(t, judged{data: old})
	testServer(t, judge.DDNetServer, judged{data: old})
	testServer(t, judge.TeeworldsServer, judged{data: old})
}

// TestJudgeSettings tests that config_retrieve finds the settings of a map.
func TestJudgeSettings(t *testing.T) {
	dir := given(t, encode(t, everything()))
	said, err := judge.Run(t, dir, "config_retrieve", "given.map")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	want := strings.Join(everything().Info.Settings, "\n") + "\n"
	if got := string(judge.Read(t, filepath.Join(dir, "given.cfg"))); got != want {
		t.Errorf("config_retrieve finds %q, expected %q", got, want)
	}
}

// TestJudgeUUID tests that the tool uuid makes the same UUIDs from the same names.
func TestJudgeUUID(t *testing.T) {
	for _, name := range []string{
		"mapitemtype-automapper-config@ddnet.tw", "mapitemtype-group@ddnet.tw", "mapitemtype-envpoints-bezier@ddnet.tw",
		"mapitemtype-test@ddnet.tw", "", "ä", "trowel@example.org",
	} {
		said, err := judge.Run(t, judge.Dir(t), "uuid", name)
		if want := " " + datafile.NameUUID(name).String() + "\n"; err != nil || !strings.HasSuffix(said, want) {
			t.Errorf("%q: uuid says %q, %v, expected %s", name, said, err, want)
		}
	}
}
