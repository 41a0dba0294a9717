package mutate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/mutate"
	"trowel.example/minetest/item"
	"trowel.example/minetest/manifest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/protect"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/imageset"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/tga"
)

// whole is a decoder of complete files.
type whole struct {
	name   string
	data   []byte
	read   func(data []byte) error
	edit   func(data []byte) ([]byte, error) // nil: no edit
	parts  func(data []byte) ([]string, error)
	blocks [][]byte
	text   bool
}

// TestDecoders tests, for every decoder, that a nil error means that everything was read, whatever part of the file is
// missing.
func TestDecoders(t *testing.T) {
	var list []whole
	list = append(list, torchlightFiles(t)...)
	list = append(list, minetestFiles(t)...)
	for _, w := range list {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			edits := map[string]func([]byte) ([]byte, error){}
			if w.edit != nil {
				edits["edit"] = w.edit
			}
			mutate.Whole{Data: w.data, Read: w.read, Edits: edits, Parts: w.parts, Blocks: w.blocks, Text: w.text, Prefixes: 400}.Test(t)
		})
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// reads adapts a decoder to a function that only returns its error.
func reads[T any](decode func([]byte) (T, error)) func([]byte) error {
	return func(data []byte) error {
		_, err := decode(data)
		return err
	}
}

// sampleMod packs the sample mod.
func sampleMod(t *testing.T) []byte {
	f, err := os.Create(filepath.Join(t.TempDir(), "ember.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := moddir.Build(f, os.DirFS("../../samples/ember"), moddir.BuildOptions{Tables: true}); err != nil {
		t.Fatal(err)
	}
	return must[[]byte](t)(os.ReadFile(f.Name()))
}

func openMod(data []byte) (*mod.Mod, error) {
	return mod.Open(bytes.NewReader(data), int64(len(data)))
}

func torchlightFiles(t *testing.T) (list []whole) {
	data := sampleMod(t)
	m := must[*mod.Mod](t)(openMod(data))
	ember := whole{name: "mod", data: data,
		read: func(data []byte) error {
			m, err := openMod(data)
			if err != nil {
				return err
			}
			for _, f := range m.Archive.Files() {
				_, e := f.Content()
				err = errors.Join(err, e)
			}
			return err
		},
	}
	seen := make(map[string]bool)
	for _, f := range m.Archive.Files() {
		content := must[[]byte](t)(f.Content())
		ext := strings.ToLower(path.Ext(f.Path))
		if block := must[[]byte](t)(f.Block()); len(block) > 40 {
			ember.blocks = append(ember.blocks, block)
		}
		w := whole{name: "torchlight" + ext, data: content}
		switch ext {
		case ".dat", ".animation":
			w.read = reads(dat.Decode)
		case ".layout":
			w.read = reads(layout.Decode)
		case ".raw":
			kind, ok := raw.KindOf(f.Path)
			if !ok {
				continue
			}
			w.name = path.Base(f.Path)
			w.read = reads(func(data []byte) (raw.Table, error) { return raw.Decode(data, kind) })
		default:
			continue
		}
		if !seen[w.name] {
			seen[w.name] = true
			list = append(list, w)
		}
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 12, 9))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i)
	}
	picture.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 4})
	out := must[*os.File](t)(os.Create(filepath.Join(t.TempDir(), "PAK")))
	defer out.Close()
	man, size, err := pak.Write(out, []pak.NewFile{{Path: "MEDIA/A.TXT", Content: func() ([]byte, error) { return []byte("ember"), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var room bytes.Buffer
	if _, err := room.ReadFrom(io.NewSectionReader(out, 0, size)); err != nil {
		t.Fatal(err)
	}
	list = append(list, whole{name: "archive beside its list", data: room.Bytes(), read: func(data []byte) error {
		_, err := pak.NewReader(bytes.NewReader(data), int64(len(data)), man)
		return err
	}})
	grid := &mpp.File{Width: 3, Height: 2, SizeX: 3, SizeZ: 2, Cells: []byte{0, 0, 1, 1, 0, 0}}
	sprites := `<?xml version="1.0"?><Imageset Name="icons" Imagefile="media/ui/icons.dds"><Image Name="a" XPos="0" YPos="0" Width="8" Height="8"/><Image Name="b" XPos="8" YPos="0" Width="8" Height="8"/></Imageset>`
	return append(list, ember,
		whole{name: "imageset", data: []byte(sprites), read: reads(imageset.Parse), text: true},
		whole{name: "mpp", data: must[[]byte](t)(grid.Encode()), read: reads(mpp.Decode)},
		whole{name: "ui.raw", data: must[[]byte](t)(raw.Encode(&raw.UI{Menus: []raw.Menu{{Name: "Pause"}}})), read: reads(func(data []byte) (raw.Table, error) { return raw.Decode(data, raw.KindUI) })},
		whole{name: "list of an archive", data: must[[]byte](t)(man.Encode()), read: reads(pak.DecodeManifest)},
		whole{name: "dds", data: must[[]byte](t)(dds.Encode(picture, dds.DXT5)), read: reads(dds.Decode)},
		whole{name: "tga", data: must[[]byte](t)(tga.Encode(picture, false)), read: reads(tga.Decode)},
		whole{name: "tga with run lengths", data: must[[]byte](t)(tga.Encode(picture, true)), read: reads(tga.Decode)},
	)
}

func minetestFiles(t *testing.T) (list []whole) {
	for _, version := range []int{17, 20, 24, 25, 28, 29} {
		b := mapblock.New(version)
		if version >= 24 {
			if err := b.SetNode(5, "default:dirt", 7, 3); err != nil {
				t.Fatal(err)
			}
		}
		data := must[[]byte](t)(b.Encode())
		list = append(list, whole{name: fmt.Sprintf("block of version %d", version), data: data, read: reads(mapblock.Decode)})
	}
	s := must[*schematic.Schematic](t)(schematic.Decode([]byte(`5:return {{x=0,y=0,z=0,name="default:dirt"},{x=0,y=1,z=0,name="default:torch",param2=1}}`)))
	for _, form := range []schematic.Form{schematic.MTS, schematic.WorldEdit} {
		c, _ := s.Convert(form)
		list = append(list, whole{name: "schematic " + string(form), data: must[[]byte](t)(c.Encode()), read: reads(schematic.Decode), text: form != schematic.MTS})
	}
	db := mapdb.NewMemory()
	for i := range 5000 {
		if err := db.Store(context.Background(), []mapdb.Block{{Pos: mapdb.Pos{X: int16(i % 100), Z: int16(i / 100)}, Data: []byte{byte(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := manifest.Make(context.Background(), db, &b, manifest.Options{}); err != nil {
		t.Fatal(err)
	}
	list = append(list, whole{name: "manifest", data: b.Bytes(), blocks: [][]byte{b.Bytes()[20:9000]},
		read: func(data []byte) error {
			m, err := manifest.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return err
			}
			return m.Verify(context.Background())
		}})
	inventory := "List main 2\nWidth 0\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"
	list = append(list, whole{name: "inventory", text: true, data: []byte(strings.TrimSpace(inventory)), read: func(data []byte) error {
		_, _, err := item.ParseInventory(data)
		return err
	}})
	for _, text := range []string{
		`[{"name":"Home","owner":"ann","pos1":{"x":-10,"y":0.0,"z":5},"pos2":{"x":10,"y":20,"z":9}}]`,
		`return {{["name"]="Home",["owner"]="ann",["pos1"]={["x"]=-10,["y"]=0,["z"]=5},["pos2"]={["x"]=1,["y"]=20,["z"]=9}}}`,
	} {
		list = append(list, whole{name: "areas", data: []byte(text), text: true, read: func(data []byte) error {
			if len(data) == 0 {
				return fault.ErrShort // a list of zero areas
			}
			return reads(protect.ParseAreas)(data)
		}})
	}
	player := "name = ann\nposition = (1,2,3)\nPlayerArgsEnd\n" + strings.TrimSpace(inventory)
	record := must[*world.Player](t)(world.ParsePlayer([]byte(player)))
	return append(list,
		whole{name: "player", data: []byte(player), text: true, read: reads(world.ParsePlayer)},
		whole{name: "record of a player", data: bytes.TrimSpace(must[[]byte](t)(record.AppendRecord(nil))), read: reads(func(data []byte) (*world.Player, error) { return world.ParsePlayerRecord("ann", data) })},
		whole{name: "mod storage", data: []byte(`{"a":"1","b":"2"}`), text: true, read: reads(func(data []byte) (*world.ModData, error) { return world.ParseModFile("m", data) })},
		whole{name: "chunk_meta", data: world.AppendChunkMeta(nil, []world.Chunk{{X: 1, Z: 2, Flags: 3}, {X: 4}}), read: reads(world.ParseChunkMeta)},
		nodeDefinitions,
	)
}

var nodeDefinitions = func() whole {
	defs := `{"format":"trowel-nodes","version":1,"nodes":[{"name":"default:dirt","tiles":["a.png"]}]}`
	return whole{name: "node definitions", data: []byte(defs), read: func(data []byte) error {
		_, err := nodedef.Parse(bytes.NewReader(data))
		return err
	}}
}()
