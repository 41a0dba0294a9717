package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// Problem returns the reason why a compiled file cannot hold the exact value of p, or nil if it can. Wrong is not set for kinds of
// values that public mods use and for which the interpretation of the game is known: see readable. The error has no
// line.
func (p *Property) Problem() *Error {
	var read string // the value as the game interprets it
	var clean, fits bool
	switch p.Type {
	case Integer:
		var v int32
		v, clean = ParseInt(p.Value)
		read, fits = strconv.Itoa(int(v)), fitsInt(p.Value, 32)
	case Integer64:
		var v int64
		v, clean = ParseInt64(p.Value)
		read, fits = strconv.FormatInt(v, 10), fitsInt(p.Value, 64)
	case Unsigned:
		var v uint32
		v, clean = ParseUint(p.Value)
		read, fits = strconv.FormatUint(uint64(v), 10), fitsUint(p.Value)
	case Float:
		var v float32
		v, clean = ParseFloat(p.Value)
		read, fits = FormatFloat(v, Exact), v-v == 0 || isSpecial(p.Value)
	case Double:
		var v float64
		v, clean = ParseDouble(p.Value)
		read, fits = FormatDouble(v, Exact), v-v == 0 || isSpecial(p.Value)
	case Bool:
		var v bool
		v, clean = ParseBool(p.Value)
		read, fits = strconv.FormatBool(v), true
	default:
		return nil
	}
	switch {
	case clean:
		return nil
	case !fits && !(p.Type == Integer64 && isUnsigned64(p.Value)):
		want := "a number that fits the type " + p.Type.String()
		if p.isLong() {
			want += ", or the type INTEGER64"
		}
		return &Error{Want: want, Got: quote(p.Value), Err: fault.ErrFormat, Wrong: true}
	case !readable(p.Type, p.Value):
		return &Error{Want: "a value of type " + p.Type.String(), Got: quote(p.Value), Err: fault.ErrFormat, Wrong: true}
	}
	return &Error{Want: "a value of type " + p.Type.String(), Got: quote(p.Value) + ", read as " + read, Err: fault.ErrFormat}
}

// readable reports whether interpreting a value by its beginning loses nothing that its author can have meant: it is
// empty, or a number or word with blanks around it; an integer may have a fraction (".1" is 0), and a BOOL may be any
// integer. An exponent would be lost ("5.14E+18" would be 5).
func readable(t Type, s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || s == "." {
		return true
	}
	if _, whole := number(s); whole {
		return true
	}
	_, all := decimal(s)
	switch t {
	case Bool:
		return strings.EqualFold(s, "true") || strings.EqualFold(s, "false")
	case Float, Double:
		return all
	}
	return all && !strings.ContainsAny(s, "eE")
}

// isLong reports whether a value is too large for its type of whole numbers, but not for INTEGER64.
func (p *Property) isLong() bool {
	return p.Type == Integer && !fitsInt(p.Value, 32) && (fitsInt(p.Value, 64) || isUnsigned64(p.Value)) ||
		p.Type == Unsigned && !fitsUint(p.Value) && isUnsigned64(p.Value)
}

func fitsInt(s string, bits int) bool {
	digits, _ := number(s)
	_, err := strconv.ParseInt(digits, 10, bits)
	return err == nil
}

// isUnsigned64 reports whether a value is a number that fits into 64 bits without a sign, such as a GUID of another program. The
// game reads those above the largest INTEGER64 as that number, as it does with a GUID in a STRING.
func isUnsigned64(s string) bool {
	digits, whole := number(s)
	_, err := strconv.ParseUint(digits, 10, 64)
	return whole && err == nil
}

func fitsUint(s string) bool {
	digits, _ := number(s)
	_, err := strconv.ParseUint(strings.TrimLeft(digits, "+-"), 10, 32)
	return err == nil
}

func isSpecial(s string) bool {
	_, ok := special(s)
	return ok
}

// Read parses a text and calls build with its tree. The function build reports each item whose value it cannot use
// exactly. If there are such items, build is called a second time, because their lines are not known in the first call.
// The problems are in the order of the lines.
func Read(data []byte, build func(root *Node, report func(Item, *Error))) (problems Errors, err error) {
	f, err := Parse(data)
	if err != nil {
		return nil, err
	}
	n := 0
	build(f.Root, func(Item, *Error) { n++ })
	if n == 0 {
		return nil, nil
	}
	f, lines, err := ParseLines(data)
	if err != nil {
		return nil, err
	}
	build(f.Root, func(it Item, e *Error) {
		e.Line = lines[it]
		problems = append(problems, e)
	})
	slices.SortStableFunc(problems, func(a, b *Error) int { return a.Line - b.Line })
	return problems, nil
}

// Settle calls warn for the problems that only change a value, and returns the others. If warn is nil, it returns all.
// Values that are Wrong always cause an error.
func (e Errors) Settle(warn func(*Error)) error {
	var stop Errors
	for i, problem := range e {
		switch {
		case warn == nil || problem.Wrong:
			stop = append(stop, problem)
		case i < maxErrors:
			warn(problem)
		case i == maxErrors:
			warn(&Error{Line: problem.Line, Got: fmt.Sprintf("and %s in this file", words.Count(len(e)-i, "more problem")), Err: fault.ErrFormat})
		}
	}
	switch len(stop) {
	case 0:
		return nil
	case 1:
		return stop[0]
	}
	return stop
}
