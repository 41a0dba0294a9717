package layout_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// sample is a layout with an example of each part of the editor's text.
const sample = `[UI]
	<INTEGER>VERSION:4
	<UNSIGNED INT>COUNT:7
	[OBJECTS]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Group
				<STRING>NAME:Doors
				<INTEGER64>ID:100
				<INTEGER64>PARENTID:-1
				<UNSIGNED INT>RANDOMIZATION:3
				<STRING>CHOICE:Weight
				<STRING>TAG:CHESTS
				<BOOL>NO TAG FOUND:true
				<STRING>ACTIVE THEMES:-6023112609921429025,8963748009504018911
				<STRING>DEACTIVE THEMES:1
				<STRING>GAME MODE:NEW GAME PLUS
				<STRING>CHOICE:Weight
				<UNSIGNED INT>NUMBER:2
				<STRING>GAME MODE:NEW GAME PLUS
				<BOOL>LEVEL UNIQUE:true
			[/PROPERTIES]
			[CHILDREN]
				[BASEOBJECT]
					[PROPERTIES]
						<STRING>DESCRIPTOR:Layout Link
						<STRING>NAME:Layout Link
						<INTEGER64>ID:-101
						<INTEGER64>PARENTID:100
						<FLOAT>POSITIONX:1.5
						<FLOAT>POSITIONY:-1.19209e-007
						<FLOAT>POSITIONZ:0.10000001
						<STRING>LAYOUT FILE:media/layouts/door.layout
						<BOOL>VISIBLE:false
					[/PROPERTIES]
					[CHILDREN]
						[BASEOBJECT]
							[PROPERTIES]
								<STRING>DESCRIPTOR:Group
								<STRING>NAME:Inner
								<INTEGER64>ID:102
								<INTEGER64>PARENTID:-101
							[/PROPERTIES]
							[CHILDREN]
							[/CHILDREN]
						[/BASEOBJECT]
					[/CHILDREN]
				[/BASEOBJECT]
			[/CHILDREN]
		[/BASEOBJECT]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Logic Group
				<STRING>NAME:Wires
				<INTEGER64>ID:103
				<INTEGER64>PARENTID:-1
				[LOGICGROUP]
					[LOGICOBJECT]
						<UNSIGNED INT>ID:0
						<INTEGER64>OBJECTID:-101
						<FLOAT>X:143
						<FLOAT>Y:194
						[LOGICLINK]
							<INTEGER>LINKINGTO:1
							<STRING>OUTPUTNAME:On Visible
							<STRING>INPUTNAME:Hide
						[/LOGICLINK]
					[/LOGICOBJECT]
					[LOGICOBJECT]
						<UNSIGNED INT>ID:1
						<INTEGER64>OBJECTID:100
						<FLOAT>X:0
						<FLOAT>Y:0
					[/LOGICOBJECT]
				[/LOGICGROUP]
			[/PROPERTIES]
			[CHILDREN]
			[/CHILDREN]
		[/BASEOBJECT]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Timeline
				<STRING>NAME:Fade
				<INTEGER64>ID:104
				<INTEGER64>PARENTID:-1
				<FLOAT>DURATION:12
				<STRING>NAME:Fade
				[TIMELINEDATA]
					<INTEGER64>ID:104
					[TIMELINEOBJECT]
						<INTEGER64>OBJECTID:-101
						[TIMELINEOBJECTPROPERTY]
							<STRING>OBJECTPROPERTYNAME:ALPHA
							[TIMELINEPOINT]
								<FLOAT>TIMEPERCENT:0.5
								<STRING>INTERPOLATION:No Interpolation
								<STRING>VALUE:0.8
							[/TIMELINEPOINT]
						[/TIMELINEOBJECTPROPERTY]
						[TIMELINEOBJECTEVENT]
							<STRING>OBJECTEVENTNAME:Hide
							[TIMELINEPOINT]
								<FLOAT>TIMEPERCENT:1
								<STRING>INTERPOLATION:Linear
							[/TIMELINEPOINT]
						[/TIMELINEOBJECTEVENT]
					[/TIMELINEOBJECT]
				[/TIMELINEDATA]
			[/PROPERTIES]
			[CHILDREN]
			[/CHILDREN]
		[/BASEOBJECT]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Stat
				<STRING>NAME:Größe
				<INTEGER64>ID:105
				<INTEGER64>PARENTID:-1
				<INTEGER64>STAT DYNAMIC TWO:2714636458670382914
				<STRING>STAT STATIC ONE:
				<TRANSLATE>TEXT:Convert:<STAT2> 
			[/PROPERTIES]
			[CHILDREN]
			[/CHILDREN]
		[/BASEOBJECT]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Damage Shape
				<STRING>NAME:Damage Shape
				<INTEGER64>ID:106
				<INTEGER64>PARENTID:-1
				<STRING>MAX RADIUS:0,8
				<FLOAT>MIN:-0
				<INTEGER>LOOP COUNT:-1
			[/PROPERTIES]
			[CHILDREN]
			[/CHILDREN]
		[/BASEOBJECT]
	[/OBJECTS]
[/UI]
`

