package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
)

// told runs the tool and returns its output.
func told(t *testing.T, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	if code := run(games, args, strings.NewReader(""), &out, &talk); code == 2 {
		t.Fatalf("trowel %q: %s", args, talk.String())
	}
	return out.String()
}

func toldJSON(t *testing.T, v any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(told(t, args...)), v); err != nil {
		t.Fatal(err)
	}
}

// sampleFiles returns a file of each game by the name of its format.
func sampleFiles(t *testing.T) map[string]string {
	return map[string]string{
		"teeworlds-map":  packed(t, "burrow", "burrow.map"),
		"torchlight-mod": packed(t, "ember", "ember.MOD"),
		"minetest-world": packed(t, "hollow", "hollow-world"),
	}
}

type pageField struct {
	Name               string
	From, To, Skip     int
	Offset, Length     int64
	Path, Value, Opens string
	Meaning            string
	Gap                bool
	space              string
}

type pageFields struct {
	Base, Space, Error string
	Size               int64
	Total, Of, Left    int
	Rows               []pageField
	Trail              []int
	Field              *pageField
}

// fields opens all groups and spaces, page by page, and calls visit with each field.
func (c *served) fields(t *testing.T, path, space string, visit func(f pageField, trail []int)) {
	var open func(g pageField, trail []int)
	open = func(g pageField, trail []int) {
		for start := 0; ; {
			var page pageFields
			q := url.Values{"path": {path}, "n": {"17"}, "start": {fmt.Sprint(start)}, "skip": {fmt.Sprint(g.Skip)}}
			if space != "?" {
				q.Set("space", space)
			}
			if g.To > 0 {
				q.Set("from", fmt.Sprint(g.From))
				q.Set("to", fmt.Sprint(g.To))
			}
			c.json(t, "fields?"+q.Encode(), &page)
			for i, row := range page.Rows {
				row.space = page.Space
				way := append(slices.Clone(trail), start+i)
				switch {
				case row.To-row.From > 1:
					open(row, way)
				default:
					visit(row, way)
					if row.Opens != "" {
						c.fields(t, path, row.Opens, visit)
					}
				}
			}
			if start += len(page.Rows); start >= page.Of {
				return
			}
		}
	}
	open(pageField{}, nil)
}

// TestViewFields tests that the fields of the page are those of dump, with the same texts; that each is found
// by its offset; and that its bytes are those of the file or of the inflated data.
func TestViewFields(t *testing.T) {
	for name, file := range sampleFiles(t) {
		paths := map[string][]string{"teeworlds-map": {""},
			"torchlight-mod": {"", "MEDIA/LAYOUTS/EMBER/FORGE.LAYOUT", "MEDIA/LAYOUTS/EMBER/FORGE.MPP"}, "minetest-world": {"0,0,0"}}[name]
		c := serveFile(t, games.Formats().ByName(name), file)
		for _, path := range paths {
			args := []string{file}
			if path != "" {
				args = append(args, path)
			}
			var want []string
			for line := range strings.Lines(told(t, append([]string{"dump"}, args...)...)) {
				if !strings.HasPrefix(line, "          ") {
					want = append(want, strings.TrimSpace(line))
				}
			}
			var inJSON []struct {
				Space, Path    string
				Offset, Length int64
			}
			toldJSON(t, &inJSON, append([]string{"dump", "--json"}, args...)...)
			spaces := make(map[string]string)
			for _, f := range inJSON {
				spaces[fmt.Sprint(f.Path, f.Offset, f.Length)] = f.Space
			}
			got := make(map[string]int)
			n := 0
			c.fields(t, path, "?", func(f pageField, trail []int) {
				text := f.Path
				if f.Value != "" {
					text += " = " + f.Value
				}
				if f.Meaning != "" {
					text += "  (" + f.Meaning + ")"
				}
				got[fmt.Sprintf("%08x %10d %10d  %s", f.Offset, f.Offset, f.Length, text)]++
				if space, ok := spaces[fmt.Sprint(f.Path, f.Offset, f.Length)]; ok && space != f.space {
					t.Errorf("%s: %s is in %q, and in %q for dump", name, f.Path, f.space, space)
				}
				if n++; n%97 != 0 {
					return
				}
				var found pageFields
				c.json(t, fmt.Sprintf("fields?path=%s&space=%s&at=%d&length=%d", url.QueryEscape(path), url.QueryEscape(f.space),
					f.Offset, f.Length), &found)
				if found.Field == nil || found.Field.Path != f.Path || !slices.Equal(found.Trail, trail) {
					t.Errorf("%s: %s by %v is found as %+v by %v", name, f.Path, trail, found.Field, found.Trail)
				}
			})
			for _, line := range want {
				if got[line] == 0 {
					t.Fatalf("%s %s: the page lacks %q", name, path, line)
				}
				got[line]--
			}
			if slices.Max(slices.Collect(maps.Values(got))) > 0 {
				t.Errorf("%s %s: the page has more fields than dump", name, path)
			}
		}
	}
}

