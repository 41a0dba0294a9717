package worlddir

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// TestBlockParts tests, for blocks of all versions, that each node, entry, timer and object is on the reported line,
// and that the line gives the same part.
func TestBlockParts(t *testing.T) {
	pos := mapdb.Pos{X: 1, Z: -2}
	for version := range mapblock.Newest + 1 {
		b := everything(t, version)
		text, parts := BlockParts(b, pos)
		if !bytes.Equal(text, BlockText(b, pos)) {
			t.Fatalf("version %d: another text", version)
		}
		lines := strings.Split(string(text), "\n")
		ids := idsOf(b)
		for i := range mapblock.NodeCount {
			n := parts.Find(SectionNodes, i)
			if n == 0 {
				t.Fatalf("version %d: node %d stands nowhere", version, i)
			}
			id, _ := idOf(b, i)
			x, y, z := mapblock.Coordinates(i)
			fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines[n-1]), "y "))
			if first, last := rangeOf(t, fields[0]); y < first || y > last {
				t.Fatalf("version %d: node %d is at y = %d, not in %q", version, i, y, lines[n-1])
			}
			z0, above := 0, n-2
			for !strings.HasPrefix(lines[above], "  z ") {
				above--
			}
			_, _ = fmt.Sscanf(lines[above], "  z %d", &z0)
			if first, last := rangeOf(t, strings.TrimPrefix(lines[above], "  z ")); z < first || z > last {
				t.Fatalf("version %d: node %d is at z = %d, not in %q", version, i, z, lines[above])
			}
			at := 0
			if strings.Contains(lines[n-1], `"`) { // words that contain spaces
				fields = nil
			}
			for _, word := range fields[min(1, len(fields)):] {
				name, times, many := strings.Cut(word, "*")
				count := 1
				if many {
					_, _ = fmt.Sscan(times, &count)
				}
				if at <= x && x < at+count && name != string(ids.appendNode(nil, id)) {
					t.Fatalf("version %d: node %d is %s, line %d says %s", version, i, ids.appendNode(nil, id), n, name)
				}
				at += count
			}
			if p, ok := parts.At(n); !ok || p.Section != SectionNodes || !p.has([3]int{x, y, z}) {
				t.Fatalf("version %d: line %d is of %+v", version, n, p)
			}
		}
		for i, m := range b.Metadata.List {
			if m.Pos >= mapblock.NodeCount {
				continue
			}
			n := parts.Find(SectionMeta, int(m.Pos))
			if want := string(appendPlace(indent(nil, 1), m.Pos)); n == 0 || !strings.HasPrefix(lines[n-1]+" ", want+" ") {
				t.Errorf("version %d: entry %d is on line %d", version, i, n)
			}
			if p, ok := parts.At(n + 1); strings.HasPrefix(lines[n], "    ") && (!ok || p.Section != SectionMeta || p.Index != i) {
				t.Errorf("version %d: line %d is of %+v, not of entry %d", version, n+1, p, i)
			}
		}
		if version >= 24 && len(b.Timers.List) > 0 {
			if n := parts.Find(SectionTimers, int(b.Timers.List[0].Pos)); n == 0 || !strings.Contains(lines[n-1], " timeout ") {
				t.Errorf("version %d: the timer is on line %d", version, n)
			}
		}
		for _, p := range parts {
			if p.Section == SectionObjects && !strings.HasPrefix(lines[p.Line-1], "  "+string(appendObjectType(nil, b.Objects.List[p.Index].Type))) {
				t.Errorf("version %d: object %d is not on line %d: %s", version, p.Index, p.Line, lines[p.Line-1])
			}
		}
		if p, ok := parts.At(1); ok {
			t.Errorf("version %d: the first line is of %+v", version, p)
		}
	}
}

// rangeOf parses "3" or "3-5".
func rangeOf(t testing.TB, text string) (first, last int) {
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		high = low
	}
	if _, err := fmt.Sscan(low+" "+high, &first, &last); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return first, last
}
