// Package expr parses and evaluates expressions of exact numbers and names, such as round(LEVEL*0.8).
//
//	comparison = sum [("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") sum]
//	sum        = product {("+" | "-") product}
//	product    = unary {("*" | "/") unary}
//	unary      = "-" unary | number | name | function "(" comparison {"," comparison} ")" | "(" comparison ")"
//
// A comparison is 1 if it holds, otherwise 0. A name consists of letters, digits, underscores and periods, and does not
// begin with a digit; in brackets it is any text, such as [MEMORY DECAY MULT].
package expr

import (
	"fmt"
	"math/big"
	"strings"
)

// The limits of expressions. They bound the time and the memory of an evaluation.
const (
	maxLength   = 4096 // bytes
	maxDepth    = 100  // of parentheses
	maxDigits   = 60   // characters of a number
	maxExponent = 310
	maxBits     = 1 << 13 // of the numerator and the denominator of a result
)

// Expr is an expression.
type Expr struct {
	source string
	root   *node
}

// node is a number, a name, an operator or a call.
type node struct {
	at    int      // offset in the source
	value *big.Rat // of a number
	name  string   // of a name
	call  *function
	args  []*node
}

// function is an operator or a named function.
type function struct {
	name        string
	least, most int // numbers of arguments; most -1 is any
	do          func(args []*big.Rat) (*big.Rat, error)
}

// Error is an error with its place in an expression.
type Error struct {
	Line, Column int // from 1; columns count characters
	Err          error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// MissingError is the error of a lookup for a name without a value, for which default returns its other argument.
type MissingError struct {
	Name string
	Why  string // what lacks the name
}

func (e *MissingError) Error() string { return e.Why }

// Eval returns the value of the expression. The function lookup returns the value of a name, which must not change. All
// errors are an [*Error], which wraps an error of lookup.
func (e *Expr) Eval(lookup func(name string) (*big.Rat, error)) (*big.Rat, error) {
	return e.eval(e.root, lookup)
}

func (e *Expr) eval(n *node, lookup func(name string) (*big.Rat, error)) (*big.Rat, error) {
	switch {
	case n.value != nil:
		return n.value, nil
	case n.call == nil:
		v, err := lookup(n.name)
		if err != nil {
			return nil, e.fail(n.at, err)
		}
		return v, nil
	case n.call == choose:
		return e.choose(n, lookup)
	case n.call == orElse:
		if v, err := lookup(n.args[0].name); err == nil {
			return v, nil
		} else if _, missing := err.(*MissingError); !missing {
			return nil, e.fail(n.args[0].at, err)
		}
		return e.eval(n.args[1], lookup)
	}
	args := make([]*big.Rat, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = e.eval(a, lookup); err != nil {
			return nil, err
		}
	}
	v, err := n.call.do(args)
	if err == nil && (v.Num().BitLen() > maxBits || v.Denom().BitLen() > maxBits) {
		err = errLong
	}
	if err != nil {
		return nil, e.fail(n.at, err)
	}
	return v, nil
}

// choose evaluates if(condition, a, b), and of a and b only one.
func (e *Expr) choose(n *node, lookup func(name string) (*big.Rat, error)) (*big.Rat, error) {
	condition, err := e.eval(n.args[0], lookup)
	switch {
	case err != nil:
		return nil, err
	case condition.Sign() != 0:
		return e.eval(n.args[1], lookup)
	}
	return e.eval(n.args[2], lookup)
}

// fail returns an error with its place in the expression.
func (e *Expr) fail(at int, err error) error {
	line, column := place(e.source, at)
	return &Error{line, column, err}
}

// place returns the line and the column of an offset, from 1. Columns count characters.
func place(source string, at int) (line, column int) {
	before := source[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

// number parses a decimal number such as -1.5 or 2e3, of at most 60 characters, exactly.
func number(s string) (*big.Rat, bool) {
	digits, at := strings.TrimPrefix(s, "-"), 0
	digit := func() bool { return at < len(digits) && digits[at] >= '0' && digits[at] <= '9' }
	n := 0
	for ; digit(); at++ {
		n++
	}
	if at < len(digits) && digits[at] == '.' {
		for at++; digit(); at++ {
			n++
		}
	}
	if n > 0 && at < len(digits) && (digits[at] == 'e' || digits[at] == 'E') {
		exponent := 0
		if at++; at < len(digits) && (digits[at] == '+' || digits[at] == '-') {
			at++
		}
		for n = 0; digit() && exponent <= maxExponent; at++ {
			exponent = exponent*10 + int(digits[at]-'0')
			n++
		}
		if exponent > maxExponent {
			return nil, false
		}
	}
	if n == 0 || at < len(digits) || len(s) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// Round returns the nearest whole number; halves are rounded away from zero.
func Round(r *big.Rat) *big.Int {
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	sum := half.Add(half, r)
	return new(big.Int).Quo(sum.Num(), sum.Denom())
}
