// Package item reads and writes the items of Minetest: the itemstring of a
// stack, and the text of an inventory.
//
// Both are lossless. A text that differs from what this package would write, such as one of 2011, is kept with the
// parsed value and is written unchanged as long as the value does not change.
package item

import (
	"strconv"
	"strings"
)

// MetaField is a key of a stack's metadata and its value. Both may contain any bytes except \1, \2 and \3, which are
// separators in the itemstring.
type MetaField struct {
	Key   string // "" for metadata without keys, as written before 0.4.16
	Value string
}

// Stack is a number of equal items in one slot. The zero value is an empty slot.
type Stack struct {
	Name  string      // such as "default:dirt"
	Count int         // 0 to 65535
	Wear  int         // of a tool: 0 (new) to 65535 (about to break)
	Meta  []MetaField // in the order of the text; of fields with the same key the last counts

	// Legacy is the first word of an itemstring from before 0.4, such as "ToolItem"; it is "" in newer itemstrings.
	// See [Stack.MigrateLegacy].
	Legacy string
	ID     uint16 // node id instead of a name: "MaterialItem" and "MaterialItem2" only

	raw string // the text, if it differs from that of appendFields
}

// ParseStack reads an itemstring as the engine does: a count or wear that is not a number is 0, and text after the
// metadata is ignored. An empty text is an empty stack. The error is a [fault.Error] whose Offset is the offset in
// the text: the quotes of the name or the metadata are not closed, or the closing quote of the name is not followed
// by a space. A text cut off elsewhere is a valid, different stack.
//
// [fault.Error]: trowel.example/fault.Error
func ParseStack(text string) (Stack, error) {
	s, err := parseStack(text)
	if err != nil {
		return Stack{}, err
	}
	var room [256]byte
	if string(s.appendFields(room[:0])) != text {
		s.raw = text
	}
	return s, nil
}

func parseStack(text string) (s Stack, err error) {
	if text == "" {
		return Stack{}, nil
	}
	t := scanner{text: text}
	s.Name = t.quoted("name")
	t.space("name")
	if t.err != nil {
		return Stack{}, t.err
	}
	if parse, ok := legacyForms[s.Name]; ok {
		s.Legacy, s.Name = s.Name, ""
		parse(&s, t.rest())
		return s, nil
	}
	s.Count = 1
	if word := t.word(); word != "" {
		s.Count = number(word)
		if word = t.word(); word != "" {
			s.Wear = number(word)
			s.Meta = parseMeta(t.quoted("metadata"))
		}
	}
	if t.err != nil {
		return Stack{}, t.err
	}
	return s, nil
}

const (
	metaStart = '\x01' // before the first key
	metaValue = '\x02' // between a key and its value
	metaNext  = '\x03' // after a value
)

func parseMeta(text string) (fields []MetaField) {
	if text == "" {
		return nil
	}
	if text[0] != metaStart {
		return []MetaField{{"", text}}
	}
	for text = text[1:]; text != ""; {
		var f MetaField
		f.Key, text, _ = strings.Cut(text, string(metaValue))
		f.Value, text, _ = strings.Cut(text, string(metaNext))
		fields = append(fields, f)
	}
	return fields
}

// Empty reports whether the stack is an empty slot: it has no name, or a count of 0.
func (s Stack) Empty() bool {
	switch s.Legacy {
	case "":
		return s.Name == "" || s.Count == 0
	case "MaterialItem", "MaterialItem2":
		return s.Count == 0
	}
	return false
}

// Equal reports whether two stacks have the same content. Their texts may differ.
func (s Stack) Equal(t Stack) bool {
	if s.Name != t.Name || s.Count != t.Count || s.Wear != t.Wear || s.Legacy != t.Legacy || s.ID != t.ID || len(s.Meta) != len(t.Meta) {
		return false
	}
	for i, f := range s.Meta {
		if t.Meta[i] != f {
			return false
		}
	}
	return true
}

// Field returns the value of a metadata key, and whether the key exists.
func (s Stack) Field(key string) (value string, ok bool) {
	for _, f := range s.Meta {
		if f.Key == key {
			value, ok = f.Value, true
		}
	}
	return value, ok
}

// String returns the itemstring: the text that the stack was read from if it still has the same content, or else the
// shortest text; "" for an empty stack.
func (s Stack) String() string { return string(s.Append(nil)) }

// Append appends the itemstring to dst, as returned by String.
func (s Stack) Append(dst []byte) []byte {
	if s.raw != "" {
		if was, err := parseStack(s.raw); err == nil && was.Equal(s) {
			return append(dst, s.raw...)
		}
	}
	return s.appendFields(dst)
}

func (s *Stack) appendFields(dst []byte) []byte {
	switch {
	case s.Legacy != "":
		return s.appendLegacy(dst)
	case s.Empty():
		return dst
	}
	dst = appendQuoted(dst, s.Name)
	if s.Count != 1 || s.Wear != 0 || len(s.Meta) > 0 {
		dst = strconv.AppendInt(append(dst, ' '), int64(s.Count), 10)
	}
	if s.Wear != 0 || len(s.Meta) > 0 {
		dst = strconv.AppendInt(append(dst, ' '), int64(s.Wear), 10)
	}
	if len(s.Meta) > 0 {
		text := []byte{metaStart}
		for _, f := range s.Meta {
			text = append(append(text, f.Key...), metaValue)
			text = append(append(text, f.Value...), metaNext)
		}
		dst = appendQuoted(append(dst, ' '), string(text))
	}
	return dst
}
