package world

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/minetest/item"
)

// Attribute is a key and its value in the metadata of a player.
type Attribute struct{ Key, Value string }

// Player is a player, independent of the backend.
type Player struct {
	Name       string     // 1 to 19 of a-z, A-Z, 0-9, - and _
	Pos        [3]float64 // x, y, z in tenths of a node
	Pitch, Yaw float64    // degrees
	HP         int        // half hearts, 0 to 65535; 20 is the engine's default
	Breath     int        // 0 to 65535; 10 or 11 is full
	Created    time.Time  // in UTC; SQLite and PostgreSQL only, else the zero time
	Modified   time.Time  // like Created

	// Attributes is the metadata that mods attach to the player, in the order that the backend returns.
	Attributes []Attribute

	// Inventory is nil if it cannot be parsed; then Broken is its text.
	Inventory *item.Inventory
	Broken    []byte

	twice  []string  // attributes that occur more than once in the file
	unread []error   // errors of attributes that cannot be parsed
	file   *Settings // the head of the file that the player was parsed from
	record []byte    // the record that the player was decoded from
	rest   []byte    // the text after the inventory
}

// Defaults of values that are missing in the file of a player.
const (
	defaultHP     = 20
	defaultBreath = 10
)

// playerEnd is the line that ends the head of a player's file.
const playerEnd = "PlayerArgsEnd"

// ParsePlayer parses the file of a player. Only the name and the line that ends the head are required; missing values
// have defaults, and numbers are read as the engine reads them. If the attributes or the inventory cannot be parsed,
// the error wraps [fault.ErrLost], and
// the player is that of [SalvagePlayer].
func ParsePlayer(text []byte) (*Player, error) {
	p, err := SalvagePlayer(text)
	if err != nil {
		return nil, err
	}
	return p, p.lost()
}

