package cli

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"sync"

	"trowel.example/check"
	"trowel.example/format"
)

// What a part of a work has to say to the user is said when it is taken, and may come from
// another machine. Package gob can keep the types here.

// note is something to be said of a file.
type note struct {
	Kind   noteKind
	Path   string // of a warning, and of what was missed
	Text   string
	Advice string
}

type noteKind uint8

const (
	noteSaid noteKind = iota
	noteWarned
	noteMissed // data that cannot be had
	noteFailed // an error: the file could not be worked on, or not to its end
)

// failure makes a note of an error.
func failure(err error) note {
	return note{Kind: noteFailed, Text: textOf(err), Advice: adviceFor(err)}
}

// tell says what a note says.
func (t *talk) tell(n note) {
	switch {
	case n.Kind == noteSaid:
		t.say("%s", n.Text)
	case n.Kind == noteWarned:
		t.warn(n.Path, n.Text)
	case n.Kind == noteMissed:
		t.miss(n.Path, n.Text)
	case n.Advice == "":
		t.fail(errors.New(n.Text))
	default:
		t.fail(hint(errors.New(n.Text), "%s", n.Advice))
	}
}

// apart returns an app for a part of a work: take is given what it has to say, one after the
// other.
func (a *app) apart(take func(note)) *app {
	its := a.quietly(nil)
	its.call, its.resume, its.elsewhere, its.ctx = a.call, a.resume, a.elsewhere, a.ctx
	if !a.inParts() {
		its.talk.shows = a.talk
	}
	var mu sync.Mutex
	its.talk.note = func(n note) {
		mu.Lock()
		defer mu.Unlock()
		take(n)
	}
	return its
}

// places are those of a finding, or that of a hit.
type places []check.Place

// keptPlace is a place that comes from elsewhere.
type keptPlace struct {
	JSON json.RawMessage
	Text string
	Line bool // it is a [check.Line]
}

func (p *keptPlace) String() string               { return p.Text }
func (p *keptPlace) MarshalJSON() ([]byte, error) { return p.JSON, nil }

// GobEncode keeps the places.
func (p places) GobEncode() ([]byte, error) {
	var all []object
	for _, at := range p {
		_, line := at.(check.Line)
		all = append(all, object{{"JSON", at}, {"Text", at.String()}, {"Line", line}})
	}
	return compact(all)
}

// GobDecode reads what GobEncode made.
func (p *places) GobDecode(data []byte) error {
	var all []keptPlace
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for i, at := range all {
		if !at.Line {
			*p = append(*p, &all[i])
			continue
		}
		var line check.Line
		if err := json.Unmarshal(at.JSON, &line); err != nil {
			return err
		}
		*p = append(*p, line)
	}
	return nil
}

func init() { gob.Register([]format.InfoField(nil)) } // the value of a field that has parts
