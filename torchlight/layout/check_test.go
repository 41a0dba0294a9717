package layout_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

func ids(findings []check.Finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, strings.TrimPrefix(f.ID, "tl-layout-"))
	}
	return list
}

func TestCheck(t *testing.T) {
	clean := compileString(t, sample)
	change := func(f func(*layout.File)) []byte {
		file, err := layout.Decode(clean)
		if err != nil {
			t.Fatal(err)
		}
		f(file)
		data, err := file.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	tree := binary.LittleEndian.Uint32(clean[2:])
	flag := slices.Clone(clean)
	flag[tree+35+22] = 198
	seen := make(map[string]bool)
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"clean": {clean, nil},
		"cut":   {clean[:40], []string{"unreadable"}},
		"spare": {append(slices.Clone(clean), 0), []string{"spare"}},
		"empty": {change(func(f *layout.File) { f.Objects = append(f.Objects, &layout.Object{Empty: true}) }),
			[]string{"empty-object"}},
		"unknown":   {change(func(f *layout.File) { f.Objects[4].Descriptor = 200 }), []string{"unknown-object"}},
		"property":  {change(func(f *layout.File) { f.Objects[4].Properties[1].Code = 3 }), []string{"unknown-property"}},
		"value":     {change(func(f *layout.File) { f.Objects[4].Properties[1].Data = []byte{1} }), []string{"value"}},
		"duplicate": {change(func(f *layout.File) { f.Objects[4].ID = 105 }), []string{"duplicate-id"}},
		"extra":     {change(func(f *layout.File) { f.Objects[4].Extra = layout.RawExtra{1} }), []string{"extra"}},
		"logic":     {change(func(f *layout.File) { f.Objects[1].Extra = layout.RawExtra{1} }), []string{"extra"}},
		"link": {change(func(f *layout.File) { f.Objects[1].Extra.(*layout.LogicGroup).Objects[0].Links[0].To = 9 }),
			[]string{"logic-link"}},
		"target": {change(func(f *layout.File) { f.Objects[1].Extra.(*layout.LogicGroup).Objects[0].ObjectID = 9 }),
			[]string{"missing-object"}},
		"track": {change(func(f *layout.File) { f.Objects[2].Extra.(*layout.Timeline).Objects[0].ObjectID = 9 }),
			[]string{"missing-object"}},
		"timeline": {change(func(f *layout.File) {
			o := &f.Objects[2].Extra.(*layout.Timeline).Objects[0]
			o.Tracks = []layout.Track{{Property: "A", Event: "B"}, {Points: []layout.Point{
				{Interpolation: 8}, {Time: -1}, {Time: 1.5}, {Time: float32(math.NaN())}, {Interpolation: 7, Time: 1}, {}}}}
		}), slices.Repeat([]string{"timeline"}, 6)},
		"no tree":  {change(func(f *layout.File) { f.Groups = nil }), []string{"groups"}},
		"group id": {change(func(f *layout.File) { f.Groups.Children[0].ID = 9 }), []string{"groups"}},
		"flat tree": {change(func(f *layout.File) {
			g := f.Groups.Children[0]
			f.Groups.Children = append(f.Groups.Children, g.Children...)
			g.Children = nil
		}), []string{"groups"}},
		"no groups": {change(func(f *layout.File) {
			f.Objects = f.Objects[3:]
			for _, g := range f.Groups.Children {
				g.Object, g.Children = nil, nil
			}
		}), []string{"groups"}},
		"flag":       {flag, []string{"group-flag"}},
		"logic ends": {logicEnd(clean), []string{"logic-end"}},
	} {
		findings := check.Collect(func(s check.Sink) { layout.Check(c.data, s) })
		if diff := cmp.Diff(c.want, ids(findings)); diff != "" {
			t.Errorf("%s: %s\n%v", name, diff, findings)
		}
		for _, f := range findings {
			seen[f.ID] = true
			if f.Message == "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	for name, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"clean":    {"", "", nil},
		"syntax":   {"[/OBJECTS]", "", []string{"unreadable"}},
		"object":   {"DESCRIPTOR:Stat", "DESCRIPTOR:Nothing", []string{"unreadable"}},
		"count":    {"COUNT:7", "COUNT:8", []string{"count"}},
		"parent":   {"PARENTID:100", "PARENTID:-1", []string{"parent"}},
		"property": {"LOOP COUNT", "LOOP THE LOOP", []string{"unknown-property"}},
		"tag":      {"TAG:CHESTS", "TAG:BOXES", []string{"unknown-tag"}},
		"number":   {"TAG:CHESTS", "TAG:77", nil},
		"left out": {"[CHILDREN]", "<STRING>X:1\n[CHILDREN]", []string{"left-out"}},
		"nonsense": {"<FLOAT>MIN:-0", "<FLOAT>MIN:x", []string{"text-number"}},
		"blank":    {"<FLOAT>MIN:-0", "<FLOAT>MIN: 1 ", []string{"text-value"}},
		"mark":     {"<FLOAT>MIN:-0", "<STRING>#99:01", []string{"value", "marked"}},
		"target":   {"OBJECTID:100", "OBJECTID:99", []string{"missing-object"}},
	} {
		form := []byte(strings.Replace(sample, c.from, c.to, 1))
		if name == "mark" {
			code := layout.DescriptorNamed("Damage Shape").Named("MIN").Code
			form = []byte(strings.Replace(string(form), "#99", "#"+strconv.Itoa(int(code)), 1))
		}
		findings := check.Collect(func(s check.Sink) { layout.CheckText(form, s) })
		if diff := cmp.Diff(c.want, ids(findings)); diff != "" {
			t.Errorf("text, %s: %s\n%v", name, diff, findings)
		}
		for _, f := range findings {
			seen[f.ID] = true
			line, ok := check.Line{}, false
			for _, at := range f.At {
				if l, isLine := at.(check.Line); isLine {
					line, ok = l, true
				}
			}
			// The line is that of the change or of the object's [PROPERTIES].
			changed := 1 + strings.Count(sample[:strings.Index(sample, c.from)], "\n")
			if !ok || line.Line > changed+1 || line.Line < changed-20 || !strings.HasPrefix(f.Path, fmt.Sprintf("line %d", line.Line)) {
				t.Errorf("text, %s: %v at %v, changed at line %d", name, f, f.At, changed)
			}
		}
		if _, err := layout.Compile(form, nil, layout.Options{}); name == "object" && len(text.AllErrors(err)) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, k := range layout.Catalog.Kinds() {
		if !seen[k.ID] || k.Meaning == "" || k.Remedy == "" {
			t.Errorf("%s was never found, or has no text", k.ID)
		}
	}
}

// logicEnd returns the layout with a wrong end offset in the first node of a logic group.
func logicEnd(data []byte) []byte {
	data = slices.Clone(data)
	end := []byte("W\x00i\x00r\x00e\x00s\x00\x00")
	for i := range data {
		if strings.HasPrefix(string(data[i:]), string(end)) {
			data[i+len(end)+4+1+1+8+4+4]++
			return data
		}
	}
	return data
}
