package mapblock

import (
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/bytes/deflate"
)

// TestTolerance tests that the finding about a damaged block names the game that loads the block nevertheless, and that
// Salvage keeps what the game loads.
func TestTolerance(t *testing.T) {
	nodes := func(change func(content []byte) []byte) func([]byte, int64) []byte {
		return func(data []byte, at int64) []byte {
			content, used, err := deflate.DecompressUpTo(data[at:], MaxContent)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := deflate.Compress(nil, change(content), Level)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Concat(data[:at], stream, data[int(at)+used:])
		}
	}
	longer := nodes(func(content []byte) []byte { return append(content, 7) })
	shorter := nodes(func(content []byte) []byte { return content[:len(content)-1] })
	cut := func(data []byte, _ int64) []byte { return data[:len(data)-1] }
	for _, c := range []struct {
		first, last int // versions
		section     string
		how         func([]byte, int64) []byte
		want        string // in the finding; "": no game
	}{
		{20, 21, "nodes", longer, ""}, {20, 21, "nodes", shorter, ""},
		{22, 28, "nodes", longer, "surplus"}, {22, 28, "nodes", shorter, "undefined"},
		{25, 29, "timers", cut, "missing timers"},
		{20, 24, "metadata", func(data []byte, at int64) []byte { return slices.Insert(data, int(at), 7) }, "can load"},
		{25, 28, "metadata", func(data []byte, at int64) []byte { return slices.Insert(data, int(at), 7) }, ""},
		{25, 29, "timers", func(data []byte, at int64) []byte { return data[:at] }, ""},
	} {
		for version := c.first; version <= c.last; version++ {
			b := sample(version)
			whole, err := b.EncodeFresh()
			if err != nil {
				t.Fatal(err)
			}
			data := damage(t, whole, c.section, c.how)
			salvaged, found := Salvage(data)
			found = append(found[:1:1], check.Collect(func(sink check.Sink) { CheckData(data, sink) })...)
			for _, f := range found {
				if named := strings.Contains(f.Message, "5.6.1"); named != (c.want != "") || !strings.Contains(f.Message, c.want) {
					t.Errorf("version %d, %s: %v, want %q", version, c.section, f, c.want)
				}
			}
			differ := 0
			for i := range b.Param0 {
				if b.Param0[i] != salvaged.Param0[i] || b.Param1[i] != salvaged.Param1[i] || b.Param2[i] != salvaged.Param2[i] {
					differ++
				}
			}
			if differ > 1 || c.section != "metadata" && len(salvaged.Metadata.List) != len(b.Metadata.List) ||
				len(salvaged.Objects.List) != len(b.Objects.List) || c.want != "" && len(salvaged.Timers.List) < len(b.Timers.List)-1 {
				t.Errorf("version %d, %s: %d other nodes, or other lists", version, c.section, differ)
			}
		}
	}
}
