package translation

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
)

// PO is a PO file.
type PO struct {
	Header  string // "Project-Id-Version: x\nLanguage: de\n"
	Entries []Entry
}

// Entry is a text with its translation.
type Entry struct {
	Notes   []string // the origin of the text, one line each
	Flags   []string // such as "fuzzy" for a guess
	Context string   // distinguishes equal texts; "" for none
	ID      string   // the text
	Plural  string   // the plural text; "" for none
	Str     []string // the translation, one for each plural form; "" if it is missing

	Line int // line in the file
}

// Fuzzy reports whether the translation is an unverified guess.
func (e *Entry) Fuzzy() bool {
	return slices.Contains(e.Flags, "fuzzy")
}

// maxEntries is more than the number of texts in any game.
const maxEntries = 1 << 20

// ParsePO parses a file in UTF-8, with or without a byte order mark. It ignores obsolete entries. The error is a
// [*fault.TextError].
func ParsePO(data []byte) (*PO, error) {
	p := parser{file: new(PO)}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.Lines(text) {
		p.num++
		if !utf8.ValidString(line) {
			return nil, p.fail("UTF-8", "other bytes")
		}
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, err
		}
		if len(p.file.Entries) > maxEntries {
			return nil, p.fail(fmt.Sprintf("at most %d texts", maxEntries), "more")
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return p.file, nil
}

type parser struct {
	file  *PO
	num   int
	entry Entry
	into  *string // the string that continuation lines are appended to
	has   struct{ id, str, context bool }
	first bool // the header was read
}

func (p *parser) fail(want, got string) error {
	return &fault.TextError{Line: max(p.num, 1), Msg: "expected " + want + ", found " + got}
}

func (p *parser) line(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	if i := strings.IndexByte(word, '"'); i > 0 {
		word, rest = s[:i], s[i:]
	}
	if p.has.str && (word == "msgctxt" || word == "msgid") {
		if err := p.end(); err != nil {
			return err
		}
	}
	switch {
	case s == "":
		return p.end()
	case strings.HasPrefix(s, "#"):
		if p.has.str {
			if err := p.end(); err != nil {
				return err
			}
		}
		p.comment(s)
		return nil
	case s[0] == '"':
		if p.into == nil {
			return p.fail("msgid", quoted(s))
		}
		return p.add(s)
	case word == "msgctxt" || word == "msgid":
		if p.entry.Line == 0 {
			p.entry.Line = p.num
		}
		switch {
		case word == "msgctxt" && !p.has.context && !p.has.id:
			p.has.context, p.into = true, &p.entry.Context
		case word == "msgid" && !p.has.id:
			p.has.id, p.into = true, &p.entry.ID
		default:
			return p.fail("msgstr", word)
		}
	case word == "msgid_plural" && p.has.id && !p.has.str:
		p.into = &p.entry.Plural
	case (word == "msgstr" || strings.HasPrefix(word, "msgstr[") && strings.HasSuffix(word, "]")) && p.has.id && len(p.entry.Str) < maxPlurals:
		p.has.str = true
		p.entry.Str = append(p.entry.Str, "")
		p.into = &p.entry.Str[len(p.entry.Str)-1]
	default:
		return p.fail(`msgctxt, msgid, msgstr or "text"`, quoted(s))
	}
	return p.add(strings.TrimSpace(rest))
}

// maxPlurals is more than the number of plural forms in any language.
const maxPlurals = 16

func (p *parser) comment(s string) {
	switch {
	case strings.HasPrefix(s, "#."):
		p.entry.Notes = append(p.entry.Notes, strings.TrimSpace(s[2:]))
	case strings.HasPrefix(s, "#,"):
		for flag := range strings.SplitSeq(s[2:], ",") {
			p.entry.Flags = append(p.entry.Flags, strings.TrimSpace(flag))
		}
	}
}

// add adds the text between quotes.
func (p *parser) add(s string) error {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return p.fail(`a string in "quotes"`, quoted(s))
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return p.fail(`\"`, `"`)
		case s[i] != '\\':
			b.WriteByte(s[i])
			continue
		case i+1 == len(s):
			return p.fail("a character after \\", "the end of the text")
		}
		i++
		if at := strings.IndexByte(escapes, s[i]); at >= 0 {
			b.WriteByte(escaped[at])
			continue
		}
		v, n := 0, 0
		switch {
		case s[i] == 'x':
			for n < 2 && i+1 < len(s) && isHex(s[i+1]) {
				v, n, i = v*16+hexValue(s[i+1]), n+1, i+1
			}
		default:
			for n < 3 && i+n < len(s) && '0' <= s[i+n] && s[i+n] <= '7' {
				v, n = v*8+int(s[i+n]-'0'), n+1
			}
			i += max(n, 1) - 1
		}
		if n == 0 || v > 127 { // a part of a multi-byte UTF-8 character is not valid
			return p.fail("a known character after \\", quoted(s))
		}
		b.WriteByte(byte(v))
	}
	*p.into += b.String()
	return nil
}

