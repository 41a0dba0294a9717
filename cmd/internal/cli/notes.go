package cli

import (
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"slices"
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
	return note{Kind: noteFailed, Text: textOf(err), Advice: adviceFor(err, nil)}
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
	a.talk.mu.Lock()
	its.talk.hidden = slices.Clone(a.talk.hidden)
	a.talk.mu.Unlock()
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

// places are those of findings and hits; nil is none.
type places []check.Place

// keptPlace is a place that comes from elsewhere.
type keptPlace struct {
	json []byte
	text string
}

func (p *keptPlace) String() string               { return p.text }
func (p *keptPlace) MarshalJSON() ([]byte, error) { return p.json, nil }

// What a place is when it is kept.
const (
	placeNone byte = iota
	placeLine      // a [check.Line]
	placeOther
)

// GobEncode keeps the places, each with a byte that says what it is, its JSON and its text.
func (p places) GobEncode() ([]byte, error) {
	var b []byte
	for _, at := range p {
		if at == nil {
			b = append(b, placeNone)
			continue
		}
		is := placeOther
		if _, line := at.(check.Line); line {
			is = placeLine
		}
		data, err := at.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = appendText(append(b, is), string(data))
		b = appendText(b, at.String())
	}
	return b, nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// GobDecode reads what GobEncode made.
func (p *places) GobDecode(data []byte) error {
	text := func() (s []byte, err error) {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, errBadPlace
		}
		s, data = data[size:size+int(n)], data[size+int(n):]
		return slices.Clone(s), nil
	}
	for len(data) > 0 {
		is := data[0]
		if data = data[1:]; is == placeNone {
			*p = append(*p, nil)
			continue
		}
		kept, err := text()
		shown, err2 := text()
		if err = cmp.Or(err, err2); err != nil {
			return err
		}
		var line check.Line
		switch {
		case is == placeLine && json.Unmarshal(kept, &line) == nil:
			*p = append(*p, line)
		case is == placeOther && json.Valid(kept):
			*p = append(*p, &keptPlace{kept, string(shown)})
		default:
			return errBadPlace
		}
	}
	return nil
}

var errBadPlace = errors.New("expected a place")

func init() { gob.Register([]format.InfoField(nil)) } // the value of a field that has parts
