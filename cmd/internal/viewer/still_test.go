package viewer

import (
	"testing"

	"trowel.example/internal/format"
)

// TestAlongAxis tests that the cell from v to v+1 has the coordinate -v-1 on an axis of the opposite direction.
func TestAlongAxis(t *testing.T) {
	v := format.View{Axes: [2]string{"x", "-z"}}
	for _, c := range []struct {
		axis int
		at   float64
		want string
	}{{0, 3.5, "3"}, {0, -0.5, "-1"}, {1, 3.5, "-4"}, {1, -0.5, "0"}, {1, -1, "0"}, {1, 0, "-1"}, {0, 0, "0"}} {
		if got := alongAxis(v, c.axis, c.at); got != c.want {
			t.Errorf("%v along %s is %s, want %s", c.at, v.Axes[c.axis], got, c.want)
		}
	}
}
