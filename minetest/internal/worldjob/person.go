package worldjob

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldadmin"
)

// Persons are the options of a rule that selects players and accounts.
type Persons struct {
	Names      []string `option:"name" names:"player" help:"only those with this {name}, in which * and ? are wildcards"`
	NotSeen    string   `option:"not-seen"`
	Never      bool     `option:"never" help:"only accounts that were never used"`
	Privileges []string `option:"privilege" help:"only those with this {privilege}"`
	Without    []string `option:"without" help:"only those without this {privilege}"`
	Where      []string `option:"where"`
	NoPlayer   bool     `option:"no-player" help:"only accounts without a player"`
	NoAccount  bool     `option:"no-account" help:"only players without an account"`
}

// Describe describes the options.
func (Persons) Describe(o *format.Option) {
	o.Explain("not-seen", "only those last seen before a `time`: an age such as 30d, 6mo or 2y, or a date such as 2024-01-31")
	o.Explain("where", "only players whose attributes, which mods attach to players, meet a `condition` such as \"xp < 100\"; = != < <= > >=")
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
	Since  string `option:"since" help:"only since a {time}: a date such as 2024-01-31, or an age such as 2w"`
	Before string `option:"before" help:"only before a {time}"`
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
	if t, ok := ago(text, now); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q: expected a date such as 2024-01-31, or an age: 12h, 30d, 4w, 6mo or 2y", text)
}

// ago returns the moment that is an age before now, such as 12h, 30d, 4w, 6mo or 2y. It reports whether text is an age.
func ago(text string, now time.Time) (t time.Time, ok bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n >= 10000 {
		return t, false
	}
	switch text[len(digits):] {
	case "h":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "d":
		return now.AddDate(0, 0, -n), true
	case "w":
		return now.AddDate(0, 0, -7*n), true
	case "mo":
		return now.AddDate(0, -n, 0), true
	case "y":
		return now.AddDate(-n, 0, 0), true
	}
	return t, false
}

// Protectors is the option for the radius of protectors.
type Protectors struct {
	Radius int `option:"protector-radius" default:"5" help:"the radius of protectors in nodes: the setting protector_radius"`
}