func TestViewBytes(t *testing.T) {
	file := packed(t, "burrow", "burrow.map")
	c := serveFile(t, games.Formats().ByName("teeworlds-map"), file)
	data := judge.Read(t, file)
	resp, got := c.ask(t, "bytes?offset=100&length=65536")
	if !bytes.Equal(got, data[100:]) || resp.Header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d bytes of %d, %v", len(got), len(data)-100, resp.Header)
	}
	if _, got = c.ask(t, "bytes?space=data[4]&offset=10&length=18"); string(got) != "sv_freeze_delay 3\x00" {
		t.Errorf("in data[4] there is %q", got)
	}
	for what, status := range map[string]int{
		"bytes?offset=-1&length=1": 400, "bytes?offset=0&length=65537": 400, "bytes?offset=0&length=0": 400,
		"bytes?space=x&offset=0&length=1": 404,
		"fields?space=x":                  404, "fields?from=5&to=2": 400, "fields?from=0&to=100000": 400,
		"fields?skip=99999": 400, "fields?path=groups/.trowel.json": 404,
	} {
		if resp, data := c.ask(t, what); resp.StatusCode != status {
			t.Errorf("%s: %d %s", what, resp.StatusCode, data)
		}
	}
	if _, got = c.ask(t, "bytes?offset=99999999&length=10"); len(got) != 0 {
		t.Errorf("behind the end there is %q", got)
	}
	var text pageFields
	c.json(t, "fields?path=settings.cfg", &text)
	if _, got = c.ask(t, "bytes?path=settings.cfg&space=settings.cfg&offset=0&length=8"); string(got) != "sv_team " ||
		text.Total != 0 || text.Base != "settings.cfg" {
		t.Errorf("of a text of the tree: %q, %+v", got, text)
	}
	// For a damaged file, the page shows the fields before the damage, and the error.
	cutFile := filepath.Join(t.TempDir(), "cut.map")
	judge.Write(t, cutFile, data[:len(data)-300])
	var damaged pageFields
	c = serveFile(t, games.Formats().ByName("teeworlds-map"), cutFile)
	c.json(t, "fields", &damaged)
	if damaged.Total < 1000 || damaged.Size != int64(len(data)-300) || damaged.Error == "" &&
		!strings.Contains(fmt.Sprint(damaged.Rows), service.FieldGap) {
		t.Errorf("of a damaged file: %d fields, %d bytes, %q", damaged.Total, damaged.Size, damaged.Error)
	}
}

