package world

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// CheckRest is [Check] for everything but the blocks. Of o it uses only Remote and
// Quick.
func CheckRest(ctx context.Context, dir string, o CheckOptions, sink check.Sink) error {
	_, err := o.rest(ctx, dir, sink)
	return err
}

// rest is CheckRest. It returns the numbers of things in the stores.
func (o *CheckOptions) rest(ctx context.Context, dir string, sink check.Sink) (counts []string, err error) {
	checkFinished(dir, sink)
	c := checker{ctx: ctx, dir: dir, lines: make(map[string]int), quick: o.Quick}
	c.sink = func(f check.Finding) {
		if len(f.At) == 0 {
			f.At = []check.Place{c.place(f.Path)}
		}
		sink(f)
	}
	c.opts = Options{Remote: o.Remote, Lost: c.lost, All: true}
	if s := c.settings("world.mt", ""); s != nil {
		c.world = s
		c.worldMT(s)
	} else {
		c.world = ParseSettings(nil, "")
		// Worlds of 2011 do not have this file.
		if old := FindBackends(dir, c.world).Map; !exists(filepath.Join(dir, "world.mt")) && old != mapdb.Sectors {
			c.add(foundNoSettings, "world.mt", "there is no such file")
		}
	}
	for name, text := range UnreadStores(dir, c.world) {
		c.add(foundUnread, name, "%s", text)
	}
	c.mapMeta()
	c.envMeta()
	c.bans()
	if text := c.text("force_loaded.txt"); text != nil {
		_, err := ParseForceLoaded(text)
		c.unreadable("force_loaded.txt", err)
	}
	if data := c.read(protect.AreasFile); data != nil {
		_, err := protect.ParseAreas(data)
		c.unreadable(protect.AreasFile, err)
	}
	if data := c.read("chunk_meta"); data != nil {
		_, err := ParseChunkMeta(data)
		c.unreadable("chunk_meta", err)
	}
	if !o.Quick {
		c.marks()
	}
	c.players()
	c.accounts()
	c.storage()
	c.gone()
	c.schemas()
	return c.counts, cmp.Or(ctx.Err(), c.failed)
}

type checker struct {
	ctx   context.Context
	dir   string
	opts  Options
	sink  check.Sink
	world *Settings

	failed error // the first error of a server

	quick  bool     // open stores and count only
	counts []string // the numbers of things in the stores

	entered bool // there are players

	owner check.Place    // the player, account or mod that is being checked
	lines map[string]int // line numbers of settings, by the path of a finding
}

// place returns the place of a finding that has a path but no place.
func (c *checker) place(path string) check.Place {
	if c.owner != nil {
		return c.owner
	}
	file, rest, _ := strings.Cut(path, ":")
	if line, err := strconv.Atoi(rest); err == nil {
		return check.Line{Path: file, Line: line}
	}
	if line, ok := c.lines[path]; ok {
		return check.Line{Path: file, Line: line}
	}
	return check.File(file)
}

func (c *checker) add(k *check.Kind, path, format string, args ...any) {
	c.sink.Add(k, path, -1, format, args...)
}

// unreadable reports err, if it is not nil, as a finding about a file that cannot be read.
func (c *checker) unreadable(file string, err error) { c.report(foundUnreadable, file, err) }

// report reports err, if it is not nil, as a finding.
func (c *checker) report(k *check.Kind, file string, err error) {
	if err == nil || c.ctx.Err() != nil {
		return
	}
	if Failed(err) {
		c.failed = cmp.Or(c.failed, err)
		return
	}
	offset, path := int64(-1), file
	if e, ok := errors.AsType[*fault.Error](err); ok {
		rest := *e
		if offset = e.Offset; e.Path != "" {
			path += ":" + e.Path
		}
		rest.File, rest.Path, rest.Offset = "", "", -1
		err = &rest
	}
	c.sink.Add(k, path, offset, "%v", err)
}

// marks reports texts that begin with a byte order mark.
func (c *checker) marks() {
	names := slices.Clone(texts)
	for _, p := range Parts()[PlayersPart:] {
		if FindBackends(c.dir, c.world).Of(p) != Files {
			continue
		}
		for _, folder := range p.Files(Files) {
			entries, err := os.ReadDir(filepath.Join(c.dir, folder))
			for _, e := range entries {
				if err == nil && e.Type().IsRegular() {
					names = append(names, folder+"/"+e.Name())
				}
			}
		}
	}
	for _, name := range names {
		f, st, err := regular.Open(filepath.Join(c.dir, filepath.FromSlash(name)))
		if err != nil {
			continue // an error is reported where the file is read
		}
		first := make([]byte, len(byteOrderMark))
		if _, err := io.ReadFull(f, first); err == nil && !st.IsDir() && string(first) == byteOrderMark {
			c.add(foundMark, name, "the file begins with EF BB BF")
		}
		f.Close()
	}
}

