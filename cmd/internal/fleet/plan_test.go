package fleet

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
)

// plainSetup is a work without losses on machines of their own.
func plainSetup() setup {
	f := newFigures(1)
	f.parts, f.part, f.cpu, f.start, f.queue, f.limit = 100, 10, 10, 1, 1e6, 1e6
	return setup{*f, 10, 1, true}
}

// TestForecast tests forecasts that can be computed manually, what limits them, and what would help.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*setup)
		total  float64
		limit  string
		helps  string // "NAME SECONDS", the best first, with commas
	}{
		{"as many parts as each can do", func(*setup) {}, 100, "workers", "more workers 50"},
		{"few parts", func(s *setup) { s.parts, s.workers = 10, 10 }, 10, "parts", "more workers and smaller parts 5.5"},
		{"one part too many", func(s *setup) { s.parts = 11 }, 20, "workers", "more workers 10,smaller parts 16.5"},
		{"a merge", func(s *setup) { s.merge = 1000 }, 1100, "merge", "a faster merge 600"},
		{"a source", func(s *setup) { s.read, s.source = 1e6, 5e5 }, 200, "source", "a faster source 100"},
		{"a source for all", func(s *setup) { s.read, s.source = 1e6, 5e6 }, 100, "workers", "more workers 50"},
		{"one machine", func(s *setup) { s.machines, s.cores = 1, 2 }, 500, "processors", "more processors 250"},
		{"half of a processor", func(s *setup) { s.machines, s.cores, s.cpu = 1, 2, 5 }, 250, "processors", ""},
		{"four parts at once", func(s *setup) { s.max, s.cores = 4, 4 }, 30, "", ""},
		{"four at once on one core", func(s *setup) { s.max, s.parts = 4, 120 }, 120, "workers", "more workers"},
		{"a queue", func(s *setup) { s.dealt, s.queue = false, 1 }, 0, "", ""},
		{"connections", func(s *setup) { s.dealt, s.connections, s.workers = false, 28, 20 }, 0, "connections", "more connections"},
		{"slow workers", func(s *setup) { s.slow, s.factor = 0.1, 10 }, 1000, "slow workers", "no slow workers 100"},
		{"no worker of three is slow", func(s *setup) { s.slow, s.factor, s.workers, s.parts = 0.1, 10, 3, 30 }, 100, "", ""},
		{"measured", func(s *setup) { s.sizes, s.parts, s.workers = []float64{5, 5, 5, 5}, 4, 2 }, 10, "workers", "more workers 5"},
	} {
		s := plainSetup()
		c.change(&s)
		f, err := s.forecast()
		if err != nil {
			t.Fatal(c.name, err)
		}
		if c.total > 0 && math.Abs(f.Seconds-c.total) > 1e-6 || c.limit != "" && f.Limit != c.limit {
			t.Errorf("%s: %+v", c.name, f)
		}
		var helps []string
		for _, h := range f.Helps {
			helps = append(helps, fmt.Sprintf("%s %v", h.Change, math.Round(h.Seconds*1e6)/1e6))
		}
		if !strings.HasPrefix(strings.Join(helps, ","), c.helps) {
			t.Errorf("%s: %q", c.name, helps)
		}
		if again, err := s.forecast(); err != nil || fmt.Sprint(again) != fmt.Sprint(f) {
			t.Errorf("%s: %v and %v", c.name, f, again)
		}
		if f.Busy <= 0 || f.Busy > 1+1e-9 || f.Late < f.Seconds {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	s := plainSetup()
	s.workers, s.parts = 100_000, 1e6
	if _, err := s.forecast(); err == nil {
		t.Error("a simulation of hours")
	}
	s.parts = 4000 // with twice the parts it would be
	if _, err := s.forecast(); err != nil {
		t.Error(err)
	}
	s = plainSetup()
	s.spread, s.mtbf = 0.5, 100
	if f, err := s.forecast(); err != nil || f.Late <= f.Seconds || f.Lost == 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestFigures tests that figures are read as they are printed, and that wrong ones are rejected.
func TestFigures(t *testing.T) {
	f := newFigures(4)
	c := chosen{f, make(map[string]bool)}
	const text = "parts=3904,part=14.6s,cpu=250ms,spread=0.3,read=256M,split=1m40s,merge=2h0m1s,start=50ms"
	if err := c.Set(text); err != nil || f.work() != text || f.read != 256e6 || f.merge != 7201 || !c.given["spread"] || c.given["source"] {
		t.Errorf("%v, %q, %+v", err, f.work(), f)
	}
	if err := c.Set("source=1.5G,mtbf=10h"); err != nil || f.source != 1.5e9 || f.mtbf != 36000 {
		t.Errorf("%v, %+v", err, f)
	}
	for _, wrong := range []string{"", "parts", "parts=", "parts=0", "parts=x", "parts=1e99", "nothing=1", "part=5", "part=-1s", "slow=1.5",
		"slow=NaN", "read=5Q", "read=-1", "parts=5,,", "mtbf=+Inf", "connections=3"} {
		if err := c.Set(wrong); err == nil {
			t.Errorf("%q is accepted: %+v", wrong, f)
		}
	}
	names := make(map[string]bool)
	for _, one := range allFigures {
		if names[one.name] || *one.at(newFigures(4)) > one.most || !strings.Contains(aboutFigures(), "    "+one.name+" ") {
			t.Errorf("%+v", one)
		}
		names[one.name] = true
	}
}

// TestPlan tests what plan prints of a work that it measures, that it leaves nothing, and which keys its JSON has.
func TestPlan(t *testing.T) {
	b := offline(t)
	s := b.run("jobs", "plan", "--measure", "2", "--workers", "1,2", "--json", "toy", "11", "in")
	var got struct {
		Verb     []string
		Measured int
		Figures  map[string]float64
		Plans    []forecast
	}
	if err := json.Unmarshal([]byte(s.out), &got); err != nil || s.code != 0 {
		t.Fatal(err, s)
	}
	if len(got.Verb) != 3 || got.Measured != 2 || got.Figures["parts"] != 11 || got.Figures["part"] <= 0 || got.Figures["cpu"] <= 0 ||
		got.Figures["merge"] <= 0 || len(got.Plans) != 2 || got.Plans[1].Seconds >= got.Plans[0].Seconds || got.Plans[0].Limit == "" {
		t.Errorf("%+v", got)
	}
	if got.Figures["read"] > 1e6 { // what a process reads of itself does not count
		t.Errorf("%+v", got.Figures)
	}
	did, _ := os.ReadFile(b.path("in/did"))
	if text := strings.Fields(string(did)); len(text) != 2 || text[0] != "00002" || text[1] != "00008" {
		t.Errorf("measured %q", text)
	}
	if left, _ := os.ReadDir(b.path("tmp")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	page, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## jobs plan\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, key := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(s.out, -1) {
		if _, figure := got.Figures[key[1]]; !figure && !strings.Contains(section, "`"+key[1]+"`") {
			t.Errorf("docs/json.md does not describe %q", key[1])
		}
	}
	if !tests.Long(t) {
		return
	}
	for _, c := range []struct{ args, words string }{
		{"", "expected a verb to plan"}, {"--figures parts=5", "expected a verb to plan"}, {"--max 0 toy 3 in", "--max"},
		{"--workers 0 --figures parts=1,part=1s", "--workers"}, {"--measure 0 toy 3 in", "--measure"},
		{"--figures part=5 toy 3 in", "part: expected a time"}, {"--workers 1 toy 0 in", "expected a number of parts"},
	} {
		if s := b.run(append([]string{"jobs", "plan"}, strings.Fields(c.args)...)...); s.code != 2 || !strings.Contains(s.err, c.words) {
			t.Errorf("%s: %d\n%s", c.args, s.code, s.err)
		}
	}
	b.write("in/fail-00001", "")
	if s := b.run("jobs", "plan", "toy", "3", "in"); s.code != 2 || !strings.Contains(s.err, "part 00001: fails as requested") {
		t.Errorf("a part that fails: %d\n%s", s.code, s.err)
	}
	s = b.run("jobs", "plan", "--workers", "3", "--figures", "part=10s,merge=5s", "--no-queue", "--max", "1", "toy", "6", "in")
	if s.code != 0 || !strings.Contains(s.out, "25") {
		t.Errorf("given figures: %d, %s\n%s", s.code, s.out, s.err)
	}
	samples, _ := filepath.Abs("../../../samples/hollow")
	if s := b.run("pack", "-q", samples, "-o", "hollow"); s.code != 0 {
		t.Fatal(s.err)
	}
	before := filesOf(t, b.path("hollow"))
	words := []string{"convert", "hollow", "--in-place", "--blocks", "29", "--backup", "before"}
	if s := b.run(append([]string{"jobs", "plan"}, words...)...); s.code != 2 || !strings.Contains(s.err, "--figures part=5s") {
		t.Errorf("convert: %d, %s", s.code, s.err)
	}
	if s := b.run(append([]string{"jobs", "plan", "--figures", "part=5s"}, words...)...); s.code != 0 {
		t.Errorf("convert with a figure: %d, %s", s.code, s.err)
	}
	if _, err := os.Stat(b.path("before")); err == nil || fmt.Sprint(before) != fmt.Sprint(filesOf(t, b.path("hollow"))) {
		t.Error("the world was changed")
	}
}

// TestScaleForecasts tests that docs/scale.md shows the actual forecasts.
func TestScaleForecasts(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("others may round in other places")
	}
	page, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	b := offline(t)
	found := regexp.MustCompile(`(?m)^    \$ trowel (jobs plan .*--figures.*)\n((?:    .*\n)+)`).FindAllStringSubmatch(string(page), -1)
	if len(found) < 3 {
		t.Fatalf("it shows %d", len(found))
	}
	for _, shown := range found[:tests.Of(t, 1, len(found))] {
		s := b.run(strings.Fields(shown[1])...)
		if want := strings.ReplaceAll(shown[2], "\n    ", "\n")[4:]; s.code != 0 || s.out != want {
			t.Errorf("%s: %d, %s%s, and the page has\n%s", shown[1], s.code, s.out, s.err, want)
		}
	}
}

// TestPlanIsRight compares predictions for one and two workers on this machine with real ones. On a machine that others use,
// it compares processor time only, and prints the times.
func TestPlanIsRight(t *testing.T) {
	tests.LongOnly(t, "measures for minutes")
	idle := loadOf() < 0.25
	b := offline(t)
	b.maps(4_000)
	if _, err := seedworld.Make(t.Context(), b.path("world"), seedworld.Options{Versions: []int{29, 28}, Blocks: 50_000}); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"check", "maps"}, {"check", "world"}, {"render", "world", "--tiles", "tiles"},
		{"census", "world", "-o", "tables"}} {
		t.Run(words[0], func(t *testing.T) {
			args := append([]string{"jobs", "plan", "--json", "--no-queue", "--max", "1", "--workers", "1,2", "--figures", "machines=1"}, words...)
			s := b.run(args...)
			var plan struct {
				Figures map[string]float64
				Plans   []forecast
			}
			if err := json.Unmarshal([]byte(s.out), &plan); err != nil {
				t.Fatal(err, s)
			}
			if runtime.GOOS == "linux" && plan.Figures["read"] <= 0 {
				t.Errorf("%+v", plan.Figures)
			}
			for i, n := range []int{1, 2} {
				seconds, cpu := b.real(n, fmt.Sprintf("results-%s-%d", strings.Join(words, "-"), n), words)
				near := func(what string, predicted, real float64) bool {
					ratio := predicted / real
					t.Logf("%q on %d: %s %.2f s predicted, %.2f s real: %.2f (idle: %v)", words, n, what, predicted, real, ratio, idle)
					return ratio > 0.75 && ratio < 1.25
				}
				if !near("processor time", plan.Figures["cpu"]*plan.Figures["parts"], cpu) {
					t.Errorf("processor time")
				}
				if !near("time", plan.Plans[i].Seconds, seconds) && idle {
					t.Errorf("time")
				}
			}
		})
	}
}