// TestViewFindings tests that the page shows the findings of check, for files and for folders that are built.
func TestViewFindings(t *testing.T) {
	all := sampleFiles(t)
	damaged := filepath.Join(t.TempDir(), "damaged.map")
	data := judge.Read(t, all["teeworlds-map"])
	judge.Write(t, damaged, data[:len(data)-300])
	type finding struct {
		ID, Severity, Path, Message string
		Offset                      *int64
		At                          []json.RawMessage
	}
	for file, name := range map[string]string{all["teeworlds-map"]: "teeworlds-map",
		all["torchlight-mod"]: "torchlight-mod", all["minetest-world"]: "minetest-world", damaged: "teeworlds-map"} {
		var reports []struct{ Findings []finding }
		toldJSON(t, &reports, "check", "--json", file)
		c := serveFile(t, games.Formats().ByName(name), file)
		var page struct {
			State    string
			Counts   map[string]int
			Kinds    map[string]struct{ Meaning, Remedy string }
			Findings []struct {
				finding
				Count  int
				Places []struct {
					Text  string
					At    json.RawMessage
					Where []float64
					Line  *struct {
						Path string
						Line int
					}
				}
			}
		}
		if name == "minetest-world" {
			if c.json(t, "check", &page); page.State != "none" {
				t.Errorf("a world is checked without being asked: %s", page.State)
			}
		}
		for page.State = ""; page.State != "done"; {
			c.json(t, "check?run=1&where=1", &page)
		}
		sum := 0
		for _, n := range page.Counts {
			sum += n
		}
		if len(page.Findings) != len(reports[0].Findings) || sum != len(page.Findings) {
			t.Fatalf("%s: %d findings, counted %d, and check has %d", name, len(page.Findings), sum, len(reports[0].Findings))
		}
		for i, want := range reports[0].Findings {
			got := page.Findings[i]
			if got.ID != want.ID || got.Severity != want.Severity || got.Message != want.Message || got.Path != want.Path ||
				got.Count != len(want.At) || len(got.Places) != len(want.At) || (*got.Offset >= 0) != (want.Offset != nil) {
				t.Errorf("%s: finding %+v, want %+v", name, got, want)
			}
			if k := page.Kinds[got.ID]; k.Meaning == "" || k.Remedy == "" {
				t.Errorf("%s is not explained", got.ID)
			}
			for j, at := range want.At {
				if p := got.Places[j]; string(p.At) != string(at) || p.Text == "" {
					t.Errorf("place %s, want %s", p.At, at)
				} else if strings.Contains(string(at), `"node":`) && (p.Line == nil || p.Line.Line == 0 || !strings.Contains(string(at), p.Line.Path)) {
					t.Errorf("%s is in %+v", at, p.Line)
				} else if strings.Contains(string(at), `"x":`) && name == "teeworlds-map" && len(p.Where) != 4 {
					t.Errorf("no one knows where %s is", at)
				}
			}
		}
	}
}

type streamed struct {
	Hit *struct {
		Path, Text string
		Line       int
		At         *struct {
			At    json.RawMessage
			Where []float64
		}
		Fields []struct {
			Key   string
			Value any
		}
	}
	End *struct {
		Hits, Files int
		More        bool
	}
	Error string
}

func (c *served) stream(t *testing.T, what string) (list []streamed) {
	t.Helper()
	resp, data := c.ask(t, what)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s", what, resp.Status, data)
	}
	for line := range bytes.Lines(data) {
		var one streamed
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		if one.Hit != nil || one.End != nil || one.Error != "" {
			list = append(list, one)
		}
	}
	return list
}

// TestViewSearch tests that the page finds the same as search and find.
func TestViewSearch(t *testing.T) {
	all := sampleFiles(t)
	for _, test := range []struct {
		format, text string
		flags        []string
	}{
		{"teeworlds-map", "sv_.*3$", nil},
		{"teeworlds-map", "GRAVITY", []string{"i"}},
		{"teeworlds-map", "0.3", []string{"fixed"}},
		{"torchlight-mod", "EMBER", nil},
		{"minetest-world", "default:ladder", nil},
		{"teeworlds-map", "nothing of the kind", nil},
	} {
		c := serveFile(t, games.Formats().ByName(test.format), all[test.format])
		args := []string{"search", "--json"}
		q := url.Values{"q": {test.text}, "where": {"1"}}
		for _, f := range test.flags {
			q.Set(f, "1")
			args = append(args, map[string]string{"i": "-i", "fixed": "-F"}[f])
		}
		var want []struct {
			Path, Text string
			Line       int
		}
		toldJSON(t, &want, append(args, test.text, all[test.format])...)
		got := c.stream(t, "search?"+q.Encode())
		end := got[len(got)-1].End
		if got = got[:len(got)-1]; end == nil || len(got) != len(want) || end.Hits != len(want) || end.Files == 0 || end.More {
			t.Fatalf("%s: %d hits, end %+v, want %d", test.text, len(got), end, len(want))
		}
		for i, w := range want {
			if h := got[i].Hit; h.Path != w.Path || h.Line != w.Line || h.Text != w.Text {
				t.Errorf("hit %+v, want %+v", h, w)
			}
		}
	}
	for _, test := range []struct {
		format, query string
		words         []string
	}{
		{"teeworlds-map", "quad", []string{"quad"}},
		{"teeworlds-map", "tile 'freeze'", []string{"tile", "freeze"}},
		{"teeworlds-map", `setting "sv_team 1"`, []string{"setting", "sv_team 1"}},
		{"torchlight-mod", "key LEVEL", []string{"key", "LEVEL"}},
		{"minetest-world", "node default:chest", []string{"node", "default:chest"}},
	} {
		c := serveFile(t, games.Formats().ByName(test.format), all[test.format])
		var want []struct {
			Path   string
			At     json.RawMessage
			Fields map[string]any
		}
		toldJSON(t, &want, append([]string{"find", "--json", all[test.format], "--"}, test.words...)...)
		got := c.stream(t, "find?where=1&q="+url.QueryEscape(test.query))
		end := got[len(got)-1].End
		if got = got[:len(got)-1]; end == nil || len(got) != len(want) || end.Hits != len(want) || len(want) == 0 {
			t.Fatalf("%s: %d hits, end %+v, want %d", test.query, len(got), end, len(want))
		}
		for i, w := range want {
			h := got[i].Hit
			if h.Path != w.Path || len(h.Fields) != len(w.Fields) || h.At != nil && string(h.At.At) != string(w.At) ||
				(h.At == nil) != (string(w.At) == "null") {
				t.Errorf("hit %+v, want %+v", h, w)
			}
		}
	}
	c := serveFile(t, games.Formats().ByName("teeworlds-map"), all["teeworlds-map"])
	for what, message := range map[string]string{
		"search?q=(": "missing closing", "find?q=": "expected the name of a command", "find?q=nothing": "no such command",
		"find?q='":              "not closed",
		"find?q=quad+then+quad": "one query",
	} {
		if resp, data := c.ask(t, what); resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(data), message) {
			t.Errorf("%s: %s %s", what, resp.Status, data)
		}
	}
}

