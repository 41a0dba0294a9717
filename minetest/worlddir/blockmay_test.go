package worlddir

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"trowel.example/internal/text/pattern"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

func patternOf(t testing.TB, expr string) *pattern.Pattern {
	p, err := pattern.New(expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// testMay searches for random pieces of the text of a block: mayBeBlock must not exclude them.
func testMay(t *testing.T, rng *rand.Rand, data []byte, pieces int) {
	t.Helper()
	pos := mapdb.Pos{X: -3, Y: 7, Z: 1000}
	b, err := mapblock.Decode(data)
	if err != nil {
		return
	}
	lines := bytes.Split(bytes.TrimSpace(BlockText(b, pos)), []byte("\n"))
	for range pieces {
		line := []rune(string(lines[rng.IntN(len(lines))]))
		from := rng.IntN(len(line) + 1)
		piece := string(line[from:min(len(line), from+1+rng.IntN(24))])
		expr := regexp.QuoteMeta(piece)
		if rng.IntN(2) == 0 {
			expr = "(?i)" + regexp.QuoteMeta(strings.ToUpper(piece))
			if !patternOf(t, expr).In([]byte(piece)) {
				continue // a character whose upper case has another length
			}
		}
		if !mayBeBlock(data, pos, patternOf(t, expr)) {
			t.Fatalf("version %d: %q is in %q, and may not be", b.Version, piece, string(line))
		}
	}
	if mayBeBlock(data, pos, patternOf(t, "no block has this")) {
		t.Errorf("version %d: text is made for what is in no block", b.Version)
	}
}

// TestMayBeBlock tests that mayBeBlock accepts everything that is in the text of a block, and rejects some of what is
// not.
func TestMayBeBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for version := range mapblock.Newest + 1 {
		b := everything(t, version)
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		testMay(t, rng, data, 40)
		if version >= 21 && mayBeBlock(data, mapdb.Pos{}, patternOf(t, "default:mese")) {
			t.Errorf("version %d may have a node that it has no name of", version)
		}
	}
	if !mayBeBlock([]byte{200}, mapdb.Pos{}, patternOf(t, "c8")) {
		t.Error("of a block that cannot be read nothing is known")
	}
}

func TestCorpusMayBeBlock(t *testing.T) {
	for name, db := range realStores(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			for block, err := range db.Blocks(t.Context(), mapdb.All()) {
				if err != nil {
					t.Fatal(err)
				}
				testMay(t, rng, block.Data, 3)
			}
		})
	}
}
