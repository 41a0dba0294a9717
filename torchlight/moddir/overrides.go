package moddir

import (
	"fmt"
	"hash/crc32"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Other is a mod that the game loads after another.
type Other struct {
	Name    string // for messages
	Files   Files
	Removed []string // files that the mod removes from the game
}

// checkOverrides reports the files of an archive that mods replace or remove which are loaded later. Tables are left out:
// the game reads those of all mods.
func checkOverrides(r *pak.Reader, others []Other, o *Options, sink check.Sink) {
	for _, other := range others {
		theirs := make(map[string]bool)
		for path := range other.Files.Files() {
			theirs[gameName(path)] = true
		}
		removed := make(map[string]bool)
		for _, path := range other.Removed {
			removed[gameName(path)] = true
		}
		var replaced, gone []check.Place
		for _, f := range r.Files() {
			name := gameName(f.Path)
			switch {
			case f.Removed() || f.Duplicate || extension(name) == ".RAW":
			case removed[name]:
				gone = append(gone, check.File(f.Path))
			case theirs[name] && !sameContent(f, other.Files, name, o):
				replaced = append(replaced, check.File(f.Path))
			}
		}
		report := func(kind *check.Kind, verb string, list []check.Place) {
			if len(list) > 0 {
				sink.AddAt(kind, list, "", -1, "%s %s %s: %s", other.Name, verb, words.Count(len(list), "file"), someOf(list))
			}
		}
		report(foundOverridden, "replaces", replaced)
		report(foundRemovedByOther, "removes", gone)
	}
}

// sameContent reports whether another mod has the same content for a file.
func sameContent(f *pak.File, files Files, name string, o *Options) bool {
	data, err := files.Content(name)
	if err == nil && text.Recognize(data) && formOf(name) != nil {
		data, err = Compile(data, name, *o.lenient())
	}
	return err == nil && uint32(len(data)) == f.Record.Size && crc32.ChecksumIEEE(data) == f.Record.CRC32
}

// someOf lists the first of some places.
func someOf(list []check.Place) string {
	const few = 3
	var parts []string
	for _, p := range list[:min(few, len(list))] {
		parts = append(parts, p.String())
	}
	if n := len(list) - few; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(parts, ", "), n)
	}
	return strings.Join(parts, ", ")
}
