package mapedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Append adds all groups of another map after those of the map, with the images, sounds, envelopes and settings that
// the map lacks. Images and sounds with the same name and contents are shared; one with the name of another gets a
// new name, such as "moon (1)". The physics layers of the other map are not added; the design layers of their group
// are. If one of the maps is for Teeworlds 0.7 and the other is not, the other map is converted first, as by
// [Editor.To06] and [Editor.To07].
func (e *Editor) Append(from *twmap.Map, a Across) error {
	other, err := e.adopt(from, nil, len(e.m.Groups), a)
	if err != nil || other.Info == nil {
		return err
	}
	for _, line := range other.Info.Settings {
		if !slices.Contains(e.settings(), line) {
			e.setSettings(append(e.settings(), line))
			e.reportChange(nil, 1, "", "setting: %s came from the other map", line)
		}
	}
	return nil
}

// PasteGroups inserts groups of another map and everything they need, as [Editor.Append] does for all groups. The
// first gets the number at; a number below 0 is the end.
func (e *Editor) PasteGroups(from *twmap.Map, groups []int, at int, a Across) error {
	if at < 0 {
		at = len(e.m.Groups)
	}
	if at > len(e.m.Groups) {
		return fmt.Errorf("no place %d among %s", at, words.Count(len(e.m.Groups), "group"))
	}
	if err := allInRange(twmap.PartGroup, groups, len(from.Groups)); err != nil {
		return err
	}
	_, err := e.adopt(from, append([]int{}, groups...), at, a)
	return err
}

// adopt adds groups of another map and everything they refer to. If groups is nil, it adds all groups and everything
// that can be referred to. It returns the copy of the other map that it used.
func (e *Editor) adopt(from *twmap.Map, groups []int, at int, a Across) (*twmap.Map, error) {
	other := from.Clone()
	all := groups == nil
	if !all {
		other.Groups, other.Info = pick(other.Groups, groups), nil
	}
	if err := other.Load(); err != nil {
		e.reportChange(nil, 1, "", "the other map cannot be read completely: %v", err)
	}
	other.Orphans = nil
	physicsGone := 0
	for _, g := range other.Groups {
		had := len(g.Layers)
		g.Layers = slices.DeleteFunc(g.Layers, func(l twmap.Layer) bool { _, ok := physics(l); return ok })
		if gone := had - len(g.Layers); gone > 0 {
			physicsGone += gone
			if g.Name == "Game" {
				g.Name = ""
			}
			g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY, g.Clip = 0, 0, 100, 100, nil // as in the game
		}
	}
	if physicsGone > 0 {
		other.Groups = slices.DeleteFunc(other.Groups, func(g *twmap.Group) bool { return len(g.Layers) == 0 })
	}
	if !all { // parts that the groups do not need are neither embedded nor lost
		of := New(other, nil)
		if err := errors.Join(of.RemoveUnusedImages(), of.RemoveUnusedSounds()); err != nil {
			return nil, err
		}
	}
	if err := e.sameForm(other, Is07(from), a); err != nil {
		return nil, err
	}
	other.Clean() // details of its file do not belong in another file
	t := transplant{e: e, other: other}
	images := t.numbers(twmap.PartImage, all, t.image)
	sounds := t.numbers(twmap.PartSound, all, t.sound)
	envelopes := t.numbers(twmap.PartEnvelope, all, t.envelope)
	if err := t.room(); err != nil {
		return nil, err
	}
	for _, refer := range []struct {
		kind twmap.PartKind
		to   map[int]int
	}{{twmap.PartImage, images}, {twmap.PartSound, sounds}, {twmap.PartEnvelope, envelopes}} {
		if _, err := Renumber(other, refer.kind, func(i int) int {
			if to, ok := refer.to[i]; ok {
				return to
			}
			return -1 // the reference was missing
		}); err != nil {
			return nil, err
		}
		if err := e.settle(refer.kind); err != nil {
			return nil, err
		}
	}
	e.m.Groups = slices.Insert(e.m.Groups, at, other.Groups...)
	t.add()
	for _, g := range other.Groups {
		e.reportChange(g, len(g.Layers), "layers", "the group came from the other map")
	}
	e.reportChange(nil, physicsGone, "layers", "physics layers of the other map are not copied")
	e.Fit()
	return other, nil
}

