package datafile

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// UUID identifies an item type without a fixed number.
type UUID [16]byte

// teeworldsNamespace is the namespace in which DDNet makes UUIDs from names.
var teeworldsNamespace = UUID{0xe0, 0x5d, 0xda, 0xaa, 0xc4, 0xe6, 0x4c, 0xfb, 0xb6, 0x42, 0x5d, 0x48, 0xe8, 0x0c, 0x00, 0x29}

// NameUUID returns the UUID (version 3) of a name such as
// "mapitemtype-automapper-config@ddnet.tw".
func NameUUID(name string) UUID {
	sum := md5.Sum(append(teeworldsNamespace[:], name...))
	sum[6] = sum[6]&0x0f | 0x30
	sum[8] = sum[8]&0x3f | 0x80
	return UUID(sum)
}

// ParseUUID reads a UUID in its usual form, 8-4-4-4-12 hexadecimal digits.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	digits := strings.ReplaceAll(s, "-", "")
	if b, err := hex.DecodeString(digits); err == nil && len(b) == len(u) && len(s) == 36 {
		copy(u[:], b)
		if u.String() == strings.ToLower(s) {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("invalid UUID %q: expected a form like 3e1b2716-178c-3978-9bd9-b11ae0410dd8", s)
}

func (u UUID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// MarshalText writes the usual form.
func (u UUID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the usual form.
func (u *UUID) UnmarshalText(text []byte) error {
	v, err := ParseUUID(string(text))
	*u = v
	return err
}

// ints returns the UUID as stored in an index item: four big-endian integers.
func (u UUID) ints() []int32 {
	v := make([]int32, 4)
	for i := range v {
		v[i] = int32(binary.BigEndian.Uint32(u[4*i:]))
	}
	return v
}

// UUIDItem returns the item that gives typ, the number of an item type, its UUID.
func UUIDItem(typ uint16, uuid UUID) Item { return Item{TypeUUIDIndex, typ, uuid.ints()} }

// IndexUUID returns the UUID in the integers of an item of the UUID index. It returns false if there are too few.
func IndexUUID(v []int32) (u UUID, ok bool) {
	if len(v) < 4 {
		return u, false
	}
	for i := range 4 {
		binary.BigEndian.PutUint32(u[4*i:], uint32(v[i]))
	}
	return u, true
}
