package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

var dbname = regexp.MustCompile(`dbname='?[^ ']*'?`)

// postgresWorld makes a world in a separate database with repeated blocks of a sample, some of them unreadable.
// It returns the address of the database.
func (b *bench) postgresWorld(name, database string, blocks int) string {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if s := b.run("pack", filepath.Join(b.samples(), "hollow"), "-o", name); s.code != 0 {
		b.t.Fatal(s)
	}
	if _, err := b.conn.Exec(b.t.Context(), `CREATE DATABASE `+database); err != nil {
		b.t.Fatal(err)
	}
	address := dbname.ReplaceAllString(b.address, "dbname="+database)
	if s := b.run("convert", name, "-o", name+".pg", "--to", "postgresql", "--postgres", address); s.code != 0 {
		b.t.Fatal(s)
	}
	if err := os.RemoveAll(b.path(name)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(b.path(name+".pg"), b.path(name)); err != nil {
		b.t.Fatal(err)
	}
	conn, err := pgx.Connect(b.t.Context(), address)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(b.t.Context(), `
INSERT INTO blocks SELECT n % 640 - 320, n / 640, 100 + n % 7, CASE n % 97 WHEN 5 THEN '\x170503' ELSE data END
FROM generate_series(1, $1) n, (SELECT data FROM blocks ORDER BY length(data) DESC LIMIT 1) one`, blocks); err != nil {
		b.t.Fatal(err)
	}
	return address
}

func (b *bench) samples() string {
	b.t.Helper()
	path, err := filepath.Abs("../../../../samples")
	if err != nil {
		b.t.Fatal(err)
	}
	return path
}

// fingerprint returns the versions of the blocks of a world and a hash of their content.
func (b *bench) fingerprint(address string) (text string) {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), address)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(b.t.Context(), `
SELECT count(*) || ' blocks, ' || (SELECT string_agg(v || ': ' || n, ', ' ORDER BY v) FROM (SELECT get_byte(data,
0) v, count(*) n FROM blocks GROUP BY 1) x) || ', ' ||
	md5(string_agg(posx || ' ' || posy || ' ' || posz || ' ' || md5(data), ',' ORDER BY posx, posy, posz)) FROM
	blocks`).Scan(&text); err != nil {
		b.t.Fatal(err)
	}
	return text
}

// TestKilledConversion converts a world in PostgreSQL in place while workers and the server are killed at
// random. It tests that the blocks and messages are the same as with one process, and that the backups restore
// all blocks.
func TestKilledConversion(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	if runtime.GOOS != "linux" {
		t.Skip("kills processes")
	}
	tests.LongOnly(t, "runs many processes")
	blocks, kills := 2000, 4
	if os.Getenv(envKills) != "" {
		blocks, kills = 40_000, 30
	}
	t.Parallel()
	b := (&base{address: judge.Postgres(t)}).bench(t)
	here := b.postgresWorld("one/world", "world_1", blocks)
	there := b.postgresWorld("world", "world_2", blocks)
	was := b.fingerprint(there)
	if is := b.fingerprint(here); is != was {
		t.Fatal(is, was)
	}
	// The name of the world in findings is the same in both folders.
	args := []string{"convert", "world", "--in-place", "--blocks", "29", "--backup", "before"}
	one := *b
	one.dir = b.path("one")
	told := one.run(args...)
	want := b.fingerprint(here)
	if told.code > 1 || want == was {
		t.Fatal(told)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.rescue(ctx)
	id := b.submit(append([]string{"--attempts", "1000"}, args...)...)
	var workers [3]*process
	start := func() *process { return b.start("--max", "2", "--allow-changes") }
	for i := range workers {
		workers[i] = start()
	}
	for i := range kills {
		time.Sleep(rand.N(400 * time.Millisecond))
		n := rand.IntN(len(workers))
		workers[n].end(os.Kill)
		if i == kills/2 {
			b.crash()
		}
		b.eventually("the server is there", func() bool { return b.jobs("status").code == 0 })
		workers[n] = start()
	}
	b.must(told.code, "wait", id)
	for _, w := range workers {
		w.end(os.Interrupt)
	}
	if is := b.fingerprint(there); is != want {
		t.Errorf("the blocks are\n%s\nnot\n%s", is, want)
	}
	if s := b.jobs("results", id); s != told {
		t.Errorf("it says\n%+v\nnot\n%+v", s, told)
	}
	if left, _ := filepath.Glob(b.path("before/.*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	if s := b.run("repair", "world", "--restore", "before"); s.code != 0 || b.fingerprint(there) != was {
		t.Errorf("restored: %+v\n%s\nnot\n%s", s, b.fingerprint(there), was)
	}
	t.Logf("%d parts were begun more than once", b.query(`SELECT count(*) FROM $$.river_job WHERE attempt > 1`))
	if !strings.Contains(was, fmt.Sprint(blocks+2, " blocks")) {
		t.Error(was)
	}
}
