package item_test

import (
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/item"
)

// TestEngineItems tests that the engine reads and writes itemstrings as this package does.
func TestEngineItems(t *testing.T) {
	judge.Find(t, "minetestserver")
	texts := []string{"CraftItem Stick 3", "MaterialItem 8 12", "MaterialItem2 2058 2", "MaterialItem2 4000 2",
		"NodeItem \"locked_chest\" 5", "lump_of_iron 7", "wooden_fence", "mossycobble 2", "CraftItem paper 0",
		"unknown_block 2", "MaterialItem2 3999 1", "MaterialItem 4000 2"}
	for _, c := range stacks {
		if c.want.Legacy == "" {
			texts = append(texts, c.text)
		}
	}
	texts = slices.AppendSeq(texts, maps.Keys(refused))
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
		texts = append(texts, item.Stack{Name: "a:" + string([]byte{byte(c)}), Count: c + 1, Wear: c * 257}.String())
	}
	texts = append(texts, item.Stack{Name: all.String(), Count: 65535, Meta: []item.MetaField{{Key: "k", Value: "é \"\\"}}}.String())

	var lines []string
	for _, text := range texts {
		lines = append(lines, hex.EncodeToString([]byte(text)))
	}
	home := judge.Dir(t)
	dir := filepath.Join(home, "world")
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = minetest\nbackend = dummy\nplayer_backend = dummy\nauth_backend = files\nmod_storage_backend = files\n"))
	judge.Write(t, filepath.Join(dir, "items"), []byte(strings.Join(lines, "\n")))
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "mod.conf"), []byte("name = judge\n"))
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "init.lua"), []byte(`
minetest.after(0, function()
	local out = {}
	for line in io.lines(minetest.get_worldpath() .. "/items") do
		local text = line:gsub("..", function(h) return string.char(tonumber(h, 16)) end)
		out[#out + 1] = ItemStack(text):to_string():gsub(".", function(c) return string.format("%02x", c:byte()) end)
	end
	minetest.safe_file_write(minetest.get_worldpath() .. "/verdict", table.concat(out, "\n"))
	minetest.request_shutdown("done")
end)
`))
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nport = 30997\n"))
	if said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", dir,
		"--quiet"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	verdicts := strings.Split(string(judge.Read(t, filepath.Join(dir, "verdict"))), "\n")
	if len(verdicts) != len(texts) {
		t.Fatalf("%d verdicts of %d", len(verdicts), len(texts))
	}
	names := func(id uint16) (string, bool) {
		name, ok := map[uint16]string{0x80a: "default:cobble", 0x805: "default:dirt"}[id]
		return name, ok
	}
	for i, text := range texts {
		want, err := hex.DecodeString(verdicts[i])
		if err != nil {
			t.Fatal(err)
		}
		s, err := item.ParseStack(text)
		if err == nil {
			s, err = s.MigrateLegacy(names)
		}
		fresh := item.Stack{Name: s.Name, Count: s.Count, Wear: s.Wear, Meta: s.Meta}
		switch {
		case text == "default:pick_wood 21323":
			fresh.Count = 1 // the game defines it as a tool
		case fresh.Name == "unknown_block" && s.Legacy == "" && strings.HasPrefix(text, "Material"):
			fresh = item.Stack{} // the engine drops it
		}
		slices.SortFunc(fresh.Meta, func(a, b item.MetaField) int { return strings.Compare(a.Key, b.Key) }) // the engine's order is random
		if _, bad := refused[text]; bad != (err != nil) || fresh.String() != string(want) {
			t.Errorf("%q: the engine writes %q, we %q, %v", text, want, fresh, err)
		}
	}
	t.Logf("%d items", len(texts))
}
