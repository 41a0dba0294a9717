package minetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// Options of the commands for operators.
var (
	stepAll    = format.Option{Name: "all", Bool: true, Help: "do it even if that is everything there is"}
	stepExport = format.Option{Name: "export", Help: "make a new world in a `folder` of the blocks that are deleted"}

	stepRadius = format.Option{Name: "radius", Type: format.Integer, Help: "only what is at most so many `nodes` away from --center, in any height"}
	stepCenter = format.Option{Name: "center", Default: "0,0", Help: "the middle for --radius, `x,z` in nodes"}
	stepTouch  = format.Option{Name: "touching", Bool: true, Help: "map chunks, too, of which only a part is there"}

	chunkOptions = []format.Option{stepBox, stepArea, stepRadius, stepCenter}

	ruleOptions = []format.Option{
		{Name: "name", List: true, Help: "only those with a `name`, in which * and ? stand for letters"},
		{Name: "not-seen", Help: "only those who were last there before a `time`: so long ago, such as 30d, 6mo or 2y, or a day such as 2024-01-31"},
		{Name: "never", Bool: true, Help: "only accounts that were never used"},
		{Name: "privilege", List: true, Help: "only those who have a `privilege`"},
		{Name: "without", List: true, Help: "only those who lack a `privilege`"},
		{Name: "where", List: true, Help: "only players for whom a `condition` holds on what mods keep with them, such as \"xp < 100\"; = != < <= > >="},
		{Name: "no-player", Bool: true, Help: "only accounts without a player"},
		{Name: "no-account", Bool: true, Help: "only players without an account"},
	}
)

// timeOf parses a time: a date, or an age such as 30d.
func timeOf(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(digits)
	if err == nil && n >= 0 && n < 10000 {
		switch text[len(digits):] {
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), nil
		case "d":
			return now.AddDate(0, 0, -n), nil
		case "w":
			return now.AddDate(0, 0, -7*n), nil
		case "mo":
			return now.AddDate(0, -n, 0), nil
		case "y":
			return now.AddDate(-n, 0, 0), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q: expected a day such as 2024-01-31, or how long ago: 12h, 30d, 4w, 6mo or 2y", text)
}

// ruleOf returns the rule that selects persons.
func ruleOf(job *format.Job) (r worldadmin.Rule, err error) {
	r = worldadmin.Rule{
		Names: job.List("name"), Never: job.On("never"), Has: job.List("privilege"), Not: job.List("without"),
		NoPlayer: job.On("no-player"), NoAccount: job.On("no-account"),
	}
	if text := job.Value("not-seen"); text != "" {
		if r.NotSince, err = timeOf(text, time.Now()); err != nil {
			return r, fmt.Errorf("--not-seen %w", err)
		}
	}
	for _, text := range job.List("where") {
		c, err := worldadmin.ParseCondition(text)
		if err != nil {
			return r, fmt.Errorf("--where %w", err)
		}
		r.Where = append(r.Where, c)
	}
	return r, nil
}

// chunksOf returns the selected map chunks.
func chunksOf(job *format.Job, tally *worldedit.Tally) (c worldadmin.Chunks, err error) {
	c = worldadmin.Chunks{Export: job.Value(stepExport.Name), All: job.On(stepAll.Name), Touching: job.On(stepTouch.Name), Tally: tally}
	its := *job // the job selects chunks instead of nodes, also those outside of a radius
	its.Values = maps.Clone(job.Values)
	delete(its.Values, stepInvert.Name)
	region, bounded, err := regionOf(&its)
	if err != nil {
		return c, err
	}
	c.Box = region.Box
	c.Radius = job.Integer(stepRadius.Name)
	if job.Value(stepRadius.Name) != "" && c.Radius < 1 {
		return c, fmt.Errorf("--%s %d: expected 1 or more", stepRadius.Name, c.Radius)
	}
	x, z, ok := strings.Cut(job.Value(stepCenter.Name), ",")
	var errX, errZ error
	c.Center[0], errX = strconv.Atoi(strings.TrimSpace(x))
	c.Center[1], errZ = strconv.Atoi(strings.TrimSpace(z))
	if !ok || errX != nil || errZ != nil || max(c.Center[0], c.Center[1]) > worldedit.MaxNode || min(c.Center[0], c.Center[1]) < worldedit.MinNode {
		return c, fmt.Errorf("--%s %q: expected x,z in nodes, such as 100,-20", stepCenter.Name, job.Value(stepCenter.Name))
	}
	if c.Radius == 0 && !bounded && !c.All {
		return c, fmt.Errorf("expected --%s, --%s or --%s, or --%s", stepBox.Name, stepArea.Name, stepRadius.Name, stepAll.Name)
	}
	return c, nil
}

// steps are several steps performed as one.
type steps []worldedit.Step

// Do performs the steps one after the other.
func (list steps) Do(ctx context.Context, w *worldedit.World) error { return w.Do(ctx, list...) }

// lineOfFile returns the first line of a file.
func lineOfFile(name string) (string, error) {
	data, err := regular.ReadFile(name, 1<<20)
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSuffix(line, "\r"), err
}

// linesOfFile reads names from a file, one per line. Text after # is ignored.
func linesOfFile(name string) (list []string, err error) {
	data, err := regular.ReadFile(name, 16<<20)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: there is no name in it", name)
	}
	return list, err
}

