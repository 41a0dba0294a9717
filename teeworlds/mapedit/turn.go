package mapedit

import (
	"trowel.example/teeworlds/twmap"
)

// Turn is one of the eight ways in which a square can be put on itself: it is mirrored left
// to right, or not, and then turned clockwise by quarters.
type Turn struct {
	Mirrored bool
	Quarters int // 0 to 3
}

// Turns that have names.
var (
	LeftRight = Turn{Mirrored: true}              // left and right change places
	UpDown    = Turn{Mirrored: true, Quarters: 2} // top and bottom change places
	Clockwise = Turn{Quarters: 1}
)

func (t Turn) String() string {
	switch {
	case t == LeftRight:
		return "mirrored left to right"
	case t == UpDown:
		return "mirrored top to bottom"
	case t.Mirrored:
		return "mirrored and turned"
	}
	return [...]string{"as it was", "turned by 90 degrees", "turned by 180 degrees", "turned by 270 degrees"}[t.Quarters&3]
}

// after returns the turn that does first g and then t.
func (t Turn) after(g Turn) Turn {
	q := g.Quarters
	if t.Mirrored {
		q = -q
	}
	return Turn{t.Mirrored != g.Mirrored, (t.Quarters + q) & 3}
}

// back returns the turn that undoes t.
func (t Turn) back() Turn {
	if !t.Mirrored {
		t.Quarters = -t.Quarters & 3
	}
	return t
}

// place returns where a place of a rectangle comes to lie, if the corners of that are 0, 0
// and w, h.
func (t Turn) place(x, y, w, h int) (int, int) {
	if t.Mirrored {
		x = w - x
	}
	for range t.Quarters & 3 {
		x, y, w, h = h-y, x, h, w
	}
	return x, y
}

// size returns the size of what had a size.
func (t Turn) size(w, h int) (int, int) {
	if t.Quarters&1 != 0 {
		return h, w
	}
	return w, h
}

// turnOf returns how flags turn a tile. The game flips first and rotates then, as a Turn does.
func turnOf(f twmap.TileFlags) Turn {
	x, y := f&twmap.FlipX != 0, f&twmap.FlipY != 0
	t := Turn{Mirrored: x != y}
	if y {
		t.Quarters = 2 // a flip of both is half a turn, and so is what makes one flip the other
	}
	if f&twmap.Rotate != 0 {
		t.Quarters++
	}
	return t
}

// flags is the inverse of turnOf.
func (t Turn) flags() (f twmap.TileFlags) {
	switch half := t.Quarters&2 != 0; {
	case t.Mirrored && half:
		f = twmap.FlipY
	case t.Mirrored:
		f = twmap.FlipX
	case half:
		f = twmap.FlipX | twmap.FlipY
	}
	if t.Quarters&1 != 0 {
		f |= twmap.Rotate
	}
	return f
}

const turning = twmap.FlipX | twmap.FlipY | twmap.Rotate

// cell returns a cell of a kind of layers that was turned.
func (t Turn) cell(kind twmap.Kind, c Cell) Cell {
	switch kind {
	case twmap.KindSpeedup:
		if c.ID != 0 {
			angle := int(c.Angle)
			if t.Mirrored {
				angle = 180 - angle
			}
			c.Angle = int16(((angle+90*t.Quarters)%360 + 360) % 360)
		}
	case twmap.KindTele, twmap.KindTune:
	case twmap.KindGame, twmap.KindFront, twmap.KindSwitch:
		return t.physicsCell(c)
	default:
		c.Flags = c.Flags&^turning | t.after(turnOf(c.Flags)).flags()
	}
	return c
}

// physicsCell is cell for the layers whose flags say what a tile does.
func (t Turn) physicsCell(c Cell) Cell {
	id := twmap.GameTile(c.ID)
	if t.Mirrored && id >= twmap.EntityLaserFastCCW && id <= twmap.EntityLaserFastCW {
		// Lasers that turn one way and the other, at equal speeds, lie around the one that stands.
		c.ID = uint8(twmap.EntityLaserStop + (twmap.EntityLaserStop - id))
	}
	if !id.Rotatable() {
		c.Flags = 0
		return c
	}
	g := turnOf(c.Flags)
	switch {
	case isCrazyShotgun(id):
		g = t.shotgun(g)
	case leftRightAlike(id) && t.Mirrored:
		// The mirrored tile is the same as the turned one that the game knows.
		g = t.after(g).after(LeftRight)
	default:
		g = t.after(g)
	}
	c.Flags = c.Flags&^turning | g.flags()
	return c
}

// leftRightAlike reports whether a tile does the same if left and right change places.
func leftRightAlike(id twmap.GameTile) bool {
	switch id {
	case twmap.TileStop, twmap.TileStopBothWays, twmap.TileSpeeder, twmap.TileFastSpeeder, twmap.TileThroughDirection:
		return true
	}
	return false
}

func isCrazyShotgun(id twmap.GameTile) bool {
	return id == twmap.EntityCrazyShotgun || id == twmap.EntityCrazyShotgunEx
}

// shotgun turns a crazy shotgun. It shoots down, and to the right, up, left with each quarter
// more: the other way round than its picture turns. What is mirrored shoots to the left.
func (t Turn) shotgun(g Turn) Turn {
	q := g.Quarters
	if g.Mirrored {
		q = 3
	}
	if t.Mirrored {
		q = -q
	}
	return Turn{Quarters: (q - t.Quarters) & 3}
}

// one reports whether a cell stands for one thing, that there are more of if the cell is
// copied: an entity, or the place where a teleporter leads to.
func one(kind twmap.Kind, c Cell) bool {
	switch id := twmap.GameTile(c.ID); kind {
	case twmap.KindGame, twmap.KindFront, twmap.KindSwitch:
		return id.Entity()
	case twmap.KindTele:
		return id == twmap.TileTeleOut || id == twmap.TileTeleCheckpointOut
	}
	return false
}

// repeated returns what a cell is where the game repeats it, outside of its layer.
func repeated(kind twmap.Kind, c Cell) Cell {
	if one(kind, c) {
		return Cell{}
	}
	return c
}
