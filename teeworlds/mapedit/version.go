package mapedit

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// flavor07 is the result of [twmap.Map.Flavor] for maps in the format of Teeworlds 0.7.
const flavor07 = "Teeworlds 0.7"

// since07 lists images that only Teeworlds 0.7 has for all maps.
var since07 = []string{"easter", "generic_lamps", "generic_shadows", "light"}

// Fit stores layers of compressed tiles in the older format if the map has parts that only DDNet supports, or other
// layers in that format: see [twmap.Map.Misfits].
func (e *Editor) Fit() {
	for _, l := range e.m.Fit() {
		e.reportChange(l, 1, "", "stored as version 3, as maps with such layers are")
	}
}

// ErrLoss is wrapped by errors about things that the other game does not have; Drop removes them instead.
var ErrLoss = errors.New("this would discard")

// Across specifies how a map is converted between games.
type Across struct {
	// Find returns the picture that the map's game has under a name; nil means that there are none.
	Find func(name string) (*image.NRGBA, error)
	// Drop removes what the other game does not have, instead of failing.
	Drop bool
	// Lost receives a message for each thing that Drop removes; if it is nil, removals are reported as changes.
	Lost func(what string)
	// Force converts a map whatever game its format indicates.
	Force bool
}

// Is07 reports whether a map is for Teeworlds 0.7, according to its format, or to its game layer if its layers have
// different formats.
func Is07(m *twmap.Map) bool {
	if len(m.Misfits()) > 0 {
		return m.Physics(twmap.KindGame).Version >= 4
	}
	return m.Flavor() == flavor07
}

// sameForm converts another map, or a part of it, to the game of the map, as To07 and To06 do, so that its tiles and
// pictures have the same meaning. is07 reports whether the whole other map was for Teeworlds 0.7.
func (e *Editor) sameForm(other *twmap.Map, is07 bool, a Across) error {
	to := (*Editor).To06
	switch {
	case is07 == Is07(e.m):
		return nil
	case !is07:
		to = (*Editor).To07
	}
	a.Force = true
	of := New(other, func(c check.Change) {
		c.What, c.At = "in the other map: "+c.What, nil
		e.report(c)
	})
	if err := to(of, a); err != nil {
		return fmt.Errorf("the maps are for different games: %w", err)
	}
	return nil
}

// To07 converts a map of Teeworlds 0.6 or DDNet to Teeworlds 0.7: it changes the format, as [twmap.Map.To07] does,
// and replaces tiles by those that look the same. Some external images have their tiles at other positions in 0.7;
// layers with such an image get the tiles that look as before. Where there are no such tiles, or quads show parts of
// the picture, the old picture is embedded.
func (e *Editor) To07(a Across) error {
	if Is07(e.m) && !a.Force {
		return errors.New("the map has the form of Teeworlds 0.7 already")
	}
	to07, to06 := remaps()
	lacks := func(name string) bool { return !slices.Contains(twmap.ExternalImages, name) }
	return e.across(a, to07, to06, lacks, (*twmap.Map).To07, e.idle07())
}

// To06 converts a map of Teeworlds 0.7 to DDNet and Teeworlds 0.6, like [Editor.To07] in the opposite direction. The
// format is that of [twmap.Map.Modernize].
func (e *Editor) To06(a Across) error {
	if !Is07(e.m) && !a.Force {
		return errors.New("the map does not have the form of Teeworlds 0.7")
	}
	to07, to06 := remaps()
	lacks := func(name string) bool { return slices.Contains(since07, name) }
	return e.across(a, to06, to07, lacks, (*twmap.Map).Modernize, nil)
}

// idle07 describes what is lost from the game layer: tiles without effect in Teeworlds 0.7.
func (e *Editor) idle07() (lost []string) {
	game := e.m.Physics(twmap.KindGame)
	if game == nil {
		return nil
	}
	n, ids := 0, make(map[uint8]bool)
	for _, row := range game.Tiles().Rows() {
		for _, t := range row {
			id := twmap.GameTile(t.ID)
			if id > twmap.TileNoHook && (id < twmap.EntitySpawn || id > twmap.EntityLaser) {
				ids[t.ID] = true
				n++
			}
		}
	}
	if n > 0 {
		lost = append(lost, fmt.Sprintf("the function of %s of the game layer, of %s", words.Count(n, "tile"), words.Count(len(ids), "kind")))
	}
	return lost
}

