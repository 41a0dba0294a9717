package format

import (
	"image/color"
	"reflect"
	"strings"
	"testing"
)

type areaFields struct {
	Area []float64 `option:"area"`
}

type fillFields struct {
	areaFields
	Tile  string       `option:"tile"`
	At    *int         `option:"at"`
	Force *float64     `option:"force"`
	Tint  *color.NRGBA `option:"tint"`
	Names []string     `option:"name"`
	Quads []int        `option:"quad"`
	Path  [][]float64  `option:"path"`
	All   bool         `option:"all"`
}

var fillOptions = []Option{
	{Name: "area", Type: Place}, {Name: "tile"}, {Name: "at", Type: Integer}, {Name: "force", Type: Number},
	{Name: "tint", Type: Color}, {Name: "name", List: true},
	{Name: "quad", List: true, Type: Integer}, {Name: "path", List: true, Type: Place}, {Name: "all", Bool: true},
}

func TestValues(t *testing.T) {
	fill := &Command{Name: "fill", Args: fillOptions[1:2],
		Options: append([]Option{{Name: "area", Type: Place, Default: "0,0"}}, fillOptions[2:]...)}
	steps, err := ParseSteps(&Job{}, []*Command{fill}, strings.Fields("fill freeze --at 0 --tint #ff000080 --name a "+
		"--name b --quad 2 --quad 3 --path 1,2 --all"))
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	want := fillFields{areaFields{[]float64{0, 0}}, "freeze", &zero, nil, &color.NRGBA{R: 255, A: 128}, []string{"a", "b"},
		[]int{2, 3}, [][]float64{{1, 2}}, true}
	if got := Values[fillFields](steps[0].Job); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCheckFields(t *testing.T) {
	if err := checkFields(reflect.TypeFor[fillFields](), fillOptions); err != nil {
		t.Error(err)
	}
	type misspelt struct {
		Tile string `option:"tiel"`
	}
	type mistyped struct {
		At string `option:"at"`
	}
	for want, c := range map[string]struct {
		fields  reflect.Type
		options []Option
	}{
		`misspelt.Tile: no option has the name "tiel"`:                 {reflect.TypeFor[misspelt](), fillOptions[1:2]},
		"mistyped.At: the values of option at are a int, not a string": {reflect.TypeFor[mistyped](), fillOptions[2:3]},
		"fillFields has no field for speed": {reflect.TypeFor[fillFields](),
			append(fillOptions[:9:9], Option{Name: "speed"})},
		"<nil> has no field for all, path":               {nil, fillOptions[7:]},
		`areaFields.Area: no option has the name "area"`: {reflect.TypeFor[fillFields](), fillOptions[1:]},
	} {
		if err := checkFields(c.fields, c.options); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
