package worldrepair

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/world"
)

// text is a file that is replaced.
type text struct {
	name string
	data []byte
}

var errNothing = errors.New("no part can be read")

// findTexts searches for damaged files. A file that ends in zero bytes, or contains only zero bytes, is typical of a
// power failure.
func (r *repair) findTexts(context.Context) error {
	mends := []struct {
		name string
		mend func(text []byte) ([]byte, error)
	}{
		{"world.mt", r.mendWorldMT},
		{"map_meta.txt", r.mendMapMeta},
		{"env_meta.txt", r.mendEnvMeta},
		{"ipban.txt", r.mendLines},
		{"force_loaded.txt", mendForceLoaded},
	}
	if r.backends.Auth == world.Files {
		mends = append(mends, struct {
			name string
			mend func(text []byte) ([]byte, error)
		}{"auth.txt", r.mendLines})
	}
	for name, err := range world.UnreadableTexts(r.dir) {
		if name != "auth.txt" || r.backends.Auth != world.Files { // auth.txt is examined by findAccounts
			r.hopeless(name, err)
		}
	}
	for _, m := range mends {
		path := filepath.Join(r.dir, m.name)
		st, err := os.Stat(path)
		if missing(err) || err == nil && world.CheckText(m.name, st) != nil {
			continue
		}
		if err != nil {
			return err
		}
		was, err := regular.ReadFile(path, effort.TextFile)
		if err != nil {
			return err
		}
		now, err := m.mend(was)
		if err != nil {
			r.hopeless(m.name, err)
			continue
		}
		if bytes.Equal(was, now) {
			continue
		}
		r.addFinding(foundFile, m.name, "%s before, %d now", words.Count(len(was), "byte"), len(now))
		r.report.Files = append(r.report.Files, m.name)
		r.texts = append(r.texts, text{m.name, now})
		if err := r.backup.File(m.name); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) mendTexts(context.Context) error {
	for _, t := range r.texts {
		if err := wholefile.Write(filepath.Join(r.dir, t.name), bytes.NewReader(t.data), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mendWorldMT removes zero bytes. If nothing else is left, the new text names the backends whose databases exist: without them the
// engine would use files, and the accounts would be lost to it.
func (r *repair) mendWorldMT(text []byte) ([]byte, error) {
	kept := withoutZeros(text)
	if len(kept) > 0 || len(text) == 0 {
		return kept, nil
	}
	s := world.ParseSettings(nil, "")
	for _, p := range world.Parts() {
		backend := r.backends.Of(p)
		if !slices.Contains(p.Backends(), backend) { // sectors, which no setting names
			continue
		}
		if err := s.Set(p.Setting(), backend); err != nil {
			return nil, err
		}
	}
	return s.Append(nil), nil
}

// mendLines removes zero bytes.
func (r *repair) mendLines(text []byte) ([]byte, error) {
	kept := withoutZeros(text)
	if len(kept) == 0 && len(text) > 0 {
		return nil, errNothing
	}
	return kept, nil
}

// mendMapMeta adds the end line, without which the engine ignores the file. A file without a seed cannot be repaired:
// with a new seed the game would generate a different landscape.
func (r *repair) mendMapMeta(text []byte) ([]byte, error) {
	return mendSettings(text, world.MapMetaEnd, func(s *world.Settings) error {
		if _, ok := s.Get("seed"); !ok {
			return errors.New("the seed is missing")
		}
		return nil
	})
}

// mendEnvMeta adds what the server needs to start. The game time is that of the latest block.
func (r *repair) mendEnvMeta(text []byte) ([]byte, error) {
	return mendSettings(text, world.EnvMetaEnd, func(s *world.Settings) error {
		time, _ := s.Get("game_time")
		if _, err := strconv.ParseUint(time, 10, 32); err == nil {
			return nil
		}
		return s.Set("game_time", strconv.FormatUint(uint64(r.newest), 10))
	})
}

// cuts is the maximum number of unterminated groups and long values that are removed from a file.
const cuts = 16

// mendSettings completes settings and adds the end line. If the text ends inside a group or a long value, that is
// removed, because everything that is added would become part of it.
func mendSettings(text []byte, end string, complete func(*world.Settings) error) ([]byte, error) {
	text = withoutZeros(text)
	for range cuts {
		s := world.ParseSettings(text, end)
		if err := complete(s); err != nil {
			return nil, err
		}
		s.Finish()
		mended := s.Append(nil)
		again := world.ParseSettings(mended, end)
		err := complete(again)
		again.Finish()
		if err == nil && bytes.Equal(again.Append(nil), mended) {
			return mended, nil
		}
		open := max(bytes.LastIndexByte(text, '{'), bytes.LastIndex(text, []byte(`"""`)))
		text = text[:bytes.LastIndexByte(text[:max(open, 0)], '\n')+1]
	}
	return nil, errors.New("the file ends inside a group or a long value")
}

// mendForceLoaded keeps the entries before the damage.
func mendForceLoaded(text []byte) ([]byte, error) {
	kept := withoutZeros(text)
	_, err := world.ParseForceLoaded(kept)
	for err != nil {
		end := bytes.LastIndexByte(kept, ',')
		if end < 0 {
			return []byte("return {}"), nil
		}
		kept = kept[:end]
		if _, err = world.ParseForceLoaded(append(bytes.Clone(kept), '}')); err == nil {
			return append(bytes.Clone(kept), '}'), nil
		}
	}
	return kept, nil
}
