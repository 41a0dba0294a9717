package verbs

import (
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// Notes of a part are printed when its records are taken. They may come from another machine, so package gob
// can encode the types in this file.

// places are the places of findings and hits; nil means no place.
type places []check.Place

// keptPlace is a decoded place of another type than [check.Line].
type keptPlace struct {
	json []byte
	text string
}

func (p *keptPlace) String() string               { return p.text }
func (p *keptPlace) MarshalJSON() ([]byte, error) { return p.json, nil }

// Kinds of encoded places.
const (
	placeNone byte = iota
	placeLine      // a [check.Line]
	placeOther
)

// GobEncode encodes the places. Each has a byte for its kind, its JSON and its text.
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

// GobDecode decodes the output of GobEncode.
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

func init() { gob.Register([]format.InfoField(nil)) } // the value of a field with parts
