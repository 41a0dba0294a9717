package twmap_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// TestProfiles tests that all profiles can be read, and that each fact has a source at a commit.
func TestProfiles(t *testing.T) {
	names := twmap.Profiles()
	if len(names) < 6 {
		t.Errorf("profiles: %q", names)
	}
	for _, name := range names {
		if _, err := twmap.ProfileNamed(name); err != nil {
			t.Error(err)
		}
		data, err := fs.ReadFile(os.DirFS("profiles"), name+".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if url, ok := strings.CutPrefix(line, "source "); ok {
				parts := strings.Split(url, "/")
				if !strings.HasPrefix(url, "https://github.com/") || len(parts) < 8 || parts[5] != "blob" || len(parts[6]) != 40 {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
	}
	if _, err := twmap.ProfileNamed("none"); err == nil {
		t.Error("a profile that does not exist")
	}
}

// TestProfile tests that a profile hides its own tiles and settings, and nothing else.
func TestProfile(t *testing.T) {
	fddrace, err := twmap.ProfileNamed("f-ddrace")
	if err != nil {
		t.Fatal(err)
	}
	mrpg, err := twmap.ProfileNamed("mrpg")
	if err != nil {
		t.Fatal(err)
	}
	m := playable()
	game := m.Physics(twmap.KindGame).Tiles()
	game.Set(1, 1, twmap.Tile{ID: 160})
	game.Set(2, 1, twmap.Tile{ID: 120})
	m.Info = &twmap.Info{Settings: []string{"SV_Drop_Weapons 1", "sv_shop_state 1", "sv_hit 5"}}
	ids := func(p *twmap.Profile) (list []string) {
		for _, f := range check.Collect(func(sink check.Sink) { m.CheckFor(p, sink) }) {
			list = append(list, f.ID+" "+f.Message)
		}
		return list
	}
	const (
		value = "tw-map-setting-value sv_hit with the value 5: expected a number from 0 to 1: the server uses 1"
		other = "tw-map-setting-other "
		tiles = `tw-map-tile-invalid the game layer "Game" has `
	)
	if got, want := ids(nil), []string{value,
		other + "2 settings that DDNet does not have, as other servers do: SV_Drop_Weapons sv_shop_state",
		tiles + "2 tiles that a game layer does not have: 1,1 (160) 2,1 (120)"}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got, want := ids(fddrace), []string{value, other + "1 setting that DDNet does not have, as other servers do: sv_shop_state",
		tiles + "1 tile that a game layer does not have: 2,1 (120)"}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	// Spawns of another number.
	m = twmap.New(50, 45)
	m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 208})
	if got := ids(nil); !slices.Equal(got, []string{"tw-map-no-spawn the map has no spawn"}) {
		t.Errorf("%q", got)
	}
	if got := ids(mrpg); got != nil {
		t.Errorf("%q", got)
	}
}
