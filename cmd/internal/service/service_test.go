package service

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// toy is a format whose files have two shards, and whose check reports each file.
var toy = &format.Format{Name: "toy", Title: "toy",
	Recognition: format.Recognition{
		Extensions: []string{".toy"},
		Recognize:  func(src *format.Source) bool { return src.HasExtension(".toy") },
	},
	Options: []format.Option{{Name: "of-toy", For: format.ForTree}},
	Open:    func(context.Context, *format.Job, *format.Source) (format.File, error) { return toyFile{}, nil },
	Sharding: &format.Sharding{Split: func(_ context.Context, _ *format.Job, _ *format.Source, yield func(format.Shard) error) error {
		if err := yield("1"); err != nil {
			return err
		}
		return yield("2")
	}}}

type toyFile struct{ format.File }

func (toyFile) Close() error { return nil }

func (toyFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	sink(check.Finding{ID: "toy-found"})
	return nil
}

// log is a reporter of lines.
type log []string

func (l *log) Say(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }
func (l *log) Warn(path, message string)      { *l = append(*l, path+": "+message) }
func (l *log) Miss(path, message string)      { *l = append(*l, path+": "+message) }
func (l *log) Fail(err error)                 { *l = append(*l, err.Error()) }
func (l *log) Flush()                         { *l = append(*l, "flush") }
func (l *log) Progress(string, int, int)      {}
func (l *log) Clear()                         {}

func newToys() (*Service, *log) {
	l := new(log)
	return New(format.Games{{Title: "Toys", Formats: []*format.Format{toy}}}, strings.NewReader("input"), l, new(wording.Aliases)), l
}

// toys writes files in a new current folder: two small files, one of which is hidden, and a large file.
func toys(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, size := range map[string]int64{"in/a.toy": 1, "in/b.toy": 1, "in/.git/c.toy": 1, "in/large.toy": maxBundleBytes + 1} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, nil)
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSplit tests the parts of the work on files, and that the files of a part are those that were split.
func TestSplit(t *testing.T) {
	toys(t)
	many := strings.Fields(strings.Repeat("none.toy ", 33)) // each counts as 1 MiB
	for _, c := range []struct {
		names []string
		fine  bool
		want  string
	}{
		{[]string{"in"}, false, "0000001 in/a.toy true, 0000002 in/b.toy true, 0000003 in/large.toy true"},
		{[]string{"in"}, true, "0000000 in/a.toy true in/b.toy true, 0000001-1 in/large.toy false, 0000001-2 in/large.toy true"},
		{[]string{"none", "in/a.toy"}, true, "0000000 none true in/a.toy true"},
		{many, true, "0000000" + strings.Repeat(" none.toy true", 32) + ", 0000001 none.toy true"},
	} {
		s, _ := newToys()
		f := s.NewFiles(c.names)
		var got []string
		if err := f.Split(t.Context(), c.fine, func(p work.Part) error {
			line := p.Name
			err := f.Each(p, func(i int, each Target) error {
				taken, last, err := f.Taken(p, i)
				if line += fmt.Sprintf(" %s %v", filepath.ToSlash(taken.Name), last); taken.Name != each.Name || taken.Err != nil {
					t.Errorf("%s: %v, %v, %v", p.Name, taken, each, err)
				}
				return err
			})
			got = append(got, line)
			return err
		}); err != nil {
			t.Error(err)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%q, %v: %q", c.names, c.fine, got)
		}
	}
}

// TestPartData tests that the data of a part name only files of the command line.
func TestPartData(t *testing.T) {
	s, _ := newToys()
	for data, want := range map[string]string{`{"files":[{"from":0,"at":"x","err":"no"}]}`: "in/x no <nil>",
		`{"files":[{"from":1}]}`: "b <nil> <nil>",
		`{"files":[{"from":2}]}`: `"" is not a path in ["in" "b"]`, `{"files":[{"from":-1}]}`: `"" is not a path`,
		`{"files":[{"from":0,"at":"../x"}]}`: `"../x" is not a path`, `{`: "unexpected end of JSON input"} {
		p := work.Part{Name: "p", Data: []byte(data)}
		target, _, err := s.NewFiles([]string{"in", "b"}).Taken(p, 0)
		got := fmt.Sprintf("%s %v %v", filepath.ToSlash(target.Name), target.Err, err)
		_, _, none := s.NewFiles([]string{"in", "b"}).Taken(p, 1)
		if !strings.Contains(got, want) || none == nil {
			t.Errorf("%s: %q, %v, want %q", data, got, none, want)
		}
	}
}

// TestCheckSafely tests the results of files that can be checked and of others.
func TestCheckSafely(t *testing.T) {
	toys(t)
	for name, want := range map[string]string{"in/a.toy": "toy 1 <nil>", "none.toy": " 0 none.toy: ",
		"in": " 0 in: not the folder of a game file"} {
		s, _ := newToys()
		var r Checked
		s.CheckSafely(t.Context(), Target{Name: name}, "", &r)
		if got := fmt.Sprintf("%s %d %v", r.Format, len(r.Findings), r.Err); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// nothing is a work of one part.
type nothing struct{}

func (nothing) Here(context.Context) error { return nil }
func (nothing) Split(_ context.Context, yield func(work.Part) error) error {
	return yield(work.Part{Name: "a"})
}
func (nothing) Do(context.Context, work.Part, io.Writer) error { return nil }
func (nothing) Merge(context.Context, iter.Seq2[work.Part, error], func(work.Part) (io.ReadCloser, error), func(int, work.Ref)) error {
	return nil
}

// TestPerform tests work whose results are kept, which standard input cannot have.
func TestPerform(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ name, resume, want string }{{"-", "", "[] <nil>"}, {"-", "kept", "[] standard input cannot be read in parts"},
		{"a", "kept", "[flush kept is no longer needed, except to print this again] <nil>"}} {
		s, l := newToys()
		s.Resume = c.resume
		err := s.NewFiles([]string{c.name}).Perform(t.Context(), nothing{})
		if got := fmt.Sprint(*l, err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestJob tests what a job reports to the service and opens through it, and which options a file accepts.
func TestJob(t *testing.T) {
	s, _ := newToys()
	s.Options.Given = []Given{{Name: "of-toy", Value: "x", Of: "toy"}}
	job := s.Job(toy)
	job.Lose("a", "lost")
	src, err := job.Open(t.Context(), "-")
	if err != nil || src.Size != 5 || s.Lost.Load() != 1 || job.Value("of-toy") != "x" {
		t.Errorf("%v, %v, %d losses, %v", src, err, s.Lost.Load(), job.Values)
	}
	for _, c := range []struct{ option, of, want string }{{"of-toy", "toy", "<nil>"},
		{"deep", "toy", "--deep is for another conversion of a toy"},
		{"deep", "map", "--deep is for a map, and this is a toy"}} {
		s.Options.Given = []Given{{Name: c.option, Of: c.of}}
		if got := fmt.Sprint(s.Owned(toy)); got != c.want {
			t.Errorf("%q", got)
		}
	}
	for _, c := range [][3]string{{"a.MAP", ".map", "a"}, {".map", ".MAP", ""}, {"map", ".map", ""}} {
		if got, ok := CutSuffixFold(c[0], c[1]); ok != (c[0] != "map") || ok && got != c[2] {
			t.Errorf("%q: %q, %v", c, got, ok)
		}
	}
}
