package leveldb

import "testing"

func BenchmarkAll(b *testing.B) {
	dir := makeDB(b, 200_000, 0, (*Writer).Close)
	b.ReportAllocs()
	for b.Loop() {
		db := open(b, dir)
		n := 0
		for range db.All() {
			n++
		}
		if n < 180_000 {
			b.Fatal(n)
		}
	}
}
