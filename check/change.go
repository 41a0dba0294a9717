package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"trowel.example/internal/text/words"
)

// Change describes a change to a file, made by an edit or by a merge.
type Change struct {
	Path  string  `json:"path"`           // of the part, as in findings; "" for the file itself
	What  string  `json:"what"`           // for people: "1 became 3"
	Count int64   `json:"count"`          // number of changed things: tiles, nodes, files
	Unit  string  `json:"unit,omitempty"` // what Count counts, in the plural
	At    []Place `json:"at,omitempty"`   // the places, if they are few

	// Within has places whose bounding box contains all changed things, if it is known.
	Within []Place `json:"-"`

	// Histogram makes the change a summary of other changes: it counts by how much numbers change. Count is then the
	// number of all these numbers.
	Histogram []Bin `json:"histogram,omitempty"`
}

// Bin is a bar of a histogram: Count numbers from From to To. The last bin includes To, the others exclude it, unless
// From is To.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int64   `json:"count"`
}

// maxPlaces is the most places that [Change.String] lists.
const maxPlaces = 8

// String formats the change for people, as "groups/Game/Tele: tele 2 became 3 (2 tiles)", with its places if they are few.
func (c Change) String() string {
	text := c.What
	if c.Unit != "" && c.Count != 1 {
		text += fmt.Sprintf(" (%s %s)", words.Thousands(c.Count), c.Unit)
	}
	if len(c.At) <= maxPlaces {
		for i, at := range c.At {
			if i == 0 {
				text += " at"
			}
			text += " " + at.String()
		}
	}
	return inPath(c.Path, text)
}

// Conflict describes a part that two versions of a file changed in different ways.
type Conflict struct {
	Path   string  `json:"path"` // of the part, as in findings
	At     []Place `json:"at,omitempty"`
	What   string  `json:"what"`           // for people
	Base   any     `json:"base,omitempty"` // the value in each version as JSON data; nil if the part does not exist there
	Ours   any     `json:"ours,omitempty"`
	Theirs any     `json:"theirs,omitempty"`
	Took   string  `json:"took"` // "ours" or "theirs"
}

// String formats the conflict for people, as "nodes 1,2,3: both changed the node (base 1, ours 2, theirs 3; took ours)".
func (c Conflict) String() string {
	var notes []string
	for _, v := range []struct {
		name  string
		value any
	}{{"base", c.Base}, {"ours", c.Ours}, {"theirs", c.Theirs}} {
		if v.value == nil {
			continue
		}
		text, err := json.Marshal(v.value)
		if err != nil {
			text = fmt.Append(nil, v.value)
		}
		notes = append(notes, v.name+" "+string(text))
	}
	note := strings.Join(notes, ", ")
	if c.Took != "" {
		note = strings.TrimPrefix(note+"; took "+c.Took, "; ")
	}
	if note != "" {
		note = " (" + note + ")"
	}
	return inPath(c.Path, words.OneLine(c.What+note))
}

func inPath(path, text string) string {
	if path == "" {
		return text
	}
	return path + ": " + text
}
