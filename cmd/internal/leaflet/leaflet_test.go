package leaflet

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestFiles tests that the files are those of leaflet-1.9.4.tgz on npm.
func TestFiles(t *testing.T) {
	for name, want := range map[string]string{
		"leaflet.js":  "db49d009c841f5ca34a888c96511ae936fd9f5533e90d8b2c4d57596f4e5641a",
		"leaflet.css": "a7837102824184820dfa198d1ebcd109ff6d0ff9a2672a074b9a1b4d147d04c6",
		"LICENSE":     "53e8dc25862014e4324741ca18fbe3611e11d42ef69f59f86ea8c5389647d4cb",
	} {
		data, err := Files.ReadFile(name)
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
