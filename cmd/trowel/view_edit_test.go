package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestViewEdit tests the way of a change: it is made in a form, listed and shown, and saved only after it was confirmed.
func TestViewEdit(t *testing.T) {
	needsProgram(t, "save")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	name := sample(t, "burrow", "burrow.map")
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(t.TempDir(), "burrow.map")
	run(t, "edit", "-q", name, "-o", want, "--", "border")
	v := view(t, "--edit", name)
	p := v.open(1280, 800)
	p.Wait(`document.querySelectorAll("#operation option").length > 50`)
	settle(p)
	p.Wait(`(() => {
		const choose = document.querySelector("#operation");
		if (!choose) return false; // the panel is opened again
		choose.value = "border";
		choose.dispatchEvent(new Event("change"));
		document.querySelector(".edit-form").requestSubmit();
		return true;
	})()`)
	p.Wait(`document.querySelectorAll(".edits > li").length === 1 && !document.querySelector("button.save").disabled`)
	settle(p)
	p.Picture("view-edit")
	p.Do(chromedp.Click("button.save", chromedp.ByQuery))
	p.Wait(`document.querySelectorAll(".confirm > li").length === 1`)
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, old) {
		t.Fatalf("the file was changed before the list was confirmed: %v", err)
	}
	p.Do(chromedp.Click("button.yes", chromedp.ByQuery))
	p.Wait(`document.querySelector(".saved") !== null`)
	saved, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, saved) {
		t.Errorf("the file is not the one that the operation makes: %v", err)
	}
	backups, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "burrow.backup-*.map"))
	if len(backups) != 1 {
		t.Fatalf("backups: %v", backups)
	}
	if kept, err := os.ReadFile(backups[0]); err != nil || !bytes.Equal(kept, old) {
		t.Errorf("the backup is not the old file: %v", err)
	}
	p.Wait(`document.querySelectorAll(".edits > li").length === 0`)
}
