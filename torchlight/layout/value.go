package layout

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/text"
)

// mark is the prefix of keys for what the editor's text form cannot represent: "#17" is the property with code 17, with
// its bytes in hexadecimal; "#NAME" is the name of an object, with its UTF-16 units; "#200" in place of the name of a
// descriptor is its code.
const mark = "#"

// textTypes are the types of properties in the text.
var textTypes = [...]text.Type{
	Bool: text.Bool, Integer: text.Integer, Unsigned: text.Unsigned, Float: text.Float, Integer64: text.Integer64,
	String: text.String, Translate: text.Translate, Vector2: text.Float, Vector3: text.Float, Vector4: text.Float,
}

// fitsKind reports whether the text form can represent a value of a kind, so that it compiles to identical bytes.
func (p Property) fitsKind(k Kind) bool {
	switch k {
	case Bool:
		v, ok := p.Uint32()
		return ok && v <= 1
	case Integer:
		return len(p.Data) == 4
	case Unsigned:
		return len(p.Data) == 4 || isList(p.Data)
	case Float:
		return len(p.Data) == 4 && numbers(p.Data) || isList(p.Data) && numbers(p.Data[2:])
	case Integer64:
		return len(p.Data) == 8
	case String, Translate:
		return isText(p.Data) && fitsLine(p.Data[2:])
	}
	return len(p.Data) == 4*k.components() && numbers(p.Data)
}

// fitsLine reports whether a text of UTF-16 units round-trips as the value of a line.
func fitsLine(units []byte) bool {
	for ; len(units) >= 2; units = units[2:] {
		if c := units[0]; units[1] == 0 && (c == '\r' || c == '\n' || c == 0) {
			return false
		}
	}
	return true
}

// addString appends a line with a string, marked if the string does not fit.
func addString(n *text.Node, key, s string) {
	units := bin.AppendUTF16(nil, s)
	if fitsLine(units) {
		n.Add(text.String, key, s)
		return
	}
	n.Add(text.String, mark+key, hex.EncodeToString(units))
}

// numbers reports whether text can represent all the singles: NaNs with unusual bits cannot be represented.
func numbers(data []byte) bool {
	for ; len(data) >= 4; data = data[4:] {
		bits := binary.LittleEndian.Uint32(data)
		if v := math.Float32frombits(bits); v != v {
			if back, _ := text.ParseFloat(text.FormatFloat(v, text.Exact)); math.Float32bits(back) != bits {
				return false
			}
		}
	}
	return true
}

// addTo appends the lines of the property to n.
func (p Property) addTo(n *text.Node, info *PropertyInfo, style text.FloatStyle) {
	if info == nil || !p.fitsKind(info.Kind) {
		n.Add(text.String, mark+strconv.Itoa(int(p.Code)), hex.EncodeToString(p.Data))
		return
	}
	if info.Kind.components() > 0 {
		for i, v := range floats(p.Data) {
			n.Add(text.Float, info.Name+componentNames[i], text.FormatFloat(v, style))
		}
		return
	}
	t := textTypes[info.Kind]
	if p.isListOf(info.Kind) {
		t = text.String
	}
	n.Add(t, info.Name, p.format(info.Kind, style))
}

// isListOf reports whether the value is a list of elements of kind k.
func (p Property) isListOf(k Kind) bool {
	return (k == Float || k == Unsigned) && len(p.Data) != 4
}

// format returns a value as text. The text form must be able to represent it, and it must not be a vector.
func (p Property) format(k Kind, style text.FloatStyle) string {
	if p.isListOf(k) {
		return formatList(p.Data[2:], k, style)
	}
	switch k {
	case String, Translate:
		s, _ := p.Text()
		return s
	case Integer64:
		v, _ := p.Int64()
		return strconv.FormatInt(v, 10)
	}
	v, _ := p.Uint32()
	switch k {
	case Bool:
		return strconv.FormatBool(v != 0)
	case Integer:
		return strconv.Itoa(int(int32(v)))
	case Float:
		return text.FormatFloat(math.Float32frombits(v), style)
	}
	return strconv.FormatUint(uint64(v), 10)
}

// formatList returns the elements of a list or of a vector, separated by commas.
func formatList(data []byte, k Kind, style text.FloatStyle) string {
	b := make([]byte, 0, 2*len(data))
	for i := 0; i+4 <= len(data); i += 4 {
		if i > 0 {
			b = append(b, ',')
		}
		v := binary.LittleEndian.Uint32(data[i:])
		if k == Unsigned {
			b = strconv.AppendUint(b, uint64(v), 10)
		} else {
			b = append(b, text.FormatFloat(math.Float32frombits(v), style)...)
		}
	}
	return string(b)
}

// describe returns the value as text for a dump.
func (p Property) describe(info *PropertyInfo) string {
	switch {
	case !p.fitsKind(info.Kind):
		return info.Name + ": not a value of type " + info.Kind.String()
	case info.Kind.components() > 0:
		return info.Name + ": " + formatList(p.Data, Float, text.Exact)
	}
	return info.Name + ": " + p.format(info.Kind, text.Exact)
}

// parseValue parses a value of a kind that is not a vector, as the editor does: an invalid value is 0, and a problem is
// returned.
func parseValue(k Kind, p *text.Property) (data []byte, problem *text.Error) {
	s := p.Value
	if (k == Float || k == Unsigned) && (p.Type == text.String || strings.Contains(s, ",")) {
		return parseList(k, s)
	}
	switch k {
	case String, Translate:
		data := binary.LittleEndian.AppendUint16(make([]byte, 0, 2+2*len(s)), uint16(bin.UTF16Len(s)))
		return bin.AppendUTF16(data, s), nil
	}
	as := text.Property{Type: textTypes[k], Value: s}
	switch k {
	case Integer64:
		v, _ := text.ParseInt64(s)
		return binary.LittleEndian.AppendUint64(nil, uint64(v)), as.Problem()
	case Bool:
		var v uint32
		if yes, _ := text.ParseBool(s); yes {
			v = 1
		}
		return binary.LittleEndian.AppendUint32(nil, v), as.Problem()
	}
	v, problem := parseElement(k, s)
	return binary.LittleEndian.AppendUint32(nil, v), problem
}

// parseElement returns the bits of an Integer, Unsigned or Float.
func parseElement(k Kind, s string) (bits uint32, problem *text.Error) {
	var clean bool
	switch k {
	case Integer:
		var v int32
		v, clean = text.ParseInt(s)
		bits = uint32(v)
	case Unsigned:
		bits, clean = text.ParseUint(s)
	default:
		var v float32
		v, clean = text.ParseFloat(s)
		bits = math.Float32bits(v)
	}
	if !clean {
		problem = (&text.Property{Type: textTypes[k], Value: s}).Problem()
	}
	return bits, problem
}

func parseList(k Kind, s string) (data []byte, problem *text.Error) {
	if s == "" {
		return []byte{0, 0}, nil
	}
	n := strings.Count(s, ",") + 1
	data = binary.LittleEndian.AppendUint16(make([]byte, 0, 2+4*n), uint16(n))
	for part := range strings.SplitSeq(s, ",") {
		bits, wrong := parseElement(k, part)
		data, problem = binary.LittleEndian.AppendUint32(data, bits), cmp.Or(problem, wrong)
	}
	return data, problem
}