var operatorCommands = []worldCommand{{
	Command: format.Command{
		Name: "delete-chunks", Title: "Delete whole map chunks", Heading: "Map chunks",
		Long: "A map chunk is what the map generator makes at once, mostly 5 x 5 x 5 blocks: it makes it " +
			"again when somebody comes there, without seams; only what reaches over from a neighbour that stays, such as leaves of a tree, may be cut off. Only chunks that are there as a whole are deleted; " +
			"with --invert only those no node of which is there.",
		Options: append([]format.Option{stepInvert, stepTouch, stepExport, stepAll}, chunkOptions...),
		Example: "delete-chunks --radius 2000 --invert --export outskirts",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		c, err := chunksOf(job, tally)
		c.Outside = job.On(stepInvert.Name)
		return c.Step(), err
	},
}, {
	Command: format.Command{
		Name: "keep-chunks", Title: "Delete all map chunks but some", Heading: "Map chunks",
		Long:    "Map chunks of which only a part is there are kept.",
		Options: append([]format.Option{stepExport, stepAll}, chunkOptions...),
		Example: "keep-chunks --box -500,-100,-500:500,200,500",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		c, err := chunksOf(job, tally)
		c.Outside = true
		return c.Step(), err
	},
}, {
	Command: format.Command{
		Name: "regenerate", Title: "Have the map generator make all map chunks of an area again", Heading: "Map chunks",
		Long: "They are deleted, those of which only a part is there as well. Land is the same again only with " +
			"the map generator and the mods of then. It is an error if the map generator makes nothing, or the seed is missing.",
		Options: append([]format.Option{stepExport, stepAll}, chunkOptions...),
		Example: "regenerate --box 100,-20,100:300,80,300",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		c, err := chunksOf(job, tally)
		c.Touching, c.Again = true, true
		return c.Step(), err
	},
}, {
	Command: format.Command{
		Name: "prune", Title: "Delete map chunks in which nobody has done anything", Heading: "Map chunks",
		Long: "What stays: chunks in which somebody was near a block, with metadata, timers or objects, that areas.dat or " +
			"protectors protect, of which rollback.sqlite knows a change, that are kept loaded or have a player in them, " +
			"with nodes that players place, and what is near to all these. Whether a name is one that players place " +
			"is learned: it is in hardly any of the chunks in which nobody was; or it is given. " +
			"A world cannot tell everything: look at --dry-run first, and use --export.",
		Options: []format.Option{
			{Name: "placed", List: true, Names: namesRule, Help: "a `name` of nodes that players place, in which * and ? stand for letters; nothing is learned then"},
			{Name: "placed-file", Input: true, Help: "a `file` of such names, one on each line"},
			{Name: "natural", List: true, Names: namesRule, Help: "a `name` of nodes that the map generator makes, whatever is learned"},
			{Name: "rare", Type: format.Integer, Default: strconv.Itoa(worldadmin.DefaultRare), Help: "what is in fewer chunks is not made by the map generator"},
			{Name: "margin", Type: format.Integer, Default: "1", Help: "how many chunks around those that stay do, too"},
			{Name: "protector-radius", Type: format.Integer, Default: "5", Help: "how far protectors protect, in nodes: the setting protector_radius"},
			stepExport, stepAll,
		},
		Example: "prune --margin 2 --export pruned",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		p := worldadmin.Prune{
			Placed: job.List("placed"), Natural: job.List("natural"), Rare: job.Integer("rare"), Radius: job.Integer("protector-radius"),
			Export: job.Value(stepExport.Name), All: job.On(stepAll.Name), Tally: tally,
		}
		margin := job.Integer("margin")
		if margin < 0 || margin > 100 || p.Rare < 1 || p.Radius < 1 || p.Radius > 1000 {
			return nil, errors.New("expected --margin 0 to 100, --rare 1 or more and --protector-radius 1 to 1000")
		}
		p.Margin = int16(margin)
		if name := job.Value("placed-file"); name != "" {
			list, err := linesOfFile(name)
			if err != nil {
				return nil, err
			}
			p.Placed = append(p.Placed, list...)
		}
		return p.Step(), nil
	},
}, {
	Command: format.Command{
		Name: "clear-objects", Title: "Remove all objects, as /clearobjects does", Heading: "Operators",
		Long: "full removes them from all blocks. quick only notes the time in env_meta.txt: the engine drops " +
			"the objects of older blocks when it loads them.",
		Args:    []format.Option{{Name: "mode", Choices: []string{"full", "quick"}, Default: "full", Help: "how"}},
		Example: "clear-objects quick",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		return worldadmin.ClearObjects(job.Value("mode") == "quick", tally), nil
	},
}, {
	Command: format.Command{
		Name: "purge-players", Title: "Delete players and their accounts by a rule", Heading: "Operators",
		Long: "All conditions have to hold. Who was never seen, or of whom nobody knows it, is not taken for somebody " +
			"who was not seen for long. Those with the privilege server or privs stay unless --admins is given.",
		Options: append([]format.Option{
			{Name: "players-only", Bool: true, Help: "keep the accounts"},
			{Name: "admins", Bool: true, Help: "delete those with the privilege server or privs, too"},
			stepAll,
		}, ruleOptions...),
		Example: `purge-players --not-seen 30d --where "xp < 100"`,
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		rule, err := ruleOf(job)
		return worldadmin.Purge{Rule: rule, KeepAccounts: job.On("players-only"), Admins: job.On("admins"), All: job.On(stepAll.Name), Tally: tally}.Step(), err
	},
}, {
	Command: format.Command{
		Name: "rename-player", Title: "Give a player another name everywhere", Heading: "Operators",
		Long: "That is the player, the account, bans, the owner and the members in the metadata of nodes, the owner in areas.dat, and keys " +
			"of mod storage that are the name or have it as a word, such as home:NAME. The password fits no longer " +
			"unless the names differ in nothing but case: --password-file gives another one.",
		Args: []format.Option{{Name: "old", Help: "the name"}, {Name: "new", Help: "the new one"}},
		Options: []format.Option{
			{Name: "key", List: true, Help: "another `key` of the metadata of nodes that has a name as its value, beside owner"},
			{Name: "keep-storage", Bool: true, Help: "leave mod storage as it is"},
			{Name: "password-file", Input: true, Help: "a `file` whose first line is the new password"},
		},
		Example: "rename-player celeron55 perttu --key placer",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		r := worldadmin.Rename{From: job.Value("old"), To: job.Value("new"), Keys: job.List("key"), KeepStorage: job.On("keep-storage"), Tally: tally}
		if name := job.Value("password-file"); name != "" {
			var err error
			if r.Password, err = lineOfFile(name); err == nil && r.Password == "" {
				err = fmt.Errorf("%s: its first line is empty", name)
			}
			if err != nil {
				return nil, err
			}
		}
		return r.Step(), nil
	},
}, {
	Command: format.Command{
		Name: "ban", Title: "Ban an address", Heading: "Operators",
		Args:    []format.Option{{Name: "address", Help: "such as 192.0.2.7"}, {Name: "name", List: true, Help: "the player who came from there"}},
		Example: "ban 192.0.2.7 mallory",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		names := job.List("name")
		if len(names) > 1 {
			return nil, errors.New("expected one address and one name")
		}
		if _, err := netip.ParseAddr(job.Value("address")); err != nil {
			return nil, fmt.Errorf("%q: expected an address such as 192.0.2.7 or 2001:db8::7", job.Value("address"))
		}
		return worldadmin.Ban(world.Ban{Address: job.Value("address"), Name: strings.Join(names, "")}, tally), nil
	},
}, {
	Command: format.Command{
		Name: "unban", Title: "Remove the bans of an address or a name", Heading: "Operators",
		Args:    []format.Option{{Name: "who", Help: "the address or the name"}},
		Example: "unban mallory",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		return worldadmin.Unban(job.Value("who"), tally), nil
	},
}, {
	Command: format.Command{
		Name: "set-storage", Title: "Set what a mod keeps under a key", Heading: "Operators",
		Args: []format.Option{{Name: "mod", Help: "the name of the mod"}, {Name: "key", Help: "the key"}, {Name: "value", List: true, Help: "the value"}},
		Options: []format.Option{
			{Name: "from-file", Input: true, Help: "a `file` whose bytes are the value"},
		},
		Example: "set-storage spawn position 10,5,-30",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		values := job.List("value")
		name := job.Value("from-file")
		if (len(values) == 1) == (name != "") || len(values) > 1 {
			return nil, errors.New("expected one value, or --from-file")
		}
		value := []byte(strings.Join(values, ""))
		if name != "" {
			var err error
			if value, err = regular.ReadFile(name, world.MaxText); err != nil {
				return nil, err
			}
		}
		return worldadmin.SetStorage(job.Value("mod"), job.Value("key"), value, tally), nil
	},
}, {
	Command: format.Command{
		Name: "delete-storage", Title: "Delete what a mod keeps under keys, or all of it", Heading: "Operators",
		Args:    []format.Option{{Name: "mod", Help: "the name of the mod"}, {Name: "key", List: true, Help: "the keys; without any all that the mod keeps, which needs --all"}},
		Options: []format.Option{stepAll},
		Example: "delete-storage beds spawn:mallory",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		keys := job.List("key")
		if len(keys) == 0 {
			return worldadmin.DeleteStorage(job.Value("mod"), "", job.On(stepAll.Name), tally), nil
		}
		var list steps
		for _, key := range keys {
			list = append(list, worldadmin.DeleteStorage(job.Value("mod"), key, false, tally))
		}
		return list, nil
	},
}, {
	Command: format.Command{
		Name: "trim-rollback", Title: "Delete old changes from rollback.sqlite", Heading: "Operators",
		Args:    []format.Option{{Name: "before", Help: "a day such as 2024-01-31, or how long ago, such as 90d"}},
		Example: "trim-rollback 90d",
	},
	step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
		before, err := timeOf(job.Value("before"), time.Now())
		return worldadmin.TrimRollback(before, tally), err
	},
}}
