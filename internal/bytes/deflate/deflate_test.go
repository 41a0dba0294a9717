package deflate_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

var update = flag.Bool("update", false, "write the golden file again, with C zlib")

const golden = "testdata/c-zlib-1.2.13.txt"

// firstDifference describes the first difference of two streams.
func firstDifference(got, want []byte) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("got %d bytes, want %d, the first difference is at %d", len(got), len(want), i)
}

// digest returns the entry of a stream in the golden file: short streams complete.
func digest(stream []byte) string {
	if len(stream) <= 32 {
		return fmt.Sprintf("%d %x", len(stream), stream)
	}
	sum := sha256.Sum256(stream)
	return fmt.Sprintf("%d sha256:%s", len(stream), hex.EncodeToString(sum[:16]))
}

// TestGolden compares with the output of C zlib for the same inputs. A line of the golden file contains the name of an
// input, a level, the size of the stream, and the stream or the start of its hash.
func TestGolden(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	file := judge.Read(t, golden)
	want := make(map[string]string)
	for line := range strings.Lines(string(file)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) == 3 && f[0] != "#" {
			want[f[0]+" "+f[1]] = f[2]
		}
	}
	for _, in := range inputs() {
		for level := -1; level <= 9; level++ {
			if !tests.Long(t) && level != 1 && level != 6 {
				continue // one of each strategy
			}
			key := fmt.Sprint(in.name, " ", level)
			if level == deflate.DefaultLevel {
				key = fmt.Sprint(in.name, " ", 6)
			}
			got, err := deflate.Compress(nil, in.data, level)
			if err != nil {
				t.Fatal(err)
			}
			if g := digest(got); g != want[key] {
				t.Errorf("%s: got %s, want %s", key, g, want[key])
			}
		}
		for level := range 10 {
			delete(want, fmt.Sprint(in.name, " ", level))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s: no such input", key)
	}
}

func writeGolden(t *testing.T) {
	c := startC(t)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What compress2 of C zlib %s makes of the inputs of inputs_test.go.\n", c.version)
	for _, in := range inputs() {
		for level := range 10 {
			fmt.Fprintln(&b, in.name, level, digest(c.compress(t, in.data, level)))
		}
	}
	judge.Write(t, golden, b.Bytes())
}

func unzip(t *testing.T, stream []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCompressAppends(t *testing.T) {
	src := text(1, 100_000)
	for level := range 10 {
		alone, _ := deflate.Compress(nil, src, level)
		after, _ := deflate.Compress([]byte("before"), src, level)
		if string(after) != "before"+string(alone) {
			t.Errorf("level %d: another stream after other bytes", level)
		}
		if !bytes.Equal(unzip(t, alone), src) {
			t.Errorf("level %d: another text", level)
		}
	}
}

func TestBadLevel(t *testing.T) {
	for _, level := range []int{-2, 10, 1 << 30} {
		dst, err := deflate.Compress([]byte("x"), []byte("y"), level)
		if !errors.Is(err, deflate.ErrLevel) || string(dst) != "x" {
			t.Errorf("level %d: %q, %v", level, dst, err)
		}
		if deflate.Matches([]byte("x"), []byte("y"), level) {
			t.Errorf("level %d matches", level)
		}
	}
}

// TestConcurrent tests with the race detector that pooled memory is not shared.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			src := mixed(newRNG(uint64(i)), 30_000)
			for level := range 10 {
				stream, _ := deflate.Compress(nil, src, level)
				data, _, err := deflate.Decompress(stream, len(src))
				if err != nil || !bytes.Equal(data, src) || !deflate.Matches(stream, src, level) {
					t.Errorf("input %d, level %d: %v", i, level, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestMatches(t *testing.T) {
	src := append(text(2, tests.Of(t, 60_000, 200_000)), random(2, tests.Of(t, 30_000, 100_000))...)
	for level := range 10 {
		stream, _ := deflate.Compress(nil, src, level)
		if !deflate.Matches(stream, src, level) {
			t.Fatalf("level %d does not match itself", level)
		}
		if deflate.Matches(append(slices.Clone(stream), 0), src, level) {
			t.Errorf("level %d matches with a byte more", level)
		}
		if deflate.Matches(stream, src[:len(src)-1], level) {
			t.Errorf("level %d matches with less data", level)
		}
		for _, n := range []int{0, 1, 2, 5, 6, len(stream) / 2, len(stream) - 1} {
			if deflate.Matches(stream[:n], src, level) {
				t.Errorf("level %d matches when cut to %d", level, n)
			}
		}
		for _, at := range []int{0, 1, 2, 3, 1000, len(stream) / 2, len(stream) - 5, len(stream) - 4, len(stream) - 1} {
			other := slices.Clone(stream)
			other[at] ^= 0x10
			if deflate.Matches(other, src, level) {
				t.Errorf("level %d matches with another byte %d", level, at)
			}
			if _, ok := deflate.LevelOf(other, src); ok {
				t.Errorf("level %d has a level with another byte %d", level, at)
			}
		}
	}
}

func TestLevelOf(t *testing.T) {
	src := append(text(3, 200_000), picture(3, 100, 100)...)
	for level := range 10 {
		stream, _ := deflate.Compress(nil, src, level)
		got, ok := deflate.LevelOf(stream, src)
		if !ok {
			t.Fatalf("level %d is not found", level)
		}
		if got != level {
			same, _ := deflate.Compress(nil, src, got)
			if !bytes.Equal(same, stream) {
				t.Errorf("level %d is said to be %d", level, got)
			}
		}
	}
	var other bytes.Buffer
	w := zlib.NewWriter(&other)
	w.Write(src)
	w.Close()
	if level, ok := deflate.LevelOf(other.Bytes(), src); ok {
		t.Errorf("a stream by Go has level %d", level)
	}
	for _, s := range []string{"", "\x78", "\x78\x9c", "\x00\x00", "\x78\x9c\x03\x00\x00\x00\x00"} {
		if _, ok := deflate.LevelOf([]byte(s), nil); ok {
			t.Errorf("%x has a level", s)
		}
	}
}
