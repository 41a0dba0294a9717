package mapedit_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// place is the location of a reference. Parts are identified by pointers, because their numbers change.
type place struct {
	layer twmap.Layer
	nth   int // reference of the layer
}

// resolve returns the targets of all references of a map; nil is not one.
func resolve(m *twmap.Map) map[place]any {
	found := make(map[place]any)
	for _, l := range m.Layers() {
		n := 0
		refer := func(to any, ok bool) {
			if ok {
				found[place{l, n}] = to
			} else {
				found[place{l, n}] = nil
			}
			n++
		}
		im := func(i int) { refer(at(m.Images, i)) }
		env := func(i int32) { refer(at(m.Envelopes, int(i))) }
		switch l := l.(type) {
		case *twmap.TileLayer:
			if !l.Kind().Physics() {
				im(l.Image)
				env(l.ColorEnv)
			}
		case *twmap.QuadLayer:
			im(l.Image)
			quads, _ := l.Quads()
			for _, q := range quads {
				env(q.PosEnv)
				env(q.ColorEnv)
			}
		case *twmap.SoundLayer:
			refer(at(m.Sounds, l.Sound))
			sources, _ := l.Sources()
			for _, s := range sources {
				env(s.PosEnv)
				env(s.SoundEnv)
			}
		}
	}
	return found
}

func at[T any](list []*T, i int) (any, bool) {
	if i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}

func has(m *twmap.Map, part any) bool {
	for _, im := range m.Images {
		if part == any(im) {
			return true
		}
	}
	for _, s := range m.Sounds {
		if part == any(s) {
			return true
		}
	}
	for _, e := range m.Envelopes {
		if part == any(e) {
			return true
		}
	}
	return false
}

// merged reports whether a part was merged with another equal one.
func merged(from, to any) bool {
	a, ok := from.(*twmap.Image)
	b, is := to.(*twmap.Image)
	return ok && is && (a.External() && b.External() && a.Name == b.Name || !a.External() && !b.External() && a.Width() == b.Width())
}

func errorsOf(m *twmap.Map) map[string]int {
	found := make(map[string]int)
	for _, f := range check.Collect(m.Check) {
		if f.Severity == check.Error {
			found[f.ID]++
		}
	}
	return found
}

// opus returns the first page of an Opus file, the only part that is checked.
func opus() []byte {
	page := append([]byte("OggS"), make([]byte, 22)...)
	page = append(page, 1, 19) // one segment of 19 bytes
	page = append(page, "OpusHead\x01\x02"...)
	return append(page, make([]byte, 9)...)
}

// donor returns a map with every kind of part, without errors.
func donor(seed uint8) *twmap.Map {
	m := parts(seed)
	m.Sounds[0] = twmap.NewSound("wind", opus())
	return m
}

func picture(r *rand.Rand) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, 16*(1+r.IntN(3)), 16))
	for i := range p.Pix {
		p.Pix[i] = byte(r.IntN(3) * 127)
	}
	return p
}