// lost returns an error about everything that could not be parsed, or nil.
func (p *Player) lost() error {
	all := slices.Clip(p.unread)
	if p.Inventory == nil {
		_, _, err := item.ParseInventory(p.Broken)
		all = append(all, err)
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", fault.ErrLost, errors.Join(all...))
}

// SalvagePlayer parses as much as possible of the file of a player. An inventory that cannot be parsed, or has no
// end, is stored in Broken. Append preserves the text of both.
func SalvagePlayer(text []byte) (*Player, error) {
	s := ParseSettings(text, playerEnd)
	name, _ := s.Get("name")
	switch {
	case !s.Ended():
		return nil, &fault.Error{Path: "head", Offset: int64(len(text)), Want: "a line " + playerEnd,
			Got: "the end of the file", Err: fault.ErrShort}
	case name == "":
		return nil, &fault.Error{Path: "name", Offset: 0, Want: "the name of the player", Got: "none", Err: fault.ErrFormat}
	}
	p := &Player{Name: name, file: s}
	p.Pos, p.Pitch, p.Yaw, p.HP, p.Breath, _ = headValues(s)
	if text, ok := s.Get("extended_attributes"); ok {
		var err error
		if p.Attributes, p.twice, err = parseAttributes(text); err != nil {
			p.unread = append(p.unread, err)
		}
	}
	rest := s.Rest()
	inv, n, err := item.ParseInventory(rest)
	if err != nil {
		p.Broken = append([]byte{}, rest...)
	} else {
		p.Inventory, p.rest = inv, rest[n:]
	}
	return p, nil
}

// headValues returns the numbers in the head of a player's file, as the engine reads them: the beginning of a text that is
// a number, or 0. Missing values have their defaults; odd contains errors about texts that are not numbers.
func headValues(s *Settings) (pos [3]float64, pitch, yaw float64, hp, breath int, odd []error) {
	value := func(name, want string, parse func(text string) bool) {
		if text, ok := s.Get(name); ok && !parse(text) {
			odd = append(odd, wrong("", name, want, "%.40q", text))
		}
	}
	number := func(name string, v *float64) {
		value(name, "a number", func(text string) (exact bool) {
			*v, exact = leadingFloat(text)
			return exact
		})
	}
	whole := func(name string, v *int) {
		value(name, "an integer", func(text string) (exact bool) {
			n := leadingInt(text)
			*v = int(max(math.MinInt32, min(math.MaxInt32, n)))
			return n == int64(*v) && strconv.FormatInt(n, 10) == text
		})
	}
	hp, breath = defaultHP, defaultBreath
	value("position", "three numbers in parentheses", func(text string) (exact bool) {
		pos, exact = parsePosition(text)
		return exact
	})
	number("pitch", &pitch)
	number("yaw", &yaw)
	whole("hp", &hp)
	whole("breath", &breath)
	return pos, pitch, yaw, hp, breath, odd
}

var leadingNumber = regexp.MustCompile(
	`^[ \t\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|^[ \t\r]*[+-]?(?i:inf(inity)?|nan)`)

// leadingFloat returns the number at the start of a text, or 0, as C's atof does. It reports whether the text is a number.
func leadingFloat(text string) (v float64, exact bool) {
	number := leadingNumber.FindString(text)
	v, err := strconv.ParseFloat(strings.TrimLeft(number, space), 64) // infinity with ErrRange
	return v, err == nil && len(number) == len(strings.TrimRight(text, space))
}

// parsePosition returns a position as the engine reads it: the numbers after the first parenthesis and the next commas, up
// to the next closing parenthesis. It reports whether the text is a position.
func parsePosition(text string) (pos [3]float64, exact bool) {
	before, rest, _ := strings.Cut(text, "(")
	exact = before == ""
	for i, end := range []string{",", ",", ")"} {
		part, after, found := strings.Cut(rest, end)
		number := false
		pos[i], number = leadingFloat(part)
		exact, rest = exact && found && number, after
	}
	return pos, exact && rest == ""
}

// Append appends the file of the player to dst. Unchanged values are written as they were read. It returns an error
// if the file cannot hold an attribute.
func (p *Player) Append(dst []byte) ([]byte, error) {
	s := ParseSettings(nil, playerEnd)
	if p.file != nil {
		s = ParseSettings(p.file.Append(nil), playerEnd)
	}
	s.Finish()
	pos, pitch, yaw, hp, breath, _ := headValues(s)
	_, had := s.Get("name")
	text, hadAttributes := s.Get("extended_attributes")
	attributes, _, _ := parseAttributes(text)
	var err error
	set := func(same bool, name, value string) {
		if err == nil && !(had && same) {
			err = s.Set(name, value)
		}
	}
	set(breath == p.Breath, "breath", strconv.Itoa(p.Breath))
	if !slices.Equal(attributes, p.Attributes) || !had && !hadAttributes {
		text, jsonErr := appendAttributes(nil, p.Attributes)
		if jsonErr != nil {
			return dst, jsonErr
		}
		set(false, "extended_attributes", string(text))
	}
	set(hp == p.HP, "hp", strconv.Itoa(p.HP))
	was, _ := s.Get("name")
	set(was == p.Name, "name", p.Name)
	set(sameFloat(pitch, p.Pitch), "pitch", formatFloat(p.Pitch))
	set(sameFloat(pos[0], p.Pos[0]) && sameFloat(pos[1], p.Pos[1]) && sameFloat(pos[2], p.Pos[2]), "position",
		"("+formatFloat(p.Pos[0])+","+formatFloat(p.Pos[1])+","+formatFloat(p.Pos[2])+")")
	if !had {
		set(false, "version", "1")
	}
	set(sameFloat(yaw, p.Yaw), "yaw", formatFloat(p.Yaw))
	if err != nil {
		return dst, err
	}
	head := s.Append(nil)
	dst = append(dst, head[:len(head)-len(s.Rest())]...)
	if !bytes.HasSuffix(dst, []byte("\n")) && (p.Inventory != nil || len(p.Broken) > 0) {
		dst = append(dst, '\n')
	}
	return append(p.appendInventory(dst), p.rest...), nil
}

func (p *Player) appendInventory(dst []byte) []byte {
	switch {
	case p.Inventory != nil:
		return p.Inventory.Append(dst)
	case p.Broken != nil:
		return append(dst, p.Broken...)
	}
	return append(dst, "EndInventory\n"...)
}

// sameFloat reports whether two numbers are equal or both are NaN.
func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// formatFloat formats a number of the engine, which uses 32-bit numbers.
func formatFloat(v float64) string {
	if sameFloat(float64(float32(v)), v) {
		return strconv.FormatFloat(v, 'f', -1, 32)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// playerRecord is the version number of the player records in LevelDB.
const playerRecord = 1

// ParsePlayerRecord decodes the value of a player in LevelDB, whose key is the name. If the inventory cannot be
// parsed, the error wraps [fault.ErrLost], and the player is that of [SalvagePlayerRecord].
func ParsePlayerRecord(name string, data []byte) (*Player, error) {
	p, err := SalvagePlayerRecord(name, data)
	if err != nil {
		return nil, err
	}
	return p, p.lost()
}

// SalvagePlayerRecord decodes as much as possible of the value of a player in LevelDB. An inventory that cannot be
// parsed is stored in Broken, and AppendRecord preserves it.
func SalvagePlayerRecord(name string, data []byte) (*Player, error) {
	r := bin.NewReader(data, bin.BigEndian)
	p := &Player{Name: name, record: data}
	if version := r.U8("version"); r.Err() == nil && version != playerRecord {
		r.FailAt(0, "version", fault.ErrVersion, "1", strconv.Itoa(int(version)))
	}
	p.HP = int(r.U16("hp"))
	for i := range p.Pos {
		p.Pos[i] = float64(r.F32(fmt.Sprintf("position[%d]", i)))
	}
	p.Pitch = float64(r.F32("pitch"))
	p.Yaw = float64(r.F32("yaw"))
	p.Breath = int(r.U16("breath"))
	n := r.Count32("num_attributes", 6)
	for i := range n {
		r.EnterIndex("attributes", i)
		p.Attributes = append(p.Attributes, Attribute{r.String16("key"), r.String32("value")})
		r.Leave()
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	text := data[len(data)-r.Len():]
	inv, size, err := item.ParseInventory(text)
	if err != nil {
		p.Broken = text
	} else {
		p.Inventory, p.rest = inv, text[size:]
	}
	return p, nil
}

// same reports whether two players are equal in everything that a record contains.
func (p *Player) same(q *Player) bool {
	for i := range p.Pos {
		if !sameFloat(p.Pos[i], q.Pos[i]) {
			return false
		}
	}
	return sameFloat(p.Pitch, q.Pitch) && sameFloat(p.Yaw, q.Yaw) && p.HP == q.HP && p.Breath == q.Breath &&
		slices.Equal(p.Attributes, q.Attributes) && p.Inventory.Equal(q.Inventory) && bytes.Equal(p.Broken, q.Broken)
}

// AppendRecord appends the player, encoded as a value in LevelDB, to dst: the original record if the player is
// unchanged. It returns an error if the record cannot hold a number or an attribute.
func (p *Player) AppendRecord(dst []byte) ([]byte, error) {
	if p.record != nil {
		if was, err := SalvagePlayerRecord(p.Name, p.record); err == nil && was.same(p) {
			return append(dst, p.record...), nil
		}
	}
	if p.HP < 0 || p.HP > math.MaxUint16 || p.Breath < 0 || p.Breath > math.MaxUint16 {
		return dst, wrong("players.db", p.Name, "hp and breath from 0 to 65535", "%d and %d", p.HP, p.Breath)
	}
	w := bin.NewWriter(bin.BigEndian, 64)
	w.U8(playerRecord)
	w.U16(uint16(p.HP))
	for _, v := range p.Pos {
		w.F32(float32(v))
	}
	w.F32(float32(p.Pitch))
	w.F32(float32(p.Yaw))
	w.U16(uint16(p.Breath))
	w.U32(uint32(len(p.Attributes)))
	for _, a := range p.Attributes {
		if len(a.Key) > math.MaxUint16 || int64(len(a.Value)) > math.MaxUint32 {
			return dst, wrong("players.db", p.Name, "an attribute whose key has at most 65535 bytes", "%d", len(a.Key))
		}
		w.U16(uint16(len(a.Key)))
		w.Bytes([]byte(a.Key))
		w.U32(uint32(len(a.Value)))
		w.Bytes([]byte(a.Value))
	}
	dst = append(dst, w.Data()...)
	return append(p.appendInventory(dst), p.rest...), nil
}
