package worldquery

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worldedit"
)

// readFile reads a file of the world, which may be missing.
func (s *Search) readFile(name string) ([]byte, error) {
	text, err := regular.ReadFile(filepath.Join(s.dir, name), effort.TextFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func (s *Search) areas() (*protect.Areas, error) {
	text, err := s.readFile(protect.AreasFile)
	if text == nil || err != nil {
		return new(protect.Areas), err
	}
	return protect.ParseAreas(text)
}

// MayBuildOptions are the options of [MayBuild].
type MayBuildOptions struct {
	Place string `arg:"place" help:"x,y,z in nodes"`
	worldjob.Protectors
}

// MayBuild finds the players that may build at a node.
func MayBuild(ctx context.Context, s *Search, o MayBuildOptions) error {
	pos, err := worldjob.ParseNode(o.Place)
	if err != nil {
		return err
	}
	radius := o.Radius
	if radius < 0 || radius > 1000 {
		return errors.New("--protector-radius: expected 0 to 1000")
	}
	areas, err := s.areas()
	if err != nil {
		return err
	}
	db, err := worlddir.OpenMap(ctx, s.dir, s.settings, world.Options{Remote: worldjob.OptionRemote.On(s.job)})
	if err != nil {
		return err
	}
	defer db.Close()
	var protectors []protect.Protector
	for b, err := range db.Blocks(ctx, protect.Near(pos, radius)) {
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			s.miss(err)
			continue
		}
		if err != nil {
			return err
		}
		block, err := mapblock.Decode(b.Data)
		if err != nil {
			s.miss(fmt.Errorf("%s: %w", place.Block(b.Pos.X, b.Pos.Y, b.Pos.Z), err))
			continue
		}
		for _, p := range protect.Protectors(b.Pos, block) {
			if p.Reaches(pos, radius) {
				protectors = append(protectors, p)
			}
		}
	}
	at := place.At(pos)
	in := areas.At(pos)
	hit := func(who, why string) error {
		return s.hit(format.Hit{Path: "protection", At: at, Fields: []format.InfoField{format.Fact("who", "", who), format.Fact("why", "", why)}})
	}
	var reasons []string
	for _, a := range in {
		reasons = append(reasons, strings.TrimSpace(fmt.Sprintf("area %d %s", a.ID, a.Name)))
	}
	for _, p := range protectors {
		reasons = append(reasons, fmt.Sprintf("%s at %d,%d,%d", p.Node, p.Pos[0], p.Pos[1], p.Pos[2]))
	}
	why := strings.Join(reasons, ", ")
	right := protect.MayBuild(in, protectors)
	if right.Everybody {
		if why == "" {
			why = "unprotected"
		}
		return hit("everybody", why)
	}
	for _, name := range right.Names {
		if err := hit(name, why); err != nil {
			return err
		}
	}
	for _, f := range right.Factions {
		if err := hit("faction "+f, why); err != nil {
			return err
		}
	}
	if len(right.Needs) > 0 {
		if err := hit("players with the privilege "+strings.Join(right.Needs, " and "), why); err != nil {
			return err
		}
	}
	return s.bypass(ctx, len(in) > 0, len(protectors) > 0, hit)
}

// bypass reports the accounts with privileges that allow building everywhere.
func (s *Search) bypass(ctx context.Context, areas, protectors bool, hit func(who, why string) error) error {
	auth, err := world.OpenAuth(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer auth.Close()
	every := func(string) bool { return true }
	return Each(ctx, auth, every, s.missThing, func(a *world.Account) error {
		has := func(privilege string) bool { return slices.Contains(a.Privileges, privilege) }
		why := ""
		switch {
		case has("protection_bypass"):
			why = "privilege protection_bypass"
		case areas && !protectors && has("areas"):
			why = "privilege areas"
		case protectors && !areas && has("delprotect"):
			why = "privilege delprotect"
		case areas && protectors && has("areas") && has("delprotect"):
			why = "privileges areas and delprotect"
		default:
			return nil
		}
		return hit(a.Name, why)
	})
}

// AreaOptions are the options of [Areas].
type AreaOptions struct {
	Owners []string `arg:"owner" names:"player" help:"the names of owners; without names, all"`
}

// Areas finds protected areas.
func Areas(_ context.Context, s *Search, o AreaOptions) error {
	areas, err := s.areas()
	if err != nil {
		return err
	}
	for _, a := range areas.List {
		if len(o.Owners) > 0 && !slices.Contains(o.Owners, a.Owner) {
			continue
		}
		size := int64(1)
		for i := range a.Min {
			size *= int64(a.Max[i]) - int64(a.Min[i]) + 1
		}
		corner := func(v [3]int) string { return fmt.Sprintf("%d,%d,%d", v[0], v[1], v[2]) }
		err := s.hit(format.Hit{Path: protect.AreasFile, At: place.At(clamp(a.Min)), Fields: []format.InfoField{
			format.Fact("id", "", a.ID), format.Fact("name", "", a.Name), format.Fact("owner", "", a.Owner),
			format.Fact("from", "", corner(a.Min)), format.Fact("to", "", corner(a.Max)), format.Fact("nodes", "", size),
			format.Fact("parent", "", a.Parent), format.Fact("open", "", a.Open),
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// clamp returns the node of the world that is nearest to a position.
func clamp(v [3]int) [3]int {
	for i := range v {
		v[i] = min(max(v[i], worldedit.MinNode), worldedit.MaxNode)
	}
	return v
}

// ChangedOptions are the options of [Changed].
type ChangedOptions struct {
	Place []string `arg:"place" help:"x,y,z in nodes, or two corners x1,y1,z1:x2,y2,z2; without it, everywhere"`
	Actor string   `option:"actor" names:"player" help:"only changes of this {actor}: a player, or for example liquid"`
	worldjob.Period
}

// Changed finds recorded changes, from the newest to the oldest.
func Changed(ctx context.Context, s *Search, o ChangedOptions) error {
	f := rollback.Filter{Actor: o.Actor}
	if len(o.Place) > 1 {
		return errors.New("expected one place")
	} else if len(o.Place) == 1 {
		from, to, isArea := strings.Cut(o.Place[0], ":")
		if !isArea {
			to = from
		}
		a, err := worldjob.ParseNode(from)
		if err != nil {
			return err
		}
		b, err := worldjob.ParseNode(to)
		if err != nil {
			return err
		}
		box := worldedit.BoxOf(a, b)
		f.Area = &[2][3]int{box.Min, box.Max}
	}
	var err error
	if f.Since, f.Until, err = o.Times(); err != nil {
		return err
	}
	db, err := rollback.Open(ctx, s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		s.job.Warn(s.name, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	for a, err := range db.Actions(ctx, f) {
		if errors.Is(err, fault.ErrLost) {
			if s.miss(err); a.ID == 0 {
				continue
			}
		} else if err != nil {
			return err
		}
		hit := format.Hit{Path: rollback.File, Fields: []format.InfoField{
			format.Fact("time", "", a.Time.Format(time.DateTime)), format.Fact("actor", "", a.Actor), format.Fact("what", "", a.What()),
			format.Fact("kind", "", a.Type.String()), format.Fact("guessed", "", a.Guessed),
		}}
		if a.HasPos {
			hit.At = place.At(clamp(a.Pos))
		}
		if err := s.hit(hit); err != nil {
			return err
		}
	}
	return nil
}

// BanOptions are the options of [Bans].
type BanOptions struct {
	Who []string `arg:"who" help:"only these addresses and names"`
}

// Bans finds banned addresses.
func Bans(_ context.Context, s *Search, o BanOptions) error {
	text, err := s.readFile("ipban.txt")
	if err != nil {
		return err
	}
	for ban := range world.ParseBans(text).All() {
		if len(o.Who) > 0 && !slices.Contains(o.Who, ban.Address) && !slices.Contains(o.Who, ban.Name) {
			continue
		}
		if err := s.hit(format.Hit{Path: "ipban.txt", Fields: []format.InfoField{format.Fact("address", "", ban.Address),
			format.Fact("name", "", ban.Name)}}); err != nil {
			return err
		}
	}
	return nil
}

// StorageOptions are the options of [Storage].
type StorageOptions struct {
	ModAndKeys []string `arg:"mod" names:"mod" help:"a mod, followed by keys; without it, all mods"`
}

// Storage finds values that mods store.
func Storage(ctx context.Context, s *Search, o StorageOptions) error {
	store, err := world.OpenStorage(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer store.Close()
	words := o.ModAndKeys
	named := func(mod string) bool { return len(words) == 0 || mod == words[0] }
	return Each(ctx, store, named, s.missThing, func(m *world.ModData) error {
		for _, e := range m.Entries {
			if len(words) > 1 && !slices.Contains(words[1:], string(e.Key)) {
				continue
			}
			var at check.Place = place.Entry{Mod: m.Mod, Key: string(e.Key)}
			value, binary := string(e.Value), ""
			if !utf8.ValidString(value) {
				value, binary = "", base64.StdEncoding.EncodeToString(e.Value)
			}
			if err := s.hit(format.Hit{Path: "mod_storage", At: at, Fields: []format.InfoField{
				format.Fact("mod", "", m.Mod), format.Fact("key", "", string(e.Key)), format.Fact("value", "", value),
				format.Fact("base64", "", binary), format.Fact("bytes", "", int64(len(e.Value))),
			}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Persons finds players and accounts by a rule.
func Persons(ctx context.Context, s *Search, o worldjob.Persons) error {
	rule, err := o.Rule()
	if err != nil {
		return err
	}
	players, err := world.OpenPlayers(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer players.Close()
	auth, err := world.OpenAuth(ctx, s.dir, s.settings, s.options())
	if err != nil {
		return err
	}
	defer auth.Close()
	for p, err := range worldadmin.Find(ctx, players, auth, rule) {
		if err != nil {
			if p == nil && (ctx.Err() != nil || world.Failed(err) || errors.Is(err, worldadmin.ErrNoKey)) {
				return err
			}
			s.miss(err)
			continue
		}
		seen, privileges := "", ""
		if !p.Seen.IsZero() {
			seen = p.Seen.Format(time.DateTime)
		}
		if p.Account != nil {
			privileges = strings.Join(p.Account.Privileges, " ")
		}
		if err := s.hit(format.Hit{Path: "players", At: place.Player(p.Name), Fields: []format.InfoField{
			format.Fact("name", "", p.Name), format.Fact("seen", "", seen), format.Fact("player", "", p.Playing),
			format.Fact("account", "", p.Account != nil), format.Fact("privileges", "", privileges),
		}}); err != nil {
			return err
		}
	}
	return nil
}
