// Package seedmod makes mods with known census results for tests.
package seedmod

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// emptyMesh is a .MESH without submeshes.
var emptyMesh = "\x00\x10[MeshSerializer_v1.40]\n\x00\x30\x35\x00\x00\x00\x00\x00\x90\x22\x00\x00\x00" +
	strings.Repeat("\x00", 28) + "\x00\xa0\x06\x00\x00\x00"

// Make returns n mods, and queries about them. The same seed makes the same mods.
func Make(n int, seed uint64) (seeds []censustest.Seed, queries []censustest.Query, err error) {
	a := newAnswers()
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range n {
		file := fmt.Sprintf("mod%03d.MOD", i)
		var target tests.Memory
		h := a.header(r, file, i)
		files, err := a.files(r, file, i)
		if err != nil {
			return nil, nil, err
		}
		if _, err := mod.Write(context.Background(), &target, h, files, nil); err != nil {
			return nil, nil, err
		}
		seeds = append(seeds, censustest.Seed{Name: file, Data: target.Data})
	}
	return seeds, a.queries(), nil
}

// answers collects the contents of the mods, as the queries will return them.
type answers struct {
	required, removed, strong, textured, missing, icons, sources []string
	authors, guids, contents, kinds, levels                      map[string]int
}

func newAnswers() *answers {
	a := new(answers)
	for _, m := range []*map[string]int{&a.authors, &a.guids, &a.contents, &a.kinds, &a.levels} {
		*m = make(map[string]int)
	}
	return a
}

func (a *answers) header(r *rand.Rand, file string, i int) *mod.Header {
	h := mod.NewHeader()
	h.ID, h.ModVersion, h.Title = int64(1000+i), uint16(1+i), fmt.Sprintf("Mod %d", i)
	h.Author = []string{"Ann", "Bob", "Żaneta"}[r.IntN(3)]
	a.authors[h.Author]++
	if i > 0 && r.IntN(2) == 0 {
		h.Required, h.RequiredHash = []mod.Required{{Name: "Mod 0", ID: 1000, Version: 1}}, 1
		a.required = append(a.required, file)
	}
	if r.IntN(3) == 0 {
		h.Removed = []string{"MEDIA/UNITS/MONSTERS/OLD.DAT"}
		a.removed = append(a.removed, file+"|"+h.Removed[0])
	}
	return h
}

// files makes the files of a mod. Half of the data files are compiled.
func (a *answers) files(r *rand.Rand, file string, i int) (files []pak.NewFile, err error) {
	put := func(name string, content []byte) {
		files = append(files, pak.NewFile{Path: name, Time: pak.FiletimeOf(time.Unix(1_700_000_000, 0)),
			Content: func() ([]byte, error) { return content, nil }})
		a.contents[fmt.Sprintf("%x", sha256.Sum256(content))]++
		a.kinds[pak.TypeOf(name).String()]++
	}
	for k := range 1 + r.IntN(4) {
		name := fmt.Sprintf("MEDIA/UNITS/MONSTERS/WOLF%d.DAT", k)
		guid := r.Int64N(12) - 6
		a.guids[fmt.Sprint(guid)]++
		level := 1 + r.IntN(99)
		if level >= 50 {
			a.strong = append(a.strong, fmt.Sprintf("%s|%s|%d", file, name, level))
		}
		mesh := "media/models/wolf.mesh"
		if r.IntN(3) == 0 {
			mesh = `media\models\lost.mesh`
			a.missing = append(a.missing, file+"|"+name+"|MEDIA/MODELS/LOST.MESH")
		}
		source := fmt.Sprintf("[UNIT]\n\t<STRING>NAME:Wolf "+
			"%d\n\t<INTEGER>LEVEL:%d\n\t<INTEGER64>UNIT_GUID:%d\n\t<STRING>MESHFILE:%s\n\t<TRANSLATE>DESCRIPTION:Bites. "+
			"Hard: 5.0\n\t[LEVEL1]\n\t\t<FLOAT>CHANCE:0.5\n\t[/LEVEL1]\n\t[LEVEL1]\n\t\t<FLOAT>CHANCE:0.75\n\t[/LEVEL1]\n[/UNIT]\n", k, level,
			guid, mesh)
		a.levels["UNIT.LEVEL1"]++
		a.levels["UNIT.LEVEL1[2]"]++
		content := []byte(source)
		if r.IntN(2) == 0 {
			if content, err = dat.Compile(content, nil, dat.Options{}); err != nil {
				return nil, err
			}
		} else {
			a.sources = append(a.sources, file+"|"+name)
		}
		put(name, content)
	}
	plan := fmt.Sprintf("[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED "+
		"INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n\t\t\t[PROPERTIES]\n\t\t\t\t<STRING>DESCRIPTOR:Layout "+
		"Link\n\t\t\t\t<STRING>NAME:Door\n\t\t\t\t<INTEGER64>ID:%d\n\t\t\t\t<INTEGER64>PARENTID:-1\n\t\t\t\t<FLOAT>POSITIONX:1.5\n\t\t\t\t"+
		"<STRING>LAYOUT FILE:media/layouts/a.layout\n\t\t\t[/PROPERTIES]\n\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n"+
		"\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n", 500+i)
	content, err := layout.Compile([]byte(plan), nil, layout.Options{})
	if err != nil {
		return nil, err
	}
	put("MEDIA/LAYOUTS/A.LAYOUT", content)
	put("MEDIA/MODELS/WOLF.MESH", []byte(emptyMesh))
	if r.IntN(2) == 0 {
		put("MEDIA/MODELS/WOLF.MATERIAL", []byte("material WOLF\n{\n\ttexture MEDIA/UI/WOLF.DDS\n}\n"))
		a.textured = append(a.textured, file+"|3")
	}
	set := []string{`<Imageset Name="icons" Imagefile="media/ui/icons.dds">`}
	for k := range r.IntN(4) {
		set = append(set, fmt.Sprintf(`	<Image Name="icon_%d" XPos="%d" YPos="8" Width="16" Height="8"/>`, k, 16*k))
		if k == 2 {
			a.icons = append(a.icons, fmt.Sprintf("%s|icons|32|8|16|8|%d", file, 2+k))
		}
	}
	put("MEDIA/UI/ICONS.IMAGESET", []byte(strings.Join(append(set, "</Imageset>", ""), "\n")))
	return files, nil
}

