package viewer

import (
	"context"
	"testing"

	"trowel.example/check"
)

// TestFindingsOfAllKinds tests that many findings of one kind do not displace other kinds, and that all are
// counted.
func TestFindingsOfAllKinds(t *testing.T) {
	many, rare := &check.Kind{ID: "toy-many", Severity: check.Warning}, &check.Kind{ID: "toy-rare", Severity: check.Error}
	f, _ := toys(false, nil)
	path := t.TempDir() + "/toy"
	write(t, path, "abc")
	file := toyFile(f, path, nil)
	open := file.Open
	file.Open = func(ctx context.Context) (*Opened, error) {
		o, err := open(ctx)
		if err == nil {
			o.Check = func(_ context.Context, sink check.Sink) error {
				for range maxFindings + 1000 {
					sink.Add(many, "", -1, "again")
				}
				for range 2 * maxFew {
					sink.Add(rare, "", -1, "at last")
				}
				return nil
			}
		}
		return o, err
	}
	s := New(One, []File{file})
	s.port = "1234"
	t.Cleanup(s.Close)
	var answer struct {
		State    string
		Findings []struct{ ID string }
		ByKind   map[string]int
	}
	for answer.State != "done" {
		getJSON(t, s, "/f/0/check", &answer)
	}
	listed := make(map[string]int)
	for _, f := range answer.Findings {
		listed[f.ID]++
	}
	if listed[many.ID] != maxFindings || listed[rare.ID] != maxFew {
		t.Errorf("%v are listed", listed)
	}
	if answer.ByKind[many.ID] != maxFindings+1000 || answer.ByKind[rare.ID] != 2*maxFew {
		t.Errorf("%v are counted", answer.ByKind)
	}
}
