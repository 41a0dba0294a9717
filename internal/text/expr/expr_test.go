package expr

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// values looks up names in a small table.
func values(name string) (*big.Rat, error) {
	switch strings.ToUpper(name) {
	case "LEVEL":
		return big.NewRat(45, 1), nil
	case "LEVEL1.MANACOST":
		return big.NewRat(7, 2), nil
	case "MEMORY DECAY MULT":
		return big.NewRat(-1, 4), nil
	case "BAD":
		return nil, errors.New("not a number")
	}
	return nil, &MissingError{Name: name, Why: "no " + name}
}

func TestEval(t *testing.T) {
	for source, want := range map[string]string{
		"1+2*3":                               "7",
		"(1+2)*3":                             "9",
		"10-4-3":                              "3",
		"24/4/2":                              "3",
		"1/3*3":                               "1", // exact
		"-2*-3":                               "6",
		"--2":                                 "2",
		"2--2":                                "4",
		" round ( LEVEL * 0.7 ) ":             "32", // 31.5, which floating point misses
		"round(-0.5)":                         "-1",
		"floor(-0.5)":                         "-1",
		"floor(7/2)":                          "3",
		"ceil(7/2)":                           "4",
		"ceil(-7/2)":                          "-3",
		"abs(-2.5)":                           "5/2",
		"MIN(3, 1, 2)":                        "1",
		"max(3, 1, 2)":                        "3",
		"1<2":                                 "1",
		"2<=1":                                "0",
		"(3>2)+(3>=3)+(1=1)+(1==1)+(1!=1)":    "4",
		"if(level>40, 1, 1/0)":                "1",
		"if(level>50, 1/0, 2)":                "2",
		"default(NONE, 3)+default(LEVEL,1/0)": "48",
		"LEVEL1.MANACOST*2":                   "7",
		"[memory decay mult]*4":               "-1",
		"1.5e2+.5+2E-1":                       "1507/10",
		"1\n+\n2":                             "3",
	} {
		e, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := e.Eval(values)
		if err != nil || got.RatString() != want {
			t.Errorf("%s is %v, %v; want %s", source, got, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for source, want := range map[string]string{
		"":                                  "line 1, column 1: expected a number, a key or a function, found the end",
		"1+":                                "line 1, column 3: expected a number, a key or a function, found the end",
		"1 2":                               `line 1, column 3: expected an operator or the end, found "2"`,
		"(1":                                `line 1, column 3: expected an operator or ")", found the end`,
		"1<2<3":                             `line 1, column 4: expected an operator or the end, found "<"`,
		"LEVEL*\n  round(1,2)":              "line 2, column 3: round takes 1 arguments, found 2",
		"if(1,2)":                           "line 1, column 1: if takes 3 arguments, found 2",
		"min()":                             `line 1, column 5: expected a number, a key or a function, found ")"`,
		"sin(1)":                            "line 1, column 1: no function sin (there is abs, ceil, default, floor, if, max, min, round)",
		"default(1, 2)":                     "line 1, column 9: the first argument of default must be a key",
		"1..2":                              `line 1, column 1: "1..2" is not a number`,
		"1e":                                `line 1, column 1: "1e" is not a number`,
		"1e999":                             `line 1, column 1: "1e999" is not a number`,
		"2x":                                `line 1, column 1: "2x" is not a number`,
		"1 + é":                             `line 1, column 5: expected a number, a key or a function, found "é"`,
		"é":                                 `line 1, column 1: expected a number, a key or a function, found "é"`,
		"[]":                                `line 1, column 1: expected a number, a key or a function, found "[]"`,
		"[a":                                `line 1, column 1: expected a number, a key or a function, found "["`,
		"\xff":                              "line 1, column 1: the expression is not valid UTF-8",
		"1/(LEVEL-45)":                      "line 1, column 2: division by zero",
		"1+\nNONE":                          "line 2, column 1: no NONE",
		strings.Repeat("1e-300*", 20) + "1": "line 1, column 56: the result has too many digits",
		"default(BAD, 1)":                   "line 1, column 9: not a number",
		strings.Repeat("(", 101):            "line 1, column 101: more than 100 parentheses or signs inside each other",
		strings.Repeat("-", 2000) + "1":     "line 1, column 101: more than 100 parentheses or signs inside each other",
		strings.Repeat(" ", 4097):           "line 1, column 1: the expression is longer than 4096 bytes",
	} {
		e, err := Parse(source)
		if err == nil {
			_, err = e.Eval(values)
		}
		var at *Error
		if !errors.As(err, &at) || at.Error() != want {
			t.Errorf("%.30q: %v, want %s", source, err, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, s := range []string{"", "-", ".", "1e", "1e+", "+1", "1_0", "0x1", "1/2", "1e1000", strings.Repeat("1", 61), " 1", "Inf", "NaN"} {
		if r, ok := number(s); ok {
			t.Errorf("%q is %v", s, r)
		}
	}
	for s, want := range map[string]string{"-1.50": "-3/2", "1.": "1", ".5": "1/2", "1E2": "100", "2e-2": "1/50"} {
		if r, ok := number(s); !ok || r.RatString() != want {
			t.Errorf("%q is %v", s, r)
		}
	}
}

// FuzzExpr tests that any text gives an expression with a value, or an error with a place in the text.
func FuzzExpr(f *testing.F) {
	for _, seed := range []string{"round(LEVEL*0.8)", "if(LEVEL>10, max(LEVEL-5, 1), 1/3)", "[MEMORY DECAY MULT]/-2e-3", "1<2<3",
		"default(LEVEL1.MANACOST, 0)+\n1", "((((1))))", "--1", "1e9*1e9", "é", "min(", "[a", "0/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		e, err := Parse(source)
		if err == nil {
			var v *big.Rat
			if v, err = e.Eval(values); err == nil && v.Num().BitLen() > maxBits {
				t.Error("a huge number")
			}
		}
		var at *Error
		if err != nil && (!errors.As(err, &at) || at.Line < 1 || at.Column < 1 || at.Line > strings.Count(source, "\n")+1 ||
			at.Column > len(source)+1) {
			t.Errorf("%q: %v", source, err)
		}
	})
}
