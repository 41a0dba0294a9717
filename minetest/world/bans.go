package world

import (
	"iter"
	"slices"
	"strings"
)

// Ban is an address that is not allowed to connect.
type Ban struct {
	Address string // such as "192.0.2.7"
	Name    string // the player who used the address
}

// Bans is ipban.txt. Each line is a ban, "address|name". All lines are preserved.
type Bans struct{ lines []string }

// ParseBans parses ipban.txt. Lines without a "|" are preserved and have no meaning.
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

// All yields the bans, in the order of their lines.
func (b *Bans) All() iter.Seq[Ban] {
	return func(yield func(Ban) bool) {
		for _, line := range b.lines {
			if ban, ok := parseBan(line); ok && !yield(ban) {
				return
			}
		}
	}
}

// Add adds a ban. It returns an error if the line cannot hold the address or the name.
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

// Remove removes all bans whose address or name is addressOrName, and reports whether there were any.
func (b *Bans) Remove(addressOrName string) bool {
	n := len(b.lines)
	b.lines = slices.DeleteFunc(b.lines, func(line string) bool {
		ban, ok := parseBan(line)
		return ok && (ban.Address == addressOrName || ban.Name == addressOrName)
	})
	return len(b.lines) < n
}

// Rename changes the name of a ban. The new name must be valid in a ban.
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
