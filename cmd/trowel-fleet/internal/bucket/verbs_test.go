package bucket_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	_ "trowel.example/teeworlds"
	"trowel.example/teeworlds/twmap"
	_ "trowel.example/torchlight"
)

// games are the games whose files are in the bucket.
var games = format.Registered()

func reads(t *verbs.Tool) []*cobra.Command {
	t.Reads(new(bucket.Sources))
	return nil
}

// TestVerbs tests that files of a bucket are checked and searched like those of a folder.
func TestVerbs(t *testing.T) {
	dir := t.TempDir()
	url := judge.S3(t, "archive")
	root, settings, _ := strings.Cut(url, "?")
	b, err := bucket.Open(t.Context(), root+"/some?"+settings)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	m := twmap.New(30, 20)
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a.map": data, "in/b.map": data, "in/broken.map": data[:len(data)-20],
		"in/note.txt": []byte("no map"), ".git/c.map": data,
		// in.map sorts before in/.
		"in.map": data, "mod/x.pak": []byte("no archive"), "mod/X.PAK.MAN": []byte("no list"), "mod/y.pak.MAN": []byte("a list alone")}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, path, data)
		if err := b.Put(t.Context(), name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string) {
		var out, talk bytes.Buffer
		code := verbs.Main(games, args, nil, &out, &talk, reads)
		return code, out.String() + talk.String()
	}
	for _, words := range [][]string{{"check", "--json"}, {"check"}, {"find", "--", "layer"}, {"find", "--count", "--", "layer"}} {
		here := append([]string{words[0], dir}, words[1:]...)
		there := append([]string{words[0], root + "/some?" + settings}, words[1:]...)
		code, said := run(here...)
		said = strings.ReplaceAll(said, dir, root+"/some")
		got, heard := run(there...)
		if got != code || heard != said || !strings.Contains(said, "s3://archive/some/in/b") &&
			words[len(words)-1] == "--json" || strings.Contains(said, "X.PAK.MAN:") {
			t.Errorf("%q: %d, %s\nas a folder: %d, %s", words, got, heard, code, said)
		}
	}
	if code, said := run("check", root+"/some/in/b.map?"+settings); code != 0 {
		t.Errorf("%d, %s", code, said)
	}
	if code, said := run("check", root+"/none?"+settings); code != 2 || !strings.Contains(said, "does not exist") ||
		strings.Contains(said, "endpoint") {
		t.Errorf("%d, %s", code, said)
	}
	// Runs on behalf of others open only what they are allowed to.
	for name, may := range map[string]bool{
		root + "/some?" + settings:               true,
		root + "/some/in?" + settings:            true,
		root + "/some/in/b.map?" + settings:      true,
		root + "/something?" + settings:          false,
		root + "?" + settings:                    false,
		root + "/some?" + settings + "&region=x": false,
		root + "/some":                           true, // with the settings of an allowed root
		root + "/something":                      false,
	} {
		var out, talk bytes.Buffer
		code := verbs.Perform(t.Context(), verbs.Call{
			Games: games, More: []verbs.Added{reads}, Args: []string{"check", name}, Stdout: &out, Stderr: &talk,
			Handover: service.Handover{
				Access: &service.Access{Roots: []string{root + "/some?" + settings}},
				Work:   func(ctx context.Context, w work.Work) error { return w.Here(ctx) },
			},
		})
		if refused := strings.Contains(talk.String(), "outside"); refused == may {
			t.Errorf("%s: %d, %s%s", name, code, out.String(), talk.String())
		}
	}
}
