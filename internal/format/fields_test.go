package format

import (
	"errors"
	"fmt"
	"image/color"
	"reflect"
	"strings"
	"testing"
)

type areaFields struct {
	Area []float64 `option:"area" default:"0,0" help:"{x,y}"`
}

type fillFields struct {
	areaFields
	Tile  string       `arg:"tile" names:"tile" help:"the tile"`
	At    *int         `option:"at" help:"the place"`
	Force *float64     `option:"force"`
	Tint  *color.NRGBA `option:"tint" help:"the colour"`
	Names []string     `option:"name,input" choices:"a|b,c|b" help:"names"`
	Quads []int        `option:"quad" help:"numbers"`
	Path  [][]float64  `option:"path" help:"places"`
	All   bool         `option:"all" help:"everything"`
}

func (fillFields) Describe(o *Option) {
	o.Explain("force", "a long text")
	o.As(Option{Name: "at", Type: Integer, Help: "as elsewhere"})
	if o.Name == "area" {
		o.Default = "0,1"
	}
}

func TestDeclare(t *testing.T) {
	fill := Declare[fillFields](Command{Name: "fill"}, "done")
	want := []Option{
		{Name: "area", Type: Place, Default: "0,1", Help: "`x,y`"}, {Name: "at", Type: Integer, Help: "as elsewhere"},
		{Name: "force", Type: Number, Help: "a long text"}, {Name: "tint", Type: Color, Help: "the colour"},
		{Name: "name", List: true, Access: Access{Input: true}, Choices: []string{"a", "b,c", "b"}, Help: "names"},
		{Name: "quad", List: true, Type: Integer, Help: "numbers"}, {Name: "path", List: true, Type: Place, Help: "places"},
		{Name: "all", Type: Bool, Help: "everything"},
	}
	if arg := []Option{{Name: "tile", Names: "tile", Help: "the tile"}}; !reflect.DeepEqual(fill.Args, arg) {
		t.Errorf("arguments %+v, want %+v", fill.Args, arg)
	}
	if !reflect.DeepEqual(fill.Options, want) || !reflect.DeepEqual(OptionsOf[fillFields](), want) || fill.Do != "done" {
		t.Errorf("%+v, want %+v", fill, want)
	}
	steps, err := ParseSteps(&Job{}, []*Command{fill}, strings.Fields("fill freeze --at 0 --tint #ff000080 --name a "+
		"--name b --quad 2 --quad 3 --path 1,2 --all"))
	if err != nil {
		t.Fatal(err)
	}
	values := fillFields{areaFields{[]float64{0, 1}}, "freeze", new(0), nil, &color.NRGBA{R: 255, A: 128}, []string{"a", "b"},
		[]int{2, 3}, [][]float64{{1, 2}}, true}
	if got := Values[fillFields](steps[0].Job); !reflect.DeepEqual(got, values) {
		t.Errorf("%+v, want %+v", got, values)
	}
}

func TestDeclareErrors(t *testing.T) {
	for want, declare := range map[string]func(){
		"expected the tag arg or option": func() { OptionsOf[struct{ A int }]() },
		"unknown tag hepl": func() {
			OptionsOf[struct {
				A int `option:"a" hepl:"x"`
			}]()
		},
		`unknown mark "inputs"`: func() {
			OptionsOf[struct {
				A int `option:"a,inputs"`
			}]()
		},
		"no option has values of type int32": func() {
			OptionsOf[struct {
				A int32 `option:"a"`
			}]()
		},
		"do: the option a has no help, a wrong": func() {
			Declare[struct {
				A int `option:"a"`
			}](Command{Name: "do"}, nil)
		},
		"the option b has no help, a wrong": func() {
			Declare[struct {
				B int `option:"b" default:"x" help:"x"`
			}](Command{}, nil)
		},
		"the option area has no help, a wrong d": func() {
			Declare[struct {
				areaFields
				Area string `arg:"area" help:"x"`
			}](Command{}, nil)
		},
	} {
		err := func() (err error) {
			defer func() { err = errors.New(fmt.Sprint(recover())) }()
			declare()
			return nil
		}()
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
