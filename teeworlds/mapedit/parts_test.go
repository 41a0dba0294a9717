package mapedit_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// content describes the contents of a map in their order, with all references.
func content(m *twmap.Map) string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	image := func(i int) string {
		if i < 0 || i >= len(m.Images) {
			return "-"
		}
		return m.Images[i].Name
	}
	env := func(i int32) string {
		if i < 0 || int(i) >= len(m.Envelopes) {
			return "-"
		}
		return m.Envelopes[i].Name
	}
	for _, im := range m.Images {
		note("image %s", im.Name)
	}
	for _, e := range m.Envelopes {
		note("env %s", e.Name)
	}
	for _, g := range m.Groups {
		note("group %s", g.Name)
		for _, l := range g.Layers {
			switch l := l.(type) {
			case *twmap.TileLayer:
				if l.Kind().Physics() {
					note("%s %dx%d", l.Kind(), l.Width(), l.Height())
				} else {
					note("tiles %s:%s,%s", l.Name, image(l.Image), env(l.ColorEnv))
				}
			case *twmap.QuadLayer:
				quads, _ := l.Quads()
				note("quads %s:%s,%s", l.Name, image(l.Image), env(quads[len(quads)-1].PosEnv))
			case *twmap.SoundLayer:
				note("sounds %s:%d", l.Name, l.Sound)
			}
		}
	}
	return strings.Join(all, "; ")
}

