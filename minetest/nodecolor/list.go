// Package nodecolor determines the colours of nodes on maps: from colors.txt, the list that minetestmapper reads;
// from the textures of a game; from a table of common names; and from the words of the name.
package nodecolor

import (
	"bufio"
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
)

// Color is the colour of a node on a map.
type Color struct {
	R, G, B uint8
	A       uint8 // 255 is opaque, 0 is never drawn; R, G and B are not premultiplied
	T       uint8 // the "thickness": the greater, the less of the ground's relief is visible through the node
}

// NRGBA returns the colour without T.
func (c Color) NRGBA() color.NRGBA { return color.NRGBA{c.R, c.G, c.B, c.A} }

// List is a list of colours, by the names of nodes.
type List map[string]Color

// Color returns the colour of a node, and whether the list has one.
func (l List) Color(name string) (Color, bool) {
	c, ok := l[name]
	return c, ok
}

// BadLine is a line of colors.txt that is skipped.
type BadLine struct {
	Line int // from 1
	Text string
	Long bool // the line is too long, and the rest of the file is not read
}

func (b BadLine) String() string {
	if b.Long {
		return fmt.Sprintf("line %d: expected at most %d bytes; nothing after this line is read", b.Line, maxLine)
	}
	return fmt.Sprintf("line %d: expected a name and three numbers, got %q", b.Line, b.Text)
}

const (
	maxLine = 511 // bytes: a longer line ends the list, as in minetestmapper
	maxName = 200
)

// Parse reads colors.txt: lines of "name red green blue [alpha [thickness]]", where # starts a comment. If several
// lines have the same name, the last counts; of numbers only the lowest 8 bits are used. Parse also returns the lines
// that minetestmapper rejects. The format has no end mark: a list that is cut off is a valid, shorter list.
func Parse(r io.Reader) (List, []BadLine, error) {
	list := make(List)
	var bad []BadLine
	in := bufio.NewReaderSize(r, maxLine+1)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return list, bad, err
		}
		line = line[:min(len(line), maxLine)]
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // written by some editors
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if end := bytes.IndexAny(line, "#\x00"); end >= 0 {
			line = line[:end]
		}
		if len(line) > 0 {
			if name, c, ok := parseLine(line); ok {
				list[name] = c
			} else if err != bufio.ErrBufferFull {
				bad = append(bad, BadLine{Line: n, Text: string(line)})
			}
		}
		if err == bufio.ErrBufferFull {
			bad = append(bad, BadLine{Line: n, Text: string(line), Long: true})
		}
		if err != nil {
			return list, bad, nil
		}
	}
}

func parseLine(line []byte) (name string, c Color, ok bool) {
	line = skipSpace(line)
	end := 0
	for end < len(line) && end < maxName && !isSpace(line[end]) {
		end++
	}
	name, line = string(line[:end]), line[end:]
	values := [5]uint8{3: 255}
	n := 0
	for ; n < len(values); n++ {
		v, rest, ok := parseNumber(skipSpace(line))
		if !ok {
			break
		}
		values[n], line = v, rest
	}
	return name, Color{values[0], values[1], values[2], values[3], values[4]}, name != "" && n >= 3
}

// parseNumber reads a number like %u in C, and returns its lowest 8 bits.
func parseNumber(text []byte) (v uint8, rest []byte, ok bool) {
	negative := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		negative, text = text[0] == '-', text[1:]
	}
	sum, most := uint64(0), false
	for ; len(text) > 0 && '0' <= text[0] && text[0] <= '9'; text = text[1:] {
		ok = true
		most = most || sum > (1<<64-1-9)/10
		sum = sum*10 + uint64(text[0]-'0')
	}
	switch {
	case most:
		return 255, text, ok // the greatest number, whatever the sign
	case negative:
		sum = -sum
	}
	return uint8(sum), text, ok
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func skipSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

// ReadFile reads a file as Parse does.
func ReadFile(path string) (List, []BadLine, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Parse(f)
}

// FileName is the name of the list in the folder of a world, and elsewhere.
const FileName = "colors.txt"

// shared returns the folders in which minetestmapper packages install the list.
func shared() []string {
	return host.Folders("/usr/local/share/luanti", "/usr/local/share/minetest", "/usr/share/luanti", "/usr/share/minetest",
		"/usr/share/games/luanti", "/usr/share/games/minetest")
}

// Find returns the list that minetestmapper uses for the world in a folder, or "" if there is none: that of the
// world, the user, the system, or the current folder. own is set if the list belongs to the world.
func Find(world string) (path string, own bool) {
	is := func(dir string) bool {
		path = filepath.Join(dir, FileName)
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	if is(world) {
		return path, true
	}
	if home := host.HomeFolder(); home != "" && is(filepath.Join(home, ".minetest")) {
		return path, false
	}
	if slices.ContainsFunc(shared(), is) {
		return path, false
	}
	if is(".") {
		return path, false
	}
	return "", false
}