// counted returns the counts that are not below least as sorted lines.
func counted(counts map[string]int, least int) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] >= least {
			lines = append(lines, fmt.Sprintf("%s|%d", name, counts[name]))
		}
	}
	return lines
}

func (a *answers) queries() []censustest.Query {
	twice := counted(a.guids, 2)
	slices.SortFunc(twice, func(a, b string) int { // sorted as numbers
		x, _ := text.ParseInt64(a[:strings.IndexByte(a, '|')])
		y, _ := text.ParseInt64(b[:strings.IndexByte(b, '|')])
		return int(x - y)
	})
	return []censustest.Query{
		{Name: "duplicate GUIDs over all mods", Want: twice, SQL: `
			SELECT guid, count(*) FROM torchlight_guids GROUP BY guid HAVING count(*) > 1 ORDER BY guid`},
		{Name: "which mods need mod 0", Want: a.required, SQL: `
			SELECT r.file FROM torchlight_required r JOIN torchlight_mods m ON m.mod_id = r.mod_id WHERE m.title = 'Mod 0' ORDER BY r.file`},
		{Name: "which files are taken away", Want: a.removed, SQL: `
			SELECT file, path FROM torchlight_files WHERE removed ORDER BY file, path`},
		{Name: "how many mods each author made", Want: counted(a.authors, 1), SQL: `
			SELECT author, count(*) FROM torchlight_mods GROUP BY author ORDER BY author`},
		{Name: "which monsters are of level 50 or more", Want: a.strong, SQL: `
			SELECT file, path, value FROM torchlight_keys WHERE key = 'LEVEL' AND CAST(value AS INTEGER) >= 50 ORDER BY file, path`},
		{Name: "which materials use wolf.dds, on which line", Want: a.textured, SQL: `
			SELECT file, line FROM torchlight_references WHERE target = 'MEDIA/UI/WOLF.DDS' ORDER BY file`},
		{Name: "which meshes are not in the mod", Want: a.missing, SQL: `
			SELECT r.file, r.path, r.target FROM torchlight_references r LEFT JOIN torchlight_files f ON f.file = r.file AND f.path = r.target
			WHERE r.key = 'MESHFILE' AND f.path IS NULL ORDER BY r.file, r.path`},
		{Name: "where the sprite icon_2 is", Want: a.icons, SQL: `
			SELECT file, set_name, x, y, width, height, line FROM torchlight_icons WHERE name = 'icon_2' ORDER BY file`},
		{Name: "which contents are in several files", Want: counted(a.contents, 2), SQL: `
			SELECT sha256, count(*) FROM torchlight_files WHERE sha256 IS NOT NULL GROUP BY sha256 HAVING count(*) > 1 ORDER BY sha256`},
		{Name: "how many files there are of each type", Want: counted(a.kinds, 1), SQL: `
			SELECT type, count(*) FROM torchlight_files WHERE NOT removed GROUP BY type ORDER BY type`},
		{Name: "in which nodes chances are", Want: counted(a.levels, 1), SQL: `
			SELECT node, count(*) FROM torchlight_keys WHERE key = 'CHANCE' GROUP BY node ORDER BY node`},
		{Name: "which files are text and should be compiled", Want: a.sources, SQL: `
			SELECT file, path FROM torchlight_findings WHERE id = 'tl-mod-source' ORDER BY file, path`},
	}
}
