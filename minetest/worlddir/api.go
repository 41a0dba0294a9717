package worlddir

import (
	"context"
	"io/fs"

	"trowel/minetest/mapdb"
)


// BuildOptions are how a world is made of a folder.
type BuildOptions struct {
	// Schema is the shape of the table of blocks in SQLite; nil: that of the
	// world that was shown, else the one that every engine reads.
	Schema *mapdb.Schema
	// Remote allows to fill the databases on the servers that world.mt names.
	Remote bool
	// Progress hears how many blocks are done; nil: nobody.
	Progress func(blocks int)
}

// Report is what Build did.
type Report struct {
	Files                   int   // files that were taken as they are
	Blocks                  int64 // blocks, those included that were taken as they are
	Players, Accounts, Mods int
}

func Build(ctx context.Context, dst string, fsys fs.FS, o BuildOptions) (*Report, error) {
	panic("in the making")
}