// across remaps everything drawn with pictures of the games, and converts the format of the map.
func (e *Editor) across(a Across, remaps, back map[string]*remap, lacks func(name string) bool,
	form func(*twmap.Map) []string, lost []string) error {
	var do []func()
	embedded := e.m.Clone() // used to find what the format loses, with the images that will be embedded
	for i, im := range e.m.Images {
		if !im.External() {
			continue
		}
		r := remaps[im.Name]
		embed, why := lacks(im.Name), "the other game does not have it"
		var u users
		if r != nil {
			var err error
			if u, err = e.usersOf(i); err != nil {
				return err
			}
			if embed, why = u.needPicture(r); !embed {
				do = append(do, func() { e.remapTiles(i, u, r) })
				continue
			}
		}
		if !embed {
			continue
		}
		p, err := a.find(im.Name)
		if err == nil {
			err = checkPicture(p)
		}
		if err == nil {
			err = e.fitsTiles(i, p.Rect)
		}
		if err == nil && r != nil && !ofSameGame(p, r, back[im.Name]) {
			err = errors.New("the only picture found is that of the other game")
		}
		switch {
		case err == nil:
			embedded.Images[i].SetPicture(p)
			do = append(do, func() {
				im.SetPicture(p)
				e.reportChange(im, 1, "", "embedded: %s", why)
			})
		default:
			lost = append(lost, fmt.Sprintf("how %s looks, which must be embedded because %s: %v", e.Path(im), why, err))
			if r != nil {
				do = append(do, func() { e.remapTiles(i, u, r) })
			}
		}
	}
	lost = append(lost, form(embedded)...)
	if len(lost) > 0 && !a.Drop {
		return fmt.Errorf("%w %s", ErrLoss, strings.Join(lost, ", "))
	}
	for _, f := range do {
		f()
	}
	was := e.m.Flavor()
	form(e.m)
	e.reportChange(nil, 1, "", "the form of %s became that of %s", was, e.m.Flavor())
	if a.Lost == nil {
		a.Lost = func(what string) { e.reportChange(nil, 1, "", "left out: %s", what) }
	}
	for _, l := range lost {
		a.Lost(l)
	}
	return nil
}

func (a *Across) find(name string) (*image.NRGBA, error) {
	if a.Find == nil {
		return nil, errors.New("no pictures of the games given")
	}
	return a.Find(name)
}

// users holds everything that is drawn with an image.
type users struct {
	tiles []*twmap.TileLayer
	used  [256]int
	quads int // number of layers
}

func (e *Editor) usersOf(i int) (u users, err error) {
	for _, l := range e.m.Layers() {
		switch l := l.(type) {
		case *twmap.QuadLayer:
			if l.Image == i && l.NumQuads() > 0 {
				u.quads++
			}
		case *twmap.TileLayer:
			if l.Image != i || l.Kind().Physics() {
				continue
			}
			cells, err := l.Tiles().Cells()
			if err != nil {
				return u, fmt.Errorf("%s: %w", e.Path(l), err)
			}
			for _, t := range cells {
				u.used[t.ID]++
			}
			u.tiles = append(u.tiles, l)
		}
	}
	return u, nil
}

// needPicture reports whether only the picture itself looks as before, and why.
func (u *users) needPicture(r *remap) (bool, string) {
	var missing []string
	for id, n := range u.used {
		if n > 0 && r.missing[id] {
			missing = append(missing, fmt.Sprint(id))
		}
	}
	switch {
	case len(missing) > 0:
		return true, fmt.Sprintf("the picture of the other game lacks tiles that are used: %s", strings.Join(missing, " "))
	case u.quads > 0 && r.moves():
		return true, "quads use it, and the part that they show is in a different position in the other game's picture"
	}
	return false, ""
}

// moves reports whether any tile has another position.
func (r *remap) moves() bool {
	for i, to := range r.to {
		if int(to) != i || r.missing[i] {
			return true
		}
	}
	return false
}

// remapTiles gives the layers with an image the tiles that look like the old ones.
func (e *Editor) remapTiles(i int, u users, r *remap) {
	redrawn := 0
	for _, l := range u.tiles {
		g := l.Tiles()
		moved, air := 0, 0
		cells, _ := g.Cells()
		for at, t := range slices.Clone(cells) {
			if r.redrawn[t.ID] {
				redrawn++
			}
			to := r.to[t.ID]
			switch {
			case to == t.ID:
				continue
			case to == 0:
				t.Flags, air = 0, air+1
			default:
				moved++
			}
			t.ID = to
			g.Set(at%g.Width(), at/g.Width(), t)
		}
		e.reportChange(l, moved, "tiles", "tiles moved to their positions in the other game")
		e.reportChange(l, air, "tiles", "tiles that cannot be seen became air: the other game would show them")
	}
	e.reportChange(e.m.Images[i], redrawn, "tiles", "tiles that are drawn a little differently in the other game")
}

// ofSameGame reports whether a picture is the source of a remap, not the other game's picture with the same name:
// each has tiles that are transparent in the other.
func ofSameGame(p *image.NRGBA, r, back *remap) bool {
	if p.Rect.Dx()%16 != 0 || p.Rect.Dy()%16 != 0 {
		return true
	}
	score := 0
	for id := 1; id < 256; id++ {
		own, others := !r.hidden[id], !back.hidden[id]
		if own == others {
			continue
		}
		if tileSeen(p, id) == own {
			score++
		} else {
			score--
		}
	}
	return score >= 0
}

func tileSeen(p *image.NRGBA, id int) bool {
	w, h := p.Rect.Dx()/16, p.Rect.Dy()/16
	for y := range h {
		line := row(p, id/16*h+y)[4*w*(id%16):]
		for x := range w {
			if line[4*x+3] > 8 {
				return true
			}
		}
	}
	return false
}
