package deflate_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// A czlib is C zlib in a separate process: testdata/gen/gen.c.
type czlib struct {
	version string
	in      io.WriteCloser
	out     *bufio.Reader
}

// startC builds and starts the program. It skips the test if there is no C compiler or zlib.h: on such machines the
// golden files provide C zlib's output.
func startC(t *testing.T) *czlib {
	t.Helper()
	c := judge.StartC(t, "testdata/gen/gen.c", "z")
	version, err := exec.Command(c.Path, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	return &czlib{strings.TrimSpace(string(version)), c.In, c.Out}
}

func (c *czlib) compress(t *testing.T, src []byte, level int) []byte {
	t.Helper()
	req := binary.LittleEndian.AppendUint32(nil, uint32(level))
	req = binary.LittleEndian.AppendUint32(req, uint32(len(src)))
	// The program reads all of a request before it answers.
	if _, err := c.in.Write(append(req, src...)); err != nil {
		t.Fatal(err)
	}
	var size [4]byte
	if _, err := io.ReadFull(c.out, size[:]); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c.out, answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// setting returns a number from the environment.
func setting(t *testing.T, name string, value int) int {
	t.Helper()
	if s := os.Getenv(name); s != "" {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v
	}
	return value
}

// TestAgainstC compares with C zlib on structured random inputs. TROWEL_DEFLATE_CASES sets the number of inputs, and
// TROWEL_DEFLATE_SEED selects others.
func TestAgainstC(t *testing.T) {
	c := startC(t)
	cases := setting(t, "TROWEL_DEFLATE_CASES", 400)
	seed := setting(t, "TROWEL_DEFLATE_SEED", 1)
	if !tests.Long(t) {
		cases = min(cases, 50)
	}
	t.Logf("C zlib %s, %d cases from seed %d", c.version, cases, seed)
	for i := range cases {
		r := newRNG(uint64(seed)<<32 + uint64(i))
		var src []byte
		if r.below(8) == 0 {
			src = edges(r)
		} else {
			src = mixed(r, r.size(200_000))
		}
		level := r.between(-1, 9)
		if r.below(2) == 0 {
			level = 6
		}
		want := c.compress(t, src, level)
		got, err := deflate.Compress(nil, src, level)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d, case %d: %d bytes at level %d: %s", seed, i, len(src), level, firstDifference(got, want))
		}
		if !deflate.Matches(want, src, level) {
			t.Fatalf("seed %d, case %d: %d bytes at level %d do not match", seed, i, len(src), level)
		}
	}
}
