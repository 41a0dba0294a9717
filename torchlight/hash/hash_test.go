package hash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name string
		want uint32
	}{
		{"NAME", 6688229}, {"CHILD", 236268996}, {"DISPLAYNAME", 2200927350}, {"A", 97}, {"0", 16}, {"", 0},
		{"child", 236268996}, {"DisplayName", 2200927350},
		{"É", 1<<5 ^ 0xC9}, {"é", 1<<5 ^ 0xC9}, {"ÿ", 1<<5 ^ 0x178}, {"ß", 1<<5 ^ 0xDF},
		{"😀", (2<<5^0xD83D)<<5 ^ 0xDE00}, // two units, which upper-casing does not change
		{"\xED\xA0\xBD", 1<<5 ^ 0xD83D},  // one half of the pair
	} {
		if got := Of(c.name); got != c.want {
			t.Errorf("Of(%q) = %d, want %d", c.name, got, c.want)
		}
	}
}

// TestEscape tests escapes for all values of the five bits of a letter at all six positions, and for random hashes.
func TestEscape(t *testing.T) {
	hashes := []uint32{0, 1, 1 << 31, 3 << 30, 0xFFFFFFFF, 6688229, 2770992901}
	for i := range uint32(32) {
		for place := range 7 {
			hashes = append(hashes, i<<(5*place), ^(i << (5 * place)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		hashes = append(hashes, random.Uint32())
	}
	for _, h := range hashes {
		name := Escape(h)
		if Of(name) != h || len(name) != escapeLen || !strings.HasPrefix(name, fmt.Sprintf("UNKNOWN_%08X_", h)) {
			t.Fatalf("Escape(%#x) = %s, which has the hash %#x", h, name, Of(name))
		}
		if i := strings.IndexFunc(name[len(escapePrefix)+9:], func(r rune) bool { return r < 'A' || 'Z' < r }); i >= 0 {
			t.Fatalf("Escape(%#x) = %s has something other than letters", h, name)
		}
	}
	good := Escape(2770992901)
	if !IsEscape(good) || !IsEscape(strings.ToLower(good)) {
		t.Errorf("%s is no escape", good)
	}
	for _, bad := range []string{"", "NAME", good + "A", good[1:], good[:len(good)-1] + "#",
		"UNKNOWN_0000000G" + good[16:], "UNKNOWN_00000000" + good[16:]} {
		if IsEscape(bad) {
			t.Errorf("%q is an escape", bad)
		}
	}
}

// The escape of a hash must never change, because existing texts contain escapes.
func ExampleEscape() {
	name := Escape(2770992901)
	fmt.Println(name, Of(name))
	// Output: UNKNOWN_A529FF05_HHIHHHKMNWMHU 2770992901
}

func TestKnown(t *testing.T) {
	for _, name := range []string{"NAME", "DISPLAYNAME", "CHILD1", "CHILD99", "LEVEL17", "LEVEL100", "ENCHANTCOST5",
		"IMAGE123", "IMAGE999", "MOD_ID", "POSITIONX", "LONG_DESCRIPTION"} {
		if got, ok := Known().Name(Of(name)); got != name || !ok {
			t.Errorf("Name(Of(%q)) = %q, %v", name, got, ok)
		}
	}
	if got, ok := Known().Name(Of("AN UNKNOWN NAME")); ok {
		t.Errorf("an unknown hash has the name %q", got)
	}
}

// TestDictionary tests that each name of the dictionary is valid in a text, is in upper case, and is found by its hash.
func TestDictionary(t *testing.T) {
	n, names := Known(), 0
	for ; n != nil; n = n.below {
		l := n.layer()
		for h, name := range l.best {
			for _, name := range append([]string{name}, l.more[h]...) {
				names++
				if Of(name) != h || strings.ContainsAny(name, ":\n\t") || strings.HasPrefix(name, "/") {
					t.Errorf("%q under the hash %d", name, h)
				}
			}
		}
	}
	if names < 20_000 {
		t.Errorf("only %d names", names)
	}
	t.Logf("%d names, families and all", names)
}

func TestLayers(t *testing.T) {
	// There are few pairs of names with the same hash.
	if Of("C") != Of("AC") {
		t.Fatal("C and AC have different hashes")
	}
	n := Known().With("ac", "LEVEL5").With("MY OWN TAG", "my own tag", "My Own Tag")
	h := Of("C")
	if got := n.All(h); !slices.Equal(got[:1], []string{"ac"}) || !slices.Contains(got, "C") || !slices.Contains(got, "AC") {
		t.Errorf("All = %q", got)
	}
	if got, _ := n.Name(h); got != "ac" {
		t.Errorf("Name = %q, want that of the upper layer", got)
	}
	if got := n.All(Of("MY OWN TAG")); !slices.Equal(got, []string{"MY OWN TAG", "my own tag", "My Own Tag"}) {
		t.Errorf("All = %q", got)
	}
	if got := n.All(Of("LEVEL5")); !slices.Equal(got, []string{"LEVEL5"}) {
		t.Errorf("All = %q: the same name twice", got)
	}
	if _, ok := Known().Name(Of("MY OWN TAG")); ok {
		t.Error("a layer changed what is below it")
	}
}

func TestBroken(t *testing.T) {
	decimal := func(name string) string { return strconv.FormatUint(uint64(Of(name)), 10) }
	for _, name := range []string{"DISPLAYNAME", "LEVEL17", "MY OWN TAG"} {
		n := Known().With("MY OWN TAG")
		if got, ok := n.Broken(decimal(name)); got != name || !ok {
			t.Errorf("Broken(%s) = %q, %v, want %q", decimal(name), got, ok, name)
		}
		if got, ok := n.BrokenHash(Of(decimal(name))); got != name || !ok {
			t.Errorf("BrokenHash of %s = %q, %v, want %q", decimal(name), got, ok, name)
		}
	}
	for _, key := range []string{"", "NAME", "0", "97", decimal("AB"), "99999999999", "-6688229", "06688229",
		decimal("AN UNKNOWN NAME")} {
		if got, ok := Known().Broken(key); ok {
			t.Errorf("Broken(%q) = %q", key, got)
		}
	}
	if got, ok := Known().BrokenHash(Of("DISPLAYNAME")); ok {
		t.Errorf("a name that is whole was %q", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("NAME", uint32(0))
	f.Add("größe 😀", uint32(12345))
	f.Add("\xED\xA0\xBD", ^uint32(0))
	f.Fuzz(func(t *testing.T, name string, h uint32) {
		if Of(strings.ToUpper(name)) != Of(name) && !slices.ContainsFunc([]rune(name), func(r rune) bool { return r >= 0x80 }) {
			t.Errorf("the case of %q matters", name)
		}
		if e := Escape(h); Of(e) != h || !IsEscape(e) {
			t.Errorf("Escape(%d) = %s", h, e)
		}
		if IsEscape(name) && Escape(Of(name))[:16] != strings.ToUpper(name[:16]) {
			t.Errorf("%q is an escape", name)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		Of("UNIT_THEMES_NGPLUS")
	}
}

func BenchmarkName(b *testing.B) {
	h := Of("DISPLAYNAME")
	for b.Loop() {
		Known().Name(h)
	}
}

// BenchmarkLoad measures the first lookup of a program for a name in the list, and for a name that is not in the list.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct{ name, of string }{{"list", "NAME"}, {"families", "LEVEL17"}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, ok := load().Name(Of(c.of)); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

func BenchmarkEscape(b *testing.B) {
	for b.Loop() {
		Escape(2770992901)
	}
}
