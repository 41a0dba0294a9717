package modedit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// few is the greatest number of places in a report; larger numbers are only counted.
const few = 20

// Set changes the values of a key in the files that match a pattern (see [Editor.Select]). A value of the form *N, +N
// or +-N, with a number N, multiplies the old value by N or adds N to it; the result is rounded if the type has only
// whole numbers. Any other value replaces the old one; with = in front this applies to any text: =+1. Types are kept.
// Set fails, and changes nothing, if a value is invalid for its type or out of range. It returns the number of changed
// values.
func (e *Editor) Set(files, key, value string, choice Choice) (int, error) {
	return e.set(files, key, choice, func(_ string, p *text.Property, _ nodePlace) (string, error) { return newValue(p, value) })
}

// set changes the values of a key to those that the function value returns for the path of the file, the key and its
// node.
func (e *Editor) set(files, key string, choice Choice, value func(string, *text.Property, nodePlace) (string, error)) (int, error) {
	var by differences
	n, err := e.nodes(files, "values", choice, func(t *changeCounts, n *text.Node, at nodePlace) error {
		for p := range n.Keys(key) {
			now, err := value(t.file, p, at)
			if err != nil {
				return fmt.Errorf("%s.%s: %w", at.name, p.Key, err)
			}
			if e.Histogram {
				by.add(p, now)
			}
			if p.Value != now {
				t.note(at, p.Key, fmt.Sprintf("%s: %s became %s", p.Key, shown(p.Value), shown(now)))
			}
			t.later = append(t.later, func() { p.Value = now })
		}
		return nil
	})
	if c, changed := by.change(strings.ToUpper(key)); err == nil && changed {
		e.Report(c)
	}
	return n, err
}

// nodes calls see for each selected node in some files. It returns the number of things that see recorded. They are
// reported file by file.
func (e *Editor) nodes(files, unit string, choice Choice, see func(t *changeCounts, n *text.Node, at nodePlace) error) (int, error) {
	pick, err := choice.compile()
	if err != nil {
		return 0, err
	}
	list, err := e.selected(files, isTree)
	if err != nil {
		return 0, err
	}
	return e.each(list, func(f *file, root *text.Node) ([]check.Change, error) {
		t := changeCounts{file: f.path, unit: unit}
		for n, at := range pick.nodes(root) {
			if err := see(&t, n, at); err != nil {
				return nil, err
			}
		}
		for _, do := range t.later {
			do()
		}
		return t.changes(), nil
	})
}

// changeCounts counts the changes in a file.
type changeCounts struct {
	file, unit string
	what       []string // each kind of change once
	times      map[string]int
	at         []check.Place
	later      []func() // the changes themselves, if they are made after all nodes were seen
}

func (t *changeCounts) note(at nodePlace, key, what string) {
	if t.times == nil {
		t.times = make(map[string]int)
	}
	if t.times[what]++; t.times[what] == 1 {
		t.what = append(t.what, what)
	}
	t.at = append(t.at, at.place(key))
}

// changes returns the changes of a file: one for each kind of change, if there are few.
func (t *changeCounts) changes() []check.Change {
	if len(t.at) == 0 {
		return nil
	}
	const most = 3
	what := strings.Join(t.what[:min(len(t.what), most)], "; ")
	if n := len(t.what) - most; n > 0 {
		what += fmt.Sprintf("; and %d more", n)
	}
	c := check.Change{Path: t.file, What: what, Count: int64(len(t.at)), Unit: t.unit}
	if len(t.at) <= few {
		c.At = t.at
	}
	return []check.Change{c}
}

