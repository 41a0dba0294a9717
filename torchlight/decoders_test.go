package torchlight_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/picture/tga"
	"trowel.example/internal/testing/mutate"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
)

// TestDecoders tests, for every decoder, that a nil error means that everything was read, whatever part of the file is
// missing.
func TestDecoders(t *testing.T) {
	for _, w := range torchlightFiles(t) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			w.Prefixes = 400
			w.Test(t)
		})
	}
}

// sampleMod packs the sample mod.
func sampleMod(t *testing.T) []byte {
	f, err := os.Create(filepath.Join(t.TempDir(), "ember.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := moddir.Build(context.Background(), f, os.DirFS("../samples/ember"), moddir.BuildOptions{Tables: true}); err != nil {
		t.Fatal(err)
	}
	return mutate.Must[[]byte](t)(os.ReadFile(f.Name()))
}

func openMod(data []byte) (*mod.Mod, error) {
	return mod.Open(bytes.NewReader(data), int64(len(data)))
}

func torchlightFiles(t *testing.T) (list []mutate.Whole) {
	data := sampleMod(t)
	m := mutate.Must[*mod.Mod](t)(openMod(data))
	ember := mutate.Whole{Name: "mod", Data: data,
		Read: func(data []byte) error {
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
		content := mutate.Must[[]byte](t)(f.Content())
		ext := strings.ToLower(path.Ext(f.Path))
		if block := mutate.Must[[]byte](t)(f.Block()); len(block) > 40 {
			ember.Blocks = append(ember.Blocks, block)
		}
		w := mutate.Whole{Name: "torchlight" + ext, Data: content}
		switch ext {
		case ".dat", ".animation":
			w.Read = mutate.Reads(dat.Decode)
		case ".layout":
			w.Read = mutate.Reads(layout.Decode)
		case ".raw":
			kind, ok := raw.KindOf(f.Path)
			if !ok {
				continue
			}
			w.Name = path.Base(f.Path)
			w.Read = mutate.Reads(func(data []byte) (raw.Table, error) { return raw.Decode(data, kind) })
		default:
			continue
		}
		if !seen[w.Name] {
			seen[w.Name] = true
			list = append(list, w)
		}
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 12, 9))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i)
	}
	picture.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 4})
	out := mutate.Must[*os.File](t)(os.Create(filepath.Join(t.TempDir(), "PAK")))
	defer out.Close()
	man, size, err := pak.Write(context.Background(), out, []pak.NewFile{{Path: "MEDIA/A.TXT",
		Content: func() ([]byte, error) { return []byte("ember"), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var room bytes.Buffer
	if _, err := room.ReadFrom(io.NewSectionReader(out, 0, size)); err != nil {
		t.Fatal(err)
	}
	list = append(list, mutate.Whole{Name: "archive beside its list", Data: room.Bytes(), Read: func(data []byte) error {
		_, err := pak.NewReader(bytes.NewReader(data), int64(len(data)), man)
		return err
	}})
	grid := &mpp.File{Width: 3, Height: 2, SizeX: 3, SizeZ: 2, Cells: []byte{0, 0, 1, 1, 0, 0}}
	sprites := `<?xml version="1.0"?><Imageset Name="icons" Imagefile="media/ui/icons.dds">` +
		`<Image Name="a" XPos="0" YPos="0" Width="8" Height="8"/>` +
		`<Image Name="b" XPos="8" YPos="0" Width="8" Height="8"/></Imageset>`
	turn := [4]float32{0, 0, 0, 1}
	skeleton := &ogre.Skeleton{Version: "1.10", Bones: []ogre.Bone{{Name: "root", Rotation: turn}}, Animations: []ogre.Animation{{Name: "wave",
		Tracks: []ogre.Track{{Keys: []ogre.Key{{Rotation: turn}}}}}}}
	mesh := &ogre.Mesh{Version: "1.40", Skeleton: &ogre.Link{File: "a.skeleton"}, Bounds: &ogre.Bounds{}, Names: &ogre.Names{}}
	return append(list, ember,
		mutate.Whole{Name: "mesh", Data: mutate.Must[[]byte](t)(mesh.Encode()), Read: mutate.Reads(ogre.Decode)},
		mutate.Whole{Name: "skeleton", Data: mutate.Must[[]byte](t)(skeleton.Encode()), Read: func(data []byte) error {
			model, err := ogre.Decode(data)
			if s, is := model.(*ogre.Skeleton); err == nil && is && len(s.Animations) == 0 {
				return fault.ErrShort // a skeleton without animations is whole
			}
			return err
		}},
		mutate.Whole{Name: "imageset", Data: []byte(sprites), Read: mutate.Reads(imageset.Parse), Text: true},
		mutate.Whole{Name: "mpp", Data: mutate.Must[[]byte](t)(grid.Encode()), Read: mutate.Reads(mpp.Decode)},
		mutate.Whole{Name: "ui.raw", Data: mutate.Must[[]byte](t)(raw.Encode(&raw.UI{Menus: []raw.Menu{{Name: "Pause"}}})),
			Read: mutate.Reads(func(data []byte) (raw.Table, error) { return raw.Decode(data, raw.KindUI) })},
		mutate.Whole{Name: "list of an archive", Data: mutate.Must[[]byte](t)(man.Encode()), Read: mutate.Reads(pak.DecodeManifest)},
		mutate.Whole{Name: "dds", Data: mutate.Must[[]byte](t)(dds.Encode(picture, dds.DXT5)), Read: mutate.Reads(dds.Decode)},
		mutate.Whole{Name: "tga", Data: mutate.Must[[]byte](t)(tga.Encode(picture, tga.Plain)), Read: mutate.Reads(tga.Decode)},
		mutate.Whole{Name: "tga with run lengths", Data: mutate.Must[[]byte](t)(tga.Encode(picture, tga.RunLengths)),
			Read: mutate.Reads(tga.Decode)},
	)
}
