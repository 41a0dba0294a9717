package luatable

import (
	"errors"
	"math"
	"strings"
	"testing"

	"trowel.example/fault"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		`return {{owner = "a\nb", ["x"] = -1.5e2, [3] = true, n = nil}, "two"}`,
		`local _={};_[1]="a\nb";_[2]={};return {{["owner"]=_[1],x=-150,[3]=true},"two",}`,
		"local _={}\n_[1]={}\n_[1].owner='a\\10b'; _[1][\"x\"]=-0x96 _[1][3]=true\nreturn {_[1];[[two]]} -- done",
		"{{owner='a\\x0ab',x=-150,[3]=true},[==[\ntwo]==]}",
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		list := v.Table.List()
		if len(list) != 2 || list[1].Text != "two" {
			t.Errorf("%s: %+v", text, list)
			continue
		}
		in := list[0].Table
		if owner := in.Get("owner"); owner.Text != "a\nb" || in.Get("x").Number != -150 || in.Get("none").Kind != Nil {
			t.Errorf("%s: %+v", text, in)
		}
		if last := in.Entries[2]; last.Key.Number != 3 || !last.Value.Bool {
			t.Errorf("%s: %+v", text, last)
		}
		if got := text[list[1].Start:list[1].End]; !strings.Contains(got, "two") {
			t.Errorf("%s: the second element is at %q", text, got)
		}
	}
	for text, want := range map[string]float64{"return 1/0": math.Inf(1), "-1/0": math.Inf(-1), "math.huge": math.Inf(1),
		"-math.huge": math.Inf(-1), "1.4073748838810e+14": 1.4073748838810e14, "0x10": 16} {
		if v, err := Parse([]byte(text)); err != nil || v.Number != want {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
	if v, err := Parse([]byte("0/0")); err != nil || !math.IsNaN(v.Number) {
		t.Error(v, err)
	}
}

func TestEach(t *testing.T) {
	for _, text := range []string{`return {1, 2, --[[ no
3, ]] [5] = 4}`, `local _={};_[1]={1,2};_[1][5]=4;return _[1]`} {
		sum := 0.0
		if err := Each([]byte(text), func(e Entry) error {
			sum += 10*e.Key.Number + e.Value.Number
			return nil
		}); err != nil || sum != 87 {
			t.Errorf("%s: %v, %v", text, sum, err)
		}
	}
	stop := errors.New("stop")
	if err := Each([]byte("{1, 2, 3}"), func(e Entry) error { return stop }); err != stop {
		t.Error(err)
	}
	for _, text := range []string{"return 1", "return {1", "return {1} x"} {
		if err := Each([]byte(text), func(Entry) error { return nil }); err == nil {
			t.Errorf("%s is a table", text)
		}
	}
}

// TestErrors tests that text which Lua would have to execute is rejected, and that parsing always ends.
func TestErrors(t *testing.T) {
	for _, text := range []string{
		"", "return", "return os.exit()", "os.execute('x')", "return {", "return {1 2}", `return "a`, "return _[1]", "return loadstring('')",
		"return {} x", `return "\q"`, `return "\300"`, "return {a=}", "return 1 + 1", "return [[a", "return [=a", "_[1].x=1",
		"return " + strings.Repeat("{", 1000), "return " + strings.Repeat("_[", 1_000_000), "return {" + strings.Repeat("[", 1_000_000),
		"return 1__2", "return -", "local", "return {[nil", `return "\u{110000}"`,
	} {
		v, err := Parse([]byte(text))
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: %+v, %v", text, v, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"return {{[\"name\"] = \"Home\", [\"owner\"] = \"ann\", [\"pos1\"] = {[\"x\"] = -1, [\"y\"] = 2, [\"z\"] = 3}}}",
		"local _={};_[1]={};_[1].a=_[1];return {_[1],'x\\065',[[y]],0x1p4,1/0}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err == nil && (v.Start > v.End || v.End > len(text)) {
			t.Errorf("%q: at %d to %d", text, v.Start, v.End)
		}
	})
}
