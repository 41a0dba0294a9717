package world_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

const playerText = "breath = 11\nextended_attributes = \"\"\"\n{\"a\" : " +
	"1,\"b\":\"x\",\"c\":true,\"d\":null}\n\n\"\"\"\nhp = 11\nname = celeron55\n" +
	"pitch = 39.77\nposition = (-5231.97,15,1961.41)\nversion = 1\nyaw = 101.37\nPlayerArgsEnd\n" +
	"List main 2\nItem default:torch 13\nEmpty\nEndInventoryList\nEndInventory\ntail"

func TestParsePlayer(t *testing.T) {
	p, err := world.ParsePlayer([]byte(playerText))
	if err != nil {
		t.Fatal(err)
	}
	want := &world.Player{
		Name: "celeron55", Pos: [3]float64{-5231.97, 15, 1961.41}, Pitch: 39.77, Yaw: 101.37, HP: 11, Breath: 11,
		Attributes: []world.Attribute{{"a", "1"}, {"b", "x"}, {"c", "true"}, {"d", ""}},
		Inventory: &item.Inventory{Lists: []item.List{{Name: "main", Size: 2, NoWidth: true,
			Items: []item.Slot{{Stack: item.Stack{Name: "default:torch", Count: 13}}, {}}}}},
	}
	if diff := cmp.Diff(want, p, plain); diff != "" {
		t.Error(diff)
	}
	text, err := p.Append(nil)
	if err != nil || string(text) != playerText {
		t.Errorf("unchanged, the file became %q, %v", text, err)
	}
	p.HP, p.Pos[1] = 20, 25.5
	text, err = p.Append(nil)
	changed := strings.NewReplacer("hp = 11", "hp = 20", ",15,", ",25.5,").Replace(playerText)
	if err != nil || string(text) != changed {
		t.Errorf("changed, the file became %q, %v", text, err)
	}
	p.Attributes = p.Attributes[1:2]
	if text, _ = p.Append(nil); !strings.Contains(string(text), "\nextended_attributes = {\"b\":\"x\"}\nhp") {
		t.Errorf("the attributes became %q", text)
	}
	p.Attributes[0].Value = "\xff"
	if _, err := p.Append(nil); err == nil {
		t.Error("a file of JSON takes bytes that are no text")
	}

	// Rewritten, in the order of the engine.
	text, err = want.Append(nil)
	const fresh = "breath = 11\nextended_attributes = {\"a\":\"1\",\"b\":\"x\",\"c\":\"true\",\"d\":\"\"}\nhp = 11\nname = celeron55\n" +
		"pitch = 39.77\nposition = (-5231.97,15,1961.41)\nversion = 1\nyaw = 101.37\nPlayerArgsEnd\nList main 2\nItem " +
		"default:torch 13\nEmpty\nEndInventoryList\nEndInventory\n"
	if err != nil || string(text) != fresh {
		t.Errorf("again, the file is %q, %v", text, err)
	}
}

