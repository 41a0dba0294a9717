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
	return move(ctx, c, part[*world.Player]{"players", world.PlayersPart, world.OpenPlayers, &c.log.Report.Players,
		func(name string) check.Place { return place.Player(name) }})
}

func moveAccounts(ctx context.Context, c *copier) error {
	return move(ctx, c, part[*world.Account]{"accounts", world.AuthPart, world.OpenAuth, &c.log.Report.Accounts,
		func(name string) check.Place { return place.Account(name) }})
}

func moveMods(ctx context.Context, c *copier) error {
	return move(ctx, c, part[*world.ModData]{"mods", world.StoragePart, world.OpenStorage, &c.log.Report.Mods,
		func(mod string) check.Place { return place.Entry{Mod: mod} }})
}

// part describes a part of a world that is in a store.
type part[T any] struct {
	what  string
	part  world.Part
	open  func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)
	count *int
	place func(name string) check.Place
}

// move copies a store of the world to another backend. An interrupted run repeats it from the beginning, because
// nothing is visible before Commit.
func move[T any](ctx context.Context, c *copier, p part[T]) (err error) {
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
	if remote && !c.log.Entered {
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
	*p.count = 0
	dates := 0
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
		*p.count++
		c.progress(p.what, *p.count, 0)
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
	if s, ok := to.(interface{ Start(context.Context) error }); ok && *p.count == 0 && c.have.Of(p.part) == world.Files {
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	if err := to.Commit(ctx); err != nil {
		return err
	}
	return p.compare(ctx, to)
}

// protect makes the copied store readable for its owner only, if the original files are.
func (c *copier) protect(p world.Part) error {
	if !world.OwnerOnly(c.src, p.Files(c.have.Of(p))...) {
		return nil
	}
	return world.Protect(c.dst, p.Files(c.target(p))...)
}

// compare returns an error if the store does not contain all that was written.
func (p part[T]) compare(ctx context.Context, to world.Store[T]) error {
	n := 0
	for _, err := range to.Names(ctx) {
		if err != nil {
			return err
		}
		n++
	}
	if n != *p.count {
		return fmt.Errorf("%s: %w: %d of %d", p.what, ErrVerify, n, *p.count)
	}
	return nil
}

// lookAtStores opens the stores that were copied as files and compares them with the originals.
func lookAtStores(ctx context.Context, c *copier) error {
	return errors.Join(
		lookAt(ctx, c, part[*world.Player]{what: "players", part: world.PlayersPart, open: world.OpenPlayers}),
		lookAt(ctx, c, part[*world.Account]{what: "accounts", part: world.AuthPart, open: world.OpenAuth}),
		lookAt(ctx, c, part[*world.ModData]{what: "mods", part: world.StoragePart, open: world.OpenStorage}),
	)
}

// lookAt compares a store of the copy with that of the world, and reports what cannot be read.
func lookAt[T any](ctx context.Context, c *copier, p part[T]) (err error) {
	if c.target(p.part) != "" || p.part.Remote(c.have.Of(p.part)) || c.opts.Only != nil {
		return nil // it was compared when it was moved, is on the same server, or need not be in the copy
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