// ui holds the path of the sample.
var ui = layout.Options{Path: "MEDIA/UI/SAMPLE.LAYOUT"}

func parse(t testing.TB, s string) *text.Node {
	t.Helper()
	f, err := text.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return f.Root
}

func compileString(t testing.TB, s string) []byte {
	t.Helper()
	o := ui
	o.Warn = func(*text.Error) {}
	data, err := layout.Compile(text.Format(parse(t, s)), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// plain returns a text form in UTF-8 with LF as line end.
func plain(form []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(bin.DecodeUTF16(form), "\uFEFF"), "\r\n", "\n")
}

func f32(v ...float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func wide(s string) []byte {
	var w bin.Writer
	w.Wide16(s)
	return w.Data()
}

var ignore = cmp.Options{cmpopts.IgnoreUnexported(layout.File{}, layout.Object{}, layout.LogicGroup{}), cmpopts.EquateEmpty()}

// TestSample tests that the sample compiles to the expected model and round-trips as text.
func TestSample(t *testing.T) {
	data := compileString(t, sample)
	f, err := layout.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	inner := &layout.Object{Descriptor: 1, ID: 102, Name: "Inner"}
	link := &layout.Object{Descriptor: 6, ID: -101, Children: []*layout.Object{inner}, Properties: []layout.Property{
		{42, f32(1.5, -1.19209e-007, math.Nextafter32(0.1, 1))}, {98, wide("media/layouts/door.layout")}, {38, []byte{0, 0, 0, 0}}}}
	doors := &layout.Object{Descriptor: 1, ID: 100, Name: "Doors", Children: []*layout.Object{link}, Properties: []layout.Property{
		{101, wide("Weight")}, {100, []byte{2, 0, 0, 0}}, {118, wide("NEW GAME PLUS")}, {115, []byte{1, 0, 0, 0}}}}
	want := &layout.File{
		Version: 4,
		Objects: []*layout.Object{
			doors,
			{Descriptor: 36, ID: 103, Name: "Wires", Extra: &layout.LogicGroup{Objects: []layout.LogicObject{
				{ID: 0, ObjectID: -101, X: 143, Y: 194, Links: []layout.LogicLink{{To: 1, Output: "On Visible", Input: "Hide"}}},
				{ID: 1, ObjectID: 100}}}},
			{Descriptor: 35, ID: 104, Name: "Fade", Properties: []layout.Property{{97, f32(12)}, {105, wide("Fade")}},
				Extra: &layout.Timeline{Objects: []layout.TimelineObject{{ObjectID: -101, Tracks: []layout.Track{
					{Property: "ALPHA", Points: []layout.Point{{Time: 0.5, Interpolation: 6, Value: "0.8"}}},
					{Event: "Hide", Points: []layout.Point{{Time: 1}}}}}}}},
			{Descriptor: 84, ID: 105, Name: "Größe", Properties: []layout.Property{
				{79, binary.LittleEndian.AppendUint64(nil, 2714636458670382914)}, {65, wide("")}, {71, wide("Convert:<STAT2> ")}}},
			{Descriptor: 56, ID: 106, Properties: []layout.Property{
				{f.Objects[4].Properties[0].Code, append([]byte{2, 0}, f32(0, 8)...)},
				{f.Objects[4].Properties[1].Code, f32(float32(math.Copysign(0, -1)))},
				{f.Objects[4].Properties[2].Code, []byte{255, 255, 255, 255}}}},
		},
		Groups: &layout.Group{ID: -1, Tag: -1, Children: []*layout.Group{{
			ID: 100, Choice: 1, Randomization: 3, Number: 2, Object: doors, Tag: 4, NoTagFound: 1, LevelUnique: 1, GameMode: 2,
			Active: []int64{-6023112609921429025, 8963748009504018911}, Deactive: []int64{1},
			Children: []*layout.Group{{ID: 102, Randomization: 1, Number: 1, Object: inner, Tag: -1}},
		}}},
	}
	if diff := cmp.Diff(want, f, ignore); diff != "" {
		t.Error(diff)
	}
	form, residue, err := layout.Decompile(data, ui)
	if err != nil || residue != nil {
		t.Fatalf("residue %v, %v", residue, err)
	}
	if diff := cmp.Diff(sample, plain(form)); diff != "" {
		t.Error(diff)
	}
	back, err := f.Encode()
	if err != nil || !bytes.Equal(back, data) {
		t.Errorf("encoding gives other bytes, %v", err)
	}
}

// TestMarked tests that parts of a file that the editor's text cannot represent round-trip through the text alone.
func TestMarked(t *testing.T) {
	object := func(o layout.Object) *layout.File { return &layout.File{Version: 4, Objects: []*layout.Object{&o}} }
	nan := binary.LittleEndian.AppendUint32(nil, 0x7FC12345)
	group := &layout.Object{Descriptor: 1, ID: 5, Name: "G", Properties: []layout.Property{{99, []byte{1, 2, 3, 4}}}}
	for name, c := range map[string]struct {
		file *layout.File
		line string // expected in the text
	}{
		"unknown object": {object(layout.Object{Descriptor: 200, Name: "x",
			Properties: []layout.Property{{7, []byte("ab")}}}), "<STRING>#7:6162"},
		"descriptor 0":     {object(layout.Object{Descriptor: 0}), "<STRING>DESCRIPTOR:#0"},
		"unknown property": {object(layout.Object{Descriptor: 6, Properties: []layout.Property{{250, nil}}}), "<STRING>#250:\n"},
		"short float":      {object(layout.Object{Descriptor: 6, Properties: []layout.Property{{103, []byte{1}}}}), "<STRING>#103:01"},
		"bool of 2": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{38, []byte{2, 0, 0, 0}}}}), "<STRING>#38:02000000"},
		"odd NaN": {object(layout.Object{Descriptor: 6, Properties: []layout.Property{{103, nan}}}), "<STRING>#103:4523c17f"},
		"odd NaN in vector": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{42, append(f32(1, 2), nan...)}}}), "<STRING>#42:"},
		"lines in text": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{98, wide("a\r\nb")}}}), "<STRING>#98:"},
		"text that lies": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{98, []byte{9, 0, 'a', 0}}}}), "<STRING>#98:09006100"},
		"lone surrogate": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{98, []byte{1, 0, 0x3D, 0xD8}}}}), "LAYOUT FILE:"},
		"two vectors": {object(layout.Object{Descriptor: 6, Properties: []layout.Property{{42, f32(1, 2, 3)},
			{42, f32(4, 5, 6)}}}), "POSITIONX:4"},
		"list of one": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{103, append([]byte{1, 0}, f32(7)...)}}}), "<STRING>SCALE:7"},
		"empty list": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{103, []byte{0, 0}}}}), "<STRING>SCALE:\n"},
		"allowed": {object(layout.Object{Descriptor: 73,
			Properties: []layout.Property{{113, []byte{2, 0, 1, 0, 0, 0, 255, 255, 255, 255}}}}), "<STRING>#113:0200"},
		"unsigned list": {object(layout.Object{Descriptor: 18,
			Properties: []layout.Property{{110, []byte{2, 0, 1, 0, 0, 0, 255, 255, 255, 255}}}}),
			"<STRING>VISUAL QUOTA:1,4294967295"},
		"UP is up": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{95, f32(0, 1, 0)}}}), "<STRING>#95:000000000000803f00000000"},
		"infinity": {object(layout.Object{Descriptor: 6,
			Properties: []layout.Property{{103, f32(float32(math.Inf(-1)))}}}), "SCALE:-1.#INF"},
		"empty object": {object(layout.Object{Empty: true}), "[BASEOBJECT]\n\t\t[/BASEOBJECT]"},
		"other timeline name": {object(layout.Object{Descriptor: 35, Name: "a",
			Properties: []layout.Property{{105, wide("b")}}}), "<STRING>#105:01006200"},
		"default timeline name": {object(layout.Object{Descriptor: 35,
			Properties: []layout.Property{{105, wide("Timeline")}}}), "<STRING>NAME:Timeline"},
		"extra of no sort": {object(layout.Object{Descriptor: 6, Extra: layout.RawExtra{1, 2}}), "<STRING>#EXTRA:0102"},
		"broken logic":     {object(layout.Object{Descriptor: 36, Extra: layout.RawExtra{9, 2}}), "<STRING>#EXTRA:0902"},
		"empty timeline":   {object(layout.Object{Descriptor: 35, Extra: &layout.Timeline{}}), "[TIMELINEDATA]"},
		"unknown interpolation": {object(layout.Object{Descriptor: 35,
			Extra: &layout.Timeline{Objects: []layout.TimelineObject{{Tracks: []layout.Track{{
				Points: []layout.Point{{Interpolation: 77, Value: "v"}},
			}}}}}}), "INTERPOLATION:77"},
		"both names": {object(layout.Object{Descriptor: 35,
			Extra: &layout.Timeline{Objects: []layout.TimelineObject{{Tracks: []layout.Track{{Property: "P",
				Event: "E"}}}}}}), "OBJECTPROPERTYNAME:P\n"},
		"tree alone": {&layout.File{Version: 4, Objects: []*layout.Object{group},
			Groups: &layout.Group{ID: -1, Tag: -1, Children: []*layout.Group{
				{ID: 5, Object: group, Randomization: 1, Number: 9, LevelUnique: 1, Choice: 7, Tag: 12345, GameMode: 3}}}},
			"<UNSIGNED INT>#NUMBER:9"},
	} {
		data, err := c.file.Encode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		form, residue, err := layout.Decompile(data, layout.Options{})
		if err != nil || residue != nil {
			t.Errorf("%s: residue %+v, %v\n%s", name, residue, err, plain(form))
			continue
		}
		if !strings.Contains(plain(form), c.line) {
			t.Errorf("%s: no %q in\n%s", name, c.line, plain(form))
		}
	}
}

