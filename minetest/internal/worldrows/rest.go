package worldrows

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
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// worldRow is a row of the table of worlds.
type worldRow struct {
	name, game   string
	backends     world.Backends
	mapMeta, env *world.Settings
}

// setting returns a cell with a text setting.
func setting(of func(*worldRow) *world.Settings, name string) func(*worldRow) format.Cell {
	return func(w *worldRow) format.Cell {
		v, _ := of(w).Get(name)
		return text(v)
	}
}

// numberOf returns a cell with a setting that is a number of 32 bits.
func numberOf(name string) func(*worldRow) format.Cell {
	return func(w *worldRow) format.Cell {
		text, _ := w.env.Get(name)
		v, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return format.Cell{}
		}
		return format.IntCell(int64(v))
	}
}

func mapMeta(w *worldRow) *world.Settings { return w.mapMeta }

var tableWorlds = tableOf("minetest_worlds", "A world.",
	col("name", format.ColumnText, "Its name: world_name of world.mt, or the name of its folder.",
		func(w *worldRow) format.Cell { return format.TextCell(w.name) }),
	opt("game", format.ColumnText, "The id of its game, gameid of world.mt.", func(w *worldRow) format.Cell { return text(w.game) }),
	col("map_backend", format.ColumnText, "The backend of the blocks, such as sqlite3; sectors in the oldest worlds.",
		func(w *worldRow) format.Cell { return format.TextCell(w.backends.Map) }),
	col("player_backend", format.ColumnText, "The backend of the players, such as sqlite3 or files.",
		func(w *worldRow) format.Cell { return format.TextCell(w.backends.Players) }),
	col("auth_backend", format.ColumnText, "The backend of the accounts.",
		func(w *worldRow) format.Cell { return format.TextCell(w.backends.Auth) }),
	col("mod_storage_backend", format.ColumnText, "The backend of mod storage.",
		func(w *worldRow) format.Cell { return format.TextCell(w.backends.ModStorage) }),
	opt("seed", format.ColumnText, "The seed of the map, a number of 64 bits without a sign, in digits.", setting(mapMeta, "seed")),
	opt("mapgen", format.ColumnText, "The map generator, mg_name of map_meta.txt, such as v7.", setting(mapMeta, "mg_name")),
	opt("game_time", format.ColumnInt, "The game time of the world, in seconds.", numberOf("game_time")),
	opt("time_of_day", format.ColumnInt, "0 to 23999, where 6000 is six in the morning.", numberOf("time_of_day")),
	opt("day_count", format.ColumnInt, "The number of days of the game that have passed.", numberOf("day_count")),
)

type settingRow struct{ file, key, value string }

var tableSettings = tableOf("minetest_settings", "A setting of a world. Passwords in it are replaced by ***.",
	col("source", format.ColumnText, "Its file: world.mt, map_meta.txt or env_meta.txt.",
		func(s *settingRow) format.Cell { return format.TextCell(s.file) }),
	col("key", format.ColumnText, "Its name. If a setting occurs several times, the last one is valid.",
		func(s *settingRow) format.Cell { return format.TextCell(s.key) }),
	col("value", format.ColumnText, "Its value; { for a group.", func(s *settingRow) format.Cell { return format.TextCell(s.value) }),
)

type player struct {
	*world.Player
	account *world.Account // nil if there is none
}

// moment returns a cell with a time; it is null if the time is unknown.
func moment(t time.Time) format.Cell {
	if t.IsZero() || t.Year() < 1970 || t.Year() > 9999 {
		return format.Cell{}
	}
	return format.TimeCell(t)
}

// login returns a cell with the last login of an account.
func login(a *world.Account) format.Cell {
	if a == nil || a.LastLogin <= 0 || a.LastLogin > math.MaxUint32*8 {
		return format.Cell{}
	}
	return moment(time.Unix(a.LastLogin, 0).UTC())
}

func privileges(a *world.Account) format.Cell {
	return format.TextCell(strings.Join(a.Privileges, " "))
}

const loginHelp = "When the player logged in last; null for never."

var tablePlayers = tableOf("minetest_players", "A player: position and privileges.", with(
	[]column[player]{col("player", format.ColumnText, "The name.", func(p *player) format.Cell { return format.TextCell(p.Name) })}, with(
		exactPos(func(p *player) [3]float64 { return [3]float64{p.Pos[0] / 10, p.Pos[1] / 10, p.Pos[2] / 10} }),
		col("pitch", format.ColumnFloat, "The angle of view downwards, in degrees.",
			func(p *player) format.Cell { return format.FloatCell(p.Pitch) }),
		col("yaw", format.ColumnFloat, "The direction of view, in degrees.", func(p *player) format.Cell { return format.FloatCell(p.Yaw) }),
		col("hp", format.ColumnInt, "Half hearts, 0 to 65535; 20 is usual.", func(p *player) format.Cell { return format.IntCell(p.HP) }),
		col("breath", format.ColumnInt, "0 to 65535; 10 or 11 is full.", func(p *player) format.Cell { return format.IntCell(p.Breath) }),
		opt("created", format.ColumnTime, "When the player was created; null if the backend does not store it.",
			func(p *player) format.Cell { return moment(p.Created) }),
		opt("modified", format.ColumnTime, "When the player was last saved; null if the backend does not store it.",
			func(p *player) format.Cell { return moment(p.Modified) }),
		opt("privileges", format.ColumnText, "The privileges of the account, separated by spaces; null without an account.",
			func(p *player) format.Cell {
				if p.account == nil {
					return format.Cell{}
				}
				return privileges(p.account)
			}),
		opt("last_login", format.ColumnTime, loginHelp, func(p *player) format.Cell { return login(p.account) }),
	)...)...)