// transplant collects the parts that a map gets from another.
type transplant struct {
	e         *Editor
	other     *twmap.Map
	images    []*twmap.Image
	sounds    []*twmap.Sound
	envelopes []*twmap.Envelope
}

// room returns an error if the map would have too many images.
func (t *transplant) room() error {
	if n := len(t.e.m.Images) + len(t.images); len(t.images) > 0 && n > MaxImages {
		return fmt.Errorf("the map would have %d images, and the game loads %d", n, MaxImages)
	}
	return nil
}

// add adds the collected parts to the map.
func (t *transplant) add() {
	e := t.e
	e.m.Images = append(e.m.Images, t.images...)
	e.m.Sounds = append(e.m.Sounds, t.sounds...)
	e.m.Envelopes = append(e.m.Envelopes, t.envelopes...)
	for _, im := range t.images {
		e.reportChange(im, 1, "", "image %q came from the other map", im.Name)
	}
	for _, s := range t.sounds {
		e.reportChange(s, 1, "", "sound %q came from the other map", s.Name)
	}
	for _, env := range t.envelopes {
		e.reportChange(env, 1, "", "the envelope came from the other map")
	}
}

// numbers returns the new numbers of the parts of the other map.
func (t *transplant) numbers(kind twmap.PartKind, all bool, add func(i int) int) map[int]int {
	to, n := make(map[int]int), numberOf(t.other, kind)
	used := make([]bool, n)
	for r := range Refs(t.other) {
		if r.To == kind && r.Number < n {
			used[r.Number] = true
		}
	}
	for i := range n {
		if used[i] || all {
			to[i] = add(i)
		}
	}
	return to
}

func (t *transplant) image(i int) int {
	if t.room() != nil {
		return -1 // the caller fails
	}
	im := t.other.Images[i]
	have := slices.Concat(t.e.m.Images, t.images)
	at, name := shared(im.Name, len(have), func(i int) string { return have[i].Name }, func(i int) bool { return sameImage(have[i], im) })
	if at < 0 {
		at, im.Name = len(have), name
		t.images = append(t.images, im)
	}
	return at
}

func (t *transplant) sound(i int) int {
	s := t.other.Sounds[i]
	have := slices.Concat(t.e.m.Sounds, t.sounds)
	at, name := shared(s.Name, len(have), func(i int) string { return have[i].Name }, func(i int) bool { return sameSound(have[i], s) })
	if at < 0 {
		at, s.Name = len(have), name
		t.sounds = append(t.sounds, s)
	}
	return at
}

func (t *transplant) envelope(i int) int {
	t.envelopes = append(t.envelopes, t.other.Envelopes[i])
	return len(t.e.m.Envelopes) + len(t.envelopes) - 1
}

// shared returns which of n parts has a name, or the name with a number appended, and the same contents. If there is
// none, it returns -1 and the first unused name of this form.
func shared(name string, n int, nameOf func(i int) string, same func(i int) bool) (at int, free string) {
	free = name
	for number := 1; ; number++ {
		taken := false
		for i := range n {
			if nameOf(i) == free {
				if same(i) {
					return i, free
				}
				taken = true
			}
		}
		if !taken {
			return -1, free
		}
		free = fmt.Sprintf("%s (%d)", name, number)
	}
}

func sameImage(a, b *twmap.Image) bool {
	if a.External() || b.External() {
		return a.External() && b.External()
	}
	p, errA := a.Picture()
	q, errB := b.Picture()
	return errA == nil && errB == nil && p != nil && q != nil && samePicture(p, q)
}

func sameSound(a, b *twmap.Sound) bool {
	x, errA := a.Opus()
	y, errB := b.Opus()
	return errA == nil && errB == nil && a.External() == b.External() && bytes.Equal(x, y)
}
