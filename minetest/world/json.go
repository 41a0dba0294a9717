package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"trowel.example/fault"
)

// pair is a member of a JSON object.
type pair struct{ key, value string }

// parsePairs parses a JSON object of strings, in order. As in the engine, numbers, true and false become strings;
// null is an object without members, or an empty string. If a key occurs more than once, the last value counts, as in
// the engine, and twice contains the key.
func parsePairs(text []byte) (list []pair, twice []string, err error) {
	at := make(map[string]int) // index in list, by key
	err = eachPair(text, func(p pair) {
		i, again := at[p.key]
		if again {
			list[i] = p
			twice = append(twice, p.key)
			return
		}
		at[p.key] = len(list)
		list = append(list, p)
	})
	if err != nil {
		return nil, nil, err
	}
	return list, twice, nil
}

func eachPair(text []byte, do func(pair)) error {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte(byteOrderMark))))
	d.UseNumber()
	fail := func(want, got string) error {
		return &fault.Error{Path: "json", Offset: d.InputOffset(), Want: want, Got: got, Err: fault.ErrFormat}
	}
	t, err := d.Token()
	switch {
	case err != nil:
		return fail("an object of JSON", err.Error())
	case t == nil:
		return atEnd(d, fail)
	case t != json.Delim('{'):
		return fail("an object of JSON", fmt.Sprintf("%.40v", t))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fail("a key", err.Error())
		}
		value, err := d.Token()
		if err != nil {
			return fail("a value", err.Error())
		}
		var v string
		switch value := value.(type) {
		case string:
			v = value
		case json.Number:
			v = value.String()
		case bool:
			v = strconv.FormatBool(value)
		case nil:
		default:
			return fail("a string", fmt.Sprintf("%v", value))
		}
		do(pair{key.(string), v})
	}
	if _, err := d.Token(); err != nil {
		return fail("the end of the object", err.Error())
	}
	return atEnd(d, fail)
}

func atEnd(d *json.Decoder, fail func(want, got string) error) error {
	if t, err := d.Token(); err != io.EOF {
		return fail("the end of the text", fmt.Sprintf("%.40v", t))
	}
	return nil
}

// appendPair appends a key and its value as JSON in ASCII, as the engine writes it. It returns an error if one of
// them is not valid UTF-8, which JSON cannot hold.
func appendPair(dst []byte, key, value string) ([]byte, error) {
	for _, s := range []string{key, value} {
		if !utf8.ValidString(s) {
			return dst, &fault.Error{Path: "json." + strconv.Quote(key), Offset: -1, Want: "a string in UTF-8", Got: "other bytes",
				Err: fault.ErrFormat}
		}
	}
	return appendJSON(append(appendJSON(dst, key), ':'), value), nil
}

func appendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r >= ' ' && r < 0x7f:
			dst = append(dst, byte(r))
		case r > 0xffff:
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return append(dst, '"')
}

// parseAttributes parses the attributes in the file of a player. twice contains the keys that occur more than once.
func parseAttributes(text string) (list []Attribute, twice []string, err error) {
	if text == "" {
		return nil, nil, nil
	}
	pairs, twice, err := parsePairs([]byte(text))
	for _, p := range pairs {
		list = append(list, Attribute{p.key, p.value})
	}
	return list, twice, err
}

// appendAttributes appends the attributes as a line of JSON.
func appendAttributes(dst []byte, list []Attribute) (_ []byte, err error) {
	if len(list) == 0 {
		return append(dst, "null"...), nil
	}
	for i, a := range list {
		dst = append(dst, "{,"[min(i, 1)])
		if dst, err = appendPair(dst, a.Key, a.Value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
