package worldcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func movePlayers(ctx context.Context, c *copier) error {
	return move(ctx, c, players, &c.log.Report.Players)
}
func moveAccounts(ctx context.Context, c *copier) error {
	return move(ctx, c, accounts, &c.log.Report.Accounts)
}
func moveMods(ctx context.Context, c *copier) error { return move(ctx, c, mods, &c.log.Report.Mods) }

// The parts of a world that are in stores.
var (
	players = part[*world.Player]{"players", world.PlayersPart, world.OpenPlayers,
		func(name string) check.Place { return place.Player(name) },
		func(p *world.Player) (string, []byte, error) {
			data, err := p.Append(nil)
			return p.Name, fmt.Append(data, p.Created.Unix(), p.Modified.Unix()), err
		}}
	accounts = part[*world.Account]{"accounts", world.AuthPart, world.OpenAuth,
		func(name string) check.Place { return place.Account(name) },
		func(a *world.Account) (string, []byte, error) {
			data, err := a.AppendRecord(nil)
			return a.Name, data, err
		}}
	mods = part[*world.ModData]{"mods", world.StoragePart, world.OpenStorage,
		func(mod string) check.Place { return place.Entry{Mod: mod} },
		func(m *world.ModData) (string, []byte, error) { return m.Mod, fmt.Appendf(nil, "%q", m.Entries), nil }}
)

// part describes a part of a world that is in a store.
type part[T any] struct {
	what   string
	part   world.Part
	open   func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)
	place  func(name string) check.Place
	record func(thing T) (name string, data []byte, err error)
}

