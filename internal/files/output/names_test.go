package output

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

type fullDisk struct{ path string }

func (d fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: d.path, Err: syscall.ENOSPC}
}

// TestFullDisk tests that a write error names the target as the user gave it.
func TestFullDisk(t *testing.T) {
	_, err := stepped{fullDisk{".trowel-0123456789abcdef.tmp/0"}, "out.map"}.Write([]byte("x"))
	if want := "write out.map: " + syscall.ENOSPC.Error(); err == nil || err.Error() != want {
		t.Errorf("%v instead of %s", err, want)
	}
}

// TestSplitBackup tests that the names of backups belong to their files, and that no others do.
func TestSplitBackup(t *testing.T) {
	for _, name := range []string{"a.map", "noext", ".map", "a.b.map", "a.backup-", "x.backup-20260102-030405.678.map", "x.PAK"} {
		backup := BackupName(filepath.Join("dir", name))
		if stem, ext, _, ok := SplitBackup(backup); !ok || stem+ext != name {
			t.Errorf("%s is of %q", backup, stem+ext)
		}
		if undone := UndoneName(backup); filepath.Dir(undone) != "dir" || undone == backup {
			t.Errorf("%s is undone as %s", backup, undone)
		} else if stem, ext, _, _ := SplitBackup(undone); stem+ext == name {
			t.Errorf("%s is a backup", undone)
		}
	}
	stem, ext, when, ok := SplitBackup("world.backup-20260102-030405.678.zip")
	if !ok || stem != "world" || ext != ".zip" || when.Year() != 2026 {
		t.Errorf("%s, %s, %v, %v", stem, ext, when, ok)
	}
	for _, name := range []string{"", "a.map", "a.backup-.map", "x.backup-20260102-030405.678.pak.MAN", "a.backup-20261302-030405.678.map",
		"a.backup-20260102-030405.678x.map", "a.undone-20260102-030405.678.map"} {
		if stem, ext, _, ok := SplitBackup(name); ok {
			t.Errorf("%s is of %q", name, stem+ext)
		}
	}
}
