package treediff

import (
	"context"
	"io/fs"
	"regexp"
	"strings"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/text/pattern"
)

// Meta returns the properties of a file in a tree that are known without generating its content.
func Meta(info fs.FileInfo, err error) tree.Meta {
	if err == nil {
		if meta, ok := info.Sys().(tree.Meta); ok {
			return meta
		}
	}
	return tree.Meta{Stored: -1}
}

// keyName matches texts that may be the name of a key of a game that stores names as hashes.
var keyName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{2,}$`)

// Pattern returns the compiled pattern of a search: a regular expression or a literal text. A text that is a name, in
// upper case unless ignoreCase is set, also matches the other names that the games have for its hash.
func Pattern(text string, literal, ignoreCase bool, games format.Games) (*pattern.Pattern, error) {
	name := text
	if ignoreCase {
		name = strings.ToUpper(text)
	}
	if literal {
		text = regexp.QuoteMeta(text)
	}
	if keyName.MatchString(name) {
		for _, other := range games.Spellings(name) {
			text += "|" + regexp.QuoteMeta(other)
		}
	}
	if ignoreCase {
		text = "(?i)" + text
	}
	return pattern.New(text)
}

// File is a file of a tree that may be text.
type File struct {
	Name string

	tree fs.FS
	meta tree.Meta
}

// EachFile yields all files of a tree that may be text.
func EachFile(ctx context.Context, fsys fs.FS, yield func(File) error) error {
	return Walk(ctx, fsys, ".", func(name string, e fs.DirEntry) error {
		if e.IsDir() || name == tree.Sidecar {
			return nil
		}
		meta := Meta(e.Info())
		if meta.Binary {
			return nil
		}
		return yield(File{name, fsys, meta})
	})
}

// Search returns the matching lines of the file. The content is generated only if a line may match.
func (f File) Search(p *pattern.Pattern) ([]pattern.Hit, error) {
	if f.meta.May != nil && !f.meta.May(p) {
		return nil, nil
	}
	defer tree.Room(f.meta)()
	data, err := fs.ReadFile(f.tree, f.Name)
	return MatchingLines(p, data), err
}

// MatchingLines returns the matching lines of a file, if the file is text.
func MatchingLines(p *pattern.Pattern, data []byte) []pattern.Hit {
	if text, ok := Text(data); ok {
		return p.Lines(text)
	}
	return nil
}
