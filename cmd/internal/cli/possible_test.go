package cli

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"testing"
)

func TestPossible(t *testing.T) {
	const digits = "0123456789.:xyor "
	for pattern, want := range map[string]bool{
		"sv_deepfly": false, "12xr": true, "26:3": true, "(?i)X": true, "X": false, "[a-z]": true, "[a-n]": false,
		"a*": true, "a+": false, "a?1": true, "(a|1)": true, "(a|b)": false, ".": true, "^$": true, "a{0,3}": true, "a{2}": false,
		"": true, "\\d+ foo": false, "[^0-9]": true, "(?i)ſ": false, "\\b1\\b": true,
	} {
		re, err := syntax.Parse("(?m)"+pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := possible(re.Simplify(), digits); got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
	}
	// Whatever matches is possible.
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"1", "x", "q", "X", ".", "[0-5]", "[^0-5]", "(1|q)", "*", "+", "?", "(?i:X)", "(?i:Q)", "\\b", "^", "$", " ", "{0,2}", "|"}
	matched := 0
	for range 20000 {
		pattern, line := "(?m)", ""
		for range 1 + rng.IntN(5) {
			pattern += pieces[rng.IntN(len(pieces))]
		}
		for range rng.IntN(6) {
			line += string(digits[rng.IntN(len(digits))])
		}
		re, err := regexp.Compile(pattern)
		if err != nil || !re.MatchString(line) {
			continue
		}
		matched++
		if parsed, err := syntax.Parse(pattern, syntax.Perl); err != nil || !possible(parsed.Simplify(), digits) {
			t.Errorf("%q matches %q and is not possible", pattern, line)
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}
