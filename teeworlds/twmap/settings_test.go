package twmap_test

import (
	"slices"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestSettings tests the messages about single settings; none is expected for valid settings.
func TestSettings(t *testing.T) {
	const (
		ignored = ": the server ignores the command"
		other   = ignored + ", or reads another number"
		tuned   = "expected a number from -21474836 to 21474836"
	)
	for line, want := range map[string]string{
		"":                             "",
		"# tune gravity":               "",
		"sv_team 0 # sv_team":          "",
		"SV_Team 3":                    "",
		`tune "gravity" "0.5"`:         "",
		"tune gravity -2.75":           "",
		"tune ninja_velocity 40":       "",
		"toggle_tune gravity 0 1":      "",
		`tune_zone_enter 0 "a; b" # c`: "",
		"tune_zone 0 gravity 1;tune_zone 0 hook_length 3": "",
		"mapbug grenade-doubleexplosion@ddnet.tw":         "",
		"sv_plasma_range 99999":                           "",
		"sv_no_weak_hook 1":                               "",

		"tune_zone":                     "tune_zone has no zone" + ignored,
		"tune_zone 0":                   "tune_zone has no parameter" + ignored,
		"tune_zone 0 gravity":           "tune_zone has no value" + ignored,
		"toggle_tune gravity 1":         "toggle_tune has no value" + ignored,
		"sv_team 1; sv_hit # 0":         "sv_hit has no value" + ignored,
		"sv_team 4":                     "sv_team with the value 4: expected a number from 0 to 3: the server uses 3",
		"sv_dragger_range -5":           "sv_dragger_range with the value -5: expected a number from 1 to 99999: the server uses 1",
		"switch_open 0":                 "switch_open with the switch 0: expected a number from 1 to 255" + ignored,
		"switch_open 999999999999":      "switch_open with the switch 999999999999: expected a number from 1 to 255" + ignored,
		"tune gravity 21474837":         "tune with the value 21474837: " + tuned + ": the server stores another number",
		"tune gravity nan":              "tune with the value nan: " + tuned + other,
		"sv_hit 1e0":                    "sv_hit with the value 1e0: expected a whole number from 0 to 1" + other,
		"sv_hit +1":                     "",
		"sv_hit on":                     "sv_hit with the value on: expected a whole number from 0 to 1" + other,
		"tune gravity 1,5":              "tune with the value 1,5: " + tuned + other,
		"mapbug grenade-doubleexplosio": `"grenade-doubleexplosio" is not a bug that the server knows`,
	} {
		m := playable()
		m.Info = &twmap.Info{Settings: []string{line}}
		_, all := findings(m)
		if want == "" && len(all) > 0 || want != "" && (len(all) != 1 || all[0].Message != want) {
			t.Errorf("%s: %v, want %q", line, all, want)
		}
	}
}

// TestIdleSettings tests that settings for numbers that tiles have are not reported.
func TestIdleSettings(t *testing.T) {
	m := playable()
	physics(m, twmap.KindTune, 50, 45).Tunes().Set(1, 1, twmap.TuneTile{Number: 3, ID: uint8(twmap.TileTune)})
	switches := physics(m, twmap.KindSwitch, 50, 45).Switches()
	switches.Set(1, 1, twmap.SwitchTile{Number: 7, ID: uint8(twmap.TileSwitchOpen)})
	switches.Set(2, 1, twmap.SwitchTile{Number: 8, ID: uint8(twmap.TileAddTime)}) // not a switch
	m.Info = &twmap.Info{Settings: []string{"tune_zone 3 gravity 0", "switch_open 7", "tune_zone_leave 0 bye"}}
	if _, all := findings(m); len(all) > 0 {
		t.Errorf("%v", all)
	}
	m.Info.Settings = append(m.Info.Settings, "switch_open 8", "tune_zone 4 gravity 0; tune_zone_enter 4 x", "tune_zone 4 gravity 1")
	ids, all := findings(m)
	if want := "settings for 2 numbers that no tile has: zone 4 switch 8"; !slices.Equal(ids, []string{"tw-map-setting-idle"}) ||
		all[0].Message != want || len(all[0].At) != 2 {
		t.Errorf("%v, want %q", all, want)
	}
}
