package review

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// hostile are texts that mean something in Markdown or HTML.
var hostile = []string{
	"@admin", "#12", "GH-12", "!12", "$12", "owner/repo#12", "0123456789abcdef0123456789abcdef01234567", ":tada:", "www.example.org",
	"https://example.org/x", "mailto:a@example.org", "a@example.org", "[a](https://example.org)", "![a](https://example.org/a.png)",
	"<img src=https://example.org/a.png>", "<script>alert(1)</script>", "</code></pre><a href='//example.org'>a</a>", "<!-- a", "-->",
	"`", "``", "```", "`a`", "` a", "a `", "~~~", "```text", "\n```\n@admin\n```\n", "a\nb", "\r\n", "\u2028", "\u202e", "\x1b[31m", "\xff",
	"&lt;b&gt;", "&#64;admin", "\\@admin", "\\`@admin", "|",
	"a|b\n-|-", "# a", "- a", "1. a", "> a", "    a", "\ta", "***", "[a]: https://example.org",
	"[^1]", "$$a$$", "$`a`$", "{{.}}", "{% a %}", "\"><svg onload=alert(1)>", "javascript:alert(1)", "data:text/html,a", "'", "\"", " ", "",
	strings.Repeat("`", 300), strings.Repeat("a@b ", 600),
}

// reportOf returns a report in which all text of files is text.
func reportOf(text string) *Report {
	size := int64(12)
	f := func(change string) *File {
		return &File{Path: text, Was: text, Change: change, Format: "x", Title: "toy", OldSize: &size, Decided: true,
			Decides:  []check.Change{{Path: text, What: text, At: []check.Place{check.File(text), check.File(text)}}},
			Changes:  []any{text},
			Lines:    []string{text, text + text, "x" + text},
			New:      []check.Finding{{ID: "x", Path: text, Message: text, Offset: -1}, {ID: "y", Severity: check.Error, Message: text, Offset: 3}},
			Gone:     []check.Finding{{ID: "x", Path: text, Message: text, Offset: 1}},
			Pictures: []Picture{{Part: "x" + text, Before: "pictures/1-before.png", After: "pictures/1-after.png", Marks: 1}},
			Notes:    []string{text, text + "`"}}
	}
	r := &Report{Base: Side{Name: text, Commit: text + "c"}, Head: Side{Name: text}, Allowed: []Kind{Design},
		Files: []*File{f("changed"), f("renamed")}}
	r.End()
	return r
}

// pageOf returns a report as HTML.
func pageOf(t *testing.T, r *Report) []byte {
	var b bytes.Buffer
	if err := r.HTML(&b, func(name string) ([]byte, error) { return []byte(name), nil }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// outside reads Markdown as CommonMark does as far as code is concerned, and returns what is neither in a code block nor in a code span.
func outside(markdown string) (rest string, err error) {
	var b, paragraph strings.Builder
	end := func() {
		b.WriteString(withoutSpans(paragraph.String()))
		paragraph.Reset()
	}
	fence, longest := "", 0
	for line := range strings.SplitSeq(markdown, "\n") {
		bare := strings.TrimLeft(line, " ")
		run := len(bare) - len(strings.TrimLeft(bare, "`"))
		switch {
		case fence != "":
			if len(line)-len(bare) < 4 && run >= len(fence) && strings.TrimRight(bare[run:], " \t") == "" {
				fence = ""
				b.WriteString("CODE\n")
			}
		case len(line)-len(bare) < 4 && run >= 3 && !strings.Contains(bare[run:], "`"):
			end()
			fence, longest = bare[:run], max(longest, run)
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			end()
			b.WriteString(withoutSpans(line) + "\n")
		default:
			paragraph.WriteString(line + "\n")
		}
	}
	end()
	if fence != "" || longest > 80 {
		return "", fmt.Errorf("a code block has no end, or ends too early in cmark-gfm")
	}
	return b.String(), nil
}

// withoutSpans removes code spans from a paragraph.
func withoutSpans(text string) string {
	var b strings.Builder
	for text != "" {
		before, rest, found := strings.Cut(text, "`")
		b.WriteString(before)
		if !found {
			break
		}
		mark := 1 + len(rest) - len(strings.TrimLeft(rest, "`"))
		rest = rest[mark-1:]
		at, i := -1, 0
		for i < len(rest) { // a run of the same length ends the span
			if rest[i] != '`' {
				i++
				continue
			}
			n := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
			if n == mark && n <= 80 { // as cmark
				at = i
				break
			}
			i += n
		}
		if at < 0 {
			b.WriteString(strings.Repeat("`", mark))
			text = rest
			continue
		}
		b.WriteString("CODE")
		text = rest[at+mark:]
	}
	return b.String()
}

// elements returns the elements, attributes and comments of a page, without its text, and the text.
func elements(t *testing.T, page []byte) (tags, text string) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b, words strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			words.WriteString(n.Data)
		} else {
			fmt.Fprintf(&b, "%v %s %q\n", n.Type, n.Data, n.Attr)
		}
	}
	return b.String(), words.String()
}

