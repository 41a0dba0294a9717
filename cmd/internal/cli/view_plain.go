package cli

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/internal/host"
)

// hidden knows paths of the disk, and what stands for them in what the page is told: the page
// shows what is in a file, not where it lies.
type hidden struct {
	paths [][2]string // longest first
}

// scratchPath is a folder for temporary files, in a path.
var scratchPath = regexp.MustCompile(`[^\s"':]*[/\\]\.trowel-[0-9a-f]{16}\.tmp[/\\]+[^\s"':/\\]+[/\\]*`)

// newHidden returns what hides where a file is that the user named, and what options name.
func newHidden(cmd *cobra.Command, name, called string) *hidden {
	h := new(hidden)
	h.add(host.HomeFolder(), "~")
	h.file(name, called)
	for _, value := range givenOptions(cmd) {
		for path := range strings.SplitSeq(value, "\n") {
			if strings.ContainsAny(path, `/\`) && isThere(path) {
				h.file(path, filepath.Base(path))
			}
		}
	}
	slices.SortStableFunc(h.paths, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return h
}

// hidePaths takes the paths of what the user named out of an error.
func hidePaths(cmd *cobra.Command, err error, names []string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, name := range names {
		text = newHidden(cmd, name, baseName(name)).plain(text)
	}
	return errors.New(text)
}

// file hides the path of a file and that of its folder, in all forms that they may have.
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

// add hides a path, as it is, with the slashes of other systems, and in JSON.
func (h *hidden) add(path, called string) {
	if path == "" || path == called || filepath.Dir(path) == path || !strings.ContainsRune(path, filepath.Separator) {
		return // nothing, the root of a disk, or a mere name
	}
	quoted, _ := json.Marshal(path)
	for _, form := range []string{path, filepath.ToSlash(path), string(quoted[1 : len(quoted)-1])} {
		if !slices.ContainsFunc(h.paths, func(p [2]string) bool { return p[0] == form }) {
			h.paths = append(h.paths, [2]string{form, called})
		}
	}
}

// plain takes the paths out of a text.
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

// replacePath replaces a path where it stands as a whole, or at the beginning of a longer one.
// Replaced by nothing it takes the slash behind it with it.
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

// endsInName reports whether what follows a text belongs to a name that begins in it.
func endsInName(text string) bool {
	n := len(text)
	if n == 0 || n > 1 && text[n-2] == '\\' && strings.IndexByte("nrt", text[n-1]) >= 0 { // a new line in JSON
		return false
	}
	return inName(text[n-1]) || text[n-1] == '.' || text[n-1] == '~'
}

// startsInName reports whether a text goes on with the name before it.
func startsInName(text string) bool {
	return text != "" && inName(text[0]) || len(text) > 1 && text[0] == '.' && inName(text[1])
}

func inName(c byte) bool {
	return c >= 0x80 || c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
