package service

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine

	"trowel.example/internal/testing/judge"
)

// TestChangelog tests that the first release in the changelog is the current version.
func TestChangelog(t *testing.T) {
	log := judge.Read(t, "../../../CHANGELOG.md")
	heading := regexp.MustCompile(`(?m)^## [0-9].*$`).Find(log)
	if want := "## " + release + " (" + releaseDate + ")"; string(heading) != want {
		t.Errorf("the changelog begins with %q, the version is %q", heading, want)
	}
	got := builtFrom([]debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2031-02-03T23:59:59+02:00"}, {Key: "vcs.modified", Value: "true"}})
	if want := release + " (0123456789ab with changes, 2031-02-03)"; got.String() != want {
		t.Errorf("version %q, want %q", got, want)
	}
}

// TestProgram tests that programs without a commit are identified by their content.
func TestProgram(t *testing.T) {
	b := Built()
	sum, err := hashOfSelf()
	if err != nil {
		t.Fatal(err)
	}
	want := b.String()
	if b.Revision == "" || b.Changed {
		want += fmt.Sprintf(", program %x", sum[:6])
	}
	if got := Program(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
