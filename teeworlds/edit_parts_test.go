package teeworlds

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/twmap"
)

// TestPartsCommands tests the reports of commands that change the parts of maps, typed one after the other as a user
// would. Expected errors begin with !.
func TestPartsCommands(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "p.png")
	f, err := os.Create(picture)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, image.NewNRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	f.Close()
	data, err := twmap.New(20, 10).Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.map")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := format.OpenSource(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var words []string
	for _, c := range []struct{ step, reported string }{
		{"add-image leaf " + picture, "added with 32 x 32 pixels"},
		{"add-group Tree --at 0", "added"},
		{"add-layer tiles --group Tree --name Leaves --image leaf --color #ff000080",
			"colour: #ffffffff became #ff000080|image: none became images/leaf"},
		{"add-layer quads --group Tree --name Sun", "added"},
		{"add-layer tele", "added"},
		{"add-layer tele", "!the map has a tele layer"},
		{"add-layer front --width 9", "!a physics layer has the size of the game layer"},
		{"add-envelope color fade --point 0:1,1,1,1 --point 1000:1,1,1,0", "added: color, 2 points"},
		{"add-envelope color fade2 --point 0:1,1", "!expected a time in milliseconds"},
		{"set-layer Tree/* --detail true --color-envelope fade", "colour envelope: none became envelopes/fade"},
		{"set-layer Tree/Sun --width 9", "!has no size"},
		{"add-point fade 500 --curve smooth", "point 1 added at 500 ms"},
		{"set-point fade 1 --time 600 --values 1,1,1,0.25", "point 1 changed"},
		{"remove-points fade 1", "points removed"},
		{"set-group Tree --parallax 50,50 --clip 0,0,640,320", "clipped to 0,0, 640 x 320"},
		{"set-group Tree --offset 99999999999,0", "!expected two whole numbers of at most 2147483647"},
		{"set-group game --offset 1,1", "!which has no offset"},
		{"rename-layer Tree/Sun Sol", `renamed to "Sol"`},
		{"rename-group Tree Oak", `renamed to "Oak"`},
		{"rename-group Oak Tree", ""},
		{"move-layer Tree/Leaves game --at 0", "moved to place 0 of groups/Game"},
		{"isolate-physics", "layers of the game group are in this group now"},
		{"replace-image leaf " + picture, ""},
		{"rename-image leaf oak", `renamed to "oak"`},
		{"rename-image birch oak", `!no image "birch" in the file`},
		{"remove-layers game", "!is the game layer"},
		{"add-setting sv_deepfly__1", "setting added: sv_deepfly 1"},
		{"set-setting sv_deepfly__0", "setting changed: sv_deepfly 1 became sv_deepfly 0"},
		{"set-setting tune_zone 1 gravity 0.2", `!no server command "1" of DDNet or another known server`},
		{"replace-settings 0 0 sv_deepfly 1", `!no server command "1"`},
		{"add-setting fng_x", `!no server command "fng_x"`},
		{"add-setting Fng_x__1 --new-name", "setting added: Fng_x 1"},
		{"set-setting fng_x__2", "setting changed: Fng_x 1 became fng_x 2"},
		{"remove-settings fng_x", "setting removed: fng_x 2"},
		{"remove-settings sv_*", "setting removed: sv_deepfly 0"},
		{"to-0.6", "!does not have the form"},
		{"to-0.7", "!would discard groups"},
		{"to-0.7 --drop", "became that of Teeworlds 0.7"},
		{"to-0.6", "the form of Teeworlds 0.7 became"},
		{"remove-unused", "removed with 0 layers"},
	} {
		own := strings.Fields(c.step)
		for i := range own {
			own[i] = strings.ReplaceAll(own[i], "__", " ")
		}
		all := append(append([]string{}, words...), own...)
		steps, err := format.ParseSteps(new(format.Job), mapEditing.Commands, all)
		if err != nil {
			t.Fatal(err)
		}
		reported := ""
		err = mapEditing.Edit(t.Context(), new(format.Job), src, steps, nil, func(c check.Change) error { reported += c.What + "|"; return nil })
		if want, fails := strings.CutPrefix(c.reported, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, expected %s", c.step, err, want)
			}
			continue
		}
		if err != nil || !strings.Contains(reported, c.reported) {
			t.Errorf("%s: %v, reported %s, expected %s", c.step, err, reported, c.reported)
		}
		words = append(all, "then")
	}
}
