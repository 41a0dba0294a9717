package terminal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/files/host"
	"trowel.example/internal/testing/tests"
)

// TestProgress tests that progress is shown only on a terminal, only after some time, and is erased at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	talk := NewTalk(&b, bufio.NewWriter(&b))
	talk.Progress("files", 1, 2)
	talk.Terminal = true
	talk.Progress("files", 1, 2)
	if b.Len() > 0 {
		t.Errorf("too early: %q", b.String())
	}
	talk.started = talk.started.Add(-10 * time.Second)
	talk.Progress("files", 10_001, 20_001)
	talk.Progress("files", 10_002, 20_001)
	talk.Say("done")
	want := regexp.MustCompile(`^\r\x1b\[Kfiles 10,001 of 20,001, 50 %, (?:[89]\d\d|1,000) a second, 1\ds left\r\x1b\[Kdone\n$`)
	if !want.MatchString(b.String()) {
		t.Errorf("said %q, want %q", b.String(), want)
	}
	talk.Clear()
	talk.Quiet = true
	talk.Say("quiet")
	if strings.Contains(b.String(), "quiet") {
		t.Error("not quiet")
	}
}

func TestPagerCommand(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		less bool
		want string
	}{
		{nil, true, "[/bin/less]"},
		{nil, false, "[]"},
		{map[string]string{"PAGER": "more -s"}, true, "[more -s]"},
		{map[string]string{"PAGER": "cat"}, true, "[]"},
		{map[string]string{"PAGER": ""}, true, "[]"},
		{map[string]string{"PAGER": "more", "TROWEL_PAGER": "less -S"}, false, "[less -S]"},
		{map[string]string{"PAGER": "more", "TROWEL_PAGER": ""}, true, "[]"},
	} {
		answers := make(map[string]string)
		for name, value := range c.env {
			answers["variable "+name] = value
		}
		if c.less {
			answers["program less"] = "/bin/less"
		}
		asked := tests.OnHost(t, answers)
		got := pagerCommand()
		if list := fmt.Sprint(asked.Asked()); c.env == nil && list != "[program less variable PAGER variable TROWEL_PAGER]" {
			t.Errorf("asked for %s", list)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.env, got, c.want)
		}
	}
}

// TestPager tests that output that fits the screen is printed directly, and that longer output goes to the
// pager as a whole, together with messages.
func TestPager(t *testing.T) {
	tests.OnHostOf(t, host.System)
	if _, err := host.FindProgram("tee"); err != nil {
		t.Skip(err) // as on Windows
	}
	for lines, paged := range map[int]bool{0: false, 9: false, 10: true, 50_000: true} {
		var direct bytes.Buffer
		file := t.TempDir() + "/paged"
		started := false
		p := &Pager{to: &direct, height: 10, command: []string{"tee", file}, started: func() { started = true }}
		var want strings.Builder
		for i := range lines {
			line := fmt.Sprintln("line", i)
			want.WriteString(line)
			if _, err := io.WriteString(p, line); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.End(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); (err == nil) != paged || started != paged || direct.String() != want.String() {
			t.Errorf("%d lines: paged %v, %v, %d bytes of %d", lines, started, err, direct.Len(), want.Len())
		}
	}
	var direct bytes.Buffer
	p := &Pager{to: &direct, command: []string{"/no/such/pager"}}
	if _, err := io.WriteString(p, "x\n"); err != nil || p.End() != nil || direct.String() != "x\n" {
		t.Errorf("without a pager: %q, %v", direct.String(), err)
	}
}

func TestScreen(t *testing.T) {
	s := Screen{Width: 30}
	if got, want := s.Wrapped("error: a long message that goes on", 2, 6), "error: a long message that\n      goes on"; got != want {
		t.Errorf("wrapped %q, want %q", got, want)
	}
	for _, c := range []struct {
		terminal bool
		mode     ColorMode
		noColor  string
		want     bool
	}{
		{true, "auto", "", true}, {true, "auto", "1", false}, {false, "auto", "", false}, {true, "never", "", false},
		{false, "always", "1", true}, {true, "", "", false},
	} {
		tests.OnHost(t, map[string]string{"variable TERM": "xterm", "variable NO_COLOR": c.noColor})
		s := Screen{Terminal: c.terminal, Color: c.mode}
		if got := s.Paint(ColorError, "x") != "x"; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
