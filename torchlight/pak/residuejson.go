package pak

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ResidueRecords are the records of a section. In JSON each is a string: its kind and its name. A file has its
// checksum, its time and the index of its block instead of a kind. Time and index are shortened: "=" means the time of
// the previous file, and the index is the distance from the block of the previous file.
type ResidueRecords []ResidueRecord

// The first words of records that are not files with content, and short forms.
const (
	wordDirectory = "dir"
	wordRemoved   = "gone"
	wordLost      = "lost"
	sameTime      = "="
	noBlock       = "-"
)

type oddRecordJSON struct {
	Is string `json:"is"`
	OddRecord
}

// MarshalJSON writes the records in their short form.
func (k ResidueRecords) MarshalJSON() ([]byte, error) {
	out := make([]any, len(k))
	before := ResidueRecord{Block: -1}
	for i := range k {
		s := k[i].text(before)
		if k[i].hasTime() {
			before.Time = k[i].Time
		}
		if k[i].Block >= 0 {
			before.Block = k[i].Block
		}
		if out[i] = s; k[i].Odd != nil {
			out[i] = oddRecordJSON{s, *k[i].Odd}
		}
	}
	return json.Marshal(out)
}

// hasTime reports whether the record's text contains a time. Directories and removed files have a time only in odd
// archives.
func (k *ResidueRecord) hasTime() bool {
	return k.Kind == ResidueFile || k.Kind == ResidueLost || k.Time != 0
}

func (k *ResidueRecord) text(before ResidueRecord) string {
	word := [...]string{"", wordDirectory, wordRemoved, wordLost}[k.Kind]
	if !k.hasTime() {
		return word + " " + ResidueName(k.Name).text()
	}
	if k.Kind == ResidueFile {
		word = fmt.Sprintf("%08x", k.Sum)
	}
	time, block := sameTime, noBlock
	if k.Time != before.Time {
		time = strconv.FormatUint(uint64(k.Time), 16)
	}
	if k.Block >= 0 {
		block = fmt.Sprintf("%+d", k.Block-before.Block)
	}
	if k.Kind == ResidueDirectory || k.Kind == ResidueRemoved {
		word += "@"
	}
	return word + " " + time + " " + block + " " + ResidueName(k.Name).text()
}

// UnmarshalJSON reads what MarshalJSON writes.
func (k *ResidueRecords) UnmarshalJSON(data []byte) error {
	var in []json.RawMessage
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	records := make(ResidueRecords, len(in))
	before := ResidueRecord{Block: -1}
	for i, raw := range in {
		rec, s := &records[i], ""
		if len(raw) > 0 && raw[0] == '{' {
			var o oddRecordJSON
			if err := json.Unmarshal(raw, &o); err != nil {
				return err
			}
			s, rec.Odd = o.Is, &o.OddRecord
		} else if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		if err := rec.parse(s, before); err != nil {
			return err
		}
		if rec.hasTime() {
			before.Time = rec.Time
		}
		if rec.Block >= 0 {
			before.Block = rec.Block
		}
	}
	*k = records
	return nil
}

func (k *ResidueRecord) parse(s string, before ResidueRecord) error {
	bad := fmt.Errorf("invalid record %q: expected for example \"0a1b2c3d 1d7bad8dfd975a3 +1 NAME\"", s)
	word, rest, ok := strings.Cut(s, " ")
	if !ok {
		return bad
	}
	k.Block = -1
	switch word {
	case wordDirectory:
		k.Kind = ResidueDirectory
		return k.setName(rest)
	case wordRemoved:
		k.Kind = ResidueRemoved
		return k.setName(rest)
	case wordDirectory + "@":
		k.Kind = ResidueDirectory
	case wordRemoved + "@":
		k.Kind = ResidueRemoved
	case wordLost:
		k.Kind = ResidueLost
	default:
		sum, err := strconv.ParseUint(word, 16, 32)
		if err != nil {
			return bad
		}
		k.Sum = uint32(sum)
	}
	parts := strings.SplitN(rest, " ", 3)
	if len(parts) < 3 {
		return bad
	}
	if k.Time = before.Time; parts[0] != sameTime {
		t, err := strconv.ParseUint(parts[0], 16, 64)
		if err != nil {
			return bad
		}
		k.Time = Filetime(t)
	}
	if parts[1] != noBlock {
		d, err := strconv.Atoi(parts[1])
		if err != nil || before.Block+d < 0 {
			return bad
		}
		k.Block = before.Block + d
	}
	return k.setName(parts[2])
}

func (k *ResidueRecord) setName(text string) error {
	var name ResidueName
	err := name.UnmarshalText([]byte(text))
	k.Name = string(name)
	return err
}

// ResidueName is a name of the manifest. JSON cannot represent unpaired surrogates: a name with one is written as a
// quoted Go string.
type ResidueName string

func (n ResidueName) text() string {
	if s := string(n); utf8.ValidString(s) && !strings.HasPrefix(s, `"`) {
		return s
	}
	return strconv.Quote(string(n))
}

// MarshalText writes the name.
func (n ResidueName) MarshalText() ([]byte, error) { return []byte(n.text()), nil }

// UnmarshalText reads what MarshalText writes.
func (n *ResidueName) UnmarshalText(text []byte) error {
	s := string(text)
	if strings.HasPrefix(s, `"`) {
		var err error
		if s, err = strconv.Unquote(s); err != nil {
			return fmt.Errorf("invalid name %s: %w", text, err)
		}
	}
	*n = ResidueName(s)
	return nil
}
