package schematic_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/schematic"
	"trowel.example/trace"
)

// realFiles are the schematics of minetest_game.
func realFiles(t testing.TB) map[string][]byte {
	tests.Judges(t)
	paths, _ := filepath.Glob("/usr/share/games/minetest/games/minetest_game/mods/*/schematics/*.mts")
	if len(paths) == 0 {
		tests.Missing(t, "judges", "no schematics of minetest_game here: on Debian, they are in the package minetest-data")
	}
	files := make(map[string][]byte)
	for _, path := range paths {
		data := judge.Read(t, path)
		files[filepath.Base(path)] = data
	}
	return files
}

func TestRealFiles(t *testing.T) {
	for name, data := range realFiles(t) {
		s, err := schematic.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := schematic.Parse(s.Text())
		if err != nil || !again.Equal(s) {
			t.Errorf("%s: %v\n%s", name, err, s.Text())
		}
		folder(t, name, data)
		if made, err := s.Encode(); err != nil || !bytes.Equal(made, data) {
			t.Logf("%s: the stream differs: %v, %d bytes for %d", name, err, len(made), len(data))
		}
		schematic.Check(data, func(f check.Finding) {
			if f.Severity >= check.Warning {
				t.Errorf("%s: %v", name, f)
			}
		})
		var size int64
		if err := schematic.Dump(data, func(f trace.Field) {
			if f.Space == "" {
				size += f.Len
			}
		}); err != nil || size != int64(len(data)) {
			t.Errorf("%s: dump of %d bytes: %v", name, size, err)
		}
	}
}

