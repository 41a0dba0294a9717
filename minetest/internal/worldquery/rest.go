//go:build !js

package worldquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// worldRow is a row of the table of worlds.
type worldRow struct {
	name, game   string
	backends     world.Backends
	mapMeta, env world.Settings
}

var tableWorlds = format.NewTable("minetest_worlds", "A world.", func(r *format.Rows, w worldRow) {
	r.Col("name", format.TextCell(w.name), "Its name: world_name of world.mt, or the name of its folder.")
	r.Col("game", text(w.game), "The id of its game, gameid of world.mt.")
	r.Col("map_backend", format.TextCell(w.backends.Map), "The backend of the blocks, such as sqlite3; sectors in the oldest worlds.")
	r.Col("player_backend", format.TextCell(w.backends.Players), "The backend of the players, such as sqlite3 or files.")
	r.Col("auth_backend", format.TextCell(w.backends.Auth), "The backend of the accounts.")
	r.Col("mod_storage_backend", format.TextCell(w.backends.ModStorage), "The backend of mod storage.")
	setting := func(name, key, help string) {
		v, _ := w.mapMeta.Get(key)
		r.Col(name, text(v), help)
	}
	setting("seed", "seed", "The seed of the map, an unsigned 64-bit number, in digits.")
	setting("mapgen", "mg_name", "The map generator, mg_name of map_meta.txt, such as v7.")
	number := func(name, help string) {
		text, _ := w.env.Get(name)
		v, err := strconv.ParseUint(text, 10, 32)
		r.Col(name, format.IntCell(int64(v)).If(err == nil), help)
	}
	number("game_time", "The game time of the world, in seconds.")
	number("time_of_day", "0 to 23999, where 6000 is six in the morning.")
	number("day_count", "The number of days of the game that have passed.")
})

type settingRow struct{ file, key, value string }

var tableSettings = format.NewTable("minetest_settings", "A setting of a world. Passwords in it are replaced by ***.",
	func(r *format.Rows, s settingRow) {
		r.Col("source", format.TextCell(s.file), "Its file: world.mt, map_meta.txt or env_meta.txt.")
		r.Col("key", format.TextCell(s.key), "Its name. If a setting occurs several times, the last one is valid.")
		r.Col("value", format.TextCell(s.value), "Its value; { for a group.")
	})

type player struct {
	world.Player
	account *world.Account // nil if there is none
}

// moment returns a cell with a time; it is null if the time is unknown.
func moment(t time.Time) format.Cell {
	return format.TimeCell(t).If(!t.IsZero() && t.Year() >= 1970 && t.Year() <= 9999)
}

// login adds the last login of an account.
func login(r *format.Rows, a *world.Account) {
	at := time.Time{}
	if a != nil && a.LastLogin > 0 && a.LastLogin <= math.MaxUint32*8 {
		at = time.Unix(a.LastLogin, 0).UTC()
	}
	r.Col("last_login", moment(at), "When the player logged in last; null for never.")
}

func privileges(a *world.Account) format.Cell {
	return format.TextCell(strings.Join(a.Privileges, " "))
}

var tablePlayers = format.NewTable("minetest_players", "A player: position and privileges.", func(r *format.Rows, p player) {
	r.Col("player", format.TextCell(p.Name), "The name.")
	exactPos(r, [3]float64{p.Pos[0] / 10, p.Pos[1] / 10, p.Pos[2] / 10})
	r.Col("pitch", format.FloatCell(p.Pitch), "The angle of view downwards, in degrees.")
	r.Col("yaw", format.FloatCell(p.Yaw), "The direction of view, in degrees.")
	r.Col("hp", format.IntCell(p.HP), "Half hearts, 0 to 65535; 20 is usual.")
	r.Col("breath", format.IntCell(p.Breath), "0 to 65535; 10 or 11 is full.")
	r.Col("created", moment(p.Created), "When the player was created; null if the backend does not store it.")
	r.Col("modified", moment(p.Modified), "When the player was last saved; null if the backend does not store it.")
	r.Col("privileges", privileges(cmp.Or(p.account, new(world.Account))).If(p.account != nil),
		"The privileges of the account, separated by spaces; null without an account.")
	login(r, p.account)
})

var tableAccounts = format.NewTable("minetest_accounts", "An account, without its password.", func(r *format.Rows, a world.Account) {
	r.Col("account", format.TextCell(a.Name), "The name of the player.")
	r.Col("privileges", privileges(&a), "The privileges, separated by spaces.")
	login(r, &a)
})

type entry struct {
	mod string
	world.Entry
}

var tableStorage = format.NewTable("minetest_mod_storage", "A key of the storage of a mod, without the value.",
	func(r *format.Rows, e entry) {
		r.Col("mod", format.TextCell(e.mod), "The name of the mod.")
		r.Col("key", format.TextCell(string(e.Key)), "The key.")
		r.Col("value_bytes", format.IntCell(len(e.Value)), "The size of the value.")
	})

var tableForceLoaded = format.NewTable("minetest_forceloaded", "A block that stays loaded.", func(r *format.Rows, f world.ForceLoad) {
	r.Col("block_x", format.IntCell(f.Pos[0]), "x of the block, in blocks.")
	r.Col("block_y", format.IntCell(f.Pos[1]), "y of the block, in blocks.")
	r.Col("block_z", format.IntCell(f.Pos[2]), "z of the block, in blocks.")
	r.Col("count", format.IntCell(f.Count), "The number of requests to keep it loaded.")
})

