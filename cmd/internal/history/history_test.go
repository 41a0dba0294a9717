package history

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	_ "trowel.example/minetest"
)

// The SHA-256 of "ten", and of other contents: of the first, there is no object, and of the second a wrong one.
const (
	good = "e4432baa90819aaef51d2a7f8e148bf7e679610f3173752fabb4dcb2d0f418d3"
	none = "0000000000000000000000000000000000000000000000000000000000000001"
	bad  = "0000000000000000000000000000000000000000000000000000000000000002"
)

// stream has commits for git fast-import. The clock of the second was slow.
var stream = commit(100, "Ann", "first", file("dir/old.box", "1"), file("dir/old.box.man", "m"), file("dir/other.box", "o"),
	file("deep/er/still.box", "s"), "M 120000 inline dir/link\ndata 1\nx\n", "M 160000 "+good[:40]+" dir/sub\n") +
	commit(50, "Ann", strings.Repeat("t", 250), "R dir/old.box dir/a.box\nR dir/old.box.man dir/a.box.man\n") +
	commit(200, "Bob", "third", file("dir/a.box", "22")) +
	commit(300, "Bob", "lfs", file("lfs/good.box", pointer(good)), file("lfs/none.box", pointer(none)), file("lfs/bad.box", pointer(bad)))

func commit(seconds int, by, title string, changes ...string) string {
	return fmt.Sprintf("commit refs/heads/main\ncommitter %s <> %d +0000\ndata %d\n%s\n%s\n", by, 1700000000+seconds, len(title), title,
		strings.Join(changes, ""))
}

func file(name, content string) string {
	return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
}

func pointer(sum string) string {
	return "version https://git-lfs.github.com/spec/v1\noid sha256:" + sum + "\nsize 3\n"
}

// repository makes a repository with the commits of the stream.
func repository(t *testing.T) (top string) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here: commits are not tested")
	}
	tests.OnHost(t, map[string]string{"program git": program})
	top = t.TempDir()
	for _, args := range []string{"init -q -b main", "fast-import --quiet", "reset -q --hard main"} {
		cmd := git(t.Context(), top, strings.Fields(args)...)
		cmd.Stdin = strings.NewReader(stream)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	for sum, content := range map[string]string{good: "ten", bad: "ten"} {
		judge.Write(t, filepath.Join(top, ".git/lfs/objects", sum[:2], sum[2:4], sum), []byte(content))
	}
	t.Setenv("GIT_DIR", top+"/other") // as in a hook of another repository
	t.Setenv("HOME", top)             // of the user's settings
	if env := git(t.Context(), top).Env; slices.Contains(env, "GIT_DIR="+top+"/other") || !slices.Contains(env, "HOME="+top) {
		t.Errorf("git's variables: %q", env)
	}
	return top
}

// show opens a state and returns its files, or its error.
func show(t *testing.T, s State) string {
	o, err := s.Open(t.Context())
	if err != nil {
		return err.Error()
	}
	defer o.Close()
	files := judge.Files(t, filepath.Dir(o.Path))
	return fmt.Sprint(files, o.Notes)
}

