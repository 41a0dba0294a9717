package wording

import (
	"testing"
)

func TestDistance(t *testing.T) {
	if d := Distance("images/grass.png", "Images/gras.png", 5); d != 1 {
		t.Errorf("distance = %d", d)
	}
}