// TestResidue tests that the residue has everything that no text can represent, and is as small as possible.
func TestResidue(t *testing.T) {
	data := compileString(t, sample)
	tree := binary.LittleEndian.Uint32(data[2:])
	edit := func(change func(d []byte) []byte) []byte { return change(slices.Clone(data)) }
	for name, c := range map[string]struct {
		data    []byte
		patches int // -1 for the whole file
	}{
		"version":             {edit(func(d []byte) []byte { d[1] = 0x36; return d }), 1},
		"flag left to chance": {edit(func(d []byte) []byte { d[tree+35+22] = 198; return d }), 1},
		"object offset":       {edit(func(d []byte) []byte { d[tree+14]++; return d }), 1},
		"spare bytes":         {edit(func(d []byte) []byte { return append(d, 1, 2, 3) }), -1},
		"no tree":             {edit(func(d []byte) []byte { clear(d[2:6]); return d[:tree] }), -1},
	} {
		form, residue, err := layout.Decompile(c.data, ui)
		if err != nil || residue == nil {
			t.Errorf("%s: residue %v, %v", name, residue, err)
			continue
		}
		if c.patches < 0 != (residue.Whole != nil) || c.patches >= 0 && len(residue.Patches) != c.patches {
			t.Errorf("%s: residue %+v", name, residue)
		}
		back, err := layout.Compile(form, residue, ui)
		if err != nil || !bytes.Equal(back, c.data) {
			t.Errorf("%s: does not come back, %v", name, err)
		}
	}
	// Six digits lose bits, which the residue preserves.
	o := layout.Options{Path: ui.Path, Floats: text.GUTS}
	lossy := &layout.File{Version: 4, Objects: []*layout.Object{{Descriptor: 6,
		Properties: []layout.Property{{103, f32(math.Nextafter32(0.1, 1))}}}}}
	data, err := lossy.Encode()
	if err != nil {
		t.Fatal(err)
	}
	form, residue, err := layout.Decompile(data, o)
	if err != nil || residue == nil || len(residue.Patches) != 1 || !strings.Contains(plain(form), "<FLOAT>SCALE:0.1\n") {
		t.Fatalf("residue %+v, %v\n%s", residue, err, plain(form))
	}
	if back, err := layout.Compile(form, residue, o); err != nil || !bytes.Equal(back, data) {
		t.Errorf("a lossy float does not come back, %v", err)
	}
	if _, err := layout.Compile(form, &layout.Residue{Patches: []layout.Patch{{At: len(data), Is: "00"}}}, o); err == nil {
		t.Error("a residue of another file was taken")
	}
}

