package viewer

import (
	"image/color"
	"io/fs"
	"math"
	"path"
	"regexp"
	"strconv"
	"testing"
)

// TestLean tests that all scripts and styles can be minified.
func TestLean(t *testing.T) {
	entries, err := fs.ReadDir(page, "page")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pageTypes[path.Ext(e.Name())] == "" || e.Name() == shell {
			continue
		}
		whole, err := page.ReadFile("page/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if small, err := pageFile("page/" + e.Name()); err != nil || len(small) >= len(whole) {
			t.Errorf("%s has %d bytes, and %d when it is small: %v", e.Name(), len(whole), len(small), err)
		}
	}
}

// TestColours tests that text and other elements have the contrast required by WCAG (AA), in light and dark
// mode.
func TestColours(t *testing.T) {
	style, err := page.ReadFile("page/style.css")
	if err != nil {
		t.Fatal(err)
	}
	type pair [2]float64 // lightness in light and dark mode
	colours := make(map[string]pair)
	for _, m := range regexp.MustCompile(`--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)`).FindAllSubmatch(style, -1) {
		colours[string(m[1])] = pair{lightness(t, string(m[2])), lightness(t, string(m[3]))}
	}
	for _, c := range []struct {
		front string
		least float64
		backs []string
	}{
		{"ink", 7, []string{"back", "panel", "raised", "hover", "accent-soft", "stage"}},
		{"muted", 4.5, []string{"back", "panel", "raised", "hover", "accent-soft", "stage"}},
		{"accent", 4.5, []string{"back", "panel", "raised", "hover", "accent-soft", "stage"}},
		{"error", 4.5, []string{"panel", "raised", "hover"}},
		{"warning", 4.5, []string{"panel", "raised", "hover"}},
		{"info", 4.5, []string{"panel", "raised", "hover"}},
		{"added", 4.5, []string{"panel", "raised", "hover"}},
		{"removed", 4.5, []string{"panel", "raised", "hover"}},
		{"accent-ink", 4.5, []string{"accent"}},
		{"line-strong", 3, []string{"back", "panel", "raised", "hover", "stage"}}, // borders of form fields
	} {
		for _, back := range c.backs {
			a, b := colours[c.front], colours[back]
			for i, when := range []string{"day", "night"} {
				if got := (max(a[i], b[i]) + 0.05) / (min(a[i], b[i]) + 0.05); got < c.least {
					t.Errorf("by %s, --%s on --%s has a contrast of %.2f", when, c.front, back, got)
				}
			}
		}
	}
}

// lightness returns the relative luminance according to WCAG.
func lightness(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(b uint8) float64 {
		v := float64(b) / 255
		if v <= 0.03928 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	c := color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
