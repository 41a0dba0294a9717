package modedit

import (
	"errors"
	"fmt"
	"math/big"
	"sync"

	"trowel.example/internal/text/expr"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// CheckExpression returns an error with line and column if a text is not an expression for [Editor.SetExpression].
func CheckExpression(expression string) error {
	_, err := expr.Parse(expression)
	return err
}

// SetExpression is [Editor.Set] with a new value that is calculated for each key by an expression such as
// round(LEVEL*0.8), from numbers and keys, with + - * /, comparisons (1 or 0), and the functions abs, ceil, default,
// floor, if, max, min and round. All calculations are exact.
//
// A key means the key that is set, the same key of the node, of the nodes that contain it, or the value that the file
// inherits by BASEFILE, in this order; LEVEL1.MANACOST means the key of a node below the root. Keys with blanks are
// written in brackets: [SCALE X]. A BOOL is 1 or 0. All values are those before the change.
//
// SetExpression fails, and changes nothing, if a result does not exist or does not fit the type of its key. Results for
// types of whole numbers are rounded. If a key is missing, [Editor.CheckNames] tests whether any file has it.
func (e *Editor) SetExpression(files, key, expression string, choice Choice) (int, error) {
	x, err := expr.Parse(expression)
	if err != nil {
		return 0, err
	}
	bases := bases{resolver: e.newResolver()}
	n, err := e.set(files, key, choice, func(file string, p *text.Property, at nodePlace) (string, error) {
		v, err := x.Eval(func(name string) (*big.Rat, error) {
			if text.Named(name)(p.Key) {
				return numberOf(p)
			}
			return bases.number(file, name, at.way)
		})
		if err == nil {
			return numberText(p.Type, v)
		}
		return "", fmt.Errorf("expression, %w", err)
	})
	if err == nil && len(bases.missing) > 0 && e.Warn != nil {
		e.Warn("", fmt.Sprintf("default applies where base files are missing: %s, such as %s (give the game's own files with --base)",
			words.Count(len(bases.missing), "file"), bases.missing[0]))
	}
	return n, err
}

// MissingKey returns the name of the key in an expression whose absence caused the error err, or "".
func MissingKey(err error) string {
	if missing, ok := errors.AsType[*expr.MissingError](err); ok {
		return missing.Name
	}
	return ""
}

// bases is a resolver for several goroutines.
type bases struct {
	mu sync.Mutex
	*resolver
}

func (b *bases) chain(file string, root *text.Node) inherit.Chain {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.resolver.chain(file, root)
}

// number returns the value of a key for a node, the last of a path of nested nodes that begins with the root.
func (b *bases) number(file, name string, way []*text.Node) (*big.Rat, error) {
	for i := len(way) - 1; i >= 0; i-- {
		if p := inherit.Property(way[i], name); p != nil {
			return numberOf(p)
		}
	}
	return numberIn(b.chain(file, way[0]), name)
}

// numberIn returns the value of a key of a file or its base files.
func numberIn(c inherit.Chain, name string) (*big.Rat, error) {
	if v, ok := c.Find(name); ok {
		return numberOf(v.Property)
	}
	switch {
	case errors.Is(c.Err, inherit.ErrLoop):
		return nil, c.Err
	case c.Err != nil: // no name: the missing file may have the key
		return nil, &expr.MissingError{Why: fmt.Sprintf("no key %s in the file, and its base file %s is not available: %v", name,
			c.Missing, c.Err)}
	case len(c.Links) > 1:
		return nil, &expr.MissingError{Name: name, Why: fmt.Sprintf("no key %s in the file and its base files", name)}
	}
	return nil, &expr.MissingError{Name: name, Why: fmt.Sprintf("no key %s in the file", name)}
}

// numberOf returns the value of a property as a number.
func numberOf(p *text.Property) (*big.Rat, error) {
	if p.Type == text.Bool {
		v, clean := text.ParseBool(p.Value)
		switch {
		case clean && v:
			return big.NewRat(1, 1), nil
		case clean:
			return new(big.Rat), nil
		}
	}
	if v, ok := rational(p.Value); ok {
		return v, nil
	}
	return nil, fmt.Errorf("%s is %s, which is not a number", p.Key, shown(p.Value))
}

// numberText returns a number in the text form of a type.
func numberText(t text.Type, v *big.Rat) (string, error) {
	switch t {
	case text.Bool:
		if !v.IsInt() || v.Num().BitLen() > 1 || v.Sign() < 0 {
			return "", fmt.Errorf("a BOOL must be 0 or 1, not %s", shortNumber(v))
		}
		return fmt.Sprint(v.Sign() == 1), nil
	case text.Integer, text.Unsigned, text.Integer64:
		whole := expr.Round(v).String()
		if _, err := typed(t, whole); err != nil {
			return "", fmt.Errorf("%s does not fit %s (%s)", shortNumber(v), t, rangeOf[t])
		}
		return whole, nil
	case text.Float:
		if f, _ := v.Float32(); f-f == 0 { // not infinite
			return text.FormatFloat(f, text.Exact), nil
		}
	default:
		if f, _ := v.Float64(); f-f == 0 {
			if t.IsString() && v.IsInt() {
				return v.Num().String(), nil
			}
			return text.FormatDouble(f, text.Exact), nil
		}
	}
	return "", fmt.Errorf("%s is too large for %s", shortNumber(v), t)
}

var rangeOf = map[text.Type]string{
	text.Integer: "-2147483648 to 2147483647", text.Unsigned: "0 to 4294967295",
	text.Integer64: "-9223372036854775808 to 9223372036854775807",
}

// shortNumber returns a number for messages.
func shortNumber(v *big.Rat) string {
	if v.IsInt() && v.Num().BitLen() < 100 {
		return v.Num().String()
	}
	return new(big.Float).SetPrec(64).SetRat(v).Text('g', 6)
}
