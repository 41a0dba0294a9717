package verbs

import (
	"testing"

	"trowel.example/check"
	"trowel.example/cmd/internal/terminal"
)

// FuzzPlaces tests that encoded places are restored, and that any input gives places or an error.
func FuzzPlaces(f *testing.F) {
	some := places{check.Line{Path: "a<b", Line: 3, Column: 4}, nil, check.File("dir/ü"),
		check.Span{Offset: 1 << 40, Length: 2}, check.Line{Line: 1}}
	data, err := some.GobEncode()
	if err != nil {
		f.Fatal(err)
	}
	var back places
	if err := back.GobDecode(data); err != nil || len(back) != len(some) {
		f.Fatal(back, err)
	}
	for i, at := range back {
		if (at == nil) != (some[i] == nil) {
			f.Fatalf("%d: %v", i, at)
		}
		if at == nil {
			continue
		}
		got, _ := terminal.Compact(at)
		want, _ := terminal.Compact(some[i])
		_, line := at.(check.Line)
		if _, was := some[i].(check.Line); string(got) != string(want) || at.String() != some[i].String() || line != was {
			f.Errorf("%s %s, want %s %s", got, at, want, some[i])
		}
	}
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add([]byte{placeOther, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var p places
		if p.GobDecode(data) != nil {
			return
		}
		if _, err := terminal.Compact([]check.Place(p)); err != nil {
			t.Error(err)
		}
	})
}
