package mapdraw

import (
	"image"
	"math"
	"sync"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// Entities are drawn like tiles, with separate sheets: one with signs for the functions of tiles, one with arrows,
// and three with numbers.

// Mask selects the cells of a picture of entities that are drawn.
type Mask int

// The masks of the game. The pictures of most mods contain other things in cells for which the mod has no tile.
const (
	MaskDDNet   Mask = iota // the cells of tiles that DDNet supports, each in its layers
	MaskCredits             // all cells except the credits: for race, fng and vanilla
	MaskNothing             // all cells: for blockworlds and f-ddrace
)

// MaskOf returns the mask that the game uses for the picture of a mod, by the name of the file without its extension.
func MaskOf(mod string) Mask {
	switch mod {
	case "race", "fng", "vanilla":
		return MaskCredits
	case "blockworlds", "f-ddrace":
		return MaskNothing
	}
	return MaskDDNet
}

// cells returns the cells of a sheet that are drawn, for the switch layer or for all others.
func (m Mask) cells(forSwitch bool) (stay [256]bool) {
	others := []twmap.Kind{twmap.KindGame, twmap.KindFront, twmap.KindSpeedup, twmap.KindTele, twmap.KindTune}
	for id := range 256 {
		switch {
		case id == 0:
		case m == MaskCredits:
			stay[id] = !(id >= 140 && id <= 143 || id >= 156 && id <= 159)
		case m == MaskNothing:
			stay[id] = true
		case forSwitch:
			// A switch that opens for a time is drawn with a cell that is not the one of its number.
			stay[id] = id == switchTimedOpenCell || twmap.ValidTile(twmap.KindSwitch, uint8(id))
		default:
			for _, kind := range others {
				stay[id] = stay[id] || twmap.ValidTile(kind, uint8(id))
			}
		}
	}
	return stay
}

// switchTimedOpenCell is the cell of the switch that opens for a time in pictures of entities; the cell of its own
// number contains something else.
const switchTimedOpenCell = 8

// signs are the sheets of entities, each made when it is first needed.
type signs struct{ normal, forSwitch, tune func() *sheet }

func newSheets(p *image.NRGBA, mask Mask) *signs {
	p = tileable(within(p, maxSide))
	return &signs{
		sync.OnceValue(func() *sheet { return newSheet(masked(p, mask.cells(false))) }),
		sync.OnceValue(func() *sheet { return newSheet(masked(p, mask.cells(true))) }),
		sync.OnceValue(func() *sheet { return newSheet(tuneColors(p)) }),
	}
}

// usualSigns are the sheets for renderers without an entities image.
var usualSigns = sync.OnceValue(func() *signs { return newSheets(ownSigns(), MaskDDNet) })

func (c *canvas) entities(*layer) *sheet     { return c.signs().normal() }
func (c *canvas) switches(*layer) *sheet     { return c.signs().forSwitch() }
func (c *canvas) tunes(*layer) *sheet        { return c.signs().tune() }
func (c *canvas) arrows(*layer) *sheet       { return arrowSheet() }
func (c *canvas) numbers(*layer) *sheet      { return numberSheet() }
func (c *canvas) numbersAbove(*layer) *sheet { return numberSheetAbove() }
func (c *canvas) numbersBelow(*layer) *sheet { return numberSheetBelow() }

// eachPixel calls do for each pixel of a picture, with the number of its cell.
func eachPixel(p *image.NRGBA, do func(id int, pixel []byte)) {
	w, h := p.Rect.Dx()/cellsInRow, p.Rect.Dy()/cellsInRow
	for y := range p.Rect.Dy() {
		for x := range p.Rect.Dx() {
			do(y/h*cellsInRow+x/w, p.Pix[y*p.Stride+4*x:][:4])
		}
	}
}

// masked returns a picture with only the given cells.
func masked(p *image.NRGBA, stay [256]bool) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	for y := range p.Rect.Dy() {
		copy(out.Pix[y*out.Stride:], p.Pix[y*p.Stride:][:4*p.Rect.Dx()])
	}
	eachPixel(out, func(id int, pixel []byte) {
		if !stay[id] {
			clear(pixel)
		}
	})
	return out
}

