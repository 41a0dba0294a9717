// Package seedmap makes maps with known census results for tests.
package seedmap

import (
	"crypto/sha256"
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"slices"

	"trowel.example/internal/testing/censustest"
	"trowel.example/teeworlds/twmap"
)

// Size is the width and height of the maps in tiles.
const Size = 40

// Images are the names of the images used in the maps.
var Images = []string{"jungle_main", "grass_main", "desert_main", "sun", "own_tiles"}

// Make returns n maps of all flavors, and queries about them. The same seed makes the same maps.
func Make(n int, seed uint64) (seeds []censustest.Seed, queries []censustest.Query, err error) {
	a := newAnswers()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		name := fmt.Sprintf("map%03d.map", i)
		data, err := a.make(r, name, []string{"Teeworlds 0.6 and older", "Teeworlds 0.7", "DDNet"}[i%3]).Encode()
		if err != nil {
			return nil, nil, err
		}
		seeds = append(seeds, censustest.Seed{Name: name, Data: data})
	}
	return seeds, a.queries(), nil
}

// answers collects the contents of the maps, as the queries will return them.
type answers struct {
	jungle07, unused, gameless, pixels, quads, synchronized, images []string
	authors, commands, freeze, teles, fast, zones, sounds           map[string]int
	slow, places                                                    []string
}

func newAnswers() *answers {
	a := new(answers)
	for _, m := range []*map[string]int{&a.authors, &a.commands, &a.freeze, &a.teles, &a.fast, &a.zones, &a.sounds} {
		*m = make(map[string]int)
	}
	return a
}

// picture returns one of four pictures.
func picture(i int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for j := range p.Pix {
		p.Pix[j] = byte(i*50 + j)
	}
	return p
}

// make makes a map, and adds its contents to the answers.
func (a *answers) make(r *rand.Rand, file, flavor string) *twmap.Map {
	m := twmap.New(Size, Size)
	m.Info.Author = []string{"Ann", "Bob", "Żaneta"}[r.IntN(3)]
	a.authors[m.Info.Author]++
	for _, name := range Images[:1+r.IntN(len(Images))] {
		im := twmap.NewExternalImage(name, 1024, 1024)
		if name == "own_tiles" {
			p := picture(r.IntN(4))
			im = twmap.NewImage(name, p)
			a.pixels = append(a.pixels, fmt.Sprintf("%x|%s", sha256.Sum256(p.Pix), file))
		}
		if flavor == "Teeworlds 0.7" {
			im.Version = 2
		}
		m.Images = append(m.Images, im)
	}
	r.Shuffle(len(m.Images), func(i, j int) { m.Images[i], m.Images[j] = m.Images[j], m.Images[i] })
	a.images = append(a.images, fmt.Sprintf("%s|%d", file, len(m.Images)))
	a.look(r, m, file, flavor)
	game := m.Physics(twmap.KindGame)
	for range r.IntN(5) {
		x, y := r.IntN(Size), r.IntN(Size)
		if game.Tiles().At(x, y).ID == 0 {
			game.Tiles().Set(x, y, twmap.Tile{ID: uint8(twmap.TileFreeze)})
			a.freeze[file]++
		}
	}
	if flavor == "Teeworlds 0.7" {
		game.Version = 4
	}
	if flavor == "DDNet" {
		a.physics(r, m, file)
	}
	if r.IntN(8) == 0 {
		m.Groups[0].Layers = m.Groups[0].Layers[1:]
		delete(a.freeze, file)
		a.gameless = append(a.gameless, file)
	}
	return m
}

