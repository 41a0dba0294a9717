package mapdir_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

var (
	autoMapperUUID = datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")
	bezierUUID     = datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw")
	groupUUID      = datafile.NameUUID("mapitemtype-group@ddnet.tw")
)

// strangeFile returns a datafile of a small map with items that no editor writes.
func strangeFile(t testing.TB, rng *rand.Rand) *datafile.File {
	t.Helper()
	m := twmap.New(3, 2)
	m.Info.Author, m.Info.Settings = "author", []string{"sv_hit 1"}
	m.Images = []*twmap.Image{twmap.NewImage("picture", image.NewNRGBA(image.Rect(0, 0, 16, 16)))}
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("e", twmap.ChannelsColor, twmap.EnvPoint{Curve: twmap.Curve(4 + rng.IntN(2))},
		twmap.EnvPoint{Time: 1000})}
	drawn := twmap.NewTileLayer(twmap.KindTiles, 3, 2)
	drawn.AutoMapper = &twmap.AutoMapper{Config: 1, Seed: 5}
	design := twmap.NewGroup("design", drawn, twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32)))
	design.ParallaxZoom = &twmap.ParallaxZoom{Percent: 50}
	m.Groups = append(m.Groups, design)
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + rng.IntN(3) {
		makeStrange(rng, f)
	}
	return f
}

// makeStrange adds, removes or changes an item, or a part of it.
func makeStrange(rng *rand.Rand, f *datafile.File) {
	id := uint16(rng.IntN(3))
	switch rng.IntN(10) {
	case 0:
		f.AddUUIDItem(autoMapperUUID, id, int32(rng.IntN(3)), int32(rng.IntN(3)), int32(rng.IntN(2)), 1, 2, 3)
	case 1:
		f.AddUUIDItem(groupUUID, id, 1, 77)
	case 2:
		f.AddUUIDItem(bezierUUID, 0, make([]int32, 16*rng.IntN(4))...)
	case 3: // another entry of the index, for a known number or another one
		uuid := []datafile.UUID{autoMapperUUID, bezierUUID, groupUUID, {1}}[rng.IntN(4)]
		entry := datafile.UUIDItem(uint16(0xfffe-rng.IntN(5)), uuid)
		if rng.IntN(3) == 0 {
			entry.Data = append(entry.Data, 9)
		}
		f.AddItem(entry.Type, entry.ID, entry.Data...)
	case 4:
		f.AddItem([]uint16{0, 1, 6, 9, 0xfffc}[rng.IntN(5)], id, 1, -1, -1, -1, -1, -1)
	case 5: // a surplus item first
		i := slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == uint16(rng.IntN(2)) })
		f.Items = slices.Insert(f.Items, max(i, 0), datafile.Item{Type: uint16(max(i, 0)), ID: id, Data: []int32{1, -1, -1, -1, -1, -1}})
	case 6: // shorter, or longer
		it := &f.Items[rng.IntN(len(f.Items))]
		if n := rng.IntN(len(it.Data) + 2); n < len(it.Data) {
			it.Data = slices.Clone(it.Data[:n])
		} else {
			it.Data = append(slices.Clone(it.Data), 5, 6)
		}
	case 7:
		it := &f.Items[rng.IntN(len(f.Items))]
		it.ID = id
	case 8:
		if it := &f.Items[rng.IntN(len(f.Items))]; len(it.Data) > 0 {
			it.Data = slices.Clone(it.Data)
			it.Data[rng.IntN(len(it.Data))] = []int32{-1, 0, 1, 2, 3, 1 << 20}[rng.IntN(6)]
		}
	case 9:
		i := rng.IntN(len(f.Items))
		f.Items = slices.Delete(f.Items, i, i+1)
	}
}

// itemTables returns the offset and the number of the entries of the tables of item offsets and of data offsets.
func itemTables(data []byte) (items, n, blocks, d int) {
	get := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	items = 36 + 12*get(16)
	return items, get(20), items + 4*get(20), get(24)
}

// damageTables changes an offset or the size of an item, or exchanges two offsets.
func damageTables(rng *rand.Rand, data []byte) {
	items, n, blocks, d := itemTables(data)
	area := blocks + 8*d
	put := func(at int, v int32) { binary.LittleEndian.PutUint32(data[at:], uint32(v)) }
	swap := func(at, n int) {
		if n < 2 {
			return
		}
		i, j := at+4*rng.IntN(n), at+4*rng.IntN(n)
		x, y := binary.LittleEndian.Uint32(data[i:]), binary.LittleEndian.Uint32(data[j:])
		binary.LittleEndian.PutUint32(data[i:], y)
		binary.LittleEndian.PutUint32(data[j:], x)
	}
	at := area + int(binary.LittleEndian.Uint32(data[items+4*rng.IntN(n):]))
	switch rng.IntN(5) {
	case 0:
		put(at+4, []int32{0, -1, -4, -8, 4, 400, 1 << 30}[rng.IntN(7)])
	case 1:
		swap(items, n)
	case 2:
		swap(blocks, d)
	case 3:
		put(at, int32(rng.IntN(8))<<16)
	case 4:
		put([]int{items, blocks}[rng.IntN(2)]+4*rng.IntN(2), int32(rng.IntN(200)))
	}
}

