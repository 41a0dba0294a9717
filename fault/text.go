package fault

import "fmt"

// TextError reports a problem in text that people edit: in a file of a folder, or in the folder as a whole.
type TextError struct {
	File         string // path in the folder; "" for a text outside a folder
	Line, Column int    // from 1; columns count characters; 0 if the error concerns the whole file or line
	Path         string // path of a value in a JSON file, such as quads[3].points
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
