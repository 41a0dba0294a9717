package mapauthor

import (
	"encoding/json"
	"regexp"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/strictjson"
)

// surroundings are what surrounds a place in JSON, which may be incomplete.
type surroundings struct {
	way    []string        // the fields that contain the object
	has    map[string]bool // fields of the object before the place
	field  string          // the field whose value the place is in; "" for the name of a field
	object bool            // the place is in an object
	quoted bool            // the place is in a string
	from   int             // offset of the string, with its quote, or of the word before the place
}

// contextAt returns what surrounds an offset.
func contextAt(text string, offset int) surroundings {
	type frame struct {
		object, name bool // name: the next string is the name of a field
		key          string
		has          map[string]bool
	}
	var stack []frame
	c := surroundings{from: offset}
	for i := 0; i < offset; i++ {
		top := len(stack) - 1
		switch text[i] {
		case '"':
			end := i + 1
			for end < offset && text[end] != '"' && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= offset {
				c.quoted, c.from = true, i
				break
			}
			if top >= 0 && stack[top].name {
				stack[top].key, stack[top].name = unquote(text[i:min(end+1, offset)]), false
				stack[top].has[stack[top].key] = true
			}
			i = end
		case '{':
			stack = append(stack, frame{object: true, name: true, has: make(map[string]bool)})
		case '[':
			stack = append(stack, frame{})
		case '}', ']':
			stack = stack[:max(top, 0)]
		case ',':
			if top >= 0 && stack[top].object {
				stack[top].name, stack[top].key = true, ""
			}
		}
		if c.quoted {
			break
		}
	}
	if !c.quoted {
		for c.from > 0 && (text[c.from-1] >= 'a' && text[c.from-1] <= 'z' || text[c.from-1] >= 'A' && text[c.from-1] <= 'Z') {
			c.from--
		}
	}
	for i, f := range stack {
		last := i == len(stack)-1
		if f.object && !last && f.key != "" {
			c.way = append(c.way, f.key)
		}
		if f.object && last {
			c.object, c.has = true, f.has
			if !f.name {
				c.field = f.key
			}
		}
	}
	return c
}

// unquote returns the text of a JSON string, or "" if it is not one.
func unquote(s string) string {
	var text string
	if json.Unmarshal([]byte(s), &text) != nil {
		return ""
	}
	return text
}

// quote returns the JSON string of a text.
func quote(s string) string {
	text, _ := strictjson.Marshal(s, "") // strings never cause an error
	return strings.TrimSpace(string(text))
}

// mentionOf matches fields of layers that name a part.
var mentionOf = regexp.MustCompile(`"(image|sound|colorEnv|posEnv|soundEnv)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// mention is a place in a JSON file that names a part.
type mention struct {
	field, name string
	format.Span // with the quotes
}

// mentionsIn returns the mentions of parts in a JSON file.
func mentionsIn(at, text string) (list []mention) {
	n := 0
	for row := range strings.Lines(text) {
		for _, m := range mentionOf.FindAllStringSubmatchIndex(row, -1) {
			list = append(list, mention{row[m[2]:m[3]], unquote(row[m[4]:m[5]]),
				format.Span{Path: at, From: format.Spot{Line: n, Column: m[4]}, To: format.Spot{Line: n, Column: m[5]}}})
		}
		n++
	}
	return list
}
