package mapedit

import (
	"bytes"
	"fmt"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// AddSound adds the bytes of an Opus file at the end of the sounds.
func (e *Editor) AddSound(name string, opus []byte) error {
	if err := checkName(twmap.PartSound, name); err != nil {
		return err
	}
	if err := twmap.CheckOpus(opus); err != nil {
		return err
	}
	if len(e.m.Sounds) >= MaxSounds {
		return fmt.Errorf("the map has %s, and the game uses no more than %d", words.Count(len(e.m.Sounds), "sound"), MaxSounds)
	}
	if err := e.settle(twmap.PartSound); err != nil {
		return err
	}
	s := twmap.NewSound(name, opus)
	e.m.Sounds = append(e.m.Sounds, s)
	e.reportChange(s, 1, "", "added with %s", words.Count(len(opus), "byte"))
	return nil
}

// ReplaceSounds replaces the contents of sounds by the bytes of another Opus file.
func (e *Editor) ReplaceSounds(sounds []int, opus []byte) error {
	if err := allInRange(twmap.PartSound, sounds, len(e.m.Sounds)); err != nil {
		return err
	}
	if err := twmap.CheckOpus(opus); err != nil {
		return err
	}
	for _, i := range sounds {
		s := e.m.Sounds[i]
		if old, err := s.Opus(); err == nil && bytes.Equal(old, opus) {
			continue
		}
		s.SetOpus(opus)
		e.reportChange(s, 1, "", "replaced, with %s", words.Count(len(opus), "byte"))
	}
	return nil
}

// RenameSound changes the name of a sound.
func (e *Editor) RenameSound(i int, name string) error {
	if err := inRange(twmap.PartSound, i, len(e.m.Sounds)); err != nil {
		return err
	}
	s := e.m.Sounds[i]
	if err := checkName(twmap.PartSound, name); err != nil || s.Name == name {
		return err
	}
	e.reportChange(s, 1, "", "renamed to %q", name)
	s.Name = name
	return nil
}

// RemoveSounds removes sounds. Layers that play one of them become silent.
func (e *Editor) RemoveSounds(sounds []int) error {
	return e.remove(twmap.PartSound, sounds, func(i int) any { return e.m.Sounds[i] })
}

// RemoveUnusedSounds removes the sounds that no layer plays.
func (e *Editor) RemoveUnusedSounds() error { return e.RemoveSounds(e.unused(twmap.PartSound)) }

// MoveSound moves a sound to another position in the list; to is counted without the sound.
func (e *Editor) MoveSound(from, to int) error {
	if err := inRange(twmap.PartSound, from, len(e.m.Sounds)); err != nil {
		return err
	}
	return e.move(twmap.PartSound, from, to, e.m.Sounds[from])
}

// AddSource adds a source to a layer of sounds.
func (e *Editor) AddSource(at LayerAt, source twmap.SoundSource) error {
	l, layer, old, err := e.sources(at)
	if err != nil {
		return err
	}
	layer.Deprecated = false
	layer.SetSources(append(slices.Clip(old), source))
	e.reportChange(l, 1, "", "sound source added at %d,%d", source.Position.X>>10, source.Position.Y>>10)
	return nil
}

// ChangeSources changes sound sources of a layer: those with the numbers in list, or all if list is nil.
func (e *Editor) ChangeSources(at LayerAt, list []int, change func(*twmap.SoundSource) error) error {
	l, layer, old, err := e.sources(at)
	if err != nil {
		return err
	}
	if err := allInRange("source", list, len(old)); err != nil {
		return fmt.Errorf("%s: %w", e.Path(l), err)
	}
	sources := slices.Clone(old)
	changed := 0
	for i := range sources {
		if list != nil && !slices.Contains(list, i) {
			continue
		}
		if err := change(&sources[i]); err != nil {
			return fmt.Errorf("%s: %w", e.Path(l), err)
		}
		if sources[i] != old[i] {
			changed++
		}
	}
	if changed > 0 {
		layer.Deprecated = false // the old format lacks some fields
		layer.SetSources(sources)
		e.reportChange(l, changed, "sources", "sound sources changed")
	}
	return nil
}

// sources returns a layer with its sound sources.
func (e *Editor) sources(at LayerAt) (twmap.Layer, *twmap.SoundLayer, []twmap.SoundSource, error) {
	l, err := e.layerAt(at)
	if err != nil {
		return nil, nil, nil, err
	}
	layer, ok := l.(*twmap.SoundLayer)
	if !ok {
		return nil, nil, nil, fmt.Errorf("%s has no sound sources", e.Path(l))
	}
	list, err := layer.Sources()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", e.Path(l), err)
	}
	return l, layer, list, nil
}
