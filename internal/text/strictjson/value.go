package strictjson

// Value is a JSON value with its place, for formats that Go types cannot express: objects whose members keep their
// order, or text in place of a number; and for files of other programs that accept more.
type Value struct {
	At, End int  // offsets of its first byte and of the byte after it; see [Place]
	Line    int  // of its first byte, from 1
	Kind    byte // first character of a { object, [ list or " string; 0 for a number, otherwise a letter of the word
	Text    string
	List    []Value  // elements of a list
	Members []Member // members of an object in the order of the text, including duplicates
}

// Member is a member of an object.
type Member struct {
	Key   string
	At    int // offset of the key
	Value Value
}

// Parse parses a JSON text. The Text of a string is decoded; the Text of a number or word is unchanged.
func Parse(data []byte) (Value, *Error) {
	d := decoder{data: data}
	var v Value
	d.run(func() { v = d.parse() })
	if len(d.errs) > 0 {
		return Value{}, d.errs[0]
	}
	return v, nil
}

func (d *decoder) parse() Value {
	v := Value{Kind: d.peek(), At: d.pos, Line: d.line(d.pos)}
	switch {
	case v.Kind == '{':
		d.object("", func(key, _ string, at int) {
			v.Members = append(v.Members, Member{key, at, d.parse()})
		})
	case v.Kind == '[':
		d.array(func(int) { v.List = append(v.List, d.parse()) })
	case v.Kind == '"':
		v.Text = d.str()
	default:
		if v.Kind >= '0' && v.Kind <= '9' || v.Kind == '-' {
			v.Kind = '0'
		}
		v.Text = string(d.skip())
	}
	v.End = d.pos
	return v
}
