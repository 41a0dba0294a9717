package fleet

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"trowel.example/cmd/internal/work"
)

// TestObserver tests what a worker reports of its parts.
func TestObserver(t *testing.T) {
	var out bytes.Buffer
	var ill error
	o := &observer{JSON: true, Listen: "127.0.0.1:0"}
	end, err := o.open(&out, func() error { return ill })
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	get := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get("http://" + o.Listen + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(data)
	}
	o.begin("w", work.Part{Name: "one", File: "a.map"})(usage{cpu: 1500 * time.Millisecond, memory: 40 << 20}, false, nil)
	o.begin("w", work.Part{Name: "two"})(usage{}, true, nil)
	o.begin("w", work.Part{Name: "three"})(usage{}, false, errors.New("no room"))
	still := o.begin("w", work.Part{Name: "four"})
	_, text := get("/metrics")
	for _, want := range []string{`trowel_parts_total{result="done"} 1`, `trowel_parts_total{result="existed"} 1`,
		`trowel_parts_total{result="failed"} 1`, "trowel_parts_running 1", "trowel_part_cpu_seconds_sum 1.5", "trowel_part_seconds_count 2",
		`trowel_part_memory_bytes_bucket{le="6.7108864e+07"} 2`, "trowel_build_info{version="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	still(usage{}, false, nil)
	if _, text := get("/metrics"); !strings.Contains(text, "trowel_parts_running 0") {
		t.Errorf("at the end:\n%s", text)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 4 ||
		!strings.Contains(lines[0], `"cpu":1.5,"memory":41943040`) || !strings.Contains(lines[1], `"existed":true`) ||
		!strings.Contains(lines[2], `"error":"no room"`) {
		t.Errorf("%s", out.String())
	}
	if code, text := get("/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("healthy: %d %s", code, text)
	}
	ill = errUnreachable
	if code, text := get("/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "lease") {
		t.Errorf("not healthy: %d %s", code, text)
	}
	if code, _ := get("/"); code != http.StatusNotFound {
		t.Errorf("another page: %d", code)
	}
	if _, err := (&observer{Listen: o.Listen}).open(io.Discard, nil); err == nil {
		t.Error("an address that is in use")
	}
}