// maps writes copies of a map into a folder.
func (b *bench) maps(n int) {
	b.t.Helper()
	samples, _ := filepath.Abs("../../../samples/burrow")
	if s := b.run("pack", "-q", samples, "-o", "burrow.map"); s.code != 0 {
		b.t.Fatal(s.err)
	}
	data := judge.Read(b.t, b.path("burrow.map"))
	if err := os.Mkdir(b.path("maps"), 0o777); err != nil {
		b.t.Fatal(err)
	}
	for i := range n {
		b.write(fmt.Sprintf("maps/%d.map", i), string(data))
	}
}

// real does a work with n workers without a queue, and returns the seconds of all and the processor time of the parts.
func (b *bench) real(n int, results string, words []string) (seconds, cpu float64) {
	b.t.Helper()
	begin := time.Now()
	done := make(chan said, n)
	for i := range n {
		args := []string{"worker", "--json", "--max", "1", "--part", fmt.Sprintf("%d/%d", i, n), "--results", results}
		go func() { done <- b.run(append(args, words...)...) }()
	}
	for range n {
		s := <-done
		if s.code != 0 {
			b.t.Error(s.err)
		}
		for line := range strings.Lines(s.out) {
			var one observed
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				b.t.Error(err)
			}
			cpu += one.CPU
		}
	}
	if s := b.run(append([]string{"jobs", "merge", "--results", results}, words...)...); s.code > 1 {
		b.t.Error(s.err)
	}
	for _, name := range []string{"tiles", "tables"} {
		_ = os.RemoveAll(b.path(name))
	}
	return time.Since(begin).Seconds(), cpu
}

// loadOf returns the load of this machine in the last minute.
func loadOf() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	load, _ := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	return load
}
