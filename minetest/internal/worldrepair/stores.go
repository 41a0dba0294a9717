package worldrepair

import (
	"context"
	"errors"
	"maps"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
)

// reading returns the options for examining a store. Data that the engine does not read is not changed, and is
// reported.
func (r *repair) reading(file string) world.Options {
	return world.Options{Lost: func(err error, at []check.Place) {
		r.report.Hopeless++
		r.opts.Sink.AddAt(foundKept, at, file, -1, "%v", within(file, err))
	}}
}

// findPlayers searches for players with damaged inventories, and for rows without a player.
func (r *repair) findPlayers(ctx context.Context) (err error) {
	at, ok := r.storeAt(world.PlayersPart)
	if !ok {
		return nil
	}
	players, err := world.OpenPlayers(ctx, r.dir, r.settings, r.reading(at))
	if err != nil {
		r.hopeless(at, err)
		return nil
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	for name, err := range players.Names(ctx) {
		var p *world.Player
		if err == nil {
			p, err = players.Get(ctx, name)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		where := at
		if name != "" {
			where += ":" + name
		}
		if err == nil && p.Broken != nil && p.Inventory == nil {
			_, broken := item.SalvageInventory(p.Broken)
			if err = r.tryPlayer(ctx, p); err == nil {
				r.opts.Sink.AddAt(foundPlayer, []check.Place{place.Player(name)}, where, -1, "%v", broken)
				r.players = append(r.players, name)
				r.report.Players++
			}
		}
		if err != nil && (name != "" || !r.isReplaced(at)) {
			r.hopeless(where, err)
		}
	}
	n, err := orphansOf(ctx, r, at, players)
	if r.playerOrphans = n > 0; err != nil || n == 0 && len(r.players) == 0 {
		return err
	}
	return r.backup.Store(world.PlayersPart.Files(r.backends.Players))
}

// mendPlayer writes a player with the readable part of the inventory to a store.
func mendPlayer(ctx context.Context, to world.Players, p *world.Player) error {
	p.Inventory, _ = item.SalvageInventory(p.Broken) // the damage is already reported
	p.Broken = nil
	return to.Put(ctx, p)
}

// movePlayers writes the players with damaged inventories to a copy that has another backend for players.
func (r *repair) movePlayers(ctx context.Context, dst string) (err error) {
	if len(r.players) == 0 {
		return nil
	}
	from, err := world.OpenPlayers(ctx, r.dir, r.settings, world.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	s, err := world.ReadWorldMT(dst)
	if err != nil {
		return err
	}
	to, err := world.OpenPlayers(ctx, dst, s, world.Options{Write: true, Remote: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for _, name := range r.players {
		p, err := from.Get(ctx, name)
		if err == nil {
			err = mendPlayer(ctx, to, p)
		}
		if err != nil {
			r.hopeless("players:"+name, err)
		}
	}
	return to.Commit(ctx)
}

// tryPlayer tests whether the store of the world can store the player: not every name is a valid file name.
func (r *repair) tryPlayer(ctx context.Context, p *world.Player) (err error) {
	dir, end, err := filelock.TempDir("trowel-player-")
	if err != nil {
		return err
	}
	defer end()
	store, err := world.OpenPlayers(ctx, dir, r.settings, world.Options{Write: true, Backend: r.backends.Players})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return mendPlayer(ctx, store, p)
}

// orphansOf reports the rows of a store that belong to no player or account, and returns their number.
func orphansOf[T any](ctx context.Context, r *repair, file string, s world.Store[T]) (sum int64, err error) {
	count, err := world.Orphans(ctx, s)
	if err != nil {
		if ctx.Err() == nil {
			r.hopeless(file, err)
		}
		return 0, ctx.Err()
	}
	for _, table := range slices.Sorted(maps.Keys(count)) {
		r.addFinding(foundOrphans, file+":"+table, "%s", words.Count(count[table], "row"))
		sum += count[table]
	}
	r.report.Orphans += sum
	return sum, nil
}

// mendPlayers repairs the inventories of players and deletes rows without a player, in one commit.
func (r *repair) mendPlayers(ctx context.Context) (err error) {
	if len(r.players) == 0 && !r.playerOrphans {
		return nil
	}
	players, err := world.OpenPlayers(ctx, r.dir, r.settings, world.Options{Write: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	for _, name := range r.players {
		p, err := players.Get(ctx, name)
		if err == nil {
			err = mendPlayer(ctx, players, p)
		}
		if err != nil {
			return err
		}
	}
	if err := world.DeleteOrphans(ctx, players); err != nil {
		return err
	}
	return players.Commit(ctx)
}

// storeAt returns the name of the store of a part. It returns false if the part is on a server or is not stored. For
// an unknown backend, the name is world.mt.
func (r *repair) storeAt(p world.Part) (string, bool) {
	backend := r.backends.Of(p)
	if files := p.Files(backend); len(files) > 0 {
		return files[0], true
	}
	return "world.mt", !slices.Contains(p.Backends(), backend)
}

// readable reports the parts of a store that cannot be read.
func readable[T any](ctx context.Context, r *repair, file string, s world.Store[T]) error {
	for name, err := range s.Names(ctx) {
		where := file
		if err == nil {
			where += ":" + name
			_, err = s.Get(ctx, name)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && (name != "" || !r.isReplaced(file)) {
			r.hopeless(where, err)
		}
	}
	return nil
}

// findAccounts searches for accounts that cannot be read, and for rows without an account.
func (r *repair) findAccounts(ctx context.Context) (err error) {
	at, ok := r.storeAt(world.AuthPart)
	if !ok {
		return nil
	}
	accounts, err := world.OpenAuth(ctx, r.dir, r.settings, r.reading(at))
	if err != nil {
		r.hopeless(at, err)
		return nil
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	if err := readable(ctx, r, at, accounts); err != nil {
		return err
	}
	n, err := orphansOf(ctx, r, at, accounts)
	if r.authOrphans = n > 0; err != nil || n == 0 {
		return err
	}
	return r.backup.Store(world.AuthPart.Files(r.backends.Auth))
}

// findStorage searches for mod storage that cannot be read.
func (r *repair) findStorage(ctx context.Context) (err error) {
	at, ok := r.storeAt(world.StoragePart)
	if !ok {
		return nil
	}
	mods, err := world.OpenStorage(ctx, r.dir, r.settings, r.reading(at))
	if err != nil {
		r.hopeless(at, err)
		return nil
	}
	defer func() { err = errors.Join(err, mods.Close()) }()
	return readable(ctx, r, at, mods)
}

func (r *repair) mendAccounts(ctx context.Context) (err error) {
	if !r.authOrphans {
		return nil
	}
	accounts, err := world.OpenAuth(ctx, r.dir, r.settings, world.Options{Write: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	if err := world.DeleteOrphans(ctx, accounts); err != nil {
		return err
	}
	return accounts.Commit(ctx)
}
