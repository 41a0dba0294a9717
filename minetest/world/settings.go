package world

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trowel.example/fault"
)

// Settings is a text of lines "name = value": world.mt, map_meta.txt, env_meta.txt and the head of a player's file.
// All lines are preserved, except those whose value is set.
//
// A value can span several lines between two lines of three quotes. A value "{" begins a group of settings, which a
// line "}" ends. Empty lines, comments that begin with # and all other lines have no meaning.
type Settings struct {
	mark  string // the byte order mark at the beginning of the text; "" if there is none
	lines []settingLine
	end   string // the line that ends the text; "" if the text has no such line
	tail  []byte // the end line and everything after it
	ended bool
	depth int // nesting depth of the group
}

// settingLine is a setting, or another line, which is stored in head.
type settingLine struct {
	head, body, foot string // name and =, the value as written, the line end
	name             string // "" if the line is not a setting
	value            string
	group            *Settings // its tail is the line that ends the group
}

// maxGroups is the maximum nesting depth of groups; the engine writes one level.
const maxGroups = 16

// ParseSettings parses settings up to the line end, or the whole text if end is "". There is no error: lines that are
// not settings are preserved, and [Settings.Ended] reports whether the end line was found.
func ParseSettings(text []byte, end string) *Settings {
	s := &Settings{end: end}
	text, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	if marked {
		s.mark = byteOrderMark
	}
	s.parse(bytes.Clone(text))
	return s
}

// byteOrderMark is written by some editors at the beginning of a text. The engine treats it as part of the first
// line.
const byteOrderMark = "\ufeff"

// nextLine splits off the first line, including its line end.
func nextLine(text []byte) (line, rest []byte) {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return text[: n+1 : n+1], text[n+1:]
	}
	return text, nil
}

const (
	space  = " \t\r\n\v\f" // the characters that the engine trims
	quotes = `"""`         // before and after a value of several lines
)

// parse reads settings from text. For a group it returns the text after the end line.
func (s *Settings) parse(text []byte) (rest []byte) {
	for len(text) > 0 {
		line, rest := nextLine(text)
		trimmed := string(bytes.Trim(line, space))
		if s.end != "" && trimmed == s.end {
			s.ended = true
			if s.depth > 0 {
				s.tail = line
				return rest
			}
			s.tail = text
			return nil
		}
		text = rest
		l := parseLine(string(line))
		switch {
		case l.name == "":
		case l.value == "{" && s.depth < maxGroups:
			l.group = &Settings{end: "}", depth: s.depth + 1}
			text = l.group.parse(text)
		case l.value == quotes:
			text = l.parseLong(text)
		}
		s.lines = append(s.lines, l)
	}
	return nil
}

func parseLine(line string) settingLine {
	name, value, ok := strings.Cut(line, "=")
	name = strings.Trim(name, space)
	if !ok || name == "" || name[0] == '#' {
		return settingLine{head: line}
	}
	l := settingLine{name: name, value: strings.Trim(value, space)}
	at := len(line)
	if l.value != "" {
		at -= len(strings.TrimLeft(value, space))
	} else {
		at -= len(value)
	}
	l.head, l.body, l.foot = line[:at], l.value, line[at+len(l.value):]
	return l
}

// parseLong reads a value of several lines from text. Without an end line, the value continues to the end of the
// text, as in the engine.
func (l *settingLine) parseLong(text []byte) (rest []byte) {
	l.body += l.foot
	l.value, l.foot = "", ""
	for rest = text; len(rest) > 0; {
		var line []byte
		if line, rest = nextLine(rest); strings.TrimSuffix(string(line), "\n") == quotes {
			l.foot = string(line[len(quotes):])
			text = text[:len(text)-len(rest)-len(line)]
			l.body += string(text) + quotes
			l.value = strings.TrimSuffix(string(text), "\n")
			return rest
		}
	}
	l.body += string(text)
	l.value = strings.TrimSuffix(string(text), "\n")
	return nil
}

// Ended reports whether the text contains its end line.
func (s *Settings) Ended() bool { return s.end == "" || s.ended }