// TestProblems tests that a value of a text that a compiled layout cannot hold is a problem with its line, and an error
// without a problem handler. Numbers out of range are always errors.
func TestProblems(t *testing.T) {
	const logic = "<STRING>DESCRIPTOR:Logic Group\n[LOGICGROUP]\n[LOGICOBJECT]\n<INTEGER64>OBJECTID:1\n%s\n[/LOGICOBJECT]\n[/LOGICGROUP]"
	const timeline = "<STRING>DESCRIPTOR:Timeline\n[TIMELINEDATA]\n[TIMELINEOBJECT]\n[TIMELINEOBJECTPROPERTY]\n" +
		"<STRING>OBJECTPROPERTYNAME:A\n[TIMELINEPOINT]\n%s\n[/TIMELINEPOINT]\n[/TIMELINEOBJECTPROPERTY]\n" +
		"[/TIMELINEOBJECT]\n[/TIMELINEDATA]"
	for _, c := range []struct {
		in, line, want string
		limit          bool
	}{
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<STRING>NO SUCH THING:1", `has no property "NO SUCH THING"`, false},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<BOOL>VISIBLE:maybe", `value of type BOOL, found "maybe"`, true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<FLOAT>POSITIONX:1,5", `value of type FLOAT, found "1,5"`, true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<FLOAT>POSITIONX:1e39", "fits the type FLOAT", true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<STRING>SCALE:1,x", `found "x"`, true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<INTEGER64>ID:18446744073709551616", "fits the type INTEGER64", true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "[LOGICGROUP]\n[/LOGICGROUP]", "no part [LOGICGROUP]", false},
		{"<STRING>DESCRIPTOR:Group\n%s", "<STRING>CHOICE:Sometimes", `no CHOICE "Sometimes"`, false},
		{"<STRING>DESCRIPTOR:Group\n%s", "<STRING>ACTIVE THEMES:1,x", `commas between them, found "1,x"`, true},
		{"<STRING>DESCRIPTOR:Layout Link\n%s", "<INTEGER64>ID:5.14E+18", `value of type INTEGER64, found "5.14E+18"`, true},
		{logic, "<UNSIGNED INT>ID:256", "a number from 0 to 255", true},
		{logic, "<FLOAT>Z:1", `has no property "Z"`, false},
		{logic, "[LINK]\n[/LINK]", "no part [LINK]", false},
		{timeline, "<STRING>INTERPOLATION:Smooth", `"Smooth", read as Linear`, false},
		{timeline, "<FLOAT>TIMEPERCENT:soon", `found "soon"`, true},
		{"<STRING>DESCRIPTOR:Group\n[/PROPERTIES]\n%s", "[PROPERTIES]", "already has [PROPERTIES]", false},
		{"<STRING>DESCRIPTOR:Group\n[/PROPERTIES]\n%s\n[PROPERTIES]", "<INTEGER>A:1", `no property "A"`, false},
	} {
		form := "[Layout]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n" + fmt.Sprintf(c.in, c.line) +
			"\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/Layout]"
		form = strings.Replace(form, "<INTEGER>A:1\n[PROPERTIES]\n[/PROPERTIES]", "<INTEGER>A:1", 1)
		line := 1 + strings.Count(form[:strings.LastIndex(form, c.line)], "\n")
		_, err := layout.Compile([]byte(form), nil, ui)
		all := text.AllErrors(err)
		if len(all) != 1 || all[0].Line != line || !strings.Contains(all[0].Problem(), c.want) {
			t.Errorf("%s: %v, expected it at line %d", c.line, err, line)
		}
		o, warned := ui, 0
		o.Warn = func(*text.Error) { warned++ }
		if _, err := layout.Compile([]byte(form), nil, o); (err != nil) != c.limit || (warned == 0) != c.limit {
			t.Errorf("%s: %d warnings, %v", c.line, warned, err)
		}
		if _, err := layout.FromText(parse(t, form), nil); err == nil {
			t.Errorf("%s: FromText is silent", c.line)
		}
		found := check.Collect(func(s check.Sink) { layout.CheckText([]byte(form), s) })
		if !slices.ContainsFunc(found, func(f check.Finding) bool {
			return strings.Contains(f.Message, c.want) && f.Path == fmt.Sprintf("line %d", line)
		}) {
			t.Errorf("%s: check finds %v", c.line, found)
		}
	}
}

