package fault_test

import (
	"testing"

	"trowel.example/fault"
)

func TestTextError(t *testing.T) {
	for want, e := range map[string]fault.TextError{
		"a.json:3:7: quads[1].color: too red": {File: "a.json", Line: 3, Column: 7, Path: "quads[1].color", Msg: "too red"},
		"a.json:3: too red":                   {File: "a.json", Line: 3, Msg: "too red"},
		"a.json: name: too long":              {File: "a.json", Path: "name", Msg: "too long"},
		"line 3:7: too red":                   {Line: 3, Column: 7, Msg: "too red"},
		"too red":                             {Msg: "too red"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
