package modedit_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// TestEditKeeps tests, with files that no compiler writes, that setting one value and setting it back restores every
// byte: so the first edit kept everything that it did not touch.
func TestEditKeeps(t *testing.T) {
	strange := strangeData(t)
	for name, data := range strangeLayouts(t) {
		strange[name] = data
	}
	for name, data := range strange {
		path, key := "MEDIA/UNITS/A.DAT", "LEVEL"
		if layout.Recognize(data) {
			path, key = "MEDIA/LAYOUTS/A.LAYOUT", "MIN"
		}
		set := func(data []byte, value string) []byte {
			e := modedit.OfFile(path, data, modedit.Options{})
			n, err := e.Set(path, key, value, modedit.Choice{})
			if n != 1 || err != nil {
				t.Errorf("%s: %d changes, %v; want 1", name, n, err)
				return data
			}
			data, err = e.File()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return data
		}
		changed := set(data, "6")
		if bytes.Equal(changed, data) || len(changed) != len(data) {
			t.Errorf("%s: %d bytes became %d", name, len(data), len(changed))
		}
		if back := set(changed, "5"); !bytes.Equal(back, data) {
			t.Errorf("%s: set and set back, %x became %x", name, data, back)
		}
	}
}

// strangeData returns compiled data files with a key LEVEL of 5, each strange in one way.
func strangeData(t *testing.T) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	add := func(name string, change func(f *dat.File)) {
		f := &dat.File{Version: dat.Torchlight2, Strings: []dat.String{{ID: 3, Text: "a"}, {ID: 7, Text: "b"}},
			Root: &dat.Node{Name: hash.Of("UNIT"), Properties: []dat.Property{
				{Key: hash.Of("NAME"), Type: text.String, Value: 3}, {Key: hash.Of("LEVEL"), Type: text.Integer, Value: 5},
				{Key: hash.Of("TITLE"), Type: text.String, Value: 7}},
				Children: []*dat.Node{{Name: hash.Of("X")}, {Name: hash.Of("X")}}}}
		change(f)
		data, err := f.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all["data: "+name] = data
	}
	odd := func(kind text.Type, bits uint64) func(f *dat.File) {
		return func(f *dat.File) {
			p := &f.Root.Properties
			*p = append(*p, dat.Property{Key: hash.Of("SPEED"), Type: kind, Value: bits})
		}
	}
	named := func(s string) func(f *dat.File) { return func(f *dat.File) { f.Strings[0].Text = s } }
	add("plain", func(*dat.File) {})
	add("unsorted", func(f *dat.File) { slices.Reverse(f.Strings) })
	add("the same ID twice", func(f *dat.File) { f.Strings = append(f.Strings, dat.String{ID: 7, Text: "c"}) })
	add("the same text twice", func(f *dat.File) { f.Strings[1].Text = "a" })
	add("unused", func(f *dat.File) { f.Strings = append(f.Strings, dat.String{ID: 9, Text: "nobody's"}) })
	add("missing", func(f *dat.File) { f.Root.Properties[0].Value = 99 })
	add("an empty string", named(""))
	add("NUL", named("a\x00b"))
	add("line feed", named("a\nb\n"))
	add("carriage return", named("a\r\n"))
	add("surrogate", named("a\xed\xa0\xbd"))
	add("like an escape", named(`a\nb\\`))
	add("last ID", func(f *dat.File) { f.Strings[1].ID, f.Root.Properties[2].Value = dat.None-1, uint64(dat.None-1) })
	add("rest", func(f *dat.File) { f.Rest = []byte{1, 2, 3} })
	add("unknown names", func(f *dat.File) { f.Root.Name, f.Root.Properties[0].Key = 1, 2 })
	add("a key twice", func(f *dat.File) { f.Root.Properties[0].Key = hash.Of("TITLE") })
	add("boolean of 77", odd(text.Bool, 77))
	add("FLOAT: NaN with a payload", odd(text.Float, 0xFFC12345))
	add("FLOAT: negative zero", odd(text.Float, 1<<31))
	add("DOUBLE: NaN with a payload", odd(text.Double, 0x7FF8000000012345))
	add("DOUBLE: smallest", odd(text.Double, math.Float64bits(math.SmallestNonzeroFloat64)))
	add("largest INTEGER64", odd(text.Integer64, math.MaxUint64>>1))
	add("NOTE that is missing", odd(text.Note, 1234))
	add("TRANSLATE without text", odd(text.Translate, uint64(dat.None)))
	return all
}

