package fault

import "fmt"

// TextError says what is wrong with a text that people edit: a file of a folder, or the
// folder as a whole.
type TextError struct {
	File         string // path in the folder; "" if there is only a text
	Line, Column int    // from 1; columns count characters; 0 if the whole file or line is meant
	Path         string // of a value in a JSON file, such as quads[3].points
	Msg          string // what was found, and what was expected
}

func (e *TextError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
		if e.Column > 0 {
			at = fmt.Sprintf("%s:%d", at, e.Column)
		}
	}
	if e.File == "" && e.Line > 0 {
		at = "line " + at[1:]
	}
	for _, part := range []string{e.Path, e.Msg} {
		if at != "" && part != "" {
			at += ": "
		}
		at += part
	}
	return at
}