// tuneColors returns a picture of tune tiles: cell n has the n-th colour.
func tuneColors(p *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	w, h := p.Rect.Dx()/cellsInRow, p.Rect.Dy()/cellsInRow
	const tune = int(twmap.TileTune)
	gray := level{w, h, p.Stride, p.Pix}
	to := level{w, h, out.Stride, out.Pix}
	parallel.Each(255, func(i int) {
		id := i + 1
		turn := math.Mod(float64(i)*137.50776/360, 1)
		for y := range h {
			for x := range w {
				from := p.Pix[gray.cell(tune)+y*p.Stride+4*x:][:4]
				luma := math.Floor(0.2126*float64(from[0]) + 0.7152*float64(from[1]) + 0.0722*float64(from[2]))
				r, g, b := hsl(turn, 0.75, luma/255)
				copy(out.Pix[to.cell(id)+y*out.Stride+4*x:], []byte{r, g, b, from[3]})
			}
		}
	})
	return out
}

// hsl returns the colour of a hue (0 to 1), a saturation and a lightness.
func hsl(hue, saturation, lightness float64) (r, g, b uint8) {
	chroma := (1 - math.Abs(2*lightness-1)) * saturation
	part := func(shift float64) uint8 {
		h := math.Mod(hue*6+shift, 6)
		v := min(max(math.Abs(h-3)-1, 0), 1)
		return uint8(math.Round(255 * (lightness + chroma*(v-0.5))))
	}
	return part(0), part(4), part(2)
}

// tuneShades assigns colours to the numbers of zones, from 1 on, in the order of their first occurrence.
func tuneShades(g *twmap.Grid[twmap.TuneTile]) (shades [256]uint8) {
	next := 0
	for _, row := range g.Rows() {
		for _, t := range row {
			if t.ID == uint8(twmap.TileTune) && shades[t.Number] == 0 {
				next = min(next+1, 255)
				shades[t.Number] = uint8(next)
			}
		}
	}
	return shades
}

// The appearance of the cells of layers.

func plainCell(t twmap.Tile) cell { return newCell(t.ID, t.Flags) }

func numberIf(shown bool, n uint8) cell {
	if !shown {
		return 0
	}
	return newCell(n, 0)
}

func teleCell(t twmap.TeleTile) cell { return newCell(t.ID, 0) }

func teleNumber(t twmap.TeleTile) cell {
	id := twmap.GameTile(t.ID)
	return numberIf(id != twmap.TileAir && id != twmap.TileTeleCheckpointIn && id != twmap.TileTeleCheckpointInEvil, t.Number)
}

func switchCell(t twmap.SwitchTile) cell {
	if twmap.GameTile(t.ID) == twmap.TileSwitchTimedOpen {
		return newCell(switchTimedOpenCell, t.Flags)
	}
	return newCell(t.ID, t.Flags)
}

// speedupShown reports whether a speedup tile has an effect.
func speedupShown(t twmap.SpeedupTile) bool {
	switch twmap.GameTile(t.ID) {
	case twmap.TileSpeedupOld:
		return t.Force > 0
	case twmap.TileSpeedup:
		return t.Force > 0 || t.MaxSpeed > 0
	}
	return false
}

// speedupArrow returns the cell of an arrow: cell n+1 is rotated by n degrees, and multiples of 90 degrees are flags.
func speedupArrow(t twmap.SpeedupTile) cell {
	if !speedupShown(t) {
		return 0
	}
	angle := (int(t.Angle)%360 + 360) % 360
	flags := [4]twmap.TileFlags{0, twmap.Rotate, twmap.FlipX | twmap.FlipY, twmap.FlipX | twmap.FlipY | twmap.Rotate}[angle/90]
	return newCell(uint8(angle%90)+1, flags)
}

func speedupForce(t twmap.SpeedupTile) cell { return numberIf(speedupShown(t), t.Force) }
func speedupLimit(t twmap.SpeedupTile) cell { return numberIf(speedupShown(t), t.MaxSpeed) }
