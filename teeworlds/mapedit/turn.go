package mapedit

import (
	"trowel.example/teeworlds/twmap"
)

// Turn is one of the eight symmetries of a square: it is mirrored left to right, or not, and then rotated clockwise
// by quarters.
type Turn struct {
	Mirrored bool
	Quarters int // of 90 degrees, 0 to 3
}

// Turns with names.
var (
	LeftRight = Turn{Mirrored: true}              // left and right are swapped
	UpDown    = Turn{Mirrored: true, Quarters: 2} // top and bottom are swapped
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
	return [...]string{"unchanged", "turned by 90 degrees", "turned by 180 degrees", "turned by 270 degrees"}[t.Quarters&3]
}

// after returns the turn that does first g and then t.
func (t Turn) after(g Turn) Turn {
	q := g.Quarters
	if t.Mirrored {
		q = -q
	}
	return Turn{t.Mirrored != g.Mirrored, (t.Quarters + q) & 3}
}

// back returns the inverse of t.
func (t Turn) back() Turn {
	if !t.Mirrored {
		t.Quarters = -t.Quarters & 3
	}
	return t
}

// place returns the new position of a point of a rectangle whose corners are 0, 0 and w, h.
func (t Turn) place(x, y, w, h int) (int, int) {
	if t.Mirrored {
		x = w - x
	}
	for range t.Quarters & 3 {
		x, y, w, h = h-y, x, h, w
	}
	return x, y
}

// size returns the new size of an area.
func (t Turn) size(w, h int) (int, int) {
	if t.Quarters&1 != 0 {
		return h, w
	}
	return w, h
}

// turnOf returns the turn for the flags of a tile. The game first flips, then rotates, like a Turn.
func turnOf(f twmap.TileFlags) Turn {
	x, y := f&twmap.FlipX != 0, f&twmap.FlipY != 0
	t := Turn{Mirrored: x != y}
	if y {
		t.Quarters = 2 // flipping both is half a rotation, and half a rotation swaps the flips
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

// cell returns a turned cell of a kind of layers.
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

// physicsCell is cell for layers in which the flags affect the function of a tile.
func (t Turn) physicsCell(c Cell) Cell {
	id := twmap.GameTile(c.ID)
	if t.Mirrored && id >= twmap.EntityLaserFastCCW && id <= twmap.EntityLaserFastCW {
		// Lasers that rotate in opposite directions at the same speed are symmetric around the laser that does not
		// rotate.
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
		// The mirrored tile equals a rotated one, which the game supports.
		g = t.after(g).after(LeftRight)
	default:
		g = t.after(g)
	}
	c.Flags = c.Flags&^turning | g.flags()
	return c
}

// leftRightAlike reports whether a tile has the same function if left and right are swapped.
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

// shotgun turns a crazy shotgun. It shoots down, and with each rotation by 90 degrees to the right, up, left:
// opposite to the rotation of its picture. A mirrored one shoots to the left.
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

// one reports whether a cell must not be duplicated: an entity, or the exit of a teleporter.
func one(kind twmap.Kind, c Cell) bool {
	switch id := twmap.GameTile(c.ID); kind {
	case twmap.KindGame, twmap.KindFront, twmap.KindSwitch:
		return id.Entity()
	case twmap.KindTele:
		return id == twmap.TileTeleOut || id == twmap.TileTeleCheckpointOut
	}
	return false
}

// repeated returns the cell that is equivalent to the game's repetition of c outside of its layer.
func repeated(kind twmap.Kind, c Cell) Cell {
	if one(kind, c) {
		return Cell{}
	}
	return c
}