// move copies a store of the world to another backend. An interrupted run repeats it from the beginning, because
// nothing is visible before Commit.
func move[T any](ctx context.Context, c *copier, p part[T], count *int) (err error) {
	target := c.target(p.part)
	if target == "" {
		return nil
	}
	for _, name := range p.part.Files(target) {
		if err := os.RemoveAll(filepath.Join(c.dst, name)); err != nil {
			return err
		}
	}
	lost := func(err error, at []check.Place) {
		c.log.Report.Lost++
		c.opts.Sink.AddAt(foundLost, at, p.what, -1, "%v", err)
	}
	from, err := p.open(ctx, c.src, c.settings, world.Options{Remote: c.opts.Remote, Moment: c.opts.Moment, Lost: lost})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	o := world.Options{Backend: target, Write: true, Remote: true, Lost: lost}
	remote := p.part.Remote(target)
	if remote {
		o.Postgres = c.opts.Postgres
	}
	to, err := p.open(ctx, c.dst, c.settings, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(), c.protect(p.part)) }()
	if err := c.protect(p.part); err != nil {
		return err
	}
	if remote && !c.log.Entered && c.log.Passes == 0 {
		for name, err := range to.Names(ctx) {
			return errors.Join(err, fmt.Errorf("%s: %.40q: %w", target, name, fs.ErrExist))
		}
		if err := c.log.enter(); err != nil {
			return err
		}
	}
	orphans, err := world.Orphans(ctx, from)
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(orphans)) {
		c.report(foundOrphans, p.what+":"+table, "%s", words.Count(orphans[table], "row"))
	}
	*count = 0
	dates := 0
	put := make(map[string]bool)
	for name, err := range from.Names(ctx) {
		var thing T
		if err == nil {
			thing, err = from.Get(ctx, name)
		}
		if player, ok := any(thing).(*world.Player); ok && err == nil && !player.Created.IsZero() &&
			(target == world.Files || target == mapdb.LevelDB) {
			dates++
		}
		if err == nil {
			err = to.Put(ctx, thing)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if world.Failed(err) {
			return err // all that follows would be lost, too
		}
		if err != nil {
			c.log.Report.Lost++
			c.reportPlace(foundLost, p.place(name), fmt.Sprintf("%s:%s", p.what, name), "%v", err)
			continue
		}
		*count++
		is, _, _ := p.record(thing) // a player may be in a file of another name
		put[is] = true
		c.progress(p.what, *count, 0)
	}
	if remote {
		if err := deleteOthers(ctx, to, put); err != nil {
			return err
		}
	}
	if players, ok := any(from).(world.Players); ok {
		for file, name := range world.Misnamed(ctx, players) {
			c.reportPlace(foundNamed, place.Player(name), p.what+":"+file, "the player in it is %.60q", name)
		}
	}
	if dates > 0 {
		c.report(foundDates, p.what, "%s", words.Count(dates, "player"))
	}
	// A world with files may have none of this part, but a server makes a database when it starts: without one, the copy would
	// look as if it had lost it.
	if s, ok := to.(interface{ Start(context.Context) error }); ok && *count == 0 && c.have.Of(p.part) == world.Files {
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	if err := to.Commit(ctx); err != nil {
		return err
	}
	n, digest, err := p.digest(ctx, to)
	if err != nil {
		return err
	}
	if n != *count {
		return fmt.Errorf("%s: %w: %d of %d", p.what, ErrVerify, n, *count)
	}
	if c.log.Parts == nil {
		c.log.Parts = make(map[string]sum)
	}
	if c.log.Parts[p.what] != digest {
		c.log.Report.Changed++
	}
	c.log.Parts[p.what] = digest
	return nil
}

// deleteOthers deletes the things of a store that have other names than those that were put into it.
func deleteOthers[T any](ctx context.Context, to world.Store[T], put map[string]bool) error {
	var gone []string
	for name, err := range to.Names(ctx) {
		if err != nil {
			return err
		}
		if !put[name] {
			gone = append(gone, name)
		}
	}
	for _, name := range gone {
		if err := to.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// protect makes the copied store readable for its owner only, if the original files are.
func (c *copier) protect(p world.Part) error {
	if !world.OwnerOnly(c.src, p.Files(c.have.Of(p))...) {
		return nil
	}
	return world.Protect(c.dst, p.Files(c.target(p))...)
}

// digest returns the number of things in a store, and a digest of them that does not depend on their order.
func (p part[T]) digest(ctx context.Context, store world.Store[T]) (n int, all sum, err error) {
	for name, err := range store.Names(ctx) {
		var thing T
		if err == nil {
			thing, err = store.Get(ctx, name)
		}
		if err != nil {
			return n, all, err
		}
		_, data, err := p.record(thing)
		all.add(sumOf(mapdb.Pos{}, fmt.Appendf(data, "%s%v", name, err)))
		n++
	}
	return n, all, nil
}

// lookAtStores opens the stores that were copied as files and compares them with the originals.
func lookAtStores(ctx context.Context, c *copier) error {
	return errors.Join(
		lookAt(ctx, c, players),
		lookAt(ctx, c, accounts),
		lookAt(ctx, c, mods),
	)
}

// lookAt compares a store of the copy with that of the world, and reports what cannot be read.
func lookAt[T any](ctx context.Context, c *copier, p part[T]) (err error) {
	if c.target(p.part) != "" || p.part.Remote(c.have.Of(p.part)) || c.opts.Only != nil ||
		c.opts.Log && c.log.Report.Server != "" {
		return nil // it was compared when it was moved, is on the same server, need not be in the copy, or changes until the last pass
	}
	broken := func(name string, err error) {
		place := p.what
		if name != "" {
			place += ":" + name
		}
		c.report(foundBroken, place, "%v", err)
	}
	o := world.Options{Remote: c.opts.Remote, Lost: func(err error, _ []check.Place) { broken("", err) }}
	now, err := p.open(ctx, c.dst, c.settings, o)
	if err != nil {
		broken("", err)
		return ctx.Err()
	}
	defer func() { err = errors.Join(err, now.Close()) }()
	o.Lost = nil // losses are reported for the copy
	was, err := p.open(ctx, c.src, c.settings, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, was.Close()) }()
	n := 0
	for name, err := range now.Names(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var thing, old T
		if err == nil {
			n++
			thing, err = now.Get(ctx, name)
		}
		if err != nil {
			broken(name, err)
			continue
		}
		if old, err = was.Get(ctx, name); err != nil || !reflect.DeepEqual(thing, old) {
			if again, err := now.Get(ctx, name); err == nil && !reflect.DeepEqual(thing, again) {
				continue // a value that is not equal to itself: NaN
			}
			c.report(foundDiffers, p.what+":"+name, "the copy differs from the world")
		}
		c.progress(p.what, n, 0)
	}
	for name, err := range was.Names(ctx) {
		if err == nil {
			n--
		}
		if n < 0 {
			c.report(foundDiffers, p.what+":"+name, "missing in the copy")
			break
		}
	}
	return ctx.Err()
}
