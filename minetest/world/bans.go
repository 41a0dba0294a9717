package world

import (
	"iter"
	"slices"
	"strings"
)

// Ban is an address that may not connect.
type Ban struct {
	Address string // such as "192.0.2.7"
	Name    string // of the player who came from there
}

// Bans is ipban.txt: a line "address|name" for each ban. It keeps every line.
type Bans struct{ lines []string }

// ParseBans reads ipban.txt. Lines without a bar are kept; they mean nothing.
func ParseBans(text []byte) *Bans {
	b := new(Bans)
	for len(text) > 0 {
		var line []byte
		line, text = nextLine(text)
		b.lines = append(b.lines, string(line))
	}
	return b
}

func parseBan(line string) (Ban, bool) {
	address, name, ok := strings.Cut(strings.Trim(strings.TrimPrefix(line, byteOrderMark), space), "|")
	return Ban{address, name}, ok && address != ""
}

// All yields the bans in the order of their lines.
func (b *Bans) All() iter.Seq[Ban] {
	return func(yield func(Ban) bool) {
		for _, line := range b.lines {
			if ban, ok := parseBan(line); ok && !yield(ban) {
				return
			}
		}
	}
}

// Add adds a ban. The error is about an address or name that the line cannot hold.
func (b *Bans) Add(ban Ban) error {
	line := ban.Address + "|" + ban.Name
	if again, ok := parseBan(line); !ok || again != ban || strings.Contains(line, "\n") {
		return wrong("ipban.txt", "", "an address without a bar and a name on one line", "%.60q", line)
	}
	if n := len(b.lines); n > 0 && !strings.HasSuffix(b.lines[n-1], "\n") {
		b.lines[n-1] += "\n"
	}
	b.lines = append(b.lines, line+"\n")
	return nil
}

// Remove removes all bans of an address or a name, and reports whether there were any.
func (b *Bans) Remove(addressOrName string) bool {
	n := len(b.lines)
	b.lines = slices.DeleteFunc(b.lines, func(line string) bool {
		ban, ok := parseBan(line)
		return ok && (ban.Address == addressOrName || ban.Name == addressOrName)
	})
	return len(b.lines) < n
}

// Rename gives a ban to another name, one that a ban can have.
func (b *Bans) Rename(ban Ban, to string) {
	for i, line := range b.lines {
		if is, ok := parseBan(line); ok && is == ban {
			at := strings.Index(line, "|") + 1
			b.lines[i] = line[:at] + to + line[at+len(ban.Name):]
		}
	}
}

// Append appends the text to dst.
func (b *Bans) Append(dst []byte) []byte {
	for _, line := range b.lines {
		dst = append(dst, line...)
	}
	return dst
}
