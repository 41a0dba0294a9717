package strictjson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/text/strictjson"
)

type base struct {
	Type string `json:"type"`
	Name string `json:"name" need:"a name, or \"\" for none"`
}

type form struct {
	base
	Count  uint8          `json:"count,omitempty"`
	Signed *int32         `json:"signed,omitempty"`
	On     bool           `json:"on,omitempty"`
	Point  [2]int         `json:"point,omitzero"`
	List   []form         `json:"list,omitempty"`
	Odd    odd            `json:"odd,omitzero"`
	Hidden map[string]int `json:"-"`
}

// odd is a number that is not even.
type odd struct{ n, line, column int }

func (o odd) MarshalJSON() ([]byte, error) { return json.Marshal(o.n) }

func (o *odd) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &o.n); err != nil || o.n%2 == 0 {
		return fmt.Errorf("%s is not odd", text)
	}
	return nil
}

func (o *odd) SetPlace(line, column int) { o.line, o.column = line, column }

// TestRoundTrip tests that the output of encoding/json is read unchanged.
func TestRoundTrip(t *testing.T) {
	signed := int32(-1 << 31)
	want := form{base: base{"ä\"\\\n<>", "x"}, Count: 255, Signed: &signed, On: true, Point: [2]int{1, -1},
		List: []form{{base: base{Name: "inner \U0001f333"}}}, Odd: odd{n: 3}}
	for _, write := range []func(any) ([]byte, error){json.Marshal, func(v any) ([]byte, error) { return json.MarshalIndent(v, "\t", "  ") }} {
		data, err := write(want)
		if err != nil {
			t.Fatal(err)
		}
		var got form
		if errs := strictjson.Unmarshal(data, &got); len(errs) > 0 {
			t.Fatalf("%v: %s", errs, data)
		}
		got.Odd.line, got.Odd.column = 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v of %s", got, data)
		}
		if typ := strictjson.Type(data, "name"); typ != "x" {
			t.Errorf("Type = %q", typ)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"name": "a"}`, ""},
		{`{"name": "a", "signed": null, "list": [], "odd": 5} ` + "\n\t", ""},
		{``, `1:1: invalid JSON: the end of the file: expected a value`},
		{`[]`, `1:1: []: expected an object, { ... }`},
		{`{"name": "a"} x`, `1:15: invalid JSON: text after the end of the JSON value`},
		{`{`, `1:2: invalid JSON: the end of the file: expected the name of a field in quotes`},
		{`{"name" "a"}`, `1:9: invalid JSON: '"': expected a colon after "name"`},
		{"{\n  \"name\": \"a\"\n  \"on\": true}", `3:3: invalid JSON: '"': expected a comma or } after a field`},
		{`{"name": "a", }`, `1:15: invalid JSON: '}': expected the name of a field in quotes`},
		{`{"name": "a}`, `1:10: invalid JSON: a string that is not closed: expected a quote`},
		{"{\"name\": \"a\n\"}", `1:12: invalid JSON: a string that is not closed in its line: expected a quote`},
		{`{"name": "\q"}`, `1:10: invalid JSON: "\q": not a string`},
		{"{\"name\": \"\xff\"}", `1:10: invalid JSON: a string that is not UTF-8`},
		{`{"name": nul}`, `1:10: invalid JSON: nul: not a value`},
		{`{"name": a}`, `1:10: invalid JSON: a: not a value`},
		{`{}`, `1:1: the field "name" is missing: expected a name, or "" for none`},
		{`{"nam": "a"}`, `1:2: unknown field "nam": expected one of type, name, count, signed, on, point, list, odd`},
		{`{"Name": "a"}`, `1:2: unknown field "Name": expected one of type, name, count, signed, on, point, list, odd`},
		{`{"name": "a", "name": "b"}`, `1:15: the field "name" occurs twice`},
		{`{"name": "a", "count": 256}`, `1:24: count: 256: the number must be 0 to 255`},
		{`{"name": "a", "count": -1}`, `1:24: count: -1: the number must be 0 to 255`},
		{`{"name": "a", "count": 1.5}`, `1:24: count: 1.5: expected a whole number`},
		{`{"name": "a", "count": "1"}`, `1:24: count: "1": expected a whole number`},
		{`{"name": "a", "signed": 99999999999999999999}`, `1:25: signed: 99999999999999999999: the number must be -2147483648 to 2147483647`},
		{`{"name": "a", "on": 1}`, `1:21: on: 1: expected true or false`},
		{`{"name": "ä", "point": [1]}`, `1:24: point: a list of 1 value: expected 2`},
		{`{"name": "a", "point": [1, 2, {"x": [3]}]}`, `1:24: point: a list of 3 values: expected 2`},
		{`{"name": "a", "point": [1, "2"]}`, `1:28: point[1]: "2": expected a whole number`},
		{`{"name": "a", "point": {"x": 1, "y": 2}}`, `1:24: point: {"x": 1, "y": 2}: expected a list of 2 values`},
		{`{"name": "a", "list": 5}`, `1:23: list: 5: expected a list, [ ... ]`},
		{`{"name": "a", "list": [{"name": "b"}, {}, {"name": 5}]}`,
			`1:39: list[1]: the field "name" is missing: expected a name, or "" for none; 1:52: list[2].name: 5: expected a string in quotes`},
		{`{"name": "a", "odd": 4}`, `1:22: odd: 4 is not odd`},
		{`{"name": "a", "list": [` + strings.Repeat("[", 300), `1:24: list[0]: invalid JSON: more than 200 levels`},
	} {
		var got form
		var errs []string
		for _, e := range strictjson.Unmarshal([]byte(c.text), &got) {
			errs = append(errs, e.Error())
		}
		if c.want != "" && strings.Contains(c.want, "levels") {
			if len(errs) != 1 || !strings.Contains(errs[0], "more than 200 levels") {
				t.Errorf("deep: %q", errs)
			}
			continue
		}
		if diff := cmp.Diff(c.want, strings.Join(errs, "; ")); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	var got form
	errs := strictjson.Unmarshal([]byte("{\r\n \"name\": \"ää\", \"odd\":\n\t 7}"), &got)
	if len(errs) > 0 || got.Odd != (odd{7, 3, 3}) {
		t.Errorf("%v, %+v", errs, got.Odd)
	}
	for _, text := range []string{"", "[]", "{", `{"type"`, `{"type": 5}`, `{"type": ["a"]}`, `{"other": "x"}`, `{"type": "x`} {
		if typ := strictjson.Type([]byte(text), "type"); typ != "" {
			t.Errorf("Type(%q) = %q", text, typ)
		}
	}
	if typ := strictjson.Type([]byte(`{"a": {"type": "no"}, "b": [1, "x"], "type": "yes", bad`), "type"); typ != "yes" {
		t.Errorf("Type = %q", typ)
	}
}

// FuzzUnmarshal tests that encoding/json also accepts all text that is read without an error, and that nothing panics.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"name": "a", "list": [{"name": "\u00e4"}], "point": [1, 2], "odd": 3, "signed": null}`))
	f.Add([]byte(`{"name": "a", "count": 1e3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want form
		strictjson.Type(data, "type")
		if errs := strictjson.Unmarshal(data, &got); len(errs) > 0 {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Errorf("%q: %v", data, err)
		}
		got.clear()
		want.clear()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, not %+v", data, got, want)
		}
	})
}

func (f *form) clear() {
	f.Odd.line, f.Odd.column = 0, 0
	if len(f.List) == 0 {
		f.List = nil
	}
	for i := range f.List {
		f.List[i].clear()
	}
}

type Left struct {
	Common []int `json:"left"`
}

type Right struct {
	Common []int `json:"right"`
}

// TestEmbedded tests that fields of embedded structs are found by their JSON keys, that embedded pointers are
// allocated, and that a list that is null is empty.
func TestEmbedded(t *testing.T) {
	var v struct {
		*Left
		*Right
	}
	if errs := strictjson.Unmarshal([]byte(`{"right": [1, 2]}`), &v); len(errs) > 0 || v.Left != nil || len(v.Right.Common) != 2 {
		t.Errorf("%v, %+v", errs, v)
	}
	if errs := strictjson.Unmarshal([]byte(`{"left": null}`), &v); len(errs) > 0 || v.Left == nil || v.Left.Common != nil {
		t.Errorf("%v, %+v", errs, v)
	}
}

// pairs keep the order of the members of an object; a list of pairs is an alternative.
type pairs []pair

type pair struct {
	Key   string `json:"key" need:"a key"`
	Value int    `json:"value"`
}

func (p *pairs) JSONForm(first byte) any {
	*p = nil
	if first == '[' {
		return (*[]pair)(p)
	}
	return func(key string) any {
		*p = append(*p, pair{Key: key})
		return &(*p)[len(*p)-1].Value
	}
}

func (p *pair) CheckJSON() error {
	if p.Value > 9 {
		return fmt.Errorf("%d is above 9", p.Value)
	}
	return nil
}

// TestForms tests types that have several forms and a check.
func TestForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 1, "a": 2}`:                         "[{b 1} {a 2}] []",
		`[{"key": "b", "value": 1}, {"key": "a"}]`: "[{b 1} {a 0}] []",
		`{"b": 1, "b": 2}`:                         `[{b 1} {b 2}] [1:10: the field "b" occurs twice]`,
		"\ufeff" + `{"b": "x"}`:                    `[{b 0}] [1:7: b: "x": expected a whole number]`,
		`null`:                                     "[] [1:1: null: expected an object, { ... }]",
		"[{\"value\": 1},\n {\"key\": \"a\", \"value\": 10}]": `[{ 1} {a 10}] [1:2: [0]: the field "key" is missing: expected a key ` +
			`2:2: [1]: 10 is above 9]`,
	} {
		var p pairs
		errs := strictjson.Unmarshal([]byte(text), &p)
		if got := fmt.Sprint(p, " ", errs); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestParseValue(t *testing.T) {
	v, err := strictjson.Parse([]byte(` {"b": [1, "x\u00e9", true], "a": null, "b": -2.5e3}`))
	if err != nil {
		t.Fatal(err)
	}
	want := strictjson.Value{At: 1, End: 52, Line: 1, Kind: '{', Members: []strictjson.Member{
		{Key: "b", At: 2, Value: strictjson.Value{At: 7, End: 27, Line: 1, Kind: '[', List: []strictjson.Value{
			{At: 8, End: 9, Line: 1, Kind: '0', Text: "1"}, {At: 11, End: 20, Line: 1, Kind: '"', Text: "xé"},
			{At: 22, End: 26, Line: 1, Kind: 't', Text: "true"}}}},
		{Key: "a", At: 29, Value: strictjson.Value{At: 34, End: 38, Line: 1, Kind: 'n', Text: "null"}},
		{Key: "b", At: 40, Value: strictjson.Value{At: 45, End: 51, Line: 1, Kind: '0', Text: "-2.5e3"}},
	}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		``:                "1:1: invalid JSON: the end of the file: expected a value",
		`{} {}`:           "1:4: invalid JSON: text after the end of the JSON value",
		`["\ud800` + `"]`: `1:2: invalid JSON: a \u escape that is half of a character`,
		"[\n1 2]":         "2:3: invalid JSON: '2': expected a comma or ] after a value",
	} {
		if _, err := strictjson.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestWTF8 tests that only UnmarshalWTF8 reads an escape that is half of a character.
func TestWTF8(t *testing.T) {
	data := []byte(`{"type": "\ud800x\n\u00e9é\ud83d\ude00\\ufffd\udc00", "name": ""}`)
	var f form
	if errs := strictjson.Unmarshal(data, &f); len(errs) != 1 {
		t.Errorf("%v, want 1 error", errs)
	}
	if errs := strictjson.UnmarshalWTF8(data, &f); len(errs) > 0 || f.Type != "\xed\xa0\x80x\néé\U0001f600\\ufffd\xed\xb0\x80" {
		t.Errorf("%q, %v", f.Type, errs)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(` {"b": [1, "x\u00e9", true], "a": null, "b": -2.5e3}`))
	f.Add([]byte(`[[[[[1]]]], "\ud83d\ude00"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := strictjson.Parse(data); err == nil && !json.Valid(data) {
			t.Error("what is no JSON was read")
		}
	})
}
