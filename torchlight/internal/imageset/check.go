package imageset

import "trowel.example/check"

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-imageset-unreadable", check.Error,
		"An image set cannot be read completely, so the game lacks its sprites.",
		"Correct the XML at the place of the finding.")
	foundTwice = Catalog.Add("tl-imageset-twice", check.Warning,
		"Two sprites of an image set have the same name; the game uses only one of them.",
		"Rename one of them.")
)

// Recognize reports whether head, the first bytes of a file or all of it, is the beginning of an image set.
func Recognize(head []byte) bool {
	set, _ := Parse(head)
	return set != nil
}

// Check reports problems that are visible in an image set alone.
func Check(data []byte, sink check.Sink) {
	set, err := Parse(data)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
	}
	if set == nil {
		return
	}
	seen := make(map[string]int) // lines by sprite names
	for _, s := range set.Sprites {
		if other := seen[s.Name]; other > 0 {
			sink.AddAt(foundTwice, []check.Place{check.Line{Line: other}, check.Line{Line: s.Line}}, "", -1,
				"has two sprites with the name %q", s.Name)
		}
		seen[s.Name] = s.Line
	}
}
