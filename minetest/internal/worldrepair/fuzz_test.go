package worldrepair

import (
	"bytes"
	"testing"

	"trowel.example/check"
	"trowel.example/minetest/mapblock"
)

// FuzzMend tests that the repair of any bytes gives a readable block that needs no further repair, or no block.
func FuzzMend(f *testing.F) {
	for _, version := range []int{17, 20, 23, 25, 28, 29} {
		b := mapblock.New(version)
		data, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data[:len(data)-3], true)
	}
	f.Add([]byte{}, false)
	f.Add([]byte{200}, false)
	f.Fuzz(func(t *testing.T, data []byte, dropUnknown bool) {
		m := mend(data, dropUnknown)
		if whole, err := MendBlock(data, func(check.Finding) {}); !dropUnknown {
			if (err != nil) != (m.fate == left || m.fate == dropped) || m.fate == sound && !bytes.Equal(whole, data) ||
				m.fate == salvaged && !bytes.Equal(whole, m.data) {
				t.Errorf("fate %d: a single block has %d bytes, error %v", m.fate, len(whole), err)
			}
		}
		switch m.fate {
		case sound, left:
			if m.data != nil {
				t.Error("a block that stays has new bytes")
			}
			if _, err := mapblock.Decode(data); (err != nil) != (m.fate == left) {
				t.Errorf("fate %d: %v", m.fate, err)
			}
		case salvaged:
			if again := mend(m.data, false); again.fate != sound {
				t.Errorf("a repaired block needs fate %d: %v", again.fate, again.found)
			}
		case dropped:
			if m.data != nil || m.why == "" {
				t.Errorf("a deleted block has %d bytes, because %q", len(m.data), m.why)
			}
		}
	})
}

// FuzzTexts tests that the repair of any file gives a file that needs no further repair.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{"", "seed = 1\n", "seed = 1\n[end_of_params]\n", "game_time = 1\nEnvArgsEnd\n",
		"\x00\x00", "return {[1]=2}", "return {[1]=2,[3", "seed = 1\x00\x00", "a = {\n", "x = \"\"\"\ny"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &repair{newest: 7}
		for name, mend := range map[string]func([]byte) ([]byte, error){
			"lines": r.mendLines, "map_meta": r.mendMapMeta, "env_meta": r.mendEnvMeta, "force_loaded": mendForceLoaded,
		} {
			once, err := mend(text)
			if err != nil {
				continue
			}
			twice, err := mend(once)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%s: %q, then %q, %v", name, once, twice, err)
			}
		}
	})
}
