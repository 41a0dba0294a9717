package mapops

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// iconSide is the width and height of the pictures that are compared, in pixels.
const iconSide = 128

// drawSVG returns a picture of quads that were made of an SVG of a size, on white, and the number of quads. The game draws
// edges without smoothing: the picture is drawn larger and reduced.
func drawSVG(t *testing.T, path string, size int) (*image.RGBA, int) {
	t.Helper()
	m := twmap.New(iconSide/32, iconSide/32)
	e := &Editor{mapedit.New(m, nil), &format.Job{}}
	o := SVG{File: path, Division: Division{Tolerance: 0.1, Most: 2000}, Scale: iconSide / float64(size), Color: color.NRGBA{A: 255}}
	if err := AddSVG(e, o); err != nil {
		t.Fatal(err)
	}
	r, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const over = 8
	large := image.NewRGBA(image.Rect(0, 0, iconSide*over, iconSide*over))
	imagedraw.Draw(large, large.Rect, image.White, image.Point{}, imagedraw.Src)
	if err := r.Render(context.Background(), large, mapdraw.Whole(m).At(iconSide*over)); err != nil {
		t.Fatal(err)
	}
	small := image.NewRGBA(image.Rect(0, 0, iconSide, iconSide))
	for y := range iconSide {
		for x := range iconSide {
			for c := range 4 {
				sum := 0
				for j := range over * over {
					sum += int(large.Pix[large.PixOffset(x*over+j%over, y*over+j/over)+c])
				}
				small.Pix[small.PixOffset(x, y)+c] = uint8((sum + over*over/2) / (over * over))
			}
		}
	}
	return small, m.Groups[1].Layers[0].(*twmap.QuadLayer).NumQuads()
}

// TestSVGJudge tests that quads of pictures with all that is read, and of icons of two free sets, look as librsvg draws the
// pictures, and that they are few.
func TestSVGJudge(t *testing.T) {
	tests.LongOnly(t, "draws many pictures")
	judge.Find(t, "rsvg-convert")
	for _, name := range strings.Fields("shapes paths lines rules opacity transforms colors view") {
		compareSVG(t, filepath.Join("../../../internal/picture/svg/testdata", name+".svg"), 128, 3, 2000)
	}
	for _, name := range strings.Fields(`alarm_clock android_os biohazard briefcase businessman calculator camera debian doughnut_chart
		electricity engineering folder full_trash globe google graduation_cap home idea key landscape like linux music news
		picture puzzle safe shop steam vip`) {
		compareSVG(t, filepath.Join(judge.NodePackage(t, "flat-color-icons"), "svg", name+".svg"), 48, 3, 600)
	}
	for _, name := range strings.Fields(`accessibility anchor apple baby bell bike bot brain bug cat cloud-cog compass crown dice-5 dog
		feather fish flower gamepad-2 ghost heart key leaf map medal mountain palette playing-cards rocket skull`) {
		compareSVG(t, filepath.Join(judge.NodePackage(t, "lucide-static"), "icons", name+".svg"), 24, 3, 600)
	}
}

// compareSVG tests that quads of an SVG of a size have a mean difference to the picture that rsvg-convert draws, on white, of
// at most mean, and that there are at most a number of them.
func compareSVG(t *testing.T, path string, size int, mean float64, most int) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	got, n := drawSVG(t, path, size)
	dir := judge.Dir(t)
	side := fmt.Sprint(iconSide)
	if said, err := judge.Run(t, dir, "rsvg-convert", "-w", side, "-h", side, "-b", "white", "-o", "a.png", path); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, said)
	}
	data := judge.Read(t, filepath.Join(dir, "a.png"))
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for y := range iconSide {
		for x := range iconSide {
			a, b := color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA), got.RGBAAt(x, y)
			for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				sum += max(d, -d)
			}
		}
	}
	is := float64(sum) / (3 * iconSide * iconSide)
	t.Logf("%s: a mean difference of %.2f, %d quads", filepath.Base(path), is, n)
	if is > mean || n > most {
		t.Errorf("%s: a mean difference of %.2f, %d quads: expected at most %g and %d", path, is, n, mean, most)
	}
	if out := os.Getenv("SVG_OUT"); out != "" {
		for kind, p := range map[string]image.Image{"want": want, "got": got} {
			var b bytes.Buffer
			if err := png.Encode(&b, p); err != nil {
				t.Fatal(err)
			}
			judge.Write(t, filepath.Join(out, filepath.Base(path)+"-"+kind+".png"), b.Bytes())
		}
	}
}
