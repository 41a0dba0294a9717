package twmap

import (
	"strings"
	"testing"
)

func TestParseProfile(t *testing.T) {
	const source = "source https://example.org\n"
	p, err := parseProfile("a", []byte("# comment\n"+source+"tile game,tele 5-7 x\ntile front 1 y\nlayers w\nsetting sv_a\nspawns z\n"))
	if err != nil || !p.hasTile(KindGame, 5) || !p.hasTile(KindTele, 7) || p.hasTile(KindFront, 5) || p.hasTile(KindGame, 8) ||
		!p.hasTile(KindFront, 1) || !p.hasSetting("sv_a") || p.hasSetting("sv_b") || !p.ownSpawns || !p.ownLayers {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]string{
		"tile game 5 x":                 "line 1: expected a source first",
		source + "tile game 5":          "line 2: expected layers, numbers and a meaning",
		source + "tile game 7-5 x":      "line 2: 7-5: expected a number",
		source + "tile game 256 x":      "line 2: 256: expected a number",
		source + "tile games 5 x":       `line 2: "games" is not a kind`,
		source + "tile tiles 5 x":       `line 2: "tiles" is not a kind`,
		source + "\nsetting":            "line 2: expected a word and a string",
		source + "settings sv_hit":      `line 2: "settings": expected source`,
		"source x\nsource\nsetting a b": "line 2: expected a word and a string",
	} {
		if _, err := parseProfile("a", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
