package worldscene

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// lose records an error about something that cannot be drawn.
func (s *worldScene) lose(err error) { s.keepLost(lostOf(err, true)) }

func (s *worldScene) keepLost(m format.Missing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost[m.Name] = m
}

// lostOf describes what is missing because of an error: in a part of a picture, or in the whole world.
func lostOf(err error, inPart bool) format.Missing {
	var block *worlddraw.BlockError
	var row *mapdb.RowError
	name, why := "", err.Error()
	switch {
	case errors.As(err, &block):
		name, why = fmt.Sprintf("%d,%d,%d", block.Pos.X, block.Pos.Y, block.Pos.Z), block.Err.Error()
	case errors.As(err, &row) && row.Pos != nil:
		name = fmt.Sprintf("%d,%d,%d", row.Pos.X, row.Pos.Y, row.Pos.Z)
	case errors.As(err, &row):
		name = row.Key
	}
	return format.Missing{Kind: "block", Name: name, What: why, Loss: true, Adds: inPart}
}

func hiddenColor(name string, pixels int64) format.Missing {
	return format.Missing{Kind: "color", Name: name, Count: pixels, Unit: "pixels",
		What: "no colour is known: the nodes behind it are drawn", Adds: true}
}

func guessedColor(name string) format.Missing {
	return format.Missing{Kind: "color", Name: name, What: "guessed from the name", Adds: true}
}

// collect begins a call of Render of a view. lose records an error, and end passes everything that could not be drawn to the
// caller, if the caller collects it.
func (s *worldScene) collect(ctx context.Context, view string) (_ context.Context, lose func(error), end func()) {
	missed := format.MissedOf(ctx)
	if missed == nil {
		return ctx, s.lose, func() {}
	}
	var part worlddraw.Missed
	lost := make(map[string]format.Missing)
	lose = func(err error) {
		s.lose(err)
		m := lostOf(err, true)
		lost[m.Name] = m
	}
	return worlddraw.WithMissed(ctx, &part), lose, func() {
		for name, n := range part.Hidden() {
			missed.Add(hiddenColor(name, n))
		}
		for _, name := range part.Guessed() {
			missed.Add(guessedColor(name))
		}
		for _, err := range part.Lost() {
			m := lostOf(err, true)
			lost[m.Name] = m
		}
		missed.Add(slices.Collect(maps.Values(lost))...)
		if view == format.ViewCamera {
			missed.Add(s.missingTextures()...)
		}
	}
}

func (s *worldScene) Missing() (list []format.Missing) {
	hidden := make(map[string]int64)
	s.mu.Lock()
	for _, m := range s.lost {
		list = append(list, m)
	}
	drawn := slices.Collect(maps.Values(s.maps))
	s.mu.Unlock()
	for _, m := range drawn {
		for name, n := range m.Hidden() {
			hidden[name] += n
		}
	}
	for name, n := range hidden {
		list = append(list, hiddenColor(name, n))
	}
	for name := range s.colors.Guessed() {
		list = append(list, guessedColor(name))
	}
	list = append(list, s.missingTextures()...)
	slices.SortFunc(list, func(a, b format.Missing) int { return strings.Compare(a.Kind+"\x00"+a.Name, b.Kind+"\x00"+b.Name) })
	return list
}
