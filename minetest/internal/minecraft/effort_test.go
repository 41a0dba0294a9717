package minecraft_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"runtime"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/minecraft"
)

// TestEffort tests that the tags of a small file have a budget.
func TestEffort(t *testing.T) {
	n := int(effort.MinecraftTags.Least) + 5000
	data := tag(minecraft.Compound, "Schematic", tag(minecraft.List, "things", byte(minecraft.Compound), int32(n), make([]byte, n)), byte(0))
	if _, err := minecraft.ParseTag(data, 100); !errors.Is(err, effort.ErrMet) {
		t.Error(err)
	}
}

// TestDecompressMemory tests that inflating takes little more memory than its result.
func TestDecompressMemory(t *testing.T) {
	const size = 16 << 20
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if _, err := z.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, err := minecraft.Decompress(file.Bytes())
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || len(data) != size || took > size+size/8 {
		t.Errorf("%d bytes in %d of memory: %v", len(data), took, err)
	}
}
