package service

import "testing"

func TestMemory(t *testing.T) {
	for text, want := range map[string]Memory{"64M": 64 << 20, "65536K": 64 << 20, "2G": 2 << 30, "512Mi": 512 << 20, "1T": 1 << 40,
		"100000000": 100_000_000, "1GB": 1 << 30, "500MB": 500 << 20, "1GiB": 1 << 30, "70000000B": 70_000_000} {
		var m Memory
		if err := m.Set(text); err != nil || m != want {
			t.Errorf("%s: %d, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "M", "1M", "-1G", "2g", "1.5G", "9999999999T", "64MM", "64 M", "B", "1GBB", "64iM", "0"} {
		if new(Memory).Set(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
