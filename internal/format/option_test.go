package format

import (
	"image/color"
	"slices"
	"testing"
)

func TestOptionCheck(t *testing.T) {
	for _, test := range []struct {
		option Option
		good   []string
		bad    []string
	}{
		{Option{}, []string{"", "anything"}, nil},
		{Option{Choices: []string{"null", "checker"}}, []string{"null", "checker"}, []string{"", "Null", "x"}},
		{Option{Type: Integer}, []string{"0", "-5", "2147483647"}, []string{"", "1.5", "2147483648", "0x10", "1_000"}},
		{Option{Type: Number}, []string{"0", "-2.5", "1e3"}, []string{"", "NaN", "Inf", "-inf", "1e999", "2 3"}},
		{Option{Type: Color}, []string{"#ff8000", "#FF800080"}, []string{"", "ff8000", "#ff80", "#ff80000", "#gg0000", "#+f8000"}},
		{Option{Type: Place}, []string{"1,2", "-1.5, 2,3"}, []string{"", "1", "1,2,3,4", "1,x", "1;2", "NaN,1"}},
	} {
		for _, value := range test.good {
			if err := test.option.Check(value); err != nil {
				t.Errorf("%+v: %q: %v", test.option, value, err)
			}
		}
		for _, value := range test.bad {
			if test.option.Check(value) == nil {
				t.Errorf("%+v takes %q", test.option, value)
			}
		}
	}
}

func TestOptionValues(t *testing.T) {
	job := &Job{Values: map[string]string{"i": "-3", "n": "0.5", "c": "#01020304", "p": "1,2,3", "l": "a\nb c", "b": "true", "empty": ""}}
	of := func(name string) *Option { return &Option{Name: name} }
	if of("i").Integer(job) != -3 || of("n").Number(job) != 0.5 || !of("b").On(job) || of("i").On(job) {
		t.Error("wrong number or Bool")
	}
	if !slices.Equal(of("p").Place(job), []float64{1, 2, 3}) || !slices.Equal(of("l").Values(job), []string{"a", "b c"}) {
		t.Error("wrong place or list")
	}
	if c, ok := of("c").Color(job); !ok || c != (color.NRGBA{1, 2, 3, 4}) {
		t.Error(c, ok)
	}
	empty := of("empty")
	if _, ok := empty.Color(job); ok || empty.Integer(job) != 0 || empty.Place(job) != nil || empty.Values(job) != nil {
		t.Error("an option without a value has one")
	}
}

func TestLook(t *testing.T) {
	v := View{Layers: []Layer{{Name: "a", Shown: true}, {Name: "b"}}}
	if !v.Draws(Look{}, "a") || v.Draws(Look{}, "b") || v.Draws(Look{}, "c") {
		t.Error("a look that names no layers is not the usual one")
	}
	if look := (Look{Layers: []string{"b"}}); v.Draws(look, "a") || !v.Draws(look, "b") {
		t.Error("the layers of a look are not those that it names")
	}
	if v.Draws(Look{Layers: []string{}}, "a") {
		t.Error("a look with no layers draws one")
	}
}
