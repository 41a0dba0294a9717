package cli

// note is a message about a file.
type note struct {
	Kind   noteKind
	Path   string // of a warning or a loss
	Text   string
	Advice string
}

type noteKind uint8

const (
	noteSaid noteKind = iota
	noteWarned
	noteMissed // data that is missing or unreadable
	noteFailed // an error: the file could not be processed completely
)

// failure returns an error as a note.
func failure(err error) note {
	return note{Kind: noteFailed, Text: textOf(err), Advice: adviceFor(err, nil)}
}
