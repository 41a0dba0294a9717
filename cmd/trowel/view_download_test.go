package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/text/words"
)

// TestViewDownload tests the downloads of files of each game: pack builds the identical file from the folder, and the findings are
// those of check. The folder of a world has no passwords.
func TestViewDownload(t *testing.T) {
	for _, c := range []struct{ sample, as string }{{"burrow", "burrow.map"}, {"ember", "ember.MOD"}, {"hollow", "hollow"}} {
		t.Run(c.sample, func(t *testing.T) {
			name := sample(t, c.sample, c.as)
			v := view(t, name)
			status, data := v.get("/f/0/folder")
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatalf("status %d: %v", status, err)
			}
			dir := filepath.Join(t.TempDir(), "folder")
			if err := os.CopyFS(dir, z); err != nil {
				t.Fatal(err)
			}
			if c.as == "hollow" {
				for _, f := range z.File {
					if strings.HasPrefix(f.Name, ".") {
						t.Errorf("the folder of a world has %s", f.Name)
					}
				}
				if _, err := os.Stat(filepath.Join(dir, "world.mt")); err != nil {
					t.Error(err)
				}
			} else {
				again := filepath.Join(t.TempDir(), c.as)
				run(t, "pack", "-q", dir, "-o", again)
				want := judge.Read(t, name)
				if got, err := os.ReadFile(again); err != nil || !bytes.Equal(got, want) {
					t.Errorf("the file that pack builds from the folder differs: %v", err)
				}
			}
			cmd := trowel(t, "check", "--json", name)
			out, _ := cmd.Output() // it fails if there are findings
			var got, want []struct {
				Format   string
				Findings json.RawMessage
			}
			_, data = v.get("/f/0/findings")
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			if got[0].Format != want[0].Format || string(got[0].Findings) != string(want[0].Findings) {
				t.Errorf("the page has the findings\n%s\ncheck has\n%s", got[0].Findings, want[0].Findings)
			}
			v.stop()
		})
	}
}

// TestViewReady makes a map ready in its page: the new file is that of `trowel edit MAP -- optimize`, and the page offers it.
func TestViewReady(t *testing.T) {
	name := sample(t, "burrow", "burrow.map")
	want := filepath.Join(t.TempDir(), "new.map")
	run(t, "edit", "-q", name, "-o", want, "--", "optimize")
	v := view(t, name)
	var made struct {
		Before, After int
		Changes       []string
		File          []byte
	}
	v.read("/f/0/ready", &made)
	data := judge.Read(t, want)
	if !bytes.Equal(made.File, data) || made.After != len(data) || made.Before <= made.After || len(made.Changes) < 2 {
		t.Errorf("%d bytes instead of %d (edit: %d), %v", made.After, made.Before, len(data), made.Changes)
	}
	p := v.open(1280, 800)
	visit(p, "rules=ddnet")
	p.Wait("document.querySelector('#pane-release .ready')")
	p.Do(chromedp.Click("#pane-release .ready"))
	p.Wait(fmt.Sprintf("document.querySelector('dialog strong')?.textContent === '%s bytes'", words.Thousands(int64(made.After))))
	p.Picture("ready")
	p.Accessible("ready")
	p.Do(chromedp.Click("dialog .yes"))
	p.Wait("!document.querySelector('dialog')")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()

	world := view(t, sample(t, "hollow", "hollow"))
	if status, _ := world.get("/f/0/ready"); status != 404 {
		t.Errorf("a world is made ready: status %d", status)
	}
	world.stop()
}
