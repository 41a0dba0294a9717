package words_test

import (
	"strings"
	"testing"

	"trowel.example/internal/text/words"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		text         string
		first, n, of int // of 0: an error
	}{{"0/1", 0, 0, 1}, {"19/20", 0, 19, 20}, {"20/20", 0, 0, 0}, {"20/20", 1, 20, 20}, {"0/20", 1, 0, 0}, {"1/1", 1, 1, 1},
		{"999999/1000000", 0, 999_999, 1_000_000}, {"1/1000001", 0, 0, 0}, {"1/9223372036854775807", 0, 0, 0},
		{"0/0", 0, 0, 0}, {"3", 0, 0, 0}, {"3/", 0, 0, 0}, {"/3", 0, 0, 0}, {"", 1, 0, 0}, {"-1/3", 0, 0, 0}, {"+1/3", 0, 0, 0},
		{"1/3/5", 0, 0, 0}, {" 1/3", 0, 0, 0}, {"1/3x", 1, 0, 0}} {
		n, of, err := words.Share(c.text, c.first)
		if n != c.n || of != c.of || (err == nil) != (c.of > 0) {
			t.Errorf("%q from %d: %d of %d, %v", c.text, c.first, n, of, err)
		}
		if want := []string{"with N from 0 to M-1 and", "with N from 1 to M and"}[c.first]; err != nil && !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}