// testText tests that a text of a file has no meaning in a report: outside of code, the Markdown is that of a harmless text, and so are
// the elements of the page.
func testText(t *testing.T, text string) {
	harmless, hostile := reportOf("harmless"), reportOf(cmp.Or(text, " ")) // a file without an earlier name was not renamed
	for _, pictures := range []bool{false, true} {
		want, err := outside(string(harmless.Markdown(pictures)))
		if err != nil || strings.Contains(want, "harmless") || strings.Count(want, "CODE") < 10 {
			t.Fatalf("%v\n%s", err, want)
		}
		got, err := outside(string(hostile.Markdown(pictures)))
		if got = strings.ReplaceAll(got, "(no name)", "CODE"); err != nil || got != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", text, err, got, want)
		}
	}
	want, _ := elements(t, pageOf(t, harmless))
	got, shown := elements(t, pageOf(t, hostile))
	if got != want {
		t.Errorf("%q: elements\n%s\nwant\n%s", text, got, want)
	}
	if strings.ContainsAny(shown, "\x1b\u202e\u2028") {
		t.Errorf("%q: control characters are on the page", text)
	}
}

func TestHostile(t *testing.T) {
	for _, text := range hostile {
		testText(t, text)
	}
}

// TestHostileJudge tests that cmark-gfm, which GitHub uses, finds the same elements in reports with hostile texts and with harmless ones.
func TestHostileJudge(t *testing.T) {
	tests.LongOnly(t, "cmark-gfm reads each report")
	tag := regexp.MustCompile("<[a-z0-9]+")
	tags := func(text string) string {
		path := filepath.Join(t.TempDir(), "report.md")
		judge.Write(t, path, reportOf(text).Markdown(true))
		page, err := judge.Run(t, filepath.Dir(path), "cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e",
			"footnotes", path)
		if err != nil {
			t.Fatal(page, err)
		}
		return fmt.Sprint(tag.FindAllString(page, -1))
	}
	want := tags("harmless")
	if !strings.Contains(want, "<pre <code") {
		t.Fatal(want)
	}
	for _, text := range hostile {
		if strings.TrimSpace(text) == "" {
			continue // an empty name is shown without code
		}
		if got := tags(text); got != want {
			t.Errorf("%q: %s\nwant %s", text, got, want)
		}
	}
}

// FuzzText tests the same with random texts.
func FuzzText(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { testText(t, text[:min(len(text), 300)]) })
}

