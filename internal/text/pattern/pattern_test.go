package pattern

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPossible(t *testing.T) {
	const digits = "0123456789.:xyor "
	tiles := Words{Characters: digits}
	nodes := Words{Characters: " *=0123456789-yz", Words: []string{"default:stone", `"odd name"`, "mesecons:wire_0"}}
	for _, c := range []struct {
		w    Words
		expr string
		want bool
	}{
		{tiles, "sv_deepfly", false}, {tiles, "12xr", true}, {tiles, "26:3", true}, {tiles, "(?i)X", true}, {tiles, "X", false},
		{tiles, "[a-z]", true}, {tiles, "[a-n]", false}, {tiles, "a*", true}, {tiles, "a+", false}, {tiles, "a?1", true},
		{tiles, "(a|1)", true}, {tiles, "(a|b)", false}, {tiles, ".", true}, {tiles, "^$", true}, {tiles, "a{0,3}", true},
		{tiles, "a{2}", false}, {tiles, "", true}, {tiles, `\d+ foo`, false}, {tiles, "[^0-9]", true}, {tiles, "(?i)ſ", false},
		{tiles, `\b1\b`, true}, {Words{Characters: "01"}, "1 0", false},
		{nodes, "stone", true}, {nodes, "default:mese", false}, {nodes, "mese", true}, {nodes, "STONE", false}, {nodes, "(?i)STONE", true},
		{nodes, `stone\*16 `, true}, {nodes, "y 0-15 +default", true}, {nodes, "stone16", false}, {nodes, "enots", false},
		{nodes, "odd name", true}, {nodes, `"odd`, true}, {nodes, "stone default:stone", true}, {nodes, "stone.*wire", true},
		{nodes, "3=default:stone", true}, {nodes, "owner = me", false}, {nodes, "(?i)mesecons:Wire_0", true}, {nodes, "(?i)\u212Aey", false},
		{Words{Words: []string{"key"}}, "(?i)\u212Aey", true}, {Words{Words: []string{"a"}}, "a b", false},
	} {
		p, err := New(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Possible(c.w); got != c.want {
			t.Errorf("%q: %v, want %v", c.expr, got, c.want)
		}
	}
}

// TestPossibleIsNeverTooStrict tests that Possible reports true for every matching line.
func TestPossibleIsNeverTooStrict(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := Words{Characters: " *=01y", Words: []string{"ab:Cd", `"q y"`, "x1*0", "ß"}}
	tokens := append(slices.Clone(w.Words), "0", "1", "y", "10y", "01")
	pieces := []string{"1", "x", "q", "ab:", "b:Cd", "Cd", "y", ".", "[0-5]", "[^0-5]", "(1|q)", `\*`, "*", "+", "?",
		"(?i:aB)", "(?i:Q)", `\b`, "^", "$", " ", "{0,2}", "|", `"`, "="}
	matched := 0
	for range 50000 {
		expr, line := "", ""
		for range 1 + rng.IntN(5) {
			expr += pieces[rng.IntN(len(pieces))]
		}
		for range rng.IntN(6) {
			line += tokens[rng.IntN(len(tokens))] + string(separators[rng.IntN(len(separators))])
		}
		p, err := New(expr)
		if err != nil || !p.In([]byte(line)) {
			continue
		}
		matched++
		if !p.Possible(w) {
			t.Errorf("%q matches %q and is not possible", expr, line)
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}

func TestLines(t *testing.T) {
	p, err := New("^b|c$")
	if err != nil {
		t.Fatal(err)
	}
	got := p.Lines([]byte("abc\r\nbad\nx\ncb"))
	if want := []Hit{{1, "abc"}, {2, "bad"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := New("a("); err == nil || strings.Contains(err.Error(), "(?m)") {
		t.Errorf("the error of what is no expression is %v", err)
	}
}