var tableAccounts = tableOf("minetest_accounts", "An account, without its password.",
	col("account", format.ColumnText, "The name of the player.", func(a *world.Account) format.Cell { return format.TextCell(a.Name) }),
	col("privileges", format.ColumnText, "The privileges, separated by spaces.", privileges),
	opt("last_login", format.ColumnTime, loginHelp, login),
)

type entry struct {
	mod string
	world.Entry
}

var tableStorage = tableOf("minetest_mod_storage", "A key of the storage of a mod, without the value.",
	col("mod", format.ColumnText, "The name of the mod.", func(e *entry) format.Cell { return format.TextCell(e.mod) }),
	col("key", format.ColumnText, "The key.", func(e *entry) format.Cell { return format.TextCell(string(e.Key)) }),
	col("value_bytes", format.ColumnInt, "The size of the value.", func(e *entry) format.Cell { return format.IntCell(len(e.Value)) }),
)

var tableForceLoaded = tableOf("minetest_forceloaded", "A block that stays loaded.",
	col("block_x", format.ColumnInt, "x of the block, in blocks.", func(f *world.ForceLoad) format.Cell { return format.IntCell(f.Pos[0]) }),
	col("block_y", format.ColumnInt, "y of the block, in blocks.", func(f *world.ForceLoad) format.Cell { return format.IntCell(f.Pos[1]) }),
	col("block_z", format.ColumnInt, "z of the block, in blocks.", func(f *world.ForceLoad) format.Cell { return format.IntCell(f.Pos[2]) }),
	col("count", format.ColumnInt, "The number of requests to keep it loaded.",
		func(f *world.ForceLoad) format.Cell { return format.IntCell(f.Count) }),
)

var tableBans = tableOf("minetest_bans", "A ban, without the address.",
	opt("player", format.ColumnText, "The player who used the address; null if none is named.",
		func(b *world.Ban) format.Cell { return text(b.Name) }),
)

// rest is a pass over everything except the blocks.
type rest struct {
	ctx      context.Context
	dir      string
	settings *world.Settings
	o        Options
	row      Func
	rows
}

// Rest calls row with the rows of everything except the blocks of the world in dir, whose settings are given: the
// tables of worlds, settings, players, inventories, accounts, mod storage, forced blocks, bans, actions and findings. The
// error is that of row, of the context, or of a server that failed or is not allowed.
func Rest(ctx context.Context, dir string, settings *world.Settings, o Options, row Func) error {
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

// put writes one row.
func put[T any](r *rest, t *table[T], v T) error {
	add(&r.rows, t, v)
	return r.flush(r.row)
}

// text reads a file of the world, which may be missing.
func (r *rest) text(name string) []byte {
	text, err := regular.ReadFile(filepath.Join(r.dir, name), world.MaxText)
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
	err := put(r, tableWorlds, worldRow{
		world.WorldName(r.dir, r.settings), r.settings.GameID(), world.FindBackends(r.dir, r.settings), files["map_meta.txt"],
		files["env_meta.txt"],
	})
	for _, s := range list {
		err = cmp.Or(err, put(r, tableSettings, s))
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
	for name, err := range s.Names(r.ctx) {
		var thing T
		if err == nil {
			if thing, err = s.Get(r.ctx, name); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case world.Failed(err):
			return err
		case err != nil:
			r.o.miss(err)
			continue
		}
		if err := do(thing); err != nil {
			return err
		}
	}
	return nil
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
		if err := put(r, tablePlayers, player{p, account}); err != nil {
			return err
		}
		items, err := worldfind.ItemsOf(p, anything)
		if err != nil {
			r.o.miss(err)
		}
		for _, it := range items {
			add(&r.rows, tableInventories, it)
		}
		return r.flush(r.row)
	}); err != nil {
		return err
	}
	return each(r, accounts, func(a *world.Account) error { return put(r, tableAccounts, *a) })
}

func (r *rest) storage() error {
	mods, err := open(r, world.StoragePart, world.OpenStorage)
	if err != nil {
		return err
	}
	defer mods.Close()
	return each(r, mods, func(m *world.ModData) error {
		for _, e := range m.Entries {
			add(&r.rows, tableStorage, entry{m.Mod, e})
		}
		return r.flush(r.row)
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
			add(&r.rows, tableForceLoaded, b)
		}
	}
	for ban := range world.ParseBans(r.text("ipban.txt")).All() {
		add(&r.rows, tableBans, ban)
	}
	return r.flush(r.row)
}

// findings writes the findings of a check.
func (r *rest) findings() error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	err := world.CheckRest(ctx, r.dir, world.CheckOptions{Remote: r.o.Remote}, func(f check.Finding) {
		if ctx.Err() == nil {
			if err := put(r, tableFindings, f); err != nil {
				cancel(err)
			}
		}
	})
	return cmp.Or(context.Cause(ctx), err)
}
