package worldadmin

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/glob"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// Person is a player, an account, or both.
type Person struct {
	Name    string
	Player  *world.Player  // nil if there is none, or if it was not read
	Account *world.Account // nil if there is none
	Playing bool           // whether there is a player

	// Seen is the time of the last login or, without an account, the time when the player was last saved. It is the
	// zero time if the person never logged in or the time is unknown.
	Seen time.Time
	// Never means that the account was never used.
	Never bool
}

// Has reports whether the person has a privilege.
func (p *Person) Has(privilege string) bool {
	return p.Account != nil && slices.Contains(p.Account.Privileges, privilege)
}

// isAdmin reports whether the person may change privileges or control the server.
func (p *Person) isAdmin() bool { return p.Has("server") || p.Has("privs") }

// Condition is a condition on an attribute that mods attach to a player.
type Condition struct {
	Key, Operator, Value string // the operator is one of = != < <= > >=
}

var condition = regexp.MustCompile(`^\s*([^=!<>]*[^=!<>\s])\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*$`)

// ParseCondition parses a condition such as "xp < 100".
func ParseCondition(text string) (Condition, error) {
	m := condition.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf("%.60q: expected a key, one of = != < <= > >= and a value, such as \"xp < 100\"", text)
	}
	c := Condition{m[1], m[2], m[3]}
	if strings.ContainsAny(c.Operator, "<>") {
		if _, err := strconv.ParseFloat(c.Value, 64); err != nil {
			return Condition{}, fmt.Errorf("%.60q: expected a number after %s", text, c.Operator)
		}
	}
	return c, nil
}

// holds reports whether a player meets the condition. A missing attribute is 0 or "", as for mods.
func (c *Condition) holds(p *world.Player) bool {
	value := ""
	for _, a := range p.Attributes {
		if a.Key == c.Key {
			value = a.Value
		}
	}
	switch c.Operator {
	case "=":
		return value == c.Value
	case "!=":
		return value != c.Value
	}
	limit, _ := strconv.ParseFloat(c.Value, 64)
	n := 0.0
	if value != "" {
		var err error
		if n, err = strconv.ParseFloat(value, 64); err != nil || math.IsNaN(n) {
			return false
		}
	}
	switch c.Operator {
	case "<":
		return n < limit
	case "<=":
		return n <= limit
	case ">":
		return n > limit
	}
	return n >= limit
}

// Rule selects persons. A person must meet all conditions of the rule.
type Rule struct {
	Names     []string  // patterns with * and ?, one of which must match; nil matches all
	NotSince  time.Time // last seen before this time; does not select persons whose time is the zero time
	Never     bool      // the account was never used
	Has, Not  []string  // privileges: all of Has and none of Not
	Where     []Condition
	NoPlayer  bool // there is only an account
	NoAccount bool // there is only a player
}

// Empty reports whether the rule selects everybody.
func (r *Rule) Empty() bool {
	return len(r.Names)+len(r.Has)+len(r.Not)+len(r.Where) == 0 && r.NotSince.IsZero() && !r.Never && !r.NoPlayer && !r.NoAccount
}

// matches reports whether the rule selects a person. The function named reports whether Names matches a name.
func (r *Rule) matches(p *Person, named func(string) bool) bool {
	has := func(privilege string) bool { return p.Has(privilege) }
	switch {
	case len(r.Names) > 0 && !named(p.Name),
		!r.NotSince.IsZero() && (p.Seen.IsZero() || !p.Seen.Before(r.NotSince)),
		r.Never && !p.Never,
		slices.ContainsFunc(r.Has, func(s string) bool { return !has(s) }),
		slices.ContainsFunc(r.Not, has),
		r.NoPlayer && p.Playing, r.NoAccount && p.Account != nil,
		len(r.Where) > 0 && p.Player == nil:
		return false
	}
	return !slices.ContainsFunc(r.Where, func(c Condition) bool { return !c.holds(p.Player) })
}

