package fleet

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/work"
)

// testRoots tests that a worker opens only files below its roots, under any name.
func testRoots(t *testing.T, b *bench) {
	for _, name := range []string{"there", "here", "here/in", "outside"} {
		if err := os.Mkdir(b.path(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	b.write("outside/x.map", "DATA")
	if err := os.Symlink(b.path("outside/x.map"), b.path("here/x.map")); err != nil {
		t.Fatal(err)
	}
	b.worker("--root", b.path("there")+"="+b.path("here"), "--root", b.path("results"))
	submit := func(dir string, words ...string) string {
		t.Helper()
		cmd := b.command(append([]string{"jobs", "submit", "--schema", b.schema, "--attempts", "1", "--results", b.path("results")}, words...)...)
		cmd.Dir = b.path(dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	b.must(1, "wait", submit("there", "toy", "2", "in"))
	if _, err := os.Stat(b.path("here/in/did")); err != nil {
		t.Error(err)
	}
	if s := b.must(2, "wait", submit("outside", "toy", "2", "in")); !strings.Contains(s.err, "is not below a --root") {
		t.Error(s)
	}
	b.write("there/x.map", "DATA") // not a link on the submitting machine
	for _, name := range []string{"x.map", b.path("outside/x.map"), "../outside/x.map"} {
		id := submit("there", "check", name)
		if b.jobs("wait", id); !strings.Contains(b.jobs("status", id).out+b.jobs("results", id).err, "outside the folders") {
			t.Error(name, b.jobs("status", id), b.jobs("results", id))
		}
	}
}

type hostileJob struct {
	work description
	part partJob
}

// hostile returns descriptions and parts that this program cannot have written.
func hostile(dir string) map[string]hostileJob {
	good := description{Version: service.Program(), Dir: dir, Args: []string{"toy", "1", "in"}, Results: dir + "/results",
		Limit: 60, Attempts: 1, Priority: 1}
	part := work.Part{Name: "0", File: "0"}
	all := make(map[string]hostileJob)
	for name, change := range map[string]func(*description, *partJob){
		"version":        func(d *description, _ *partJob) { d.Version = "0.0.0" },
		"no verb":        func(d *description, _ *partJob) { d.Args = nil },
		"an option":      func(d *description, _ *partJob) { d.Args = []string{"--help"} },
		"zero byte":      func(d *description, _ *partJob) { d.Args = []string{"toy", "1", "in\x00"} },
		"no limit":       func(d *description, _ *partJob) { d.Limit = 0 },
		"long limit":     func(d *description, _ *partJob) { d.Limit = math.MaxInt32 },
		"no results":     func(d *description, _ *partJob) { d.Results = "" },
		"name":           func(_ *description, p *partJob) { p.Part.Name = "../../evil" },
		"hidden name":    func(_ *description, p *partJob) { p.Part.Name = ".evil" },
		"no name":        func(_ *description, p *partJob) { p.Part.Name = "" },
		"work":           func(_ *description, p *partJob) { p.Work = "../evil" },
		"zero in file":   func(_ *description, p *partJob) { p.Part.File = "\x00" },
		"work of others": func(_ *description, p *partJob) { p.Work = strings.Repeat("0", 16) + "-0" },
	} {
		d, p := good, partJob{Work: strings.Repeat("a", 16), Limit: 60, Part: part}
		change(&d, &p)
		all[name] = hostileJob{d, p}
	}
	return all
}

func TestHostileChecks(t *testing.T) {
	for name, h := range hostile("/srv") {
		d, p := h.work.check(), h.part.check()
		if (d == nil) == (p == nil) || !errors.Is(errors.Join(d, p), errHostile) {
			t.Errorf("%s: %v, %v", name, d, p)
		}
	}
}

// testHostile writes invalid rows into the queue, and tests that no worker does them, and that nothing outside
// of the roots is opened or written.
func testHostile(t *testing.T, b *bench) {
	b.worker()
	b.finish(b.submit("toy", "1", "in"), "toy", "1", "in") // creates the tables
	n := 0
	insert := func(d description, id, kind string, args any) int64 {
		t.Helper()
		data, _ := json.Marshal(d)
		data = []byte(strings.ReplaceAll(string(data), `\u0000`, "")) // PostgreSQL cannot store it
		if _, err := b.conn.Exec(t.Context(), `INSERT INTO `+b.schema+
			`.trowel_work (id, description, parts) VALUES ($1, $2, 1) ON CONFLICT (id) DO UPDATE SET description = $2`, id, data); err != nil {
			t.Fatal(err)
		}
		data, _ = json.Marshal(args)
		data = []byte(strings.ReplaceAll(string(data), `\u0000`, ""))
		var job int64
		if err := b.conn.QueryRow(t.Context(), `INSERT INTO `+b.schema+
			`.river_job (args, kind, max_attempts, queue, state) VALUES ($1, $2, 1, $3, 'available') RETURNING id`, data, kind,
			queueName(service.Program())).Scan(&job); err != nil {
			t.Fatal(err)
		}
		return job
	}
	good := description{Version: service.Program(), Dir: b.dir, Args: []string{"toy", "1", "in"},
		Results: b.path("results"), Limit: 60, Attempts: 1, Priority: 1}
	jobs := make(map[string]int64)
	for name, h := range hostile(b.dir) {
		if strings.HasPrefix(name, "zero") {
			continue
		}
		if validID(h.part.Work) {
			n++
			h.part.Work = strings.Repeat("a", 12) + string([]byte{'0' + byte(n/10), '0' + byte(n%10), '0', '0'})
		}
		jobs[name] = insert(h.work, h.part.Work, "trowel_part", h.part)
	}
	for name, change := range map[string]func(*description, *work.Part){
		"folder":      func(d *description, _ *work.Part) { d.Dir = "/" },
		"folder up":   func(d *description, _ *work.Part) { d.Dir += "/../.." },
		"results":     func(d *description, _ *work.Part) { d.Results = t.TempDir() },
		"bucket":      func(d *description, _ *work.Part) { d.Results = "s3://elsewhere/x?endpoint=http://127.0.0.1:1" },
		"no work":     func(d *description, _ *work.Part) { d.Args = []string{"formats"} },
		"help":        func(d *description, _ *work.Part) { d.Args = []string{"toy", "1", "in", "--help"} },
		"writes":      func(d *description, _ *work.Part) { d.Args = []string{"extract", "x", "-o", b.path("evil")} },
		"other file":  func(d *description, p *work.Part) { d.Args, p.File = []string{"check", "in"}, "/etc/passwd" },
		"other words": func(d *description, _ *work.Part) { d.Args = []string{"check", "/etc/passwd"} },
	} {
		n++
		d, p := good, work.Part{Name: "0", File: "0"}
		change(&d, &p)
		id := strings.Repeat("b", 12) + string([]byte{'0' + byte(n/10), '0' + byte(n%10), '0', '0'})
		jobs[name] = insert(d, id, "trowel_part", partJob{Work: id, Limit: 60, Part: p})
	}
	jobs["no such work"] = insert(good, strings.Repeat("c", 16), "trowel_part",
		partJob{Work: strings.Repeat("d", 16), Part: work.Part{Name: "0"}})
	jobs["garbage"] = insert(good, strings.Repeat("c", 16), "trowel_part", map[string]any{"work": 5, "part": []int{1}})
	jobs["split"] = insert(good, strings.Repeat("c", 16), "trowel_split", map[string]any{"work": "../../x"})
	jobs["merge"] = insert(good, strings.Repeat("c", 16), "trowel_merge", map[string]any{"work": "../../x"})
	for name, job := range jobs {
		state := ""
		b.eventually(name, func() bool {
			if err := b.conn.QueryRow(t.Context(), `SELECT state FROM `+b.schema+`.river_job WHERE id = $1`, job).Scan(&state); err != nil {
				t.Fatal(err)
			}
			return state == "cancelled" || state == "discarded" || state == "completed"
		})
		if state == "completed" && name != "other file" && name != "other words" {
			t.Errorf("%s: it was done", name)
		}
	}
	for _, name := range []string{"evil", "results/evil", "../evil"} {
		if _, err := os.Stat(b.path(name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	// Users who may complete parts can report that a file is unreadable.
	for _, name := range []string{"other file", "other words"} {
		var id string
		if err := b.conn.QueryRow(t.Context(), `SELECT args->>'work' FROM `+b.schema+`.river_job WHERE id = $1`,
			jobs[name]).Scan(&id); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(b.path("results/" + id + "/parts/0")); err == nil && len(data) > 1000 {
			t.Errorf("%s: a result of %d bytes", name, len(data))
		}
	}
}

// FuzzJob tests that any row of the queue that passes the checks could have been submitted.
func FuzzJob(f *testing.F) {
	for _, h := range hostile("/srv") {
		d, _ := json.Marshal(h.work)
		p, _ := json.Marshal(h.part)
		f.Add(d, p)
	}
	f.Add([]byte(`{"args":[""]}`), []byte(`{"part":{"data":{"x":[1]}}}`))
	f.Fuzz(func(t *testing.T, desc, part []byte) {
		var d description
		if json.Unmarshal(desc, &d) == nil && d.check() == nil {
			if (&partJob{Limit: d.Limit}).limit() <= 0 || (&partJob{Limit: d.Limit}).limit() > maxLimit || len(d.Args) == 0 ||
				d.insertOpts().Priority > 4 || !validID(d.id()) {
				t.Errorf("%+v", d)
			}
			if here, err := local([]root{{"/srv", "/mnt"}}, d.Dir); err == nil && here != filepath.FromSlash("/mnt") &&
				!strings.HasPrefix(here, filepath.FromSlash("/mnt/")) {
				t.Errorf("%q is %q", d.Dir, here)
			}
			if here, err := local([]root{{"s3://b/x?region=r", "s3://b/x?region=r"}}, d.Results); err == nil &&
				(!strings.HasPrefix(here, "s3://b/x") || !strings.HasSuffix(here, "?region=r") || strings.Contains(here, "..")) {
				t.Errorf("%q is %q", d.Results, here)
			}
		}
		var p partJob
		if json.Unmarshal(part, &p) == nil && p.check() == nil {
			if strings.ContainsAny(work.ResultName(p.Part)[len("parts/"):], `/\:`) || strings.Contains(p.Work, "/") {
				t.Errorf("%+v", p)
			}
		}
	})
}
