package terminal

import (
	"bytes"
	"encoding/json"
	"testing"

	"trowel.example/check"
)

// TestSARIF tests that the output is valid JSON, with lines of texts as regions and other findings at line 1.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	var kinds check.Catalog
	kinds.Add("toy-twice", check.Error, "Two toys have the same name.", "Rename one of them.")
	kinds.Add("toy-many", check.Info, "There are more than three toys.", "Nothing.")
	s := &SARIF{W: &b}
	if err := s.Begin(kinds.Kinds()); err != nil {
		t.Fatal(err)
	}
	for _, f := range []check.Finding{
		{ID: "toy-twice", Severity: check.Error, Path: `toys["a"]`, Offset: 7, Message: "twice"},
		{ID: "toy-many", Severity: check.Info, Offset: -1, Message: "many", At: []check.Place{check.Line{Path: "box.txt", Line: 3, Column: 2}}},
	} {
		if err := s.Add("./maps/ä b.box", f); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, ByteOffset int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Tool.Driver.Rules) != len(kinds.Kinds()) || len(run.Results) != 2 {
		t.Fatalf("%+v", log)
	}
	a, line := run.Results[0], run.Results[1].Locations[0].PhysicalLocation
	at := a.Locations[0].PhysicalLocation
	if a.RuleID != "toy-twice" || a.Level != "error" || a.Message.Text != `toys["a"]: twice` ||
		at.ArtifactLocation.URI != "maps/%C3%A4%20b.box" || at.Region.StartLine != 1 || at.Region.ByteOffset != 7 {
		t.Errorf("%+v", a)
	}
	if line.ArtifactLocation.URI != "maps/%C3%A4%20b.box/box.txt" || line.Region.StartLine != 3 ||
		line.Region.StartColumn != 2 || run.Results[1].Level != "note" {
		t.Errorf("%+v", line)
	}
}