// Rest returns the text after the line that ends the settings.
func (s *Settings) Rest() []byte {
	_, rest := nextLine(s.tail)
	return rest
}

// find returns the last setting with the given name, which is the valid one.
func (s *Settings) find(name string) *settingLine {
	for i := range slices.Backward(s.lines) {
		if name != "" && s.lines[i].name == name {
			return &s.lines[i]
		}
	}
	return nil
}

// Get returns the value of a setting and reports whether it exists. The value of a group is "{".
func (s *Settings) Get(name string) (value string, ok bool) {
	if l := s.find(name); l != nil {
		return l.value, true
	}
	return "", false
}

// Group returns the settings of a group, or nil if there is no such group. Changes to the group change s.
func (s *Settings) Group(name string) *Settings {
	if l := s.find(name); l != nil {
		return l.group
	}
	return nil
}

// All yields all settings in the order of their lines, including those that a later setting of the same name
// overrides.
func (s *Settings) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, l := range s.lines {
			if l.name != "" && !yield(l.name, l.value) {
				return
			}
		}
	}
}

// Set changes the valid line of a setting, or adds a line at the end. A value of several lines is written between
// lines of quotes. It returns an error if the engine would not read the same name and value.
func (s *Settings) Set(name, value string) error {
	if name == "" || strings.Trim(name, space) != name || strings.ContainsAny(name, "\n=\"{}#") || name == s.end {
		return &fault.Error{Path: name, Offset: -1, Want: "a name without any of = \" { } # and spaces around it",
			Got: fmt.Sprintf("%.40q", name), Err: fault.ErrFormat}
	}
	l := s.find(name)
	if l != nil && l.group == nil && l.value == value {
		return nil
	}
	text, long := value, false
	if strings.Trim(value, space) != value || strings.ContainsAny(value, "\n") || value == "{" || value == quotes {
		text, long = quotes+"\n"+value+"\n"+quotes, true
		if strings.Contains("\n"+value+"\n", "\n"+quotes+"\n") {
			return &fault.Error{Path: name, Offset: -1, Want: "a value without a line of three quotes",
				Got: fmt.Sprintf("%.40q", value), Err: fault.ErrFormat}
		}
	}
	if l == nil {
		s.endLine()
		s.lines = append(s.lines, settingLine{head: name + " =", foot: "\n", name: name})
		l = &s.lines[len(s.lines)-1]
	}
	if l.body == "" && strings.HasSuffix(l.head, "=") {
		l.head, l.foot = l.head+" ", strings.TrimPrefix(l.foot, " ")
	}
	if l.group != nil && l.foot == "" {
		l.foot = "\n"
	}
	if long {
		l.foot = strings.Trim(l.foot, " \t\r\v\f") // quotes end a value only on a line without other characters
	}
	l.body, l.value, l.group = text, value, nil
	return nil
}

// endLine makes sure that the last line is terminated.
func (s *Settings) endLine() {
	if text := s.appendLines(nil); len(text) > 0 && text[len(text)-1] != '\n' {
		s.lines = append(s.lines, settingLine{foot: "\n"})
	}
}

// Remove removes all lines of a setting and reports whether there were any.
func (s *Settings) Remove(name string) bool {
	n := len(s.lines)
	s.lines = slices.DeleteFunc(s.lines, func(l settingLine) bool { return name != "" && l.name == name })
	return len(s.lines) < n
}

// Append appends the text to dst.
func (s *Settings) Append(dst []byte) []byte {
	return append(s.appendLines(append(dst, s.mark...)), s.tail...)
}

func (s *Settings) appendLines(dst []byte) []byte {
	for i := range s.lines {
		dst = s.lines[i].append(dst)
	}
	return dst
}

func (l *settingLine) append(dst []byte) []byte {
	dst = append(append(append(dst, l.head...), l.body...), l.foot...)
	if l.group != nil {
		dst = l.group.Append(dst)
	}
	return dst
}

// Finish adds the line that ends the settings if it is missing.
func (s *Settings) Finish() {
	if !s.Ended() {
		s.endLine()
		s.ended, s.tail = true, []byte(s.end+"\n")
	}
}
