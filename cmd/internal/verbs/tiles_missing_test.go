package verbs

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// TestTilesMissing tests that missing data of tiles is reported by the run that draws them and by each run that
// keeps them, in one process and in parts, until they are redrawn without missing data.
func TestTilesMissing(t *testing.T) {
	tests.NotRaced(t, "TestTilesSince draws tiles in the same ways")
	t.Chdir(t.TempDir())
	block := func(names ...string) []byte {
		b := mapblock.New(29)
		b.Names = []mapblock.NameID{{ID: 0, Name: "air"}}
		for i, name := range names {
			b.Names = append(b.Names, mapblock.NameID{ID: uint16(i + 1), Name: name})
		}
		for i := range b.Param0 {
			if _, y, z := mapblock.Coordinates(i); y < 8 {
				b.Param0[i] = uint16(1 + z%len(names))
			}
		}
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	blocks := map[mapdb.Pos][]byte{
		{}: block("a:stone", "b:unknown"), {X: 1}: block("a:grass"), {X: 9, Z: 4}: block("b:unknown", "b:other"), {X: -40}: block("a:stone"),
	}
	whole := blocks[mapdb.Pos{X: 1}]
	blocks[mapdb.Pos{X: 1}] = whole[:20]
	blocks[mapdb.Pos{X: 60}] = whole[:20] // the only block of its tile
	writeWorld(t, "world", blocks)
	judge.Write(t, "list.txt", []byte("a:stone 90 90 90\na:grass 60 120 50\n"))
	missing := func(got performed) string {
		_, list, _ := strings.Cut(got.out, `"missing":`)
		said, _, _ := strings.Cut(got.err, "drew ")
		return list + said
	}
	for dir, look := range map[string]string{
		"top": "--colors list.txt", "small": "--colors list.txt --scale 0.25", "large": "--colors list.txt --scale 16",
		"iso": "--view iso --colors list.txt", "guess": "--guess-colors",
		"markers": "--colors list.txt --layers nodes,markers",
	} {
		line := strings.Fields("render world --json " + look + " --tiles")
		first := here(games, append(line, dir)...)
		if first.code != 1 || strings.Count(first.out, `"loss":true`) != 2 || !strings.Contains(first.out, `"1,0,0"`) ||
			!strings.Contains(first.out, `"60,0,0"`) || !strings.Contains(first.out, `"b:other"`) {
			t.Fatalf("%s: %+v", dir, first)
		}
		for i, again := range []performed{here(games, append(line, dir)...), inParts(t, games, nil, append(line, dir+"2")...),
			inParts(t, games, nil, append(line, dir+"2")...)} {
			if again.code != first.code || missing(again) != missing(first) {
				t.Errorf("%s, run %d: %+v, want %+v", dir, i+2, again, first)
			}
		}
		sameFiles(t, dir, judge.Files(t, filepath.Join("output", dir+"2")), judge.Files(t, dir))
	}
	// Textures that are missing are those of the drawn nodes, each once.
	definitions := `{"format": "trowel-nodes", "version": 2, "nodes": [{"name": "a:stone", "tiles": ["rock.png", "side.png^[transformR90"]},
		{"name": "a:grass", "tiles": ["side.png^grass.png"]}, {"name": "b:other", "tiles": ["other.png"]},
		{"name": "c:absent", "tiles": ["absent.png"]}, {"name": "b:unknown", "drawtype": "mesh", "mesh": "a.obj", "tiles": ["rock.png"]}]}`
	judge.Write(t, "nodes.json", []byte(definitions))
	var rock bytes.Buffer
	if err := errors.Join(png.Encode(&rock, image.NewGray(image.Rect(0, 0, 1, 1))), os.Mkdir("textures", 0o777)); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, "textures/rock.png", rock.Bytes())
	for _, view := range []string{"top", "iso", "south"} {
		line := strings.Fields("render world -q --json --nodes nodes.json --textures textures --scale 8 --view " + view + " --tiles")
		first := here(games, append(line, view+"3")...)
		for _, name := range []string{"a.obj", "other.png", "side.png"} {
			if first.code != 1 || strings.Count(first.out, `"texture"`) != 2 || strings.Count(first.out, `"model"`) != 1 ||
				strings.Count(first.out, `"`+name+`"`) != 1 {
				t.Fatalf("%s: %s: %+v", view, name, first)
			}
		}
		for i, again := range []performed{here(games, append(line, view+"3")...), inParts(t, games, nil, append(line, view+"4")...),
			inParts(t, games, nil, append(line, view+"4")...)} {
			if again.code != first.code || missing(again) != missing(first) {
				t.Errorf("%s with textures, run %d: %+v, want %+v", view, i+2, again, first)
			}
		}
		sameFiles(t, view, judge.Files(t, filepath.Join("output", view+"4")), judge.Files(t, view+"3"))
	}
	// With --since, it is reported for kept tiles, too.
	here(games, "manifest", "world", "-o", "then.manifest")
	since := strings.Fields("render world --json --colors list.txt --since then.manifest --tiles")
	want := here(games, append(strings.Fields("render world --json --colors list.txt --tiles"), "top")...)
	for i, again := range []performed{inParts(t, games, nil, append(since, "top")...), here(games, append(since, "top")...)} {
		if again.code != 1 || missing(again) != missing(want) {
			t.Errorf("since, %d: %+v, want %+v", i, again, want)
		}
	}
	// A block that becomes readable is drawn and no longer reported.
	blocks[mapdb.Pos{X: 1}] = whole
	if err := os.RemoveAll("world"); err != nil {
		t.Fatal(err)
	}
	writeWorld(t, "world", blocks)
	if again := here(games, append(strings.Fields("render world --json --colors list.txt --tiles"),
		"top")...); again.code != 1 || strings.Count(again.out, `"loss":true`) != 1 || strings.Contains(again.out, `"1,0,0"`) {
		t.Errorf("a block is there again: %+v", again)
	}
}
