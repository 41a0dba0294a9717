package mapdir_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"

	"trowel.example/teeworlds/twmap"
)

// oddNames are names of parts that are difficult as file names or in lists, or that are nearly the same as others.
var oddNames = []string{"", "", "", "", "Tree", "tree", "TREE", "Leaves", "Leaves", "order", "Order", "group", "GROUP",
	"CON", "con.x", "aux", "a/b", "a\\b", "..", ".", " x ", "#x",
	"# a", "ä", "a\u0308", "straße", "STRASSE", "x.", ".git", "50%20", "%", "a\nb", "tab\there", "\u202egnp",
	"\U0001f333", "quads", "tiles", "tiles a", "~", "Tree~abcd", "a:b", "settings",
	"-", "Name 1", "name 1", "Game", "\ufeffbom"}

// oddName returns an odd name of at most most bytes.
func oddName(rng *rand.Rand, most int) string {
	name := oddNames[rng.IntN(len(oddNames))]
	if rng.IntN(20) == 0 {
		name = strings.Repeat(name+"long", 8)
	}
	for len(name) > most {
		name = name[:len(name)-1]
	}
	return strings.ToValidUTF8(name, "")
}

// oddMap returns a map of parts of all kinds that are hard to distinguish.
func oddMap(rng *rand.Rand) *twmap.Map {
	m := twmap.New(1+rng.IntN(12), 1+rng.IntN(9))
	m.Info.Settings = []string{"sv_hit 1"}
	for range rng.IntN(5) {
		name := oddName(rng, 40) + strings.Repeat("long ", rng.IntN(2)*30)
		if rng.IntN(2) == 0 {
			m.Images = append(m.Images, twmap.NewExternalImage(name, 64, 64))
			continue
		}
		p := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		p.Pix[rng.IntN(4)] = uint8(rng.IntN(3))
		m.Images = append(m.Images, twmap.NewImage(name, p))
	}
	for range rng.IntN(3) {
		m.Sounds = append(m.Sounds, twmap.NewSound(oddName(rng, 40), []byte{byte(1 + rng.IntN(2))}))
	}
	for range rng.IntN(5) {
		e := &twmap.Envelope{Version: 2, Name: oddName(rng, 31), Channels: []twmap.Channels{1, 3, 4, 4, 2}[rng.IntN(5)]}
		for i := range rng.IntN(4) {
			e.Points = append(e.Points, twmap.EnvPoint{Time: int32(1000 * i), Curve: twmap.CurveLinear,
				Values: [4]int32{rng.Int32N(3), rng.Int32() - 1<<30}})
		}
		m.Envelopes = append(m.Envelopes, e)
	}
	for range rng.IntN(6) {
		m.Groups = append(m.Groups, oddGroup(rng, m))
	}
	for range rng.IntN(2) {
		m.Orphans = append(m.Orphans, oddLayer(rng, m))
	}
	return m
}

func oddGroup(rng *rand.Rand, m *twmap.Map) *twmap.Group {
	g := &twmap.Group{Version: 3, Name: oddName(rng, 11), ParallaxX: rng.Int32N(3) * 50, ParallaxY: 100, OffsetX: rng.Int32N(2)}
	for range rng.IntN(6) {
		g.Layers = append(g.Layers, oddLayer(rng, m))
	}
	return g
}

func oddLayer(rng *rand.Rand, m *twmap.Map) twmap.Layer {
	var l twmap.Layer
	ref := func(n int) int { return rng.IntN(n+2) - 1 } // none, or a missing part
	switch rng.IntN(6) {
	case 0, 1:
		quads := make([]twmap.Quad, rng.IntN(4))
		for i := range quads {
			quads[i] = twmap.Quad{Pivot: twmap.Point{X: rng.Int32() - 1<<30, Y: rng.Int32N(2)}, PosEnv: int32(ref(len(m.Envelopes))), ColorEnv: -1}
		}
		q := twmap.NewQuadLayer(quads...)
		q.Image = ref(len(m.Images))
		l = q
	case 2:
		s := twmap.NewSoundLayer(twmap.SoundSource{PosEnv: -1, SoundEnv: -1, Shape: twmap.ShapeCircle, Width: rng.Int32N(3)})
		s.Sound = ref(len(m.Sounds))
		l = s
	case 3:
		l = &twmap.UnknownLayer{Type: 40 + rng.Int32N(3), Data: []int32{rng.Int32N(3)}}
	default:
		t := twmap.NewTileLayer(twmap.KindTiles, 1+rng.IntN(20), 1+rng.IntN(20))
		t.Image = ref(len(m.Images))
		for range rng.IntN(30) {
			t.Tiles().Set(rng.IntN(t.Width()), rng.IntN(t.Height()), twmap.Tile{ID: uint8(rng.IntN(3))})
		}
		l = t
	}
	if _, unknown := l.(*twmap.UnknownLayer); !unknown {
		l.Base().Name = oddName(rng, 11)
	}
	if rng.IntN(8) == 0 {
		l.Base().Flags = twmap.Detail
	}
	return l
}

// insert adds a part to a map at a random position: a layer, or a group with a layer.
func insert(rng *rand.Rand, m *twmap.Map) string {
	l := oddLayer(rng, m)
	if rng.IntN(3) == 0 {
		at := rng.IntN(len(m.Groups) + 1)
		g := oddGroup(rng, m)
		g.Layers = []twmap.Layer{l}
		m.Groups = append(m.Groups[:at:at], append([]*twmap.Group{g}, m.Groups[at:]...)...)
		return fmt.Sprintf("group %q at %d", g.Name, at)
	}
	g := m.Groups[rng.IntN(len(m.Groups))]
	at := rng.IntN(len(g.Layers) + 1)
	g.Layers = append(g.Layers[:at:at], append([]twmap.Layer{l}, g.Layers[at:]...)...)
	return fmt.Sprintf("layer %q in %q at %d", l.Base().Name, g.Name, at)
}
