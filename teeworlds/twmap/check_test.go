package twmap_test

import (
	"bytes"
	"fmt"
	"image"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// pack converts two tile layers of a map to the compressed tiles of Teeworlds 0.7.
func pack(m *twmap.Map) { deco(m).Version, m.Physics(twmap.KindGame).Version = 4, 4 }

// playable returns a map without findings.
func playable() *twmap.Map {
	m := twmap.New(50, 45)
	m.Physics(twmap.KindGame).Tiles().Set(3, 4, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
	return m
}

// findings checks a map and returns the kinds of its findings, each once, and all findings.
func findings(m *twmap.Map) (ids []string, all []check.Finding) {
	all = check.Collect(m.Check)
	for _, f := range all {
		if !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return ids, all
}

func TestCheckCleanMap(t *testing.T) {
	m := playable()
	if _, all := findings(m); len(all) > 0 {
		t.Errorf("new map: %v", all)
	}
	if _, all := findings(decode(t, encode(t, m))); len(all) > 0 {
		t.Errorf("new map, decoded: %v", all)
	}
}

// A checkCase is a map with a problem, made by edit in Go, by raw in the file, or by both.
type checkCase struct {
	id   string
	edit func(m *twmap.Map)
	raw  func(f *datafile.File)
	also []string // kinds that always come with it
}

// deco adds a second group with a layer of tiles after the game group.
func deco(m *twmap.Map) *twmap.TileLayer {
	l := twmap.NewTileLayer(twmap.KindTiles, 10, 10)
	second(m, l)
	return l
}

func second(m *twmap.Map, layers ...twmap.Layer) *twmap.Group {
	g := &twmap.Group{Version: 3, ParallaxX: 100, ParallaxY: 100, Layers: layers}
	m.Groups = append(m.Groups, g)
	return g
}

func physics(m *twmap.Map, kind twmap.Kind, width, height int) *twmap.TileLayer {
	l := twmap.NewTileLayer(kind, width, height)
	m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	return l
}

// withImage adds an image and a quads layer that shows it.
func withImage(m *twmap.Map, im *twmap.Image) *twmap.Image {
	m.Images = append(m.Images, im)
	l := twmap.NewQuadLayer()
	l.Image = len(m.Images) - 1
	second(m, l)
	return im
}

func picture(width, height int) *image.NRGBA { return image.NewNRGBA(image.Rect(0, 0, width, height)) }

// opus returns the first page of an Opus file, the only part that is checked.
func opus() []byte {
	page := append([]byte("OggS"), make([]byte, 22)...)
	page = append(page, 1, 19) // one segment of 19 bytes
	page = append(page, "OpusHead\x01\x02"...)
	return append(page, make([]byte, 9)...)
}

// withSound adds a sound and a layer that plays it.
func withSound(m *twmap.Map, s *twmap.Sound, sources ...twmap.SoundSource) *twmap.SoundLayer {
	m.Sounds = append(m.Sounds, s)
	l := twmap.NewSoundLayer(sources...)
	l.Sound = len(m.Sounds) - 1
	second(m, l)
	return l
}

func source() twmap.SoundSource { return twmap.SoundSource{PosEnv: -1, SoundEnv: -1} }

// withEnvelope adds a colour envelope and a layer that uses it.
func withEnvelope(m *twmap.Map, points ...twmap.EnvPoint) *twmap.Envelope {
	e := &twmap.Envelope{Version: 2, Channels: twmap.ChannelsColor, Points: points}
	m.Envelopes = append(m.Envelopes, e)
	deco(m).ColorEnv = int32(len(m.Envelopes) - 1)
	return e
}

// items returns the integers of the items of a type.
func items(f *datafile.File, typ uint16) (list []*datafile.Item) {
	for i := range f.Items {
		if f.Items[i].Type == typ {
			list = append(list, &f.Items[i])
		}
	}
	return list
}

func item(f *datafile.File, typ uint16, n int) []int32 { return items(f, typ)[n].Data }

const (
	itemVersion, itemInfo, itemImage, itemEnvelope, itemGroup, itemLayer, itemPoints = 0, 1, 2, 3, 4, 5, 6
)

// cut shortens an item.
func cut(typ uint16, n, length int) func(*datafile.File) {
	return func(f *datafile.File) { items(f, typ)[n].Data = item(f, typ, n)[:length] }
}

// set changes an integer of an item.
func set(typ uint16, n, at int, v int32) func(*datafile.File) {
	return func(f *datafile.File) { item(f, typ, n)[at] = v }
}

// fill replaces the data block that an integer of an item refers to.
func fill(typ uint16, n, at int, data []byte) func(*datafile.File) {
	return func(f *datafile.File) { f.Data[item(f, typ, n)[at]] = datafile.NewBlock(data) }
}

// at returns an edit that sets a tile of a new physics layer.
func at(kind twmap.Kind, put func(*twmap.TileLayer)) func(*twmap.Map) {
	return func(m *twmap.Map) {
		if kind == twmap.KindGame {
			put(m.Physics(kind))
			return
		}
		put(physics(m, kind, 50, 45))
	}
}

var checkCases = []checkCase{
	{id: "tw-map-version", raw: set(itemVersion, 0, 0, 2)},
	{id: "tw-map-group-truncated", edit: func(m *twmap.Map) { second(m) }, raw: cut(itemGroup, 1, 6)},
	{id: "tw-map-group-layers", edit: func(m *twmap.Map) { second(m) }, raw: set(itemGroup, 1, 6, 7)},
	{id: "tw-map-layer-shared", edit: func(m *twmap.Map) { second(m) }, raw: func(f *datafile.File) {
		g := item(f, itemGroup, 1)
		g[5], g[6] = 0, 1
	}},
	{id: "tw-map-layer-truncated", edit: func(m *twmap.Map) { deco(m) }, raw: cut(itemLayer, 1, 10), also: []string{"tw-map-data-unused"}},
	{id: "tw-map-layer-truncated", edit: func(m *twmap.Map) { deco(m) }, raw: cut(itemLayer, 1, 17)},
	{id: "tw-map-layer-truncated", edit: func(m *twmap.Map) { deco(m) }, raw: cut(itemLayer, 1, 2), also: []string{"tw-map-data-unused"}},
	{id: "tw-map-physics-truncated", edit: func(m *twmap.Map) { physics(m, twmap.KindTele, 50, 45) }, raw: cut(itemLayer, 1, 18),
		also: []string{"tw-map-data-unused"}},
	{id: "tw-map-tilemap-version", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 3, 5)},
	{id: "tw-map-tilemap-flags", edit: func(m *twmap.Map) { physics(m, twmap.KindTele, 50, 45) }, raw: set(itemLayer, 1, 6, 6)},
	{id: "tw-map-tilemap-name", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 15, 0x01010101)},
	{id: "tw-map-layer-size", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 4, 1)},
	{id: "tw-map-layer-size", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 4, -3)},
	{id: "tw-map-model", edit: func(m *twmap.Map) { second(m, nil) }},
	{id: "tw-map-model", edit: func(m *twmap.Map) { second(m, &twmap.TileLayer{}) }},
	{id: "tw-map-layer-color", edit: func(m *twmap.Map) { deco(m).Color.R = 256 }},
	{id: "tw-map-no-game-layer", edit: func(m *twmap.Map) { m.Groups[0].Layers = nil }},
	{id: "tw-map-tiles-index", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 14, 99), also: []string{"tw-map-data-unused"}},
	{id: "tw-map-tiles-shared", edit: func(m *twmap.Map) { deco(m); deco(m) }, raw: func(f *datafile.File) {
		item(f, itemLayer, 2)[14] = item(f, itemLayer, 1)[14]
	}, also: []string{"tw-map-data-unused"}},
	{id: "tw-map-physics-small", edit: func(m *twmap.Map) { physics(m, twmap.KindTele, 50, 44) }, also: []string{"tw-map-physics-shape"}},
	{id: "tw-map-tiles-packed", edit: at(twmap.KindFront, func(l *twmap.TileLayer) { l.Version = 4 }), also: []string{"tw-map-teeworlds"}},
	{id: "tw-map-tiles-unreadable", edit: func(m *twmap.Map) { deco(m) }, raw: func(f *datafile.File) {
		f.Data[item(f, itemLayer, 1)[14]] = datafile.NewBlockStream([]byte("no zlib stream"), 400)
	}},
	{id: "tw-map-tiles-form", edit: func(m *twmap.Map) { deco(m).Version = 4 }},
	{id: "tw-map-tiles-short", edit: func(m *twmap.Map) { deco(m) }, raw: fill(itemLayer, 1, 14, make([]byte, 8))},
	{id: "tw-map-tiles-short", edit: func(m *twmap.Map) { pack(m) }, raw: fill(itemLayer, 1, 14, []byte{0, 0, 98, 0})},
	{id: "tw-map-tiles-surplus", edit: func(m *twmap.Map) { pack(m) }, raw: fill(itemLayer, 1, 14, []byte{0, 0, 99, 0, 0, 0, 0, 0})},
	{id: "tw-map-tile-reserved", edit: func(m *twmap.Map) { deco(m).Tiles().Set(1, 2, twmap.Tile{ID: 1, Skip: 1}) }},
	{id: "tw-map-tile-reserved", edit: at(twmap.KindSpeedup, func(l *twmap.TileLayer) {
		l.Speedups().Set(1, 2, twmap.SpeedupTile{ID: 29, Force: 1, Padding: 1})
	})},

	{id: "tw-map-text", edit: func(m *twmap.Map) { m.Info.Author = "Ada" }, raw: fill(itemInfo, 0, 1, []byte("Ada"))},
	{id: "tw-map-text", edit: func(m *twmap.Map) { m.Info.Author = "Ada" }, raw: fill(itemInfo, 0, 1, []byte("A\x00da\x00"))},
	{id: "tw-map-text", edit: func(m *twmap.Map) { m.Info.Author = "Ada" }, raw: fill(itemInfo, 0, 1, []byte("Ad\xff\x00"))},
	{id: "tw-map-text", edit: func(m *twmap.Map) { m.Info.Credits = "A\x00da" }},
	{id: "tw-map-text-long", edit: func(m *twmap.Map) { m.Info.MapVersion = "a long map version" }},
	{id: "tw-map-name", edit: func(m *twmap.Map) { second(m) }, raw: set(itemGroup, 1, 12, 0x01010101)},
	{id: "tw-map-name-long", edit: func(m *twmap.Map) { second(m).Name = "twelve bytes" }},
	{id: "tw-map-name-long", edit: func(m *twmap.Map) { deco(m).Name = "twelve bytes" }},
	{id: "tw-map-name-unsafe", edit: func(m *twmap.Map) { withImage(m, twmap.NewImage("../evil", picture(16, 16))) }},
	{id: "tw-map-info-version", raw: set(itemInfo, 0, 0, 2)},
	{id: "tw-map-setting-long", edit: settings("tune_zone_enter 0 " + strings.Repeat("x", 255))},
	{id: "tw-map-setting-unknown", edit: settings("sv_hitt 0")},
	{id: "tw-map-setting-unknown", edit: settings("tune_zone 0 gravitie 0.1")},
	{id: "tw-map-setting-unknown", edit: func(m *twmap.Map) {
		for i := range 1000 {
			m.Info.Settings = append(m.Info.Settings, fmt.Sprintf("nonsense%d", i))
		}
	}},
	{id: "tw-map-setting-unknown", edit: settings("mapbug grenade-doubleexplosion")},
	{id: "tw-map-setting-arguments", edit: settings("sv_hit")},
	{id: "tw-map-setting-arguments", edit: settings("tune gravity")},
	{id: "tw-map-setting-arguments", edit: settings(`tune_zone_enter 0 ""; tune_zone_leave 0`)},
	{id: "tw-map-setting-value", edit: settings("sv_freeze_delay 31")},
	{id: "tw-map-setting-value", edit: settings("tune_zone 256 gravity 1")},
	{id: "tw-map-setting-value", edit: settings("toggle_tune gravity 1 low")},
	{id: "tw-map-setting-value", edit: settings("sv_team 0.5")},
	{id: "tw-map-setting-idle", edit: settings("tune_zone 4 gravity 0", "switch_open 2")},
	{id: "tw-map-setting-other", edit: settings("sv_hide_kog_timer 1", "sv_hit 1", "plot_size 3", "plot_size 4")},
	{id: "tw-map-setting-refused", edit: settings("sv_motd hello")},
	{id: "tw-map-data-index", raw: set(itemInfo, 0, 2, 77)},
	{id: "tw-map-data-unused", raw: func(f *datafile.File) { f.Data = append(f.Data, datafile.NewBlock([]byte("left"))) }},
	{id: "tw-map-data-empty", edit: func(m *twmap.Map) { second(m, twmap.NewQuadLayer()) }, raw: func(f *datafile.File) {
		f.Data[item(f, itemLayer, 1)[5]] = datafile.NewBlockStream(nil, 0)
	}},
	{id: "tw-map-item-short", edit: func(m *twmap.Map) { second(m, twmap.NewQuadLayer()) }, raw: cut(itemLayer, 1, 6)},
	{id: "tw-map-item-long", raw: func(f *datafile.File) { items(f, itemInfo)[0].Data = append(item(f, itemInfo, 0), 5) }},
	{id: "tw-map-item-long", raw: func(f *datafile.File) { items(f, itemLayer)[0].Data = append(item(f, itemLayer, 0), 5) }},
	{id: "tw-map-item-version", edit: func(m *twmap.Map) { second(m) }, raw: set(itemGroup, 1, 0, 4)},
	{id: "tw-map-item-surplus", raw: func(f *datafile.File) { f.AddItem(itemInfo, 1, 1, -1, -1, -1, -1, -1) }},
	{id: "tw-map-item-unknown", raw: func(f *datafile.File) { f.AddItem(100, 0, 1, 2, 3) }},
	{id: "tw-map-uuid-index", raw: func(f *datafile.File) { f.AddUUIDType(datafile.NameUUID("nothing@example.com")) }},
	{id: "tw-map-group-ex", edit: func(m *twmap.Map) { m.Groups[0].ParallaxZoom = &twmap.ParallaxZoom{Percent: 50} }},
	{id: "tw-map-teeworlds", edit: func(m *twmap.Map) { settings("sv_hit 0")(m); deco(m).Version = 4 }, also: []string{"tw-map-tiles-form"}},

	{id: "tw-map-amount", edit: func(m *twmap.Map) {
		for range 65 {
			withImage(m, twmap.NewExternalImage("grass_main", 1024, 1024))
		}
	}},
	{id: "tw-map-image-external", edit: func(m *twmap.Map) { withImage(m, twmap.NewExternalImage("gras_main", 1024, 1024)) }},
	{id: "tw-map-image-external-data", edit: func(m *twmap.Map) { withImage(m, twmap.NewExternalImage("grass_main", 1024, 1024)) },
		raw: func(f *datafile.File) { item(f, itemImage, 0)[5] = f.AddData([]byte("pixels")) }},
	{id: "tw-map-image-size", edit: func(m *twmap.Map) { withImage(m, twmap.NewImage("a", picture(16, 16))) }, raw: set(itemImage, 0, 1, 0)},
	{id: "tw-map-image-data", edit: func(m *twmap.Map) { withImage(m, twmap.NewImage("a", picture(16, 16))) }, raw: set(itemImage, 0, 1, 17)},
	{id: "tw-map-image-rgb", edit: func(m *twmap.Map) { withImage(m, twmap.NewImage("a", picture(16, 16))) },
		raw: fill(itemImage, 0, 5, make([]byte, 16*16*3))},
	{id: "tw-map-image-variant", edit: func(m *twmap.Map) {
		im := withImage(m, twmap.NewImage("a", picture(16, 16)))
		im.Version, im.Variant = 2, 0
	}},
	{id: "tw-map-image-not16", edit: func(m *twmap.Map) {
		withImage(m, twmap.NewImage("a", picture(16, 17)))
		deco(m).Image = 0
	}},
	{id: "tw-map-image-unused", edit: func(m *twmap.Map) { m.Images = []*twmap.Image{twmap.NewImage("a", picture(16, 16))} }},
	{id: "tw-map-image-missing", edit: func(m *twmap.Map) { deco(m).Image = 3 }},
	{id: "tw-map-sound-data", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", []byte("RIFF")), source()) }},
	{id: "tw-map-sound-data", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", opus()[:30]), source()) }},
	{id: "tw-map-sound-external", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", nil), source()); m.Sounds[0].SetExternal() }},
	{id: "tw-map-sound-unused", edit: func(m *twmap.Map) { m.Sounds = []*twmap.Sound{twmap.NewSound("a", opus())} }},
	{id: "tw-map-sound-missing", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", opus()), source()); m.Sounds = nil }},

	{id: "tw-map-envelope-points", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{}) }, raw: set(itemEnvelope, 0, 3, 2)},
	{id: "tw-map-envelope-points", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{}) }, raw: func(f *datafile.File) {
		items(f, itemPoints)[0].Data = append(item(f, itemPoints, 0), 1)
	}},
	{id: "tw-map-envelope-channels", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{}).Channels = 8 }},
	{id: "tw-map-envelope-curve", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{Curve: 527}) }},
	{id: "tw-map-envelope-order", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{Time: 9}, twmap.EnvPoint{Time: 8}) }},
	{id: "tw-map-envelope-bezier", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{}, twmap.EnvPoint{Time: 8}) },
		raw: set(itemPoints, 0, 1, int32(twmap.CurveBezier))},
	{id: "tw-map-envelope-bezier", edit: func(m *twmap.Map) {
		withEnvelope(m, twmap.EnvPoint{},
			twmap.EnvPoint{Time: 8})
	}, raw: func(f *datafile.File) {
		f.AddUUIDItem(datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw"), 0, make([]int32, 16)...)
	}},
	{id: "tw-map-envelope-unused", edit: func(m *twmap.Map) { m.Envelopes = []*twmap.Envelope{{Version: 2, Channels: twmap.ChannelsSound}} }},
	{id: "tw-map-envelope-missing", edit: func(m *twmap.Map) { second(m, twmap.NewQuadLayer(twmap.Quad{PosEnv: 3, ColorEnv: -1})) }},
	{id: "tw-map-envelope-none", edit: func(m *twmap.Map) { second(m, twmap.NewQuadLayer(twmap.Quad{PosEnv: -2, ColorEnv: -1})) }},
	{id: "tw-map-envelope-kind", edit: func(m *twmap.Map) {
		withEnvelope(m, twmap.EnvPoint{})
		s := source()
		s.SoundEnv = 0
		withSound(m, twmap.NewSound("a", opus()), s)
	}},
	{id: "tw-map-negative", edit: func(m *twmap.Map) { withEnvelope(m, twmap.EnvPoint{Time: -9}, twmap.EnvPoint{}) }},
	{id: "tw-map-negative", edit: func(m *twmap.Map) { second(m).Clip = &twmap.Clip{Width: -1} }},
	{id: "tw-map-negative", edit: func(m *twmap.Map) {
		s := source()
		s.Delay = -1
		withSound(m, twmap.NewSound("a", opus()), s)
	}},

	{id: "tw-map-layer-orphan", edit: func(m *twmap.Map) { m.Orphans = []twmap.Layer{twmap.NewQuadLayer()} }},
	{id: "tw-map-layer-unknown", edit: func(m *twmap.Map) { second(m, twmap.NewQuadLayer()) }, raw: set(itemLayer, 1, 1, 77)},
	{id: "tw-map-layer-huge", edit: func(m *twmap.Map) { deco(m) }, raw: func(f *datafile.File) {
		v := item(f, itemLayer, 1)
		v[4], v[5] = 20000, 20000
	}},
	{id: "tw-map-layer-flags", edit: func(m *twmap.Map) { deco(m).Flags = 2 }},
	{id: "tw-map-layer-flags", edit: func(m *twmap.Map) { deco(m) }, raw: set(itemLayer, 1, 6, 64)},
	{id: "tw-map-physics-duplicate", edit: func(m *twmap.Map) { physics(m, twmap.KindFront, 50, 45); physics(m, twmap.KindFront, 50, 45) }},
	{id: "tw-map-physics-group", edit: func(m *twmap.Map) { second(m, twmap.NewTileLayer(twmap.KindTune, 50, 45)) }},
	{id: "tw-map-physics-shape", edit: func(m *twmap.Map) { physics(m, twmap.KindSwitch, 51, 45) }},
	{id: "tw-map-physics-name", edit: func(m *twmap.Map) { m.Groups[0].Name = "Play" }},
	{id: "tw-map-physics-name", edit: func(m *twmap.Map) { m.Physics(twmap.KindGame).Name = "Play" }},
	{id: "tw-map-physics-look", edit: func(m *twmap.Map) { m.Physics(twmap.KindGame).Flags = twmap.Detail }},
	{id: "tw-map-game-clip", edit: func(m *twmap.Map) { m.Groups[0].Clip = &twmap.Clip{Width: 10, Height: 10} }},
	{id: "tw-map-game-parallax", edit: func(m *twmap.Map) { m.Groups[0].ParallaxY = 50 }},
	{id: "tw-map-game-offset", edit: func(m *twmap.Map) { m.Groups[0].OffsetX = 1 }},
	{id: "tw-map-physics-tiles-other", edit: func(m *twmap.Map) { physics(m, twmap.KindFront, 50, 45) },
		raw: func(f *datafile.File) {
			item(f, itemLayer, 1)[14] = f.AddData(bytes.Repeat([]byte{1, 0, 0, 0}, 50*45))
		}, also: []string{"tw-map-data-unused"}},
	{id: "tw-map-quad-color", edit: func(m *twmap.Map) {
		q := twmap.NewQuad(0, 0, 32, 32)
		q.Colors[1].G = 256
		second(m, twmap.NewQuadLayer(q))
	}},
	{id: "tw-map-quads-data", edit: func(m *twmap.Map) {
		second(m,
			twmap.NewQuadLayer(twmap.Quad{PosEnv: -1, ColorEnv: -1}))
	}, raw: set(itemLayer, 1, 4, 2)},
	{id: "tw-map-sources-data", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", opus()), source()) },
		raw: set(itemLayer, 1, 4, 2)},
	{id: "tw-map-sounds-deprecated", edit: func(m *twmap.Map) { withSound(m, twmap.NewSound("a", opus()), source()).Deprecated = true }},
	{id: "tw-map-sound-source", edit: func(m *twmap.Map) {
		s := source()
		s.Shape = 2
		withSound(m, twmap.NewSound("a", opus()), s)
	}},
	{id: "tw-map-automapper-seed", edit: func(m *twmap.Map) { deco(m).AutoMapper = &twmap.AutoMapper{Seed: 1_000_000_001} }},
	{id: "tw-map-automapper-lost", edit: func(m *twmap.Map) { deco(m).AutoMapper = &twmap.AutoMapper{} }, raw: func(f *datafile.File) {
		typ, _ := f.TypeOf(datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw"))
		item(f, typ, 0)[2] = 9
	}},

	{id: "tw-map-tile-invalid", edit: at(twmap.KindGame, func(l *twmap.TileLayer) { l.Tiles().Set(1, 2, twmap.Tile{ID: 26}) })},
	{id: "tw-map-tile-unused", edit: at(twmap.KindTele, func(l *twmap.TileLayer) { l.Teles().Set(1, 2, twmap.TeleTile{ID: 26}) })},
	{id: "tw-map-tile-unused", edit: at(twmap.KindSwitch, func(l *twmap.TileLayer) {
		l.Switches().Set(1, 2,
			twmap.SwitchTile{ID: 24, Delay: 3})
	})},
	{id: "tw-map-tile-unused", edit: at(twmap.KindSpeedup, func(l *twmap.TileLayer) { l.Speedups().Set(1, 2, twmap.SpeedupTile{ID: 29}) })},
	{id: "tw-map-tile-unused", edit: at(twmap.KindTune, func(l *twmap.TileLayer) { l.Tunes().Set(1, 2, twmap.TuneTile{ID: 68}) })},
	{id: "tw-map-tile-flags", edit: at(twmap.KindGame, func(l *twmap.TileLayer) {
		l.Tiles().Set(1, 2,
			twmap.Tile{ID: 1, Flags: twmap.Opaque})
	})},
	{id: "tw-map-tile-flags", edit: func(m *twmap.Map) { deco(m).Tiles().Set(1, 2, twmap.Tile{ID: 1, Flags: 16}) }},
	{id: "tw-map-speedup-angle", edit: at(twmap.KindSpeedup, func(l *twmap.TileLayer) {
		l.Speedups().Set(1, 2, twmap.SpeedupTile{ID: 29, Force: 1, Angle: 360})
	})},
	{id: "tw-map-no-spawn", edit: at(twmap.KindGame, func(l *twmap.TileLayer) { l.Tiles().Set(3, 4, twmap.Tile{ID: 1}) })},
	{id: "tw-map-tile-mirrored", edit: at(twmap.KindGame, func(l *twmap.TileLayer) {
		l.Tiles().Set(1, 2,
			twmap.Tile{ID: 60, Flags: twmap.FlipX})
	})},
	{id: "tw-map-tile-mirrored", edit: at(twmap.KindFront, func(l *twmap.TileLayer) {
		l.Tiles().Set(1, 2, twmap.Tile{ID: 225, Flags: twmap.FlipY | twmap.Rotate})
	})},
	{id: "tw-map-tile-mirrored", edit: at(twmap.KindSwitch, func(l *twmap.TileLayer) {
		l.Switches().Set(1, 2, twmap.SwitchTile{ID: 224, Flags: twmap.FlipY})
	})},
	{id: "tw-map-tile-deprecated", edit: at(twmap.KindSpeedup, func(l *twmap.TileLayer) {
		l.Speedups().Set(1, 2, twmap.SpeedupTile{ID: 28, Force: 1})
		l.Speedups().Set(2, 2, twmap.SpeedupTile{ID: 28, Force: 1})
	})},
	{id: "tw-map-tile-deprecated", edit: func(m *twmap.Map) { // once per map
		for range 2 {
			physics(m, twmap.KindSpeedup, 50, 45).Speedups().Set(1, 2, twmap.SpeedupTile{ID: 28, Force: 1})
		}
	}, also: []string{"tw-map-physics-duplicate"}},
	{id: "tw-map-spawns-many", edit: spawns(65)},
	{id: "tw-map-spawns-crash", edit: func(m *twmap.Map) { spawns(65)(m); pack(m) }},
	{id: "tw-map-other-game", edit: func(m *twmap.Map) {
		m.Physics(twmap.KindGame).Name = "Physics"
		physics(m, twmap.KindTele, 50, 40).Name = "Entities"
		physics(m, twmap.KindSpeedup, 50, 45).Name = "Zones"
	}, raw: func(f *datafile.File) {
		cut(itemLayer, 1, 18)(f)
		cut(itemLayer, 2, 18)(f)
	}, also: []string{"tw-map-data-unused"}},
	{id: "tw-map-other-game", edit: func(m *twmap.Map) { withImage(m, twmap.NewImage("a", picture(16, 16))) }, raw: func(f *datafile.File) {
		items(f, itemImage)[0].Data = append(item(f, itemImage, 0), 3)
		f.AddItem(9, 0, 1, 2, 3)
		f.AddItem(9, 1, 1, 2, 3)
		f.AddItem(10, 0, 4)
	}},
	{id: "tw-map-race", edit: at(twmap.KindGame, func(l *twmap.TileLayer) { l.Tiles().Set(1, 2, twmap.Tile{ID: 33}) })},
	{id: "tw-map-race", edit: at(twmap.KindFront, func(l *twmap.TileLayer) { l.Tiles().Set(1, 2, twmap.Tile{ID: 34}) })},
	{id: "tw-map-time-checkpoints", edit: at(twmap.KindGame, func(l *twmap.TileLayer) {
		for x, id := range []uint8{33, 34, 35, 37} {
			l.Tiles().Set(x, 2, twmap.Tile{ID: id})
		}
	})},
	{id: "tw-map-tele-exit", edit: at(twmap.KindTele, func(l *twmap.TileLayer) {
		l.Teles().Set(1, 2, twmap.TeleTile{Number: 1, ID: 26})
	})},
	{id: "tw-map-tele-exit", edit: teles(14, 1, 15, 2, 10, 3, 26, 4, 27, 4)},
	{id: "tw-map-tele-entry", edit: teles(27, 1, 27, 2, 15, 2)},
	{id: "tw-map-checkpoint-exit", edit: teles(29, 3, 29, 4, 30, 4, 31, 0)},
	{id: "tw-map-checkpoint-exit", edit: teles(63, 0)},
	{id: "tw-map-checkpoint-entry", edit: teles(29, 3, 30, 2, 30, 1, 31, 0)}, // 3 leads to 2, nothing to 1
	{id: "tw-map-checkpoint-unused", edit: teles(29, 1, 30, 1)},
	{id: "tw-map-tune-zone", edit: at(twmap.KindTune, func(l *twmap.TileLayer) { l.Tunes().Set(1, 2, twmap.TuneTile{Number: 5, ID: 68}) })},
}

// spawns fills the map with spawns.
func spawns(n int) func(*twmap.Map) {
	return func(m *twmap.Map) {
		tiles := m.Physics(twmap.KindGame).Tiles()
		tiles.Set(3, 4, twmap.Tile{})
		for i := range n {
			tiles.Set(i%50, 5+i/50, twmap.Tile{ID: uint8(twmap.EntitySpawnBlue)})
		}
	}
}

// teles makes a tele layer of tiles, each an id and a number.
func teles(tiles ...uint8) func(*twmap.Map) {
	return at(twmap.KindTele, func(l *twmap.TileLayer) {
		for i := 0; i < len(tiles); i += 2 {
			l.Teles().Set(i, 1, twmap.TeleTile{ID: tiles[i], Number: tiles[i+1]})
		}
	})
}

func settings(lines ...string) func(*twmap.Map) {
	return func(m *twmap.Map) { m.Info.Settings = lines }
}

// TestCheckKinds tests that each problem is found without other findings, and that each kind of finding can occur.
func TestCheckKinds(t *testing.T) {
	never := make(map[string]bool)
	for _, k := range twmap.Catalog.Kinds() {
		if never[k.ID] {
			t.Errorf("%s is declared twice", k.ID)
		}
		never[k.ID] = true
		if !strings.HasPrefix(k.ID, "tw-map-") || !strings.HasSuffix(k.Meaning, ".") || !strings.HasSuffix(k.Remedy, ".") {
			t.Errorf("%s: meaning and remedy should be sentences", k.ID)
		}
	}
	for i, c := range checkCases {
		t.Run(fmt.Sprintf("%d-%s", i, c.id), func(t *testing.T) {
			m := playable()
			if c.edit != nil {
				c.edit(m)
			}
			if c.raw != nil {
				m = mangled(t, m, c.raw)
			}
			ids, all := findings(m)
			want := append(slices.Clone(c.also), c.id)
			if slices.Sort(want); !slices.Equal(ids, want) {
				t.Errorf("found %v, want %v: %v", ids, want, all)
			}
			for _, f := range all {
				if strings.Contains(f.Message, "%!") {
					t.Errorf("bad format: %v", f)
				}
			}
			delete(never, c.id)
		})
	}
	delete(never, "tw-map-no-version") // needs a file without a Map: see TestCheckFile
	for id := range never {
		t.Errorf("no case finds %s", id)
	}
}

// mangled returns the map in the file of m after raw has changed the file.
func mangled(t *testing.T, m *twmap.Map, raw func(*datafile.File)) *twmap.Map {
	t.Helper()
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Items {
		f.Items[i].Data = slices.Clone(f.Items[i].Data)
	}
	raw(f)
	m, err = twmap.FromDatafile(f)
	if m == nil {
		t.Fatal(err)
	}
	return m
}

func TestCheckFile(t *testing.T) {
	f := datafile.New()
	f.AddItem(0x8001, 0, 1, 2)
	f.AddData(nil)
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if f, err = datafile.Decode(data); err != nil {
		t.Fatal(err)
	}
	var ids []string
	twmap.CheckFile(f, func(f check.Finding) { ids = append(ids, f.ID) })
	if want := []string{"tw-datafile-data-empty", "tw-map-no-version"}; !slices.Equal(ids, want) {
		t.Errorf("found %v, want %v", ids, want)
	}
	if f, err = mangled(t, playable(), set(itemVersion, 0, 0, 2)).Datafile(); err != nil {
		t.Fatal(err)
	}
	ids = nil
	twmap.CheckFile(f, func(f check.Finding) { ids = append(ids, f.ID) })
	if want := []string{"tw-map-version"}; !slices.Equal(ids, want) {
		t.Errorf("found %v, want %v", ids, want)
	}
}

// TestCheckMany tests that many problems of one kind make few findings, that the findings have the same order each
// time, and that a check sees changes made after reading.
func TestCheckMany(t *testing.T) {
	m := playable()
	front := physics(m, twmap.KindFront, 50, 45)
	for i := range 50 * 45 {
		front.Tiles().Set(i%50, i/50, twmap.Tile{ID: 1})
	}
	for i := range 20 {
		deco(m).Name = fmt.Sprintf("a long name, number %d", i)
	}
	_, first := findings(m)
	if len(first) != 21 || len(first[0].At) != 50*45 {
		t.Errorf("%d findings: %v", len(first), first)
	}
	want := `the front layer "Front" has 2,250 tiles that a front layer does not have: 0,0 (1) 1,0 (1) 2,0 (1) 3,0 (1) ` +
		`4,0 (1) 5,0 (1) 6,0 (1) 7,0 (1) ...`
	if f := first[0]; f.Message != want || f.Path != "groups[0].layers[1]" || f.Offset != -1 {
		t.Errorf("finding: %#v", f)
	}
	for range 5 {
		if _, again := findings(m); !reflect.DeepEqual(first, again) {
			t.Fatalf("another order: %v, then %v", first, again)
		}
	}

	m = decode(t, encode(t, playable()))
	m.Groups[0].OffsetX = 5
	deco(m).Color.A = -1
	if ids, all := findings(m); !slices.Equal(ids, []string{"tw-map-game-offset", "tw-map-layer-color"}) {
		t.Errorf("changed map: %v", all)
	}
}

// FuzzCheckFile tests that a broken file makes findings, but no panic, and not many more findings than the file has
// parts.
func FuzzCheckFile(f *testing.F) {
	for _, c := range checkCases {
		m := playable()
		if c.edit != nil {
			c.edit(m)
		}
		if data, err := m.Encode(); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := datafile.Decode(data)
		if err != nil {
			return
		}
		n := 0
		twmap.CheckFile(file, func(check.Finding) { n++ })
		if most := 100 + 4*len(data); n > most {
			t.Errorf("%d findings in %d bytes", n, len(data))
		}
	})
}