// operations are changes with random values. Many of them are invalid and must fail.
var operations = map[string]func(e *mapedit.Editor, r *rand.Rand) error{
	"add image":    func(e *mapedit.Editor, r *rand.Rand) error { return e.AddImage("new", picture(r)) },
	"add external": func(e *mapedit.Editor, r *rand.Rand) error { return e.AddExternalImage("moon", 1024, 1024) },
	"replace image": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.ReplaceImages(some(r, len(e.Map().Images)), picture(r))
	},
	"rename image":  func(e *mapedit.Editor, r *rand.Rand) error { return e.RenameImage(r.IntN(4), "stars") },
	"remove images": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveImages(some(r, len(e.Map().Images))) },
	"unused images": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveUnusedImages() },
	"move image":    func(e *mapedit.Editor, r *rand.Rand) error { return e.MoveImage(r.IntN(5), r.IntN(5)) },
	"sort images":   func(e *mapedit.Editor, r *rand.Rand) error { return e.SortImages() },
	"merge images":  func(e *mapedit.Editor, r *rand.Rand) error { return e.MergeImages() },
	"dilate images": func(e *mapedit.Editor, r *rand.Rand) error { return e.DilateImages(some(r, len(e.Map().Images))) },
	"optimize images": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.OptimizeImages(some(r, len(e.Map().Images)), mapedit.OptimizeOptions{KeepTiles: r.IntN(2) == 0})
	},
	"embed images": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.EmbedImages(some(r, len(e.Map().Images)), func(string) (*image.NRGBA, error) { return picture(r), nil })
	},
	"external images": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.MakeImagesExternal(some(r, len(e.Map().Images)), nil)
	},
	"add sound":     func(e *mapedit.Editor, r *rand.Rand) error { return e.AddSound("s", opus()) },
	"remove sounds": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveSounds(some(r, len(e.Map().Sounds))) },
	"move sound":    func(e *mapedit.Editor, r *rand.Rand) error { return e.MoveSound(r.IntN(3), r.IntN(3)) },
	"add source": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.AddSource(anywhere(e, r), twmap.NewSoundSource(r.Int32N(1000), 0, 300))
	},
	"change sources": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.ChangeSources(anywhere(e, r), nil, func(s *twmap.SoundSource) error { s.Delay++; return nil })
	},
	"add envelope": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.AddEnvelope(twmap.NewEnvelope("e", twmap.ChannelsColor, twmap.EnvPoint{},
			twmap.EnvPoint{Time: 500, Curve: twmap.Curve(r.IntN(5))}))
	},
	"paste envelopes": func(e *mapedit.Editor, r *rand.Rand) error { return e.PasteEnvelopes(donor(uint8(r.IntN(3))), nil) },
	"paste area": func(e *mapedit.Editor, r *rand.Rand) error {
		area := mapedit.Area{X: r.IntN(8), Y: r.IntN(6), Width: 1 + r.IntN(5), Height: 1 + r.IntN(5)}
		return e.PasteArea(donor(uint8(r.IntN(3))), area, r.IntN(12)-2, r.IntN(12)-2, mapedit.Across{})
	},
	"share image": func(e *mapedit.Editor, r *rand.Rand) error {
		_, err := e.ShareImage("new", picture(r))
		return err
	},
	"add more quads": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.AddQuads(anywhere(e, r), []twmap.Quad{twmap.NewQuad(1, 2, 3, 4)}, r.IntN(4)-1)
	},
	"remove envelopes":   func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveEnvelopes(some(r, len(e.Map().Envelopes))) },
	"unused envelopes":   func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveUnusedEnvelopes() },
	"move envelope":      func(e *mapedit.Editor, r *rand.Rand) error { return e.MoveEnvelope(r.IntN(4), r.IntN(4)) },
	"duplicate envelope": func(e *mapedit.Editor, r *rand.Rand) error { return e.DuplicateEnvelope(r.IntN(4), "copy") },
	"rename envelope":    func(e *mapedit.Editor, r *rand.Rand) error { return e.RenameEnvelope(r.IntN(4), "a new name") },
	"synchronize": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.SetEnvelopeClocks(some(r, len(e.Map().Envelopes)), mapedit.Clock(r.IntN(2)))
	},
	"add point": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.AddPoint(r.IntN(3), r.Int32N(900), nil, twmap.CurveLinear)
	},
	"remove points": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemovePoints(r.IntN(3), []int{r.IntN(2)}) },
	"change point": func(e *mapedit.Editor, r *rand.Rand) error {
		curve := twmap.CurveSlow
		return e.ChangePoint(r.IntN(3), r.IntN(3), mapedit.PointChange{Curve: &curve})
	},
	"add tiles": func(e *mapedit.Editor, r *rand.Rand) error {
		kind := twmap.Kind(r.IntN(7))
		l := twmap.NewTileLayer(kind, 3, 4)
		l.Image = r.IntN(4) - 1
		_, err := e.AddLayer(anywhere(e, r), l)
		return err
	},
	"add quads": func(e *mapedit.Editor, r *rand.Rand) error {
		q := twmap.NewQuad(0, 0, 64, 64)
		q.ColorEnv = r.Int32N(4) - 1
		l := twmap.NewQuadLayer(q)
		l.Image = r.IntN(3) - 1
		_, err := e.AddLayer(anywhere(e, r), l)
		return err
	},
	"add sounds": func(e *mapedit.Editor, r *rand.Rand) error {
		l := twmap.NewSoundLayer(twmap.NewSoundSource(0, 0, 9))
		l.Sound = r.IntN(3) - 1
		_, err := e.AddLayer(anywhere(e, r), l)
		return err
	},
	"remove layer": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveLayers([]mapedit.LayerAt{anywhere(e, r)}) },
	"move layer":   func(e *mapedit.Editor, r *rand.Rand) error { return e.MoveLayer(anywhere(e, r), anywhere(e, r)) },
	"duplicate layers": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.DuplicateLayers([]mapedit.LayerAt{anywhere(e, r)})
	},
	"change layer": func(e *mapedit.Editor, r *rand.Rand) error {
		name, detail := "Leaves", r.IntN(2) == 0
		return e.ChangeLayers([]mapedit.LayerAt{anywhere(e, r)}, mapedit.LayerChange{Name: &name, Detail: &detail})
	},
	"resize layer": func(e *mapedit.Editor, r *rand.Rand) error {
		w := 2 + r.IntN(20)
		return e.ChangeLayers([]mapedit.LayerAt{anywhere(e, r)}, mapedit.LayerChange{Width: &w})
	},
	"add group":       func(e *mapedit.Editor, r *rand.Rand) error { return e.AddGroup(r.IntN(5), "G") },
	"remove group":    func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveGroups([]int{r.IntN(6)}) },
	"move group":      func(e *mapedit.Editor, r *rand.Rand) error { return e.MoveGroup(r.IntN(5), r.IntN(5)) },
	"duplicate group": func(e *mapedit.Editor, r *rand.Rand) error { return e.DuplicateGroup(r.IntN(5)) },
	"change group": func(e *mapedit.Editor, r *rand.Rand) error {
		x, name := r.Int32N(100), "Trees"
		return e.ChangeGroups([]int{r.IntN(5)}, mapedit.GroupChange{Name: &name, OffsetX: &x, Clip: &twmap.Clip{Width: 9, Height: 9}})
	},
	"isolate": func(e *mapedit.Editor, r *rand.Rand) error { return e.IsolatePhysics() },
	"add setting": func(e *mapedit.Editor, r *rand.Rand) error {
		return e.AddSetting(fmt.Sprintf("tune gravity 0.%d", r.IntN(9)))
	},
	"set setting":    func(e *mapedit.Editor, r *rand.Rand) error { return e.SetSetting("sv_hit 0") },
	"sort settings":  func(e *mapedit.Editor, r *rand.Rand) error { e.SortSettings(); return nil },
	"dedupe":         func(e *mapedit.Editor, r *rand.Rand) error { e.DedupeSettings(); return nil },
	"remove setting": func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveSettings("tune *") },
	"unused":         func(e *mapedit.Editor, r *rand.Rand) error { return e.RemoveUnused() },
}

