package texture_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/texture"
)

// differs lists the strings whose image in the client's picture is random or follows a rule that no version of the
// page states.
var differs = map[string]bool{
	"t_missing_one.png":           true,
	"t_a.png^":                    true, // lays a random pixel in 5.6.1
	"t_a.png^[lowpart:50:t_4.png": true, // images of unequal size in 5.6.1
	"t_4.png^[lowpart:25:t_a.png": true,
}

// TestJudgeClient compares the images of strings with the picture that the client 5.6.1 draws of them.
func TestJudgeClient(t *testing.T) {
	dir := tests.Corpus(t, "minetest/client")
	read := func(name string) []byte {
		data := judge.Read(t, filepath.Join(dir, name))
		return data
	}
	var list []struct {
		S           string
		Scale, X, Y float64
	}
	if err := json.Unmarshal(read("strings.json"), &list); err != nil || len(list) < 70 {
		t.Fatalf("%d strings: %v", len(list), err)
	}
	picture, err := png.Decode(bytes.NewReader(read("pictures/strings.png")))
	if err != nil {
		t.Fatal(err)
	}
	var search texture.Search
	if err := search.AddMod("texlab", os.DirFS(filepath.Join(dir, "texlab/mods/texlab"))); err != nil {
		t.Fatal(err)
	}
	maker := texture.NewMaker(&search, 6)
	compared, exact := 0, 0
	for _, e := range list {
		m, err := maker.Make(t.Context(), e.S)
		if err != nil || m == nil {
			t.Errorf("%s: %v", e.S, err)
			continue
		}
		flat := image.NewRGBA(m.Rect)
		draw.Draw(flat, flat.Rect, image.NewUniform(color.RGBA{0x40, 0x50, 0x60, 255}), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Rect, m, image.Point{}, draw.Over)
		worst := 0
		for y := range int(e.Scale) * m.Rect.Dy() {
			for x := range int(e.Scale) * m.Rect.Dx() {
				want := color.RGBAModel.Convert(picture.At(int(e.X)+x, int(e.Y)+y)).(color.RGBA)
				got := flat.RGBAAt(x/int(e.Scale), y/int(e.Scale))
				for i, v := range []uint8{want.R, want.G, want.B} {
					w := []uint8{got.R, got.G, got.B}[i]
					worst = max(worst, int(v)-int(w), int(w)-int(v))
				}
			}
		}
		switch compared++; {
		case worst == 0:
			exact++
		case worst > 1 && !differs[e.S]:
			t.Errorf("%s: %d levels", e.S, worst)
		case worst > 1:
			t.Logf("%s: %d levels, as expected", e.S, worst)
		}
	}
	t.Logf("%d strings, %d of them equal", compared, exact)
}