// People yields all persons: the players, then the accounts without a player. With details, each player is read,
// which is slower; without details, players are read only if the time when they were last seen requires it. After an
// error about one person, the iteration continues.
func People(ctx context.Context, players world.Players, auth world.Auth, details bool) iter.Seq2[*Person, error] {
	return func(yield func(*Person, error) bool) {
		known := make(map[string]bool)
		person := func(name string, playing bool) (*Person, error) {
			p := &Person{Name: name, Playing: playing}
			a, err := auth.Get(ctx, name)
			switch {
			case err == nil:
				p.Account = a
				p.Never = a.LastLogin < 0
				if a.LastLogin > 0 {
					p.Seen = time.Unix(a.LastLogin, 0).UTC()
				}
			case !errors.Is(err, world.ErrNotFound):
				return nil, err
			}
			if playing && (details || p.Account == nil) {
				if p.Player, err = players.Get(ctx, name); err != nil {
					return nil, err
				}
				if p.Account == nil {
					p.Seen = p.Player.Modified
				}
			}
			return p, nil
		}
		for _, of := range []struct {
			names   iter.Seq2[string, error]
			playing bool
		}{{players.Names(ctx), true}, {auth.Names(ctx), false}} {
			for name, err := range of.names {
				if err == nil && known[name] {
					continue
				}
				var p *Person
				if err == nil {
					known[name] = true
					p, err = person(name, of.playing)
				}
				if !yield(p, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// ErrNoKey means that a condition names an attribute that no player has.
var ErrNoKey = errors.New("no player has an attribute with the name")

// Find yields the persons that a rule selects. Players are read only if the rule requires it. An attribute that no
// player has is an error, because it is probably misspelled.
func Find(ctx context.Context, players world.Players, auth world.Auth, r Rule) iter.Seq2[*Person, error] {
	return func(yield func(*Person, error) bool) {
		named := glob.Text(r.Names...)
		missing := make(map[string]bool)
		for _, c := range r.Where {
			missing[c.Key] = true
		}
		some := false
		for p, err := range People(ctx, players, auth, len(missing) > 0) {
			if err == nil {
				if p.Player != nil {
					some = true
					for _, a := range p.Player.Attributes {
						delete(missing, a.Key)
					}
				}
				if !r.matches(p, named) {
					continue
				}
			}
			if !yield(p, err) {
				return
			}
		}
		for _, c := range r.Where {
			if some && missing[c.Key] {
				yield(nil, fmt.Errorf("%w %s", ErrNoKey, c.Key))
				return
			}
		}
	}
}

// Purge is a step that deletes the persons that a rule selects.
type Purge struct {
	Rule
	KeepAccounts bool // delete only the players
	Admins       bool // also delete persons with the privilege server or privs
	All          bool // allow the step to delete everybody
	Counts       *worldedit.Counts
}

// Step returns the step.
func (o Purge) Step() worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		players, err := w.Players(ctx)
		if err != nil {
			return err
		}
		auth, err := w.Auth(ctx)
		if err != nil {
			return err
		}
		if o.Rule.Empty() && !o.All {
			return ErrAll
		}
		type meant struct {
			name            string
			player, account bool
		}
		var list []meant
		spared := int64(0)
		for p, err := range Find(ctx, players, auth, o.Rule) {
			switch {
			case err != nil:
				return err // an unreadable person may or may not be selected
			case p.isAdmin() && !o.Admins:
				spared++
			default:
				list = append(list, meant{p.Name, p.Playing, p.Account != nil && !o.KeepAccounts})
			}
		}
		for _, pattern := range o.Rule.Names {
			if err := requirePlayer(ctx, players, auth, pattern); err != nil {
				return err
			}
		}
		var gonePlayers, goneAccounts, left int64
		gone := make(map[string]bool)
		for _, m := range list {
			gone[m.name] = m.player || m.account
		}
		for name, err := range players.Names(ctx) {
			if err == nil && !gone[name] {
				left++
			}
		}
		var at []check.Place
		for _, m := range list {
			if m.player {
				gonePlayers++
				at = append(at, place.Player(m.name))
			}
			if m.account {
				goneAccounts++
			}
		}
		if gonePlayers > 0 && left == 0 && !o.All {
			return fmt.Errorf("all %s: %w", words.Count(gonePlayers, "player"), ErrAll)
		}
		for _, m := range list {
			if m.player {
				if err := players.Delete(ctx, m.name); err != nil {
					return err
				}
			}
			if m.account {
				if err := auth.Delete(ctx, m.name); err != nil {
					return err
				}
			}
		}
		noteChange(o.Counts, "players", "players deleted", gonePlayers, "players", few(at)...)
		noteChange(o.Counts, "auth", "accounts deleted", goneAccounts, "accounts")
		noteChange(o.Counts, "players", "players kept because they have the privilege server or privs", spared, "persons")
		return nil
	})
}

// requirePlayer returns an error if no player or account has a name that matches pattern.
func requirePlayer(ctx context.Context, players world.Players, auth world.Auth, pattern string) error {
	match := glob.Text(pattern)
	missing := &fault.NameError{Kind: "player", Name: pattern, Where: "in the world"}
	for _, names := range []iter.Seq2[string, error]{players.Names(ctx), auth.Names(ctx)} {
		for name, err := range names {
			switch {
			case err != nil:
				return err
			case match(name):
				return nil
			}
			missing.Names = append(missing.Names, name)
		}
	}
	return missing
}

// fewPlaces is the maximum number of places that are reported with a change.
const fewPlaces = 100

// few returns at, or nil if it contains more than fewPlaces places.
func few(at []check.Place) []check.Place {
	if len(at) > fewPlaces {
		return nil
	}
	return at
}
