package text

import "strings"

// ShortFloats shortens the numbers below a node that have more than six digits to six, as GUTS does, unless the result
// would be ambiguous in the tree. It returns the old numbers by their new form, or nil if nothing changed. [LongFloats]
// reverses it.
func ShortFloats(root *Node) map[string]string {
	was := make(map[string]string)
	short := func(p *Property) (string, bool) {
		if len(p.Value) <= 6 {
			return "", false
		}
		switch p.Type {
		case Float:
			v, clean := ParseFloat(p.Value)
			s := FormatFloat(v, GUTS)
			return s, clean && s != p.Value
		case Double:
			v, clean := ParseDouble(p.Value)
			s := FormatDouble(v, GUTS)
			return s, clean && s != p.Value
		}
		return "", false
	}
	eachFloat(root, func(p *Property) {
		if s, ok := short(p); ok {
			if other, twice := was[s]; twice && other != p.Value {
				was[s] = "" // two numbers have this form: both stay long
			} else if !twice {
				was[s] = p.Value
			}
		}
	})
	if len(was) == 0 {
		return nil
	}
	eachFloat(root, func(p *Property) {
		if _, meant := was[p.Value]; meant {
			was[p.Value] = "" // a number of the tree has this form already
		}
	})
	eachFloat(root, func(p *Property) {
		if s, ok := short(p); ok && was[s] == p.Value {
			p.Value = s
		}
	})
	for s, long := range was {
		if long == "" {
			delete(was, s)
		}
	}
	if len(was) == 0 {
		return nil
	}
	return was
}

// LongFloats restores the digits of numbers that [ShortFloats] shortened. It ignores entries that are not the same
// number with more digits.
func LongFloats(root *Node, was map[string]string) {
	if len(was) == 0 {
		return
	}
	eachFloat(root, func(p *Property) {
		long, known := was[p.Value]
		if !known {
			return
		}
		if p.Type == Float {
			if v, clean := ParseFloat(long); clean && FormatFloat(v, GUTS) == p.Value {
				p.Value = long
			}
		} else if v, clean := ParseDouble(long); clean && FormatDouble(v, GUTS) == p.Value {
			p.Value = long
		}
	})
}

// eachFloat calls see for each number of the types FLOAT and DOUBLE.
func eachFloat(n *Node, see func(*Property)) {
	for _, it := range n.Items {
		switch it := it.(type) {
		case *Property:
			if (it.Type == Float || it.Type == Double) && !strings.Contains(it.Value, "#") {
				see(it)
			}
		case *Node:
			eachFloat(it, see)
		}
	}
}
