package maprules

import "testing"

// BenchmarkCheck checks released maps by the rules of DDNet.
func BenchmarkCheck(b *testing.B) {
	mapres, maps := mapresOf(b), releasedMaps(b)
	for _, name := range []string{"Tutorial", "Kobra"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				checked(b, maps[name], "ddnet", Options{Mapres: mapres})
			}
		})
	}
}
