package verbs

import (
	"bytes"
	"strings"
	"testing"

	"trowel.example/internal/format"
)

// hashingGame returns a game with the known name "name" and its hash h.
func hashingGame(title string, h uint32) *format.Game {
	return &format.Game{Title: title, Hash: &format.Hash{
		Of: func(string) uint32 { return h },
		Names: func(string) (func(uint32) ([]string, string), error) {
			return func(n uint32) ([]string, string) {
				if n == h {
					return []string{"name"}, ""
				}
				return nil, "placeholder"
			}, nil
		},
	}}
}

// TestHash tests that the verb hash supports every game that hashes names, and is missing if no game does.
func TestHash(t *testing.T) {
	one, two := hashingGame("One", 1), hashingGame("Two", 2)
	for _, c := range []struct {
		games format.Games
		args  string
		code  int
		want  string
	}{
		{format.Games{toys, one}, "hash name", 0, "1           0x00000001  name\n"},
		{format.Games{one, toys, two}, "hash name", 0, "1           0x00000001  name  One\n2           0x00000002  name  Two\n"},
		{format.Games{one, two}, "hash --find 2", 1, "2           0x00000002  placeholder  One  (no known name; this one has " +
			"the same hash)\n2           0x00000002  name  Two\n"},
		{format.Games{one, two}, "hash name --json", 0, `[
  {"game":"One","hash":1,"name":"name","known":true},
  {"game":"Two","hash":2,"name":"name","known":true}
]
`},
		{format.Games{toys}, "hash name", 2, ""},
	} {
		var out, talk bytes.Buffer
		if code := run(c.games, strings.Fields(c.args), nil, &out, &talk); code != c.code || out.String() != c.want {
			t.Errorf("%d games, %s: exit code %d, %s%s", len(c.games), c.args, code, &out, &talk)
		}
	}
}