// TestParsePlayerDamaged tests that the readable part of a damaged player is parsed and nothing is lost.
func TestParsePlayerDamaged(t *testing.T) {
	for _, text := range []string{
		"name = a\nPlayerArgsEnd",
		"name = a\nPlayerArgsEnd\n",
		"name = a\nhp = x\nposition = 1,2\npitch = \nbreath = 99999999999999\nPlayerArgsEnd\nList main 1\nItem a:b\nItem a:b\n",
		"name = a\nextended_attributes = [1]\nPlayerArgsEnd\nEndInventory\n\x00\x00",
	} {
		p, err := world.SalvagePlayer([]byte(text))
		if err != nil || p.Pos != [3]float64{} {
			t.Errorf("%q: %+v, %v", text, p, err)
			continue
		}
		if got, err := p.Append(nil); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		if _, err := world.ParsePlayer([]byte(text)); !errors.Is(err, fault.ErrLost) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"name = a\n":              "head at offset 9: expected a line PlayerArgsEnd, found the end of the file",
		"hp = 1\nPlayerArgsEnd\n": "name at offset 0: expected the name of the player, found none",
	} {
		if _, err := world.ParsePlayer([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestPlayerNumbers tests that the numbers of a player are those that the engine 5.6.1 reads, and that the text stays.
func TestPlayerNumbers(t *testing.T) {
	for position, want := range map[string][3]float64{
		"1,2,3": {}, "(1,2)": {1, 2, 0}, "(1,2,3,4)": {1, 2, 3}, "( 1 , 2 ,3)": {1, 2, 3}, "(1e1,x2,3)": {10, 0, 3},
		"1,2,3)": {}, "((1,2,3)": {0, 2, 3}, "(1;2;3)": {1, 0, 0},
	} {
		text := "name = a\nposition = " + position + "\nyaw = 1e400\npitch = 12x\nhp = 7z\nPlayerArgsEnd\nEndInventory\n"
		p, err := world.ParsePlayer([]byte(text))
		if err != nil || p.Pos != want || !math.IsInf(p.Yaw, 1) || p.Pitch != 12 || p.HP != 7 {
			t.Errorf("%s: %+v, %v", position, p, err)
			continue
		}
		if got, err := p.Append(nil); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

func TestPlayerRecord(t *testing.T) {
	p := samplePlayers(t)[0]
	data, err := p.AppendRecord(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := world.ParsePlayerRecord(p.Name, data)
	if diff := cmp.Diff(p, got, plain); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for n := range len(data) - 1 { // the last byte is the line end
		got, err := world.SalvagePlayerRecord(p.Name, data[:n])
		var e *fault.Error
		if err == nil && got.Broken == nil && n > 0 && got.Inventory == nil || err != nil && !errors.As(err, &e) {
			t.Fatalf("%d bytes of %d: %v, %v", n, len(data), got, err)
		}
		if err == nil && got.Inventory != nil {
			t.Fatalf("%d bytes of %d have an inventory", n, len(data))
		}
	}
	for _, bad := range []*world.Player{{HP: -1}, {Breath: 65536}} {
		if _, err := bad.AppendRecord(nil); err == nil {
			t.Errorf("%+v can be written", bad)
		}
	}
	if _, err := world.ParsePlayerRecord("a", []byte{2}); !errors.Is(err, fault.ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
}

// The lengths of a record have 16 bits.
func TestAccountRecordBounds(t *testing.T) {
	most := strings.Repeat("x", 65535)
	for _, a := range []*world.Account{
		{Name: "a", Password: world.Verifier(most), Privileges: []string{most}}, {Name: "a", Privileges: make([]string, 65535)},
	} {
		data, err := a.AppendRecord(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := world.ParseAccountRecord("a", data)
		if err != nil || got.Password != a.Password || !slices.Equal(got.Privileges, a.Privileges) {
			t.Errorf("%d privileges: read as another account, %v", len(a.Privileges), err)
		}
	}
	for what, a := range map[string]*world.Account{
		"password": {Password: world.Verifier(most + "x")}, "privilege": {Privileges: []string{most + "x"}},
		"privileges": {Privileges: make([]string, 65536)},
	} {
		if _, err := a.AppendRecord([]byte("before")); err == nil {
			t.Errorf("a %s too many can be written", what)
		}
	}
}

const authText = "bar:::-1\r\n# no account\n\nFoo:J19gMvsQaw/vp6q3YYagNBB/X9g:shout:-1\nold:x:a,b\nFoo:y:fly:12x\nlast::"

func TestAuthFile(t *testing.T) {
	f := world.ParseAuthFile([]byte(authText))
	want := []*world.Account{
		{Name: "bar", LastLogin: -1},
		{Name: "old", Password: "x", Privileges: []string{"a", "b"}},
		{Name: "Foo", Password: "y", Privileges: []string{"fly"}, LastLogin: 12},
		{Name: "last"},
	}
	if diff := cmp.Diff(want, slices.Collect(f.All()), plain); diff != "" {
		t.Error(diff)
	}
	for a := range f.All() {
		if err := f.Put(a); err != nil {
			t.Error(err)
		}
	}
	if got := string(f.Append(nil)); got != authText {
		t.Errorf("unchanged, the file became %q", got)
	}
	want[2].LastLogin = 13
	if err := errors.Join(f.Put(want[2]), f.Put(&world.Account{Name: "new"})); err != nil {
		t.Error(err)
	}
	if !f.Delete("old") || f.Delete("old") {
		t.Error("Delete does not report what it did")
	}
	const changed = "bar:::-1\r\n# no account\n\nFoo:J19gMvsQaw/vp6q3YYagNBB/X9g:shout:-1\nFoo:y:fly:13\nlast::\nnew:::0\n"
	if got := string(f.Append(nil)); got != changed {
		t.Errorf("changed, the file became %q", got)
	}
	for _, bad := range []*world.Account{{Name: "a:b"}, {Name: "a", Password: "\n"},
		{Name: "a", Privileges: []string{"a,b"}}, {Name: "a", Privileges: []string{""}}} {
		if err := f.Put(bad); err == nil {
			t.Errorf("%q can be put", bad.Name)
		}
	}
}

func TestBans(t *testing.T) {
	const text = "192.0.2.7|foo\nodd\n\n192.0.2.8|bar|baz"
	b := world.ParseBans([]byte(text))
	if got := slices.Collect(b.All()); !slices.Equal(got, []world.Ban{{"192.0.2.7", "foo"}, {"192.0.2.8", "bar|baz"}}) {
		t.Error(got)
	}
	if got := string(b.Append(nil)); got != text {
		t.Errorf("unchanged, the file became %q", got)
	}
	if err := b.Add(world.Ban{Address: "::1", Name: "new"}); err != nil {
		t.Error(err)
	}
	if !b.Remove("foo") || b.Remove("foo") || string(b.Append(nil)) != "odd\n\n192.0.2.8|bar|baz\n::1|new\n" {
		t.Errorf("changed, the file became %q", b.Append(nil))
	}
	for _, bad := range []world.Ban{{}, {"a|b", ""}, {"a", "b\nc"}, {" a", "b"}} {
		if err := b.Add(bad); err == nil {
			t.Errorf("%q can be added", bad)
		}
	}
}

func TestForceLoaded(t *testing.T) {
	const text = "return { [140737488388096] = 1; [1.4073748838810e+14]=2,}\n"
	f, err := world.ParseForceLoaded([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []world.ForceLoad{{[3]int{0, -32768, 0}, 1}, {[3]int{4, -32768, 0}, 2}}
	if diff := cmp.Diff(want, f.Blocks); diff != "" {
		t.Error(diff)
	}
	if got := string(f.Append(nil)); got != text {
		t.Errorf("unchanged, the file became %q", got)
	}
	f.Blocks = append(f.Blocks[:1], world.ForceLoad{Pos: [3]int{-1, 2, 32767}, Count: 3})
	if got := string(f.Append(nil)); got != "return {[140737488388096]=1,[281472829390847]=3}" {
		t.Errorf("changed, the file became %q", got)
	}
	again, err := world.ParseForceLoaded(f.Append(nil))
	if err != nil || !slices.Equal(again.Blocks, f.Blocks) {
		t.Error(again, err)
	}
	for text, want := range map[string]string{
		"os.exit()":          `force_loaded.txt: offset 0: expected "return", found "os.exit()"`,
		"return {[1]=1":      `force_loaded.txt: offset 13: expected "}", found the end of the text`,
		"return {[1.5]=1}":   `force_loaded.txt: offset 9: expected an integer from 0 to 281474976710655, found "1.5]=1}"`,
		"return {[1]=1} x":   `force_loaded.txt: offset 15: expected the end of the text, found "x"`,
		"return {[-1]=1}":    `force_loaded.txt: offset 9: expected an integer from 0 to 281474976710655, found "-1]=1}"`,
		"return {[99e99]=1}": `force_loaded.txt: offset 9: expected an integer from 0 to 281474976710655, found "99e99]=1}"`,
		"return {[1]=f()}":   `force_loaded.txt: offset 12: expected a value, found "f()}"`,
		"return {[1]=1e99}":  `force_loaded.txt: offset 12: expected an integer from 0 to 9007199254740992, found "1e99}"`,
		"return {1}":         `force_loaded.txt: offset 8: expected "[", found "1}"`,
		"\ufeffreturn {1}":   `force_loaded.txt: offset 11: expected "[", found "1}"`,
	} {
		if _, err := world.ParseForceLoaded([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestChunkMeta(t *testing.T) {
	data := []byte{0, 0, 0, 0, 2, 0xff, 0xfe, 0, 3, 10, 0, 0, 0x80, 0, 0}
	list, err := world.ParseChunkMeta(data)
	if err != nil || !slices.Equal(list, []world.Chunk{{-2, 3, 10}, {0, -32768, 0}}) {
		t.Error(list, err)
	}
	if got := world.AppendChunkMeta(nil, list); string(got) != string(data) {
		t.Errorf("became % x", got)
	}
	for text, want := range map[string]error{"": fault.ErrShort, "\x01": fault.ErrVersion,
		"\x00\xff\xff\xff\xff": fault.ErrShort, string(data) + "x": fault.ErrFormat} {
		if _, err := world.ParseChunkMeta([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestModFile(t *testing.T) {
	const text = "{\"n\" : 42, \"bin\":\"\\u0000\\ufffd\",\"null\":null}\n"
	m, err := world.ParseModFile("ltgen", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Append(nil); err != nil || string(got) != text {
		t.Errorf("unchanged, the file became %q, %v", got, err)
	}
	m.Set("n", []byte("é\U0001f528\x7f\\"))
	if got, err := m.Append(nil); err != nil || string(got) != `{"n":"\u00e9\ud83d\udd28\u007f\\","bin":"\u0000\ufffd","null":""}` {
		t.Errorf("changed, the file became %s, %v", got, err)
	}
	m.Set("n", []byte("\xff"))
	if _, err := m.Append(nil); err == nil {
		t.Error("a file of JSON takes bytes that are no text")
	}
	for _, bad := range []string{"", "[]", "{", `{"a":{}}`, `{"a":[[[`, `{"a":1}{}`, `{"a"}`, `"x"`, "\x00\x00"} {
		var e *fault.Error
		if _, err := world.ParseModFile("m", []byte(bad)); !errors.As(err, &e) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestVerifiers(t *testing.T) {
	for _, c := range []struct {
		a     world.Account
		kind  string
		right string
		wrong []string
	}{
		{world.Account{Name: "Foo", Password: "J19gMvsQaw/vp6q3YYagNBB/X9g"}, "sha1", "bar", []string{"", "Bar", "foobar"}},
		{world.Account{Name: "foo", Password: "iEPX+SQWIR3p67lj/0zigSWTKHg"}, "sha1", "bar", []string{"", "oobar"}},
		{world.Account{Name: "a"}, "none", "", []string{"x"}},
		{world.Account{Name: "Foo", Password: world.NewVerifier("fOO", "bar")}, "srp", "bar", []string{"", "bar "}},
		{world.Account{Name: "a", Password: "#1#x"}, "unknown", "-", []string{"", "x"}},
		{world.Account{Name: "a", Password: "#1#!#AAAA"}, "unknown", "-", []string{""}},
		{world.Account{Name: "a", Password: "*"}, "unknown", "-", []string{"*"}},
	} {
		if c.a.Password.Kind() != c.kind {
			t.Errorf("the kind is %s, want %s", c.a.Password.Kind(), c.kind)
		}
		if c.right != "-" && !world.CheckPassword(&c.a, c.right) {
			t.Errorf("%s with %s: the password is refused", c.a.Name, c.kind)
		}
		for _, wrong := range c.wrong {
			if world.CheckPassword(&c.a, wrong) {
				t.Errorf("%s with %s: %q is accepted", c.a.Name, c.kind, wrong)
			}
		}
	}
	if a, b := world.NewVerifier("a", "b"), world.NewVerifier("a", "b"); string(a) == string(b) {
		t.Error("two verifiers have the same salt")
	}
}

// TestVerifierIsSecret tests that formatting never prints the secret.
func TestVerifierIsSecret(t *testing.T) {
	a := &world.Account{Name: "a", Password: "c2VjcmV0"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		for _, v := range []any{a, *a, a.Password, &a.Password} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, "c2VjcmV0") || strings.Contains(strings.ToLower(got), "633256") {
				t.Errorf("%s prints %s", verb, got)
			}
		}
	}
	if a.Password.String() != "(sha1)" {
		t.Error(a.Password.String())
	}
}

// TestFilesCorpus tests that every file of the corpus round-trips byte for byte.
func TestFilesCorpus(t *testing.T) {
	dir := tests.Corpus(t, "minetest")
	n := 0
	same := func(path string, got []byte, err error) {
		t.Helper()
		if n++; err != nil || string(got) != string(judge.Read(t, path)) {
			t.Errorf("%s is not what it was: %v", path, err)
		}
	}
	for _, path := range tests.CorpusFiles(t, "minetest", "/auth.txt") {
		f := world.ParseAuthFile(judge.Read(t, path))
		for a := range f.All() {
			if err := f.Put(a); err != nil {
				t.Error(err)
			}
		}
		same(path, f.Append(nil), nil)
	}
	for _, path := range tests.CorpusFiles(t, "minetest", "/ipban.txt") {
		same(path, world.ParseBans(judge.Read(t, path)).Append(nil), nil)
	}
	for _, path := range tests.CorpusFiles(t, "minetest", "/force_loaded.txt") {
		f, err := world.ParseForceLoaded(judge.Read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		same(path, f.Append(nil), nil)
	}
	path := filepath.Join(dir, "generated/v17-sectors2/chunk_meta")
	list, err := world.ParseChunkMeta(judge.Read(t, path))
	same(path, world.AppendChunkMeta(nil, list), err)
	path = filepath.Join(dir, "cornernote-mesecons-circuits/singleplayer")
	p, err := world.ParsePlayer(judge.Read(t, path))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Append(nil)
	same(path, text, err)
	if p.HP != 20 || p.Breath != 11 || p.Inventory == nil || len(p.Inventory.List("main").Items) != 32 {
		t.Errorf("%+v", p)
	}
	for _, path := range tests.CorpusFiles(t, "minetest", "/mod_storage/ltgen") {
		m, err := world.ParseModFile("ltgen", judge.Read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		fresh := &world.ModData{Mod: m.Mod, Entries: m.Entries}
		text, err := fresh.Append(nil)
		same(path, text, err)
	}
	t.Logf("%d files", n)
}

func TestWorldMT(t *testing.T) {
	s := world.ParseSettings([]byte("gameid = devtest\nload_mod_a = true\nload_mod_b = false\nload_mod_c = "+
		"mods/c\nauth_backend = leveldb\n"), "")
	dir := t.TempDir()
	if got := world.FindBackends(dir, s); got != (world.Backends{Map: "sqlite3", Players: "files", Auth: "leveldb", ModStorage: "files"}) {
		t.Error(got)
	}
	judge.Write(t, filepath.Join(dir, "sectors2", "x"), nil)
	if got := world.FindBackends(dir, s); got.Map != mapdb.Sectors {
		t.Error(got)
	}
	judge.Write(t, filepath.Join(dir, "map.sqlite"), nil)
	if got := world.FindBackends(dir, s); got.Map != mapdb.SQLite {
		t.Error(got)
	}
	if got := maps.Collect(s.Mods()); !maps.Equal(got, map[string]bool{"a": true, "b": false, "c": true}) {
		t.Error(got)
	}
	if s.GameID() != "devtest" || world.WorldName(filepath.Join(dir, "my world"), s) != "my world" {
		t.Error("wrong names")
	}
	s.Set("world_name", "Named")
	if world.WorldName(dir, s) != "Named" {
		t.Error("the world's own name is not used")
	}
	if s, err := world.ReadWorldMT(dir); err != nil || s.GameID() != "" {
		t.Error(s, err)
	}
}

// TestPlaces tests that findings have places: the line of a setting, the player, the slot.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"world.mt":        "gameid = a\n\nbackend = cards\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\nnonsense\n",
		"ipban.txt":       "1|a\nnonsense\n",
		"auth.txt":        "ann:?:\n",
		"mod_storage/pig": "[",
		"players/ann": "name = ann\nhp = -1\nPlayerArgsEnd\nList main 2\nWidth 0\nItem a-b:c 2\nItem a-b:c " +
			"2\nEndInventoryList\nEndInventory\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	got := make(map[string]string)
	err := world.CheckRest(t.Context(), dir, world.CheckOptions{}, func(f check.Finding) {
		data, err := json.Marshal(f.At)
		if err != nil {
			t.Error(err)
		}
		got[f.ID] += string(data)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"mt-world-backend":      `[{"path":"world.mt","line":3}]`,
		"mt-world-setting-line": `[{"path":"world.mt","line":7}]`,
		"mt-world-ban":          `[{"path":"ipban.txt","line":2}]`,
		"mt-world-player-value": `[{"player":"ann"}]`,
		"mt-item-name":          `[{"player":"ann","list":"main","slot":0},{"player":"ann","list":"main","slot":1}]`,
		"mt-world-password":     `[{"account":"ann"}]`,
		"mt-world-storage":      `[{"mod":"pig"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLargeInventory tests that an inventory that no server can send is a finding.
func TestLargeInventory(t *testing.T) {
	if *world.MaxSent != 16<<20 {
		t.Errorf("the engine sends up to %d bytes", *world.MaxSent)
	}
	const most = 4096
	defer func(n int) { *world.MaxSent = n }(*world.MaxSent)
	*world.MaxSent = most
	dir := t.TempDir()
	for name, size := range map[string]int{"ann": most - 1, "bob": most} {
		const before, after = "List main 1\nWidth 0\nItem a:b 1 0 \"", "\"\nEndInventoryList\nEndInventory\n"
		judge.Write(t, filepath.Join(dir, "players", name), []byte("name = "+name+"\nhp = 20\nposition = (0,0,0)\nPlayerArgsEnd\n"+
			before+strings.Repeat("x", size-len(before)-len(after))+after))
	}
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("backend = sqlite3\n"))
	var got []string
	err := world.CheckRest(t.Context(), dir, world.CheckOptions{}, func(f check.Finding) {
		if f.ID == "mt-world-player-large" {
			got = append(got, f.Path+": "+f.Message)
		}
	})
	if want := []string{"players:bob: the inventory has 4096 bytes, the engine sends less than 4096"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