// read returns the content of a file, or nil if the file does not exist or cannot be read.
func (c *checker) read(name string) []byte {
	data, err := readFile(filepath.Join(c.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c.unreadable(name, err)
	return data
}

// text is like read, for a text file: a file of zero bytes is reported, and the result is nil.
func (c *checker) text(name string) []byte {
	data := c.read(name)
	if len(data) > 0 && len(bytes.Trim(data, "\x00")) == 0 {
		c.add(foundZeroes, name, "%s", words.Count(len(data), "zero byte"))
		return nil
	}
	return data
}

// settings reads a file of settings and reports problems of its lines.
func (c *checker) settings(name, end string) *Settings {
	text := c.text(name)
	if text == nil {
		return nil
	}
	s := ParseSettings(text, end)
	seen := make(map[string]bool)
	line := 1
	for _, l := range s.lines {
		if l.name != "" {
			c.lines[name+":"+l.name] = line
		}
		switch trimmed := strings.Trim(l.head, space); {
		case l.name == "" && trimmed != "" && trimmed[0] != '#':
			c.add(foundSettingLine, fmt.Sprintf("%s:%d", name, line), "the line is %.60q", trimmed)
		case l.name != "" && seen[l.name]:
			c.add(foundSettingTwice, name+":"+l.name, "an earlier line has the same name")
		}
		seen[l.name] = true
		line += bytes.Count(l.append(nil), []byte("\n"))
	}
	return s
}

func (c *checker) worldMT(s *Settings) {
	if s.GameID() == "" {
		c.add(foundGame, "world.mt", "gameid is missing")
	}
	for _, p := range Parts() {
		name := p.Setting()
		if v, ok := s.Get(name); !ok {
			c.add(foundNoBackend, "world.mt:"+name, "%s is missing", name)
		} else if !slices.Contains(p.Backends(), v) {
			c.add(foundBackend, "world.mt:"+name, "the %s is %.40q", name, v)
		}
	}
	if v, _ := s.Get(SettingReadonly); v != "" && !slices.Contains(MapPart.Backends(), v) {
		c.add(foundBackend, "world.mt:"+SettingReadonly, "the %s is %.40q", SettingReadonly, v)
	}
	if v, ok := s.Get("blocksize"); ok {
		if n, err := strconv.Atoi(v); err != nil || n != mapblock.Side {
			c.add(foundBlockSize, "world.mt:blocksize", "the blocksize is %.40q", v)
		}
	}
}

// gone reports databases of players, accounts and mod storage that are empty or missing although world.mt names them and a server
// has run the world: the engine would make new ones. They were lost if there are players, or accounts that logged in, in
// another store; a world that nobody has entered has none of them, only accounts that mods or commands made.
func (c *checker) gone() {
	if !exists(filepath.Join(c.dir, "env_meta.txt")) {
		return
	}
	for _, p := range Parts()[PlayersPart:] {
		backend, _ := c.world.Get(p.Setting())
		if !slices.Contains(databases, backend) || len(p.Files(backend)) == 0 {
			continue
		}
		name, got := p.Files(backend)[0], ""
		switch st, err := os.Stat(filepath.Join(c.dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
			got = "there is no such file"
		case err == nil && st.Mode().IsRegular() && st.Size() == 0:
			got = "the file is empty"
		default:
			continue
		}
		if c.entered = c.entered || c.loggedIn(); c.entered {
			c.add(foundGone, name, "%s, but players have entered the world", got)
		} else {
			c.add(foundNever, name, "%s, but a server has run the world (env_meta.txt)", got)
		}
	}
}

// loggedIn reports whether an account of the world was in use. Errors are reported elsewhere.
func (c *checker) loggedIn() bool {
	s, err := OpenAuth(c.ctx, c.dir, c.world, c.opts)
	if err != nil {
		return false
	}
	defer s.Close()
	for name, err := range s.Names(c.ctx) {
		if err != nil {
			continue
		}
		if a, err := s.Get(c.ctx, name); err == nil && (a.LastLogin != -1 || name == "singleplayer") { // which only entering makes
			return true
		}
	}
	return false
}

func (c *checker) mapMeta() {
	s := c.settings("map_meta.txt", MapMetaEnd)
	if s == nil {
		if !exists(filepath.Join(c.dir, "map_meta.txt")) && exists(filepath.Join(c.dir, "map.sqlite")) {
			c.add(foundNoMapMeta, "map_meta.txt", "there is no such file")
		}
		return
	}
	if !s.Ended() {
		c.add(foundMapMetaEnd, "map_meta.txt", "the file ends without %s", MapMetaEnd)
	}
	if seed, ok := s.Get("seed"); !ok {
		c.add(foundSeed, "map_meta.txt:seed", "the seed is missing")
	} else if _, err := strconv.ParseUint(seed, 10, 64); err != nil {
		c.add(foundSeed, "map_meta.txt:seed", "the seed is %.40q", seed)
	}
}

// envRanges contains the highest values of the numbers in env_meta.txt.
var envRanges = map[string]uint64{
	"time_of_day":                    23999,
	"day_count":                      math.MaxUint32,
	"last_clear_objects_time":        math.MaxUint32,
	"lbm_introduction_times_version": 1,
}

func (c *checker) envMeta() {
	const file = "env_meta.txt"
	s := c.settings(file, EnvMetaEnd)
	if s == nil {
		return
	}
	if !s.Ended() {
		c.add(foundEnvEnd, file, "the file ends without %s", EnvMetaEnd)
	}
	if text, ok := s.Get("game_time"); !ok {
		c.add(foundEnvTime, file+":game_time", "game_time is missing")
	} else if _, err := strconv.ParseUint(text, 10, 32); err != nil {
		c.add(foundEnvTime, file+":game_time", "the game_time is %.40q", text)
	}
	for name, value := range s.All() {
		if highest, ok := envRanges[name]; ok {
			if v, err := strconv.ParseUint(value, 10, 64); err != nil || v > highest {
				c.add(foundEnvValue, file+":"+name, "%.40q is not a number from 0 to %d", value, highest)
			}
		}
	}
	for _, err := range s.LBMs() {
		if err != nil {
			c.add(foundLBM, file+":lbm_introduction_times", "%v", err)
		}
	}
}

func (c *checker) bans() {
	text := c.text("ipban.txt")
	for i, line := range ParseBans(text).lines {
		if _, ok := parseBan(line); !ok && strings.Trim(line, space) != "" {
			c.add(foundBan, fmt.Sprintf("ipban.txt:%d", i+1), "the line is %.60q", line)
		}
	}
}
