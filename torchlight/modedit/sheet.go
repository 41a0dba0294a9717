package modedit

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// sheetMark is the prefix of values that spreadsheets would change. They interpret cells as numbers, dates, formulas
// and keywords, and save something else: fifteen digits of a GUID, 7 for 007, TRUE for true. With the mark a value is
// text in all spreadsheets.
const sheetMark = "#"

var (
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$`)
	numberLike  = regexp.MustCompile(`^[+-]?[0-9.,:/%$ eE+-]*[0-9][0-9.,:/%$ eE+-]*$`)
	powerOfTen  = regexp.MustCompile(`^[+-]?[0-9]([.,][0-9]+)?[eE]\+?[0-9]{2,3}$`)
)

// sheetDigits is the number of digits that spreadsheets preserve.
const sheetDigits = 15

// changedBySheets reports whether a spreadsheet may change a text.
func changedBySheets(s string) bool {
	switch {
	case s == "":
		return false
	case plainNumber.MatchString(s):
		return significant(s) > sheetDigits
	case strings.EqualFold(s, "true"), strings.EqualFold(s, "false"), strings.ContainsAny(s[:1], "=+-@"):
		return true
	}
	return numberLike.MatchString(s)
}

// toSheet returns a value in the form for a cell.
func toSheet(t text.Type, s string) string {
	if s != "" && t == text.Integer64 || t.IsString() && changedBySheets(strings.TrimLeft(s, sheetMark)) {
		return sheetMark + s
	}
	return s
}

// fromSheet returns the value of a cell, with or without the mark.
func fromSheet(t text.Type, s string) string {
	if t.IsString() && !changedBySheets(strings.TrimLeft(s, sheetMark)) {
		return s
	}
	return strings.TrimPrefix(s, sheetMark)
}

// damagedBySheet returns the reason why the new value of a cell was probably damaged by a spreadsheet, or nil. It also
// checks texts, because GUIDs are texts in many mods.
func damagedBySheet(t text.Type, was, now string) error {
	whole := t == text.Integer || t == text.Unsigned || t == text.Integer64
	_, wasWhole := text.ParseInt64(was)
	if t.IsString() && wasWhole && significant(was) > sheetDigits {
		whole = true
	}
	_, isWhole := text.ParseInt64(now)
	switch {
	case whole && !isWhole:
		return fmt.Errorf("%s is not a whole number", shown(now))
	case whole && roundedBySpreadsheet(was, now):
		return fmt.Errorf("%s is %s, rounded by a spreadsheet", shown(now), was)
	case t.IsString() && powerOfTen.MatchString(now):
		return fmt.Errorf("%s was rounded by a spreadsheet", shown(now))
	}
	return nil
}

// roundedBySpreadsheet reports whether a large number changed only because a program preserved just fifteen digits.
func roundedBySpreadsheet(was, now string) bool {
	a, _ := text.ParseDouble(was)
	b, clean := text.ParseDouble(now)
	return clean && math.Abs(a) >= 1e15 && math.Abs(a-b) <= math.Abs(a)*1e-5 && significant(now) <= sheetDigits
}

// significant returns the number of significant digits.
func significant(s string) int {
	s, _, _ = strings.Cut(strings.ToUpper(s), "E")
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
	return len(strings.Trim(digits, "0"))
}

// CellsError has the errors of all invalid cells and rows of a table. Its zero value is not an error.
type CellsError []*fault.TextError

func (e CellsError) Error() string {
	s := e[0].Error()
	if n := len(e) - 1; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s
}

// Unwrap returns the errors.
func (e CellsError) Unwrap() []error {
	all := make([]error, len(e))
	for i := range e {
		all[i] = e[i]
	}
	return all
}
