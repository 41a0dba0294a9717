package modedit

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// Spreadsheets take cells for numbers, dates, formulas and words of their own, and write something
// else back: fifteen digits of a GUID, 7 for 007, TRUE for true. What they would change is
// written with a mark in front, with which it is text to all of them.
const sheetMark = "#"

var (
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$`)
	numberLike  = regexp.MustCompile(`^[+-]?[0-9.,:/%$ eE+-]*[0-9][0-9.,:/%$ eE+-]*$`)
	powerOfTen  = regexp.MustCompile(`^[+-]?[0-9]([.,][0-9]+)?[eE]\+?[0-9]{2,3}$`)
)

// sheetDigits is how many digits of a number spreadsheets keep.
const sheetDigits = 15

// changedBySheets reports whether a spreadsheet may give a text back as another one.
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

// toSheet returns a value as it stands in a cell.
func toSheet(t text.Type, s string) string {
	if s != "" && t == text.Integer64 || t.IsString() && changedBySheets(strings.TrimLeft(s, sheetMark)) {
		return sheetMark + s
	}
	return s
}

// fromSheet returns the value of a cell, with the mark or without.
func fromSheet(t text.Type, s string) string {
	if t.IsString() && !changedBySheets(strings.TrimLeft(s, sheetMark)) {
		return s
	}
	return strings.TrimPrefix(s, sheetMark)
}

// damagedBySheet returns why the new value of a cell is none that anybody meant; nil if it can be. Numbers
// of things are texts in many mods.
func damagedBySheet(t text.Type, was, now string) error {
	whole := t == text.Integer || t == text.Unsigned || t == text.Integer64
	_, wasWhole := text.ParseInt64(was)
	if t.IsString() && wasWhole && significant(was) > sheetDigits {
		whole = true
	}
	_, isWhole := text.ParseInt64(now)
	switch {
	case whole && !isWhole:
		return fmt.Errorf("%s is no whole number", shown(now))
	case whole && roundedBySpreadsheet(was, now):
		return fmt.Errorf("%s is %s, rounded by a spreadsheet", shown(now), was)
	case t.IsString() && powerOfTen.MatchString(now):
		return fmt.Errorf("%s is a number that a spreadsheet rounded", shown(now))
	}
	return nil
}

// roundedBySpreadsheet reports whether a large number became another one because some program
// keeps fifteen digits only.
func roundedBySpreadsheet(was, now string) bool {
	a, _ := text.ParseDouble(was)
	b, clean := text.ParseDouble(now)
	return clean && math.Abs(a) >= 1e15 && math.Abs(a-b) <= math.Abs(a)*1e-5 && significant(now) <= sheetDigits
}

// significant returns how many digits of a number say something.
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

// CellsError is about all cells and rows of a table that cannot be taken back.
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
