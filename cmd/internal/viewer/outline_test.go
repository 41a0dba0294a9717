package viewer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trowel.example/trace"
)

func outlineOf(size int64, fields ...trace.Field) *outline {
	o := new(outline)
	o.account.Size = size
	for _, f := range fields {
		o.add(f)
	}
	o.end(strings.NewReader(strings.Repeat("x", int(size))))
	return o
}

func named(path string, offset, length int64) trace.Field {
	return trace.Field{Path: path, Offset: offset, Len: length}
}

// TestOutlineRows tests that the common beginning of fields is in the name of their group, that a single field
// is not grouped, and that gaps are sorted among the fields.
func TestOutlineRows(t *testing.T) {
	o := outlineOf(20, named("head.size", 0, 2), named("head.sizes", 2, 2), named("items[1].at.x", 6, 1),
		named("items[1].at.y", 7, 1), named("items[12].z", 8, 1),
		named("only.one.field", 9, 1), named("gap[0..3]", 10, 4), named("gap[4..5]", 14, 2), named("a.b", 16, 1),
		named("a", 17, 1), named("a.b.c", 18, 2), named("late", 30, 4))
	s := o.spaces[""]
	var got []string
	var show func(g group, indent string)
	show = func(g group, indent string) {
		for _, one := range s.rows(o, g) {
			row := s.row(o, one, g.skip)
			got = append(got, fmt.Sprintf("%s%s %d+%d", indent, row.Name, row.Offset, row.Length))
			if one.to-one.from > 1 {
				show(one, indent+" ")
			}
		}
	}
	show(group{0, len(s.fields), 0}, "")
	want := []string{"head 0+4", " size 0+2", " sizes 2+2", "gap 4+2", "items 6+3", " [1].at 6+2", "  x 6+1", "  y 7+1",
		" [12].z 8+1", "only.one.field 9+1",
		"gap 10+6", " [0..3] 10+4", " [4..5] 14+2", "a.b 16+1", "a 17+1", "a.b.c 18+2", "gap 30+4"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.size != 20 {
		t.Errorf("the file has %d bytes", s.size)
	}
}

// TestOutlineFind tests that the innermost field is found, or the field with exactly the given length.
func TestOutlineFind(t *testing.T) {
	o := outlineOf(100, named("all", 0, 100), named("part", 10, 20), named("small", 15, 2), named("none", 15, 0), named("later", 40, 5))
	s := o.spaces[""]
	for _, c := range []struct {
		at, length int64
		want       string
	}{{0, 0, "all"}, {10, 0, "part"}, {15, 0, "small"}, {16, 0, "small"}, {17, 0, "part"}, {30, 0, "all"},
		{44, 0, "later"}, {99, 0, "all"}, {0, 100, "all"}, {10, 20, "part"}, {10, 7, "part"}, {100, 0, ""}} {
		got := ""
		if i, ok := s.find(o, c.at, c.length); ok {
			got = o.path(s.fields[i])
		}
		if got != c.want {
			t.Errorf("at %d, %d bytes, is %q, want %q", c.at, c.length, got, c.want)
		}
	}
}

// TestOutlineMany tests that the number of kept fields is limited, and that the others are counted.
func TestOutlineMany(t *testing.T) {
	o := new(outline)
	for i := range int64(maxFields + 7) {
		o.add(named("f", i, 1))
	}
	long := outlineOf(0, trace.Field{Path: strings.Repeat("p", 1<<20), Value: strings.Repeat("v", 1<<20), Meaning: strings.Repeat("m", 1<<20)})
	if o.left != 7 || len(o.all) != maxFields || long.words.Len() > maxPath+2*maxMeaning {
		t.Errorf("%d fields are kept and %d are not; one takes %d bytes", len(o.all), o.left, long.words.Len())
	}
}

// TestContent tests that only known bytes of a space are returned, up to a limit.
func TestContent(t *testing.T) {
	var c content
	for offset, b := range map[int64]string{0: "ab", 4: "cd", maxSpace - 1: "xy", maxSpace: "z", -1: "?", 1 << 60: "far"} {
		c.add(offset, []byte(b))
	}
	if len(c.data) != maxSpace || string(c.data[:6]) != "ab\x00\x00cd" || c.data[maxSpace-1] != 'x' {
		t.Errorf("%d bytes, %q", len(c.data), c.data[:6])
	}
	for _, want := range [][3]int64{{0, 2, 4}, {1, 1, 4}, {2, 0, 4}, {5, 1, maxSpace - 1}, {maxSpace - 1, 1, 0}, {maxSpace, 0, 0}} {
		if n, next := c.known.From(want[0]); n != want[1] || next != want[2] {
			t.Errorf("from %d on %d are known, then from %d on, want %v", want[0], n, next, want)
		}
	}
}