// TestOutside tests the reader of Markdown of these tests.
func TestOutside(t *testing.T) {
	for text, want := range map[string]string{"a `b` c\n": "a CODE c\n\n", "`` ` ``x": "CODEx\n", "`a ``b`": "CODE\n", "``a`": "``a`\n",
		"```text\n@a\n```\n": "CODE\n\n", "a `b\nc` d": "a CODE d\n"} {
		if got, err := outside(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := outside("```\n``\n"); err == nil {
		t.Error("a block without an end")
	}
}

// TestMarkdownSize tests that a long report fits into a comment and counts what it leaves out.
func TestMarkdownSize(t *testing.T) {
	r := new(Report)
	for i := range 400 {
		f := &File{Path: fmt.Sprintf("%d.map", i), Change: "changed"}
		for range 200 {
			f.Lines = append(f.Lines, strings.Repeat("x", 500))
		}
		r.Files = append(r.Files, f)
	}
	r.End()
	text := string(r.Markdown(true))
	if len(text) > 65_536 || !strings.Contains(text, "There are 195 more.") || !strings.Contains(text, "files not shown") {
		t.Errorf("%d bytes: %.100s", len(text), text[max(0, len(text)-300):])
	}
}

// TestVerdict tests the verdict, and which changes pass.
func TestVerdict(t *testing.T) {
	game := check.Change{What: "x"}
	file := func(f File) *File { return &f }
	design := func() []*File { return []*File{file(File{Change: "changed", Decided: true})} }
	const isDesign = "1 file changed. Gameplay did not change."
	for _, c := range []struct {
		files   []*File
		allowed []Kind
		passed  bool
		verdict string
		refused string
	}{
		{nil, nil, true, "Nothing changed.", ""},
		{design(), nil, false, isDesign, "design (1 file)"},
		{design(), []Kind{Design}, true, isDesign, ""},
		{design(), []Kind{Physics}, true, isDesign, ""},
		{[]*File{file(File{Change: "changed", Decided: true, Decides: []check.Change{game}}), file(File{Change: "changed"})},
			[]Kind{Design}, false,
			"2 files changed. Gameplay changed in 1 file.", "changes of gameplay (1 file), changes of other files (1 file)"},
		{[]*File{file(File{Change: "changed", Decided: true}), file(File{Change: "added"})}, []Kind{Design}, false,
			"2 files changed. Gameplay did not change in 1 map.", "added, removed or renamed files (1 file)"},
		{[]*File{file(File{Change: "renamed", Was: "x"})}, []Kind{Files}, true, "1 file changed.", ""},
		{[]*File{file(File{Change: "renamed", Decided: true, Decides: []check.Change{game}})}, []Kind{Files}, false,
			"1 file changed. Gameplay changed in 1 file.", "changes of gameplay (1 file)"},
		{[]*File{file(File{Change: "changed", Incomplete: true})}, Kinds, false, "1 file changed. 1 file could not be compared completely.",
			"data that could not be read (1 file)"},
		{[]*File{file(File{Change: "changed", Decided: true, New: []check.Finding{{Severity: check.Error}}})}, []Kind{Design}, false,
			"1 file changed. Gameplay did not change.", "new errors (1 file)"},
		{[]*File{file(File{Change: "changed", Decided: true, New: []check.Finding{{Severity: check.Warning}}})}, []Kind{Design}, true,
			"1 file changed. Gameplay did not change.", ""},
	} {
		r := &Report{Files: c.files, Allowed: c.allowed}
		r.End()
		if r.Passed != c.passed || r.Verdict() != c.verdict || r.Refused() != c.refused {
			t.Errorf("%v: %v %q %q, want %+v", c.files, r.Passed, r.Verdict(), r.Refused(), c)
		}
	}
}

// TestCompareFindings tests which findings are new and gone.
func TestCompareFindings(t *testing.T) {
	f := func(path, message string) check.Finding {
		return check.Finding{ID: "x", Path: path, Message: message, Offset: 7}
	}
	old := []check.Finding{f("groups[1]", "a"), f("groups[2]", "a"), f("", "b"), f("map", "c"), f("map", "c")}
	now := []check.Finding{f("groups[2]", "a"), f("groups[3]", "a"), f("", "d"), f("map", "c"), f("images[3]", "a")}
	fresh, gone := CompareFindings(old, now)
	if text := fmt.Sprint(texts(fresh), texts(gone)); text != "[info: d [x] info: images[3]: a [x]] [info: b [x] info: map: c [x]]" {
		t.Error(text)
	}
}

// TestAreas tests that the areas of pictures contain all marks.
func TestAreas(t *testing.T) {
	rect := func(x1, y1, x2, y2 float64) format.Rect {
		return format.Rect{Min: [2]float64{x1, y1}, Max: [2]float64{x2, y2}}
	}
	view, bounds := format.View{Scale: 32}, rect(0, 0, 1000, 500)
	mark := func(x, y float64) Mark { return Mark{Rect: rect(x, y, x+1, y+1)} }
	whole := Mark{Rect: bounds}
	for _, c := range []struct {
		marks []Mark
		want  int
	}{
		{nil, 1}, {[]Mark{whole}, 1}, {[]Mark{mark(5, 5)}, 1}, {[]Mark{mark(5, 5), mark(8, 8), whole}, 1},
		{[]Mark{mark(5, 5), mark(500, 8)}, 2}, {[]Mark{mark(1, 1), mark(200, 1), mark(400, 1), mark(600, 1), mark(800, 1)}, 1},
		{[]Mark{mark(0, 0), mark(36, 0), mark(18, 0)}, 1}, // the last one joins the others
	} {
		areas := Areas(view, bounds, c.marks)
		if len(areas) != c.want {
			t.Errorf("%v: %v", c.marks, areas)
		}
		for _, m := range c.marks {
			inside := m == whole && len(c.marks) > 1
			for _, a := range areas {
				inside = inside || a.Min[0] <= m.Min[0] && a.Min[1] <= m.Min[1] && a.Max[0] >= m.Max[0] && a.Max[1] >= m.Max[1]
			}
			if !inside {
				t.Errorf("%v is not in %v", m, areas)
			}
		}
	}
	if got := Areas(view, format.Rect{}, nil); got != nil {
		t.Errorf("an empty file: %v", got)
	}
}

// TestOutline tests that a mark is drawn around its pixels, also if it is in several bands or outside of the picture.
func TestOutline(t *testing.T) {
	look := format.Look{Size: image.Pt(40, 40), Scale: 2}
	mark := Mark{Rect: format.Rect{Min: [2]float64{8, 8}, Max: [2]float64{10, 10}}, Decides: true}
	whole := image.NewRGBA(image.Rect(0, 0, 40, 40))
	outline(whole, mark, look)
	bands := image.NewRGBA(whole.Rect)
	for y := 0; y < 40; y += 10 {
		outline(bands.SubImage(image.Rect(0, y, 40, y+10)).(*image.RGBA), mark, look)
	}
	if !bytes.Equal(whole.Pix, bands.Pix) {
		t.Error("bands differ")
	}
	for at, want := range map[image.Point]color.RGBA{{16, 16}: {}, {19, 19}: {}, {15, 15}: {255, 255, 255, 255}, {14, 14}: red, {13, 13}: red,
		{12, 12}: {255, 255, 255, 255}, {11, 11}: {}, {22, 14}: red, {23, 23}: {255, 255, 255, 255}, {24, 24}: {}} {
		if got := whole.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v is %v, want %v", at, got, want)
		}
	}
	outline(whole, Mark{Rect: format.Rect{Min: [2]float64{-1e12, -1e12}, Max: [2]float64{1e12, 1e12}}}, look)
}