// TestStrangeFiles tests for hundreds of made files that the folder gives identical bytes or a clear error, and that a
// new setting changes nothing else: all other items stay, and no finding is added.
func TestStrangeFiles(t *testing.T) {
	tests.NotRaced(t, "one goroutine")
	kept, refused := 0, 0
	for seed := range uint64(tests.Of(t, 150, 2500)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data, err := strangeFile(t, rng).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if seed%3 == 0 {
			damageTables(rng, data)
		}
		m, err := twmap.Decode(data)
		if err != nil {
			refused++
			continue
		}
		stored, err := mapdir.Read(mapdir.Open(m), nil)
		if err != nil {
			refused++
			continue
		}
		kept++
		if got, err := stored.Encode(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("seed %d: the folder gives other bytes, %v", seed, err)
		}
		if m.Info == nil {
			m.Info = &twmap.Info{}
		}
		before := m.Source().Items
		found := findings(m)
		m.Info.Settings = append(m.Info.Settings, "sv_deepfly 0")
		out, err := m.Encode()
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		after := decode(t, out)
		if lost := missingItems(before, after.Source().Items); len(lost) > 0 {
			t.Errorf("seed %d: an edit loses %v", seed, lost)
		}
		for id, n := range findings(after) {
			if n > found[id] && id != "tw-map-teeworlds" {
				t.Errorf("seed %d: an edit makes %d findings %s of %d", seed, n, id, found[id])
			}
		}
	}
	if kept < 3*refused {
		t.Errorf("%d files are read, %d are refused", kept, refused)
	}
}

// findings counts the findings of a map that was read, by their IDs.
func findings(m *twmap.Map) map[string]int {
	n := make(map[string]int)
	for _, f := range check.Collect(m.CheckFile) {
		n[f.ID]++
	}
	return n
}

// missingItems returns the items that a changed map lacks. An item keeps its type, unless it has a UUID, and its
// integers, except those of the information, and numbers of other parts.
func missingItems(before, after []datafile.Item) (lost []string) {
	count := make(map[string]int)
	key := func(it datafile.Item) string {
		switch {
		case it.Type == 1:
			return fmt.Sprint(it.Type, len(it.Data))
		case it.Type > 0x8000 && len(it.Data) == 6 && it.Data[0] == 1: // an automapper that stays without effect
			return fmt.Sprint("uuid ", it.Data[3:])
		case it.Type > 0x8000 && it.Type != datafile.TypeUUIDIndex:
			return fmt.Sprint("uuid ", it.Data)
		case it.Type == 2 || it.Type == 5: // they refer to blocks
			return fmt.Sprint(it.Type, len(it.Data))
		case it.Type == 4 && len(it.Data) > 6: // numbers of layers, of which those without a group come last
			return fmt.Sprint(it.Type, it.Data[:5], it.Data[7:])
		}
		return fmt.Sprint(it.Type, it.Data)
	}
	for _, it := range after {
		count[key(it)]++
	}
	for _, it := range before {
		if k := key(it); count[k] == 0 && it.Type != 1 {
			lost = append(lost, strings.TrimSpace(k))
		} else {
			count[k]--
		}
	}
	return lost
}

// TestReplacedRGB tests that a new picture in the place of one with pixels of three bytes is marked as RGBA, in a map and
// in its folder, and that an unchanged one stays.
func TestReplacedRGB(t *testing.T) {
	m := twmap.New(2, 2)
	picture := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	m.Images = []*twmap.Image{twmap.NewImage("my", picture)}
	m.Images[0].Version, m.Images[0].Variant = 2, 1
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	it := &f.Items[slices.IndexFunc(f.Items, func(it datafile.Item) bool { return it.Type == 2 })]
	it.Data[6] = 0
	f.Data[it.Data[5]] = datafile.NewBlock(make([]byte, 3*16*16))
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := load(t, mapdir.Open(decode(t, data)))
	if got := pack(t, files); !bytes.Equal(got, data) {
		t.Error("unchanged: other bytes")
	}
	m = decode(t, data)
	m.Images[0].SetPicture(picture)
	stored, err := mapdir.Read(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored.Images[0].SetPicture(picture)
	for _, m := range []*twmap.Map{m, stored} {
		out, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back := decode(t, out).Images[0]
		if back.Variant != 1 || back.RGB() || !back.HasPicture() {
			t.Errorf("variant %d, RGB %v", back.Variant, back.RGB())
		}
	}
}
