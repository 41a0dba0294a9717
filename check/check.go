// Package check reports problems in files, in one form for all formats.
//
// A format package declares each kind of finding once, in a [Catalog], and reports findings of these kinds to a
// [Sink]. A check does not stop at the first finding: one run reports every problem it can detect. The identifiers are
// stable: scripts may rely on them.
package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// Severity is how serious a finding is.
type Severity int

const (
	Info    Severity = iota // worth knowing; nothing to do
	Warning                 // works now, but should be corrected
	Error                   // the game, or a part of it, rejects or misreads this
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

// Kind describes a kind of finding.
type Kind struct {
	ID       string   `json:"id"` // stable, such as "tw-map-no-game-layer"
	Severity Severity `json:"severity"`
	Meaning  string   `json:"meaning"` // one sentence
	Remedy   string   `json:"remedy"`  // what to do, one sentence

	// Fix is the operation of edit, as words, that mends findings of this kind and changes nothing else that a player could
	// notice; nil if there is none.
	Fix []string `json:"fix,omitempty"`
}

// FixedBy sets Fix, and returns the kind.
func (k *Kind) FixedBy(operation ...string) *Kind {
	k.Fix = operation
	return k
}

// Catalog lists the kinds of findings that a format package reports.
type Catalog struct{ kinds []*Kind }

// Add declares a kind.
func (c *Catalog) Add(id string, severity Severity, meaning, remedy string) *Kind {
	k := &Kind{ID: id, Severity: severity, Meaning: meaning, Remedy: remedy}
	c.kinds = append(c.kinds, k)
	return k
}

// Kinds returns all kinds in the order in which they were declared.
func (c *Catalog) Kinds() []*Kind { return slices.Clone(c.kinds) }

// Finding is one problem or observation that a check reports.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`   // place inside the file, such as "groups[2].layers[0]"
	Offset   int64    `json:"offset"` // offset in the file; -1 if there is none
	Message  string   `json:"message"`
	At       []Place  `json:"at,omitempty"` // all places that the finding is about

	// Rule is the written rule that the finding shows to be broken; nil for most findings.
	Rule *Rule `json:"rule,omitempty"`
}

// Rule is a rule by which others decide about a file, such as whether they release a map.
type Rule struct {
	Set    string `json:"set"`              // whose rule it is, for people
	Name   string `json:"name,omitempty"`   // its heading; "" for a finding about all of them
	Binds  bool   `json:"binds"`            // it must be kept; else it is advice
	Source string `json:"source,omitempty"` // address of the page of the rule
}

// String names the rule for people.
func (r *Rule) String() string {
	switch {
	case r.Name == "":
		return r.Set
	case r.Binds:
		return r.Set + ", binding: " + r.Name
	}
	return r.Set + ", advice: " + r.Name
}

// Breaks reports whether the finding shows that a rule is broken that binds.
func (f Finding) Breaks() bool { return f.Rule != nil && f.Rule.Binds && f.Severity > Info }

// String formats the finding for people. It omits the offset, which changes whenever the file is rewritten, so that
// reports on two versions of a file can be compared.
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
	if f.Rule != nil {
		where = " (" + f.Rule.String() + ")" + where
	}
	return fmt.Sprintf("%v: %s%s%s [%s]", f.Severity, path, f.Message, where, f.ID)
}

// MarshalJSON encodes the finding. It omits an offset of -1.
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

// Sink receives findings during a check. The methods of a nil Sink discard them.
type Sink func(Finding)

// Add reports a finding of kind k. An offset of -1 means none.
func (s Sink) Add(k *Kind, path string, offset int64, format string, args ...any) {
	s.AddAt(k, nil, path, offset, format, args...)
}

// Limit is the kind of each finding about an error that wraps [fault.ErrLimit], whatever kind it would have otherwise:
// data that exceeds a limit is not damaged.
var Limit = &Kind{ID: "limit", Severity: Error, Meaning: "A part of the file is larger than any known file needs, so it was not " +
	"read. It may be valid.", Remedy: "If you trust the file, `--effort N` allows N times as much (docs/limits.md)."}

// Of returns [Limit] if the error wraps [fault.ErrLimit], and otherwise k.
func (k *Kind) Of(err error) *Kind {
	if errors.Is(err, fault.ErrLimit) {
		return Limit
	}
	return k
}

// AddAt reports a finding of kind k about the places in at. If an argument is an error that wraps [fault.ErrLimit], the
// finding is of kind [Limit].
func (s Sink) AddAt(k *Kind, at []Place, path string, offset int64, format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			k = k.Of(err)
		}
	}
	message := words.OneLine(fmt.Sprintf(format, args...))
	s.Report(Finding{ID: k.ID, Severity: k.Severity, Path: path, Offset: offset, Message: message, At: at})
}

// Report passes a finding to the sink, unless the sink is nil.
func (s Sink) Report(f Finding) {
	if s != nil {
		s(f)
	}
}

// In returns a sink for findings about a part of a larger whole: their paths get the path of the part in front.
func (s Sink) In(path string) Sink {
	return func(f Finding) {
		if f.Path != "" {
			f.Path = "." + f.Path
		}
		f.Path = path + f.Path
		s.Report(f)
	}
}

// Collect runs a check and returns its findings.
func Collect(run func(Sink)) []Finding {
	var all []Finding
	run(func(f Finding) { all = append(all, f) })
	return all
}
