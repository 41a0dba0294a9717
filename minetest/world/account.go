package world

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// Account is the login of a player and the player's privileges.
type Account struct {
	Name       string
	Password   Verifier
	Privileges []string // in the order that the backend returns
	LastLogin  int64    // seconds since 1970 in UTC; -1 for never
}

// Equal reports whether two accounts are equal.
func (a *Account) Equal(b *Account) bool {
	return a.Name == b.Name && a.Password == b.Password && a.LastLogin == b.LastLogin && slices.Equal(a.Privileges, b.Privileges)
}

// Verifier is what the engine stores instead of a password; "" means that there is no password. It is a secret:
// with it, anyone can try any number of passwords. Therefore formatting a Verifier prints only its kind. Convert it to
// a string to read it.
type Verifier string

// Kind returns the kind of a verifier: "none", "sha1", "srp" or "unknown".
func (v Verifier) Kind() string {
	switch {
	case v == "":
		return "none"
	case strings.HasPrefix(string(v), srpPrefix):
		if _, _, err := v.decodeSRP(); err == nil {
			return "srp"
		}
	case validBase64(string(v)):
		return "sha1"
	}
	return "unknown"
}

// Format prints the kind, for every verb.
func (v Verifier) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "(%s)", v.Kind()) }

// String returns the kind.
func (v Verifier) String() string { return "(" + v.Kind() + ")" }

// maxNameLength is the maximum length, in bytes, of the name of a player or account.
const maxNameLength = 19

// ValidPlayerName reports whether name is a valid name of a player.
func ValidPlayerName(name string) bool {
	return name != "" && len(name) <= maxNameLength &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// accountRecord is the version number of the account records in LevelDB.
const accountRecord = 1

// ParseAccountRecord decodes the value of an account in LevelDB. The key of the record is the name.
func ParseAccountRecord(name string, data []byte) (*Account, error) {
	r := bin.NewReader(data, bin.BigEndian)
	a := &Account{Name: name}
	if version := r.U8("version"); r.Err() == nil && version != accountRecord {
		r.FailAt(0, "version", fault.ErrVersion, "1", strconv.Itoa(int(version)))
	}
	a.Password = Verifier(r.String16("password"))
	for i := range r.Count16("num_privileges", 2) {
		a.Privileges = append(a.Privileges, r.String16(fmt.Sprintf("privileges[%d]", i)))
	}
	a.LastLogin = r.Int64("last_login")
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("last_login", fault.ErrFormat, "the end of the record", fmt.Sprintf("%s more", words.Count(r.Len(), "byte")))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return a, nil
}

// AppendRecord appends the account, encoded as a value in LevelDB, to dst. It returns an error if a field is too long
// for the format.
func (a *Account) AppendRecord(dst []byte) ([]byte, error) {
	w := bin.NewWriter(bin.BigEndian, 64)
	fits := true
	text := func(s string) {
		fits = fits && len(s) <= math.MaxUint16
		w.U16(uint16(len(s)))
		w.Bytes([]byte(s))
	}
	w.U8(accountRecord)
	text(string(a.Password))
	w.U16(uint16(len(a.Privileges)))
	for _, p := range a.Privileges {
		text(p)
	}
	w.U64(uint64(a.LastLogin))
	if !fits || len(a.Privileges) > math.MaxUint16 {
		return dst, wrong("auth.db", a.Name, "at most 65535 privileges of at most 65535 bytes", "more")
	}
	return append(dst, w.Data()...), nil
}

var accountRecords = records[*Account]{
	parse: ParseAccountRecord,
	name:  func(a *Account) string { return a.Name },
	make:  func(a *Account) ([]byte, error) { return a.AppendRecord(nil) },
}
