package teeworlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/seedmap"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/twmap"
)

// TestCensusOfSeeds tests the rows of maps whose contents are known completely.
func TestCensusOfSeeds(t *testing.T) {
	seeds, queries, err := seedmap.Make(24, 1)
	if err != nil {
		t.Fatal(err)
	}
	censustest.Answers(t, game, teeworldsMap, seeds, queries)
	for _, s := range seeds[:tests.Of(t, 3, len(seeds))] { // one of each flavor; package mapquery tests the columns
		sameAsFind(t, format.NewSource(s.Name, s.Data))
	}
}

// sameAsFind compares the tables of a map with the results of find, info and check.
func sameAsFind(t *testing.T, src *format.Source) {
	t.Helper()
	db := censustest.New(t, game)
	positions := []string{"*tele*", "9", "speed*", "default:chest"} // the last one is for worlds
	if _, err := db.Add(teeworldsMap, src, positions...); err != nil {
		t.Errorf("%s: %v", src.Path, err)
	}
	file := "WHERE file = '" + strings.ReplaceAll(src.Path, "'", "''") + "'"
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %q, want %q", src.Path, what, got, want)
		}
	}
	field := censustest.Field
	find := func(line func(h format.Hit) string, words ...string) (lines []string) {
		for _, h := range censustest.Find(t, teeworldsMap, src, words...) {
			lines = append(lines, line(h))
		}
		return lines
	}
	same("teles", db.Ask("SELECT x || ',' || y, number, tile, name FROM teeworlds_teles "+file), find(func(h format.Hit) string {
		return fmt.Sprintf("%v|%s|%s|%s", h.At, field(h, "number"), field(h, "id"), field(h, "name"))
	}, "tele"))
	same("switches", db.Ask("SELECT x || ',' || y, number, tile, delay FROM teeworlds_switches "+file), find(func(h format.Hit) string {
		return fmt.Sprintf("%v|%s|%s|%s", h.At, field(h, "number"), field(h, "id"), field(h, "delay"))
	}, "switch"))
	same("speedups", db.Ask("SELECT x || ',' || y, force, max_speed, angle FROM teeworlds_speedups "+file), find(func(h format.Hit) string {
		return fmt.Sprintf("%v|%s|%s|%s", h.At, field(h, "force"), field(h, "maxSpeed"), field(h, "angle"))
	}, "speedup"))
	same("tunes", db.Ask("SELECT x || ',' || y, number FROM teeworlds_tunes "+file), find(func(h format.Hit) string {
		return fmt.Sprintf("%v|%s", h.At, field(h, "number"))
	}, "tune"))
	same("positions", db.Ask("SELECT x || ',' || y, kind, tile, coalesce(name, ''), coalesce(number, '<nil>') FROM teeworlds_positions "+file),
		find(func(h format.Hit) string {
			return fmt.Sprintf("%v|%s|%s|%s|%s", h.At, field(h, "layer"), field(h, "id"), field(h, "name"), field(h, "number"))
		}, append([]string{"tile"}, positions[:3]...)...))
	same("layers", db.Ask("SELECT path, kind, coalesce(width, 0), coalesce(height, 0), things, uses FROM "+
		"teeworlds_layers "+file+" AND group_number IS NOT NULL"), find(func(h format.Hit) string {
		return strings.Join([]string{h.Path, field(h, "kind"), field(h, "width"), field(h, "height"), field(h, "things"), field(h, "uses")}, "|")
	}, "layer"))
	same("settings", db.Ask("SELECT setting FROM teeworlds_settings "+file),
		find(func(h format.Hit) string { return field(h, "setting") }, "setting"))
	for table, query := range map[string]string{"images": "image", "sounds": "sound", "envelopes": "envelope"} {
		unused, used := []string(nil), 0
		for _, h := range censustest.Find(t, teeworldsMap, src, query) {
			if field(h, "use") == "unused" {
				unused = append(unused, field(h, "name"))
			} else {
				used++
			}
		}
		same("unused "+table, db.Ask("SELECT name FROM teeworlds_"+table+" "+file+" AND uses = 0"), unused)
		if used > 0 {
			same("used "+table, db.Ask("SELECT sum(uses) FROM teeworlds_"+table+" "+file), []string{fmt.Sprint(used)})
		}
	}
	found := len(censustest.Find(t, teeworldsMap, src, "tile"))
	same("tiles", db.Ask("SELECT coalesce(sum(tiles), 0) FROM teeworlds_tiles "+file+" AND tile <> 0"), []string{fmt.Sprint(found)})

	var findings []string
	for _, f := range censustest.Findings(t, teeworldsMap, src) {
		findings = append(findings, fmt.Sprintf("%s|%v|%s|%s|%d", f.ID, f.Severity, f.Path, f.Message, len(f.At)))
	}
	same("findings", db.Ask("SELECT id, severity, path, message, places FROM teeworlds_findings "+file), findings)

	info := censustest.Info(t, teeworldsMap, src)
	value := func(key string) string {
		switch v := info[key].(type) {
		case nil:
			return ""
		case []string:
			return fmt.Sprint(len(v))
		default:
			return fmt.Sprint(v)
		}
	}
	same("the map", db.Ask("SELECT datafile_version, sha256, crc32, items, data, inflated_size, flavor, coalesce(author, "+
		"''), coalesce(map_version, ''), coalesce(credits, ''), coalesce(license, ''), "+
		"coalesce(width, ''), coalesce(height, ''), groups, quads, envelopes, envelope_points, "+
		"coalesce(nullif(unknown_items, 0), '') FROM teeworlds_maps "+file),
		[]string{strings.Join([]string{value("datafileVersion"), value("sha256"), value("crc32"), value("items"),
			value("data"), value("inflatedSize"), value("flavor"), value("author"), value("mapVersion"), value("credits"),
			value("license"),
			value("width"), value("height"), value("groups"), value("quads"), value("envelopes"), value("envelopePoints"),
			value("unknownItems")}, "|")})
	same("external images", db.Ask("SELECT count(*) FROM teeworlds_images "+file+" AND external"), []string{value("externalImages")})
	same("embedded images", db.Ask("SELECT count(*) FROM teeworlds_images "+file+" AND NOT external"), []string{value("embeddedImages")})
	physics, _ := info["physics"].([]string)
	for _, kind := range []string{"front", "tele", "speedup", "switch", "tune"} {
		has := "0"
		if slices.Contains(physics, kind) {
			has = "1"
		}
		same(kind, db.Ask("SELECT has_"+kind+" FROM teeworlds_maps "+file), []string{has})
	}
}

