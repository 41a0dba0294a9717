package mapedit

import (
	"fmt"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// InfoField is a text of the map information.
type InfoField string

// The fields of the map information.
const (
	Author  InfoField = "author"  // up to 31 bytes
	Version InfoField = "version" // up to 15 bytes
	Credits InfoField = "credits" // up to 127 bytes
	License InfoField = "license" // up to 31 bytes
)

// SetInfo changes a field of the map information; "" removes it. It fails if the text is longer than the game reads.
func (e *Editor) SetInfo(field InfoField, text string) error {
	switch {
	case e.m.Info == nil && text == "":
		return nil
	case e.m.Info == nil:
		e.m.Info = new(twmap.Info)
	}
	in, most := &e.m.Info.Author, 31
	switch field {
	case Version:
		in, most = &e.m.Info.MapVersion, 15
	case Credits:
		in, most = &e.m.Info.Credits, 127
	case License:
		in = &e.m.Info.License
	}
	if len(text) > most {
		return fmt.Errorf("the %s has %s: expected at most %d", field, words.Count(len(text), "byte"), most)
	}
	if *in != text {
		e.reportChange(nil, 1, "", "%s: %q became %q", field, *in, text)
		*in = text
	}
	return nil
}
