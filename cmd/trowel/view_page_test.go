package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/teeworlds/twmap"
)

// TestViewPage tests that the page of each game works: no console messages, no requests to other hosts, no
// violations of its content security policy, and a limited size.
func TestViewPage(t *testing.T) {
	needsProgram(t, "be served and limited in size")
	for _, c := range []struct{ name, sample, as string }{{"map", "burrow", "burrow.map"}, {"mod", "ember", "ember.MOD"},
		{"world", "hollow", "hollow"}} {
		t.Run(c.name, func(t *testing.T) {
			path := sample(t, c.sample, c.as)
			before := listing(t, filepath.Dir(path))
			v := view(t, path)
			p := v.open(1280, 800)
			p.Picture("light")
			p.Dark(true)
			p.Picture("dark")
			p.Resize(360, 740)
			p.Picture("small")
			for _, m := range p.Messages() {
				t.Errorf("on the console: %s", m)
			}
			host := strings.SplitN(v.url, "/?", 2)[0]
			for _, r := range p.Requests() {
				if !strings.HasPrefix(r, host+"/") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:"+host) {
					t.Errorf("it asks for %s", r)
				}
			}
			weigh(t, v, p)
			v.stop()
			if after := listing(t, filepath.Dir(path)); after != before {
				t.Errorf("there was\n%s\nand now is\n%s", before, after)
			}
		})
	}
}

// weigh checks the size of the page, its scripts and its styles.
func weigh(t *testing.T, v *viewing, p *chromium.Page) {
	t.Helper()
	total := 0
	var packed bytes.Buffer // all files, compressed together
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	seen := map[string]bool{}
	for _, r := range p.Requests() {
		u, err := url.Parse(r)
		if err != nil || seen[u.Path] || u.Path != "/" && !strings.HasPrefix(u.Path, "/page/") {
			continue
		}
		seen[u.Path] = true
		_, data := v.get(u.Path)
		_, _ = z.Write(data)
		total += len(data)
	}
	_ = z.Close()
	t.Logf("%d files, %d bytes, %d compressed", len(seen), total, packed.Len())
	if len(seen) < 5 || total > 250_000 || packed.Len() > 80_000 {
		t.Errorf("the page has %d files with %d bytes, %d compressed: it should have at most 250,000 and 80,000", len(seen), total, packed.Len())
	}
}

// listing returns the names, sizes and times of all files in a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestViewTiles tests that tiles have the same pixels as pictures of render, and that a tile of a smaller scale
// is about the mean of the four tiles below.
func TestViewTiles(t *testing.T) {
	path := sample(t, "burrow", "burrow.map")
	v := view(t, path)
	for _, at := range []image.Point{{0, 0}, {1, 2}, {3, 1}} {
		status, data := v.get(fmt.Sprintf("/f/0/tile/1/0/%d/%d", at.X, at.Y))
		if status != 200 {
			t.Fatalf("tile %v: %d %s", at, status, data)
		}
		picture := filepath.Join(t.TempDir(), "part.png")
		run(t, "render", "-q", path, "-o", picture, "--scale", "32", "--area", fmt.Sprintf("%d,%d:%d,%d", 8*at.X, 8*at.Y, 8*at.X+8, 8*at.Y+8))
		want := judge.Read(t, picture)
		if got, want := decode(t, data), decode(t, want); got.Rect.Size() != want.Rect.Size() || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("tile %v is not what render draws", at)
		}
	}
	for z := -3; z < 0; z++ {
		_, data := v.get(fmt.Sprintf("/f/0/tile/1/%d/0/0", z))
		parent := decode(t, data)
		four := image.NewRGBA(image.Rect(0, 0, 512, 512))
		for i := range 4 {
			_, data := v.get(fmt.Sprintf("/f/0/tile/1/%d/%d/%d", z+1, i%2, i/2))
			child := decode(t, data)
			for y := range 256 {
				copy(four.Pix[four.PixOffset(i%2*256, i/2*256+y):], child.Pix[y*child.Stride:][:1024])
			}
		}
		sum := 0
		for i, b := range pixel.Half(four).Pix {
			sum += max(int(b)-int(parent.Pix[i]), int(parent.Pix[i])-int(b))
		}
		mean := float64(sum) / float64(len(parent.Pix))
		t.Logf("zoom %d: the mean difference is %.2f", z, mean)
		if mean > 2 {
			t.Errorf("zoom %d is not as the zoom below: the mean difference is %.2f", z, mean)
		}
	}
	v.stop()
}

// TestViewHostile opens a map whose texts are HTML, and tests that they are shown literally.
func TestViewHostile(t *testing.T) {
	path := sample(t, "burrow", "burrow.map")
	const evil = "<img src=x onerror=alert(1)>"
	editMap(t, path, path, func(m *twmap.Map) {
		m.Info.Author = evil
		m.Info.Settings = append(m.Info.Settings, evil)
		for _, g := range m.Groups {
			g.Name = "<b>x</b>"
			for _, l := range g.Layers {
				l.Base().Name = "<img src=x>"
			}
		}
	})
	v := view(t, path)
	p := v.open(1280, 800)
	dialogs := make(chan string, 8)
	chromedp.ListenTarget(p.Context(), func(event any) {
		if what := fmt.Sprintf("%T", event); strings.Contains(what, "Dialog") {
			dialogs <- what
		}
	})
	p.Do(chromedp.Navigate(v.url + "#at=20.5,10.5&tab=about"))
	p.Wait("document.body.dataset.ready")
	p.Wait(`document.body.textContent.includes("<img src=x onerror=alert(1)>")`)
	if n := chromium.Eval[int](p, `document.querySelectorAll("img[src='x'], img[onerror], #left b, #right b").length`); n > 0 {
		t.Errorf("%d elements were made of words of the map", n)
	}
	p.Picture("hostile")
	select {
	case what := <-dialogs:
		t.Error(what)
	default:
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
