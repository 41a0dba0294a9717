package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
)

// TestEditCells tests that the page gets the tiles of any box of each layer as the text that draws them: they are drawn into an
// empty layer of the same kind, which then has the same tiles; and that each layer has a tileset.
func TestEditCells(t *testing.T) {
	e := openEdit(t, burrow(t), t.TempDir())
	var answer struct {
		Command  string
		Canvases []struct {
			Layer, Kind   string
			Options       []string
			Any           string
			Width, Height int
			Tiles         []string
		}
	}
	if err := json.Unmarshal(e.get("/f/1/canvases").Body.Bytes(), &answer); err != nil || len(answer.Canvases) < 10 {
		t.Fatalf("%v, %+v", err, answer)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range answer.Canvases {
		p := e.get("/f/1/palette?layer=" + url.QueryEscape(c.Layer))
		picture, err := png.Decode(p.Body)
		if err != nil || picture.Bounds().Dx() != picture.Bounds().Dy() {
			t.Errorf("%s: no tileset: %v", c.Layer, err)
		}
		if physics := c.Tiles != nil; physics != strings.HasPrefix(c.Layer, "Game/") || physics && len(c.Tiles) != 256 {
			t.Errorf("%s: %d names of tiles", c.Layer, len(c.Tiles))
		}
		for range tests.Of(t, 2, 20) {
			x, y, w, h := r.IntN(c.Width+9)-9, r.IntN(c.Height+9)-9, 1+r.IntN(30), 1+r.IntN(20)
			rows := e.rows(c.Layer, x, y, w, h)
			if len(rows) != h {
				t.Fatalf("%s: %d rows, want %d", c.Layer, len(rows), h)
			}
			if !strings.ContainsAny(strings.Join(rows, ""), "0123456789.") {
				continue // outside
			}
			// Erase the box, and draw it again.
			erase := append([]string{answer.Command, c.Options[0], fmt.Sprint(x), fmt.Sprint(y)}, make([]string, h)...)
			for i := range h {
				erase[4+i] = fmt.Sprintf(".*%d", w)
			}
			e.add(erase...)
			for _, row := range e.rows(c.Layer, x, y, w, h) {
				if strings.Trim(row, "_.*0123456789 ") != "" || strings.ContainsAny(strings.NewReplacer("*", "", "_", "").Replace(row), "xyro:") {
					t.Fatalf("%s: %q after the box was erased", c.Layer, row)
				}
			}
			draw := append([]string{answer.Command, c.Options[0]}, fmt.Sprint(x), fmt.Sprint(y))
			if c.Any != "" {
				draw = append(draw, c.Any)
			}
			e.add(append(draw, rows...)...)
			if again := e.rows(c.Layer, x, y, w, h); strings.Join(again, "\n") != strings.Join(rows, "\n") {
				t.Fatalf("%s: %q, want %q", c.Layer, again, rows)
			}
		}
	}
	for _, bad := range []string{"cells?layer=none&x=0&y=0&w=1&h=1", "cells?layer=Game/Game&x=0&y=0&w=1048577&h=1",
		"cells?layer=Game/Game&x=0&y=0&w=9999&h=9999",
		"cells?layer=Game/Game&x=0&y=0&w=-1&h=1", "palette?layer=none", "shapes?layer=Game/Game", "shapes?layer=none"} {
		if r := e.get("/f/1/" + bad); r.Code < 400 || r.Code >= 500 {
			t.Errorf("%s: %d", bad, r.Code)
		}
	}
	for body, want := range map[string]int{
		`{"layer":"Game/Game","rows":["1*1048576","1*1048576"]}`: http.StatusUnprocessableEntity,
		`{"layer":"Game/Game","rows":["1\n2"]}`:                  http.StatusUnprocessableEntity,
		`{"layer":"none","rows":["1"]}`:                          http.StatusNotFound,
		`{`:                                                      http.StatusBadRequest,
		`{"layer":"Game/Game","rows":["60r 1"],"quarters":-1}`: http.StatusOK,
	} {
		if code, answer := e.post("/f/1/edit/turn", body); code != want {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
}

// rows returns the tiles of a box.
func (e *editPage) rows(layer string, x, y, w, h int) []string {
	e.t.Helper()
	var answer struct{ Rows []string }
	r := e.get(fmt.Sprintf("/f/1/cells?layer=%s&x=%d&y=%d&w=%d&h=%d", url.QueryEscape(layer), x, y, w, h))
	if err := json.NewDecoder(bytes.NewReader(r.Body.Bytes())).Decode(&answer); err != nil || r.Code != http.StatusOK {
		e.t.Fatalf("%d %s", r.Code, r.Body)
	}
	return answer.Rows
}
