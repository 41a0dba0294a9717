// Package check says what is wrong with a file, in one form for every format.
//
// A format package declares each kind of finding once, in a [Catalog], and
// reports findings of these kinds to a [Sink]. A check never stops at the
// first finding: it tells all that it can see in one run. The identifiers are
// stable: scripts may rely on them.
package check

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Severity tells how bad a finding is.
type Severity int

const (
	Info    Severity = iota // worth knowing; nothing to do
	Warning                 // works today, but is not as it should be
	Error                   // the game, or a part of it, will refuse or misread this
)

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return fmt.Sprintf("severity %d", int(s))
}

// MarshalText writes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity by its name.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, v := range []Severity{Info, Warning, Error} {
		if v.String() == string(text) {
			*s = v
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q: expected info, warning or error", text)
}

// Kind is a kind of finding.
type Kind struct {
	ID       string   `json:"id"` // stable, such as "tw-map-no-game-layer"
	Severity Severity `json:"severity"`
	Meaning  string   `json:"meaning"` // what it means, one sentence
	Remedy   string   `json:"remedy"`  // what to do about it, one sentence
}

// Catalog is the list of the kinds that a format package reports.
type Catalog struct{ kinds []*Kind }

// Add declares a kind.
func (c *Catalog) Add(id string, severity Severity, meaning, remedy string) *Kind {
	k := &Kind{ID: id, Severity: severity, Meaning: meaning, Remedy: remedy}
	c.kinds = append(c.kinds, k)
	return k
}

// Kinds returns all kinds in the order in which they were declared.
func (c *Catalog) Kinds() []*Kind { return slices.Clone(c.kinds) }

// Finding is one thing that a check found.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`   // where inside the file, such as "groups[2].layers[0]"
	Offset   int64    `json:"offset"` // offset in the file; -1 where there is none
	Message  string   `json:"message"`
	At       []Place  `json:"at,omitempty"` // every place that the finding is about
}

// String is the finding for people. It leaves out the offset, which changes with
// every rewriting of a file: reports of two versions can be compared.
func (f Finding) String() string { return f.text("") }

// Verbose is String with the offset.
func (f Finding) Verbose() string {
	if f.Offset < 0 {
		return f.String()
	}
	return f.text(fmt.Sprintf(" (offset %d)", f.Offset))
}

func (f Finding) text(where string) string {
	path := ""
	if f.Path != "" {
		path = f.Path + ": "
	}
	return fmt.Sprintf("%v: %s%s%s [%s]", f.Severity, path, f.Message, where, f.ID)
}

// MarshalJSON leaves the offset out where there is none.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	out := struct {
		plain
		Offset *int64 `json:"offset,omitempty"`
	}{plain: plain(f)}
	if f.Offset >= 0 {
		out.Offset = &f.Offset
	}
	return json.Marshal(out)
}

// Sink receives findings as they are made.
type Sink func(Finding)

// Add reports a finding of kind k. An offset of -1 means none.
func (s Sink) Add(k *Kind, path string, offset int64, format string, args ...any) {
	s.AddAt(k, nil, path, offset, format, args...)
}

// AddAt reports a finding of kind k that is about the places at.
func (s Sink) AddAt(k *Kind, at []Place, path string, offset int64, format string, args ...any) {
	s(Finding{ID: k.ID, Severity: k.Severity, Path: path, Offset: offset, Message: fmt.Sprintf(format, args...), At: at})
}

// Collect runs a check and returns what it found.
func Collect(run func(Sink)) []Finding {
	var all []Finding
	run(func(f Finding) { all = append(all, f) })
	return all
}