// look adds visible layers, and envelopes that animate some of them.
func (a *answers) look(r *rand.Rand, m *twmap.Map, file, flavor string) {
	used := make(map[int]bool)
	group := twmap.NewGroup("Deco")
	for range 1 + r.IntN(3) {
		l := twmap.NewTileLayer(twmap.KindTiles, Size, Size)
		l.Image = r.IntN(len(m.Images))
		used[l.Image] = true
		l.Tiles().Set(r.IntN(Size), r.IntN(Size), twmap.Tile{ID: 7, Flags: twmap.FlipX})
		group.Layers = append(group.Layers, l)
	}
	n := r.IntN(4)
	for i := range r.IntN(3) {
		e := twmap.NewEnvelope("", twmap.ChannelsPosition, twmap.EnvPoint{}, twmap.EnvPoint{Time: int32(1000 * (i + 1))})
		if e.Synchronized = r.IntN(2) == 0; e.Synchronized {
			a.synchronized = append(a.synchronized, fmt.Sprintf("%s|%d|%d", file, i, 1000*(i+1)))
		}
		m.Envelopes = append(m.Envelopes, e)
	}
	quads := make([]twmap.Quad, n)
	for i := range quads {
		quads[i] = twmap.NewQuad(0, 0, 32, 32)
		quads[i].PosEnv = int32(len(m.Envelopes)) - 1
	}
	if n > 0 {
		group.Layers = append(group.Layers, twmap.NewQuadLayer(quads...))
		a.quads = append(a.quads, fmt.Sprintf("%s|%d", file, n))
	}
	m.Groups = append(m.Groups, group)
	for i, im := range m.Images {
		switch {
		case !used[i]:
			a.unused = append(a.unused, file+"|"+im.Name)
		case im.Name == "jungle_main" && flavor == "Teeworlds 0.7":
			a.jungle07 = append(a.jungle07, file)
		}
	}
}

// physics adds content that exists in DDNet only.
func (a *answers) physics(r *rand.Rand, m *twmap.Map, file string) {
	tele, speedup := twmap.NewTileLayer(twmap.KindTele, Size, Size), twmap.NewTileLayer(twmap.KindSpeedup, Size, Size)
	switches, tune := twmap.NewTileLayer(twmap.KindSwitch, Size, Size), twmap.NewTileLayer(twmap.KindTune, Size, Size)
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele, speedup, switches, tune)
	for i := range 2 + r.IntN(9) {
		number := uint8(1 + r.IntN(6))
		id := []twmap.GameTile{twmap.TileTeleIn, twmap.TileTeleOut}[i%2]
		tele.Teles().Set(i, 3, twmap.TeleTile{Number: number, ID: uint8(id)})
		if number == 5 {
			a.teles[file]++
			a.places = append(a.places, fmt.Sprintf("%s|%d|3|%s", file, i, twmap.TileName(twmap.KindTele, uint8(id))))
		}
		force := uint8(250 + r.IntN(6))
		speedup.Speedups().Set(i, 4, twmap.SpeedupTile{Force: force, MaxSpeed: 3, ID: uint8(twmap.TileSpeedup), Angle: int16(r.IntN(8) * 45)})
		if force == 255 {
			a.fast[file]++
		}
		delay := uint8(r.IntN(30))
		switches.Switches().Set(i, 5, twmap.SwitchTile{Number: number, ID: uint8(twmap.TileSwitchTimedOpen), Delay: delay})
		if delay >= 20 {
			a.slow = append(a.slow, fmt.Sprintf("%s|%d|5|%d|%d", file, i, number, delay))
		}
		tune.Tunes().Set(i, 6, twmap.TuneTile{Number: number, ID: uint8(twmap.TileTune)})
		a.zones[fmt.Sprint(number)]++
	}
	for range r.IntN(4) {
		command := []string{"tune_zone", "sv_hit", "switch_open"}[r.IntN(3)]
		m.Info.Settings = append(m.Info.Settings, command+" 1")
		a.commands[command]++
	}
	if r.IntN(2) == 0 {
		opus := fmt.Sprintf("OggS, or so: %d", r.IntN(2))
		m.Sounds = append(m.Sounds, twmap.NewSound("rain", []byte(opus)))
		a.sounds[fmt.Sprintf("%x", sha256.Sum256([]byte(opus)))]++
	}
}

// counted returns the counts as sorted lines.
func counted(counts map[string]int) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s|%d", name, counts[name]))
	}
	return lines
}

