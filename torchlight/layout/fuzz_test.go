package layout_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// quiet is a test that does not skip when something is missing.
type quiet struct{ testing.TB }

func (quiet) Skip(...any)          { runtime.Goexit() }
func (quiet) Skipf(string, ...any) { runtime.Goexit() }

// corpusSeeds adds the small layouts of the corpus, if there is one.
func corpusSeeds(f *testing.F, add func(p pair)) {
	var list []pair
	done := make(chan struct{})
	go func() {
		defer close(done)
		list = pairs(quiet{f})
	}()
	<-done
	for _, p := range list {
		if len(p.compiled) < 3000 {
			add(p)
		}
	}
}

// FuzzDecode tests that any bytes give an error, or a text and a residue that reproduce them.
func FuzzDecode(f *testing.F) {
	data := compileString(f, sample)
	f.Add(data, false)
	f.Add(data, true)
	f.Add([]byte{0x0B, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, false)
	f.Add(compileString(f, strings.ReplaceAll(sample, "<FLOAT>X:", "<STRING>#9:")), false)
	corpusSeeds(f, func(p pair) { f.Add(p.compiled, false) })
	f.Fuzz(func(t *testing.T, data []byte, guts bool) {
		o := ui
		if guts {
			o.Floats = text.GUTS
		}
		holds(t, data, o)
	})
}

// FuzzCompile tests that any text gives an error, or a layout whose text compiles to the same layout.
func FuzzCompile(f *testing.F) {
	f.Add([]byte(sample))
	f.Add(text.Format(parse(f, sample)))
	f.Add([]byte(strings.ReplaceAll(sample, "<FLOAT>", "<STRING>#")))
	f.Add([]byte(strings.ToLower(sample)))
	corpusSeeds(f, func(p pair) { f.Add(slices.Clone(p.form)) })
	f.Fuzz(func(t *testing.T, form []byte) {
		layout.CheckText(form, func(check.Finding) {})
		o := ui
		o.Warn = func(*text.Error) {}
		data, err := layout.Compile(form, nil, o)
		if err != nil {
			return
		}
		if !holds(t, data, ui) {
			t.Fatalf("a compiled text cannot be read: %x", data)
		}
		again, _, err := layout.Decompile(data, ui)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := layout.Compile(again, nil, ui); err == nil && !bytes.Equal(back, data) {
			t.Fatalf("the text compiles to something else\n%x\n%x", data, back)
		}
	})
}
