//go:build !js

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// largeWorld writes a database of blocks of about 1 GB, and returns its name.
func largeWorld(t *testing.T, size int64) string {
	t.Helper()
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	if err := os.WriteFile(filepath.Join(dir, "world.mt"), []byte("gameid = minetest\nbackend = sqlite3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var forms [][]byte // of a hundred blocks, which are repeated
	for range 100 {
		b := mapblock.New(29)
		b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "default:stone"}, {ID: 2, Name: "default:dirt_with_grass"}}
		for i := range b.Param0 {
			b.Param0[i] = uint16(r.IntN(3))
			b.Param2[i] = uint8(r.IntN(256))
		}
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		forms = append(forms, data)
	}
	w, err := mapdb.Create(t.Context(), dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var list []mapdb.Block
	for n := int64(0); n < size; {
		for range 1000 {
			k := int(n / int64(len(forms[0])))
			data := forms[k%len(forms)]
			list = append(list, mapdb.Block{Pos: mapdb.Pos{X: int16(k%400 - 200), Y: int16(k / 160_000), Z: int16(k/400%400 - 200)}, Data: data})
			n += int64(len(forms[0]))
		}
		if err := w.Store(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		list = list[:0]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "map.sqlite")
}

// largeMod writes a mod whose files are large and cannot be compressed, and returns its name.
func largeMod(t *testing.T, size int64) string {
	t.Helper()
	dir, r := t.TempDir(), rand.NewChaCha8([32]byte{1})
	from := filepath.Join(dir, "ember")
	if err := os.CopyFS(from, os.DirFS("../../samples/ember")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(from, "MEDIA", "SOUNDS"), 0o700); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size/10)
	for i := range 10 {
		_, _ = r.Read(data)
		if err := os.WriteFile(filepath.Join(from, "MEDIA", "SOUNDS", string(rune('A'+i))+".OGG"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "large.MOD")
	packed(t, from, name)
	return name
}

// TestPageLarge tests that files of hundreds of megabytes open in the page without being read whole.
func TestPageLarge(t *testing.T) {
	if os.Getenv("TROWEL_LARGE") == "" {
		t.Skip("writes 1.5 GB: runs with TROWEL_LARGE=1, see .ci/nightly")
	}
	world, mod := largeWorld(t, 1<<30), largeMod(t, 500_000_000)
	p := servedPage(t, made(t))
	for _, c := range []struct{ name, kind, seen string }{
		{world, "Minetest/Luanti world", "document.querySelectorAll('.leaflet-tile-loaded').length > 1"},
		{mod, "Torchlight II mod", "document.querySelector('#stage')?.textContent.length > 20"},
	} {
		info, err := os.Stat(c.name)
		if err != nil {
			t.Fatal(err)
		}
		p.Do(chromedp.SetUploadFiles("#files", []string{c.name}, chromedp.ByQuery))
		p.Wait("frames[0]?.document.body?.dataset.ready && frames[0].document.getElementById('kind').textContent === '" + c.kind + "'")
		p.Wait("frames[0]." + c.seen + " && frames[0].document.getElementById('busy').hidden")
		mb := chromium.Eval[float64](p, "trowel.memory()") / 1e6
		t.Logf("%s: %d MB, %.0f MB of memory", c.kind, info.Size()/1e6, mb)
		if mb > 300 {
			t.Errorf("%s takes %.0f MB of memory", c.kind, mb)
		}
		p.Picture(c.kind[:4])
	}
}
