package dat

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var (
	foundDamaged = Catalog.Add("tl-dat-damaged", check.Error,
		"A compiled data file cannot be read, because it is cut off or contains invalid values.",
		"Compile the file again from its text, or restore it from a good copy.")
	foundRest = Catalog.Add("tl-dat-rest", check.Warning,
		"Bytes follow the end of a compiled data file.",
		"Compile the file again from its text.")
	foundStringMissing = Catalog.Add("tl-dat-string-missing", check.Error,
		"A value is a string that is missing from the table.",
		"Write the value again.")
	foundStringTwice = Catalog.Add("tl-dat-string-twice", check.Warning,
		"Two strings of the table have the same ID, so programs can read either one.",
		"Compile the file again from its text.")
	foundStringOrder = Catalog.Add("tl-dat-string-order", check.Warning,
		"The table of strings is not sorted by ID; every known program writes it sorted.",
		"Compile the file again from its text.")
	foundStringUnused = Catalog.Add("tl-dat-string-unused", check.Info,
		"Strings of the table are unused.",
		"Nothing to do: compiling the file again removes them.")
	foundStringLine = Catalog.Add("tl-dat-string-line", check.Info,
		"A string contains a line feed, which the text form cannot contain; the text shows it as \\n.",
		"Nothing to do: when the text is edited, \\n replaces the line feed.")
	foundBool = Catalog.Add("tl-dat-bool", check.Warning,
		"A BOOL is neither 0 nor 1.",
		"Compile the file again from its text.")
	foundNumber = Catalog.Add("tl-dat-not-a-number", check.Warning,
		"A FLOAT or DOUBLE is infinite or not a number.",
		"Write the value again.")
	foundBrokenTag = Catalog.Add("tl-dat-broken-tag", check.Error,
		"A key or node has the hash of a decimal number, and that number is the hash of a known name: GUTS decompiled "+
			"the file without knowing the name and compiled the number. The game no longer finds the value.",
		"Replace the number by the guessed name with `trowel repair`.")
	foundUnknownName = Catalog.Add("tl-dat-unknown-name", check.Info,
		"Keys or nodes have a hash whose name is unknown.",
		"Nothing to do: the text contains names that compile to the same hashes.")
	foundTorchlight1 = Catalog.Add("tl-dat-torchlight1", check.Info,
		"The file is from Torchlight I. Torchlight II does not read it.",
		"Decompile it and compile the text for Torchlight II.")
)

// Check reports problems that are visible in a compiled file alone. Paths are the names of nodes and keys. Check
// returns the file, or nil if it cannot be decoded.
func Check(data []byte, o Options, sink check.Sink) *File {
	sink = text.AtNodes(sink)
	f, err := Decode(data)
	if err != nil {
		path, offset := "", int64(-1)
		var e *fault.Error
		if errors.As(err, &e) {
			path, offset = e.Path, e.Offset
		}
		sink.Add(foundDamaged, path, offset, "%v", err)
		return nil
	}
	c := checker{file: f, strings: indexOf(f.Strings), used: map[uint32]bool{}, seen: map[uint32]bool{}, sink: sink}
	if f.Version == Torchlight2 {
		c.names = newNamer(f, o)
	} else if o.version() != f.Version {
		sink.Add(foundTorchlight1, "", -1, "version 1")
	}
	c.node(f.Root)
	c.table()
	if len(f.Rest) > 0 {
		sink.Add(foundRest, "", int64(len(data)-len(f.Rest)), "%s after the root", words.Count(len(f.Rest), "byte"))
	}
	return f
}

type checker struct {
	file    *File
	strings index
	names   *namer          // nil in version 1
	used    map[uint32]bool // IDs of strings
	seen    map[uint32]bool // hashes that are already reported
	place   []uint32        // names of the enclosing nodes, and perhaps the key
	sink    check.Sink
}

// path returns the current position. It is computed only for findings, because names can be long and nodes deeply
// nested.
func (c *checker) path() string {
	var parts []string
	for _, h := range c.place {
		var name string
		if c.names != nil {
			name = c.names.name(h)
		} else {
			name, _ = c.strings.text(h)
		}
		if r := []rune(name[:min(len(name), 256)]); len(r) > 40 {
			name = string(r[:40]) + "..."
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ".")
}

func (c *checker) node(n *Node) {
	c.enter(n.Name)
	for _, p := range n.Properties {
		c.enter(p.Key)
		c.value(p)
		c.leavePath()
	}
	for _, child := range n.Children {
		c.node(child)
	}
	c.leavePath()
}

func (c *checker) leavePath() { c.place = c.place[:len(c.place)-1] }

// enter moves to a node or key, and reports its hash once if it is unknown.
func (c *checker) enter(h uint32) {
	c.place = append(c.place, h)
	if c.names == nil {
		c.string(h)
		return
	}
	if c.seen[h] {
		return
	}
	c.seen[h] = true
	if _, ok := c.names.find(h); ok {
		return
	}
	if guess, ok := c.names.names.BrokenHash(h); ok {
		c.sink.Add(foundBrokenTag, c.path(), -1, "%s is the hash of %s", c.names.name(h), guess)
	} else {
		c.sink.Add(foundUnknownName, c.path(), -1, "hash %d", h)
	}
}

func (c *checker) value(p Property) {
	switch p.Type {
	case text.Bool:
		if p.Value > 1 {
			c.sink.Add(foundBool, c.path(), -1, "the value is %d", p.Value)
		}
	case text.Float:
		if v := float64(math.Float32frombits(uint32(p.Value))); v-v != 0 {
			c.sink.Add(foundNumber, c.path(), -1, "the value is %v", v)
		}
	case text.Double:
		if v := math.Float64frombits(p.Value); v-v != 0 {
			c.sink.Add(foundNumber, c.path(), -1, "the value is %v", v)
		}
	case text.String, text.Translate, text.Note:
		c.string(uint32(p.Value))
	}
}

// string checks a string that is used.
func (c *checker) string(id uint32) {
	c.used[id] = true
	if _, ok := c.strings.text(id); !ok && id != None {
		c.sink.Add(foundStringMissing, c.path(), -1, "no string has the ID %d", id)
	}
}

// table reports problems of the string table.
func (c *checker) table() {
	unused, sorted := 0, true
	ids := make(map[uint32]int, len(c.file.Strings))
	for i, s := range c.file.Strings {
		path := fmt.Sprintf("strings[%d]", i)
		if first, twice := ids[s.ID]; twice {
			c.sink.Add(foundStringTwice, path, -1, "strings[%d] has the ID %d as well", first, s.ID)
		} else {
			ids[s.ID] = i
		}
		if sorted && i > 0 && c.file.Strings[i-1].ID > s.ID {
			sorted = false
			c.sink.Add(foundStringOrder, path, -1, "ID %d follows %d", s.ID, c.file.Strings[i-1].ID)
		}
		if !c.used[s.ID] {
			unused++
		}
		if printable([]String{s})[0] != s {
			c.sink.Add(foundStringLine, path, -1, "%q", s.Text)
		}
	}
	if unused > 0 {
		c.sink.Add(foundStringUnused, "strings", -1, "%d of %d strings are unused", unused, len(c.file.Strings))
	}
}
