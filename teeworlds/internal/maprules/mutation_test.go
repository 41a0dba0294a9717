package maprules

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestMutations checks damaged maps by all rules: whatever can be read of them, nothing panics.
func TestMutations(t *testing.T) {
	m := mutate.Must[*twmap.Map](t)(mapdir.Read(os.DirFS("../../../samples/burrow"), nil))
	whole := mutate.Must[[]byte](t)(m.EncodeVersion(3)) // not compressed, so that tiles and quads change, too
	mutate.Run(t, tests.Of(t, 30, 2000), func(i int, rng *rand.Rand) []string {
		data := bytes.Clone(whole)
		for range 1 + rng.IntN(8) {
			at := rng.IntN(len(data))
			if rng.IntN(2) == 0 {
				at = 36 + rng.IntN(3000) // the tables and items
			}
			data[at] = byte(rng.Uint32())
		}
		m, err := twmap.Salvage(data)
		if err != nil {
			return []string{"refused"}
		}
		for _, rules := range Names() {
			checked(t, m, rules, Options{Type: Types[i%len(Types)], Name: "burrow"})
		}
		return []string{"checked"}
	})
}
