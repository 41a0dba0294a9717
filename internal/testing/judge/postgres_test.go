package judge_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
)

// TestPostgres tests that two databases of a test are independent.
func TestPostgres(t *testing.T) {
	ctx := context.Background()
	for range 2 {
		conn, err := pgx.Connect(ctx, judge.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "CREATE TABLE spade (handle bytea)"); err != nil {
			t.Error(err)
		}
	}
}
