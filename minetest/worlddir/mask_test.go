package worlddir_test

import (
	"strings"
	"testing"

	"trowel.example/minetest/worlddir"
)

func TestMask(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"world.mt", "backend = postgresql\npgsql_connection = host=127.0.0.1 user=u password=sekret dbname=d\ngameid = x\n",
			"backend = postgresql\npgsql_connection = host=127.0.0.1 user=u password=*** dbname=d\ngameid = x\n"},
		{"world.mt", "pgsql_auth_connection = host=h password='se kr\\'et' user=u", "pgsql_auth_connection = host=h password=*** user=u"},
		{"world.mt", "pgsql_auth_connection = PASSWORD = sekret", "pgsql_auth_connection = PASSWORD = ***"},
		{"world.mt", "pgsql_player_connection = postgresql://u:se@kret@h/d?x=1", "pgsql_player_connection = postgresql://u:***@h/d?x=1"},
		{"world.mt", "pgsql_player_connection = postgresql://h/d?password=sekret&user=u",
			"pgsql_player_connection = postgresql://h/d?password=***&user=u"},
		{"world.mt.bak", "redis_password = sekret and more\r\nredis_port = 1", "redis_password = ***\nredis_port = 1"},
		{"worldmods/a/settings.conf", "  irc_token=sekret", "  irc_token=***"},
		{"notes.txt", "bob:#1#c2FsdA#c2VrcmV0:interact:-1\n", "bob:#1#***:interact:-1\n"},
		{"old/accounts", "bob:AbCdEfGhIjKlMnOpQrStUvWxYz0:interact,shout:1700000000\n", "bob:***:interact,shout:1700000000\n"},
		{"worldmods/a/init.lua", "local password = get()", "local password = get()"},
		{"worldmods/a/README", "x = y, and a token is a word", "x = y, and a token is a word"},
		{"players/a.json", "#1#a#b", "#1#a#b"},
	} {
		if got := string(worlddir.Mask(c.name, []byte(c.text))); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.name, c.text, got, c.want)
		}
	}
	for _, name := range []string{"auth.txt", "auth.sqlite", "auth.txt.old", "auth.db/000003.log", "backup/auth.sqlite"} {
		if got := string(worlddir.Mask(name, []byte("sekret"))); strings.Contains(got, "sekret") {
			t.Errorf("%s is %q", name, got)
		}
	}
}
