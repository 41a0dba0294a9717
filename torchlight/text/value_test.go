package text

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestParseInt(t *testing.T) {
	for _, c := range []struct {
		s     string
		i     int32
		u     uint32
		clean bool
	}{
		{"0", 0, 0, true}, {"12", 12, 12, true}, {"+7", 7, 7, true}, {"007", 7, 7, true},
		{"", 0, 0, false}, {".", 0, 0, false}, {".1", 0, 0, false}, {"1.5", 1, 1, false}, {"12 ", 12, 12, false}, {" 12", 12, 12, false},
		{"x", 0, 0, false}, {"-", 0, 0, false}, {"12abc", 12, 12, false}, {"1e3", 1, 1, false},
	} {
		i, cleanInt := ParseInt(c.s)
		u, cleanUint := ParseUint(c.s)
		l, clean64 := ParseInt64(c.s)
		if i != c.i || u != c.u || l != int64(c.i) || cleanInt != c.clean || cleanUint != c.clean || clean64 != c.clean {
			t.Errorf("%q: %d %v, %d %v, %d %v", c.s, i, cleanInt, u, cleanUint, l, clean64)
		}
	}
	if v, clean := ParseInt("-2147483648"); v != math.MinInt32 || !clean {
		t.Error(v, clean)
	}
	if v, clean := ParseInt("2147483648"); v != math.MaxInt32 || clean {
		t.Error(v, clean)
	}
	if v, clean := ParseInt64("-99999999999999999999"); v != math.MinInt64 || clean {
		t.Error(v, clean)
	}
	if v, clean := ParseUint("4294967295"); v != math.MaxUint32 || !clean {
		t.Error(v, clean)
	}
	for s, want := range map[string]uint32{"-1": math.MaxUint32, "-4294967295": 1, "4294967296": math.MaxUint32,
		"-99999999999999999999": math.MaxUint32} {
		if v, clean := ParseUint(s); v != want || clean {
			t.Errorf("%s: %d %v", s, v, clean)
		}
	}
}

func TestParseBool(t *testing.T) {
	for _, c := range []struct {
		s        string
		v, clean bool
	}{
		{"1", true, true}, {"0", false, true}, {"true", true, true}, {"FALSE", false, true}, {"True", true, true},
		{"", false, false}, {"2", true, false}, {"true ", true, false}, {"yes", false, false}, {"-1", true, false},
		{"falsee", false, false},
	} {
		if v, clean := ParseBool(c.s); v != c.v || clean != c.clean {
			t.Errorf("%q: %v %v", c.s, v, clean)
		}
	}
}

func TestParseFloat(t *testing.T) {
	for _, c := range []struct {
		s     string
		v     float64
		clean bool
	}{
		{"1", 1, true}, {"-.75", -.75, true}, {"5.", 5, true}, {"1e3", 1000, true}, {"-1.5E-002", -.015, true},
		{"1.#INF", math.Inf(1), true},
		{"", 0, false}, {".", 0, false}, {"1.5x", 1.5, false}, {"1e", 1, false}, {"1e+", 1, false}, {" 2", 2, false}, {"2,5", 2, false},
		{"inf", 0, false}, {"0x10", 0, false}, {"1_0", 1, false}, {"nan", 0, false}, {"1.#JUNK", 1, false},
	} {
		d, cleanDouble := ParseDouble(c.s)
		f, cleanSingle := ParseFloat(c.s)
		if d != c.v || f != float32(c.v) || cleanDouble != c.clean || cleanSingle != c.clean {
			t.Errorf("%q: %v %v, %v %v", c.s, f, cleanSingle, d, cleanDouble)
		}
	}
	if v, clean := ParseFloat("1e39"); !math.IsInf(float64(v), 1) || clean {
		t.Error(v, clean)
	}
}

