package outline

import (
	"encoding/binary"
	"io"

	"trowel.example/internal/limits/effort"
)

// source is the data of a font. It counts what is read: a letter may be made of other letters and of subroutines, each of
// which is read for each use, and may use others.
type source struct {
	data   []byte
	meter  effort.Meter
	reads  int64
	letter bool  // a letter is read
	err    error // of the meter
}

// The cost of a read, and of a point of a letter.
const (
	perRead  = 512
	perPoint = 32
)

func newSource(data []byte) *source {
	return &source{data: data, meter: effort.Letters.Start(int64(len(data)))}
}

func (s *source) spend(n int64) error {
	if s.err == nil {
		s.err = s.meter.Spend(n)
	}
	return s.err
}

// ReadAt implements [io.ReaderAt].
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at > int64(len(s.data)) {
		return 0, io.EOF
	}
	s.reads++
	n := copy(p, s.data[at:])
	if err := s.spend(perRead + int64(n) + perPoint*s.points(p[:n])); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// points returns the number of points of a letter of a TrueType font: few bytes can be many. OpenType fonts with outlines of
// PostScript have at least a byte for each.
func (s *source) points(letter []byte) int64 {
	const header = 10
	if !s.letter || len(letter) < header || string(s.data[:min(4, len(s.data))]) == "OTTO" {
		return 0
	}
	contours := int(int16(binary.BigEndian.Uint16(letter)))
	last := header + 2*(contours-1)
	if contours <= 0 || last+2 > len(letter) {
		return 0
	}
	return int64(binary.BigEndian.Uint16(letter[last:])) + 1
}
