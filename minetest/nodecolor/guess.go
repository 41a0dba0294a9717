package nodecolor

import (
	"bytes"
	_ "embed"
	"hash/fnv"
	"strings"
	"sync"
)

//go:embed usual.txt
var usualText []byte

//go:embed words.txt
var wordsText []byte

//go:embed dyes.txt
var dyesText []byte

// Usual returns the colours of the nodes of common games.
var Usual = sync.OnceValue(func() List { return parseOwn(usualText) })

var dyes = sync.OnceValue(func() List { return parseOwn(dyesText) })

func parseOwn(text []byte) List {
	list, bad, err := Parse(bytes.NewReader(text))
	if err != nil || len(bad) > 0 {
		panic("a list of colours is broken")
	}
	return list
}

// words maps the words of words.txt to their line numbers.
var words = sync.OnceValue(func() (order map[string]int) {
	order = make(map[string]int)
	for i, line := range strings.Split(string(wordsText), "\n") {
		if name, _, ok := strings.Cut(line, " "); ok && name != "#" {
			order[name] = i
		}
	}
	return order
})

// longest is the length of the longest word.
var longest = sync.OnceValue(func() (n int) {
	for w := range words() {
		n = max(n, len(w))
	}
	return n
})

var wordColors = sync.OnceValue(func() List { return parseOwn(wordsText) })

// Guess returns a colour for any node, from the words of its name, or else a fixed pseudorandom colour for the name.
func Guess(name string) Color {
	_, own, _ := strings.Cut(name, ":")
	if own == "" {
		own = name
	}
	c, ok := ofWords(strings.Split(own, "_"))
	if !ok {
		c, ok = ofWords(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ':' }))
	}
	if ok {
		return c
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	sum := h.Sum32()
	part := func(shift int) uint8 { return uint8(90 + sum>>shift&0x3f) }
	return Color{R: part(0), G: part(8), B: part(16), A: 255}
}

// ofWords returns the colour that the words mean, dyed if one of them is a dye.
func ofWords(list []string) (c Color, ok bool) {
	first := -1
	try := func(w string) {
		if i, known := words()[w]; known && (first < 0 || i < first) {
			first, c = i, wordColors()[w]
		}
	}
	for _, w := range list {
		try(w)
	}
	if first < 0 { // as in "junglewood", which begins with a word; the longest beginning with a meaning counts
		for _, w := range list {
			for end := min(len(w)-1, longest()); end >= 4; end-- {
				try(w[:end])
			}
		}
	}
	for i, w := range list {
		dye, known := dyes()[w]
		if !known {
			continue
		}
		switch {
		case i > 0 && list[i-1] == "dark":
			dye = Color{dye.R / 2, dye.G / 2, dye.B / 2, dye.A, 0}
		case i > 0 && list[i-1] == "light":
			dye = Color{dye.R/2 + 127, dye.G/2 + 127, dye.B/2 + 127, dye.A, 0}
		}
		if first < 0 || c.R == c.G && c.G == c.B || c.A < 255 { // material without a colour of its own
			dye.A, dye.T = max(c.A, 64), c.T
			if first < 0 {
				dye.A = 255
			}
			return dye, true
		}
		half := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
		return Color{half(c.R, dye.R), half(c.G, dye.G), half(c.B, dye.B), c.A, c.T}, true
	}
	return c, first >= 0
}
