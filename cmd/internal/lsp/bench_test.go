package lsp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
)

// benchFiles is the number of files of the mod of benchmarks: more than the largest known mod has.
const benchFiles = 20_000

// benchMod makes a mod with units of 115 properties each, the average of real mods.
func benchMod(b *testing.B) (dir, first string) {
	b.Helper()
	dir = b.TempDir()
	write := func(name, text string) {
		b.Helper()
		units := utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")))
		data := make([]byte, 0, 2*len(units))
		for _, u := range units {
			data = append(data, byte(u), byte(u>>8))
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("MOD.DAT", "[MOD]\n\t<STRING>NAME:bench\n\t<STRING>MOD_FILE_NAME:bench\n\t<INTEGER64>MOD_ID:77\n[/MOD]\n")
	for i := range benchFiles {
		folder := filepath.Join("MEDIA", "UNITS", "ITEMS", fmt.Sprintf("SET%d", i/200))
		if i%200 == 0 {
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		var t strings.Builder
		fmt.Fprintf(&t, "[UNIT]\n\t<STRING>NAME:ITEM_%d\n\t<INTEGER64>UNIT_GUID:50000%08d\n", i, i)
		if i > 0 {
			fmt.Fprintf(&t, "\t<STRING>BASEFILE:media/units/items/set0/unit%d.dat\n", i%10)
		}
		for j := range 28 {
			fmt.Fprintf(&t, "\t[EFFECT]\n\t\t<STRING>UNIT:ITEM_%d\n\t\t<INTEGER64>OWNER:50000%08d\n\t\t<FLOAT>SCALE_%d:%d.5\n"+
				"\t\t<STRING>FILE:media/layouts/%d.layout\n\t[/EFFECT]\n",
				(i+j*77)%benchFiles, (i*3+j)%benchFiles, j, i%100, (i+j)%500)
		}
		t.WriteString("[/UNIT]\n")
		name := filepath.Join(folder, fmt.Sprintf("UNIT%d.DAT", i))
		if first == "" {
			first = filepath.Join(dir, name)
		}
		write(name, t.String())
	}
	return dir, first
}

// BenchmarkIndex reads a mod of 20,000 files. The metric is the memory that the index keeps.
func BenchmarkIndex(b *testing.B) {
	dir, _ := benchMod(b)
	formats := format.Registered().Formats()
	var kept uint64
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f, err := formats.FindTree(os.DirFS(dir))
		if err != nil {
			b.Fatal(err)
		}
		author, err := f.Authoring.Open(context.Background(), f.Job(), os.DirFS(dir))
		if err != nil {
			b.Fatal(err)
		}
		if n, err := author.Index(context.Background()); n < benchFiles || err != nil {
			b.Fatal(n, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept = after.HeapAlloc - before.HeapAlloc
		runtime.KeepAlive(author)
	}
	b.ReportMetric(float64(kept)/1e6, "MB-kept")
	b.ReportMetric(float64(peak())/1e6, "MB-peak")
}

// peak returns the largest memory that the system has given to this process.
func peak() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// BenchmarkOpenMod opens a file of that mod and waits for its problems, and then asks for completions and changes it.
func BenchmarkOpenMod(b *testing.B) {
	_, first := benchMod(b)
	c := start(b, `{}`, nil)
	u := c.openFile(first)
	c.wait(func() bool { return len(c.logs) > 0 })
	text := c.texts[u]
	b.Run("change", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			value := fmt.Sprintf("x%d", n)
			c.change(u, strings.Replace(text, "SCALE_3:0.5", "SCALE_3:"+value, 1))
			c.waitProblems(u, func(list []problem) bool {
				for _, p := range list {
					if strings.Contains(p.Message, value) {
						return true
					}
				}
				return false
			})
		}
	})
	c.change(u, text)
	for name, at := range map[string]map[string]any{"key": c.after(u, "\t<STRING>"), "unit": c.after(u, "<STRING>UNIT:"),
		"guid": c.after(u, "<INTEGER64>OWNER:"), "file": c.after(u, "<STRING>FILE:media/")} {
		b.Run("completion of a "+name, func(b *testing.B) {
			for b.Loop() {
				c.ask("textDocument/completion", at)
			}
		})
	}
}

// BenchmarkMap changes a layer of the maps with the most tiles and pictures of the corpus, and waits for its problems.
func BenchmarkMap(b *testing.B) {
	for _, name := range []string{"Tutorial@2022-10-11-41318e.map", "Castle Echos.map", "LearnToPlay.map"} {
		var path string
		for _, file := range tests.CorpusFiles(b, "teeworlds", ".map") {
			if filepath.Base(file) == name {
				path = file
			}
		}
		if path == "" {
			b.Logf("no %s", name)
			continue
		}
		dir := filepath.Join(b.TempDir(), "map")
		s := service.New(format.Registered(), strings.NewReader(""), quiet{}, new(wording.Aliases))
		tree, closer, err := s.Tree(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.CopyFS(dir, tree); err != nil {
			b.Fatal(err)
		}
		closer.Close()
		b.Run(name, func(b *testing.B) {
			c := start(b, `{}`, nil)
			settings := c.openFile(filepath.Join(dir, "map.json"))
			c.waitProblems(settings, func([]problem) bool { return true })
			u := c.open(filepath.Join(dir, "settings.cfg"), "")
			n := 0
			for b.Loop() {
				n++
				value := fmt.Sprintf("sv_tee%d", n)
				c.change(u, value+" 1\n")
				c.waitProblems(u, func(list []problem) bool { return len(list) > 0 && strings.Contains(list[0].Message, value) })
			}
		})
	}
}
