package world

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trowel.example/fault"
)

// Settings is a text of lines "name = value", as world.mt, map_meta.txt,
// env_meta.txt and the head of a player's file are. It keeps every line as it
// is: only a line whose value is set changes.
//
// A value can go over several lines between two lines of three quotes; a value
// "{" begins a group of settings that a line "}" ends. Empty lines, comments
// after # and lines that are nothing of all this mean nothing.
type Settings struct {
	mark  string // the byte order mark that the text begins with; "" for none
	lines []settingLine
	end   string // the line that ends the text; "" for none
	tail  []byte // the end line, and all after it
	ended bool
	depth int // of a group inside groups
}

// settingLine is a setting, or a line that is none: then all of it is in head.
type settingLine struct {
	head, body, foot string // name and =, the value as it is written, the line end
	name             string // "" for a line that is no setting
	value            string
	group            *Settings // has the line that ends it as its tail
}

// maxGroups is how deep groups can be inside each other; the engine writes one level.
const maxGroups = 16

// ParseSettings reads settings up to the line end, or all of the text if end is
// "". There is no error: what is no setting is kept, and [Settings.Ended] tells
// whether the end was there.
func ParseSettings(text []byte, end string) *Settings {
	s := &Settings{end: end}
	text, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	if marked {
		s.mark = byteOrderMark
	}
	s.parse(bytes.Clone(text))
	return s
}

// byteOrderMark is what some editors put before a text. The engine takes it for a part of the first line.
const byteOrderMark = "\ufeff"

// nextLine cuts off the first line, with its line end.
func nextLine(text []byte) (line, rest []byte) {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return text[: n+1 : n+1], text[n+1:]
	}
	return text, nil
}

const (
	space  = " \t\r\n\v\f" // what the engine trims
	quotes = `"""`         // before and after a value of many lines
)

// parse reads settings from text and returns what is after the end line, if
// they are a group.
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

// parseLong reads the value of many lines that follows in text. Without an end
// it continues to the end of the text, as in the engine.
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

// Ended reports whether the text has the line that should end it.
func (s *Settings) Ended() bool { return s.end == "" || s.ended }

// Rest returns what is after the line that ends the settings.
func (s *Settings) Rest() []byte {
	_, rest := nextLine(s.tail)
	return rest
}

// find returns the last setting of a name, which is the one that is valid.
func (s *Settings) find(name string) *settingLine {
	for i := range slices.Backward(s.lines) {
		if name != "" && s.lines[i].name == name {
			return &s.lines[i]
		}
	}
	return nil
}

// Get returns the value of a setting, and whether it is there. The value of a
// group is "{".
func (s *Settings) Get(name string) (value string, ok bool) {
	if l := s.find(name); l != nil {
		return l.value, true
	}
	return "", false
}

// Group returns the settings of a group, nil if there is no such group. To
// change them changes s.
func (s *Settings) Group(name string) *Settings {
	if l := s.find(name); l != nil {
		return l.group
	}
	return nil
}

// All yields all settings in the order of their lines, those included that a
// later one of the same name makes void.
func (s *Settings) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, l := range s.lines {
			if l.name != "" && !yield(l.name, l.value) {
				return
			}
		}
	}
}

// Set changes a setting: the line that is valid, or a new one after the last.
// A value of many lines gets lines of quotes around it. The error says that
// name or value cannot be written such that the engine reads the same.
func (s *Settings) Set(name, value string) error {
	if name == "" || strings.Trim(name, space) != name || strings.ContainsAny(name, "\n=\"{}#") || name == s.end {
		return &fault.Error{Path: name, Offset: -1, Want: "a name without any of = \" { } # and spaces around it", Got: fmt.Sprintf("%.40q", name), Err: fault.ErrFormat}
	}
	l := s.find(name)
	if l != nil && l.group == nil && l.value == value {
		return nil
	}
	text, long := value, false
	if strings.Trim(value, space) != value || strings.ContainsAny(value, "\n") || value == "{" || value == quotes {
		text, long = quotes+"\n"+value+"\n"+quotes, true
		if strings.Contains("\n"+value+"\n", "\n"+quotes+"\n") {
			return &fault.Error{Path: name, Offset: -1, Want: "a value without a line of three quotes", Got: fmt.Sprintf("%.40q", value), Err: fault.ErrFormat}
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
		l.foot = strings.Trim(l.foot, " \t\r\v\f") // quotes end a value only if nothing is beside them
	}
	l.body, l.value, l.group = text, value, nil
	return nil
}

// endLine makes sure that the next line does not continue in the last one.
func (s *Settings) endLine() {
	if text := s.appendLines(nil); len(text) > 0 && text[len(text)-1] != '\n' {
		s.lines = append(s.lines, settingLine{foot: "\n"})
	}
}

// Remove removes all lines of a setting, and reports whether there were any.
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

// Finish adds the line that ends the settings, if it is missing.
func (s *Settings) Finish() {
	if !s.Ended() {
		s.endLine()
		s.ended, s.tail = true, []byte(s.end+"\n")
	}
}
