package schematic

import (
	"fmt"
	"strconv"
	"strings"
)

// Text returns a schematic as a text to read and edit; docs/formats/minetest-schematic.md describes it. Parse reads
// it.
func (s *Schematic) Text() []byte {
	dst := fmt.Appendf(nil, "schematic %s", s.Form)
	if s.Form != Lua {
		dst = fmt.Appendf(dst, " %d", s.version())
	}
	dst = fmt.Appendf(dst, "\nsize %d,%d,%d\n", s.Size[0], s.Size[1], s.Size[2])
	if s.Origin != [3]int{} {
		dst = fmt.Appendf(dst, "origin %d,%d,%d\n", s.Origin[0], s.Origin[1], s.Origin[2])
	}
	if s.Header != "" {
		dst = append(appendWord(append(dst, "header "...), s.Header), '\n')
	}
	if s.Slices != nil {
		dst = append(dst, "slices"...)
		for y := 0; y < len(s.Slices); {
			n := run(len(s.Slices)-y, func(k int) bool { return s.Slices[y+k] == s.Slices[y] })
			dst = appendRun(fmt.Appendf(dst, " %d", s.Slices[y]), n)
			y += n
		}
		dst = append(dst, '\n')
	}
	dst = s.appendNodes(dst)
	if len(s.Meta) > 0 {
		dst = append(dst, "meta\n"...)
	}
	for _, m := range s.Meta {
		x, y, z := s.Coordinates(m.Index)
		dst = fmt.Appendf(dst, "  %d,%d,%d\n", x, y, z)
		for _, f := range m.Fields {
			dst = append(appendWord(append(dst, "    field "...), f.Key), ' ')
			dst = append(appendWord(dst, f.Value), '\n')
		}
		for _, l := range m.Lists {
			dst = appendWord(append(dst, "    list "...), l.Name)
			dst = fmt.Appendf(dst, " %d\n", len(l.Items))
			for n, item := range l.Items {
				if item != "" {
					dst = append(appendWord(fmt.Appendf(dst, "      item %d ", n), item), '\n')
				}
			}
		}
	}
	return dst
}

// same reports whether two nodes are equal, ignoring metadata.
func (s *Schematic) same(i, k int) bool {
	return s.Name[i] == s.Name[k] && s.Param2[i] == s.Param2[k] && s.Prob[i] == s.Prob[k] && s.light(i) == s.light(k) &&
		s.forced(i) == s.forced(k)
}

// sameAll reports whether two runs of n nodes are equal.
func (s *Schematic) sameAll(i, k, n int) bool {
	for d := range n {
		if !s.same(i+d, k+d) {
			return false
		}
	}
	return true
}

// run returns the length of the run of equal items at the start of n items; like(k) reports whether item k equals the
// first.
func run(n int, like func(k int) bool) int {
	k := 1
	for k < n && like(k) {
		k++
	}
	return k
}

// appendNodes appends a line for each row along x; consecutive equal rows and planes share lines.
func (s *Schematic) appendNodes(dst []byte) []byte {
	if len(s.Name) == 0 {
		return dst
	}
	dst = append(dst, "nodes\n"...)
	row := s.Size[0]
	plane := row * s.Size[1]
	for z := 0; z < s.Size[2]; {
		at := z * plane
		zs := run(s.Size[2]-z, func(k int) bool { return s.sameAll(at, at+k*plane, plane) })
		dst = append(appendRange(append(dst, "  z "...), z, zs), '\n')
		for y := 0; y < s.Size[1]; {
			at := at + y*row
			ys := run(s.Size[1]-y, func(k int) bool { return s.sameAll(at, at+k*row, row) })
			dst = appendRange(append(dst, "    y "...), y, ys)
			for x := 0; x < row; {
				xs := run(row-x, func(k int) bool { return s.same(at+x, at+x+k) })
				dst = appendRun(s.appendNode(append(dst, ' '), at+x), xs)
				x += xs
			}
			dst = append(dst, '\n')
			y += ys
		}
		z += zs
	}
	return dst
}

// appendNode appends a node: its name, then the values that differ from the defaults, each after a sign.
func (s *Schematic) appendNode(dst []byte, i int) []byte {
	dst = appendWord(dst, s.At(i))
	if p := s.Param2[i]; p != 0 {
		dst = strconv.AppendUint(append(dst, '/'), uint64(p), 10)
	}
	if p := s.light(i); p != 0 {
		dst = strconv.AppendUint(append(dst, '^'), uint64(p), 10)
	}
	if p := s.Prob[i]; p != Always {
		dst = strconv.AppendUint(append(dst, '@'), uint64(p), 10)
	}
	if s.forced(i) {
		dst = append(dst, '!')
	}
	return dst
}

func appendRun(dst []byte, n int) []byte {
	if n > 1 {
		dst = strconv.AppendInt(append(dst, '*'), int64(n), 10)
	}
	return dst
}

// appendRange appends the first and last of n numbers.
func appendRange(dst []byte, first, n int) []byte {
	dst = strconv.AppendInt(dst, int64(first), 10)
	if n > 1 {
		dst = strconv.AppendInt(append(dst, '-'), int64(first+n-1), 10)
	}
	return dst
}

// appendWord appends a word, quoted as in Go if necessary.
func appendWord(dst []byte, s string) []byte {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !bare(r) }) {
		return strconv.AppendQuote(dst, s)
	}
	return append(dst, s...)
}

// bare reports whether a character is allowed in an unquoted word.
func bare(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_:.,+-", r)
}
