package worlddir

import (
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
)

// hostile are invalid trees and the expected messages.
var hostile = map[string]struct {
	file, text string
	msg        string
}{
	"block":     {"blocks/z0/y0/0,0,0.txt", "version 28\nnodes\n  z 0\n    y 0 air*17\n", "blocks/z0/y0/0,0,0.txt:4:13: "},
	"raw":       {"blocks/z0/y0/0,0,0.txt", "raw\n  0x0\n", "blocks/z0/y0/0,0,0.txt:2:3: "},
	"empty":     {"blocks/z0/y0/0,0,0.txt", "", "blocks/z0/y0/0,0,0.txt: "},
	"twice":     {"blocks/z0/y0/1,0,0.block", "x", "the block is in"},
	"elsewhere": {"blocks/z0/y0/1,0,1.txt", air, "belongs in the folder blocks/z1/y0"},
	"far":       {"blocks/z0/y0/2048,0,0.txt", air, "the position x,y,z"},
	"zero":      {"blocks/z0/y0/-0,0,0.txt", air, "the position x,y,z"},
	"ending":    {"blocks/z0/y0/0,0,0.txt~", air, "the position x,y,z"},
	"plane":     {"blocks/zz/y0/0,0,0.txt", air, "expected a folder"},
	"loose":     {"blocks/0,0,0.txt", air, "expected a folder"},
	"name":      {"%62locks%2Fx", "", "invalid for a file"},
	"up":        {"%2E%2E", "", "invalid for a file"},
	"player":    {"players/a.json", `{"hp": "x"}`, "players/a.json:1:8: "},
	"field":     {"players/a.json", "{\n\"luck\": 1}", "players/a.json:2:1: "},
	"syntax":    {"players/a.json", "{\n\n", "players/a.json:"},
	"after":     {"players/a.json", "{}\n{}", "players/a.json:"},
	"slots": {"players/a.json", `{"inventory": [{"name": "main", "size": 4000000000, "items": []}]}`,
		"expected a whole number from 0 to 262144"},
	"items":      {"players/a.json", `{"inventory": [{"name": "main", "size": 1, "items": ["a", "b"]}]}`, "more items than slots"},
	"item":       {"players/a.json", `{"inventory": [{"name": "main", "size": 1, "items": ["\"a"]}]}`, "not an item"},
	"list":       {"players/a.json", `{"inventory": [{"name": "a b", "size": 1}]}`, "without spaces"},
	"two":        {"players/a.json", `{"position": [1, 2]}`, "players/a.json:1:14: position: a list of 2 values: expected 3"},
	"four":       {"players/a.json", `{"position": [1, 2, 3, 4]}`, "a list of 4 values: expected 3"},
	"object":     {"players/a.json", `{"position": {"x": 1}}`, "expected a list of 3 values"},
	"hp twice":   {"players/a.json", "{\n  \"hp\": 1,\n  \"hp\": 2\n}", `players/a.json:3:3: the field "hp" occurs twice`},
	"hp half":    {"players/a.json", `{"hp": 1.5}`, "players/a.json:1:8: hp: 1.5: expected a whole number"},
	"hp text":    {"players/a.json", `{"hp": "1"}`, "expected a whole number"},
	"hp null":    {"players/a.json", `{"hp": null}`, "expected a whole number"},
	"hp large":   {"players/a.json", `{"hp": 99999999999}`, "expected a whole number"},
	"case":       {"players/a.json", `{"HP": 1}`, `unknown field "HP": expected one of position, `},
	"unknown":    {"players/a.json", `{"inventory": [{"name": "main", "sise": 1}]}`, `a.json:1:33: inventory[0]: unknown field "sise"`},
	"pair":       {"players/a.json", `{"attributes": [{"key": "a"}]}`, "a key and a value"},
	"comma":      {"players/a.json", `{"hp": 1},`, "players/a.json:1:10: invalid JSON: text after"},
	"end":        {"players/a.json", "{\"hp\": 1\n", "players/a.json:2:1: "},
	"utf8":       {"players/a.json", "{\"attributes\": {\"a\": \"\xff\"}}", "players/a.json:1:22: invalid JSON: a string that is not UTF-8"},
	"surrogate":  {"players/a.json", `{"attributes": {"a": "\ud800"}}`, "half of a character"},
	"time":       {"players/a.json", `{"created": "yesterday"}`, "expected a time"},
	"not object": {"players/a.json", `[]`, "expected an object, { ... }"},
	"account":    {"auth/a.json", `{"password": "none", "privileges": "all"}`, `auth/a.json:1:36: privileges: "all": expected a list`},
	"playername": {"players/a.txt", "", "ends in .json"},
	"storage":    {"storage/a.json", `{"a": 1}`, `storage/a.json:1:7: a: 1: expected a string in quotes, or {"base64": "..."}`},
	"key":        {"storage/a.json", `{"a": "1", "a": "2"}`, "occurs twice"},
	"base64":     {"storage/a.json", `{"a": {"base64": "?"}}`, "storage/a.json:1:"},
	"auth":       {"auth/a.json", `{"password": "srp"}`, "auth/a.json: the new password"},
	"sidecar":    {tree.Sidecar, `{"format": 5}`, tree.Sidecar},
	"other":      {tree.Sidecar, `{"format": "torchlight"}`, "the folder has the format"},
	"backend":    {"world.mt", "backend = tape\n", "tape"},
	"server":     {"world.mt", "backend = redis\nredis_address = example.org\nredis_hash = a\n", "server"},
	"dummy":      {"world.mt", "backend = dummy\n", "stores no blocks"},
}

func TestHostile(t *testing.T) {
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{"blocks/z0/y0/1,0,0.txt": {Data: []byte(air)}}
			fsys[test.file] = &fstest.MapFile{Data: []byte(test.text)}
			if _, err := Build(t.Context(), t.TempDir(), fsys, BuildOptions{}); err == nil || !strings.Contains(err.Error(), test.msg) {
				t.Errorf("%v, want %q", err, test.msg)
			}
		})
	}
}