// shown shortens a value for messages.
func shown(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	if s == "" || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// newValue returns the new value of a property.
func newValue(p *text.Property, form string) (string, error) {
	if literal, ok := strings.CutPrefix(form, "="); ok {
		return typed(p.Type, literal)
	}
	if len(form) < 2 || form[0] != '*' && form[0] != '+' {
		return typed(p.Type, form)
	}
	by, ok := rational(form[1:])
	if !ok {
		if p.Type.IsString() {
			return typed(p.Type, form)
		}
		return "", fmt.Errorf("expected a number after %c, not %q", form[0], form[1:])
	}
	is, ok := rational(p.Value)
	if !ok {
		return "", fmt.Errorf("cannot calculate with %s", shown(p.Value))
	}
	if form[0] == '*' {
		is.Mul(is, by)
	} else {
		is.Add(is, by)
	}
	if p.Type == text.Bool {
		return "", errors.New("cannot calculate with a BOOL")
	}
	return numberText(p.Type, is)
}

// rational parses a decimal number exactly.
func rational(s string) (*big.Rat, bool) {
	const most = 60 // characters: numbers of the game are shorter, and this rejects 1e999999999
	if _, clean := text.ParseDouble(s); !clean || len(s) > most || strings.Contains(s, "#") {
		return nil, false
	}
	if v, _ := text.ParseDouble(s); math.IsInf(v, 0) || v != 0 && math.Abs(v) < 1e-60 {
		return nil, false
	}
	return new(big.Rat).SetString(strings.TrimSpace(s))
}

// typed returns a value in its text form if it is valid for a type.
func typed(t text.Type, s string) (string, error) {
	clean := true
	switch t {
	case text.Integer:
		_, clean = text.ParseInt(s)
	case text.Unsigned:
		_, clean = text.ParseUint(s)
	case text.Integer64:
		_, clean = text.ParseInt64(s)
	case text.Float:
		var v float32
		if v, clean = text.ParseFloat(s); clean {
			s = text.FormatFloat(v, text.Exact)
		}
	case text.Double:
		var v float64
		if v, clean = text.ParseDouble(s); clean {
			s = text.FormatDouble(v, text.Exact)
		}
	case text.Bool:
		var v bool
		if v, clean = text.ParseBool(s); clean {
			s = strconv.FormatBool(v)
		}
	default:
		if strings.ContainsAny(s, "\r\n\x00") {
			return "", fmt.Errorf("%s: a value must be one line", shown(s))
		}
	}
	if !clean {
		err := fmt.Errorf("%s is not a valid %s", shown(s), t)
		if _, long := text.ParseInt64(s); long && t != text.Bool {
			err = fmt.Errorf("%w (%s): the type INTEGER64 can hold it", err, rangeOf[t])
		}
		return "", err
	}
	return s, nil
}

// AddKey adds a key with a type and a value to the selected nodes in some files, after their other keys, unless they
// have the key. Without Choice.Node it selects only the nodes of Choice.Top. Objects of a layout accept only keys that
// objects of their kind have.
func (e *Editor) AddKey(files string, t text.Type, key, value string, choice Choice) (int, error) {
	value, err := typed(t, value)
	if err != nil {
		return 0, err
	}
	if err := fitsKey(key); err != nil {
		return 0, err
	}
	key = strings.ToUpper(e.spelled(key))
	choice.Top = choice.Top || choice.Node == ""
	return e.nodes(files, "keys", choice, func(count *changeCounts, n *text.Node, at nodePlace) error {
		if _, has := n.Get(key); has {
			return nil
		}
		if kind, _ := n.Get("DESCRIPTOR"); at.object != 0 && at.top(n) && !layout.DescriptorNamed(kind).Has(key) {
			return fmt.Errorf("%s: an object of kind %s has no %s", at.name, kind, key)
		}
		addProperty(n, t, key, value)
		count.note(at, key, "added "+key+": "+shown(value))
		return nil
	})
}

// addProperty adds a property after the other properties of a node.
func addProperty(n *text.Node, t text.Type, key, value string) {
	last := 0
	for i, it := range n.Items {
		if _, ok := it.(*text.Property); ok {
			last = i + 1
		}
	}
	n.Items = slices.Insert(n.Items, last, text.Item(&text.Property{Type: t, Key: key, Value: value}))
}

// spelled returns the spelling in texts of a name that the user gives.
func (e *Editor) spelled(name string) string {
	names := e.Names
	if names == nil {
		names = hash.Known()
	}
	return names.Spelled(name)
}

func fitsKey(key string) error {
	if key == "" || !text.FitsKey(key) || strings.ContainsAny(key, "\r\x00") {
		return fmt.Errorf("%q cannot be a key", key)
	}
	return nil
}

// RemoveKey removes a key from the selected nodes in some files.
func (e *Editor) RemoveKey(files, key string, choice Choice) (int, error) {
	is := text.Named(key)
	return e.nodes(files, "keys", choice, func(t *changeCounts, n *text.Node, at nodePlace) error {
		n.Items = slices.DeleteFunc(n.Items, func(it text.Item) bool {
			p, ok := it.(*text.Property)
			if ok = ok && is(p.Key); ok {
				t.note(at, p.Key, "removed "+p.Key+": "+shown(p.Value))
			}
			return ok
		})
		return nil
	})
}

// RenameKey renames a key in the selected nodes in some files. Values and types are kept.
func (e *Editor) RenameKey(files, key, name string, choice Choice) (int, error) {
	if err := fitsKey(name); err != nil {
		return 0, err
	}
	name = strings.ToUpper(e.spelled(name))
	return e.nodes(files, "keys", choice, func(t *changeCounts, n *text.Node, at nodePlace) error {
		for p := range n.Keys(key) {
			if p.Key != name {
				t.note(at, p.Key, p.Key+" became "+name)
				p.Key = name
			}
		}
		return nil
	})
}
