package verbs

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
)

// openPutBack opens a world with a snapshot from before a change, as `view --backups REPO --edit` does. It returns the page
// and the number of the snapshot's state.
func openPutBack(t *testing.T) (e *editPage, repo string, id int) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	withState(t, home)
	world := filepath.Join(dir, "glade")
	repo = filepath.Join(dir, "repo")
	perform(t, "pack", "-q", "../../../samples/glade", "-o", world)
	perform(t, "backup", "-q", world, repo)
	perform(t, "edit", "-q", world, "--in-place", "--backup", filepath.Join(dir, "before.zip"), "--", "set", "default:brick",
		"--box", "2,2,3:20,14,20")
	return reopenPutBack(t, world, history.Sources{Repository: repo})
}

func reopenPutBack(t *testing.T, world string, from history.Sources) (e *editPage, _ string, id int) {
	t.Helper()
	p := openPage(t, world)
	a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
	if err := offerStates(t.Context(), a, p.Server, []string{world}, from); err != nil {
		t.Fatal(err)
	}
	if err := offerEdits(t.Context(), a, p.Server, []string{world}); err != nil {
		t.Fatal(err)
	}
	e = &editPage{page: p, t: t, name: world}
	var session struct{ Edit int }
	var list struct {
		States []struct {
			ID   int
			Kind string
			Back bool
		}
	}
	for path, to := range map[string]any{"/session": &session, "/states": &list} {
		if err := json.Unmarshal(e.get(path).Body.Bytes(), to); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range list.States {
		if s.Kind == history.Snapshot && s.Back {
			id = s.ID
		}
	}
	if session.Edit == 0 || id == 0 {
		t.Fatalf("%+v, %+v", session, list)
	}
	e.edited = session.Edit
	e.renew()
	return e, from.Repository, id
}

// tile returns a tile of a file in its current edition.
func (e *editPage) tile(id int) string {
	e.t.Helper()
	var doc struct{ Generation int }
	if err := json.Unmarshal(e.get(fmt.Sprintf("/f/%d/open", id)).Body.Bytes(), &doc); err != nil {
		e.t.Fatal(err)
	}
	r := e.get(fmt.Sprintf("/f/%d/tile/%d/0/0/-1", id, doc.Generation))
	if r.Code != http.StatusOK || r.Body.Len() == 0 {
		e.t.Fatalf("the tile of %d: %d %s", id, r.Code, r.Body)
	}
	return r.Body.String()
}

// TestPutBack tests that the page puts a box of a snapshot back: the picture shows the result before anything is written, and
// saving gives the world that `restore --into` gives.
func TestPutBack(t *testing.T) {
	e, repo, id := openPutBack(t)
	before, old := e.tile(0), e.tile(id)
	if before == old || e.tile(e.edited) != before {
		t.Fatal("the states are wrong from the beginning")
	}
	data := judge.Read(t, filepath.Join(e.name, "map.sqlite"))
	const box = "0,-32768,0:47,32767,47"
	if err := e.do(map[string]any{"do": "put-back", "state": id, "box": box}); err != "" {
		t.Fatal(err)
	}
	if len(e.now.List) != 1 || e.now.List[0].Count < 1000 || e.now.List[0].Error != "" {
		t.Fatalf("%+v", e.now.List)
	}
	if e.tile(e.edited) != old || e.tile(0) != before {
		t.Error("the edited world does not look as the snapshot, or the world on the disk has changed")
	}
	if now, err := os.ReadFile(filepath.Join(e.name, "map.sqlite")); err != nil || string(now) != string(data) {
		t.Errorf("the database has changed: %v", err)
	}
	if body := e.get(fmt.Sprintf("/f/%d/edit", e.edited)).Body.String(); strings.Contains(body, filepath.Dir(repo)) {
		t.Errorf("a path of the disk is in %s", body)
	}

	// Other requests cannot name a repository.
	for want, request := range map[string]map[string]any{
		"the page cannot name files of the disk": {"do": "add", "words": []string{"put-back", "--box=" + box, filepath.Dir(repo)}},
		"nothing can be put back":                {"do": "put-back", "state": 0, "box": box},
		"no such change":                         {"do": "remove", "id": 99},
		"expected":                               {"do": "put-back", "state": id, "box": "everything"},
	} {
		if err := e.do(request); !strings.Contains(err, want) && !(len(e.now.List) > 1 && strings.Contains(e.now.List[1].Error, want)) {
			t.Errorf("%v: %q, not %q; %+v", request, err, want, e.now.List)
		}
	}
	if len(e.now.List) == 2 { // a change that fails leaves the others
		if e.tile(e.edited) != old {
			t.Error("the change that fails has removed the other one")
		}
		if err := e.do(map[string]any{"do": "undo"}); err != "" {
			t.Fatal(err)
		}
	}

	// The list is kept, and continued by the next run.
	e.Close()
	e, _, _ = reopenPutBack(t, e.name, history.Sources{Repository: repo})
	if e.now.Offer == nil || e.now.Offer.Count != 1 {
		t.Fatalf("%+v", e.now)
	}
	if err := e.do(map[string]any{"do": "continue"}); err != "" || e.tile(e.edited) != old {
		t.Fatalf("the list of the earlier session: %q", err)
	}

	copied := filepath.Join(t.TempDir(), filepath.Base(e.name))
	if err := os.CopyFS(copied, os.DirFS(e.name)); err != nil {
		t.Fatal(err)
	}
	perform(t, "restore", "-q", repo, "--into", copied, "--box", box)
	if code, answer := e.save(); code != http.StatusOK || !strings.Contains(answer, "backup") {
		t.Fatalf("%d %s", code, answer)
	}
	e.renew()
	if len(e.now.List) != 0 || e.tile(0) != old || e.tile(e.edited) != old {
		t.Errorf("after saving: %+v", e.now)
	}
	var out strings.Builder
	a := newTool(games, strings.NewReader(""), &out, io.Discard)
	if code := a.run(t.Context(), []string{"diff", "-q", copied, e.name}, io.Discard); code != 0 {
		t.Errorf("restore --into gives another world: %d\n%s", code, &out)
	}
	if code, answer := e.unsave(); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	e.renew()
	if len(e.now.List) != 1 || e.tile(0) != before || e.tile(e.edited) != old {
		t.Errorf("after the save is undone: %+v", e.now)
	}
	e.Close()
}

// TestViewTrust tests that the page shows and puts back only snapshots that are signed with the trusted key, and nothing of a
// repository that is older than a root.
func TestViewTrust(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	withState(t, home)
	world, repo, public := filepath.Join(dir, "glade"), filepath.Join(dir, "repo"), filepath.Join(dir, "k.pub")
	root := filepath.Join(dir, "root")
	text := newSigningKey(t, filepath.Join(dir, "k"))
	judge.Write(t, public, []byte("untrusted comment: minisign public key\n"+text+"\n"))
	perform(t, "pack", "-q", "../../../samples/glade", "-o", world)
	perform(t, "backup", "-q", world, repo, "--sign", filepath.Join(dir, "k"))
	perform(t, "check", "-q", repo, "--trust", text, "--state", root)
	perform(t, "backup", "-q", world, repo)
	trusting := func(options ...service.Given) history.Sources {
		a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
		a.Options.Given = append(options, service.Given{Name: "game", Value: "x"})
		from := history.Sources{Repository: repo, Trust: a.takeTrust()}
		if len(a.Options.Given) != 1 || len(from.Trust) != len(options) {
			t.Errorf("%v of %v are for the repository", from.Trust, options)
		}
		return from
	}
	from := trusting(service.Given{Name: "trust", Value: public}, service.Given{Name: "state", Value: root})
	e, _, id := reopenPutBack(t, world, from)
	var list struct {
		States []struct {
			ID    int
			Back  bool
			Error string
		}
	}
	if err := json.Unmarshal(e.get("/states").Body.Bytes(), &list); err != nil || len(list.States) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	signed, plain := list.States[0], list.States[1]
	if signed.ID != id || !signed.Back || signed.Error != "" || plain.Back || !strings.HasSuffix(plain.Error, "not signed") {
		t.Errorf("%+v", list.States)
	}
	if r := e.get(fmt.Sprintf("/f/%d/open", plain.ID)); r.Code == http.StatusOK || !strings.Contains(r.Body.String(), "not signed") ||
		strings.Contains(r.Body.String(), dir) {
		t.Errorf("%d %s", r.Code, r.Body)
	}
	e.tile(id)
	const box = "0,-32768,0:47,32767,47"
	for _, option := range []string{"--trust=" + filepath.Join(dir, "k"), "--state=" + public} {
		if err := e.do(map[string]any{"do": "add", "words": []string{"put-back", "--box=" + box, option, "--", repo}}); !strings.Contains(err,
			"the page cannot name files of the disk") {
			t.Errorf("%s: %q", option, err)
		}
	}
	if err := e.do(map[string]any{"do": "put-back", "state": id, "box": box}); err != "" || len(e.now.List) != 1 || e.now.List[0].Error != "" {
		t.Errorf("%q, %+v", err, e.now.List)
	}
	e.Close()

	snapshots, err := filepath.Glob(filepath.Join(repo, "snapshots", "*"))
	if err == nil {
		err = os.Remove(snapshots[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := history.List(t.Context(), newTool(games, nil, io.Discard, io.Discard).Service, world, from); err == nil ||
		!strings.Contains(err.Error(), "no signed snapshot or record has the root") {
		t.Errorf("of an older repository: %v", err)
	}
	if _, err := history.List(t.Context(), newTool(games, nil, io.Discard, io.Discard).Service, world,
		trusting(service.Given{Name: "root", Value: strings.Repeat("0", 64)})); err == nil || !strings.Contains(err.Error(), "need --trust") {
		t.Errorf("a root without a key: %v", err)
	}
}
