package world

import (
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
)

// Entry is a key and its value in the storage of a mod. Both may contain any bytes.
type Entry struct{ Key, Value []byte }

// ModData is everything that a mod has stored.
type ModData struct {
	Mod     string // name of the mod
	Entries []Entry

	text  []byte   // the file that the data was parsed from
	twice []string // keys that occur more than once in the file
}

// Get returns the value of a key and reports whether the key exists.
func (m *ModData) Get(key string) (value []byte, ok bool) {
	for _, e := range m.Entries {
		if string(e.Key) == key {
			value, ok = e.Value, true
		}
	}
	return value, ok
}

// Set changes the value of a key, or adds it.
func (m *ModData) Set(key string, value []byte) {
	for i := range m.Entries {
		if string(m.Entries[i].Key) == key {
			m.Entries[i].Value = value
			return
		}
	}
	m.Entries = append(m.Entries, Entry{[]byte(key), value})
}

// Delete removes a key and reports whether it existed.
func (m *ModData) Delete(key string) bool {
	n := len(m.Entries)
	m.Entries = slices.DeleteFunc(m.Entries, func(e Entry) bool { return string(e.Key) == key })
	return len(m.Entries) < n
}

// ParseModFile parses the file of a mod in mod_storage: a JSON object. If a key occurs more than once, the last value
// counts.
func ParseModFile(mod string, text []byte) (*ModData, error) {
	m := &ModData{Mod: mod, text: text}
	pairs, twice, err := parsePairs(text)
	if err != nil {
		return nil, err
	}
	m.twice = twice
	for _, p := range pairs {
		m.Entries = append(m.Entries, Entry{[]byte(p.key), []byte(p.value)})
	}
	return m, nil
}

// Append appends the file of the mod to dst: the original file if the data is unchanged. It returns an error if a key
// or value is not valid UTF-8: JSON cannot hold it, and the engine destroys it.
func (m *ModData) Append(dst []byte) (_ []byte, err error) {
	if m.text != nil {
		if was, err := ParseModFile(m.Mod, m.text); err == nil && was.equal(m) {
			return append(dst, m.text...), nil
		}
	}
	dst = append(dst, '{')
	for i, e := range m.Entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendPair(dst, string(e.Key), string(e.Value)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (m *ModData) equal(other *ModData) bool {
	if len(m.Entries) != len(other.Entries) {
		return false
	}
	for i, e := range m.Entries {
		if string(e.Key) != string(other.Entries[i].Key) || string(e.Value) != string(other.Entries[i].Value) {
			return false
		}
	}
	return true
}

// modFiles are the files in mod_storage, each named after its mod.
var modFiles = files[*ModData]{
	parse: ParseModFile,
	name:  func(m *ModData) string { return m.Mod },
	make:  func(m *ModData) ([]byte, error) { return m.Append(nil) },
	valid: func(mod string) bool { return fileName(mod) && !strings.HasPrefix(mod, ".") },
	odd:   func(m *ModData) ([]error, []string, check.Place) { return nil, m.twice, place.Entry{Mod: m.Mod} },
}
