package minetest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/schematic"
)

// minecraftFile is a schematic of two blocks above each other: minecraft:stone and minecraft:odd.
const minecraftFile = "\x0a\x00\x09Schematic\x03\x00\x07Version\x00\x00\x00\x02" +
	"\x02\x00\x05Width\x00\x01\x02\x00\x06Height\x00\x02\x02\x00\x06Length\x00\x01" +
	"\x0a\x00\x07Palette\x03\x00\x0fminecraft:stone\x00\x00\x00\x00\x03\x00\x0dminecraft:odd\x00\x00\x00\x01\x00" +
	"\x07\x00\x09BlockData\x00\x00\x00\x02\x00\x01" +
	"\x09\x00\x0dBlockEntities\x0a\x00\x00\x00\x01\x00\x00"

// memory is an output of one file.
type memory struct {
	format.Output
	bytes.Buffer
}

func (m *memory) Create(string) (format.Part, error) {
	return struct {
		io.Writer
		io.WriterAt
		io.ReaderAt
	}{Writer: m}, nil
}

func TestMinecraft(t *testing.T) {
	ctx := context.Background()
	src := format.NewSource("tower.schem", []byte(minecraftFile))
	if !minecraftSchematic.Recognize(src) || minetestSchematic.Recognize(src) {
		t.Error("it is recognized as another format")
	}
	names := filepath.Join(t.TempDir(), "names.txt")
	judge.Write(t, names, []byte("odd = my:odd 3\n"))
	for _, c := range []struct {
		set    map[string]string
		text   string
		missed []string
	}{
		{nil, "y 0 default:stone\n    y 1 air\n", []string{"no node for minecraft:odd, now air: 1"}},
		{map[string]string{"unknown": "my:block"}, "y 0 default:stone\n    y 1 my:block\n",
			[]string{"no node for minecraft:odd, now my:block: 1"}},
		{map[string]string{"table": names, "game": "mineclone"}, "y 0 mcl_core:stone\n    y 1 my:odd/3\n", nil},
	} {
		for _, to := range minecraftSchematic.Conversions {
			var missed []string
			job := minecraftSchematic.Job()
			job.OnMiss = func(_, message string) { missed = append(missed, message) }
			for key, value := range c.set {
				job.Values[key] = value
			}
			var out memory
			if err := to.Convert(ctx, job, src, &out); err != nil {
				t.Fatal(to.To, err)
			}
			s, err := schematic.Decode(out.Bytes())
			if err != nil {
				t.Fatal(to.To, err)
			}
			if text := string(s.Text()); !strings.Contains(text, c.text) {
				t.Errorf("%s %v:\n%s", to.To, c.set, text)
			}
			want := append(slices.Clone(c.missed), "lost block entities, such as the contents of chests and the texts of signs: 1")
			if !slices.Equal(missed, want) {
				t.Errorf("%s %v: %q", to.To, c.set, missed)
			}
			if name := to.Rename("tower.schem"); name != "tower"+to.Extension {
				t.Errorf("%s: the file is named %s", to.To, name)
			}
		}
	}
	f, err := minecraftSchematic.Open(ctx, minecraftSchematic.Job(), src)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	if err := f.Check(ctx, minecraftSchematic.Job(), func(f check.Finding) { found = append(found, f.ID+" "+f.Message) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, []string{"mt-minecraft-no-node minecraft:odd: 1"}) {
		t.Errorf("findings %q", found)
	}
	fsys, err := f.Tree(ctx, minecraftSchematic.Job())
	if err != nil {
		t.Fatal(err)
	}
	if file, err := fsys.Open("names.txt"); err != nil {
		t.Error(err)
	} else if text, err := io.ReadAll(file); err != nil || !strings.Contains(string(text), "minecraft:stone = default:stone # 1\n") {
		t.Errorf("%s, %v", text, err)
	}
	short := format.NewSource("short.schem", []byte(minecraftFile[:60]))
	if f, err = minecraftSchematic.Open(ctx, minecraftSchematic.Job(), short); err != nil {
		t.Fatal(err)
	}
	found = nil
	err = f.Check(ctx, minecraftSchematic.Job(), func(f check.Finding) { found = append(found, f.ID+" "+f.Message) })
	if err != nil || !slices.Equal(found, []string{"mt-minecraft-unreadable expected 2 bytes, found 1"}) {
		t.Errorf("a file that ends early: %q, %v", found, err)
	}
	bad := minecraftSchematic.Job()
	bad.Values["table"] = filepath.Join(t.TempDir(), "none")
	if _, err := f.Tree(ctx, bad); !os.IsNotExist(err) {
		t.Errorf("a table that does not exist: %v", err)
	}
}
