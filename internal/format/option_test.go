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

func TestJobValues(t *testing.T) {
	job := &Job{Values: map[string]string{"i": "-3", "n": "0.5", "c": "#01020304", "p": "1,2,3", "l": "a\nb c", "empty": ""}}
	if job.Integer("i") != -3 || job.Number("n") != 0.5 || !slices.Equal(job.Place("p"), []float64{1, 2, 3}) || !slices.Equal(job.List("l"), []string{"a", "b c"}) {
		t.Error("values do not come back")
	}
	if c, ok := job.Color("c"); !ok || c != (color.NRGBA{1, 2, 3, 4}) {
		t.Error(c, ok)
	}
	if _, ok := job.Color("empty"); ok || job.Integer("empty") != 0 || job.Place("empty") != nil || job.List("empty") != nil {
		t.Error("values where there are none")
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
