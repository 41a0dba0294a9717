package mapquery_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/twmap"
)

// rowsOf returns the rows of a map, one a line. "*" is a value that depends on the compression.
func rowsOf(t *testing.T, m *twmap.Map, positions ...string) (lines []string) {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	job := &format.Job{Values: map[string]string{format.OptionPositions.Name: strings.Join(positions, "\n")},
		Reports: format.Reports{OnMiss: func(path, message string) { t.Errorf("%s: %s", path, message) }}}
	err = mapquery.Maps.Rows(t.Context(), job, format.NewSource("a.map", data), func(table *format.Table, cells []format.Cell) error {
		line := strings.TrimPrefix(table.Name, "teeworlds_")
		if err := table.CheckRow(cells); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for i, c := range cells {
			text := c.String()
			if name := table.Columns[i].Name; !c.Null() && (slices.Contains([]string{"size", "crc32", "stored_size"}, name) ||
				name == "sha256" && table == mapquery.Maps.Tables[0]) {
				text = "*"
			}
			line += "|" + text
		}
		if line = strings.ReplaceAll(line, "|null", "|"); table.Name != "teeworlds_findings" {
			lines = append(lines, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestRows tests all columns of a map that has a part of each kind, and of one that has the least.
func TestRows(t *testing.T) {
	whole := twmap.New(3, 2)
	whole.Info.Author, whole.Info.Settings = "Ann", []string{"Tune_zone 2 gravity 1", ""}
	whole.Images = []*twmap.Image{twmap.NewImage("own", image.NewNRGBA(image.Rect(0, 0, 16, 16))), twmap.NewExternalImage("sun", 64, 32)}
	whole.Sounds = []*twmap.Sound{twmap.NewSound("rain", []byte("OggS"))}
	whole.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("e", twmap.ChannelsColor, twmap.EnvPoint{}, twmap.EnvPoint{Time: 500})}
	tele, speedup := twmap.NewTileLayer(twmap.KindTele, 3, 2), twmap.NewTileLayer(twmap.KindSpeedup, 3, 2)
	switches, tune := twmap.NewTileLayer(twmap.KindSwitch, 3, 2), twmap.NewTileLayer(twmap.KindTune, 3, 2)
	tele.Image, tele.ColorEnv = 1, 0 // which the game ignores
	tele.Teles().Set(0, 1, twmap.TeleTile{Number: 5, ID: uint8(twmap.TileTeleIn)})
	speedup.Speedups().Set(1, 0, twmap.SpeedupTile{Force: 200, MaxSpeed: 3, ID: uint8(twmap.TileSpeedup), Angle: 90})
	switches.Switches().Set(2, 0, twmap.SwitchTile{Number: 7, ID: uint8(twmap.TileSwitchTimedOpen), Flags: twmap.FlipX, Delay: 20})
	tune.Tunes().Set(2, 1, twmap.TuneTile{Number: 9, ID: uint8(twmap.TileTune)})
	whole.Groups[0].Layers = append(whole.Groups[0].Layers, tele, speedup, switches, tune)
	design := twmap.NewTileLayer(twmap.KindTiles, 2, 1)
	design.Image, design.ColorEnv, design.ColorEnvOffset, design.Color = 0, 0, 60, twmap.Color{R: 1, G: 2, B: 3, A: 4}
	design.Name, design.Flags, design.AutoMapper = "deco", twmap.Detail, &twmap.AutoMapper{Config: 8, Seed: 11, Automatic: true}
	design.Tiles().Set(1, 0, twmap.Tile{ID: uint8(twmap.TileTeleIn), Flags: twmap.FlipX})
	quads, sounds := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32)), twmap.NewSoundLayer(twmap.NewSoundSource(0, 0, 9))
	quads.Image, sounds.Sound = 1, 0
	deco := twmap.NewGroup("Deco", design, quads, sounds)
	deco.OffsetX, deco.OffsetY, deco.ParallaxX, deco.ParallaxY = 32, 64, 50, 60
	deco.Clip, deco.ParallaxZoom = &twmap.Clip{X: 1, Y: 2, Width: 3, Height: 4}, &twmap.ParallaxZoom{Percent: 70}
	whole.Groups = append(whole.Groups, deco)
	least := twmap.New(1, 1)
	least.Info, least.Groups[0].Layers = nil, nil
	for _, c := range []struct {
		m         *twmap.Map
		positions []string
		want      string
	}{
		{whole, []string{"26", "default:chest"}, `
maps|*|*|*|4|21|19|1484|1|DDNet|Ann||||3|2|false|true|true|true|true|2|6|1|1|1|1|2|1|1|2|2|0
groups|0|Game|3|0|0|100|100||||||5
groups|1|Deco|3|32|64|50|60|70|1|2|3|4|3
layers|0|0|Game|groups/Game/Game|game|false|0|3|3|2|0||||255|255|255|255||0||||*
layers|0|1|Tele|groups/Game/Tele|tele|false|0|3|3|2|0|1||sun|255|255|255|255|0|0||||*
layers|0|2|Speedup|groups/Game/Speedup|speedup|false|0|3|3|2|0||||255|255|255|255||0||||*
layers|0|3|Switch|groups/Game/Switch|switch|false|0|3|3|2|0||||255|255|255|255||0||||*
layers|0|4|Tune|groups/Game/Tune|tune|false|0|3|3|2|0||||255|255|255|255||0||||*
layers|1|0|deco|groups/Deco/deco|tiles|true|1|3|2|1|0|0||own|1|2|3|4|0|60|8|11|true|*
layers|1|1||groups/Deco/quads sun|quads|false|0|2|||1|1||sun||||||||||
layers|1|2||groups/Deco/sounds rain|sounds|false|0|2|||1||0|rain||||||||||
tiles|0|0|game|0|0|air|6
tiles|0|1|tele|0|0|air|5
tiles|0|1|tele|26|0|tele in|1
tiles|0|2|speedup|0|0|air|5
tiles|0|2|speedup|29|0|speedup|1
tiles|0|3|switch|0|0|air|5
tiles|0|3|switch|22|1|timed open|1
tiles|0|4|tune|0|0|air|5
tiles|0|4|tune|68|0|tune|1
tiles|1|0|tiles|0|0||1
tiles|1|0|tiles|26|1||1
teles|0|1|0|1|26|tele in|5
speedups|0|2|1|0|29|200|3|90
switches|0|3|2|0|22|timed open|7|1|20
tunes|0|4|2|1|68|tune|9
positions|0|1|tele|0|1|26|0|tele in|5
positions|1|0|tiles|1|0|26|1||
settings|0|tune_zone|Tune_zone 2 gravity 1
settings|1||
images|0|own|false|1|16|16|*|5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef|1
images|1|sun|true|1|64|32|*||1
sounds|0|rain|false|*|68d9ed2adb24458ff173db06b41b9d1b6e228764c457030d63fad11b02bfae1e|*|1
envelopes|0|e|2|4|false|2|500|1`},
		{least, []string{"default:chest"}, `
maps|*|*|*|4|3|0|0|1|Teeworlds 0.6 and older|||||||false|false|false|false|false|1|0|0|0|0|0|0|0|0|0|0|0
groups|0|Game|3|0|0|100|100||||||0`},
	} {
		if got := strings.Join(rowsOf(t, c.m, c.positions...), "\n"); got != strings.TrimSpace(c.want) {
			t.Errorf("rows\n%s\nwant\n%s", got, c.want)
		}
	}
}
