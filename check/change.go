package check

// Change describes a change to a file, made by an edit or by a merge.
type Change struct {
	Path  string  `json:"path"`           // of the part, as in findings; "" for the file itself
	What  string  `json:"what"`           // for people: "1 became 3"
	Count int64   `json:"count"`          // number of changed things: tiles, nodes, files
	Unit  string  `json:"unit,omitempty"` // what Count counts, in the plural
	At    []Place `json:"at,omitempty"`   // the places, if they are few
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
