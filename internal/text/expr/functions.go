package expr

import (
	"errors"
	"math/big"
)

var (
	errZero = errors.New("division by zero")
	errLong = errors.New("the result has too many digits")
)

// operators are the operators of two operands, by precedence: the first bind least.
var operators = [3]map[string]*function{
	{
		"<": compare("<", func(c int) bool { return c < 0 }), "<=": compare("<=", func(c int) bool { return c <= 0 }),
		">": compare(">", func(c int) bool { return c > 0 }), ">=": compare(">=", func(c int) bool { return c >= 0 }),
		"=": compare("=", func(c int) bool { return c == 0 }), "==": compare("==", func(c int) bool { return c == 0 }),
		"!=": compare("!=", func(c int) bool { return c != 0 }),
	},
	{
		"+": {"+", 2, 2, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).Add(a[0], a[1]), nil }},
		"-": {"-", 2, 2, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).Sub(a[0], a[1]), nil }},
	},
	{
		"*": {"*", 2, 2, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).Mul(a[0], a[1]), nil }},
		"/": {"/", 2, 2, func(a []*big.Rat) (*big.Rat, error) {
			if a[1].Sign() == 0 {
				return nil, errZero
			}
			return new(big.Rat).Quo(a[0], a[1]), nil
		}},
	},
}

var negate = &function{"-", 1, 1, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).Neg(a[0]), nil }}

// Functions that do not evaluate all of their arguments.
var (
	choose = &function{name: "if", least: 3, most: 3}
	orElse = &function{name: "default", least: 2, most: 2}
)

// functions are the named functions.
var functions = []*function{
	{"abs", 1, 1, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).Abs(a[0]), nil }},
	{"ceil", 1, 1, func(a []*big.Rat) (*big.Rat, error) {
		return new(big.Rat).Neg(floor(new(big.Rat).Neg(a[0]))), nil
	}},
	orElse,
	{"floor", 1, 1, func(a []*big.Rat) (*big.Rat, error) { return floor(a[0]), nil }},
	choose,
	{"max", 1, -1, func(a []*big.Rat) (*big.Rat, error) { return best(a, 1), nil }},
	{"min", 1, -1, func(a []*big.Rat) (*big.Rat, error) { return best(a, -1), nil }},
	{"round", 1, 1, func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).SetInt(Round(a[0])), nil }},
}

func compare(name string, holds func(c int) bool) *function {
	return &function{name, 2, 2, func(a []*big.Rat) (*big.Rat, error) {
		if holds(a[0].Cmp(a[1])) {
			return big.NewRat(1, 1), nil
		}
		return new(big.Rat), nil
	}}
}

func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Div rounds down for positive divisors
}

// best returns the greatest number if sign is 1, the least if it is -1.
func best(list []*big.Rat, sign int) *big.Rat {
	out := list[0]
	for _, r := range list[1:] {
		if r.Cmp(out) == sign {
			out = r
		}
	}
	return out
}
