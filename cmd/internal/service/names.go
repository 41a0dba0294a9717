package service

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func Exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// SameFile reports whether two paths are those of one file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, other)
}

func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// BaseName returns the last element of a file name, even if the file is named "..".
func BaseName(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	return filepath.Base(name)
}

// CommonFolder returns the folder that contains all of some files and folders, or the root of the first one's disk if they are on
// several disks.
func CommonFolder(names []string) (string, error) {
	above := ""
	for i, name := range names {
		full, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		full = filepath.Dir(full)
		if i == 0 {
			above = full
		}
		for above != filepath.Dir(above) && above != full && !strings.HasPrefix(full, above+string(filepath.Separator)) {
			above = filepath.Dir(above)
		}
	}
	return above, nil
}

// NameBelow returns the path of a file below a folder, with slashes, or the last element of its name if it is not below the folder.
func NameBelow(above, name string) string {
	above, _ = filepath.Abs(above)
	if full, err := filepath.Abs(name); err == nil {
		if rel, err := filepath.Rel(above, full); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return BaseName(name)
}

// NotThere explains the error of a missing file.
func NotThere(name string, err error) error {
	switch pattern := strings.ContainsAny(name, "*?") && !strings.Contains(name, "://"); {
	case pattern && !Exists(name):
		if n := len(MatchingFiles(name)); n > 0 {
			return fmt.Errorf("%s: the pattern matches %s: expected the name of one file", name, wording.Count(n, "file"))
		}
		return fmt.Errorf("no file matches %s", name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case name == "":
		return errors.New("the name of a file is empty")
	case strings.HasPrefix(name, "s3://"):
		return wording.Hint(fmt.Errorf("%s: is in object storage, which this program does not read", name),
			"`trowel-fleet check`, `find` and `census` do")
	case strings.Contains(name, "://"):
		return wording.Hint(fmt.Errorf("%s: is an address, not a file", name), "download it first, such as with `curl -LO %s`", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = fmt.Errorf("%s: %w", name, path.Err)
	}
	if to, e := os.Readlink(name); e == nil {
		return wording.Hint(err, "this is a link to %s", to)
	}
	const enough = 10_000
	dir := filepath.Dir(name)
	f, openErr := os.Open(dir)
	if openErr != nil {
		if !Exists(dir) {
			return wording.Hint(err, "no folder %s", dir)
		}
		return err
	}
	defer f.Close()
	names, _ := f.Readdirnames(enough)
	slices.Sort(names)
	if near := wording.Near(filepath.Base(name), names); near != "" {
		if near = filepath.Join(dir, near); strings.HasPrefix(name, "./") {
			near = "./" + near
		}
		return wording.Hint(err, "did you mean %s?", near)
	}
	return err
}

var errEmpty = errors.New("the file is empty")

// FormatOf returns the format of a source. If the format is unknown, the error describes what the file appears
// to be.
func (s *Service) FormatOf(src *format.Source, t Target) (*format.Format, error) {
	f, err := s.Formats.Find(src)
	if err == nil && !src.IsDir() && src.Size == 0 { // the name gives the intended format
		return f, fmt.Errorf("%s: expected a %s: %w", src.Path, f.Title, errEmpty)
	}
	if err == nil || src.IsDir() || t.Found {
		return f, err
	}
	if src.Size == 0 {
		if src.Path == "-" {
			return nil, errors.New("standard input is empty")
		}
		return nil, fmt.Errorf("%s: %w: %w", src.Path, format.ErrUnknown, errEmpty)
	}
	if src.Path != "-" {
		if whole := s.partOf(src.Path); whole != "" {
			return nil, wording.Hint(err, "this is a part of %s: name that folder instead", whole)
		}
	}
	if what, advice := looksLike(src); what != "" {
		return nil, wording.Hint(fmt.Errorf("%s: %w: this is %s", src.Path, format.ErrUnknown, what), "%s", advice)
	}
	return nil, err
}

// partOf returns the parent folder that is a game file or the tree form of one, or "".
func (s *Service) partOf(name string) string {
	const levels = 3
	dir := filepath.Dir(name)
	for range levels {
		if s.isWhole(dir) {
			if strings.HasPrefix(dir, ".") { // . and .. are not names
				dir, _ = filepath.Abs(dir)
			}
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
	return ""
}

// isWhole reports whether a folder is a game file or was made by extract.
func (s *Service) isWhole(dir string) bool {
	if IsFile(filepath.Join(dir, tree.Sidecar)) {
		return true
	}
	src, err := format.OpenSource(dir)
	if err != nil {
		return false
	}
	defer src.Close()
	_, err = s.Formats.Find(src)
	return err == nil
}

// Kinds of files that users pass although they are not game files.
var others = []struct{ magic, what, advice string }{
	{"PK\x03\x04", "a zip archive", "unpack it first and name a file in it"},
	{"\x1f\x8b", "a gzip file", "unpack it first: `gunzip`, or `tar xzf` for a .tar.gz"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first and name a file in it"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first and name a file in it"},
	{"\xfd7zXZ\x00", "an xz file", "unpack it first: `unxz`, or `tar xJf` for a .tar.xz"},
	{"BZh", "a bzip2 file", "unpack it first: `bunzip2`, or `tar xjf` for a .tar.bz2"},
	{"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first: `unzstd`, or `tar --zstd -xf` for a .tar.zst"},
	{"SQLite format 3\x00", "an SQLite database", "for a world, name its folder, which contains world.mt"},
	{"<!DOCTYPE html", "a web page", "download the file itself, not the page that shows it"},
	{"<html", "a web page", "download the file itself, not the page that shows it"},
}

// looksLike returns the kind of file that the first bytes or the name indicate, and advice.
func looksLike(src *format.Source) (what, advice string) {
	const entries = 4 << 10 // the first entries of a tar archive
	head := src.Head(entries)
	isTar := len(head) > 262 && string(head[257:262]) == "ustar"
	switch {
	case src.HasExtension(".twmap", ".twmap.tar"), isTar && bytes.Contains(head, []byte(".twmap_bincode")):
		return "a map of ddnet-rs, which this program does not read", "name the .map that the map was converted from"
	case isTar:
		return "a tar archive", "unpack it first: `tar xf`"
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	for _, o := range others {
		if len(head) >= len(o.magic) && strings.EqualFold(string(head[:len(o.magic)]), o.magic) {
			return o.what, o.advice
		}
	}
	return "", ""
}

// Foreign adds the program that made a folder to err. It returns nil for all folders except MapDirs of twmap.
func Foreign(dir string, err error) error {
	if !IsFile(filepath.Join(dir, "info.json")) || !IsFile(filepath.Join(dir, "version.json")) || !Exists(filepath.Join(dir, "groups")) {
		return nil
	}
	return wording.Hint(fmt.Errorf("%w: this is a MapDir of twmap", err), "`twmap-edit %s NEW.map` makes a map of it", words.Quoted(dir))
}

// MatchingFiles returns the files that a pattern matches. Case is ignored, as on Windows.
func MatchingFiles(pattern string) (found []string) {
	dir, last := filepath.Split(pattern)
	dirs := []string{dir}
	if strings.ContainsAny(dir, "*?") {
		dirs = MatchingFiles(filepath.Clean(dir))
	}
	for _, dir := range dirs {
		list, _ := os.ReadDir(cmp.Or(dir, "."))
		for _, e := range list {
			if ok, _ := filepath.Match(strings.ToLower(last), strings.ToLower(e.Name())); ok {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found
}
