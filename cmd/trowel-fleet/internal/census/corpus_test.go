package census

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
)

// said is an element of the JSON that a verb prints.
type said map[string]any

// get returns the value at a path of keys and indexes as text. A missing, null or empty value is "".
func (s said) get(way ...string) string {
	var v any = map[string]any(s)
	for _, key := range way {
		switch of := v.(type) {
		case map[string]any:
			v = of[key]
		case []any:
			v = of[key[0]-'0']
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// milli returns a number in thousandths.
func (s said) milli(way ...string) string {
	n, _ := json.Number(s.get(way...)).Float64()
	return fmt.Sprintf("%.0f", n*1000)
}

func line(values ...string) string { return strings.Join(values, "|") }

// agreement is a question that a verb and a query answer in the same way.
type agreement struct {
	name  string
	words []string // the verb and its arguments, with --json
	lines func(s said) []string
	sql   string // a query that gives the same lines; null or empty values are ''
}

func each(line func(s said) string) func(s said) []string {
	return func(s said) []string { return []string{line(s)} }
}

// TestCensusCorpus tests that the tables of real files contain what find, check and info print about them.
func TestCensusCorpus(t *testing.T) {
	tests.LongOnly(t, "goes through all real files")
	python := judge.Python(t, "duckdb")
	var dirs []string
	for _, name := range []string{"teeworlds", "torchlight", "minetest"} {
		dirs = append(dirs, tests.Corpus(t, name))
	}
	script, err := filepath.Abs("testdata/ask.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	verb := func(words ...string) []said {
		t.Helper()
		var out, talk bytes.Buffer
		code := verbs.Main(games, append(words, "--json"), strings.NewReader(""), &out, &talk, Verbs(writeTables, nil))
		dec := json.NewDecoder(&out)
		dec.UseNumber()
		var list []said
		if err := dec.Decode(&list); words[0] != "census" && err != nil {
			t.Fatalf("%.100q: exit code %d, %v\n%.1000s", words, code, err, talk.String())
		}
		return list
	}
	verb(append([]string{"census", "-o", "census"}, dirs...)...)
	tw, tl, mt := dirs[0], dirs[1], dirs[2]
	mapFiles := tests.CorpusFiles(t, "teeworlds", ".map")
	at := func(s said) string {
		return line(s.get("at", "node", "0"), s.get("at", "node", "1"), s.get("at", "node", "2"))
	}
	all := []agreement{
		{"tiles by index", []string{"find", tw, "--by", "id", "--", "tile", "--layer", "game", "--layer", "front"},
			each(func(s said) string { return line(s.get("by"), s.get("hits")) }),
			`SELECT tile, sum(tiles) FROM teeworlds_tiles WHERE tile <> 0 AND kind IN ('game', 'front') GROUP BY tile`},
		{"maps", append([]string{"info"}, mapFiles...),
			each(func(s said) string {
				i := func(key string) string { return s.get("info", key) }
				return line(s.get("file"), s.get("size"), i("sha256"), i("crc32"), i("items"), i("flavor"), i("width"), i("height"),
					i("groups"), i("quads"), i("envelopes"), i("envelopePoints"))
			}),
			`SELECT file, size, sha256, crc32, items, flavor, width, height, groups, quads, envelopes, envelope_points FROM teeworlds_maps`},
		{"layers", []string{"find", tw, "--", "layer"},
			each(func(s said) string {
				return line(s.get("file"), s.get("at", "group", "number"), s.get("at", "layer", "number"),
					s.get("at", "layer", "name"), s.get("fields", "kind"), s.get("fields", "width"), s.get("fields", "height"), s.get("fields", "things"))
			}),
			`SELECT file, group_number, layer_number, name, kind, coalesce(width, 0), coalesce(height, 0), things FROM ` +
				`teeworlds_layers WHERE group_number IS NOT NULL`},
		{"settings", []string{"find", tw, "--", "setting"},
			each(func(s said) string {
				return line(s.get("file"), s.get("at", "setting", "number"), s.get("fields", "setting"))
			}),
			`SELECT file, number, setting FROM teeworlds_settings`},
		{"teles", []string{"find", tw, "--by", "file", "--", "tele"},
			each(func(s said) string { return line(s.get("by"), s.get("hits")) }),
			`SELECT file, count(*) FROM teeworlds_teles GROUP BY file`},
		{"keys by path", []string{"find", tl, "--by", "path", "--", "key", "*"},
			each(func(s said) string { return line(s.get("by"), s.get("hits")) }),
			`SELECT path, count(*) FROM torchlight_keys GROUP BY path`},
		{"files of mods", []string{"find", tl, "--", "file"},
			each(func(s said) string { return line(s.get("file"), s.get("path"), s.get("fields", "size")) }),
			`SELECT file, path, size FROM torchlight_files WHERE NOT removed AND file IN (SELECT file FROM torchlight_mods)`},
		{"GUIDs", []string{"find", tl, "--", "key", "*G?ID"},
			func(s said) []string {
				if !slices.Contains([]string{"GUID", "UNIT_GUID", "UNIQUE_GUID"}, s.get("fields", "key")) {
					return nil
				}
				return []string{line(s.get("file"), s.get("path"), s.get("at", "object"), s.get("fields", "key"), s.get("fields", "value"))}
			},
			`SELECT file, path, object, key, guid FROM torchlight_guids`},
		{"findings", []string{"check", tw, tl},
			func(s said) (lines []string) {
				if strings.HasSuffix(s.get("file"), ".rules") {
					return nil // the file has no tables
				}
				found, _ := s["findings"].([]any)
				for _, f := range found {
					// A folder of sources is built for its tables, which do not contain findings about the
					// folder.
					if f := said(f.(map[string]any)); !strings.HasPrefix(f.get("id"), "tl-source-") {
						lines = append(lines, line(s.get("file"), f.get("id"), f.get("path")))
					}
				}
				return lines
			},
			`SELECT file, id, path FROM teeworlds_findings UNION ALL SELECT file, id, path FROM torchlight_findings`},
		{"items", []string{"find", mt, "--", "item", "*"},
			each(func(s said) string {
				return line(s.get("file"), at(s), s.get("at", "player"), s.get("at", "list"), s.get("at", "slot"),
					s.get("fields", "item"), s.get("fields", "count"), s.get("fields", "wear"), s.get("fields", "owner"))
			}),
			`SELECT file, x, y, z, CASE WHEN kind = 'player' THEN owner END, list, slot, item, count, wear, owner FROM minetest_inventories`},
		{"metadata", []string{"find", mt, "--", "metadata", "*"},
			each(func(s said) string {
				return line(s.get("file"), at(s), s.get("fields", "node"), s.get("fields", "key"), s.get("fields", "value"), s.get("fields", "private"))
			}),
			`SELECT file, x, y, z, node, key, value, CAST(private AS VARCHAR) FROM minetest_metadata`},
		{"objects", []string{"find", mt, "--", "object"},
			each(func(s said) string {
				return line(s.get("file"), s.milli("fields", "x"), s.milli("fields", "y"), s.milli("fields", "z"),
					s.get("fields", "object"), s.get("fields", "hp"), s.get("fields", "item"))
			}),
			`SELECT file, CAST(round(x * 1000) AS BIGINT), CAST(round(y * 1000) AS BIGINT), CAST(round(z * 1000) AS BIGINT), ` +
				`object, hp, item FROM minetest_objects`},
		{"nodes by name", []string{"find", mt, "--by", "node", "--", "node", "*chest*", "*torch*", "*sign*", "*mesecon*",
			"*:dirt*", "*glass*", "*door*"},
			each(func(s said) string { return line(s.get("by"), s.get("hits")) }),
			`SELECT node, sum(count) FROM minetest_nodes WHERE regexp_matches(node, 'chest|torch|sign|mesecon|:dirt|glass|door') GROUP BY node`},
		{"players", []string{"find", mt, "--", "player"},
			each(func(s said) string {
				return line(s.get("file"), s.get("at", "player"), s.get("fields", "hp"), s.get("fields", "breath"))
			}),
			`SELECT file, player, hp, breath FROM minetest_players`},
		{"mod storage", []string{"find", mt, "--", "storage"},
			each(func(s said) string {
				return line(s.get("file"), s.get("fields", "mod"), s.get("fields", "key"), s.get("fields", "bytes"))
			}),
			`SELECT file, mod, key, value_bytes FROM minetest_mod_storage`},
	}
	queries := []string{`SELECT file, sha256 FROM teeworlds_images WHERE sha256 IS NOT NULL`}
	for _, a := range all {
		queries = append(queries, a.sql)
	}
	answers := ask(t, python, script, "duckdb", []string{viewsFile(t, "duckdb", "census")}, queries)
	all = append([]agreement{{name: "images"}}, all...)
	for i, a := range all {
		count := make(map[string]int)
		if a.words == nil {
			embedded(t, mapFiles, count)
		} else {
			for _, s := range verb(a.words...) {
				for _, l := range a.lines(s) {
					count[l]++
				}
			}
		}
		if len(count) == 0 {
			t.Errorf("%s: there are none", a.name)
		}
		for _, row := range answers[i] {
			values := strings.Split(row, "|")
			for i, v := range values {
				if v == "NULL" {
					values[i] = ""
				}
			}
			count[line(values...)]--
		}
		maps.DeleteFunc(count, func(_ string, n int) bool { return n == 0 })
		if len(count) > 0 {
			list := slices.Sorted(maps.Keys(count))
			for _, l := range list[:min(len(list), 20)] {
				t.Errorf("%s: %+d %.300q (+ is what the verb says, - what the table says)", a.name, count[l], l)
			}
			t.Errorf("%s: %d lines differ", a.name, len(list))
		}
	}
}

// embedded counts the embedded images of maps by file and hash.
func embedded(t *testing.T, files []string, count map[string]int) {
	t.Helper()
	for _, name := range files {
		f, err := datafile.Decode(judge.Read(t, name))
		if err != nil {
			continue
		}
		for _, item := range f.All(2) {
			if len(item.Data) < 6 || item.Data[3] != 0 {
				continue
			}
			b := f.Block(item.Data[5])
			if b == nil {
				continue
			}
			pixels, err := b.Bytes()
			switch n := int(item.Data[1]) * int(item.Data[2]); {
			case err != nil:
				continue
			case len(pixels) == 3*n: // without alpha
				var whole []byte
				for i := range n {
					whole = append(append(whole, pixels[3*i:3*i+3]...), 0xff)
				}
				pixels = whole
			case len(pixels) != 4*n:
				continue
			}
			count[line(name, fmt.Sprintf("%x", sha256.Sum256(pixels)))]++
		}
	}
}
