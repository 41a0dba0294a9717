package wording

import "strings"

// Note is a message about a file.
type Note struct {
	Kind   NoteKind
	Path   string // of a warning or a loss
	Text   string
	Advice string
}

// NoteKind is the kind of a message.
type NoteKind uint8

// Kinds of messages.
const (
	Said NoteKind = iota
	Warned
	Missed // data that is missing or unreadable
	Failed // an error: the file could not be processed completely
)

// Failure returns an error as a note.
func Failure(err error) Note {
	return Note{Kind: Failed, Text: Text(err), Advice: Advice(err, nil)}
}

// Placed returns a message with the path before it, unless the message begins with the path.
func Placed(path, message string) string {
	if path == "" || strings.HasPrefix(message, path+":") || strings.HasPrefix(message, path+"/") {
		return message
	}
	return path + ": " + message
}
