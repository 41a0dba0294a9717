package raw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// LineOf returns the line, from 1, of the place of a finding in the JSON of a table. A place is, for example,
// "skills[3].guid". If it does not exist, LineOf returns the line of the nearest enclosing value, or 0 if there is
// none.
func LineOf(form []byte, place string) int {
	l := liner{dec: json.NewDecoder(bytes.NewReader(form)), at: -1}
	l.value(place, true, 0)
	if l.at < 0 || place == "" {
		return 0
	}
	return 1 + bytes.Count(form[:l.at], []byte("\n"))
}

type liner struct {
	dec *json.Decoder
	at  int64 // offset of the last token on the way to the place
}

// value reads a value and reports whether the search has ended: at the place, or at the last existing value on the way
// to it. The flag on means that the value is on the way, and rest is the remaining part of the place.
func (l *liner) value(rest string, on bool, depth int) (ended bool) {
	token, err := l.dec.Token()
	if err != nil || depth > maxDepth {
		return true
	}
	if on {
		if l.at = l.dec.InputOffset() - 1; rest == "" {
			return true
		}
	}
	switch token {
	case json.Delim('['):
		for i := 0; l.dec.More(); i++ {
			after, own := strings.CutPrefix(rest, fmt.Sprintf("[%d]", i))
			if l.value(after, on && own, depth+1) || on && own {
				return true
			}
		}
		_, _ = l.dec.Token()
	case json.Delim('{'):
		name, _, _ := strings.Cut(strings.TrimPrefix(rest, "."), ".")
		name, _, _ = strings.Cut(name, "[")
		after := strings.TrimPrefix(rest, ".")[len(name):]
		for l.dec.More() {
			key, err := l.dec.Token()
			if err != nil {
				return true
			}
			own := on && sameName(name, fmt.Sprint(key))
			if l.value(after, own, depth+1) || own {
				return true
			}
		}
		_, _ = l.dec.Token()
	}
	return false
}

// maxDepth is greater than the nesting depth of any table.
const maxDepth = 20

// sameName reports whether names mean the same field: findings use the names of the fields in the file, with
// underscores.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}
