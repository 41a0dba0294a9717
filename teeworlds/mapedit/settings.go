package mapedit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/glob"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// maxSetting is the size of the longest setting that the editor has room for, in bytes.
const maxSetting = 255

// subjects is the number of words after a command that identify what it sets: tune_zone 3 gravity 0.5 replaces only a
// setting of gravity in zone 3.
var subjects = map[string]int{
	"tune": 1, "tune_zone": 2, "tune_zone_enter": 1, "tune_zone_leave": 1, "switch_open": 1, "mapbug": 1, "toggle_tune": 1,
}

// subject returns the words of a setting that identify what it sets. A line of several commands has a subject of its
// own.
func subject(line string) string {
	list := strings.Fields(strings.ToLower(line))
	if len(list) == 0 || strings.HasPrefix(list[0], "#") || strings.Contains(line, ";") {
		return line
	}
	return strings.Join(list[:min(len(list), 1+subjects[list[0]])], " ")
}

func checkSetting(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return errors.New("expected a command, found an empty line")
	case strings.ContainsAny(line, "\n\r\x00"):
		return fmt.Errorf("%q: expected a single line", line)
	}
	return checkLength("setting", line, maxSetting)
}

func (e *Editor) settings() []string {
	if e.m.Info == nil {
		return nil
	}
	return e.m.Info.Settings
}

// setSettings replaces the settings of the map. It does not add an info item only for an empty list.
func (e *Editor) setSettings(list []string) {
	switch {
	case e.m.Info == nil && len(list) == 0:
		return
	case e.m.Info == nil:
		e.m.Info = new(twmap.Info)
	}
	e.m.Info.Settings = list
}

// AddSetting adds a command at the end of the settings, if it is missing. The server runs settings in order.
func (e *Editor) AddSetting(line string) error {
	if err := checkSetting(line); err != nil {
		return err
	}
	list := e.settings()
	if slices.Contains(list, line) {
		return nil
	}
	e.setSettings(append(slices.Clip(list), line))
	e.reportChange(nil, 1, "", "setting added: %s", line)
	return nil
}

// ReplaceSettings replaces count settings, from the number at on, by lines.
func (e *Editor) ReplaceSettings(at, count int, lines []string) error {
	for _, line := range lines {
		if err := checkSetting(line); err != nil {
			return err
		}
	}
	list := e.settings()
	if at < 0 || count < 0 || at > len(list) || count > len(list)-at {
		return fmt.Errorf("no settings %d to %d: the map has %s", at, at+count-1, words.Count(len(list), "setting"))
	}
	old := list[at : at+count]
	if slices.Equal(old, lines) {
		return nil
	}
	e.setSettings(slices.Concat(list[:at], lines, list[at+count:]))
	for i := range max(len(old), len(lines)) {
		switch {
		case i >= len(lines):
			e.reportChange(nil, 1, "", "setting removed: %s", old[i])
		case i >= len(old):
			e.reportChange(nil, 1, "", "setting added: %s", lines[i])
		case old[i] != lines[i]:
			e.reportChange(nil, 1, "", "setting changed: %s became %s", old[i], lines[i])
		}
	}
	return nil
}

// SetSetting changes the value that a command sets: "tune gravity 0.5" replaces the last setting that tunes gravity,
// and removes all others. If there is none, the setting is added.
func (e *Editor) SetSetting(line string) error {
	if err := checkSetting(line); err != nil {
		return err
	}
	list, what := e.settings(), subject(line)
	last := -1
	for i, l := range list {
		if subject(l) == what {
			last = i
		}
	}
	if last < 0 {
		return e.AddSetting(line)
	}
	var left []string
	for i, l := range list {
		switch {
		case i == last:
			if left = append(left, line); l != line {
				e.reportChange(nil, 1, "", "setting changed: %s became %s", l, line)
			}
		case subject(l) == what:
			e.reportChange(nil, 1, "", "setting removed: %s", l)
		default:
			left = append(left, l)
		}
	}
	e.setSettings(left)
	return nil
}

// RemoveSettings removes the settings that begin with the words of a pattern, such as "tune gravity", in which * and
// ? match as in file names.
func (e *Editor) RemoveSettings(pattern string) error {
	wanted := strings.Fields(strings.ToLower(pattern))
	if len(wanted) == 0 {
		return errors.New("expected the words that a setting begins with")
	}
	match := make([]func(string) bool, len(wanted))
	for i, w := range wanted {
		match[i] = glob.Text(w)
	}
	list := e.settings()
	left := slices.DeleteFunc(slices.Clone(list), func(line string) bool {
		have := strings.Fields(strings.ToLower(line))
		if len(have) < len(wanted) {
			return false
		}
		for i := range wanted {
			if !match[i](have[i]) {
				return false
			}
		}
		e.reportChange(nil, 1, "", "setting removed: %s", line)
		return true
	})
	if len(left) == len(list) {
		missing := &fault.NameError{Kind: "setting", Name: pattern}
		for _, line := range list {
			have := strings.Fields(line)
			missing.Names = append(missing.Names, strings.Join(have[:min(len(have), len(wanted))], " "))
		}
		return missing
	}
	e.setSettings(left)
	return nil
}

// SortSettings sorts the settings by what they set. Settings of the same subject keep their order, because the last
// one applies.
func (e *Editor) SortSettings() {
	list := e.settings()
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b string) int { return compareWords(subject(a), subject(b)) })
	if !slices.Equal(sorted, list) {
		e.setSettings(sorted)
		e.reportChange(nil, len(sorted), "settings", "settings sorted")
	}
}

// compareWords compares word by word, and numbers by value.
func compareWords(a, b string) int {
	return slices.CompareFunc(strings.Fields(a), strings.Fields(b), func(v, w string) int {
		m, errM := strconv.Atoi(v)
		n, errN := strconv.Atoi(w)
		if errM == nil && errN == nil {
			return m - n
		}
		return strings.Compare(v, w)
	})
}

// DedupeSettings removes settings that a later setting overrides: of those with the same subject only the last
// applies. For commands whose subject is unknown, and for those that have an effect each time, it removes only
// consecutive repetitions.
func (e *Editor) DedupeSettings() {
	list := e.settings()
	last := make(map[string]int)
	for i, line := range list {
		last[subject(line)] = i
	}
	var left []string
	for i, line := range list {
		what := subject(line)
		command, _, _ := strings.Cut(what, " ")
		_, known := subjects[command]
		known = (known || strings.HasPrefix(command, "sv_")) && !strings.Contains(line, ";")
		switch {
		case command != "toggle_tune" && (known && last[what] > i || i+1 < len(list) && list[i+1] == line):
			e.reportChange(nil, 1, "", "setting removed, because a later setting overrides it: %s", line)
		default:
			left = append(left, line)
		}
	}
	e.setSettings(left)
}
