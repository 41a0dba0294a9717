// Trowel-fleet is trowel with additional verbs that need large libraries: census, and work spread over many
// machines. Trowel starts it for these verbs.
package main

import (
	"context"
	"io"
	"os"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/cmd/trowel-fleet/internal/census"
	"trowel.example/cmd/trowel-fleet/internal/fleet"
	"trowel.example/cmd/trowel-fleet/internal/parquet"
	"trowel.example/internal/format"
)

// tables returns a writer of Parquet files.
func tables(w io.Writer, t *format.Table, program string) census.Writer {
	return parquet.NewWriter(w, t, program)
}

// datasets opens datasets in buckets.
func datasets(ctx context.Context, name string) (census.Store, error) {
	t, err := bucket.OpenTables(ctx, name)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// more are the verbs that trowel does not have.
var more = []verbs.Added{fleet.Verbs, census.Verbs(tables, datasets)}

func main() {
	verbs.Confine()
	verbs.CollectLate()
	games := format.Registered()
	os.Exit(verbs.Main(games, verbs.Args(games, os.Args), os.Stdin, os.Stdout, os.Stderr, more...))
}