func TestFormatFloat(t *testing.T) {
	for _, c := range []struct {
		v           float32
		exact, guts string
	}{
		{0, "0", "0"}, {1, "1", "1"}, {-12, "-12", "-12"}, {0.65, "0.65", "0.65"}, {15.4862, "15.4862", "15.4862"},
		{-1.1920929e-07, "-1.1920929e-007", "-1.19209e-007"}, {999999, "999999", "999999"}, {1e6, "1e+006", "1e+006"},
		{1234567, "1234567", "1.23457e+006"}, {0.0001, "0.0001", "0.0001"}, {0.00001, "1e-005", "1e-005"},
		{1.0 / 3, "0.33333334", "0.333333"}, {16777216, "16777216", "1.67772e+007"}, {math.MaxFloat32, "3.4028235e+038", "3.40282e+038"},
		{float32(math.Copysign(0, -1)), "-0", "-0"}, {float32(math.Inf(1)), "1.#INF", "1.#INF"},
		{float32(math.Inf(-1)), "-1.#INF", "-1.#INF"},
		{math.Float32frombits(0x7FC00000), "1.#QNAN", "1.#QNAN"}, {math.Float32frombits(0xFFC00000), "-1.#IND", "-1.#IND"},
	} {
		if got := FormatFloat(c.v, Exact); got != c.exact {
			t.Errorf("%v = %s, want %s", c.v, got, c.exact)
		}
		if got := FormatFloat(c.v, GUTS); got != c.guts {
			t.Errorf("%v in six digits = %s, want %s", c.v, got, c.guts)
		}
	}
	if got := FormatDouble(1e-300, Exact); got != "1e-300" {
		t.Error(got)
	}
}

// TestExact tests that the Exact style preserves all bits except those of unusual NaNs.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		checkExact(t, random.Uint32(), random.Uint64())
	}
}

func checkExact(t *testing.T, single uint32, double uint64) {
	t.Helper()
	f := math.Float32frombits(single)
	if back, clean := ParseFloat(FormatFloat(f, Exact)); math.Float32bits(back) != single && f == f || f != f && back == back || !clean {
		t.Fatalf("%#x was written %s and read %#x", single, FormatFloat(f, Exact), math.Float32bits(back))
	}
	d := math.Float64frombits(double)
	if back, clean := ParseDouble(FormatDouble(d, Exact)); math.Float64bits(back) != double && d == d || d != d && back == back || !clean {
		t.Fatalf("%#x was written %s and read %#x", double, FormatDouble(d, Exact), math.Float64bits(back))
	}
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"", "1", "-2147483649", "1.#QNAN", "1e999", ".5e-3x", "true", "+", " 7"} {
		f.Add(s, uint32(0x7F800001), uint64(0xFFF8000000000000))
	}
	f.Fuzz(func(t *testing.T, s string, single uint32, double uint64) {
		checkExact(t, single, double)
		if i, clean := ParseInt(s); clean {
			if back, _ := ParseInt(strconv.Itoa(int(i))); back != i {
				t.Errorf("%q is %d", s, i)
			}
		}
		if u, clean := ParseUint(s); clean {
			if i, _ := ParseInt64(s); i != int64(u) {
				t.Errorf("%q is %d and %d", s, u, i)
			}
		}
		ParseBool(s)
		ParseFloat(s)
		ParseDouble(s)
	})
}

// TestTies tests that ties are rounded away from zero, as in the C library of GUTS.
func TestTies(t *testing.T) {
	for v, want := range map[float64]string{
		101.5625: "101.563", -101.5625: "-101.563", 101.5615: "101.561", 101.6875: "101.688", 0.0009765625: "0.000976563",
		1234567.5: "1.23457e+006", 1234565: "1.23457e+006", 1234555: "1.23456e+006", 0.5: "0.5", 100000.5: "100001", 999999.5: "1e+006",
	} {
		if got := FormatDouble(v, GUTS); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
		if f := float32(v); float64(f) == v {
			if got := FormatFloat(f, GUTS); got != want {
				t.Errorf("%v is %s, want %s", f, got, want)
			}
		}
	}
	if got := FormatFloat(101.5625, Exact); got != "101.5625" {
		t.Errorf("exactly, 101.5625 is %s", got)
	}
}
