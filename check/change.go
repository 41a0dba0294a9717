package check

// Change is something that was done to a file: by an edit, or by bringing two versions together.
type Change struct {
	Path  string  `json:"path"`           // of the part, as in findings; "" is the file itself
	What  string  `json:"what"`           // for people: "1 became 3"
	Count int64   `json:"count"`          // how many things: tiles, nodes, files
	Unit  string  `json:"unit,omitempty"` // what is counted, in the plural
	At    []Place `json:"at,omitempty"`   // where, as far as the places are few
}

// Conflict is what two versions of a file changed in different ways.
type Conflict struct {
	Path   string  `json:"path"` // of the part, as in findings
	At     []Place `json:"at,omitempty"`
	What   string  `json:"what"`           // for people
	Base   any     `json:"base,omitempty"` // as data, and so are the sides; nil where the part is not there
	Ours   any     `json:"ours,omitempty"`
	Theirs any     `json:"theirs,omitempty"`
	Took   string  `json:"took"` // "ours" or "theirs"
}