// TestCommits tests the commits of files and folders, whatever repository the environment names.
func TestCommits(t *testing.T) {
	top := repository(t)
	title := " Ann " + strings.Repeat("t", 200) + "... (250 bytes) "
	const beside = " [2 links and submodules of the commit are left out]"
	for _, c := range []struct {
		name string
		want []string
	}{
		{"dir/a.box", []string{"100 Ann first map[a.box:1 a.box.man:m] []",
			"100" + title + "map[a.box:1 a.box.man:m] []",
			"200 Bob third map[a.box:22 a.box.man:m] []"}},
		{"dir", []string{"100 Ann first map[dir/old.box:1 dir/old.box.man:m dir/other.box:o]" + beside,
			"100" + title + "map[dir/a.box:1 dir/a.box.man:m dir/other.box:o]" + beside,
			"200 Bob third map[dir/a.box:22 dir/a.box.man:m dir/other.box:o]" + beside}},
		{"deep", []string{"100 Ann first map[deep/er/still.box:s] []"}},
		{"lfs/good.box", []string{"300 Bob lfs map[good.box:ten] []"}},
		{"lfs/bad.box", []string{"300 Bob lfs bad.box: the content that Git LFS has here is damaged"}},
		{"lfs/none.box", []string{"300 Bob lfs map[none.box:" + pointer(none) + "] []"}},
	} {
		list, err := commits(t.Context(), filepath.Join(top, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%d %s %s %s", s.Time.Unix()-1700000000, s.By, s.Title, show(t, s)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// TestChanges tests what differs between two commits, and which folders are written whole.
func TestChanges(t *testing.T) {
	top := repository(t)
	r, err := OpenRepository(t.Context(), filepath.Join(top, "dir"))
	if err != nil {
		t.Fatal(err)
	}
	var ids [2]string
	for i, name := range []string{"main~3", "main~1"} {
		if ids[i], err = r.Commit(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	const outline = "[outline[deep dir] dir[old.box old.box.man other.box] outline[deep dir] dir[a.box a.box.man other.box]] "
	for whole, want := range map[string]string{
		"":    outline + "map[dir/old.box:1 dir/old.box.man:m] map[dir/a.box:22 dir/a.box.man:m]",
		"dir": outline + "map[dir/old.box:1 dir/old.box.man:m dir/other.box:o] map[dir/a.box:22 dir/a.box.man:m dir/other.box:o]",
		"outline": "[outline[deep dir] outline[deep dir]] map[deep/er/still.box:s dir/old.box:1 dir/old.box.man:m dir/other.box:o] " +
			"map[deep/er/still.box:s dir/a.box:22 dir/a.box.man:m dir/other.box:o]",
	} {
		dirs := [2]string{t.TempDir(), t.TempDir()}
		var asked []string
		changes, err := r.Changes(t.Context(), ids, dirs, func(dir string) bool {
			below, _ := fs.Glob(os.DirFS(dir), "*")
			asked = append(asked, fmt.Sprint(filepath.Base(dir), below))
			return filepath.Base(dir) == whole
		})
		if got := fmt.Sprint(asked, judge.Files(t, dirs[0]), judge.Files(t, dirs[1])); got != want || err != nil {
			t.Errorf("%q: %v\n got %s\nwant %s", whole, err, got, want)
		}
		if !slices.Equal(changes, []FileChange{{"dir/a.box", "dir/a.box", false, true, false},
			{"dir/a.box.man", "dir/old.box.man", true, true, false}, {"dir/old.box", "dir/old.box", true, false, false}}) {
			t.Errorf("changes: %+v", changes)
		}
	}
}

// TestCut tests that output of git may end within the names of a renamed file.
func TestCut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	program := filepath.Join(t.TempDir(), "git")
	judge.Write(t, program, []byte("#!/bin/sh\nprintf 'h\\0\\nR100\\0old'\n"))
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	tests.OnHost(t, map[string]string{"program git": program})
	if list, err := changed(t.Context(), t.TempDir(), "new", false); err != nil || !slices.Equal(list, []place{{"h", "old"}}) {
		t.Error(list, err)
	}
}

// TestFits tests the limits of what is read from a commit.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		size, last int64
		n          int
		fits       bool
	}{{maxCommit - 1, 1, 2, true}, {maxCommit - 1, 2, 2, false}, {0, 0, maxEntries, true}, {0, 0, maxEntries + 1, false}} {
		list := make([]entry, c.n)
		list[0].size, list[1].size = c.size, c.last
		if err := fits(list, "1234"); (err == nil) != c.fits {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestList tests the order of states of all kinds, and the operation that puts a part of a snapshot back.
func TestList(t *testing.T) {
	top := repository(t)
	world := filepath.Join(top, "dir")
	judge.Write(t, filepath.Join(world, "world.mt"), []byte("gameid = minetest\nbackend = dummy\n"))
	judge.Write(t, world+".backup-20200102-030405.000.zip", nil)
	repo := filepath.Join(t.TempDir(), "repo")
	s := service.New(format.Registered(), nil, nil, new(wording.Aliases)).Quiet(func(wording.Note) {})
	i := slices.IndexFunc(s.Formats, func(f *format.Format) bool { return f.Name == "minetest-world" })
	source := func(dir string) *format.Source { return &format.Source{Dir: dir, Path: dir} }
	if _, err := s.Formats[i].Backups.Add(t.Context(), new(format.Job), source(world), source(repo)); err != nil {
		t.Fatal(err)
	}
	list, err := List(t.Context(), s, world, Sources{Repository: repo, Git: true, Trust: []service.Given{{Name: "x", Value: "a\nb"}}})
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%s %.5s", s.Kind, s.Title))
	}
	if want := []string{"backup befor", "commit first", "commit ttttt", "commit third", "snapshot "}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("%q, %v", got, err)
	}
	want := []string{"put-back", "--box=1,2,3:4,5,6", "--moment=" + list[4].ID, "--x=a", "--x=b", "--", repo}
	if got := list[4].PutBack("1,2,3:4,5,6"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, err = List(t.Context(), s, filepath.Join(top, "deep"), Sources{Repository: repo})
	if err == nil || !strings.Contains(err.Error(), "no snapshot of deep") {
		t.Error(err)
	}
}
