package mapedit

import (
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

func (e *Editor) group(i int) (*twmap.Group, error) {
	if err := inRange(twmap.PartGroup, i, len(e.m.Groups)); err != nil {
		return nil, err
	}
	return e.m.Groups[i], nil
}

// notGame returns an error for the group of the game layer.
func (e *Editor) notGame(i int) error {
	if i == e.gameGroup() {
		return fmt.Errorf("%s is the group of the game layer", e.Path(e.m.Groups[i]))
	}
	return nil
}

// AddGroup inserts a group without layers at a position in the list; a position below 0 is the end.
func (e *Editor) AddGroup(at int, name string) error {
	if err := checkLength("name", name, maxPartName); err != nil {
		return err
	}
	if at < 0 || at > len(e.m.Groups) {
		at = len(e.m.Groups)
	}
	g := twmap.NewGroup(name)
	e.m.Groups = slices.Insert(slices.Clip(e.m.Groups), at, g)
	e.reportChange(g, 1, "", "added")
	return nil
}

// RemoveGroups removes groups with all their layers. It fails for the group of the game layer.
func (e *Editor) RemoveGroups(list []int) error {
	if err := allInRange(twmap.PartGroup, list, len(e.m.Groups)); err != nil {
		return err
	}
	for _, i := range list {
		if err := e.notGame(i); err != nil {
			return err
		}
	}
	for i, g := range e.m.Groups {
		if slices.Contains(list, i) {
			e.reportChange(g, 1, "", "removed with %s", words.Count(len(g.Layers), "layer"))
		}
	}
	e.m.Groups = pick(e.m.Groups, without(len(e.m.Groups), list))
	return nil
}

// MoveGroup moves a group to another position in the list, which is the order of drawing; to is counted without the
// group.
func (e *Editor) MoveGroup(from, to int) error {
	n := len(e.m.Groups)
	if err := allInRange(twmap.PartGroup, []int{from, to}, n); err != nil || from == to {
		return err
	}
	e.reportChange(e.m.Groups[from], 1, "", "moved from %d to %d", from, to)
	e.m.Groups = pick(e.m.Groups, withMoved(n, from, to))
	return nil
}

// DuplicateGroup inserts a copy after a group, without the physics layers.
func (e *Editor) DuplicateGroup(i int) error {
	g, err := e.group(i)
	if err != nil {
		return err
	}
	copied := settingsOf(g, g.Name)
	for _, l := range g.Layers {
		if _, ok := physics(l); ok {
			continue
		}
		own, err := e.fresh(l)
		if err != nil {
			return err
		}
		copied.Layers = append(copied.Layers, own)
	}
	e.m.Groups = slices.Insert(slices.Clip(e.m.Groups), i+1, copied)
	e.reportChange(copied, 1, "", "added, a copy of %s with %s", e.Path(g), words.Count(len(copied.Layers), "layer"))
	return nil
}

// GroupChange specifies the changes of groups; nil fields keep their value.
type GroupChange struct {
	Name                 *string
	OffsetX, OffsetY     *int32 // in 1/32 tiles
	ParallaxX, ParallaxY *int32 // in percent
	Clip                 *twmap.Clip
	NoClip               bool // remove the clip
}

// ChangeGroups changes groups. It fails for the offset and parallax of the group with the game layer, which moves
// with the game.
func (e *Editor) ChangeGroups(list []int, c GroupChange) error {
	if err := allInRange(twmap.PartGroup, list, len(e.m.Groups)); err != nil {
		return err
	}
	if c.Name != nil {
		if err := checkLength("name", *c.Name, maxPartName); err != nil {
			return err
		}
	}
	if clip := c.Clip; clip != nil && (clip.Width < 0 || clip.Height < 0) {
		return errors.New("a clip has a width and a height of 0 or more")
	}
	for _, i := range list {
		if c.OffsetX != nil || c.OffsetY != nil || c.ParallaxX != nil || c.ParallaxY != nil {
			if err := e.notGame(i); err != nil {
				return fmt.Errorf("%w, which has no offset and a parallax of 100", err)
			}
		}
	}
	for _, i := range list {
		g := e.m.Groups[i]
		if c.Name != nil && g.Name != *c.Name {
			g.Version = 3
			e.reportChange(g, 1, "", "renamed to %q", *c.Name)
			g.Name = *c.Name
		}
		set(e, g, "horizontal offset", &g.OffsetX, c.OffsetX, number)
		set(e, g, "vertical offset", &g.OffsetY, c.OffsetY, number)
		set(e, g, "horizontal parallax", &g.ParallaxX, c.ParallaxX, number)
		set(e, g, "vertical parallax", &g.ParallaxY, c.ParallaxY, number)
		switch {
		case c.NoClip && g.Clip != nil:
			g.Clip = nil
			e.reportChange(g, 1, "", "not clipped any more")
		case c.Clip != nil && (g.Clip == nil || *g.Clip != *c.Clip):
			g.Version = max(g.Version, 2)
			g.Clip = new(*c.Clip)
			e.reportChange(g, 1, "", "clipped to %d,%d, %d x %d", c.Clip.X, c.Clip.Y, c.Clip.Width, c.Clip.Height)
		}
	}
	return nil
}

// IsolatePhysics moves all design layers out of the game group: those behind the game layer into a new group before
// it in the list, the others into one after it, both at the position where the game shows the game group. The order
// of drawing stays the same.
func (e *Editor) IsolatePhysics() error {
	i := e.gameGroup()
	if i < 0 {
		return errors.New("the map has no game layer")
	}
	g, game := e.m.Groups[i], twmap.Layer(e.m.Physics(twmap.KindGame))
	var back, own, front []twmap.Layer
	seen := false
	for _, l := range g.Layers {
		_, ok := physics(l)
		switch seen = seen || l == game; {
		case ok:
			own = append(own, l)
		case seen:
			front = append(front, l)
		default:
			back = append(back, l)
		}
	}
	if len(own) == len(g.Layers) {
		return nil
	}
	apart := func(name string, list []twmap.Layer) []*twmap.Group {
		if len(list) == 0 {
			return nil
		}
		n := twmap.NewGroup(name, list...) // NewGroup has the position that the game uses for the game group
		return []*twmap.Group{n}
	}
	behind, before := apart("Background", back), apart("Foreground", front)
	g.Layers = own
	e.m.Groups = slices.Concat(e.m.Groups[:i], behind, []*twmap.Group{g}, before, e.m.Groups[i+1:])
	for _, n := range slices.Concat(behind, before) {
		e.reportChange(n, len(n.Layers), "layers", "layers of the game group are in this group now")
	}
	return nil
}

// settingsOf returns a group without layers that is drawn like another.
func settingsOf(g *twmap.Group, name string) *twmap.Group {
	n := twmap.NewGroup(name)
	n.OffsetX, n.OffsetY, n.ParallaxX, n.ParallaxY = g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY
	if g.Clip != nil {
		n.Clip = new(*g.Clip)
	}
	if g.ParallaxZoom != nil {
		n.ParallaxZoom = &twmap.ParallaxZoom{Percent: g.ParallaxZoom.Percent}
	}
	return n
}
