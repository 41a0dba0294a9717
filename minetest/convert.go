package minetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"

	"trowel.example/check"
	"trowel.example/internal/stores/database"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldconvert"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var (
	optionDrop     = format.Option{Name: "drop", Bool: true, Help: "leave out what the target cannot hold, instead of refusing"}
	optionBlocks   = format.Option{Name: "blocks", Help: "the `version` of all blocks, 17 or 20 to 29 (default: as they are)"}
	optionPlayers  = format.Option{Name: "players", Help: "the `backend` of players: " + backendsOf(world.PlayersPart) + " (default: as they are)"}
	optionAuth     = format.Option{Name: "auth", Help: "the `backend` of accounts: " + backendsOf(world.AuthPart) + " (default: as they are)"}
	optionStorage  = format.Option{Name: "storage", Help: "the `backend` of mod storage: " + backendsOf(world.StoragePart) + " (default: as it is)"}
	optionPostgres = format.Option{Name: "postgres", Help: "the `connection` to the PostgreSQL of the new world, as in pgsql_connection"}
	optionRedis    = format.Option{Name: "redis", Help: "the `address` of the Redis of the new world: HOST, HOST:PORT or the path of a socket"}
	optionHash     = format.Option{Name: "redis-hash", Help: "the `hash` in which the new world is in Redis"}
	optionPassword = format.Option{Name: "redis-password", Help: "the `password` of that Redis"}

	optionForceUse    = format.Option{Name: "in-use", Bool: true, Help: "repair in place even while a program has the world open, as far as no database is replaced"}
	optionDropUnknown = format.Option{Name: "drop-unknown", Bool: true, Help: "delete blocks of versions that do not exist yet"}
)

// backendsOf lists the backends that can store a part of a world.
func backendsOf(p world.Part) string {
	names := worldcopy.Backends(p)
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

var copyOptions = []format.Option{optionPlayers, optionAuth, optionStorage, optionPostgres, optionRedis, optionHash, optionPassword}

// worldConversions contains a conversion for each kind of database.
var worldConversions = func() []format.Conversion {
	var list []format.Conversion
	for _, t := range mapdb.Targets() {
		list = append(list, format.Conversion{
			To: t.Name, Title: "a world in " + t.Title, Resumes: true,
			Options: append([]format.Option{optionBlocks, optionDrop}, copyOptions...),
			Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
				return convertWorld(ctx, job, src, out, t.Name)
			},
		})
	}
	return list
}()

// copyOptionsOf returns the copy options that the user set.
func copyOptionsOf(job *format.Job) (worldcopy.Options, error) {
	o := worldcopy.Options{
		Players: job.Value(optionPlayers.Name), Auth: job.Value(optionAuth.Name), Storage: job.Value(optionStorage.Name),
		Postgres: job.Value(optionPostgres.Name), Remote: job.On(optionRemote.Name), OnProgress: job.Report,
	}
	if o.Postgres != "" {
		if _, err := database.Postgres(o.Postgres, "", true); err != nil { // the error would name a setting of world.mt
			return o, fmt.Errorf("--%s: expected how to connect, such as \"host=127.0.0.1 user=minetest dbname=world\"", optionPostgres.Name)
		}
	}
	var err error
	o.Redis, err = redisOf(job)
	return o, err
}

// nameOptions adds the options that name a server to the error of a copy that requires them.
func nameOptions(err error) error {
	missing, is := errors.AsType[*fault.Error](err)
	if !is || !errors.Is(err, mapdb.ErrNoServer) {
		return err
	}
	options := "--" + optionRedis.Name + " and --" + optionHash.Name
	if missing.Path == "postgres" {
		options = "--" + optionPostgres.Name
	}
	return fmt.Errorf("%w (give it with %s)", err, options)
}

func redisOf(job *format.Job) (mapdb.Redis, error) {
	r := mapdb.Redis{Address: job.Value(optionRedis.Name), Hash: job.Value(optionHash.Name), Password: job.Value(optionPassword.Name)}
	if host, port, ok := cutPort(r.Address); ok {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return r, fmt.Errorf("--%s %q: the port is a number up to 65535", optionRedis.Name, r.Address)
		}
		r.Address, r.Port = host, int(n)
	}
	return r, nil
}

// cutPort splits HOST:PORT. The path of a socket has no port.
func cutPort(address string) (host, port string, ok bool) {
	for i := len(address) - 1; i >= 0; i-- {
		switch address[i] {
		case '/', ']':
			return address, "", false
		case ':':
			return address[:i], address[i+1:], true
		}
	}
	return address, "", false
}

