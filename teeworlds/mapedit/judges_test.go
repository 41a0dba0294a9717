package mapedit_test

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestJudgeDilate compares the results of Dilate with those of DDNet's own program.
func TestJudgeDilate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := 0; i < len(p.Pix); i += 4 {
		copy(p.Pix[i:], []byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), 0})
		if r.IntN(40) == 0 {
			p.Pix[i+3] = []byte{1, 10, 11, 255}[r.IntN(4)]
		}
	}
	dir := judge.Dir(t)
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p.png")
	judge.Write(t, path, b.Bytes())
	if said, err := judge.Run(t, dir, "dilate", "p.png"); err != nil {
		t.Fatal(err, said)
	}
	theirs, err := mapdraw.ReadPNG(path)
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(p.Pix)
	mapedit.Dilate(p)
	if !bytes.Equal(p.Pix, theirs.Pix) || bytes.Equal(p.Pix, before) {
		t.Error("the program dilates another way")
	}
}

// judgedMaps returns maps after many operations.
func judgedMaps(t *testing.T) map[string][]byte {
	made := make(map[string][]byte)
	for seed := range uint64(4) {
		m := referring()
		operate(t, m, seed, 60, false)
		made["made "+string('a'+rune(seed))] = encode(t, m)
	}
	t.Run("corpus", func(t *testing.T) { // skips itself
		files := tests.CorpusFiles(t, "teeworlds", ".map")
		for i, name := range []string{"/Sunny Side Up.map", "/Kobra 4@2017-07-19", "/Tutorial.map",
			"ddnet_ddnet/data/maps/dm7.", "teeworlds-maps/ctf1.map"} {
			at := slices.IndexFunc(files, func(path string) bool { return strings.Contains(filepath.ToSlash(path), name) })
			if at < 0 {
				t.Errorf("no %s in the corpus", name)
				continue
			}
			m := read(t, files[at])
			if m.Flavor() == "Teeworlds 0.7" { // DDNet-Server 16.4 crashes on compressed tiles
				if err := mapedit.New(m, nil).To06(mapedit.Across{Drop: true,
					Find: func(string) (*image.NRGBA, error) { return nil, os.ErrNotExist }}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			other := read(t, files[at])
			operate(t, m, uint64(i), 40, false)
			made[name] = encode(t, m)
			if mapedit.Is07(other) {
				m := referring()
				if err := mapedit.New(m, nil).Append(other, mapedit.Across{Drop: true}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				made["appended "+name] = encode(t, m)
			}
		}
	})
	return made
}

// TestJudgeServers tests that the servers of both games load maps changed by operations.
func TestJudgeServers(t *testing.T) {
	for name, data := range judgedMaps(t) {
		for _, server := range []string{judge.DDNetServer, judge.TeeworldsServer} {
			t.Run(name+" "+server, func(t *testing.T) {
				t.Parallel()
				if log, err := judge.Load(t, server, data); err != nil {
					t.Errorf("%v\n%s", err, log)
				}
			})
		}
	}
}

// TestJudgeMisfit tests that DDNet-Server does not load a layer of compressed tiles in a map of DDNet, and does load
// it after Fit.
func TestJudgeMisfit(t *testing.T) {
	m := referring()
	l := twmap.NewTileLayer(twmap.KindTiles, 50, 50)
	l.Version = 4
	m.Groups = append(m.Groups, twmap.NewGroup("Far", l))
	if len(m.Misfits()) != 1 {
		t.Fatal("the layer fits")
	}
	if log, err := judge.Load(t, judge.DDNetServer, encode(t, m)); err == nil {
		t.Errorf("it loads the map:\n%s", log)
	}
	m.Fit()
	if log, err := judge.Load(t, judge.DDNetServer, encode(t, m)); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}

// TestJudgeOptimize compares OptimizeImages with map_optimize, for a picture that only tiles use and for another.
func TestJudgeOptimize(t *testing.T) {
	m := twmap.New(5, 5)
	p := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		p.Pix[i] = byte(i / 256 * 7)
		switch i % 12 { // each third pixel is transparent, with a colour that takes room in the file
		case 0, 1, 2:
			p.Pix[i] = byte(r.Uint32())
		case 3:
			p.Pix[i] = 0
		case 7, 11:
			p.Pix[i] = 255
		}
	}
	m.Images = []*twmap.Image{twmap.NewImage("tiles", p), twmap.NewImage("quads", p)}
	tiles := twmap.NewTileLayer(twmap.KindTiles, 5, 5)
	tiles.Image = 0
	tiles.Tiles().Set(1, 1, twmap.Tile{ID: 7})
	tiles.Tiles().Set(2, 1, twmap.Tile{ID: 200})
	quads := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 9, 9))
	quads.Image = 1
	m.Groups = append(m.Groups, twmap.NewGroup("G", tiles, quads))

	dir := judge.Dir(t)
	judge.Write(t, filepath.Join(dir, "given.map"), encode(t, m))
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if said, err := judge.Run(t, dir, "map_optimize", "given.map", "made.map"); err != nil {
		t.Fatal(err, said)
	}
	theirs := decode(t, judge.Read(t, filepath.Join(dir, "out", "made.map")))
	if err := mapedit.New(m, nil).OptimizeImages([]int{0, 1}, mapedit.OptimizeOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, im := range m.Images {
		own, _ := im.Picture()
		its, err := theirs.Images[i].Picture()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(own.Pix, its.Pix) {
			n := 0
			for k := range own.Pix {
				if own.Pix[k] != its.Pix[k] {
					n++
				}
			}
			t.Errorf("%s: %d of %d bytes differ", im.Name, n, len(own.Pix))
		}
	}
}
