package codexsite

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/moddir"
)

// largeMod makes a folder of a mod with 18,000 data files: 7,000 items, 3,100 units, 2,700 affixes, 1,900 skills, 1,600 classes, 450
// recipes, 180 sets, types of units and others, and 1,500 icons in sheets.
func largeMod(b *testing.B) string {
	dir := b.TempDir()
	put := func(name, content string) {
		path := filepath.Join(dir, "MEDIA", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	guid := int64(1) << 40
	unit := func(kind, keys string) string {
		guid++
		return fmt.Sprintf("[UNIT]\r\n<STRING>UNIT_GUID:%d\r\n<STRING>UNITTYPE:%s\r\n%s[/UNIT]\r\n", guid, kind, keys)
	}
	for i := range 60 {
		put(fmt.Sprintf("UNITTYPES/T%d.DAT", i), fmt.Sprintf("[KIND %d]\r\n<STRING>NAME:KIND %d\r\n<STRING>CHILD:KIND %d\r\n[/KIND %d]\r\n",
			i, i, i/4, i))
	}
	const icons = 1500
	for s := range icons / 60 {
		m := image.NewNRGBA(image.Rect(0, 0, 640, 384))
		for i := range m.Pix {
			x, y := i/4%640, i/4/640
			v := uint8(x%64*2 + y%64 + r.IntN(48)) // as large as painted icons: 8 kB
			m.SetNRGBA(x, y, color.NRGBA{v, uint8(s * 10), 255 - v, uint8(255 * min(1, (x%64)*(y%64)/64))})
		}
		var data bytes.Buffer
		if err := png.Encode(&data, m); err != nil {
			b.Fatal(err)
		}
		put(fmt.Sprintf("UI/S%d.PNG", s), data.String())
		var set strings.Builder
		fmt.Fprintf(&set, `<Imageset Name="s%d" Imagefile="media/ui/s%d.png">`, s, s)
		for k := range 60 {
			fmt.Fprintf(&set, `<Image Name="icon_%d" XPos="%d" YPos="%d" Width="64" Height="64"/>`, s*60+k, k%10*64, k/10*64)
		}
		put(fmt.Sprintf("UI/S%d.IMAGESET", s), set.String()+"</Imageset>")
	}
	for i := range 2700 {
		put(fmt.Sprintf("AFFIXES/A%d.DAT", i), fmt.Sprintf("[AFFIX]\r\n<STRING>NAME:AFFIX_%d\r\n<INTEGER>RANK:%d\r\n<INTEGER>WEIGHT:%d\r\n"+
			"[EFFECT]\r\n<STRING>TYPE:MAX HP\r\n<FLOAT>MIN:%d\r\n<FLOAT>MAX:%d\r\n[/EFFECT]\r\n[/AFFIX]\r\n", i, i%9, i%3*10, i%50, i%50+9))
	}
	for i := range 180 {
		put(fmt.Sprintf("SETS/S%d.DAT", i), fmt.Sprintf("[SET]\r\n<STRING>NAME:SET_%d\r\n<TRANSLATE>DISPLAYNAME:Set %d 套装\r\n"+
			"[AFFIX]\r\n<INTEGER>COUNT:2\r\n<STRING>AFFIX:AFFIX_%d\r\n[/AFFIX]\r\n[/SET]\r\n", i, i, i))
	}
	for i := range 7000 {
		keys := fmt.Sprintf("<STRING>NAME:ITEM_%d\r\n<TRANSLATE>DISPLAYNAME:|cFFFF9933神品灵石 %d|u\r\n"+
			"<TRANSLATE>DESCRIPTION:A thing of some age and weight, number %d.\r\n<STRING>ICON:icon_%d\r\n"+
			"<INTEGER>LEVEL:%d\r\n<INTEGER>RARITY:%d\r\n<INTEGER>MINDAMAGE:80\r\n<INTEGER>MAXDAMAGE:%d\r\n"+
			"<INTEGER>DAMAGE_FIRE:60\r\n<STRING>SET:SET_%d\r\n[AFFIXES]\r\n<STRING>AFFIX:AFFIX_%d\r\n<STRING>AFFIX:AFFIX_%d\r\n[/AFFIXES]\r\n"+
			"[EFFECT]\r\n<STRING>TYPE:MAX HP\r\n<FLOAT>MIN:10\r\n<FLOAT>MAX:20\r\n[/EFFECT]\r\n",
			i, i, i, i%icons, 1+i%120, i%40, 90+i%60, i%180, r.IntN(2700), r.IntN(2700))
		put(fmt.Sprintf("UNITS/ITEMS/K%d/ITEM_%d.DAT", i%50, i), unit(fmt.Sprintf("KIND %d", i%60), keys))
	}
	for i := range 1600 {
		entries := fmt.Sprintf("[OBJECT]\r\n<STRING>UNITTYPE:NONE\r\n<INTEGER>WEIGHT:%d\r\n[/OBJECT]\r\n", 100+i)
		for k := range 16 {
			entries += fmt.Sprintf("[OBJECT]\r\n<STRING>UNIT:ITEM_%d\r\n<INTEGER>WEIGHT:%d\r\n[/OBJECT]\r\n", r.IntN(7000), 1+k)
		}
		if i > 0 {
			entries += fmt.Sprintf("[OBJECT]\r\n<STRING>SPAWNCLASS:CLASS_%d\r\n<INTEGER>WEIGHT:-1\r\n[/OBJECT]\r\n", i/7)
		}
		put(fmt.Sprintf("SPAWNCLASSES/C%d.DAT", i), fmt.Sprintf("[SPAWNCLASS]\r\n<STRING>NAME:CLASS_%d\r\n%s[/SPAWNCLASS]\r\n", i, entries))
	}
	for i := range 3100 {
		keys := fmt.Sprintf("<STRING>NAME:MONSTER_%d\r\n<TRANSLATE>DISPLAYNAME:Monster 蛇怪 %d\r\n<INTEGER>MINHP:90\r\n"+
			"<INTEGER>MAXHP:%d\r\n<INTEGER>MINDAMAGE:70\r\n<INTEGER>MAXDAMAGE:100\r\n<INTEGER>ARMOR:80\r\n"+
			"<INTEGER>XP:110\r\n[TREASURE]\r\n<STRING>SPAWNCLASS:CLASS_%d\r\n<INTEGER>MIN:1\r\n"+
			"<INTEGER>MAX:3\r\n[/TREASURE]\r\n[SKILL]\r\n<STRING>NAME:SKILL_%d\r\n<INTEGER>LEVEL:1\r\n[/SKILL]\r\n", i, i, 100+i%90, i%1600, i%1900)
		put(fmt.Sprintf("UNITS/MONSTERS/F%d/MONSTER_%d.DAT", i%40, i), unit(fmt.Sprintf("KIND %d", i%60), keys))
	}
	for i := range 1900 {
		levels := ""
		for k := range 5 {
			levels += fmt.Sprintf("[LEVEL%d]\r\n<INTEGER>MANACOST:%d\r\n<INTEGER>LEVEL_REQUIRED:%d\r\n[/LEVEL%d]\r\n", k+1, 10*k, 7*k, k+1)
		}
		put(fmt.Sprintf("SKILLS/S%d/SKILL_%d.DAT", i%30, i), fmt.Sprintf("[SKILL]\r\n<STRING>NAME:SKILL_%d\r\n"+
			"<TRANSLATE>DISPLAYNAME:Skill %d\r\n<STRING>SKILL_ICON:icon_%d\r\n%s[/SKILL]\r\n", i, i, i%icons, levels))
	}
	for i := range 450 {
		put(fmt.Sprintf("RECIPES/R%d.DAT", i), fmt.Sprintf("[RECIPE]\r\n<STRING>NAME:RECIPE_%d\r\n<TRANSLATE>RESULT:Recipe %d\r\n"+
			"[INGREDIENT]\r\n<STRING>UNIT:ITEM_%d\r\n<INTEGER>COUNT:3\r\n[/INGREDIENT]\r\n"+
			"[RESULT]\r\n<STRING>SPAWNCLASS:CLASS_%d\r\n[/RESULT]\r\n[/RECIPE]\r\n",
			i, i, r.IntN(7000), r.IntN(1600)))
	}
	for i := range 1000 { // of which a codex shows nothing
		put(fmt.Sprintf("PARTICLES/P%d.LAYOUT", i), "[Layout]\r\n<UNSIGNED INT>VERSION:4\r\n[/Layout]\r\n")
	}
	return dir
}

// BenchmarkWrite measures the site of a mod of 18,000 data files, without models, and the same again after a change of one file.
func BenchmarkWrite(b *testing.B) {
	mod := largeMod(b)
	write := func(b *testing.B, o Options) (dir string, size int64) {
		f, err := moddir.SourcesOf(os.DirFS(mod), moddir.Options{})
		if err != nil {
			b.Fatal(err)
		}
		sources := []codex.Source{{Mod: codex.Mod{Name: "large", Title: "large"}, Files: f}}
		d, err := codex.Read(context.Background(), sources, codex.Options{NoChances: true})
		if err != nil {
			b.Fatal(err)
		}
		if len(d.Items) != 7000 || len(d.Units) != 3100 {
			b.Fatal(len(d.Items), len(d.Units))
		}
		dir = b.TempDir()
		if err := Write(context.Background(), dir, d, sources, o); err != nil {
			b.Fatal(err)
		}
		err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				var info fs.FileInfo
				if info, err = e.Info(); err == nil {
					size += info.Size()
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return dir, size
	}
	var first string
	b.Run("first", func(b *testing.B) {
		var size int64
		for b.Loop() {
			first, size = write(b, Options{NoModels: true, Program: "a"})
		}
		b.ReportMetric(float64(size)/1e6, "MB-site")
		keep := filepath.Join(mod, "site")
		if err := os.CopyFS(keep, os.DirFS(first)); err != nil {
			b.Fatal(err)
		}
		first = keep
	})
	b.Run("again", func(b *testing.B) {
		earlier := b.TempDir()
		if err := os.Rename(first, filepath.Join(earlier, "site")); err != nil {
			b.Fatal(err)
		}
		name := filepath.Join(mod, "MEDIA", "UNITS", "ITEMS", "K3", "ITEM_3.DAT")
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, bytes.Replace(data, []byte("RARITY:3"), []byte("RARITY:7"), 1), 0o666)
		}
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			write(b, Options{NoModels: true, Program: "a", Earlier: os.DirFS(filepath.Join(earlier, "site"))})
		}
	})
}
