package format_test

import (
	"testing"

	"trowel.example/internal/format"
)

// TestNilJob tests that a nil job has no options, and that its reports reach nobody.
func TestNilJob(t *testing.T) {
	var j *format.Job
	o := format.Option{Name: "x"}
	if j.Value("x") != "" || o.On(j) || o.Value(j) != "" {
		t.Error("a nil job has options")
	}
	j.Warn("a", "b")
	j.Done("a")
	j.Miss("a", "b")
	j.Lose("a", "b")
	j.Report("a", 1, 2)
}
