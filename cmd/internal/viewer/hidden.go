package viewer

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/host"
	"trowel.example/internal/text/words"
)

// hidden maps paths of the disk to the names that the page shows instead: the page shows the content of a file,
// not its location.
type hidden struct {
	windows bool         // paths have both slashes, and match regardless of case
	paths   []hiddenPath // the longest path first
}

const onWindows = runtime.GOOS == "windows"

type hiddenPath struct {
	path, called string
	pattern      *regexp.Regexp
}

// scratchPath matches the part of a path up to a folder for temporary files.
var scratchPath = regexp.MustCompile(`(?:\b[A-Za-z]:)?(?:[^\s"':]*[/\\])?\.trowel-[0-9a-f]{16}\.tmp[/\\]+[^\s"':/\\]+[/\\]*`)

// newHidden returns a hidden for the path of the user's file and the paths in options.
func newHidden(o service.Options, name, called string) *hidden {
	h := &hidden{windows: onWindows}
	h.add(host.HomeFolder(), "~")
	h.file(name, called)
	for _, given := range o.Given {
		for path := range strings.SplitSeq(given.Value, "\n") {
			if strings.ContainsAny(path, `/\`) && service.Exists(path) {
				h.file(path, filepath.Base(path))
			}
		}
	}
	slices.SortStableFunc(h.paths, func(a, b hiddenPath) int { return len(b.path) - len(a.path) })
	return h
}

// hidePaths replaces the paths of the user's files in an error.
func hidePaths(o service.Options, err error, names []string) error {
	if err == nil {
		return nil
	}
	text := words.Portable(err.Error())
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

// add hides a path: unchanged and encoded as JSON, on Windows with any slashes and in any case.
func (h *hidden) add(path, called string) {
	slashes := "/"
	if h.windows {
		slashes = `/\`
	}
	if path == "" || path == called || filepath.Dir(path) == path || !strings.ContainsAny(path, slashes) {
		return // empty, the root of a disk, or a name without a folder
	}
	quoted, _ := json.Marshal(path)
	for _, form := range []string{path, string(quoted[1 : len(quoted)-1])} {
		pattern := regexp.QuoteMeta(form)
		if h.windows {
			pattern = anySlashes.ReplaceAllLiteralString(pattern, `[/\\]+`)
			if rest, ok := strings.CutPrefix(pattern, `[/\\]+`); ok { // further slashes before it belong to an address
				first := len(form) - len(strings.TrimLeft(form, `/\`))
				pattern = fmt.Sprintf(`(?:/{%d}|\\+)%s`, min(first, 2), rest)
			}
			pattern = "(?i)" + pattern
		}
		if !slices.ContainsFunc(h.paths, func(p hiddenPath) bool { return p.pattern.String() == pattern }) {
			h.paths = append(h.paths, hiddenPath{form, called, regexp.MustCompile(pattern)})
		}
	}
}

// anySlashes matches slashes in a pattern, in which those of Windows are quoted.
var anySlashes = regexp.MustCompile(`(?:/|\\\\)+`)

// plain replaces the paths in a text.
func (h *hidden) plain(text string) string {
	for _, p := range h.paths {
		text = p.replace(text)
	}
	if strings.Contains(text, ".trowel-") {
		text = scratchPath.ReplaceAllLiteralString(text, "")
	}
	return text
}

// replace replaces a path that occurs as a whole or as the beginning of a longer path. If its new name is empty, the
// slash after the path is removed, too.
func (p hiddenPath) replace(text string) string {
	var b strings.Builder
	for {
		at := p.pattern.FindStringIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String()
		}
		before, behind := text[:at[0]], text[at[1]:]
		rest := strings.TrimLeft(behind, `/\`)
		switch {
		case endsInName(before) || len(rest) == len(behind) && startsInName(behind):
			b.WriteString(text[:at[1]])
		case p.called == "" && len(rest) < len(behind):
			b.WriteString(before)
			behind = rest
		case p.called == "":
			b.WriteString(before + ".")
		default:
			b.WriteString(before + p.called)
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
