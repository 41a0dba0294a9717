package mapdir_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/teeworlds/mapdir"
)

// TestErrors tests that all errors in a folder are reported together, with their files and lines.
func TestErrors(t *testing.T) {
	remove := func(names ...string) func(*testing.T, fstest.MapFS) {
		return func(t *testing.T, f fstest.MapFS) {
			for _, name := range names {
				if f[name] == nil {
					t.Fatalf("there is no %s", name)
				}
				delete(f, name)
			}
		}
	}
	replace := func(name, old, new string) func(*testing.T, fstest.MapFS) {
		return func(t *testing.T, f fstest.MapFS) { edit(t, f, name, old, new) }
	}
	const deco, quads, sway, sounds = "groups/a_b/deco.json", "groups/a_b/quads own_ a_b_.json", "envelopes/sway.json",
		"groups/a_b/sounds wind.json"
	for _, c := range []struct {
		name string
		edit func(*testing.T, fstest.MapFS)
		want string
	}{
		{"broken JSON", replace(deco, "\"flags\": 4,", "\"flags\": 4"), deco + ":6:3: invalid JSON: '\"': expected a comma or } after a field"},
		{"wrong type", replace(deco, "\"width\": 5", "\"width\": \"5\""), deco + ":6:12: width: \"5\": expected a whole number"},
		{"out of range", replace(deco, "\"width\": 5", "\"width\": 5000000000"),
			deco + ":6:12: width: 5000000000: the number must be -2147483648 to 2147483647"},
		{"misspelt", replace("groups/Game/group.json", "parallax", "paralax"),
			"groups/Game/group.json:3:3: unknown field \"paralax\": expected one of name, version, offset, parallax, clip, parallaxZoom"},
		{"twice", replace(deco, "\"flags\": 4", "\"flags\": 4, \"flags\": 5"), deco + ":5:15: the field \"flags\" occurs twice"},
		{"text after JSON", replace("orphans/tiles.json", "}", "}\n{}"),
			"orphans/tiles.json:7:1: invalid JSON: text after the end of the JSON value"},
		{"a field of another type", replace("orphans/tiles.json", "\"width\"", "\"quads\": [], \"width\""),
			"orphans/tiles.json:4:3: unknown field \"quads\": expected one of type, name, detail, flags, version, width, " +
				"height, cells, color, colorEnv, colorEnvOffset, image, autoMapper"},
		{"no name", replace(deco, "  \"name\": \"deco\",\n", ""), deco +
			":1:1: the field \"name\" is missing: expected the name of the layer, or \"\" for none"},
		{"name too long", replace(deco, "\"deco\"", "\"much too long\""),
			deco + ":3:11: name: \"much too long\" has 13 bytes: a name must have at most 11"},
		{"name too long in bytes", replace(deco, "\"deco\"", "\"ääääää\""),
			deco + ":3:11: name: \"ääääää\" has 12 bytes for its 6 letters: a name must have at most 11"},
		{"envelope name too long", replace(sway, "sway", strings.Repeat("s", 32)),
			sway + ":2:11: name: \"" + strings.Repeat("s", 32) + "\" has 32 bytes: a name must have at most 31"},
		{"a name in a version without", replace(deco, "\"width\"", "\"version\": 2, \"width\""),
			deco + ": a layer of this type and version has no name: expected a newer version, or \"name\": \"\""},
		{"colour too short", replace(deco, "\"width\"", "\"color\": [1, 2, 3], \"width\""),
			deco + ":6:12: color: a list of 3 values: expected 4"},
		{"parallax too long", replace("groups/Game/group.json", "[100, 100]", "[100, 100, 100]"),
			"groups/Game/group.json:3:15: parallax: a list of 3 values: expected 2"},
		{"offset no list", replace("groups/Game/group.json", "\"parallax\"", "\"offset\": 5, \"parallax\""),
			"groups/Game/group.json:3:13: offset: 5: expected a list of 2 values"},
		{"points too few", replace(quads, "\"points\":[[0,0],", "\"points\":["),
			quads + ":6:15: quads[0].points: a list of 3 values: expected 4"},
		{"pivot too long", replace(quads, "\"pivot\":[0,0]", "\"pivot\":[0,0,0]"),
			quads + ":6:49: quads[0].pivot: a list of 3 values: expected 2"},
		{"no pixels", replace(quads, "\"pivot\":[0,0]", "\"pivot\":[0,\"a\"]"), quads + ":6:52: quads[0].pivot[1]: \"a\": expected a number"},
		{"too far", replace(quads, "\"pivot\":[0,0]", "\"pivot\":[0,2097152]"),
			quads + ":6:52: quads[0].pivot[1]: 2097152: the number must be -2097152 to 2097151"},
		{"values too few", replace(sway, "[0,1,0]", "[0,1]"), sway + ": points[0].values: a list of 2 values: expected 3"},
		{"tangents too few", replace(sway, ",[0,0],[0,0],[0,0]]}", "]}"), sway + ": points[0].out: a list of 1 tangents: expected 3"},
		{"bad tangent", replace(sway, "[100,0.048828125]", "[100]"), sway + ":5:56: points[0].out[0]: [100]: expected a list of 2 numbers"},
		{"quads no list", replace(quads, "\"quads\": [", "\"quads\": 5, \"more\": ["), quads + ":5:12: quads: 5: expected a list, [ ... ]; " +
			quads + ":5:15: unknown field \"more\": expected one of type, name, detail, flags, version, image, quads"},
		{"bad tile", replace("groups/Game/Game.txt", "192", "256"),
			"groups/Game/Game.txt:10:13: 256: the number must be 0 to 255: expected a form like 12xr"},
		{"a switch's numbers in a game layer", replace("groups/Game/Game.txt", "192", "24r:7/5"),
			"groups/Game/Game.txt:10:13: 24r:7/5: \":7/5\" is not part of a cell of a game layer: expected a form like 12xr"},
		{"bad tele", replace("groups/Game/Tele.txt", "26:7", "26"),
			"groups/Game/Tele.txt:10:77: 26: expected : and a number: expected a form like 26:3"},
		{"large tele", replace("groups/Game/Tele.txt", "26:7", "26:300"),
			"groups/Game/Tele.txt:10:77: 26:300: the number after the colon must be 0 to 255: expected a form like 26:3"},
		{"large delay", replace("groups/Game/Switch.txt", "24r:1/5", "24r:1/-5"),
			"groups/Game/Switch.txt:3:5: 24r:1/-5: the delay must be 0 to 255: expected a form like 24r:7/5"},
		{"large angle", replace("groups/Game/Speedup.txt", "28:50/3/-90/1", "28:50/3/99999999999999999999"),
			"groups/Game/Speedup.txt:2:5: 28:50/3/99999999999999999999: the angle must be -32768 to 32767: expected a form like 28:50/0/90"},
		{"short row", replace("groups/Game/Game.txt", ".   .   .\n", ".   .\n"), "groups/Game/Game.txt:1: a row of 19 tiles: expected 20"},
		{"row too few", replace("orphans/tiles.txt", ".   .\n", ""), "orphans/tiles.txt:1: the last row is number 1: expected 2 rows"},
		{"row too many", replace("orphans/tiles.txt", ".   .\n", ".   .\n.   .\n"), "orphans/tiles.txt:3: a row too many: expected 2"},
		{"no tiles", remove("orphans/tiles.txt"), "orphans/tiles.json: the tiles are missing: expected orphans/tiles.txt"},
		{"no layer", remove(deco), "groups/a_b/order.txt:1: no layer \"deco\": expected groups/a_b/deco.json"},
		{"no group", remove("groups/a_b/group.json"), "groups/order.txt:2: the group \"a_b\" has no group.json: expected groups/a_b/group.json"},
		{"no folder", replace("groups/order.txt", "Game\n", "Game\nSky\n"), "groups/order.txt:2: no group \"Sky\": expected a folder groups/Sky"},
		{"other case", replace("groups/a_b/order.txt", "deco", "Deco"),
			"groups/a_b/order.txt:1: no layer \"Deco\": expected groups/a_b/Deco.json (did you mean \"deco.json\"?)"},
		{"extension in a list", replace("groups/a_b/order.txt", "deco", "deco.json"),
			"groups/a_b/order.txt:1: no layer \"deco.json\": expected groups/a_b/deco.json.json; a name without its extension is \"deco\""},
		{"no image", remove("images/grass_main.json"),
			"images/order.txt:2: no image \"grass_main\": expected images/grass_main.png, or images/grass_main.json for an " +
				"external image"},
		{"no picture", remove("images/" + twin + ".png"),
			"images/" + twin + ".json: the picture is missing: expected images/" + twin +
				".png, or \"external\": true with \"width\" and \"height\" here"},
		{"no sound", remove("sounds/wind.opus"), "sounds/order.txt:1: no sound \"wind\": expected sounds/wind.opus"},
		{"no envelope", remove(sway), "envelopes/order.txt:1: no envelope \"sway\": expected envelopes/sway.json"},
		{"no list of groups", remove("groups/order.txt"),
			"groups/order.txt: the file is missing: expected the names of the groups in their order, one on each line"},
		{"no list of layers", remove("groups/Game/order.txt"),
			"groups/Game/order.txt: the file is missing: expected the names of the layers in their order, one on each line"},
		{"listed twice", replace("groups/order.txt", "Game\n", "Game\na_b\n"),
			"groups/order.txt:3: the group \"a_b\" is listed twice, first in line 2"},
		{"listed twice in another case", replace("groups/order.txt", "Game\n", "Game\nA_B\n"),
			"groups/order.txt:3: the group \"a_b\" is listed twice, first in line 2; groups/order.txt:2: no group \"A_B\": " +
				"expected a folder groups/A_B (did you mean \"a_b\"?)"},
		{"a way out", replace("groups/order.txt", "a_b", "..\n/etc\na/b\n.\na\\b"),
			`groups/order.txt:2: ".." cannot be the name of a file; groups/order.txt:3: "/etc" cannot be the name of a file; ` +
				`groups/order.txt:4: "a/b" cannot be the name of a file; groups/order.txt:5: "." cannot be the name of a file; ` +
				`groups/order.txt:6: "a\\b" cannot be the name of a file`},
		{"no such image", replace(quads, "\"image\": \""+twin+"-2\"", "\"image\": \"gone\""),
			quads + ":4:12: image: no \"gone\" in images/order.txt: expected one of " + twin + ", grass_main, " + twin + "-2"},
		{"no such envelope", replace(quads, "\"sway\"", "\"Swing\""),
			quads + ":6:151: quads[].posEnv: no \"Swing\" in envelopes/order.txt: expected one of sway, 8 channels"},
		{"no type", replace("groups/Game/Front.json", "\"front\"", "\"fornt\""),
			"groups/Game/Front.json: type is \"fornt\": expected tiles, game, front, tele, speedup, switch, tune, infclass " +
				"entities, infclass zones, quads or sounds"},
		{"too large", replace("orphans/tiles.json", "\"width\": 2", "\"width\": 2000000000"),
			"orphans/tiles.json: expected at most 50,331,648 tiles of a layer or pixels of an image, found 4,000,000,000"},
		{"not a picture", func(t *testing.T, f fstest.MapFS) {
			f["images/"+twin+".png"].Data = []byte("GIF89a, a picture of another kind")
		}, "images/" + twin + ".png: not a PNG picture: png: invalid format: not a PNG file"},
		{"bad curve", replace(sway, "bezier", "besier"),
			sway + ": points[0].curve: \"besier\": expected step, linear, slow, fast, smooth or bezier"},
		{"bad shape", replace(sounds, "circle", "circel"), sounds + ": sources[0].shape: \"circel\": expected rectangle or circle; " +
			sounds + ": sources[0]: a \"radius\" is for a circle: expected a \"width\" and a \"height\""},
		{"NUL in a setting", replace("settings.cfg", "\n\n", "\n\x00\n"),
			"settings.cfg:2: a NUL character, which ends a setting: expected text"},
		{"sidecar", func(t *testing.T, f fstest.MapFS) { f[tree.Sidecar].Data = []byte("{") },
			".trowel.json:1:2: damaged (unexpected end of JSON input): a clean file is built without it"},
		{"two at once", func(t *testing.T, f fstest.MapFS) {
			edit(t, f, "groups/Game/Game.txt", "192", "256")
			edit(t, f, "orphans/tiles.txt", ".   .\n", ".\n")
		}, "groups/Game/Game.txt:10:13: 256: the number must be 0 to 255: expected a form like 12xr; orphans/tiles.txt:1: a " +
			"row of 1 tile: expected 2"},
		{"the same in many places", func(t *testing.T, f fstest.MapFS) {
			edit(t, f, quads, "\"pivot\":[0,0]", "\"pivot\":[0]")
			edit(t, f, quads, "\"pivot\":[0,0]", "\"pivot\":[1]")
		}, quads + ":6:49: quads[0].pivot: a list of 1 value: expected 2, and 1 more place"},
		{"the same in many files", func(t *testing.T, f fstest.MapFS) {
			for _, name := range []string{"Game", "Front", "Tele", "Speedup", "Switch", "Tune"} {
				edit(t, f, "groups/Game/"+name+".json", "\"width\"", "\"widht\": 3, \"width\"")
			}
		}, "groups/Game/Game.json:4:3: unknown field \"widht\": expected one of type, name, detail, flags, version, width, " +
			"height, cells, color, colorEnv, colorEnvOffset, image, autoMapper, and 5 more files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := extract(t, encode(t, sample()))
			c.edit(t, files)
			_, err := mapdir.Read(files, nil)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(strings.Split(c.want, "; "), strings.Split(strings.ReplaceAll(err.Error(), "\n", "; "), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	var e *fault.TextError
	files := extract(t, encode(t, sample()))
	edit(t, files, "groups/Game/Game.txt", "192", "x")
	if _, err := mapdir.Read(files, nil); !errors.As(err, &e) || e.File != "groups/Game/Game.txt" || e.Line != 10 || e.Column != 13 {
		t.Errorf("error = %+v", e)
	}
}

// TestByteOrderMark tests that a byte order mark is ignored in every text.
func TestByteOrderMark(t *testing.T) {
	for name := range extract(t, encode(t, sample())) {
		if strings.HasSuffix(name, ".png") || strings.HasSuffix(name, ".opus") || name == tree.Sidecar {
			continue
		}
		files := extract(t, encode(t, sample()))
		files[name].Data = append([]byte("\ufeff"), files[name].Data...)
		if m, err := mapdir.Read(files, nil); err != nil || !bytes.Equal(encode(t, m), encode(t, sample())) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWarnings tests the warnings about files that are left out: each part that is missing in its list has a line,
// all files that are not parts of the map share one, and hidden files of the system and of version control have none.
func TestWarnings(t *testing.T) {
	files := extract(t, encode(t, sample()))
	for _, name := range []string{"images/stray.png", "images/a.xcf", "images/psd/b.psd", "sounds/readme.txt",
		"notes.txt", "groups/notes.txt", "groups/Game/notes.txt", "groups/Game/notes.json",
		"groups/old/group.json", "groups/draft/x.json", "envelopes/mine.json", ".git/config", ".DS_Store", "groups/.directory", "Thumbs.db"} {
		files[name] = &fstest.MapFile{Data: []byte("{}")}
	}
	for i := range 5 {
		files[fmt.Sprintf("sounds/%d.opus", i)] = &fstest.MapFile{}
	}
	files["groups/Game/mine.json"], files["groups/Game/mine.txt"] = files["orphans/tiles.json"], files["orphans/tiles.txt"]
	var got []string
	m, err := mapdir.Read(files, func(file, msg string) { got = append(got, file+": "+msg) })
	if err != nil {
		t.Fatal(err)
	}
	left := func(file, name, list string) string {
		return fmt.Sprintf("%s: is not listed, and was left out: a line %q in %s makes it part of the map", file, name, list)
	}
	want := []string{
		left("images/stray.png", "stray", "images/order.txt"),
		"sounds/order.txt: does not list 0, 1, 2 and 2 more, which were left out: a line with the name of each makes them part of the map",
		left("envelopes/mine.json", "mine", "envelopes/order.txt"),
		left("groups/Game/mine.json", "mine", "groups/Game/order.txt"),
		left("groups/old", "old", "groups/order.txt"),
		": left out 9 files that the map does not use: images/a.xcf, images/psd/, sounds/readme.txt and 6 more",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if same := encode(t, sample()); string(encode(t, m)) != string(same) {
		t.Error("what was left out is in the map")
	}
}
