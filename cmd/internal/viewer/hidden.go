package viewer

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/host"
)

// hidden maps paths of the disk to the names that the page shows instead: the page shows the content of a file,
// not its location.
type hidden struct {
	paths [][2]string // path and name, the longest path first
}

// scratchPath matches the part of a path up to a folder for temporary files.
var scratchPath = regexp.MustCompile(`[^\s"':]*[/\\]\.trowel-[0-9a-f]{16}\.tmp[/\\]+[^\s"':/\\]+[/\\]*`)

// newHidden returns a hidden for the path of the user's file and the paths in options.
func newHidden(o service.Options, name, called string) *hidden {
	h := new(hidden)
	h.add(host.HomeFolder(), "~")
	h.file(name, called)
	for _, given := range o.Given {
		for path := range strings.SplitSeq(given.Value, "\n") {
			if strings.ContainsAny(path, `/\`) && service.Exists(path) {
				h.file(path, filepath.Base(path))
			}
		}
	}
	slices.SortStableFunc(h.paths, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return h
}

// hidePaths replaces the paths of the user's files in an error.
func hidePaths(o service.Options, err error, names []string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, name := range names {
		text = newHidden(o, name, service.BaseName(name)).plain(text)
	}
	return errors.New(text)
}

// file hides the path of a file and of its folder, in all forms that they can have.
func (h *hidden) file(name, called string) {
	h.add(filepath.Clean(name), called)
	full, err := filepath.Abs(name)
	if err != nil {
		return
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		real = full
	}
	for _, path := range []string{full, real} {
		h.add(path, called)
		h.add(filepath.Dir(path), "")
	}
}

// add hides a path: unchanged, with the slashes of other systems, and encoded as JSON.
func (h *hidden) add(path, called string) {
	if path == "" || path == called || filepath.Dir(path) == path || !strings.ContainsRune(path, filepath.Separator) {
		return // empty, the root of a disk, or a name without a folder
	}
	quoted, _ := json.Marshal(path)
	for _, form := range []string{path, filepath.ToSlash(path), string(quoted[1 : len(quoted)-1])} {
		if !slices.ContainsFunc(h.paths, func(p [2]string) bool { return p[0] == form }) {
			h.paths = append(h.paths, [2]string{form, called})
		}
	}
}

// plain replaces the paths in a text.
func (h *hidden) plain(text string) string {
	if strings.Contains(text, ".trowel-") {
		text = scratchPath.ReplaceAllLiteralString(text, "")
	}
	for _, p := range h.paths {
		if strings.Contains(text, p[0]) {
			text = replacePath(text, p[0], p[1])
		}
	}
	return text
}

// replacePath replaces a path that occurs as a whole or as the beginning of a longer path. If by is empty, the
// slash after the path is removed, too.
func replacePath(text, path, by string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, path)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		before, behind := text[:at], text[at+len(path):]
		rest := strings.TrimLeft(behind, `/\`)
		switch {
		case endsInName(before) || len(rest) == len(behind) && startsInName(behind):
			b.WriteString(text[:at+len(path)])
		case by == "" && len(rest) < len(behind):
			b.WriteString(before)
			behind = rest
		case by == "":
			b.WriteString(before + ".")
		default:
			b.WriteString(before + by)
		}
		text = behind
	}
}

// endsInName reports whether a text ends within a name that the following text may continue.
func endsInName(text string) bool {
	n := len(text)
	if n == 0 || n > 1 && text[n-2] == '\\' && strings.IndexByte("nrt", text[n-1]) >= 0 { // a line break in JSON
		return false
	}
	return inName(text[n-1]) || text[n-1] == '.' || text[n-1] == '~'
}

// startsInName reports whether a text continues the name before it.
func startsInName(text string) bool {
	return text != "" && inName(text[0]) || len(text) > 1 && text[0] == '.' && inName(text[1])
}

func inName(c byte) bool {
	return c >= 0x80 || c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
