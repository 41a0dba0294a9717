package strictjson

// Value is a value of JSON with its place, for forms that no Go type tells: objects whose
// members keep their order, or a text in place of a number.
type Value struct {
	At      int  // offset of its first byte; see [Place]
	Kind    byte // { [ or " for what begins with it, 0 for a number, else the first letter of the word
	Text    string
	List    []Value  // of a list
	Members []Member // of an object, in the order of the text, all of them
}

// Member is a member of an object.
type Member struct {
	Key   string
	At    int // offset of the key
	Value Value
}

// Parse reads a text of JSON. The Text of a string is what it says, that of a number or a
// word is as it stands.
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
	v := Value{Kind: d.peek(), At: d.pos}
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
	return v
}
