package worldselect

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"trowel.example/minetest/internal/worldadmin"
)

// Persons are the options of a rule that selects players and accounts.
type Persons struct {
	Names      []string `option:"name"`
	NotSeen    string   `option:"not-seen"`
	Never      bool     `option:"never"`
	Privileges []string `option:"privilege"`
	Without    []string `option:"without"`
	Where      []string `option:"where"`
	NoPlayer   bool     `option:"no-player"`
	NoAccount  bool     `option:"no-account"`
}

// Rule returns the rule.
func (p Persons) Rule() (r worldadmin.Rule, err error) {
	r = worldadmin.Rule{
		Names: p.Names, Never: p.Never, Has: p.Privileges, Not: p.Without, NoPlayer: p.NoPlayer, NoAccount: p.NoAccount,
	}
	if r.NotSince, err = parseTimeOption("not-seen", p.NotSeen); err != nil {
		return r, err
	}
	for _, text := range p.Where {
		c, err := worldadmin.ParseCondition(text)
		if err != nil {
			return r, fmt.Errorf("--where %w", err)
		}
		r.Where = append(r.Where, c)
	}
	return r, nil
}

// Period are the options for a period of time.
type Period struct {
	Since  string `option:"since"`
	Before string `option:"before"`
}

// Times returns the beginning and the end, which are zero if the user gave none.
func (p Period) Times() (since, before time.Time, err error) {
	if since, err = parseTimeOption("since", p.Since); err == nil {
		before, err = parseTimeOption("before", p.Before)
	}
	return since, before, err
}

func parseTimeOption(option, text string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	if t, err = ParseTime(text, time.Now()); err != nil {
		err = fmt.Errorf("--%s %w", option, err)
	}
	return t, err
}

// ParseTime parses a time: a date, or an age such as 30d.
func ParseTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(digits)
	if err == nil && n >= 0 && n < 10000 {
		switch text[len(digits):] {
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), nil
		case "d":
			return now.AddDate(0, 0, -n), nil
		case "w":
			return now.AddDate(0, 0, -7*n), nil
		case "mo":
			return now.AddDate(0, -n, 0), nil
		case "y":
			return now.AddDate(-n, 0, 0), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q: expected a date such as 2024-01-31, or an age: 12h, 30d, 4w, 6mo or 2y", text)
}
