package svg

import (
	"math"
	"strconv"
	"strings"
)

// scanner reads numbers from a text.
type scanner struct {
	text  string
	ended bool // the arguments of a command ended before the next set of them
}

func (s *scanner) space() { s.text = strings.TrimLeft(s.text, " \t\r\n\f") }

// separator skips spaces with at most one comma.
func (s *scanner) separator() {
	s.space()
	if strings.HasPrefix(s.text, ",") {
		s.text = s.text[1:]
		s.space()
	}
}

// number reads a number.
func (s *scanner) number() (float64, bool) {
	i := 0
	digits := func() (n int) {
		for i < len(s.text) && s.text[i] >= '0' && s.text[i] <= '9' {
			i, n = i+1, n+1
		}
		return n
	}
	sign := func() {
		if i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
	}
	sign()
	n := digits()
	if i < len(s.text) && s.text[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		return 0, false
	}
	if whole := i; i < len(s.text) && s.text[i]|0x20 == 'e' {
		i++
		if sign(); digits() == 0 {
			i = whole // the e of em
		}
	}
	v, err := strconv.ParseFloat(s.text[:i], 64)
	s.text = s.text[i:]
	return v, err == nil && !math.IsInf(v, 0)
}

// flag reads 0 or 1.
func (s *scanner) flag() (float64, bool) {
	if s.text == "" || s.text[0] != '0' && s.text[0] != '1' {
		return 0, false
	}
	v := float64(s.text[0] - '0')
	s.text = s.text[1:]
	return v, true
}

// parseNumbers parses numbers with spaces or commas between them.
func parseNumbers(text string) (list []float64, ok bool) {
	s := scanner{text: text}
	for s.space(); s.text != ""; s.separator() {
		v, ok := s.number()
		if !ok {
			return list, false
		}
		list = append(list, v)
	}
	return list, true
}

// numbers returns the numbers of an attribute, up to the first that is not valid.
func (r *reader) numbers(a map[string]string, name string) []float64 {
	list, ok := parseNumbers(a[name])
	if !ok {
		r.leave("the attribute %s after the value %d", name, len(list))
	}
	return list
}

// parseShare parses a number, or a percentage as its hundredth.
func parseShare(text string) (float64, bool) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	list, ok := parseNumbers(number)
	if !ok || len(list) != 1 {
		return 0, false
	}
	if percent {
		list[0] /= 100
	}
	return list[0], true
}

// units are the lengths in pixels.
var units = map[string]float64{"": 1, "px": 1, "pt": 96. / 72, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "q": 96 / 101.6, "in": 96}

// length returns an attribute in pixels. A percentage is one of the width, the height or the diagonal of the view, for the axes
// 0, 1 and 2.
func (r *reader) length(a map[string]string, name string, axis int) (float64, bool) {
	text := strings.TrimSpace(a[name])
	if text == "" || text == "auto" || text == "inherit" {
		return 0, false
	}
	s := scanner{text: text}
	v, ok := s.number()
	unit := strings.ToLower(strings.TrimSpace(s.text))
	if size, known := units[unit]; ok && known {
		return v * size, true
	}
	if ok && unit == "%" {
		of := [3]float64{r.view[0], r.view[1], math.Hypot(r.view[0], r.view[1]) / math.Sqrt2}
		return v / 100 * of[axis], true
	}
	r.leave("the length %s=%.20q", name, text)
	return 0, false
}