// TestText tests texts written manually: names in any case, junk, lines without meaning.
func TestText(t *testing.T) {
	data := compileString(t, `[Layout]
	<UNSIGNED INT>COUNT:9
	[Objects]
		[BaseObject]
			[Properties]
				<STRING>DESCRIPTOR:layout link
				<STRING>NAME:Layout Link
				<INTEGER>ID:7
				<FLOAT>positiony:2
				<FLOAT>POSITIONX:1
				<STRING>SCALE:1,.5,.
				<FLOAT>X:.
				<BOOL>VISIBLE:1
				<STRING>NO SUCH THING:1
				[LOGICGROUP]
				[/LOGICGROUP]
			[/Properties]
		[/BaseObject]
	[/Objects]
[/Layout]
`)
	f, err := layout.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []*layout.Object{{Descriptor: 6, ID: 7, Properties: []layout.Property{
		{42, f32(1, 2, 0)}, {103, append([]byte{3, 0}, f32(1, .5, 0)...)}, {104, f32(0)}, {38, []byte{1, 0, 0, 0}}}}}
	if diff := cmp.Diff(want, f.Objects, ignore); diff != "" || f.Groups != nil {
		t.Error(diff)
	}
	for name, s := range map[string]string{
		"objects[0]": "[L]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Nothing\n" +
			"[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/L]\n",
		"objects[0].children[0]": "[L]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:#3\n[/PROPERTIES]\n" +
			"[CHILDREN]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:#300\n[/PROPERTIES]\n[/BASEOBJECT]\n" +
			"[/CHILDREN]\n[/BASEOBJECT]\n[/OBJECTS]\n[/L]\n",
		"objects[1]": "[L]\n[OBJECTS]\n[BASEOBJECT]\n[/BASEOBJECT]\n[BASEOBJECT]\n[PROPERTIES]\n" +
			"<STRING>DESCRIPTOR:Group\n<STRING>#7:0\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/L]\n",
	} {
		_, err := layout.FromText(parse(t, s), nil)
		var e *fault.Error
		if !errors.As(err, &e) || e.Path != name {
			t.Errorf("error %v, want one at %s", err, name)
		}
	}
	n := int(effort.LayoutDepth.Least) + 1
	deep := strings.Repeat("[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Group\n[/PROPERTIES]\n[CHILDREN]\n", n) +
		strings.Repeat("[/CHILDREN]\n[/BASEOBJECT]\n", n)
	if _, err := layout.FromText(parse(t, "[L]\n[OBJECTS]\n"+deep+"[/OBJECTS]\n[/L]\n"), nil); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("text nested too deep: %v", err)
	}
}