// strangeLayouts returns compiled layouts with a key MIN of 5, each strange in one way.
func strangeLayouts(t *testing.T) map[string][]byte {
	t.Helper()
	object := func(name string, id int, rest string) string {
		return fmt.Sprintf("[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:%s\n<STRING>NAME:n\n<INTEGER64>ID:%d\n%s[/PROPERTIES]\n"+
			"[CHILDREN]\n[/CHILDREN]\n[/BASEOBJECT]\n", name, id, rest)
	}
	source := "[Layout]\n<UNSIGNED INT>VERSION:4\n[OBJECTS]\n" + object("Damage Shape", 1, "<FLOAT>MIN:5\n<INTEGER>LOOP COUNT:3\n") +
		object("Group", 2, "<FLOAT>POSITIONX:1\n<STRING>CHOICE:Weight\n<STRING>CHOICE:Weight\n<UNSIGNED INT>NUMBER:1\n") +
		object("Timeline", 3, "<FLOAT>DURATION:12\n") +
		object("Logic Group", 4, "") + "[/OBJECTS]\n[/Layout]\n"
	plain, err := layout.Compile([]byte(source), nil, layout.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	add := func(name string, change func(f *layout.File)) {
		f, err := layout.Decode(bytes.Clone(plain))
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		data, err := f.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all["layout: "+name] = data
	}
	property := func(object int, code uint8, data ...byte) func(f *layout.File) {
		return func(f *layout.File) {
			o := f.Objects[object]
			o.Properties = append(o.Properties, layout.Property{Code: code, Data: data})
		}
	}
	timeline := func(change func(track *layout.Track)) func(f *layout.File) {
		return func(f *layout.File) {
			track := layout.Track{Property: "ALPHA", Points: []layout.Point{{Time: 0.5, Interpolation: 1, Value: "0.8"}}}
			change(&track)
			f.Objects[2].Extra = &layout.Timeline{Objects: []layout.TimelineObject{{ObjectID: 1, Tracks: []layout.Track{track}}}}
		}
	}
	link := func(output, input string) func(f *layout.File) {
		return func(f *layout.File) {
			f.Objects[3].Extra = &layout.LogicGroup{Objects: []layout.LogicObject{
				{ObjectID: 1, Links: []layout.LogicLink{{To: 1, Output: output, Input: input}}}, {ID: 1, ObjectID: 2}}}
		}
	}
	add("plain", func(*layout.File) {})
	add("version 54", func(f *layout.File) { f.Version = 54 })
	add("line feed in a name", func(f *layout.File) { f.Objects[1].Name = "a\nb\n" })
	add("surrogate in a name", func(f *layout.File) { f.Objects[1].Name = "a\xed\xa0\xbd" })
	add("unknown object", func(f *layout.File) { f.Objects[2].Descriptor = 250 })
	add("empty object", func(f *layout.File) { f.Objects = append(f.Objects, &layout.Object{Empty: true}) })
	add("the same ID twice", func(f *layout.File) { f.Objects[1].ID = 1 })
	add("unknown property", property(1, 250, 1, 2, 3, 4))
	add("property without a value", property(1, 250))
	add("odd length", property(0, 3, 1, 2, 3))
	add("a property twice", func(f *layout.File) {
		f.Objects[1].Properties = append(f.Objects[1].Properties, f.Objects[1].Properties...)
	})
	add("NaN with a payload", func(f *layout.File) { f.Objects[1].Properties[0].Data = []byte{0x45, 0x23, 0xC1, 0xFF} })
	add("foreign extra part", func(f *layout.File) { f.Objects[1].Extra = layout.RawExtra{1, 2, 3} })
	add("timeline", timeline(func(*layout.Track) {}))
	add("timeline: interpolation 255", timeline(func(track *layout.Track) { track.Points[0].Interpolation = 255 }))
	add("timeline: both names", timeline(func(track *layout.Track) { track.Event, track.Points[0].Value = "Hide", "" }))
	add("timeline: neither name", timeline(func(track *layout.Track) { track.Property = "" }))
	add("timeline: time", timeline(func(track *layout.Track) { track.Points[0].Time = float32(math.NaN()) }))
	add("timeline: line feed", timeline(func(track *layout.Track) { track.Points[0].Value = "a\nb\n" }))
	add("logic group", link("On", "Hide"))
	add("logic group: line feeds", link("On\n", "Hi\nde\n"))
	replace := func(was, data string) func(f *layout.File) {
		return func(f *layout.File) {
			list := f.Objects[1].Properties
			i := slices.IndexFunc(list, func(p layout.Property) bool { return string(p.Data) == was })
			list[i].Data = []byte(data)
		}
	}
	add("group: property CHOICE that is unknown", replace("\x06\x00W\x00e\x00i\x00g\x00h\x00t\x00", "\x01\x00x\x00"))
	add("group: property NUMBER that is a list", replace("\x01\x00\x00\x00", "\x01\x00\x01\x00\x00\x00"))
	for name, change := range map[string]func(g *layout.Group){
		"number of 200":   func(g *layout.Group) { g.Number = 200 },
		"unknown choice":  func(g *layout.Group) { g.Choice = 99 },
		"level unique 77": func(g *layout.Group) { g.LevelUnique = 77 },
		"game mode 9":     func(g *layout.Group) { g.GameMode = 9 },
		"unknown tag":     func(g *layout.Group) { g.Tag = 123456 },
		"theme":           func(g *layout.Group) { g.Active = []int64{-5} },
		"other ID":        func(g *layout.Group) { g.ID = 99 },
	} {
		add("group: "+name, func(f *layout.File) { change(f.Groups.Children[0]) })
	}
	all["layout: rest"] = append(bytes.Clone(plain), 1, 2, 3)
	return all
}