// TestOperations tests the result of each operation on the same map.
func TestOperations(t *testing.T) {
	layer := func(g, l int) mapedit.LayerAt { return mapedit.LayerAt{Group: g, Layer: l} }
	const images, envs, game = "image grass_main; image moon; ", "env a; env b; ", "group Game; game 10x10; "
	const all = "group All; tiles :moon,b; quads :moon,a; sounds :1"
	name := "Leaves"
	width := 20
	for what, c := range map[string]struct {
		do   func(*mapedit.Editor) error
		want string // the result of content, or the error
	}{
		"nothing": {func(e *mapedit.Editor) error { return nil }, images + envs + game + all},
		"remove image": {func(e *mapedit.Editor) error { return e.RemoveImages([]int{1}) },
			"image grass_main; " + envs + game + "group All; tiles :-,b; quads :-,a; sounds :1"},
		"unused images": {func(e *mapedit.Editor) error { return e.RemoveUnusedImages() }, "image moon; " + envs + game + all},
		"move image":    {func(e *mapedit.Editor) error { return e.MoveImage(1, 0) }, "image moon; image grass_main; " + envs + game + all},
		"move nowhere":  {func(e *mapedit.Editor) error { return e.MoveImage(1, 2) }, "no image 2: the map has 2"},
		"rename image": {func(e *mapedit.Editor) error { return e.RenameImage(1, "sun") },
			"image grass_main; image sun; " + envs + game + strings.ReplaceAll(all, "moon", "sun")},
		"bad external": {func(e *mapedit.Editor) error { return e.RenameImage(1, "mine") }, `the game has no image "mine"`},
		"bad name": {func(e *mapedit.Editor) error {
			return e.AddImage("a/b",
				image.NewNRGBA(image.Rect(0, 0, 16, 16)))
		}, `"a/b" is not a valid name`},
		"no tiles": {func(e *mapedit.Editor) error {
			return e.ReplaceImages([]int{1}, image.NewNRGBA(image.Rect(0, 0, 17, 16)))
		}, "cannot be cut into 16 x 16 tiles"},
		"remove env": {func(e *mapedit.Editor) error { return e.RemoveEnvelopes([]int{0}) },
			images + "env b; " + game + "group All; tiles :moon,b; quads :moon,-; sounds :1"},
		"move env": {func(e *mapedit.Editor) error { return e.MoveEnvelope(0, 1) }, images + "env b; env a; " + game + all},
		"long env": {func(e *mapedit.Editor) error { return e.RenameEnvelope(0, strings.Repeat("ü", 16)) },
			"has 32 bytes: expected at most 31"},
		"bad sound": {func(e *mapedit.Editor) error { return e.AddSound("x", []byte("RIFF")) }, "not an Ogg file"},
		"move sound": {func(e *mapedit.Editor) error { return e.MoveSound(1, 0) },
			images + envs + game + strings.ReplaceAll(all, ":1", ":0")},
		"game layer": {func(e *mapedit.Editor) error { return e.RemoveLayers([]mapedit.LayerAt{layer(0, 0)}) }, "is the game layer"},
		"game group": {func(e *mapedit.Editor) error { return e.RemoveGroups([]int{0}) }, "is the group of the game layer"},
		"remove layer": {func(e *mapedit.Editor) error { return e.RemoveLayers([]mapedit.LayerAt{layer(1, 0)}) },
			images + envs + game + "group All; quads :moon,a; sounds :1"},
		"move layer": {func(e *mapedit.Editor) error { return e.MoveLayer(layer(1, 0), layer(0, 0)) },
			images + envs + "group Game; tiles :moon,b; game 10x10; group All; quads :moon,a; sounds :1"},
		"move in group": {func(e *mapedit.Editor) error { return e.MoveLayer(layer(1, 0), layer(1, -1)) },
			images + envs + game + "group All; quads :moon,a; sounds :1; tiles :moon,b"},
		"move game": {func(e *mapedit.Editor) error { return e.MoveLayer(layer(0, 0), layer(1, 0)) },
			"stays in the group of the game layer"},
		"duplicate": {func(e *mapedit.Editor) error { return e.DuplicateLayers([]mapedit.LayerAt{layer(1, 1)}) },
			images + envs + game + "group All; tiles :moon,b; quads :moon,a; quads :moon,a; sounds :1"},
		"duplicate game": {func(e *mapedit.Editor) error { return e.DuplicateLayers([]mapedit.LayerAt{layer(0, 0)}) },
			"there can be one game layer"},
		"duplicate group": {func(e *mapedit.Editor) error { return e.DuplicateGroup(0) }, images + envs + game + "group Game; " + all},
		"move group": {func(e *mapedit.Editor) error { return e.MoveGroup(1, 0) },
			images + envs + all + "; " + strings.TrimSuffix(game, "; ")},
		"front": {func(e *mapedit.Editor) error {
			_, err := e.AddLayer(layer(1, 0), twmap.NewTileLayer(twmap.KindFront, 2, 2))
			return err
		}, images + envs + "group Game; front 10x10; game 10x10; " + all},
		"second game": {func(e *mapedit.Editor) error {
			_, err := e.AddLayer(layer(0, 0), twmap.NewTileLayer(twmap.KindGame, 2, 2))
			return err
		}, "the map has a game layer"},
		"rename layers": {func(e *mapedit.Editor) error {
			return e.ChangeLayers([]mapedit.LayerAt{layer(0, 0), layer(1, 0)}, mapedit.LayerChange{Name: &name})
		}, images + envs + game + strings.Replace(all, "tiles ", "tiles Leaves", 1)},
		"rename game": {func(e *mapedit.Editor) error {
			return e.ChangeLayers([]mapedit.LayerAt{layer(0, 0)}, mapedit.LayerChange{Name: &name})
		}, "has no name that can be chosen"},
		"resize game": {func(e *mapedit.Editor) error {
			return e.ChangeLayers([]mapedit.LayerAt{layer(0, 0)}, mapedit.LayerChange{Width: &width})
		}, images + envs + strings.Replace(game, "10x", "20x", 1) + all},
		"move game away": {func(e *mapedit.Editor) error {
			return e.ChangeGroups([]int{0}, mapedit.GroupChange{OffsetX: new(int32(5))})
		}, "has no offset and a parallax of 100"},
		"isolate": {func(e *mapedit.Editor) error {
			if err := e.MoveLayer(layer(1, 0), layer(0, 0)); err != nil {
				return err
			}
			if err := e.MoveLayer(layer(1, 0), layer(0, 2)); err != nil {
				return err
			}
			return e.IsolatePhysics()
		}, images + envs + "group Background; tiles :moon,b; group Game; game 10x10; group Foreground; quads :moon,a; group All; sounds :1"},
		"unused": {func(e *mapedit.Editor) error { return e.RemoveUnused() },
			"image moon; " + envs + game + "group All; quads :moon,a; sounds :0"},
	} {
		m := referring()
		was := encode(t, m)
		messages := 0
		err := c.do(mapedit.New(m, func(check.Change) { messages++ }))
		switch {
		case err != nil && (!strings.Contains(err.Error(), c.want) || !slices.Equal(encode(t, m), was) || messages > 0):
			t.Errorf("%s: %v, expected %s; messages %d", what, err, c.want, messages)
		case err == nil && content(m) != c.want:
			t.Errorf("%s:\n%s, expected\n%s", what, content(m), c.want)
		case err == nil && messages == 0 && what != "nothing":
			t.Errorf("%s: nothing was reported", what)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		do   func(*mapedit.Editor) error
		want string
	}{
		{func(e *mapedit.Editor) error { return e.SetSetting("tune gravity 0.9") },
			"sv_hit 1|tune_zone 10 gravity 1|tune_zone 2 gravity 1|tune gravity 0.9|sv_hit 0|toggle_tune x 1 2|toggle_tune x 1 " +
				"2"},
		{func(e *mapedit.Editor) error { return e.AddSetting("sv_hit 1") },
			"sv_hit 1|tune_zone 10 gravity 1|tune_zone 2 gravity 1|Tune gravity 0.5|sv_hit 0|toggle_tune x 1 2|toggle_tune x 1 " +
				"2"},
		{func(e *mapedit.Editor) error { return e.AddSetting(strings.Repeat("x", 256)) }, "has 256 bytes"},
		{func(e *mapedit.Editor) error { return e.AddSetting(" ") }, "empty line"},
		{func(e *mapedit.Editor) error { return e.RemoveSettings("tune_zone *") },
			"sv_hit 1|Tune gravity 0.5|sv_hit 0|toggle_tune x 1 2|toggle_tune x 1 2"},
		{func(e *mapedit.Editor) error { return e.RemoveSettings("tune hook") }, "no setting"},
		{func(e *mapedit.Editor) error { e.SortSettings(); return nil },
			"sv_hit 1|sv_hit 0|toggle_tune x 1 2|toggle_tune x 1 2|Tune gravity 0.5|tune_zone 2 gravity 1|tune_zone 10 gravity " +
				"1"},
		{func(e *mapedit.Editor) error { e.DedupeSettings(); return nil },
			"tune_zone 10 gravity 1|tune_zone 2 gravity 1|Tune gravity 0.5|sv_hit 0|toggle_tune x 1 2|toggle_tune x 1 2"},
	} {
		m := twmap.New(5, 5)
		before := []string{"sv_hit 1", "tune_zone 10 gravity 1", "tune_zone 2 gravity 1", "Tune gravity 0.5", "sv_hit 0",
			"toggle_tune x 1 2", "toggle_tune x 1 2"}
		m.Info.Settings = slices.Clone(before)
		err := c.do(mapedit.New(m, nil))
		got, want := strings.Join(m.Info.Settings, "|"), c.want
		switch {
		case err != nil && (!strings.Contains(err.Error(), c.want) || !slices.Equal(m.Info.Settings, before)):
			t.Errorf("%v, expected %s", err, want)
		case err == nil && got != want:
			t.Errorf("%s, expected\n%s", got, want)
		}
	}
}

func TestPoints(t *testing.T) {
	m := twmap.New(5, 5)
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("e", twmap.ChannelsPosition,
		twmap.EnvPoint{Curve: twmap.CurveLinear}, twmap.EnvPoint{Time: 1000, Values: [4]int32{2048, -1024, 0}})}
	e := mapedit.New(m, nil)
	points := func() (list []string) {
		for _, p := range m.Envelopes[0].Points {
			list = append(list, fmt.Sprintf("%d:%d,%d", p.Time, p.Values[0], p.Values[1]))
		}
		return list
	}
	expect := func(err error, want ...string) {
		t.Helper()
		if got := points(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %v, expected %v", err, got, want)
		}
	}
	expect(e.AddPoint(0, 500, nil, twmap.CurveStep), "0:0,0", "500:1024,-512", "1000:2048,-1024")
	expect(e.AddPoint(0, 2000, nil, twmap.CurveStep), "0:0,0", "500:1024,-512", "1000:2048,-1024", "2000:2048,-1024")
	expect(e.RemovePoints(0, []int{0, 2}), "0:1024,-512", "2000:2048,-1024")
	expect(e.ChangePoint(0, 1, mapedit.PointChange{Time: new(int32(700)), Values: []int32{1, 2, 3}}), "0:1024,-512", "700:1,2")
	for what, err := range map[string]error{
		"the first moves":    e.ChangePoint(0, 0, mapedit.PointChange{Time: new(int32(5))}),
		"two values":         e.ChangePoint(0, 1, mapedit.PointChange{Values: []int32{1, 2}}),
		"no point":           e.ChangePoint(0, 2, mapedit.PointChange{}),
		"twice at a time":    e.AddPoint(0, 700, nil, twmap.CurveStep),
		"before the start":   e.AddPoint(0, -1, nil, twmap.CurveStep),
		"an unsorted one":    e.AddEnvelope(twmap.NewEnvelope("x", twmap.ChannelsSound, twmap.EnvPoint{Time: 9}, twmap.EnvPoint{})),
		"of two channels":    e.AddEnvelope(twmap.NewEnvelope("x", 2)),
		"an envelope beyond": e.RemovePoints(1, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	expect(nil, "0:1024,-512", "700:1,2")
}

// TestOptimizeKeepsSmaller tests that an image whose optimized pixels take more bytes is left unchanged: a picture of a
// single colour, of which few pixels are opaque.
func TestOptimizeKeepsSmaller(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := 0; i < len(p.Pix); i += 4 {
		copy(p.Pix[i:], []byte{200, 100, 50, 0})
	}
	for i := 1; i < 20; i++ {
		p.Pix[4*(i*i*97%(256*256))+3] = 255
	}
	m := &twmap.Map{Images: []*twmap.Image{twmap.NewImage("sparse", p)}}
	var changes []string
	e := mapedit.New(m, func(c check.Change) { changes = append(changes, c.What) })
	if err := e.OptimizeImages([]int{0}, mapedit.OptimizeOptions{KeepTiles: true}); err != nil || changes != nil {
		t.Errorf("error %v, changes %q", err, changes)
	}
}