func TestRootName(t *testing.T) {
	for _, c := range []struct{ path, object, want string }{
		{"", "", "Layout"},
		{"MEDIA/SKILLS/X.LAYOUT", "", "Layout"},
		{"MEDIA/UI/MENUS/X.LAYOUT", "", "UI"},
		{"media/skilltree/x.layout", "", "UI"},
		{`C:\mods\media\particles\a.layout`, "", "Particle Creator"},
		{"MEDIA/UIX/X.LAYOUT", "", "Layout"},
		{"PREMEDIA/UI/X.LAYOUT", "", "Layout"},

		{"X.LAYOUT", "Window Blocker", "UI"},
		{"MEDIA/SKILLS/X.LAYOUT", "Menu Definition", "UI"},
		{"MEDIA/UI/X.LAYOUT", "Gravity Well", "Particle Creator"},
		{"MEDIA/UI/X.LAYOUT", "Timeline", "UI"},
		{"MEDIA/LAYOUTS/X.LAYOUT", "Menu Controller", "Layout"},
		{"MEDIA/LAYOUTS/X.LAYOUT", "Message Box", "Layout"},
	} {
		f := &layout.File{Version: 4, Objects: []*layout.Object{{Descriptor: 6}}}
		if c.object != "" {
			f.Objects[0].Children = []*layout.Object{{Descriptor: layout.DescriptorNamed(c.object).Code}}
		}
		if got := f.Text(layout.Options{Path: c.path}).Name; got != c.want {
			t.Errorf("root of %q with a %s is %q, want %q", c.path, c.object, got, c.want)
		}
	}
}