var tableBans = format.NewTable("minetest_bans", "A ban, without the address.", func(r *format.Rows, b world.Ban) {
	r.Col("player", text(b.Name), "The player who used the address; null if none is named.")
})

// rest is a pass over everything except the blocks.
type rest struct {
	ctx      context.Context
	dir      string
	settings *world.Settings
	o        RowOptions
	row      format.RowFunc
	format.Rows
}

// Rest calls row with the rows of everything except the blocks of the world in dir, whose settings are given: the
// tables of worlds, settings, players, inventories, accounts, mod storage, forced blocks, bans, actions and findings. The
// error is that of row, of the context, or of a server that failed or is not allowed.
func Rest(ctx context.Context, dir string, settings *world.Settings, o RowOptions, row format.RowFunc) error {
	r := &rest{ctx: ctx, dir: dir, settings: settings, o: o, row: row}
	for _, yieldTable := range []func() error{r.world, r.people, r.storage, r.lists, r.actions, r.findings} {
		if err := yieldTable(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// text reads a file of the world, which may be missing.
func (r *rest) text(name string) []byte {
	text, err := regular.ReadFile(filepath.Join(r.dir, name), effort.TextFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.o.miss(fmt.Errorf("%s: %w", name, err))
	}
	return text
}

func (r *rest) world() error {
	files := make(map[string]*world.Settings)
	var list []settingRow
	for _, f := range []struct{ name, end string }{{"world.mt", ""}, {"map_meta.txt", world.MapMetaEnd}, {"env_meta.txt", world.EnvMetaEnd}} {
		s := world.ParseSettings(worlddir.Mask(f.name, r.text(f.name)), f.end)
		files[f.name] = s
		for key, value := range s.All() {
			list = append(list, settingRow{f.name, key, value})
		}
	}
	err := tableWorlds.Put(r.row, worldRow{
		world.WorldName(r.dir, r.settings), r.settings.GameID(), world.FindBackends(r.dir, r.settings),
		*files["map_meta.txt"], *files["env_meta.txt"],
	})
	for _, s := range list {
		err = cmp.Or(err, tableSettings.Put(r.row, s))
	}
	return err
}

// open opens a store of the world. If it cannot be opened, the error is reported and the result is an empty store.
func open[T any](r *rest, part world.Part, do func(context.Context, string, *world.Settings,
	world.Options) (world.Store[T], error)) (world.Store[T], error) {
	missed := func(err error) { r.o.miss(fmt.Errorf("%s: %w", part.What(), err)) }
	s, err := do(r.ctx, r.dir, r.settings, world.Options{Remote: r.o.Remote, Lost: func(err error, _ []check.Place) { missed(err) }})
	if err == nil || world.Failed(err) || errors.Is(err, world.ErrRemote) {
		return s, err
	}
	missed(err)
	return world.None[T](), nil
}

// each calls do with all readable things of a store.
func each[T any](r *rest, s world.Store[T], do func(T) error) error {
	return Each(r.ctx, s, anything.Match, func(name string, err error) {
		if name != "" {
			err = fmt.Errorf("%s: %w", name, err)
		}
		r.o.miss(err)
	}, do)
}

// people writes the rows of players and accounts.
func (r *rest) people() error {
	accounts, err := open(r, world.AuthPart, world.OpenAuth)
	if err != nil {
		return err
	}
	defer accounts.Close()
	players, err := open(r, world.PlayersPart, world.OpenPlayers)
	if err != nil {
		return err
	}
	defer players.Close()
	if err := each(r, players, func(p *world.Player) error {
		account, err := accounts.Get(r.ctx, p.Name)
		if world.Failed(err) {
			return err
		}
		if err != nil {
			account = nil // the error is reported below
		}
		if err := tablePlayers.Put(r.row, player{*p, account}); err != nil {
			return err
		}
		items, err := ItemsOf(p, anything)
		if err != nil {
			r.o.miss(err)
		}
		for _, it := range items {
			tableInventories.Add(&r.Rows, it)
		}
		return r.Flush(r.row)
	}); err != nil {
		return err
	}
	return each(r, accounts, func(a *world.Account) error { return tableAccounts.Put(r.row, *a) })
}

func (r *rest) storage() error {
	mods, err := open(r, world.StoragePart, world.OpenStorage)
	if err != nil {
		return err
	}
	defer mods.Close()
	return each(r, mods, func(m *world.ModData) error {
		for _, e := range m.Entries {
			tableStorage.Add(&r.Rows, entry{m.Mod, e})
		}
		return r.Flush(r.row)
	})
}

// lists writes the rows of files that are lists.
func (r *rest) lists() error {
	if text := r.text("force_loaded.txt"); text != nil {
		list, err := world.ParseForceLoaded(text)
		if err != nil {
			r.o.miss(err)
			list = new(world.ForceLoaded)
		}
		for _, b := range list.Blocks {
			tableForceLoaded.Add(&r.Rows, b)
		}
	}
	for ban := range world.ParseBans(r.text("ipban.txt")).All() {
		tableBans.Add(&r.Rows, ban)
	}
	return r.Flush(r.row)
}

// findings writes the findings of a check.
func (r *rest) findings() error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	err := world.CheckRest(ctx, r.dir, world.CheckOptions{Remote: r.o.Remote}, func(f check.Finding) {
		if ctx.Err() == nil {
			if err := tableFindings.Put(r.row, f); err != nil {
				cancel(err)
			}
		}
	})
	return cmp.Or(context.Cause(ctx), err)
}
