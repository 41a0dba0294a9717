package lsp

import (
	"net/url"
	"path/filepath"
	"testing"
)

// TestWindowsPath tests that each spelling of a URI of Windows names the same path.
func TestWindowsPath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///C:/maps/a.map":            "C:/maps/a.map",
		"file:///c%3A/maps/a%20b.map":      "C:/maps/a b.map",
		"file://C:/maps/a.map":             "C:/maps/a.map",
		"file:///c:%5Cmaps%5Ca.map":        "C:/maps/a.map",
		"file://localhost/c:/maps/a.map":   "C:/maps/a.map",
		"file://server/share/maps/a.map":   "//server/share/maps/a.map",
		"file:////server/share/maps/a.map": "//server/share/maps/a.map",
	} {
		u, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		if got := windowsPath(u); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

// TestURI tests that a path is the same after it was made a URI.
func TestURI(t *testing.T) {
	names := []string{filepath.Join(t.TempDir(), "a b#c%20.map")}
	if filepath.VolumeName(names[0]) != "" {
		names = append(names, `C:\maps\a.map`, `\\server\share\maps\a.map`)
		for _, uri := range []string{`file:///c:\maps\a.map`, `file://C:\maps/a.map`} {
			if got := pathOf(uri); got != `C:\maps\a.map` {
				t.Errorf("%s: %s", uri, got)
			}
		}
	}
	for _, name := range names {
		if got := pathOf(uriOf(name)); got != name {
			t.Errorf("%s: %s: %s", name, uriOf(name), got)
		}
	}
}
