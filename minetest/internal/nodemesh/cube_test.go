package nodemesh

import (
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
)

// facedirTable has for each facedir the tile that each face shows (+Y -Y +X -X +Z -Z) and its turn by right angles, as
// the engine's tables do.
const facedirTable = `
0. 1. 2. 3. 4. 5.  03 11 4. 5. 3. 2.  02 12 3. 2. 5. 4.  01 13 5. 4. 2. 3.
5. 42 23 31 02 1.  2. 32 43 51 01 11  4. 52 33 21 0. 12  3. 22 53 41 03 13
42 5. 21 33 12 0.  32 2. 41 53 13 03  52 4. 31 23 1. 02  22 3. 51 43 11 01
33 23 03 13 41 53  53 43 02 1. 31 23  23 33 01 11 51 43  43 53 0. 12 21 33
21 31 11 01 43 51  41 51 12 0. 33 21  31 21 13 03 53 41  51 41 1. 02 23 31
12 02 32 22 42 52  13 01 52 42 32 22  1. 0. 22 32 52 42  11 03 42 52 22 32`

// TestFacedir compares the turns of all faces with the engine's tables.
func TestFacedir(t *testing.T) {
	for i, want := range strings.Fields(facedirTable) {
		facedir, face := i/6, i%6
		turned := &facedirs[facedir]
		if got := turned.from[face]; got != int(want[0]-'0') {
			t.Errorf("facedir %d, face %d: tile %d, not %c", facedir, face, got, want[0])
		}
		for _, p := range corners(face, &fullBox) {
			uv := cubeUV(face, p)
			switch u, v := uv[0], uv[1]; want[1] {
			case '1':
				uv = [2]float32{1 - v, u}
			case '2':
				uv = [2]float32{1 - u, 1 - v}
			case '3':
				uv = [2]float32{v, 1 - u}
			}
			if got := turned.uv(face, p); got != uv {
				t.Errorf("facedir %d, face %d: %v is at %v of the tile, not %v", facedir, face, p, got, uv)
			}
		}
	}
}

// TestCorners tests that the corners of faces are clockwise from the top left, seen from the front.
func TestCorners(t *testing.T) {
	for face, d := range directions {
		p := corners(face, &fullBox)
		a, b := Vec{}, Vec{}
		for i := range a {
			a[i], b[i] = p[1][i]-p[0][i], p[2][i]-p[0][i]
		}
		n := [3]int{int(a[1]*b[2] - a[2]*b[1]), int(a[2]*b[0] - a[0]*b[2]), int(a[0]*b[1] - a[1]*b[0])}
		if n != d {
			t.Errorf("face %d faces %v, not %v", face, n, d)
		}
		if uv := cubeUV(face, p[0]); uv != [2]float32{} {
			t.Errorf("face %d begins at %v", face, uv)
		}
	}
}

// TestDaylight tests the colours of full sunlight and of darkness.
func TestDaylight(t *testing.T) {
	noon, midnight := newDaylight(1), newDaylight(0)
	k := &look{}
	bright := pair{255, 0}.color(k, 1, white)
	if got := noon.Color(bright); got != [3]uint8{243, 243, 255} {
		t.Errorf("full sun is %v", got)
	}
	if got := midnight.Color(bright); got[0] != 0 || got[2] < 15 || got[2] > 30 {
		t.Errorf("outside at midnight is %v", got)
	}
	if got := noon.Color(pair{}.color(k, 1, white)); got != [3]uint8{0, 0, 1} {
		t.Errorf("darkness is %v", got)
	}
	k.source = 14
	if got := midnight.Color(pair{213, 213}.color(k, 1, white)); got[0] < 240 {
		t.Errorf("a lamp at midnight is %v", got)
	}
}
