package schematic

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/item"
)

// Catalog lists the kinds of findings about schematics.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("mt-schematic-unreadable", check.Error,
		"A schematic is truncated, damaged or invalid, and the game rejects it.",
		"Restore it from its source, or write it again.")
	foundTrailing = Catalog.Add("mt-schematic-trailing", check.Warning,
		"Bytes follow the end of a schematic, and the game ignores them.",
		"Write the schematic again.")
	foundName = Catalog.Add("mt-schematic-name-invalid", check.Warning,
		"A name in a schematic is empty or contains characters that names of nodes cannot contain.",
		"Replace the node.")
	foundUnused = Catalog.Add("mt-schematic-name-unused", check.Info,
		"A name in a schematic belongs to no node of it.",
		"Nothing to do: the name only takes a few bytes.")
	foundIgnore = Catalog.Add("mt-schematic-ignore", check.Warning,
		"A schematic has nodes from a part of the world that did not exist; the game replaces them by air.",
		"Make them air that is never placed, or write the schematic again from a complete area.")
	foundNothing = Catalog.Add("mt-schematic-empty", check.Warning,
		"A schematic has no node that is ever placed.",
		"Check that it is the right file.")
	foundItem = Catalog.Add("mt-schematic-item-unreadable", check.Warning,
		"An itemstring in a schematic cannot be read, and the game empties the slot.",
		"Correct the itemstring.")
)

// Check reports the problems of a file.
func Check(data []byte, sink check.Sink) {
	s, err := Decode(data)
	if err != nil {
		sink.Add(foundUnreadable, "", fault.OffsetOf(err), "%v", err)
		return
	}
	if s.Form == MTS {
		if f, err := readMTS(data, nil); err == nil && f.trailing > 0 {
			sink.Add(foundTrailing, "", int64(len(data)-f.trailing), "%s", words.Count(f.trailing, "byte"))
		}
	}
	counts, placed, unknown := make([]int, len(s.Names)), 0, 0
	for i, id := range s.Name {
		counts[id]++
		if s.Prob[i] != Never {
			placed++
			if s.Names[id] == ignore {
				unknown++
			}
		}
	}
	for i, name := range s.Names {
		path := fmt.Sprintf("names[%d]", i)
		if !validName(name) {
			sink.Add(foundName, path, -1, "%q", name)
		}
		if counts[i] == 0 {
			sink.Add(foundUnused, path, -1, "%s", name)
		}
	}
	if unknown > 0 {
		sink.Add(foundIgnore, "nodes", -1, "%s", words.Count(unknown, "node"))
	}
	if placed == 0 {
		sink.Add(foundNothing, "nodes", -1, "none of %d nodes is ever placed", len(s.Name))
	}
	for _, m := range s.Meta {
		x, y, z := s.Coordinates(m.Index)
		for _, l := range m.Lists {
			for n, text := range l.Items {
				if _, err := item.ParseStack(text); text != "" && err != nil {
					sink.Add(foundItem, fmt.Sprintf("meta[%d,%d,%d].%s[%d]", x, y, z, l.Name, n), -1, "%v", err)
				}
			}
		}
	}
}

// validName reports whether name is a valid node name.
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != ':' {
			return false
		}
	}
	return name != ""
}
