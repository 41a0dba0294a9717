package text

import (
	"cmp"
	"slices"
	"strings"
)

// mend is the way to fix an error of a text.
type mend uint8

const (
	noMend      mend = iota
	mendClose        // the tag opens a node where it should close one: add the slash
	mendInsert       // a closing tag is missing before the line, or at the end
	mendName         // the tag closes a node by a name that no open node has
	mendBracket      // the tag has no ]
	mendJoin         // the line belongs to the value before it
)

// Repair fixes common mistakes in a text: tags that open a node where they should close one, tags that are missing,
// have no bracket or a misspelled name, and values over several lines, which become one with \n between the lines. It
// returns the text and the fixed errors, each with its line in the original text. A valid text is returned unchanged.
// If the text cannot be fixed, the error is that of [Parse].
func Repair(data []byte) (fixed []byte, done []*Error, err error) {
	if _, err = Parse(data); err == nil {
		return data, nil, nil
	}
	f := new(File)
	f.Encoding, f.BOM = detect(data)
	body := data
	if f.BOM {
		body = body[len(boms[f.Encoding]):]
	}
	s, failed := decode(body, f.Encoding)
	if failed != nil {
		return nil, nil, err
	}
	lines := slices.Collect(strings.Lines(s))
	at := make([]int, len(lines)) // line numbers in the original text
	for i := range at {
		at[i] = i + 1
	}
	for range maxErrors {
		whole := strings.Join(lines, "")
		if len(whole) > 2*len(s)+4096 {
			break // names that grow with each added tag
		}
		p := parser{rest: whole}
		if _, err = p.parse(); err == nil {
			return f.encoded([]byte(whole)), done, nil
		}
		i := slices.IndexFunc(p.errors, func(e *Error) bool { return e.mend != noMend })
		if i < 0 {
			return nil, nil, err
		}
		e := p.errors[i]
		l := min(e.Line, len(lines)) - 1
		reported := *e
		reported.Line = at[max(l, 0)]
		var failed error
		if lines, at, failed = e.mended(lines, at, l); failed != nil {
			return nil, nil, failed
		}
		done = append(done, &reported)
	}
	return nil, nil, err
}

// mended returns the lines without the error, which is in line l.
func (e *Error) mended(lines []string, at []int, l int) ([]string, []int, error) {
	if l < 0 {
		return nil, nil, e
	}
	line, end := lines[l], ""
	for _, e := range []string{"\r\n", "\n"} {
		if rest, has := strings.CutSuffix(line, e); has {
			line, end = rest, e
			break
		}
	}
	line = strings.TrimRight(line, " \t\r")
	tag := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(tag)]
	switch e.mend {
	case mendClose:
		lines[l] = indent + "[/" + tag[1:] + end
	case mendBracket:
		lines[l] = line + "]" + end
	case mendName:
		lines[l] = indent + e.Want + end
	case mendInsert:
		if strings.HasPrefix(tag, "[/") && e.Line <= len(lines) && e.Got == quote(tag) {
			lines, at = slices.Insert(lines, l, indent+e.Want+cmp.Or(end, "\r\n")), slices.Insert(at, l, at[l])
			break
		}
		if end == "" {
			end = "\r\n"
			lines[l] += end
		}
		lines, at = append(lines, e.Want+end), append(at, at[l])
	case mendJoin:
		before := l - 1
		for before >= 0 && strings.TrimSpace(lines[before]) == "" {
			before--
		}
		if before < 0 || !isStringLine(lines[before]) {
			return nil, nil, e
		}
		value := strings.TrimRight(lines[before], "\r\n")
		lines[before] = value + strings.Repeat(`\n`, l-before) + tag + end
		lines, at = slices.Delete(lines, before+1, l+1), slices.Delete(at, before+1, l+1)
	}
	return lines, at, nil
}

// isStringLine reports whether a line is a property whose value is a string.
func isStringLine(line string) bool {
	tag, isProperty := strings.CutPrefix(strings.TrimLeft(line, " \t"), "<")
	word, rest, closed := strings.Cut(tag, ">")
	t, known := ParseType(word)
	return isProperty && closed && known && t.IsString() && strings.Contains(rest, ":")
}