// TestCensusOfCorpus compares the rows of real maps with the results of find, info and check.
func TestCensusOfCorpus(t *testing.T) {
	for i, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := format.Set(game.Formats).Find(src); err == nil && f == teeworldsMap && i%8 == 0 && src.Size < 1<<20 {
			sameAsFind(t, src)
		}
		src.Close()
	}
}

// TestCensusOfDatafile tests that a datafile that is not a current map has a row and findings.
func TestCensusOfDatafile(t *testing.T) {
	data, err := (&datafile.File{Items: []datafile.Item{{Type: 0x8002, Data: []int32{1, 2, 3}}}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*format.Format{teeworldsDatafile, teeworldsMap} {
		db := censustest.New(t, game)
		if missed, err := db.Add(f, format.NewSource("a.map", data)); err != nil || len(missed) > 0 {
			t.Errorf("%q, %v", missed, err)
		}
		if got, want := db.Ask("SELECT size, items, version, has_tele FROM teeworlds_maps"),
			fmt.Sprintf("%d|1|NULL|NULL", len(data)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %s", got, want)
		}
		if got := db.Ask("SELECT id FROM teeworlds_findings"); len(got) == 0 {
			t.Error("no finding")
		}
	}
}

// TestCensusOfDamage tests that a damaged map has rows for everything that can be read, and that each loss is
// reported once and is a finding.
func TestCensusOfDamage(t *testing.T) {
	seeds, _, err := seedmap.Make(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	data := seeds[5].Data // a map of DDNet, with a tele layer
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range m.Source().Data {
		broken := slices.Clone(data)
		for j := range b.StoredSize() {
			broken[int(b.Offset())+j] = 0xff
		}
		db := censustest.New(t, game)
		missed, err := db.Add(teeworldsMap, format.NewSource("a.map", broken))
		unseen := i == 4 || i == 6 || i == 8 || i == 10 // air for games that do not support the layer
		if err != nil || !unseen && (len(missed) != 1 || !strings.Contains(missed[0], fmt.Sprintf("data block %d ", i))) {
			t.Errorf("block %d: %q, %v", i, missed, err)
		}
		// The same losses as with find.
		var reported []string
		job := &format.Job{Reports: format.Reports{OnMiss: func(_, message string) { reported = append(reported, message) }}}
		query := format.Step{Command: mapFinder.Commands[0], Job: new(format.Job)}
		err = mapFinder.Find(t.Context(), job, format.NewSource("a.map", broken), query, func(format.Hit) error { return nil })
		if err != nil || len(reported) > 1 || len(reported) == 1 && !slices.Equal(reported, missed) {
			t.Errorf("block %d: find: %q, %v", i, reported, err)
		}
		if got := db.Ask("SELECT (SELECT count(*) FROM teeworlds_maps), (SELECT count(*) > 2 FROM teeworlds_layers), " +
			"(SELECT count(*) > 2 FROM teeworlds_tiles), " +
			"(SELECT count(*) > 0 FROM teeworlds_findings WHERE severity = 'error')"); !slices.Equal(got, []string{"1|1|1|1"}) {
			t.Errorf("block %d: %q", i, got)
		}
	}
	// A file that is too damaged to be opened is a finding.
	db := censustest.New(t, game)
	missed, err := db.Add(teeworldsMap, format.NewSource("a.map", data[:50]))
	if got := db.Ask("SELECT id FROM teeworlds_findings"); err != nil || len(missed) != 1 || !slices.Equal(got, []string{"unreadable"}) {
		t.Errorf("%q, %v, findings %q", missed, err, got)
	}
	// An error of the callback that receives the rows ends the census and is returned.
	enough := errors.New("enough")
	total := 0
	count := func(*format.Table, []format.Cell) error { total++; return nil }
	if err := mapquery.Maps.Rows(t.Context(), new(format.Job), format.NewSource("a.map", data), count); err != nil {
		t.Fatal(err)
	}
	for stop := range total {
		n := 0
		if err := mapquery.Maps.Rows(t.Context(), new(format.Job), format.NewSource("a.map", data), func(*format.Table, []format.Cell) error {
			if n++; n > stop {
				return enough
			}
			return nil
		}); !errors.Is(err, enough) || n != stop+1 {
			t.Errorf("row %d of %d: %v after %d", stop, total, err, n)
		}
	}
}

// FuzzCensus tests that any file gives rows that match the tables, or an error.
func FuzzCensus(f *testing.F) {
	seeds, _, err := seedmap.Make(6, 2)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range seeds {
		f.Add(s.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, of := range []*format.Format{teeworldsMap, teeworldsDatafile} {
			_ = of.Census.Rows(t.Context(), new(format.Job), format.NewSource("a.map", data), func(table *format.Table, values []format.Cell) error {
				if err := table.CheckRow(values); err != nil {
					t.Error(err)
				}
				return nil
			})
		}
	})
}