const (
	escapes = `nrtabfv\"`
	escaped = "\n\r\t\a\b\f\v\\\""
)

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func hexValue(c byte) int {
	if c <= '9' {
		return int(c - '0')
	}
	return int(c|0x20-'a') + 10
}

// end completes an entry.
func (p *parser) end() error {
	e := p.entry
	has := p.has
	p.entry, p.into = Entry{}, nil
	p.has.id, p.has.str, p.has.context = false, false, false
	switch {
	case !has.id && !has.context: // only comments, or nothing
		return nil
	case !has.id:
		return p.fail("msgid", "the end of the entry")
	case !has.str:
		return p.fail("msgstr", "the end of the entry")
	case e.ID == "" && !p.first && e.Context == "":
		p.first = true
		p.file.Header = e.Str[0]
		if name, ok := p.file.Field("Content-Type"); ok && strings.Contains(name, "charset=") &&
			!strings.Contains(strings.ToUpper(name), "UTF-8") && !strings.HasSuffix(name, "=CHARSET") &&
			!strings.Contains(strings.ToUpper(name), "ASCII") {
			p.num = e.Line
			return p.fail("charset=UTF-8", name)
		}
		return nil
	}
	p.file.Entries = append(p.file.Entries, e)
	return nil
}

// Field returns a field of the header, and whether it exists.
func (f *PO) Field(name string) (string, bool) {
	for line := range strings.Lines(f.Header) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

func quoted(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// Format encodes the file.
func (f *PO) Format() []byte {
	var b strings.Builder
	write := func(word, s string) {
		b.WriteString(word + " ")
		if lines := strings.SplitAfter(s, "\n"); len(lines) > 1 && lines[1] != "" {
			b.WriteString("\"\"\n")
			for _, line := range lines {
				if line != "" {
					b.WriteString(`"` + escape(line) + "\"\n")
				}
			}
			return
		}
		b.WriteString(`"` + escape(s) + "\"\n")
	}
	b.WriteString("msgid \"\"\n")
	write("msgstr", f.Header)
	for i := range f.Entries {
		e := &f.Entries[i]
		b.WriteString("\n")
		for _, n := range e.Notes {
			b.WriteString("#. " + strings.NewReplacer("\n", " ", "\r", " ").Replace(n) + "\n")
		}
		if len(e.Flags) > 0 {
			b.WriteString("#, " + strings.Join(e.Flags, ", ") + "\n")
		}
		if e.Context != "" {
			write("msgctxt", e.Context)
		}
		write("msgid", e.ID)
		if e.Plural != "" {
			write("msgid_plural", e.Plural)
		}
		for j, s := range e.Str {
			word := "msgstr"
			if e.Plural != "" {
				word = fmt.Sprintf("msgstr[%d]", j)
			}
			write(word, s)
		}
		if len(e.Str) == 0 {
			write("msgstr", "")
		}
	}
	return []byte(b.String())
}

func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch at := strings.IndexByte(escaped, c); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(escapes[at])
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
