package mapdb

import (
	"strconv"
	"testing"
)

func parse(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		pos Pos
		key int64
	}{
		{Pos{0, 0, 0}, 0}, {Pos{1, 0, 0}, 1}, {Pos{-1, 0, 0}, -1}, {Pos{0, -1, 0}, -4096},
		{Pos{0, 1, -2}, -33550336}, {Pos{-2048, -2048, -2048}, -34368129024}, {Pos{2047, 2047, 2047}, 34351347711},
	} {
		if got := c.pos.Key(); got != c.key {
			t.Errorf("key of %v = %d, want %d", c.pos, got, c.key)
		}
		if got, ok := PosOfKey(c.key); !ok || got != c.pos {
			t.Errorf("position of %d = %v, %v, want %v", c.key, got, ok, c.pos)
		}
	}
	for _, key := range []int64{-34368129025, 34351347712, -1 << 63, 1<<63 - 1} {
		if p, ok := PosOfKey(key); ok {
			t.Errorf("%d is the key of %v", key, p)
		}
	}
}

func FuzzKey(f *testing.F) {
	f.Add(int64(-34368129024))
	f.Add(int64(34351347711))
	f.Fuzz(func(t *testing.T, key int64) {
		p, ok := PosOfKey(key)
		if ok != (key >= -34368129024 && key <= 34351347711) || ok && (p.Key() != key || !p.Valid()) {
			t.Errorf("%d: %v, %v", key, p, ok)
		}
	})
}

// TestNext tests that a scan using next meets exactly the positions of an area.
func TestNext(t *testing.T) {
	for _, o := range []order{orderZYX, orderXZY, {0, 1, 2}} {
		a := Area{Pos{-1, 0, 2}, Pos{1, 2, 3}}
		n := 0
		for p, ok := o.next(a, Pos{-2048, -2048, -2048}); ok; n++ {
			if !a.Contains(p) {
				t.Fatalf("%v leads to %v", o, p)
			}
			c := p.coords() // the position after p
			for i := 2; i >= 0; i-- {
				if c[o[i]]++; c[o[i]] <= MaxCoord {
					break
				}
				c[o[i]] = MinCoord
			}
			p, ok = o.next(a, posOf(c))
		}
		if n != 3*3*2 {
			t.Errorf("%v: %d positions", o, n)
		}
		if p, ok := o.next(a, Pos{2, 3, 4}); ok {
			t.Errorf("%v: %v after the end", o, p)
		}
	}
}

// TestCoordOf tests that only the names used in folders and files of old worlds are accepted.
func TestCoordOf(t *testing.T) {
	for text, want := range map[string]int16{"000": 0, "fff": -1, "800": -2048, "7ff": 2047, "0001": 1, "ffff": -1,
		"f800": -2048, "07ff": 2047} {
		if got, ok := coordOf(text); !ok || got != want {
			t.Errorf("%s = %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"FFF", "+ff", "0x1", "f7ff", "0800", "", "g00", "fffff", "-01"} {
		if got, ok := coordOf(text); ok {
			t.Errorf("%s = %d", text, got)
		}
	}
}