// folder extracts a file and rebuilds it, with and without the sidecar.
func folder(t *testing.T, name string, data []byte) {
	t.Helper()
	fsys, err := schematic.Open(data, "a.txt")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if form, _ := schematic.Recognize(data); !schematic.RecognizeFolder(fsys, form) {
		t.Errorf("%s: the folder is not one", name)
	}
	if again, err := schematic.Build(fsys); err != nil || !bytes.Equal(again, data) {
		t.Errorf("%s: %d bytes became %d: %v", name, len(data), len(again), err)
	}
	text, err := fs.ReadFile(fsys, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	clean, err := schematic.Build(fstest.MapFS{"b.txt": {Data: text}})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	was, err := schematic.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := schematic.Decode(clean); err != nil || !is.Equal(was) {
		t.Errorf("%s: it differs without its sidecar: %v\n%s\n%s", name, err, was.Text(), is.Text())
	}
}

// random returns a random schematic that a form and version can hold.
func random(r *rand.Rand, form schematic.Form, version int) *schematic.Schematic {
	s, err := schematic.New(form, [3]int{1 + r.IntN(5), 1 + r.IntN(4), 1 + r.IntN(6)})
	if err != nil {
		panic(err)
	}
	s.Version = version
	name := s.Namer()
	names := []string{"air", "default:stone", "default:chest", "a:b", "weird\"\\\n\x00name"}
	if form == schematic.WorldEdit && version == 3 {
		names = names[:4]
	}
	probs := []uint8{0, 1, 63, 126, 127, 127, 127}
	for i := range s.Name {
		what := names[r.IntN(len(names))]
		s.Param2[i], s.Prob[i] = uint8(r.IntN(256)), probs[r.IntN(len(probs))]
		if form == schematic.WorldEdit {
			if s.Prob[i] = schematic.Always; r.IntN(3) == 0 {
				what, s.Prob[i], s.Param2[i] = "air", schematic.Never, 0
			}
		}
		if form == schematic.MTS && version == 1 && s.Prob[i] == schematic.Never {
			what = "ignore"
		}
		s.Name[i], _ = name(what)
		if form == schematic.WorldEdit && s.Prob[i] != schematic.Never {
			s.SetParam1(i, uint8(r.IntN(256)))
			if version != 1 && version != 3 && r.IntN(4) == 0 {
				s.Meta = append(s.Meta, schematic.Meta{
					Index:  i,
					Fields: []schematic.Field{{"infotext", "a\n\"b\"\\ \xff\r"}, {"end", ""}}[:1+r.IntN(2)],
					Lists:  []schematic.List{{"main", []string{"default:dirt 5", "", `a:b 1 3 "x"`}}, {"none", nil}}[:r.IntN(3)],
				})
			}
		}
		if form == schematic.Lua || form == schematic.MTS && version == 4 {
			s.SetForce(i, r.IntN(3) == 0)
		}
	}
	if form == schematic.Lua || form == schematic.MTS && version >= 3 {
		for range s.Size[1] {
			s.Slices = append(s.Slices, probs[r.IntN(len(probs))])
		}
	}
	if form == schematic.WorldEdit { // the corners exist, so that the size is kept
		for _, i := range []int{0, len(s.Name) - 1} {
			s.Prob[i] = schematic.Always
		}
		if version == 5 && r.IntN(2) == 0 {
			s.Header, s.Origin = "some,field", [3]int{-5, -7, -9}
		}
	}
	return s
}

var forms = []struct {
	form    schematic.Form
	version int
}{{schematic.MTS, 1}, {schematic.MTS, 2}, {schematic.MTS, 3}, {schematic.MTS, 4}, {schematic.Lua, 0},
	{schematic.WorldEdit, 1}, {schematic.WorldEdit, 2}, {schematic.WorldEdit, 3}, {schematic.WorldEdit, 4}, {schematic.WorldEdit, 5}}

func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range forms {
		for range 200 {
			s := random(r, f.form, f.version)
			data, err := s.Encode()
			if err != nil {
				t.Fatalf("%s %d: %v", f.form, f.version, err)
			}
			if form, version := schematic.Recognize(data); form != f.form || version != f.version && f.version != 2 {
				t.Fatalf("%s %d is taken for %s %d\n%.200s", f.form, f.version, form, version, data)
			}
			again, err := schematic.Decode(data)
			if err != nil {
				t.Fatalf("%s %d: %v\n%s", f.form, f.version, err, data)
			}
			if f.version == 2 && len(s.Meta) == 0 {
				again.Version = 2
			}
			if !again.Equal(s) {
				t.Fatalf("%s %d:\n%s\nbecame\n%s\n%s", f.form, f.version, s.Text(), again.Text(), data)
			}
			if parsed, err := schematic.Parse(s.Text()); err != nil || !parsed.Equal(s) {
				t.Fatalf("%s %d: %v\n%s", f.form, f.version, err, s.Text())
			}
		}
		folder(t, fmt.Sprintf("%s %d", f.form, f.version), must(random(r, f.form, f.version).Encode()))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestWorldEdit tests reading WorldEdit files as programs write them.
func TestWorldEdit(t *testing.T) {
	const chest = "schematic worldedit %d\nsize 1,1,2\nnodes\n  z 0\n    y 0 default:chest/3^13\n  z 1\n    y 0 air\n"
	const meta = "meta\n  0,0,0\n    field infotext Chest\n    list main 2\n      item 1 \"default:dirt 5\"\n"
	const without = "schematic worldedit %d\nsize 1,1,2\nnodes\n  z 0\n    y 0 default:chest/3^13\n  z 1\n    y 0 air\n"
	for _, c := range []struct {
		version int
		data    string
		want    string
	}{
		{5, `5:return {{x=0,y=0,z=0,name="default:chest",param1=13,param2=3,meta={fields={infotext="Chest"},` +
			`inventory={main={"","default:dirt 5"}}}},{z=1,y=0,x=0,name="air"}}`, chest + meta},
		{5, `5,a,b:local _={};_[1]="default:dirt 5";return {{["x"]=0,["y"]=0,["z"]=0;["name"]="default:chest",` +
			`["param1"]=0xd,["param2"]=3e0,["meta"]={["fields"]={["infotext"]='Ch\101st'},["inventory"]={["main"]={"",` +
			`_[1]}}}},{z=1,y=0,x=0,name=[==[air]==]},}`,
			strings.Replace(chest, "nodes", "header a,b\nnodes", 1) + meta},
		{4, `local _={};_[1]={};_[2]={};_[1].infotext="Chest";_[2][1]="";_[2][2]="default:dirt 5";return {{x=0,y=0,z=0,` +
			`name="default:chest",param1=13,param2=3,meta={fields=_[1],inventory={main=_[2]}}},{z=1,y=0,x=0,name="air",` +
			`param1=0,param2=0,meta={fields={},inventory={}}}}`, chest + meta},
		{4, "-- by hand\nreturn {--[[ a list\nof ]] " +
			"{x=0,y=0,z=0,name=\"default:chest\",param1=13,param2=3},{x=0,y=0,z=1,name='air'},nil,{z=5}};", without},
		{3, "0 0 0 default:chest 13 3\r\n+0\t-0  1 air 0 0 more\n", without},
		{1, "return {\n-- Table: {1}\n{\n   {2},\n   {5},\n},\n-- Table: {2}\n{\n   {3},\n   {4},\n},\n-- Table: " +
			"{3}\n{\n   [\"x\"]=0,[\"y\"]=0,[\"z\"]=0,\n},\n{name=\"default:chest\",param1=13,param2=3},\n" +
			"{{6},{7},},{x=0,y=0,z=1},{name=\"air\"},\n}\n", without},
		{2, "return {\n-- Table: " +
			"{1}\n{\n{2},\n{3},\n},\n{[\"meta\"]={4},name=\"default:chest\",param1=13,param2=3,x=0,y=0,z=0}," +
			"{x=0,y=0,z=1,name=\"air\",param1=0,param2=0,[\"meta\"]={8}},{fields={5},inventory={6}}," +
			"{infotext=\"Chest\"},{main={7}},{\"\",\"default:dirt 5\"},{fields={9},inventory={9}},{}\n}\n", chest + meta},
	} {
		s, err := schematic.Decode([]byte(c.data))
		if err != nil {
			t.Errorf("%v: %s", err, c.data)
			continue
		}
		if got, want := string(s.Text()), fmt.Sprintf(c.want, c.version); got != want {
			t.Errorf("%s\n%s\nnot\n%s", c.data, got, want)
		}
		folder(t, c.data, []byte(c.data))
	}
}

// TestIsWorldEdit tests that texts that only look like WorldEdit files are rejected.
func TestIsWorldEdit(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, f := range forms {
		if data := must(random(r, f.form, f.version).Encode()); schematic.IsWorldEdit(data) != (f.form == schematic.WorldEdit) {
			t.Errorf("%s %d is taken for something else: %.80q", f.form, f.version, data)
		}
	}
	for _, text := range []string{"", "return {x = 1}", "return {{x=1}}", "1 2 3\n4 5 6\n", "12:30 lunch", "5:", "{}",
		"local t = {}", "1,2,3\n"} {
		if schematic.IsWorldEdit([]byte(text)) {
			t.Errorf("%q is taken for a WorldEdit file", text)
		}
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("{", 1_000_000)
	for _, c := range []struct {
		data  string
		cause error
	}{
		{"", fault.ErrShort}, {"MTSM", fault.ErrShort}, {"MTSM\x00\x05\x00\x01\x00\x01\x00\x01", fault.ErrVersion},
		{"MTSM\x00\x04\x00\x01", fault.ErrShort},
		{"MTSM\x00\x04\xff\xff\xff\xff\xff\xff", fault.ErrLimit}, {"MTSM\x00\x02\x00\x01\x00\x01\x00\x01\x00\x00x", fault.ErrShort},
		{"MTSM\x00\x02\x00\x01\x00\x01\x00\x01\xff\xff", fault.ErrShort},
		{"6:return {}", fault.ErrVersion}, {"5:", fault.ErrFormat}, {"5:return 1", fault.ErrFormat}, {"5:return {", fault.ErrFormat},
		{"5:return " + deep, fault.ErrFormat}, {"5:return {" + strings.Repeat("_[", 1_000_000), fault.ErrFormat},
		{"5:return " + strings.Repeat("- ", 1_000_000), fault.ErrFormat},
		{"5:return {[[", fault.ErrFormat}, {"5:return {'", fault.ErrFormat}, {"5:return {1 2}", fault.ErrFormat},
		{`5:return {loadstring("x")}`, fault.ErrFormat}, {`5:return {os.execute("x")}`, fault.ErrFormat},
		{"5:while true do end", fault.ErrFormat},
		{`5:return {{x=0,y=0,z=0}}`, fault.ErrFormat}, {`5:return {{x=0.5,y=0,z=0,name="a"}}`, fault.ErrFormat},
		{`5:return {{x=0,y=0,z=0,name="a",param2=256}}`, fault.ErrFormat},
		{`5:return {{x=0,y=0,z=0,name="a"},{x=1e9,y=0,z=0,name="a"}}`, fault.ErrFormat},
		{`5:return {{x=0,y=0,z=0,name="a"},{x=60000,y=60000,z=1,name="a"}}`, fault.ErrLimit},
		{`5:local _={};_[1]=_;_[1][1]=_;return _[1]`, fault.ErrFormat}, {"0 0 0 a 256 0", fault.ErrFormat},
		{"99999999999 0 0 a 0 0", fault.ErrFormat},
		{"schematic = {}", fault.ErrFormat}, {"schematic = {size={x=1,y=1,z=1},data={}}", fault.ErrFormat},
	} {
		_, err := schematic.Decode([]byte(c.data))
		var f *fault.Error
		if !errors.As(err, &f) || !errors.Is(err, c.cause) {
			t.Errorf("%.60q: %v, not %v", c.data, err, c.cause)
		}
		found := 0
		schematic.Check([]byte(c.data), func(check.Finding) { found++ })
		if found == 0 {
			t.Errorf("%.60q: check finds nothing", c.data)
		}
	}
	for text, want := range map[string]string{
		"": "word schematic", "schematic x": "line 1:12: expected mts", "schematic mts 5": "0 to 4", "schematic lua\nnodes": "the size first",
		"schematic lua\nsize 1,1": "three numbers", "schematic lua\nsize \"" + strings.Repeat("\xec", 20) +
			"\"": "three numbers", "schematic lua\nsize 1,1,70000": "65535", "schematic lua\nsize 1,1,1": "expected 1 node, not 0",
		"schematic lua\nsize 2,1,1\nnodes\nz 0\ny 0 air*3": "2 more nodes", "schematic lua\nsize 2,1,1\nnodes\nz 1": "line 4:3: expected 0",
		"schematic lua\nsize 1,1,1\nnodes\nz 0\ny 0 air@200": "0 to 127", "schematic lua\nsize 1,1,1\nsize 1,1,1": "duplicate",
		"schematic lua\nsize 1,2,1\nslices 1": "expected 2 slices", "schematic lua\nsize 0,0,0\nmeta\n  0,0,0": "inside",
		"schematic lua\nsize 0,0,0\nmeta\nfield a b": "node first",
	} {
		if _, err := schematic.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

func TestMemory(t *testing.T) {
	// A table shared by many nodes is written for each of them.
	data := "5:local _={};_[1]={fields={a=\"" + strings.Repeat("x", 10000) + "\"}};return {" +
		strings.Repeat(`{x=0,y=0,z=0,name="a",meta=_[1]},`, 50000) + "}"
	if _, err := schematic.Decode([]byte(data)); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("%v", err)
	}
}

func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := random(r, schematic.WorldEdit, 5)
	s.Origin, s.Header = [3]int{}, ""
	c, lost := s.Convert(schematic.MTS)
	if (len(lost) > 0) != (len(s.Meta) > 0) {
		t.Errorf("%d nodes with metadata, lost: %q", len(s.Meta), lost)
	}
	again, err := schematic.Decode(must(c.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	back, lost := again.Convert(schematic.WorldEdit)
	if len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	s.Param1, s.Meta = nil, nil
	if !back.Equal(s) {
		t.Errorf("%s\n%s", s.Text(), back.Text())
	}
	s, _ = schematic.New(schematic.MTS, [3]int{1, 2, 1})
	s.Slices, s.Prob = []uint8{127, 5}, []uint8{7, 127}
	s.SetForce(1, true)
	if _, lost := s.Convert(schematic.WorldEdit); len(lost) != 3 {
		t.Errorf("lost: %q", lost)
	}
}

func TestModel(t *testing.T) {
	s := random(rand.New(rand.NewPCG(3, 4)), schematic.WorldEdit, 5)
	s.Slices = make([]uint8, s.Size[1])
	s.SetForce(0, true)
	s.Origin, s.Header = [3]int{1, 2, 3}, "x"
	s.Slices = make([]uint8, s.Size[1])
	for i := range s.Name {
		s.SetForce(i, true)
		s.SetParam1(i, 9)
	}
	s.Tidy()
	mutate.Model(t, s, (*schematic.Schematic).Clone, (*schematic.Schematic).Equal, (*schematic.Schematic).Encode)
}

func seeds(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, form := range forms {
		f.Add(must(random(r, form.form, form.version).Encode()))
	}
	paths, _ := filepath.Glob("/usr/share/games/minetest/games/minetest_game/mods/*/schematics/*.mts")
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data)
		}
	}
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		schematic.Check(data, func(check.Finding) {})
		s, err := schematic.Decode(data)
		if err != nil {
			return
		}
		if len(s.Name) > 1<<16 {
			return
		}
		text := s.Text()
		again, err := schematic.Parse(text)
		if err != nil || !again.Equal(s) {
			t.Fatalf("%v\n%s", err, text)
		}
		fsys, err := schematic.Open(data, "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		if built, err := schematic.Build(fsys); err != nil || !bytes.Equal(built, data) {
			t.Fatalf("%v\n%s", err, text)
		}
		n := 0
		for range s.Place(schematic.Placing{Quarters: len(data), Seed: 1}).All {
			n++
		}
		if n > len(s.Name) {
			t.Fatalf("%d nodes of %d", n, len(s.Name))
		}
	})
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, form := range forms {
		f.Add(random(r, form.form, form.version).Text())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := schematic.Parse(text)
		if err != nil || len(s.Name) > 1<<16 {
			return
		}
		if again, err := schematic.Parse(s.Text()); err != nil || !again.Equal(s) {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if _, err := s.Encode(); err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
		}
	})
}