func (a *answers) queries() []censustest.Query {
	var shared []string // pictures that are in several maps
	times := make(map[string]int)
	for _, line := range a.pixels {
		times[line[:sha256.Size*2]]++
	}
	maps.DeleteFunc(times, func(_ string, n int) bool { return n < 2 })
	shared = counted(times)
	slices.Sort(a.unused)
	return []censustest.Query{
		{Name: "which maps use jungle_main and were made for 0.7", Want: a.jungle07, SQL: `
			SELECT m.file FROM teeworlds_maps m JOIN teeworlds_images i ON i.file = m.file
			WHERE m.flavor = 'Teeworlds 0.7' AND i.name = 'jungle_main' AND i.uses > 0 ORDER BY m.file`},
		{Name: "which maps have tele 5, and how often", Want: counted(a.teles), SQL: `
			SELECT file, count(*) FROM teeworlds_teles WHERE number = 5 GROUP BY file ORDER BY file`},
		{Name: "where tele 5 is", Want: a.places, SQL: `
			SELECT file, x, y, name FROM teeworlds_teles WHERE number = 5 ORDER BY file, x`},
		{Name: "how many maps each author made", Want: counted(a.authors), SQL: `
			SELECT author, count(*) FROM teeworlds_maps GROUP BY author ORDER BY author`},
		{Name: "how much freeze there is", Want: counted(a.freeze), SQL: `
			SELECT file, sum(tiles) FROM teeworlds_tiles WHERE kind = 'game' AND tile = 9 GROUP BY file ORDER BY file`},
		{Name: "which settings are used", Want: counted(a.commands), SQL: `
			SELECT command, count(*) FROM teeworlds_settings GROUP BY command ORDER BY command`},
		{Name: "which images nothing uses", Want: a.unused, SQL: `
			SELECT file, name FROM teeworlds_images WHERE uses = 0 ORDER BY file, name`},
		{Name: "which embedded pictures are in several maps", Want: shared, SQL: `
			SELECT sha256, count(*) FROM teeworlds_images WHERE sha256 IS NOT NULL GROUP BY sha256 HAVING count(*) > 1 ORDER BY sha256`},
		{Name: "which switches take 20 seconds or more", Want: a.slow, SQL: `
			SELECT file, x, y, number, delay FROM teeworlds_switches WHERE delay >= 20 ORDER BY file, x`},
		{Name: "how many speedups have all force", Want: counted(a.fast), SQL: `
			SELECT file, count(*) FROM teeworlds_speedups WHERE force = 255 GROUP BY file ORDER BY file`},
		{Name: "how many tiles there are of each tune zone", Want: counted(a.zones), SQL: `
			SELECT number, count(*) FROM teeworlds_tunes GROUP BY number ORDER BY number`},
		{Name: "which maps have no game layer", Want: a.gameless, SQL: `
			SELECT file FROM teeworlds_findings WHERE id = 'tw-map-no-game-layer' ORDER BY file`},
		{Name: "how many quads there are", Want: a.quads, SQL: `
			SELECT file, sum(things) FROM teeworlds_layers WHERE kind = 'quads' GROUP BY file ORDER BY file`},
		{Name: "which envelopes run on the server's clock", Want: a.synchronized, SQL: `
			SELECT file, number, duration FROM teeworlds_envelopes WHERE synchronized ORDER BY file, number`},
		{Name: "how many images each map has", Want: a.images, SQL: `
			SELECT file, images FROM teeworlds_maps ORDER BY file`},
		{Name: "how many maps have each sound", Want: counted(a.sounds), SQL: `
			SELECT sha256, count(*) FROM teeworlds_sounds GROUP BY sha256 ORDER BY sha256`},
	}
}

// Large returns a map of layers of a size: the game layer, and layers of tiles that are mostly air.
func Large(layers, width, height int) ([]byte, error) {
	m := twmap.New(width, height)
	g := twmap.NewGroup("Large")
	m.Groups = append(m.Groups, g)
	for i := range layers - 1 {
		l := twmap.NewTileLayer(twmap.KindTiles, width, height)
		r := rand.New(rand.NewPCG(uint64(i), 1))
		tiles := l.Tiles()
		for range 1 + width*height/500 {
			tiles.Set(r.IntN(width), r.IntN(height), twmap.Tile{ID: uint8(1 + r.IntN(255)), Flags: twmap.TileFlags(r.IntN(4))})
		}
		l.Store()
		g.Layers = append(g.Layers, l)
	}
	return m.Encode()
}