func some(r *rand.Rand, n int) (list []int) {
	for i := range n {
		if r.IntN(3) == 0 {
			list = append(list, i)
		}
	}
	return list
}

func anywhere(e *mapedit.Editor, r *rand.Rand) mapedit.LayerAt {
	if len(e.Map().Groups) == 0 {
		return mapedit.LayerAt{}
	}
	g := r.IntN(len(e.Map().Groups))
	return mapedit.LayerAt{Group: g, Layer: r.IntN(len(e.Map().Groups[g].Layers)+2) - 1}
}

// operate applies random operations to a map. After each operation the remaining references must have their old
// targets, the reports must match the changes, and nothing may be broken.
func operate(t *testing.T, m *twmap.Map, seed uint64, steps int, thorough bool) {
	names := make([]string, 0, len(operations))
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(seed, 1))
	reported := 0
	e := mapedit.New(m, func(c check.Change) {
		if c.What == "" || c.Count <= 0 {
			t.Errorf("reported %+v", c)
		}
		reported++
	})
	before := errorsOf(m)
	for range steps {
		name := names[r.IntN(len(names))]
		was, data := resolve(m), []byte(nil)
		if thorough {
			data = encode(t, m)
		}
		reported = 0
		err := operations[name](e, r)
		is := resolve(m)
		for p, to := range is {
			from, known := was[p]
			if known && from != to && !(to == nil && !has(m, from)) && !(name == "merge images" && merged(from, to)) {
				t.Fatalf("seed %d: %s: reference %d of %s led to %T %p and leads to %T %p", seed, name, p.nth, e.Path(p.layer), from, from, to, to)
			}
		}
		if !thorough {
			continue
		}
		after := encode(t, m)
		if changed := string(after) != string(data); changed && (reported == 0 || err != nil) || !changed && reported > 0 &&
			!strings.HasPrefix(name, "move") {
			t.Fatalf("seed %d: %s: changed: %t, reported: %d, error: %v", seed, name, changed, reported, err)
		}
	}
	e.Fit() // as at the end of an edit
	back := decode(t, encode(t, m))
	if !back.Equal(m) {
		t.Fatalf("seed %d: the file is another map", seed)
	}
	folder, err := mapdir.Read(mapdir.Open(back), func(file, msg string) {})
	if err != nil {
		t.Fatalf("seed %d: its folder: %v", seed, err)
	}
	if string(encode(t, folder)) != string(encode(t, back)) {
		t.Errorf("seed %d: its folder makes another file", seed)
	}
	for id, n := range errorsOf(back) {
		if n > before[id] {
			t.Errorf("seed %d: %d new findings %s", seed, n-before[id], id)
		}
	}
}

func TestRandomOperations(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for seed := range tests.Of(t, uint64(40), 120) {
		operate(t, referring(), seed, 25, true)
		if t.Failed() {
			return
		}
	}
}

func TestRandomOperationsOnCorpus(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for i, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		if i%12 != 0 {
			continue // all of them take half a minute
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".map"), func(t *testing.T) {
			m := read(t, path)
			if m == nil {
				t.Skip("no map that can be changed")
			}
			operate(t, m, uint64(i), 40, false)
		})
	}
}

// read returns a map of the corpus, or nil for a file that is not a map that can be encoded.
func read(t *testing.T, path string) *twmap.Map {
	data := judge.Read(t, path)
	m, err := twmap.Decode(data)
	if err != nil {
		return nil
	}
	if _, err := m.Encode(); err != nil {
		return nil
	}
	return m
}
