package raw

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// GUID is the number that identifies a thing in the game. Its JSON is a string, because many programs that read JSON
// round large numbers; a JSON number is accepted as well.
type GUID int64

// MarshalJSON writes the number as a string.
func (g GUID) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.FormatInt(int64(g), 10)), nil
}

// UnmarshalJSON reads a number, or a string with one.
func (g *GUID) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("a GUID is a 64-bit integer, not %s", text)
	}
	*g = GUID(n)
	return nil
}

// Flag is a byte that is 0 for false and 1 for true. Other values are kept as numbers.
type Flag uint8

// MarshalJSON writes false, true, or another number.
func (f Flag) MarshalJSON() ([]byte, error) {
	if f > 1 {
		return strconv.AppendUint(nil, uint64(f), 10), nil
	}
	return strconv.AppendBool(nil, f == 1), nil
}

// UnmarshalJSON reads false, true or a number from 0 to 255.
func (f *Flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "false":
		*f = 0
		return nil
	case "true":
		*f = 1
		return nil
	}
	n, err := strconv.ParseUint(string(text), 10, 8)
	if err != nil {
		return fmt.Errorf("a flag is false, true or a number from 0 to 255, not %s", text)
	}
	*f = Flag(n)
	return nil
}

// MenuType is the TYPE of a menu; 0 means none.
type MenuType int32

var menuTypes = []string{"", "TEST MENU", "HUD MENU", "CHAT MENU", "PLAYER STATS MENU", "MERCHANT MENU",
	"SKILL MENU", "QUEST DIALOG MENU", "QUEST MENU", "MESSAGE BOX MENU", "MAIN MENU", "SERVER MENU",
	"CONSOLE MENU", "RESURRECTION MENU", "TOWNPORTAL MENU", "HOTBAR CONTEXT MENU", "STANDALONE SERVER MENU",
	"LOGIN MENU", "UPSELL MENU", "CLIENT OPTIONS"}

// ParseMenuType returns the type with a name, ignoring case, or 0 and false for an unknown name.
func ParseMenuType(name string) (MenuType, bool) {
	n, ok := parseName(menuTypes, name)
	return MenuType(n), ok
}

// Known reports whether the game knows the type.
func (t MenuType) Known() bool { return knownName(menuTypes, int32(t)) }

// String returns the name, for example "HUD MENU", the number of an unknown type, or "" for none.
func (t MenuType) String() string { return nameOf(menuTypes, int32(t)) }

// MarshalJSON writes the name, or the number of an unknown type.
func (t MenuType) MarshalJSON() ([]byte, error) { return nameJSON(menuTypes, int32(t)) }

// UnmarshalJSON reads a name or a number.
func (t *MenuType) UnmarshalJSON(text []byte) error {
	return fromNameJSON(menuTypes, "type of menu", text, (*int32)(t))
}

// GameState is the GAME STATE of a menu, which determines when it is visible; 0 means none.
type GameState int32

var gameStates = []string{"", "Testing", "All", "In Game", "Server Only", "Loading", "Main Menu Mod"}

// ParseGameState returns the state with a name, ignoring case, or 0 and false for an unknown name.
func ParseGameState(name string) (GameState, bool) {
	n, ok := parseName(gameStates, name)
	return GameState(n), ok
}

// Known reports whether the game knows the state.
func (s GameState) Known() bool { return knownName(gameStates, int32(s)) }

// String returns the name, for example "In Game", the number of an unknown state, or "" for none.
func (s GameState) String() string { return nameOf(gameStates, int32(s)) }

// MarshalJSON writes the name, or the number of an unknown state.
func (s GameState) MarshalJSON() ([]byte, error) { return nameJSON(gameStates, int32(s)) }

// UnmarshalJSON reads a name or a number.
func (s *GameState) UnmarshalJSON(text []byte) error {
	return fromNameJSON(gameStates, "game state", text, (*int32)(s))
}

func parseName(names []string, name string) (int, bool) {
	for i, known := range names {
		if strings.EqualFold(known, name) {
			return i, true
		}
	}
	return 0, false
}

func knownName(names []string, v int32) bool { return 0 <= v && int(v) < len(names) }

func nameOf(names []string, v int32) string {
	if knownName(names, v) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

func nameJSON(names []string, v int32) ([]byte, error) {
	if knownName(names, v) {
		return json.Marshal(names[v])
	}
	return strconv.AppendInt(nil, int64(v), 10), nil
}

func fromNameJSON(names []string, what string, text []byte, v *int32) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		n, ok := parseName(names, name)
		if !ok {
			return fmt.Errorf("unknown %s %q: expected a number or one of %q", what, name, names)
		}
		*v = int32(n)
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		return fmt.Errorf("a %s is a name or a 32-bit number, not %s", what, text)
	}
	*v = int32(n)
	return nil
}

// UnitFlags are two properties of a unit; the other bits are 0.
type UnitFlags uint8

// The bits of UnitFlags.
const (
	Equipment UnitFlags = 1 << iota // CREATEAS:EQUIPMENT
	Set                             // the unit is part of a SET
)

// Unknown returns the bits without a meaning.
func (f UnitFlags) Unknown() UnitFlags { return f &^ (Equipment | Set) }

// names returns the elements of the JSON list: names, and the other bits as one number.
func (f UnitFlags) names() []any {
	names := []any{}
	if f&Equipment != 0 {
		names = append(names, "EQUIPMENT")
	}
	if f&Set != 0 {
		names = append(names, "SET")
	}
	if f.Unknown() != 0 {
		names = append(names, uint8(f.Unknown()))
	}
	return names
}

// String returns the names, for example "EQUIPMENT, SET", or "" for none.
func (f UnitFlags) String() string {
	var b strings.Builder
	for i, name := range f.names() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, name)
	}
	return b.String()
}

// MarshalJSON writes a list of the names, and of one number for bits without a name.
func (f UnitFlags) MarshalJSON() ([]byte, error) { return json.Marshal(f.names()) }

// UnmarshalJSON reads a list of names and numbers and combines them.
func (f *UnitFlags) UnmarshalJSON(text []byte) error {
	var names []any
	if err := json.Unmarshal(text, &names); err != nil {
		return fmt.Errorf(`flags are a list such as ["EQUIPMENT", "SET"], not %s`, text)
	}
	*f = 0
	for _, name := range names {
		n, isNumber := name.(float64)
		s, _ := name.(string)
		switch {
		case strings.EqualFold(s, "EQUIPMENT"):
			*f |= Equipment
		case strings.EqualFold(s, "SET"):
			*f |= Set
		case isNumber && n == math.Trunc(n) && 0 <= n && n <= math.MaxUint8:
			*f |= UnitFlags(n)
		default:
			return fmt.Errorf(`unknown flag %v: expected "EQUIPMENT", "SET" or a number from 0 to 255`, name)
		}
	}
	return nil
}