// TestViewUnseen tests that a file with only text has no picture: its page offers none, and in a gallery this
// is not an error.
func TestViewUnseen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "SPARK.DAT")
	judge.Write(t, file, []byte("[UNIT]\n\t<STRING>NAME:<script>alert(1)</script>\n[/UNIT]\n"))
	p := openPage(t, file)
	for target, want := range map[string]string{"/f/0/open": `"scene":false`, "/f/0/entry": `"scene":false`, "/f/0/thumb/1": ""} {
		w := p.get(target)
		if body := w.Body.String(); w.Code/100 != 2 || !strings.Contains(body, want) || want == "" && w.Code != http.StatusNoContent {
			t.Errorf("%s: %d %s", target, w.Code, body)
		}
	}
}

// TestViewUnits tests that the page of a unit offers the picture of its model if the mesh is available, and else its text.
func TestViewUnits(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"MOD.DAT":              "[MOD]\n\t<STRING>NAME:Units\n\t<INTEGER64>MOD_ID:5\n\t<INTEGER>VERSION:1\n[/MOD]\n",
		"MEDIA/EMPTY.MESH.txt": "version \"[MeshSerializer_v1.40]\"\nmesh skinned 0\n  bounds min 0 0 0 max 1 1 1 radius 2\n  names\n",
		"MEDIA/UNITS/HERE.DAT": "[UNIT]\n\t<STRING>MESHFILE:empty\n\t<STRING>RESOURCEDIRECTORY:media\n" +
			"\t[MESHFILES]\n\t\t<STRING>MESHFILE:second\n\t[/MESHFILES]\n[/UNIT]\n",
		"MEDIA/UNITS/OTHER.DAT": "[UNIT]\n\t<STRING>MESHFILE:game\n\t<STRING>RESOURCEDIRECTORY:media\n[/UNIT]\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, []byte(content))
	}
	mod := filepath.Join(t.TempDir(), "units.MOD")
	told(t, "pack", "-q", dir, "-o", mod)
	p := openPage(t, mod)
	for path, want := range map[string]string{
		"MEDIA/UNITS/HERE.DAT": `"scene":true`, "MEDIA/UNITS/OTHER.DAT": `"scene":false`, "MEDIA/EMPTY.MESH": `"scene":true`,
	} {
		if w := p.get("/f/0/entry?path=" + path); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	for path, want := range map[string]string{
		"MEDIA/UNITS/HERE.DAT": `"kind":"choice","choices":["empty","second"],"default":"empty"`, "MEDIA/EMPTY.MESH": `"options":[]`,
	} {
		if w := p.get("/f/0/scene?path=" + path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
