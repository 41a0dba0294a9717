package twmap

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/text/words"
)

// The longest texts that the game and its editor can hold, in bytes, without the NUL.
const (
	maxAuthor     = 31
	maxMapVersion = 15
	maxCredits    = 127
	maxLicense    = 31
	maxMediaName  = 127
)

func (c *checker) checkInfo(sink check.Sink) {
	i := c.m.Info
	for _, e := range c.m.Extras {
		if i == nil && e.UUID == nil && e.Type == typeInfo {
			sink.Add(foundInfoVersion, "info", -1,
				"the info item has the id %d: the game reads the item with id 0, so it uses no author and no settings", e.ID)
			break
		}
	}
	if i == nil {
		return
	}
	if i.item != nil && len(i.item.Data) > 0 && i.item.Data[0] != 1 {
		sink.Add(foundInfoVersion, "info", -1, "the info item has version %d", i.item.Data[0])
	}
	c.checkText(sink, nil, "info.author", "author", &i.author, i.Author, maxAuthor)
	c.checkText(sink, nil, "info.version", "map version", &i.version, i.MapVersion, maxMapVersion)
	c.checkText(sink, nil, "info.credits", "credits", &i.credits, i.Credits, maxCredits)
	c.checkText(sink, nil, "info.license", "license", &i.license, i.License, maxLicense)
	c.checkTextBlock(sink, nil, "info.settings", "settings", &i.settings, strings.Join(i.Settings, "\n"), true)
	if c.content[i.settings.block] == "" { // of a damaged text, the readable part
		checkSettings(sink, c.profile, i.Settings)
	}
}

// checkText checks a text of the model and the block that it was read from. It reports whether the text can be read;
// if not, the caller has nothing else to check.
func (c *checker) checkText(sink check.Sink, at []check.Place, path, what string, ref *dataRef, text string, room int) bool {
	if !c.checkTextBlock(sink, at, path, what, ref, text, false) {
		return false
	}
	if len(text) > room {
		sink.AddAt(foundTextLong, at, path, -1, "the %s has %s: expected at most %d", what, words.Count(len(text), "byte"), room)
	}
	return true
}

func (c *checker) checkTextBlock(sink check.Sink, at []check.Place, path, what string, ref *dataRef, text string, lines bool) bool {
	if !checkRef(sink, at, path, what, ref) {
		return false
	}
	was := ref.text()
	if lines {
		was = strings.Join(ref.texts(), "\n")
	}
	var fault string
	offset := int64(-1)
	if ref.block == nil || text != was {
		switch {
		case strings.Contains(text, "\x00"):
			fault = "has a NUL inside"
		case !utf8.ValidString(text):
			fault = "is not valid UTF-8"
		}
	} else if other := c.content[ref.block]; other != "" {
		offset = ref.block.Offset()
		fault = fmt.Sprintf("is not a text but %s (data block %d)", other, ref.index)
	} else if offset = ref.block.Offset(); int(ref.block.Size()) > maxText {
		fault = fmt.Sprintf("has a stated size of %d bytes", ref.block.Size())
	} else {
		data, err := ref.block.Bytes()
		switch {
		case err != nil || len(data) == 0:
			fault = "cannot be read"
		case data[len(data)-1] != 0:
			fault = "does not end in NUL"
		case !lines && bytes.IndexByte(data, 0) != len(data)-1:
			fault = "has a NUL inside"
		case !utf8.Valid(data):
			fault = "is not valid UTF-8"
		}
	}
	if fault != "" {
		verb, rest, _ := strings.Cut(fault, " ")
		if many, ok := map[string]string{"has": "have", "is": "are", "does": "do"}[verb]; ok && (what == "settings" || what == "credits") {
			fault = many + " " + rest
		}
		sink.AddAt(foundText, at, path, offset, "the %s %s", what, fault)
	}
	return fault == ""
}

// checkRef reports a reference to a data block that does not exist.
func checkRef(sink check.Sink, at []check.Place, path, what string, ref *dataRef) bool {
	if ref.block == nil && ref.read && ref.index != -1 {
		sink.AddAt(foundDataIndex, at, path, -1, "the %s is in data block %d, which does not exist", what, ref.index)
		return false
	}
	return true
}

// checkMediaName checks the name of an image or sound.
func (c *checker) checkMediaName(sink check.Sink, part *Part, ref *dataRef, name, ext string) {
	path, what := part.Path()+".name", string(part.Kind)
	if !c.checkText(sink, part.at(), path, "name of the "+what, ref, name, maxMediaName) {
		return
	}
	if file := name + ext; len(name) <= maxMediaName && (name == "" || safename.Escape(file) != file) {
		sink.AddAt(foundNameUnsafe, part.at(), path, -1, "the name %q of the %s cannot be the name of a file", name, what)
	}
}
