package viewer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDocument tests that the rows together are the text, that the starts of lines are correct, and that every
// page is.
func TestDocument(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	long := strings.Repeat("äb", rowLetters)
	for _, text := range []string{"", "\n", "a", "a\n", "a\r\nb", "\n\n\n", long, long + "\n",
		strings.Repeat("x", rowLetters) + "\ny", strings.Repeat("z\n", 3*rowStep) + long + "\nend",
		strings.Repeat(long+"\n"+strings.Repeat("q\n", random.IntN(300)), 20),
		strings.Repeat(strings.Repeat("w", 5*rowStep*rowLetters)+"\n", 2) + "last"} {
		d := newDocument([]byte(text))
		var joined strings.Builder
		var starts []rowStart
		n := 0
		d.page(0, d.rows, func(at rowStart, row []byte) {
			if at.first && n > 0 {
				joined.WriteByte('\n')
			}
			if utf8.RuneCount(row) > rowLetters || !utf8.Valid(row) {
				t.Fatalf("a row of %d bytes: %q", len(row), row)
			}
			joined.Write(row)
			starts = append(starts, at)
			n++
		})
		plain := strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		if joined.String() != plain || n != d.rows || d.lines != 1+strings.Count(plain, "\n") {
			t.Fatalf("%.40q: %d rows of %d, %d lines", text, n, d.rows, d.lines)
		}
		for range 50 {
			line := 1 + random.IntN(d.lines)
			want := slices.IndexFunc(starts, func(s rowStart) bool { return s.line == line })
			if got := d.rowOf(line); got != want {
				t.Fatalf("%.40q: line %d is row %d, want %d", text, line, got, want)
			}
			from, size := random.IntN(d.rows), 1+random.IntN(10)
			var page []rowStart
			d.page(from, size, func(at rowStart, _ []byte) { page = append(page, at) })
			if !slices.Equal(page, starts[from:min(len(starts), from+size)]) {
				t.Fatalf("%.40q: the page from %d is %v", text, from, page)
			}
		}
		if d.rowOf(maxPosition) != d.rowOf(d.lines) || d.rowOf(-1) != 0 {
			t.Errorf("%.40q: lines that are not there", text)
		}
	}
}

func tables(name, text string) string {
	var b strings.Builder
	for _, t := range newDocument([]byte(text)).tablesOf(name) {
		fmt.Fprintf(&b, "%s%q", t.name, t.columns)
		for _, r := range t.rows {
			fmt.Fprintf(&b, " %d%q", r.line, r.cells)
		}
		b.WriteString("; ")
	}
	return b.String()
}

func TestTables(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.json", "[\n{\"b\": 1, \"a\": \"x\\u0041\"},\n\n{\"c\": [1, \"two\"], \"a\": null, \"d\": {\"e\": [1]}}]",
			`["b" "a" "c" "d"] 2["1" "xA"] 4["" "" "1, two" "{\"e\":[1]}"]; `},
		{"A.RAW.JSON", "{\"table\": \"UI\",\n\"menus\": [\n{\"name\": \"<b>\"}],\n\"none\": [], \"numbers\": " +
			"[1],\n\"more\": [{\"x\": 12345678901234567890}]}", `menus["name"] 3["<b>"]; more["x"] 5["12345678901234567890"]; `},
		{"a.csv", "\ufeffx,y\n1,\"a\nb\"\n2\n3,4,5\n", `["x" "y" "3"] 2["1" "a\nb"] 4["2"] 5["3" "4" "5"]; `},
		{"a.tsv", "x\ty\n1\t\"2\n", `["x" "y"] 2["1" "2\n"]; `},
		{"a.json", "[1, {}]", ""}, {"a.json", "[]", ""}, {"a.json", "{}", ""}, {"a.json", "7", ""},
		{"a.json", "[{\"a\":", ""}, {"a.json", "", ""},
		{"a.csv", "x,y\n", ""}, {"a.csv", "", ""}, {"a.txt", "x,y\n1,2\n", ""},
		{"a.json", "[" + strings.Repeat("[", 1e6), ""},
		{"a.csv", "a\n" + strings.Repeat(",", 2*maxColumns) + "\n", ""},
	} {
		if got := tables(c.name, c.text); got != c.want {
			t.Errorf("%s %.60q: %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

func TestTableOrder(t *testing.T) {
	table := newDocument([]byte("n,s\n10,b\n9,A\nx,c\n,d\n2.5,a\n-1,\n9007199254740993,e\n9007199254740992,f\n")).tablesOf("a.csv")[0]
	for _, c := range []struct {
		order order
		want  []int
	}{
		{order{by: -1}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{order{by: 0}, []int{5, 4, 1, 0, 7, 6, 2, 3}},
		{order{by: 0, down: true}, []int{2, 6, 7, 0, 1, 4, 5, 3}},
		{order{by: 1}, []int{1, 4, 0, 2, 3, 6, 7, 5}},
		{order{by: -1, pattern: "A"}, []int{1, 4}},
		{order{by: -1, pattern: "none"}, []int{}},
		{order{by: -1, where: "n above 9"}, []int{0, 6, 7}},
		{order{by: 0, where: "n below 10"}, []int{5, 4, 1}},
		{order{by: -1, where: "n above a"}, []int{2}},
		{order{by: -1, where: "s is a\nn below 10\n"}, []int{1, 4}},
		{order{by: -1, where: "n not x\nn has 9007"}, []int{6, 7}},
		{order{by: -1, where: "n is "}, []int{3}},
		{order{by: -1, where: "n is"}, []int{3}},
	} {
		if got, err := table.in(c.order); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.order, got, err, c.want)
		}
	}
	for _, where := range []string{"m is 1", "n", "n like 1", "n above 9\n\n", strings.Repeat("n is 1\n", maxConditions+1)} {
		if got, err := table.in(order{by: -1, where: where}); err == nil {
			t.Errorf("%q: %v, want an error", where, got)
		}
	}
}

func FuzzTables(f *testing.F) {
	f.Add("a.json", "[{\"a\": 1}]")
	f.Add("a.json", "{\"x\": [{\"a\": [1, \"b\"]}, {}]}")
	f.Add("a.csv", "a,b\n1,2")
	f.Add("a.tsv", "a\tb\n1\t\"2")
	f.Fuzz(func(t *testing.T, name, text string) {
		d := newDocument([]byte(text))
		for _, table := range d.tablesOf(name) {
			for _, r := range table.rows {
				if len(r.cells) > len(table.columns) || r.line < 1 || r.line > d.lines+1 {
					t.Fatalf("a row of %d cells at line %d", len(r.cells), r.line)
				}
			}
			if rows, err := table.in(order{by: 0}); err != nil || len(rows) != len(table.rows) {
				t.Fatalf("rows are lost: %d of %d, %v", len(rows), len(table.rows), err)
			}
		}
	})
}

// TestHead tests that the first lines of a text file are returned, even if it is the only file in nested
// folders.
func TestHead(t *testing.T) {
	f, _ := toys(false, nil)
	s := toyServer(t, f, "one\n"+strings.Repeat("long ", 100)+strings.Repeat("\nmore", 100))
	var head struct{ Lines []string }
	getJSON(t, s, "/f/0/head", &head)
	if len(head.Lines) != headLines || head.Lines[0] != "one" || len(head.Lines[1]) != headLetters || head.Lines[2] != "more" {
		t.Errorf("%q", head.Lines)
	}
}
