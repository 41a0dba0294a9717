package host_test

import (
	"path/filepath"
	"testing"

	"trowel.example/internal/files/host"
	"trowel.example/internal/testing/tests"
)

func TestAdvice(t *testing.T) {
	for system, want := range map[string]string{"linux": "program", "js": "page"} {
		if got := host.AdviceOn(system, "program", "page"); got != want {
			t.Errorf("%s: %s", system, got)
		}
	}
}

func TestStateFolder(t *testing.T) {
	home, own := filepath.FromSlash("/home/ann"), t.TempDir()
	for _, c := range []struct{ system, home, variable, value, want string }{
		{"linux", home, "", "", filepath.Join(home, ".local", "state")},
		{"linux", home, "XDG_STATE_HOME", own, own},
		{"linux", home, "XDG_STATE_HOME", "state", filepath.Join(home, ".local", "state")}, // relative ones are invalid
		{"darwin", home, "XDG_STATE_HOME", own, filepath.Join(home, "Library", "Application Support")},
		{"windows", home, "LocalAppData", own, own},
		{"windows", home, "", "", ""},
		{"linux", "", "", "", ""},
	} {
		env := func(name string) string { return map[string]string{c.variable: c.value}[name] }
		if got := host.StateFolderOf(c.system, env, c.home); got != c.want {
			t.Errorf("%v: %q", c, got)
		}
	}
	tests.OnHost(t, nil)
	if got := host.StateFolder(); got != "" {
		t.Errorf("on a machine without anything: %q", got)
	}
}
