package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestEditUndo draws hundreds of strokes without waiting for the picture, undoes and redoes all of them, and tests that the file
// is then the same as that of the script.
func TestEditUndo(t *testing.T) {
	name := burrow(t)
	old := judge.Read(t, name)
	e := openEdit(t, name, t.TempDir())
	e.get("/f/1/open")
	r := rand.New(rand.NewPCG(1, 2))
	n := tests.Of(t, 120, 900)
	soon := func(request map[string]any) {
		t.Helper()
		request["revision"], request["soon"] = e.now.Revision, true
		body, _ := json.Marshal(request)
		code, answer := e.post("/f/1/edit", string(body))
		var now struct{ Revision int }
		if err := json.Unmarshal([]byte(answer), &now); err != nil || code != 200 || now.Revision != e.now.Revision+1 {
			t.Fatalf("%d %s", code, answer)
		}
		e.now.Revision = now.Revision
	}
	applied := func() {
		t.Helper()
		for e.renew(); !e.now.Applied; e.renew() {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for i := range n {
		soon(map[string]any{"do": "add", "words": []string{"draw-tiles", "--layer=game", fmt.Sprint(r.IntN(50)), fmt.Sprint(r.IntN(30)),
			strings.Repeat("1 _*2 ", 1+r.IntN(4)) + fmt.Sprint(1+i%3), ".*3"}})
	}
	applied()
	if len(e.now.List) != n {
		t.Fatalf("%d changes, want %d", len(e.now.List), n)
	}
	drawn := e.result()
	for range n {
		soon(map[string]any{"do": "undo"})
	}
	applied()
	if len(e.now.List) != 0 || e.now.Undo || !bytes.Equal(e.shown(), old) {
		t.Errorf("%d changes after all are undone, or another file", len(e.now.List))
	}
	for range n {
		soon(map[string]any{"do": "redo"})
	}
	applied()
	if len(e.now.List) != n || !bytes.Equal(e.result(), drawn) {
		t.Errorf("%d changes after all are redone, or another file", len(e.now.List))
	}
	dir := t.TempDir()
	got, want := filepath.Join(dir, "got.map"), filepath.Join(dir, "want.map")
	for file, data := range map[string][]byte{got: e.shown(), want: drawn} {
		judge.Write(t, file, data)
	}
	perform(t, "diff", want, got) // exits with 1 if the shown state differs
}
