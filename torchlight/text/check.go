package text

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/hash"
)

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var (
	foundSyntax = Catalog.Add("tl-text-syntax", check.Error,
		"A text cannot be read: a tag is broken, has an unknown type, or is closed by the wrong name.",
		"Correct the line.")
	foundEncoding = Catalog.Add("tl-text-encoding", check.Warning,
		"A text is not in UTF-16, little-endian, with a byte order mark, which the editor of the game writes.",
		"Save the file as UTF-16 LE with BOM (called Unicode in some editors).")
	foundWrong = Catalog.Add("tl-text-number", check.Error,
		"A value is not a valid number or truth value of its type: `pack` rejects the text.",
		"Correct the value. If a spreadsheet wrote 5.14E+18, restore the whole number.")
	foundValue = Catalog.Add("tl-text-value", check.Warning,
		"A value is invalid for its type, so the game reads only its beginning, or 0.",
		"Correct the value.")
	foundBrokenTag = Catalog.Add("tl-text-broken-tag", check.Error,
		"The name of a key or node is the decimal number of a hash, or UNK_ and the hash. Programs write it if they do not "+
			"know the name, and GUTS compiles it as a name: the game no longer finds the value.",
		"Replace it by the guessed name: `trowel repair`.")
	foundNumericKey = Catalog.Add("tl-text-numeric-key", check.Info,
		"The name of a key or node is a large number: if GUTS wrote it, it is the hash of an unknown name.",
		"Find the original name; the game does not find the value under the number.")
	foundSpelling = Catalog.Add("tl-text-misspelled-key", check.Warning,
		"A key has a name that is unknown, and that differs in one letter from a known name: the game probably finds no value.",
		"Correct the key. If a new version of the game or a tool reads it, add the name to the list of --names.")
	foundUnknownName = Catalog.Add("tl-text-unknown-name", check.Info,
		"A key or node has an escaped name that represents an unknown hash.",
		"Nothing to do: it compiles to that hash. If you know the name, write it instead.")
)

// Check reports problems of a text. Paths are lines. If names is nil, Check uses [hash.Known].
func Check(data []byte, names *hash.Names, sink check.Sink) {
	if names == nil {
		names = hash.Known()
	}
	f, err := parse(data, func(line int, it Item) {
		place := place(line)
		if n, ok := it.(*Node); ok {
			checkName(n.Name, names, place, sink)
			return
		}
		p := it.(*Property)
		checkName(p.Key, names, place, sink)
		if near, ok := names.Near(p.Key); ok && !hash.IsEscape(p.Key) {
			place.add(foundSpelling, sink, "%s is not a known name: did you mean %s?", p.Key, near)
		}
		if e := p.Problem(); e != nil {
			kind := foundValue
			if e.Wrong {
				kind = foundWrong
			}
			more := ""
			if p.isLong() {
				more = "; the type INTEGER64 can hold it"
			}
			place.add(kind, sink, "%q is not a valid %s%s", p.Value, p.Type, more)
		}
	})
	switch {
	case ReportErrors(foundSyntax, err, sink):
	case f.Encoding != UTF16LE || !f.BOM:
		sink.Add(foundEncoding, "", -1, "the text is %s", f.form())
	}
}

// place is a line number.
type place int

func (p place) add(k *check.Kind, sink check.Sink, format string, args ...any) {
	sink.AddAt(k, []check.Place{check.Line{Line: int(p)}}, fmt.Sprintf("line %d", int(p)), -1, format, args...)
}

// checkName reports names that represent other names.
func checkName(name string, names *hash.Names, place place, sink check.Sink) {
	if guess, ok := names.Broken(name); ok {
		place.add(foundBrokenTag, sink, "%s is the hash of %s", name, guess)
		return
	}
	switch {
	case hash.IsEscape(name):
		if guess, ok := names.BrokenHash(hash.Of(name)); ok {
			place.add(foundBrokenTag, sink, "%s was the hash of %s as a number", name, guess)
			return
		}
		place.add(foundUnknownName, sink, "%s", name)
	case isLargeNumber(name):
		place.add(foundNumericKey, sink, "%s", name)
	}
}

// isLargeNumber reports whether a name can be a hash: a decimal number of eight digits or more. Names of at least four
// characters have such hashes.
func isLargeNumber(name string) bool {
	_, clean := ParseUint(name)
	return clean && len(name) >= 8
}

// form describes how the characters are encoded as bytes.
func (f *File) form() string {
	s := [...]string{UTF16LE: "UTF-16LE", UTF16BE: "UTF-16BE", UTF8: "UTF-8"}[f.Encoding]
	if f.BOM {
		return s + " with a byte order mark"
	}
	return s + " without byte order mark"
}
