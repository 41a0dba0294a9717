package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGhost tests that the page may name the schematics of a world and no other files, and that the picture of a schematic has
// its nodes where they are placed.
func TestGhost(t *testing.T) {
	dir := t.TempDir()
	world, hut := filepath.Join(dir, "glade"), filepath.Join(dir, "hut.mts")
	perform(t, "pack", "-q", "../../../samples/glade", "-o", world)
	perform(t, "convert", "-q", world, "--to", "mts", "--box", "2,2,3:6,8,10", "-o", hut)
	schems := filepath.Join(world, "schems")
	if err := os.Mkdir(schems, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(schems, "link.mts")
	if err := os.Symlink(hut, link); err != nil {
		t.Log(err) // needs a right on Windows
	}
	if err := os.Rename(hut, filepath.Join(schems, "hut.mts")); err != nil {
		t.Fatal(err)
	}
	e := openEdit(t, world, t.TempDir())
	defer e.Close()
	const called = "glade/schems/hut.mts"
	var names struct{ Names []string }
	if err := json.Unmarshal(e.get("/f/1/edit/names?kind=schematic").Body.Bytes(), &names); err != nil {
		t.Fatal(err)
	}
	if len(names.Names) != 1 || filepath.ToSlash(names.Names[0]) != called {
		t.Fatalf("the page is offered %q", names.Names)
	}

	ghost := func(view string, words ...string) (int, [4]float64, image.Image) {
		given, _ := json.Marshal(words)
		r := e.get("/f/1/edit/ghost?view=" + view + "&words=" + url.QueryEscape(string(given)))
		var answer struct {
			Area    [4]float64
			Picture []byte
		}
		if err := json.Unmarshal(r.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		picture, _ := png.Decode(bytes.NewReader(answer.Picture))
		return r.Code, answer.Area, picture
	}
	name := names.Names[0]
	for view, areas := range map[string][2][4]float64{"top": {{0, -8, 5, 0}, {0, -5, 8, 0}}, "south": {{0, -7, 5, 0}, {0, -7, 8, 0}}} {
		for i, rotation := range []string{"0", "90"} {
			code, area, picture := ghost(view, "place", "--rotation="+rotation, name, "0,0,0")
			if code != http.StatusOK || view == "top" && area != areas[i] || area[2]-area[0] != areas[i][2] {
				t.Fatalf("%s, %s degrees: %d, %v", view, rotation, code, area)
			}
			drawn := 0
			for y := range picture.Bounds().Dy() {
				for x := range picture.Bounds().Dx() {
					if _, _, _, a := picture.At(x, y).RGBA(); a > 0 {
						drawn++
					}
				}
			}
			if drawn < 1000 {
				t.Errorf("%s, %s degrees: %d pixels of %v are drawn", view, rotation, drawn, picture.Bounds())
			}
		}
	}
	for what, words := range map[string][]string{
		"no file of the world": {"place", filepath.Join(dir, "other.mts"), "0,0,0"}, "a link": {"place", "glade/schems/link.mts", "0,0,0"},
		"two operations": {"place", name, "0,0,0", "then", "place", name, "1,0,0"}, "another operation": {"set", "default:stone"},
		"no place": {"place", name},
	} {
		if code, _, _ := ghost("top", words...); code != http.StatusBadRequest && code != http.StatusNotFound {
			t.Errorf("%s: %d", what, code)
		}
	}
	if code, _, _ := ghost("nowhere", "place", name, "0,0,0"); code != http.StatusNotFound {
		t.Errorf("a view that does not exist: %d", code)
	}

	_ = os.Remove(link)
	if err := e.do(map[string]any{"do": "add", "words": []string{"place", name, "20,10,20"}}); err != "" || e.now.List[0].Count == 0 {
		t.Fatalf("%s: %+v", err, e.now.List)
	}
	if body := e.get(fmt.Sprintf("/f/%d/edit", e.edited)).Body.String(); strings.Contains(body, dir) {
		t.Errorf("a path of the disk is in %s", body)
	}
	want := filepath.Join(t.TempDir(), "glade")
	perform(t, "edit", "-q", world, "-o", want, "--", "place", filepath.Join(schems, "hut.mts"), "20,10,20")
	if code, answer := e.save(); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	perform(t, "diff", "-q", want, world)
}
