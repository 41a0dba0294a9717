package verbs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/history"
)

// TestBefore tests that the backups next to a world are states of it: each is the world that restoring it, and the newer ones,
// gives.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	world := filepath.Join(dir, "glade")
	perform(t, "pack", "-q", "../../../samples/glade", "-o", world)
	perform(t, "edit", "-q", world, "--in-place", "--", "set", "default:brick", "--box", "2,2,3:6,14,6")
	perform(t, "edit", "-q", world, "--in-place", "--", "set", "default:dirt", "--box", "4,2,3:9,40,6")
	perform(t, "convert", "-q", world, "--in-place", "--blocks", "27", "--drop")
	perform(t, "edit", "-q", world, "--in-place", "--", "delete-chunks", "--touching", "--all", "--area=-2,-2,-2:2,2,2")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Fatalf("%v: %v", entries, err)
	}
	p := openPage(t, world)
	a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
	if err := offerStates(t.Context(), a, p.Server, []string{world}, history.Sources{}); err != nil {
		t.Fatal(err)
	}
	var list struct {
		States []struct {
			ID        int
			Key, Kind string
		}
	}
	if err := json.Unmarshal(p.get("/states").Body.Bytes(), &list); err != nil || len(list.States) != 4 {
		t.Fatalf("%v: %+v", err, list)
	}
	copied := filepath.Join(t.TempDir(), "glade")
	if err := os.CopyFS(copied, os.DirFS(world)); err != nil {
		t.Fatal(err)
	}
	for i, s := range slices.Backward(list.States) {
		if s.Kind != history.Backup || s.Key != entries[i+1].Name() {
			t.Errorf("state %d is %+v", i, s)
		}
		perform(t, "repair", "-q", copied, "--restore", filepath.Join(dir, s.Key))
		var out strings.Builder
		newTool(games, strings.NewReader(""), &out, io.Discard).run(t.Context(), []string{"diff", "-q", copied, world}, io.Discard)
		var c struct {
			State, Error string
			Lines        []string
		}
		for c.State != "done" {
			if err := json.Unmarshal(p.get(fmt.Sprintf("/f/%d/compare/0?run=1", s.ID)).Body.Bytes(), &c); err != nil || c.Error != "" {
				t.Fatal(err, c.Error)
			}
		}
		if got := strings.Join(c.Lines, "\n"); got != strings.TrimSpace(out.String()) || len(c.Lines) == 0 {
			t.Errorf("state %d: the page compares\n%s\nthe restored world has\n%s", i, got, &out)
		}
		restored := openPage(t, copied)
		want, got := restored.get("/f/0/tile/1/0/0/-1"), p.get(fmt.Sprintf("/f/%d/tile/1/0/0/-1", s.ID))
		if got.Code != 200 || got.Body.String() != want.Body.String() {
			t.Errorf("state %d does not look as the restored world: %d", i, got.Code)
		}
		restored.Close()
	}
	p.Close()
}