// TestLeftOut tests that the text omits what the editor does not compile, unless a file contains it.
func TestLeftOut(t *testing.T) {
	const form = "[L]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n%s\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/L]\n"
	for _, c := range []struct {
		lines string
		want  int
	}{
		{"<STRING>DESCRIPTOR:Drag And Drop Container\n<STRING>ALLOWED:275\n<BOOL>VISIBLE:true", 1},
		{"<STRING>DESCRIPTOR:Drag And Drop Container\n<STRING>#113:0100", 1},
		{"<STRING>DESCRIPTOR:Monster\n<FLOAT>UPX:0\n<FLOAT>UPY:1\n<FLOAT>UPZ:0\n<FLOAT>POSITIONX:2", 1},
		{"<STRING>DESCRIPTOR:Monster\n<FLOAT>UPY:1\n<FLOAT>POSITIONX:2", 1},
		{"<STRING>DESCRIPTOR:Monster\n<FLOAT>UPX:0.1\n<FLOAT>UPY:1\n<FLOAT>UPZ:0", 1},
		{"<STRING>DESCRIPTOR:Monster\n<FLOAT>UPY:1\n<STRING>#95:000000000000803f00000000", 1},
	} {
		f, err := layout.FromText(parse(t, fmt.Sprintf(form, c.lines)), nil)
		if err != nil || len(f.Objects[0].Properties) != c.want {
			t.Errorf("%s: %+v, %v", c.lines, f, err)
		}
	}
}

// TestDictionary tests that every property of every object is written under its name and round-trips.
func TestDictionary(t *testing.T) {
	objects, properties := 0, 0
	values := map[layout.Kind][]byte{
		layout.Bool: {1, 0, 0, 0}, layout.Integer: {254, 255, 255, 255}, layout.Unsigned: {3, 0, 0, 0}, layout.Float: f32(0.25),
		layout.Integer64: {1, 2, 3, 4, 5, 6, 7, 8}, layout.String: wide("some text"), layout.Translate: wide("some text"),
		layout.Vector2: f32(1, 2), layout.Vector3: f32(1, 2, 3), layout.Vector4: f32(1, 2, 3, 4),
	}
	for d := range layout.Descriptors() {
		objects++
		if layout.DescriptorOf(d.Code) != d || layout.DescriptorNamed(strings.ToUpper(d.Name)) != d {
			t.Errorf("%s is not found", d.Name)
		}
		o := &layout.Object{Descriptor: d.Code, ID: 1, Name: "an object"}
		f := &layout.File{Version: layout.Version, Objects: []*layout.Object{o}}
		var want []string
		for _, p := range d.Properties {
			properties++
			if d.Property(p.Code).Name != p.Name || d.Named(strings.ToLower(p.Name)).Code != p.Code {
				t.Errorf("%s: %s is not found", d.Name, p.Name)
			}
			value := values[p.Kind]
			if value == nil {
				t.Fatalf("%s: %s is of %v", d.Name, p.Name, p.Kind)
			}
			if p.Name == "NAME" {
				value = wide(o.Name)
			}
			if d.Code == 1 && strings.Contains("RANDOMIZATION TAG NO TAG FOUND DEACTIVE THEMES", p.Name) {
				continue // these are only in the tree of groups
			}
			if p.Name == "ALLOWED" {
				continue // the editor does not compile it
			}
			o.Properties = append(o.Properties, layout.Property{Code: p.Code, Data: value})
			want = append(want, p.Name)
		}
		if d.Code == 1 {
			f.Groups = &layout.Group{ID: -1, Tag: -1,
				Children: []*layout.Group{{ID: 1, Object: o, Randomization: 1, Number: 3, Tag: -1, LevelUnique: 1}}}
		}
		data, err := f.Encode()
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		form, residue, err := layout.Decompile(data, layout.Options{})
		if err != nil || residue != nil || bytes.Contains(form, []byte("#\x00")) {
			t.Errorf("%s: residue %+v, %v\n%s", d.Name, residue, err, plain(form))
		}
		for _, name := range want {
			if !strings.Contains(plain(form), ">"+name) {
				t.Errorf("%s: no %s in the text", d.Name, name)
			}
		}
	}
	if objects != 158 || properties != 2335 {
		t.Errorf("%d objects with %d properties", objects, properties)
	}
	if n, ok := layout.TagNumber("shrine lootable"); n != 7 || !ok {
		t.Errorf("tag number %d, %v", n, ok)
	}
	if name, ok := layout.TagName(62); name != "DUNGEON MUCKERY" || !ok {
		t.Errorf("tag name %q, %v", name, ok)
	}
	if _, ok := layout.TagName(-1); ok {
		t.Error("tag -1 has a name")
	}
}

