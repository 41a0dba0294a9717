package worldrepo

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"trowel.example/minetest/internal/manifest"
)

// Ref refers to a content: by its ID, or in repositories of the versions 1 and 2 by the number of its pack and the number of
// the content in the pack; then ID is 0.
type Ref struct {
	Pack uint64
	N    uint32
	ID   ID
}

// place is the location of a content: the number of its pack, and its number in the pack.
type place struct {
	Pack uint64
	N    uint32
}

func (r Ref) place() place { return place{r.Pack, r.N} }

func (r Ref) isNamed() bool { return r.ID != ID{} }

// hash returns the hash of the content, or 0 if the reference does not contain it.
func (r Ref) hash() manifest.Hash {
	if r.isNamed() {
		return r.ID.hash()
	}
	return 0
}

func (r Ref) String() string {
	if r.isNamed() {
		return fmt.Sprintf("content %x", r.ID[:8])
	}
	return fmt.Sprintf("content %d of %s", r.N, packName(r.Pack))
}

// MarshalJSON returns the ID as a string of hexadecimal digits, or the place as an object.
func (r Ref) MarshalJSON() ([]byte, error) {
	if r.isNamed() {
		return json.Marshal(hex.EncodeToString(r.ID[:]))
	}
	return json.Marshal(r.place())
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (r *Ref) UnmarshalJSON(data []byte) error {
	*r = Ref{}
	if len(data) == 0 || data[0] != '"' {
		var at place
		err := json.Unmarshal(data, &at)
		r.Pack, r.N = at.Pack, at.N
		return err
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	id, err := hex.DecodeString(text)
	if err != nil || len(id) != len(r.ID) || ID(id) == (ID{}) {
		return fmt.Errorf("expected the SHA-256 of contents, found %.80q", text)
	}
	r.ID = ID(id)
	return nil
}
