package text

import (
	"math"
	"strconv"
	"strings"
)

// The values of a text are strings. These functions interpret them as the game does: by their longest valid prefix, so
// that an invalid value is 0 and never an error. The second result reports whether the whole value was valid and within
// range.

// ParseInt reads an INTEGER. A number out of range becomes the nearest valid number.
func ParseInt(s string) (int32, bool) {
	v, clean := parseInt(s, 32)
	return int32(v), clean
}

// ParseInt64 is ParseInt for an INTEGER64.
func ParseInt64(s string) (int64, bool) { return parseInt(s, 64) }

func parseInt(s string, bits int) (int64, bool) {
	digits, clean := number(s)
	v, err := strconv.ParseInt(digits, 10, bits)
	return v, clean && err == nil
}

// ParseUint reads an UNSIGNED INT. A negative number is taken modulo 2^32, as in C, and one that is too large becomes
// the largest valid number.
func ParseUint(s string) (uint32, bool) {
	digits, clean := number(s)
	if strings.HasPrefix(digits, "-") {
		v, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || v < -math.MaxUint32 {
			return math.MaxUint32, false
		}
		return uint32(v), false
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, 32)
	return uint32(v), clean && err == nil
}

// number returns the whole number at the beginning of s, and whether it is all of s.
func number(s string) (string, bool) {
	t := strings.TrimLeft(s, " \t")
	i := 0
	if i < len(t) && (t[i] == '-' || t[i] == '+') {
		i++
	}
	start := i
	for i < len(t) && '0' <= t[i] && t[i] <= '9' {
		i++
	}
	if i == start {
		return "0", false
	}
	return t[:i], i == len(s)
}

// ParseFloat reads a FLOAT: a decimal number, or one of the words that the C library of GUTS wrote for infinities and
// NaNs, as [FormatFloat] does.
func ParseFloat(s string) (float32, bool) {
	if v, ok := special(s); ok {
		return math.Float32frombits(v.single), true
	}
	digits, clean := decimal(s)
	v, err := strconv.ParseFloat(digits, 64)
	f := float32(v)
	return f, clean && err == nil && !math.IsInf(float64(f), 0)
}

// ParseDouble is ParseFloat for a DOUBLE.
func ParseDouble(s string) (float64, bool) {
	if v, ok := special(s); ok {
		return math.Float64frombits(v.double), true
	}
	digits, clean := decimal(s)
	v, err := strconv.ParseFloat(digits, 64)
	return v, clean && err == nil
}

// decimal returns the decimal number at the beginning of s, and whether it is all of s.
func decimal(s string) (string, bool) {
	t := strings.TrimLeft(s, " \t")
	i := 0
	digits := func() (n int) {
		for ; i < len(t) && '0' <= t[i] && t[i] <= '9'; i++ {
			n++
		}
		return n
	}
	sign := func() {
		if i < len(t) && (t[i] == '-' || t[i] == '+') {
			i++
		}
	}
	sign()
	n := digits()
	if i < len(t) && t[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		return "0", false
	}
	if mantissa := i; i < len(t) && (t[i] == 'e' || t[i] == 'E') {
		i++
		sign()
		if digits() == 0 {
			i = mantissa
		}
	}
	return t[:i], i == len(s)
}

// ParseBool reads a BOOL: true or false, ignoring case, or a number. Only the number 0 is false.
func ParseBool(s string) (v, clean bool) {
	switch s {
	case "1", "true":
		return true, true
	case "0", "false":
		return false, true
	}
	t := strings.TrimSpace(s)
	if strings.EqualFold(t, "true") || strings.EqualFold(t, "false") {
		return len(t) == len("true"), len(t) == len(s)
	}
	n, _ := ParseInt64(t)
	return n != 0, false
}

// FloatStyle is the format of floating-point numbers.
type FloatStyle int

const (
	Exact FloatStyle = iota // six digits if they reproduce the bits, otherwise as many as needed
	GUTS                    // always six digits, as GUTS does
	Short                   // for a file with a residue: six digits if the residue has the others, otherwise like Exact
)

// word is a word for an infinity or NaN, with the bits that it represents.
type word struct {
	text   string
	single uint32
	double uint64
}

var specials = []word{
	{"1.#INF", 0x7F800000, 0x7FF0000000000000},
	{"-1.#INF", 0xFF800000, 0xFFF0000000000000},
	{"1.#QNAN", 0x7FC00000, 0x7FF8000000000000},
	{"-1.#IND", 0xFFC00000, 0xFFF8000000000000},
}

func special(s string) (word, bool) {
	if strings.Contains(s, "#") {
		for _, w := range specials {
			if w.text == s {
				return w, true
			}
		}
	}
	return word{}, false
}

// FormatFloat formats a FLOAT. In the Exact style [ParseFloat] returns the same bits, except for NaNs other than the
// two usual ones.
func FormatFloat(v float32, style FloatStyle) string {
	return formatFloat(float64(v), style, 9, func(s string) bool {
		back, _ := ParseFloat(s)
		return back == v
	})
}

// FormatDouble is FormatFloat for a DOUBLE.
func FormatDouble(v float64, style FloatStyle) string {
	return formatFloat(v, style, 17, func(s string) bool {
		back, _ := ParseDouble(s)
		return back == v
	})
}

func formatFloat(v float64, style FloatStyle, most int, gives func(string) bool) string {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < 1e6 && (v != 0 || !math.Signbit(v)):
		return strconv.Itoa(int(v))
	case math.IsInf(v, 1):
		return specials[0].text
	case math.IsInf(v, -1):
		return specials[1].text
	case math.IsNaN(v) && !math.Signbit(v):
		return specials[2].text
	case math.IsNaN(v):
		return specials[3].text
	}
	if style == GUTS {
		return withDigits(awayFromTie(v, 6), 6)
	}
	for digits := 6; ; digits++ {
		s := withDigits(v, digits)
		if digits == most || gives(s) {
			return s
		}
	}
}

// awayFromTie returns v, or the next number further from zero if v lies exactly between two numbers with the given
// number of digits: the C library of GUTS rounds ties away from zero, not to the even digit.
func awayFromTie(v float64, digits int) float64 {
	const enough = 40 // digits: a number that is not a tie differs from one within this many
	if s := strconv.FormatFloat(v, 'e', digits, 64); s[strings.IndexByte(s, 'e')-1] != '5' {
		return v
	}
	s := strconv.FormatFloat(v, 'e', enough, 64)
	rest := strings.TrimPrefix(s[:strings.IndexByte(s, 'e')], "-")[len("0.")+digits-1:]
	if strings.Trim(rest[1:], "0") != "" || rest[0] != '5' {
		return v
	}
	return math.Nextafter(v, math.Copysign(math.Inf(1), v))
}

// withDigits formats like %g of the C library that GUTS was built with, whose exponents have three digits.
func withDigits(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	if e := strings.IndexByte(s, 'e'); e >= 0 && len(s)-e == len("e+00") {
		s = s[:e+2] + "0" + s[e+2:]
	}
	return s
}
