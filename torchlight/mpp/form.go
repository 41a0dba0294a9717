package mpp

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// Options hold information that a file does not contain.
type Options struct {
	Path string // path of the file for error messages
}

// Residue holds everything about a grid that its picture does not contain.
type Residue struct {
	// World is the bits of the four floats of the header. It is set if one is a NaN whose bits no text can reproduce.
	World *[4]uint32 `json:"world,omitempty"`
}

// commentFormat is the comment for the values that a picture does not contain.
const commentFormat = "offset %s %s size %s %s"

// grey is the pixel value of a wall, because its cell value could not be distinguished from ground by eye. A cell with
// the value grey gets the pixel value Wall.
const grey = 0x80

// swapGreys converts cells to pixels, and pixels to cells.
func swapGreys(cells []byte) []byte {
	out := bytes.Clone(cells)
	for i, c := range out {
		switch c {
		case Wall:
			out[i] = grey
		case grey:
			out[i] = Wall
		}
	}
	return out
}

// Format returns the grid as a binary PGM: a pixel for each cell, black for ground, grey for walls, white for outside,
// and a comment such as "# offset 70 20 size 130 130".
func Format(f *File) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n# "+commentFormat+"\n%d %d\n255\n", number(f.OffsetX), number(f.OffsetZ), number(f.SizeX),
		number(f.SizeZ), f.Width, f.Height)
	b.Write(swapGreys(f.Cells))
	return b.Bytes()
}

// number returns the shortest text that round-trips.
func number(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// Parse reads a binary PGM with the comment that Format writes. It skips other comments. Every error is a
// [*fault.Error].
func Parse(form []byte) (*File, error) {
	p := pgm{rest: form}
	if !bytes.HasPrefix(form, []byte("P5")) {
		return nil, p.fail("", "a binary PGM picture, which begins with P5", "")
	}
	p.rest = form[2:]
	f := &File{Width: p.number("width", math.MaxInt32), Height: p.number("height", math.MaxInt32)}
	depth := p.number("maxval", math.MaxUint16)
	if p.err == nil && depth != 255 {
		p.fail("maxval", "255", strconv.Itoa(depth))
	}
	if p.err == nil && (len(p.rest) == 0 || !isSpace(p.rest[0])) {
		p.fail("maxval", "a space before the pixels", "")
	}
	if p.err != nil {
		return nil, p.err
	}
	pixels := p.rest[1:]
	if int64(f.Width)*int64(f.Height) != int64(len(pixels)) {
		return nil, p.fail("pixels", fmt.Sprintf("%d × %d bytes", f.Width, f.Height), strconv.Itoa(len(pixels)))
	}
	f.Cells = swapGreys(pixels)
	if !p.world(f) {
		return nil, p.fail("comment",
			`a line such as "# offset 70 20 size 130 130" after P5: from the first cell `+
				`to the origin of the world along x and z, and the size of the grid there`, "none")
	}
	return f, nil
}

// pgm reads the header of a picture.
type pgm struct {
	rest     []byte
	comments []string
	err      error
}

func (p *pgm) fail(path, want, got string) error {
	if p.err == nil {
		p.err = &fault.Error{Path: path, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
	return p.err
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// number skips space and comments and reads a decimal number.
func (p *pgm) number(name string, most int) int {
	for len(p.rest) > 0 && (isSpace(p.rest[0]) || p.rest[0] == '#') {
		if p.rest[0] == '#' {
			line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
			p.comments = append(p.comments, string(line[1:]))
			p.rest = rest
			continue
		}
		p.rest = p.rest[1:]
	}
	digits := 0
	for digits < len(p.rest) && '0' <= p.rest[digits] && p.rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(string(p.rest[:digits]))
	if err != nil || n > most {
		p.fail(name, fmt.Sprintf("a number from 0 to %d", most), strconv.Quote(string(p.rest[:min(max(digits, 1), len(p.rest), 20)])))
		return 0
	}
	p.rest = p.rest[digits:]
	return n
}

// world reads the comment with the position and size of the grid in the world, and reports whether it exists.
func (p *pgm) world(f *File) bool {
	for _, comment := range p.comments {
		words := strings.Fields(comment)
		if len(words) != 6 || words[0] != "offset" || words[3] != "size" {
			continue
		}
		clean := true
		for i, v := range f.floats() {
			n, err := strconv.ParseFloat(words[[]int{1, 2, 4, 5}[i]], 32)
			*v = float32(n)
			clean = clean && err == nil
		}
		if clean {
			return true
		}
	}
	return false
}

// Decompile returns the picture of a grid and its residue: everything that the picture does not contain, or nil if it
// contains all.
func Decompile(data []byte, o Options) (form []byte, residue *Residue, err error) {
	f, err := Decode(data)
	if err != nil {
		return nil, nil, fault.InFile(err, o.Path)
	}
	for _, v := range f.floats() {
		if math.IsNaN(float64(*v)) {
			residue = &Residue{World: new([4]uint32)}
		}
	}
	if residue != nil {
		for i, v := range f.floats() {
			residue.World[i] = math.Float32bits(*v)
		}
	}
	return Format(f), residue, nil
}

func (f *File) floats() [4]*float32 {
	return [4]*float32{&f.OffsetX, &f.OffsetZ, &f.SizeX, &f.SizeZ}
}

// Compile returns the grid of its picture. With the residue of exactly that picture it reproduces the original file
// byte for byte.
func Compile(form []byte, residue *Residue, o Options) (data []byte, err error) {
	f, err := Parse(form)
	if err != nil {
		return nil, fault.InFile(err, o.Path)
	}
	if residue != nil && residue.World != nil {
		for i, v := range f.floats() {
			*v = math.Float32frombits(residue.World[i])
		}
	}
	return f.Encode()
}
