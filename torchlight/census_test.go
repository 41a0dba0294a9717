package torchlight

import "testing"

func TestCensusTables(t *testing.T) {
	for _, f := range Game.Formats {
		if f.Census != nil {
			if err := f.Census.Check(); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}
