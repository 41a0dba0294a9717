package worldscene

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// since is the state of a world at an earlier time.
type since struct {
	manifest *worldjob.Since
	job      *format.Job
	area     mapdb.Area        // area that can be selected
	then     *worlddraw.Places // of the old blocks
	extent   worlddraw.Box     // of the old blocks that might be visible
	maps     map[string]drawn  // of the old blocks, by view

	compare   sync.Once
	other     *worlddraw.Places // of blocks that were added, removed or changed
	otherMaps map[string]drawn
	failed    error
}

// openThen opens the manifest that a job names. part is nil, or the only part that will be drawn.
func (s *worldScene) openThen(ctx context.Context, job *format.Job, part *worldPart) (_ *since, err error) {
	m, err := worldjob.OpenSince(job)
	if m == nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	t := &since{manifest: m, job: job, area: mapdb.All(), maps: make(map[string]drawn), otherMaps: make(map[string]drawn)}
	var rows []int
	if part != nil {
		t.area, rows = part.Blocks, part.Then
	} else if err := m.ForWorld(ctx, s.world.db, s.world.places.Has, s.world.places.Count()); err != nil {
		return nil, err
	}
	if t.then, err = worlddraw.PlacesOf(m.Positions(ctx, t.area), rows, nil); err != nil {
		return nil, err
	}
	if part != nil {
		t.extent = part.ThenExtent
		return t, nil
	}
	top, err := s.mapAt(t.then, t.maps, string(worlddraw.Top))
	if err == nil {
		t.extent = top.(*worlddraw.Map).Extent()
	}
	return t, err
}

// Then returns the bounds of the old blocks.
func (s *worldScene) Then(look format.Look) (bounds format.Rect, err error) {
	shown, _ := format.ViewOf(s.views, look.View)
	if shown.Draws(look, layerPlayers) {
		return bounds, fmt.Errorf("--%s: manifests do not record player positions: leave out the layer %s",
			worldjob.OptionSince.Name, layerPlayers)
	}
	if shown.Draws(look, layerAreas) {
		return bounds, fmt.Errorf("--%s: manifests do not record areas: leave out the layer %s", worldjob.OptionSince.Name, layerAreas)
	}
	if look.View == viewIso && s.corner != nil {
		return rectOf(s.corner, s.since.extent.Min, s.since.extent.Max), nil
	}
	v, _ := s.viewOf(look.View)
	bounds.Min, bounds.Max = v.Where(s.since.extent)
	return bounds, nil
}

// Changed reports whether a part of the picture contains changed blocks. The first call compares all blocks.
func (s *worldScene) Changed(ctx context.Context, look format.Look, pixels image.Rectangle) (bool, error) {
	defer s.world.reading()()
	t, name := s.since, look.View
	t.compare.Do(func() {
		t.other, t.failed = worlddraw.PlacesOf(t.manifest.Changed(ctx, t.job, s.world.db, t.area), nil, nil)
	})
	if t.failed != nil {
		return false, t.failed
	}
	if name == viewHeight && (s.extent.Min[1] != t.extent.Min[1] || s.extent.Max[1] != t.extent.Max[1]) {
		return true, nil // all shades differ
	}
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	pixels = s.reach(look, pixels)
	other, err := s.mapAt(t.other, t.otherMaps, name)
	if err != nil {
		return false, err
	}
	if iso, ok := other.(interface {
		Shows(context.Context, image.Rectangle, worlddraw.Scaled) (bool, error)
	}); ok {
		return iso.Shows(ctx, pixels, at)
	}
	now, err := s.mapOf(name)
	if err != nil {
		return false, err
	}
	then, err := s.mapAt(t.then, t.maps, name)
	if err != nil {
		return false, err
	}
	return now.(*worlddraw.Map).Changed(then.(*worlddraw.Map), other.(*worlddraw.Map), pixels, at), nil
}
