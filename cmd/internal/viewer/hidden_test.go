package viewer

import (
	"fmt"
	"path/filepath"
	"testing"

	"trowel.example/cmd/internal/service"
)

// TestHidden tests that messages for the page contain no path of the disk, and that nothing else is replaced.
func TestHidden(t *testing.T) {
	h := &hidden{windows: onWindows}
	for _, p := range [][2]string{{"/home/eve/maps/climb.map", "climb.map"}, {"/home/eve/maps", ""}, {"/maps", ""},
		{"/home/eve", "~"}, {"old/climb.map", "climb.map"}, {`/odd/"q"`, "q"}} {
		h.add(p[0], p[1])
	}
	for text, want := range map[string]string{
		"/home/eve/maps/climb.map: it is broken":                "climb.map: it is broken",
		"open /home/eve/maps/other.map: no such file":           "open other.map: no such file",
		"in /home/eve/maps.":                                    "in ..",
		"/home/eve/maps":                                        ".",
		"file:///home/eve/maps/climb.map":                       "file://climb.map",
		`{"error":"line\n/home/eve/maps/climb.map: x"}`:         `{"error":"line\nclimb.map: x"}`,
		"/home/eve/maps.old/a":                                  "~/maps.old/a",
		"/home/everybody/maps/a":                                "/home/everybody/maps/a",
		"groups/home/eve/maps":                                  "groups/home/eve/maps",
		"client/maps/a.txt":                                     "client/maps/a.txt",
		"/maps/a.map and /maps":                                 "a.map and .",
		"old/climb.map: it is broken, and so is gold/climb.map": "climb.map: it is broken, and so is gold/climb.map",
		`{"error":"/odd/\"q\": x"}`:                             `{"error":"q: x"}`,
		"/tmp/.trowel-0123456789abcdef.tmp/new/climb.map: bad":  "climb.map: bad",
		"nothing": "nothing",
	} {
		if got := h.plain(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestHiddenWindows tests that a path of Windows is hidden in each spelling: with both slashes, encoded as JSON, and in
// any case.
func TestHiddenWindows(t *testing.T) {
	h := &hidden{windows: true}
	for _, p := range [][2]string{{`C:\Users\Eve Doe\maps\climb.map`, "climb.map"}, {`C:\Users\Eve Doe\maps`, ""}, {`C:\Users\Eve Doe`, "~"},
		{`\\server\share\maps`, ""}, {`old/climb.map`, "climb.map"}} {
		h.add(p[0], p[1])
	}
	for text, want := range map[string]string{
		`C:\Users\Eve Doe\maps\climb.map: it is broken`:                    "climb.map: it is broken",
		`open c:/users/eve doe/maps/sub\other.map: no such file`:           `open sub\other.map: no such file`,
		`C:\Users\Eve Doe\maps/climb.map and C:\Users\Eve Doe/maps.`:       "climb.map and ..",
		`{"error":"line\nC:\\Users\\Eve Doe\\maps\\climb.map: x"}`:         `{"error":"line\nclimb.map: x"}`,
		`{"error":"\"C:\\\\Users\\\\Eve Doe\\\\maps\\\\climb.map\": x"}`:   `{"error":"\"climb.map\": x"}`,
		`file:///C:/Users/Eve Doe/maps/climb.map`:                          "file:///climb.map",
		`C:\Users\Eve Doe\maps2\a`:                                         `~\maps2\a`,
		`D:\Users\Eve Doe\maps`:                                            `D:\Users\Eve Doe\maps`,
		`\\SERVER\share\maps\a.map`:                                        "a.map",
		`file:////server/share/maps/a.map`:                                 "file://a.map",
		`old\climb.map and gold\climb.map`:                                 `climb.map and gold\climb.map`,
		`C:\Users\Eve Doe\Temp\.trowel-0123456789abcdef.tmp\new\climb.map`: "climb.map",
		`D:\Temp\.trowel-0123456789abcdef.tmp\new\climb.map: bad`:          "climb.map: bad",
	} {
		if got := h.plain(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestHidePaths tests that the message about an incomplete gallery does not reveal the location of
// the files.
func TestHidePaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "maps")
	err := hidePaths(service.Options{}, fmt.Errorf("open %s: permission denied", filepath.Join(dir, "sub", "a.map")), []string{dir})
	if want := "open " + filepath.Join("maps", "sub", "a.map") + ": permission denied"; err.Error() != want {
		t.Errorf("the page is reported %q, not %q", err, want)
	}
	if err := hidePaths(service.Options{}, nil, []string{dir}); err != nil {
		t.Error(err)
	}
}