// versionOf returns the version of blocks that the user selected; 0 if none.
func versionOf(job *format.Job) (int, error) {
	v := job.Value(optionBlocks.Name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || !mapblock.Writable(n) {
		return 0, fmt.Errorf("--%s %q: expected 17, or 20 to 29", optionBlocks.Name, v)
	}
	return n, nil
}

func convertWorld(ctx context.Context, job *format.Job, src *format.Source, out format.Output, to string) error {
	o, err := copyOptionsOf(job)
	if err != nil {
		return err
	}
	o.Map, o.Drop = to, job.On(optionDrop.Name)
	if o.Blocks, err = versionOf(job); err != nil {
		return err
	}
	o.Sink, o.Whole = sinkOf(job, worldcopy.Losses()), !job.KeepGoing
	c, _ := mapdb.FindTarget(o.Map)
	if job.Temporary && (world.MapPart.Remote(c.Backend) || world.PlayersPart.Remote(o.Players) || world.AuthPart.Remote(o.Auth) || world.StoragePart.Remote(o.Storage)) {
		return errors.New("a dry run writes to no server, and this conversion is to one")
	}
	if text, ok := unfinished(src.Dir); ok {
		job.Lose(src.Path, "this is %s", text)
	}
	if err := lookForMap(ctx, job, src.Dir); err != nil {
		return err
	}
	dst, err := out.KeptDir()
	if err != nil {
		return err
	}
	r, err := worldcopy.Copy(ctx, src.Dir, dst, o)
	if err != nil {
		if errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: the same command continues where this one stopped", err)
		}
		return nameOptions(err)
	}
	text := fmt.Sprintf("%d blocks from %s to %s", r.Blocks, r.From, r.To)
	if o.Blocks != 0 {
		text += fmt.Sprintf(", %d of them converted", r.Converted)
	}
	for _, part := range []struct {
		n    int64
		what string
	}{
		{r.Kept, "kept their version"}, {r.Dropped, "could not be read and are left out"},
		{r.Salvaged, "salvaged from damaged parts of the database"},
		{r.Rows, "rows are no valid blocks, or have the position of another one, and are left out"},
		{r.Damaged, "damaged parts of the database, whose unreadable blocks are left out"}, {int64(r.Lost), "players, accounts or mods could not be taken over"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	job.Tell("%s; compared with what was written: the same", text)
	if r.Resumed > 0 {
		job.Tell("%d blocks were there already", r.Resumed)
	}
	return nil
}

var (
	worldRepairKinds = slices.Concat(worldrepair.Catalog.Kinds(), worldcopy.Catalog.Kinds(), worldconvert.Catalog.Kinds(), worldedit.Catalog.Kinds())

	worldRepair = &format.Repair{
		Options: append([]format.Option{optionForceUse, optionDropUnknown}, copyOptions...),
		Plan: func(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) error {
			o, err := repairOptions(job, sink)
			if err != nil {
				return err
			}
			r, err := worldrepair.Plan(ctx, src.Dir, o)
			return tellRemains(ctx, job, src, r, err, "a copy leaves them out")
		},
		Copy: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
			o, err := repairOptions(job, sink)
			if err != nil {
				return err
			}
			dir, err := out.Dir()
			if err == nil {
				err = os.Remove(dir) // Repair creates the folder when the copy is complete
			}
			if err != nil {
				return err
			}
			r, err := worldrepair.Repair(ctx, src.Dir, dir, o)
			return tellRemains(ctx, job, src, r, err, "they are not in the copy")
		},
		InPlace: func(ctx context.Context, job *format.Job, src *format.Source, backup string, sink check.Sink) (string, error) {
			o, err := repairOptions(job, sink)
			if err != nil {
				return "", err
			}
			r, err := worldrepair.InPlace(ctx, src.Dir, backup, o)
			if err := tellRemains(ctx, job, src, r, err, "a copy leaves them out: -o in place of --in-place"); err != nil {
				return "", err
			}
			return r.Backup, nil
		},
		Restore: func(ctx context.Context, job *format.Job, src *format.Source, backup string) error {
			o := worldbackup.Options{Force: job.On(optionForceUse.Name), Remote: job.On(optionRemote.Name)}
			if st, err := os.Stat(backup); err == nil && st.IsDir() {
				return worldbackup.RestoreAll(ctx, src.Dir, backup, o)
			}
			later, err := worldbackup.Later(src.Dir, backup)
			if err != nil {
				return err
			}
			for _, path := range later {
				job.Warn(src.Path, "%s was made after this backup: what it undoes is to be undone first", path)
			}
			return worldbackup.Restore(ctx, src.Dir, backup, o)
		},
	}
)

// tellRemains reports the damage that was not repaired, and the losses.
func tellRemains(ctx context.Context, job *format.Job, src *format.Source, r *worldrepair.Report, err error, rows string) error {
	if err != nil {
		return err
	}
	if err := lookForMap(ctx, job, src.Dir); err != nil {
		return err
	}
	for _, part := range []struct {
		n    int64
		text string
	}{
		{int64(r.Lost), "damaged parts of databases whose content is lost: %d"},
		{r.Dropped, "blocks of which nothing can be read: %d; the game makes them again"},
		{r.Rows, "rows of the map that are no blocks, or of one that there is already: %d; " + rows},
		{r.Left, "blocks that stay although their version does not exist yet: %d; --" + optionDropUnknown.Name + " deletes them"},
		{int64(r.Hopeless), "damaged things that stay as they are: %d; restore them from a backup"},
		{int64(r.Missed), "things that are not in the copy, or not as in the world: %d"},
	} {
		if part.n > 0 {
			job.Miss(src.Path, part.text, part.n)
		}
	}
	return nil
}

func repairOptions(job *format.Job, sink check.Sink) (worldrepair.Options, error) {
	o := worldrepair.Options{
		DropUnknown: job.On(optionDropUnknown.Name), Force: job.On(optionForceUse.Name), Remote: job.On(optionRemote.Name),
		Sink: sink, OnProgress: job.Report,
	}
	var err error
	o.Copy, err = copyOptionsOf(job)
	return o, err
}