func TestReferences(t *testing.T) {
	f, err := layout.Decode(compileString(t, sample))
	if err != nil {
		t.Fatal(err)
	}
	f.Objects[4].Properties = []layout.Property{{layout.DescriptorNamed("Damage Shape").Named("UNITTYPE").Code, wide(`Media\a.dat`)}}
	var got []string
	for r := range f.References() {
		got = append(got, fmt.Sprint(r.Object.ID, " ", r.Property.Name, " ", r.Path))
	}
	want := []string{"-101 LAYOUT FILE media/layouts/door.layout", `106 UNITTYPE Media\a.dat`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestProperty tests that values are returned only for the right kind.
func TestProperty(t *testing.T) {
	p := func(b ...byte) layout.Property { return layout.Property{Data: b} }
	yes, ok := p(7, 0, 0, 0).Bool()
	_, bad := p(1).Bool()
	if !yes || !ok || bad {
		t.Error("Bool", yes, ok, bad)
	}
	n, ok := p(255, 255, 255, 255, 255, 255, 255, 255).Int64()
	_, bad = p(1, 0, 0, 0).Int64()
	if n != -1 || !ok || bad {
		t.Error("Int64", n, ok, bad)
	}
	v, ok := p(f32(1, 2, 3)...).Floats()
	_, bad = p(0, 0).Floats()
	if !slices.Equal(v, []float32{1, 2, 3}) || !ok || bad {
		t.Error("Floats", v, ok, bad)
	}
	list, ok := p(2, 0, 1, 0, 0, 0, 2, 0, 0, 0).List()
	_, bad = p(2, 0, 1, 0, 0, 0).List()
	if !slices.Equal(list, []uint32{1, 2}) || !ok || bad {
		t.Error("List", list, ok, bad)
	}
	s, ok := p(wide("text")...).Text()
	_, bad = p(9).Text()
	if s != "text" || !ok || bad {
		t.Error("Text", s, ok, bad)
	}
}

func ExampleCompile() {
	data, err := layout.Compile([]byte(`[Layout]
	[OBJECTS]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Timer
				<STRING>NAME:Tick
				<INTEGER64>ID:1
				<FLOAT>TIME:0.5
			[/PROPERTIES]
		[/BASEOBJECT]
	[/OBJECTS]
[/Layout]
`), nil, layout.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := layout.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for o := range f.All() {
		seconds, _ := o.Properties[0].Floats()
		fmt.Println(o.Title(), layout.DescriptorOf(o.Descriptor).Property(o.Properties[0].Code).Name, seconds)
	}
	// Output: Tick TIME [0.5]
}

// TestMarkedStrings tests that the text holds strings that do not fit into a line, also after an edit of another line.
func TestMarkedStrings(t *testing.T) {
	strs := []string{"\xed\xa0\xbd\n"}
	for c := range rune(0x20) {
		strs = append(strs, string(c), "a"+string(c)+"b", "a"+string(c))
	}
	for _, s := range strs {
		marked := 0
		if strings.ContainsAny(s, "\n\r\x00") {
			marked = 6
		}
		track := layout.Track{Property: s, Points: []layout.Point{{Value: s}}}
		f := &layout.File{Version: layout.Version, Objects: []*layout.Object{
			{Descriptor: layout.DescriptorNamed("Monster").Code, ID: 1, Name: s},
			{Descriptor: layout.DescriptorNamed("Logic Group").Code, ID: 2, Extra: &layout.LogicGroup{Objects: []layout.LogicObject{
				{ObjectID: 1, Links: []layout.LogicLink{{Output: s, Input: s}}}}}},
			{Descriptor: layout.DescriptorNamed("Timeline").Code, ID: 3, Extra: &layout.Timeline{Objects: []layout.TimelineObject{
				{ObjectID: 1, Tracks: []layout.Track{track, {Event: s, Points: []layout.Point{{}}}}}}}},
		}}
		want, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		form, residue, err := layout.Decompile(want, layout.Options{})
		if err != nil || residue != nil {
			t.Errorf("%q: residue %v, %v", s, residue, err)
		}
		if got, err := layout.Compile(form, nil, layout.Options{}); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %x became %x, %v", s, want, got, err)
		}
		found := check.Collect(func(s check.Sink) { layout.CheckText(form, s) })
		if len(found) != marked {
			t.Errorf("%q: %v, want %d marked lines", s, found, marked)
		}
		if marked == 0 {
			continue
		}
		for _, odd := range []string{"0a0", "0a"} {
			units := bin.AppendUTF16(nil, hex.EncodeToString(bin.AppendUTF16(nil, s)))
			broken := bytes.Replace(form, units, bin.AppendUTF16(nil, odd), 1)
			if _, err := layout.Compile(broken, nil, layout.Options{}); err == nil ||
				!strings.Contains(err.Error(), "UTF-16 units in hexadecimal after #NAME") {
				t.Errorf("%q: %v", odd, err)
			}
		}
	}
}
