package worldscene

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
)

// sharedWorld is what the scenes of a world share, whatever their options: the database, the positions of blocks and
// players, the markers, the colours. What has been read is not read again.
type sharedWorld struct {
	bound    mapdb.Bound
	dir      string
	settings *world.Settings
	remote   bool
	db       mapdb.DB
	places   *worlddraw.Places
	odd      []error        // about rows that are not blocks
	piece    *worlddraw.Box // of the nodes, if it is a piece of a world

	mu     sync.Mutex
	uses   int                     // number of scenes
	calls  int                     // number of calls that are reading
	colors map[string]*colorSource // by the options that select their sources
	marked []*markedWorld
	seen   *around // by the last camera
	nodes  knownNodes

	standing   standing
	protection protection
}

// protection is the areas of the mod named areas.
type protection struct {
	once  sync.Once
	areas *protect.Areas
	err   error
}

type colorSource struct {
	game   *game
	choice *nodecolor.Choice
	digest []byte
}

// markedWorld is the markers of some rules.
type markedWorld struct {
	rules   []worlddraw.MarkerRule
	markers *worlddraw.Markers
}

// standing is the positions of the players.
type standing struct {
	mu    sync.Mutex
	known bool
	all   []worlddraw.Marker
	lost  []error
}

// shareWorld opens a world with one use. part is nil, or the only part that will be drawn.
func shareWorld(ctx context.Context, job *format.Job, dir string, part *worldPart) (*sharedWorld, error) {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	w := &sharedWorld{dir: dir, settings: settings, remote: worldjob.OptionRemote.On(job), uses: 1, colors: make(map[string]*colorSource)}
	if w.db, _, err = world.OpenMap(ctx, dir, settings, world.Options{Remote: w.remote}); err != nil {
		return nil, err
	}
	odd := func(err error) { w.odd = append(w.odd, err) }
	if part == nil {
		w.places, err = worlddraw.ReadPlaces(ctx, w.db, worlddraw.Everything(), odd)
	} else {
		w.places, err = worlddraw.ReadPart(ctx, w.db, &part.Part, odd)
	}
	if err == nil {
		err = mapdb.Rest(w.db)
	}
	if err != nil {
		return nil, errors.Join(err, w.db.Close())
	}
	return w, nil
}

func (w *sharedWorld) use() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.uses++
}

// release ends one use. The last one closes the world.
func (w *sharedWorld) release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.uses--; w.uses > 0 {
		return nil
	}
	return w.db.Close()
}

// reading begins a call that may read the database. The function that it returns ends the call. Between calls, no
// part of the database is locked, even while scenes are open.
func (w *sharedWorld) reading() (done func()) {
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.calls--; w.calls == 0 {
			_ = mapdb.Rest(w.db) // the next reader gets the error
		}
	}
}

// chooseColors is [openGame] and [chooseColors] with a cache for all scenes.
func (w *sharedWorld) chooseColors(job *format.Job) (*game, *nodecolor.Choice, []byte, error) {
	key := ""
	for _, o := range []format.Option{optionColors, optionGuess, optionTextures, worldjob.OptionNodes} {
		key += fmt.Sprintf("%q ", o.Value(job))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.colors[key]
	if of == nil {
		g, err := openGame(job, w.dir, w.settings)
		if err != nil {
			return nil, nil, nil, err
		}
		choice, digest, err := chooseColors(job, w.dir, g)
		if err != nil {
			return nil, nil, nil, err
		}
		of = &colorSource{g, choice, digest}
		w.colors[key] = of
	}
	c := of.choice
	return of.game, &nodecolor.Choice{List: c.List, Only: c.Only, Textures: c.Textures, Nodes: c.Nodes, General: c.General,
			Means: c.Means},
		slices.Clone(of.digest), nil
}

// markers returns the markers of some rules.
func (w *sharedWorld) markers(rules []worlddraw.MarkerRule) *worlddraw.Markers {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.marked {
		if slices.Equal(m.rules, rules) {
			return m.markers
		}
	}
	m := &markedWorld{rules, w.places.Markers(rules)}
	w.marked = append(w.marked, m)
	return m.markers
}

// players returns the positions of the players, which are read once.
func (w *sharedWorld) players(ctx context.Context, lost func(error)) ([]worlddraw.Marker, error) {
	p := &w.standing
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known {
		store, err := world.OpenPlayers(ctx, w.dir, w.settings, world.Options{Remote: w.remote})
		if err != nil {
			return nil, err
		}
		defer store.Close()
		p.lost = nil
		players, err := worlddraw.Players(ctx, store, func(err error) { p.lost = append(p.lost, err) })
		if err != nil {
			return nil, err
		}
		for _, player := range players {
			p.all = append(p.all, worlddraw.Marker{Pos: [3]float64{player.X, player.Y, player.Z}, Kind: "player",
				Label: player.Name, Color: color.NRGBA{R: 255, G: 80, B: 80, A: 255}})
		}
		p.known = true
	}
	for _, err := range p.lost {
		lost(err)
	}
	return p.all, nil
}
