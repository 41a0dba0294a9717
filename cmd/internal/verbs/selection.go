package verbs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/text/words"
)

// selection is the set of files that patterns select; without patterns, all files.
type selection struct {
	patterns []string
	used     []bool
}

// selectPaths makes a selection. A pattern with a slash matches the whole path, a pattern without a slash the
// name of a file or folder at any depth; ** matches any number of folders. A pattern that matches a folder
// selects everything in it.
func selectPaths(patterns []string) (*selection, error) {
	s := &selection{used: make([]bool, len(patterns))}
	for _, p := range patterns {
		clean := path.Clean("/" + strings.ReplaceAll(p, `\`, "/"))[1:]
		if strings.HasPrefix(p, "./") || strings.HasPrefix(p, "/") {
			clean = "/" + clean
		}
		if _, err := path.Match(clean, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
		s.patterns = append(s.patterns, clean)
	}
	return s, nil
}

// has reports whether the file is selected.
func (s *selection) has(name string) bool {
	found := len(s.patterns) == 0
	for i, p := range s.patterns {
		if matches(p, name) {
			found, s.used[i] = true, true
		}
	}
	return found
}

// unused returns an error about the first pattern that selected nothing.
func (s *selection) unused(file string) error {
	for i, used := range s.used {
		if !used && service.Exists(s.patterns[i]) {
			return wording.Hint(fmt.Errorf("%s: no file inside matches %q", file, s.patterns[i]), "several files must all be game files")
		}
		if !used {
			return wording.Hint(fmt.Errorf("%s: no file inside matches %q", file, strings.TrimPrefix(s.patterns[i], "/")),
				"`trowel ls %s` lists the contents", words.Quoted(file))
		}
	}
	return nil
}

func matches(pattern, name string) bool {
	if pattern == "" || pattern == "/" {
		return true
	}
	elems := strings.Split(name, "/")
	if !strings.Contains(pattern, "/") {
		return slices.ContainsFunc(elems, func(e string) bool { return matchElem(pattern, e) })
	}
	return matchElems(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), elems)
}

// matchElems reports whether the pattern matches the path or one of its parent folders.
func matchElems(pattern, name []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for j := i; j <= len(name); j++ {
				if matchElems(pattern[i+1:], name[j:]) {
					return true
				}
			}
			return false
		}
		if i >= len(name) || !matchElem(p, name[i]) {
			return false
		}
	}
	return true
}

// matchElem reports whether a name matches a pattern or equals it: names may contain brackets.
func matchElem(pattern, elem string) bool {
	ok, _ := path.Match(pattern, elem)
	return ok || pattern == elem
}
