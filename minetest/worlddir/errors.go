package worlddir

import (
	"errors"
	"fmt"
)

// Error tells what is wrong with a file of the folder.
type Error struct {
	File   string // path in the folder; "" if there is only a text
	Line   int    // from 1; 0 if the whole file is meant
	Column int    // from 1; 0 if the whole line is meant
	Msg    string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0 && e.File == "":
		return e.Msg
	case e.Line == 0:
		return e.File + ": " + e.Msg
	}
	at := fmt.Sprintf("%d", e.Line)
	if e.Column > 0 {
		at += fmt.Sprintf(":%d", e.Column)
	}
	if e.File == "" {
		return "line " + at + ": " + e.Msg
	}
	return e.File + ":" + at + ": " + e.Msg
}

// inFile puts the name of the file into an error about its content.
func inFile(err error, name string) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		named := *e
		named.File = name
		return &named
	}
	return fmt.Errorf("%s: %w", name, err)
}
