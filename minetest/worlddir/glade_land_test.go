package worlddir

import (
	"math"
	"strings"
)

// The size of the sample world in nodes, and the height of its lowest ones. At its sides is a margin of one node of air.
const (
	gladeSide, gladeHeight = 48, 32
	gladeLow               = -16
)

// land is a world that is being built.
type land struct {
	names  [gladeSide * gladeHeight * gladeSide]string
	param2 [gladeSide * gladeHeight * gladeSide]uint8
	top    [gladeSide][gladeSide]int // height of the ground, by x and z
	signs  map[[3]int]string
}

func inLand(x, y, z int) bool {
	return x >= 0 && x < gladeSide && z >= 0 && z < gladeSide && y >= gladeLow && y < gladeLow+gladeHeight
}

func landIndex(x, y, z int) int { return (z*gladeHeight+y-gladeLow)*gladeSide + x }

// at returns the name of a node without "glade:".
func (l *land) at(x, y, z int) string {
	if !inLand(x, y, z) {
		return "air"
	}
	return l.names[landIndex(x, y, z)]
}

func (l *land) set(x, y, z int, name string, param2 ...uint8) {
	if !inLand(x, y, z) {
		return
	}
	i := landIndex(x, y, z)
	l.names[i], l.param2[i] = name, 0
	if len(param2) > 0 {
		l.param2[i] = param2[0]
	}
}

// fill fills a box, both corners inclusive.
func (l *land) fill(x0, y0, z0, x1, y1, z1 int, name string, param2 ...uint8) {
	for z := z0; z <= z1; z++ {
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				l.set(x, y, z, name, param2...)
			}
		}
	}
}

// Directions of nodes that turn, towards which stairs rise, and at whose side signs and torches are.
const (
	north = iota
	east
	south
	west
)

// newGlade returns the sample world.
func newGlade() *land {
	l := &land{signs: make(map[[3]int]string)}
	for i := range l.names {
		l.names[i] = "air"
	}
	l.ground()
	l.brook()
	l.mine()
	l.trees()
	l.paths()
	l.hut()
	l.garden()
	l.summit()
	l.growth()
	l.flow()
	return l
}

// bump is a hill of a height around a place.
func bump(x, z int, cx, cz, height, width float64) float64 {
	dx, dz := (float64(x)-cx)/width, (float64(z)-cz)/width
	return height * math.Exp(-dx*dx-dz*dz)
}

// blend returns how much of a rectangle with soft edges is at a place, 0 to 1.
func blend(x, z, x0, z0, x1, z1 int, soft float64) float64 {
	dx, dz := max(0, x0-x, x-x1), max(0, z0-z, z-z1)
	return max(0, 1-math.Hypot(float64(dx), float64(dz))/soft)
}

// The pond.
const pondX, pondZ, pondLevel = 19, 8, 1

func pond(x, z int) float64 {
	dx, dz := float64(x-pondX)/7.2, float64(z-pondZ)/5.2
	return math.Hypot(dx, dz) + .22*(smooth(50, 4, float64(x)/3, float64(z)/3)-.5)
}

// ground makes hills of stone, earth and grass, and a pond.
func (l *land) ground() {
	for z := 1; z < gladeSide-1; z++ {
		for x := 1; x < gladeSide-1; x++ {
			h := 2.6 + 1.6*(smooth(51, 4, float64(x)/3, float64(z)/3)-.5) +
				bump(x, z, 35, 39, 8.5, 9) + bump(x, z, 9, 42, 5.5, 8) + bump(x, z, 43, 7, 2.2, 7)
			b := blend(x, z, 4, 15, 18, 28, 4)
			h = h*(1-b) + 3*b
			if p := pond(x, z); p < 2 {
				w := max(0, min(1, (p-1.1)/.9))
				h = h*w + (pondLevel+.3)*(1-w)
			}
			top := int(math.Round(h))
			p := pond(x, z)
			if p < .95 {
				top = pondLevel - 1
			}
			if p < .6 {
				top = pondLevel - 2
			}
			l.top[x][z] = top
			earth := 2 + int(2*smooth(52, 4, float64(x)/2, float64(z)/2))
			for y := gladeLow; y <= top; y++ {
				switch {
				case p < 1.12 && y > top-2:
					l.set(x, y, z, "sand")
				case y == top && top < 10-int(2*noise(53, x, z)):
					l.set(x, y, z, "grass")
				case y > top-earth && top < 9:
					l.set(x, y, z, "dirt")
				default:
					l.set(x, y, z, "stone")
				}
			}
			for y := top + 1; y <= pondLevel && p < .95; y++ {
				l.set(x, y, z, "water_source")
			}
		}
	}
	for _, ore := range []struct {
		name     string
		seed     int
		low, top int
	}{{"coal_ore", 60, -12, 6}, {"copper_ore", 61, -15, 2}, {"gold_ore", 62, -16, -6}} {
		for i := range 14 { // veins
			x, z := 2+int(44*noise(ore.seed, i, 0)), 2+int(44*noise(ore.seed, i, 1))
			y := ore.low + int(float64(ore.top-ore.low)*noise(ore.seed, i, 2))
			for n := range 5 {
				if l.at(x, y, z) == "stone" {
					l.set(x, y, z, ore.name)
				}
				step := int(6 * noise(ore.seed, i, 3+n))
				x, y, z = x+(step%3-1)*(step%2), y+step%3-1, z+1-step/3
			}
		}
	}
}

// brookAt returns the place of the western one of the two columns of the brook at a z, and the height of its water.
func brookAt(z int) (x, y int) {
	x = 29 - (32-z)/3
	switch {
	case z > 32:
		y = 8
	case z >= 28:
		y = 4
	case z >= 23:
		y = 3
	case z >= 18:
		y = 2
	default:
		y = 1
	}
	return x, y
}

// brook cuts the bed of a brook from a spring on the hill to the pond.
func (l *land) brook() {
	for pass := range 2 { // the banks first
		for z := 11; z <= 35; z++ {
			x, y := brookAt(z)
			_, up := brookAt(z + 1)
			if pass == 0 {
				for dx := -2; dx <= 3; dx++ {
					if pond(x+dx, z) < 1 {
						continue
					}
					for y := l.top[x+dx][z] + 1; y <= up; y++ {
						l.set(x+dx, y, z, "grass")
						l.set(x+dx, y-1, z, "dirt")
						l.top[x+dx][z] = y
					}
				}
				continue
			}
			for dx := range 2 {
				if pond(x+dx, z) < .95 {
					continue
				}
				l.fill(x+dx, y, z, x+dx, max(up, l.top[x+dx][z]), z, "air")
				bed := "gravel"
				if noise(54, x+dx, z) < .3 {
					bed = "sand"
				} else if y > 3 {
					bed = "mossy_cobble"
				}
				l.set(x+dx, y-1, z, bed)
				l.top[x+dx][z] = y - 1
			}
		}
	}
	x, y := brookAt(35)
	for dx := range 2 {
		l.set(x+dx, y, 35, "water_source")
		l.set(x+dx, y, 36, "mossy_cobble")
	}
	for _, p := range [][3]int{{27, 5, 33}, {31, 6, 33}, {27, 4, 31}, {30, 7, 36}, {32, 5, 32}, {26, 4, 29}, {31, 5, 30}} {
		l.set(p[0], p[1], p[2], "mossy_cobble")
	}
}

// mine digs a tunnel with rails into the hill, with a hall, and stairs to a cave.
func (l *land) mine() {
	const x, y = 38, 4 // of the middle, and above the floor
	l.fill(x-2, y, 26, x+2, y+6, 30, "air")
	l.fill(x-2, y-1, 26, x+2, y-1, 30, "gravel")
	l.fill(x-2, y, 31, x+2, y+3, 31, "cobble")
	l.fill(x-2, y+4, 31, x+2, y+4, 31, "cobble_slab")
	l.fill(x-1, y-1, 31, x+1, y-1, 38, "gravel")
	l.fill(x-1, y, 31, x+1, y+2, 38, "air")
	cavern := func(cx, cy, cz int, rx, ry, rz float64, seed int) {
		for z := cz - 8; z <= cz+8; z++ {
			for dy := 0; dy <= int(ry)+1; dy++ {
				for x := cx - 9; x <= cx+9; x++ {
					d := math.Hypot(math.Hypot(float64(x-cx)/rx, float64(dy)/ry), float64(z-cz)/rz)
					inside := x > 2 && x < gladeSide-3 && z > 2 && z < gladeSide-3
					if inside && d+.25*smooth(seed, 4, float64(x), float64(z+3*dy)) < 1.12 {
						l.set(x, cy+dy, z, "air")
					}
				}
			}
		}
	}
	cavern(37, y, 41, 5, 4.2, 3.6, 70)
	cavern(24, -9, 37, 7, 6, 6, 71)
	for z := 31; z <= 38; z += 3 { // timber
		for _, side := range []int{-1, 1} {
			l.fill(x+side, y, z, x+side, y+1, z, "log")
		}
		l.fill(x-1, y+2, z, x+1, y+2, z, "log", 12)
		if z > 31 {
			l.set(x-1, y+1, z-1, "wall_torch", west)
		}
	}
	for z := 27; z <= 40; z++ {
		l.set(x, y, z, "rail")
	}
	for rx := 34; rx < x; rx++ {
		l.set(rx, y-1, 40, "gravel")
		l.set(rx, y, 40, "rail")
	}
	l.set(x, y, 34, "cart")
	l.set(36, y, 43, "chest", south)
	l.set(40, y, 42, "lantern")
	l.set(35, y+3, 41, "lantern")
	// Stairs down to the west, from the hall to the cave.
	for i := range 10 {
		sx, sy := 33-i, y-1-i
		l.fill(sx, sy+1, 40, sx, sy+4, 41, "air")
		l.fill(sx, sy, 40, sx, sy, 41, "cobble_stair", east)
		l.fill(sx, sy-1, 40, sx, sy-1, 41, "cobble")
		if i%3 == 1 {
			l.set(sx, sy+2, 41, "wall_torch", north)
			l.set(sx, sy+2, 42, "stone")
		}
	}
	l.set(32, y, 40, "air")
	// The cave: crystals, ores, and a pool of lava.
	for z := 30; z < 45; z++ {
		for x := 14; x < 34; x++ {
			if l.at(x, -9, z) != "air" || l.at(x, -10, z) == "cobble_stair" {
				continue
			}
			switch n := noise(72, x, z); {
			case x >= 19 && x <= 22 && z >= 33 && z <= 36 && (x+z)%7 > 0:
				l.set(x, -10, z, "lava_source")
				l.set(x, -11, z, "stone")
			case n < .1 && x < 30:
				l.set(x, -9, z, "crystal")
			case n < .3:
				l.set(x, -10, z, "gravel")
			case n > .93:
				l.set(x, -9, z, "mushroom", 8)
			}
		}
	}
	l.set(x+2, y+1, 30, "wall_torch", north)
	l.set(x-2, y+1, 30, "wall_torch", north)
	l.set(x+1, y+2, 30, "sign", north)
	l.signs[[3]int{x + 1, y + 2, 30}] = "The Deep Glade mine. Mind the lava."
}

// tree grows a tree on the ground.
func (l *land) tree(x, z, height int, kind string) {
	base := l.top[x][z] + 1
	trunk, leaves := "log", kind
	if kind == "birch_leaves" {
		trunk = "birch"
	}
	l.set(x, base-1, z, "dirt")
	crown := func(cy int, wide, high float64) {
		for dy := -4; dy <= 4; dy++ {
			for dz := -4; dz <= 4; dz++ {
				for dx := -4; dx <= 4; dx++ {
					d := math.Hypot(math.Hypot(float64(dx)/wide, float64(dz)/wide), float64(dy)/high)
					px, py, pz := x+dx, cy+dy, z+dz
					inside := px > 0 && pz > 0 && px < gladeSide-1 && pz < gladeSide-1
					if d+.35*noise(80, px*7+py, pz) < 1.15 && inside && l.at(px, py, pz) == "air" {
						l.set(px, py, pz, leaves)
					}
				}
			}
		}
	}
	if kind == "needles" {
		for y := 2; y <= height+1; y++ {
			r := float64(height+2-y)/float64(height)*2.3 + .4 - .7*float64(y%2)
			crown(base+y, max(.5, r), .5)
		}
	} else if kind == "birch_leaves" {
		crown(base+height-1, 1.8, 2.4)
	} else {
		crown(base+height, 2.6, 2.1)
	}
	l.fill(x, base, z, x, base+height-1, z, trunk)
}

func (l *land) trees() {
	for _, t := range []struct {
		x, z, height int
		kind         string
	}{
		{5, 33, 5, "leaves"}, {12, 36, 5, "needles"}, {7, 41, 5, "needles"}, {16, 43, 5, "needles"}, {3, 44, 4, "needles"},
		{18, 37, 6, "needles"}, {12, 44, 4, "needles"}, {22, 44, 5, "needles"}, {4, 37, 5, "needles"},
		{9, 32, 4, "leaves"}, {20, 32, 5, "leaves"},
		{4, 22, 4, "leaves"}, {20, 26, 4, "maple_leaves"}, {34, 17, 5, "leaves"}, {31, 10, 5, "birch_leaves"}, {35, 6, 5, "birch_leaves"},
		{40, 13, 5, "leaves"}, {43, 20, 5, "birch_leaves"}, {9, 5, 4, "leaves"}, {4, 4, 4, "birch_leaves"}, {44, 5, 4, "maple_leaves"},
		{44, 40, 3, "needles"}, {28, 43, 3, "needles"}, {43, 44, 3, "needles"}, {32, 22, 4, "birch_leaves"},
	} {
		l.tree(t.x, t.z, t.height, t.kind)
	}
}

// road replaces the ground of a rectangle by a path, as high as it is.
func (l *land) road(x0, z0, x1, z1 int) {
	for z := z0; z <= z1; z++ {
		for x := x0; x <= x1; x++ {
			if y := l.top[x][z]; l.at(x, y, z) == "grass" {
				l.set(x, y, z, "path")
			}
		}
	}
}

// post is a post with a torch.
func (l *land) post(x, y, z int) {
	l.set(x, y, z, "fence")
	l.set(x, y+1, z, "torch")
}

// paths leads from the hut over a bridge to the mine, and to the pond.
func (l *land) paths() {
	for x := 16; x <= 38; x++ { // level
		for z := 20; z <= 23; z++ {
			if bx, _ := brookAt(z); x >= bx && x <= bx+1 {
				continue
			}
			for y := l.top[x][z]; y > 3; y-- {
				l.set(x, y, z, "air")
				l.top[x][z] = y - 1
			}
			for y := l.top[x][z] + 1; y <= 3; y++ {
				l.set(x, y, z, "dirt")
				l.top[x][z] = y
			}
			l.set(x, 3, z, "grass")
		}
	}
	l.road(16, 21, 38, 22)
	for z := 23; z <= 26; z++ {
		for x := 37; x <= 39; x++ {
			l.fill(x, 4, z, x, 8, z, "air")
			l.fill(x, 1, z, x, 3, z, "dirt")
			l.set(x, 3, z, "path")
			l.top[x][z] = 3
		}
	}
	l.road(17, 14, 18, 20)
	for x := 24; x <= 28; x++ {
		for z := 21; z <= 22; z++ {
			l.set(x, 3, z, "planks")
		}
		for _, z := range []int{20, 23} {
			l.set(x, 3, z, "planks")
			l.set(x, 4, z, "fence")
		}
	}
	for _, x := range []int{24, 28} {
		for _, z := range []int{20, 23} {
			l.set(x, 5, z, "torch")
		}
	}
	l.post(36, 4, 24)
	l.post(19, 4, 24)
	l.set(30, 4, 23, "log")
	l.set(30, 4, 24, "log")
	l.set(30, 5, 24, "log")
	l.set(30, 5, 23, "sign", north)
	l.set(30, 4, 23, "air")
	l.signs[[3]int{30, 5, 23}] = "West: the hut. East: the mine."
	// A jetty.
	for z := 10; z <= 14; z++ {
		l.set(17, 2, z, "planks_slab")
		l.set(18, 2, z, "planks_slab")
	}
	l.fill(17, 0, 10, 17, 1, 10, "log")
	l.fill(18, 0, 10, 18, 1, 10, "log")
}

// hut builds a hut of wood with a roof of tiles.
func (l *land) hut() {
	const x0, x1, z0, z1, y = 7, 15, 18, 26, 4
	l.fill(x0-1, y, z0-1, x1+1, y+8, z1+1, "air")
	l.fill(x0, y-2, z0, x1, y-1, z1, "cobble")
	l.fill(x0+1, y-1, z0+1, x1-1, y-1, z1-1, "planks")
	l.fill(x0, y, z0, x1, y, z1, "brick")
	l.fill(x0, y+1, z0, x1, y+3, z1, "planks")
	for i := range 5 { // the gables and the roof
		l.fill(x0, y+4+i, z0+i, x1, y+4+i, z1-i, "planks")
		l.fill(x0-1, y+3+i, z0-1+i, x1+1, y+3+i, z0-1+i, "roof_stair", north)
		l.fill(x0-1, y+3+i, z1+1-i, x1+1, y+3+i, z1+1-i, "roof_stair", south)
	}
	l.fill(x0-1, y+8, z0+4, x1+1, y+8, z0+4, "roof_slab")
	l.fill(x0+1, y, z0+1, x1-1, y+3, z1-1, "air")
	for i := range 4 {
		l.fill(x0+1, y+4+i, z0+1+i, x1-1, y+4+i, z1-1-i, "air")
	}
	for _, x := range []int{x0, x1} {
		for _, z := range []int{z0, z1} {
			l.fill(x, y, z, x, y+3, z, "log")
		}
		l.set(x, y+5, z0+4, "glass")
	}
	for _, x := range []int{x0 + 1, x0 + 4, x1 - 1} { // beams
		l.fill(x, y+4, z0+1, x, y+4, z1-1, "log", 4)
	}
	for _, z := range []int{z0, z1} { // windows
		l.fill(x0+2, y+1, z, x0+3, y+2, z, "glass")
		l.fill(x1-3, y+1, z, x1-2, y+2, z, "glass")
	}
	l.fill(x1, y+1, z1-3, x1, y+2, z1-2, "glass")
	l.fill(x1, y, z0+3, x1, y+1, z0+3, "air")
	l.set(x1, y, z0+3, "door", east)
	l.set(x1+1, y-1, z0+3, "path")
	l.set(x1+1, y+1, z0+2, "wall_torch", west)
	l.set(x1+1, y+1, z0+4, "wall_torch", west)
	// The hearth, with a chimney.
	l.fill(x0-1, y-1, z0+3, x0-1, y+9, z0+5, "cobble")
	l.fill(x0-1, y+6, z0+3, x0-1, y+9, z0+3, "air")
	l.fill(x0-1, y+6, z0+5, x0-1, y+9, z0+5, "air")
	l.fill(x0, y, z0+3, x0, y+3, z0+5, "cobble")
	l.fill(x0, y, z0+4, x0, y+1, z0+4, "fire")
	l.set(x0, y+1, z0+4, "air")
	l.fill(x0+1, y+2, z0+3, x0+1, y+2, z0+5, "cobble_slab")
	l.set(x0+1, y+3, z0+3, "torch")
	l.set(x0+1, y+3, z0+5, "poppy")
	// Furniture.
	for z := z0 + 2; z <= z1-2; z++ {
		for x := x0 + 2; x <= x1-2; x++ {
			color := uint8(32) // of the palette, in eight steps
			if x == x0+2 || x == x1-2 || z == z0+2 || z == z1-2 {
				color = 96
			} else if (x+z)%2 == 0 {
				color = 0
			}
			if x < x0+6 {
				l.set(x, y, z, "rug", color)
			}
		}
	}
	l.set(x0+4, y, z0+4, "table")
	l.set(x0+4, y+1, z0+4, "cornflower")
	l.set(x0+3, y, z0+4, "chair", west)
	l.set(x0+5, y, z0+4, "chair", east)
	l.fill(x0+1, y, z1-1, x0+1, y+2, z1-1, "shelf", north)
	l.set(x0+2, y, z1-1, "shelf", north)
	l.set(x0+3, y, z1-1, "shelf", north)
	l.set(x0+1, y, z0+1, "chest", south)
	l.set(x0+2, y, z0+1, "chest", south)
	l.set(x1-1, y, z1-2, "bed", north)
	l.set(x0+4, y+3, z0+4, "lantern")
	l.set(x1-1, y+3, z1-4, "lantern")
	l.set(x0+4, y+2, z1-1, "sign", north)
	l.signs[[3]int{x0 + 4, y + 2, z1 - 1}] = "Guests are welcome. Feed the fire."
	l.fill(x1-1, y, z0+1, x1-1, y+4, z0+1, "ladder", 5)
}

// garden is beds with a fence around them.
func (l *land) garden() {
	const x0, x1, z0, z1 = 3, 10, 8, 14
	for z := z0; z <= z1; z++ {
		for x := x0; x <= x1; x++ {
			for y := l.top[x][z]; y > 3; y-- {
				l.set(x, y, z, "air")
			}
			l.fill(x, 0, z, x, 2, z, "dirt")
			l.set(x, 3, z, "grass")
			l.top[x][z] = 3
			switch {
			case x == x0 || x == x1 || z == z0 || z == z1:
				if x != 7 || z != z1 {
					l.set(x, 4, z, "fence")
				}
			case z%2 == 0:
				l.set(x, 3, z, "path")
			case z == z0+3:
				l.set(x, 3, z, "dirt")
				l.set(x, 4, z, "wheat", 3)
			case z < z0+3:
				l.set(x, 3, z, "dirt")
				l.set(x, 4, z, "wheat", 3)
			default:
				l.set(x, 4, z, []string{"poppy", "daisy", "cornflower"}[x%3])
			}
		}
	}
	l.set(x0, 5, z0, "torch")
	l.set(x1, 5, z1, "torch")
}

// summit leads stairs up the hill, to a place with a view.
func (l *land) summit() {
	x, z, y := 42, 28, l.top[42][28]
	for step := 0; step < 12 && z < 40; step++ {
		next := l.top[x][z+1]
		if next > y {
			y++
			l.fill(x, y, z+1, x+1, y, z+1, "cobble_stair", north)
		} else {
			l.fill(x, y, z+1, x+1, y, z+1, "cobble")
		}
		l.fill(x, y+1, z+1, x+1, y+4, z+1, "air")
		l.fill(x, y-2, z+1, x+1, y-1, z+1, "cobble")
		z++
		l.top[x][z], l.top[x+1][z] = y, y
	}
	l.post(x-1, l.top[x-1][29]+1, 29)
}

// growth plants grass, flowers, reeds and lilies.
func (l *land) growth() {
	for z := 1; z < gladeSide-1; z++ {
		for x := 1; x < gladeSide-1; x++ {
			y := l.top[x][z]
			n, patch := noise(90, x, z), smooth(91, 4, float64(x)/2, float64(z)/2)
			p := pond(x, z)
			switch {
			case p < .6 && l.at(x, pondLevel+1, z) == "air" && n < .12:
				l.set(x, pondLevel+1, z, "lily", 1)
			case p < .9 && l.at(x, y+1, z) == "water_source" && n > .9:
				l.set(x, y, z, "pondweed")
			case p > .95 && p < 1.1 && l.at(x, y, z) == "sand" && l.at(x, y+1, z) == "air" && n < .3:
				l.set(x, y+1, z, "reed")
			case l.at(x, y, z) != "grass" || l.at(x, y+1, z) != "air":
			case n < .05 && patch > .4:
				l.set(x, y+1, z, []string{"poppy", "cornflower", "daisy", "dandelion"}[int(4*smooth(92, 8, float64(x)/2, float64(z)/2))], 8)
			case n > .97 && z > 28:
				l.set(x, y+1, z, "fern", 8)
			case n > .99:
				l.set(x, y+1, z, "mushroom", 8)
			case n < .05+.22*patch:
				l.set(x, y+1, z, "tall_grass", 8)
			}
		}
	}
}

// flow lets the water flow, by the rules of the engine, until nothing changes.
func (l *land) flow() {
	const most, mask, down = 7, 7, 8
	for changed := true; changed; {
		changed = false
		for z := range gladeSide {
			for y := gladeLow + gladeHeight - 1; y >= gladeLow; y-- {
				for x := range gladeSide {
					name := l.at(x, y, z)
					if name != "air" && name != "water_flowing" {
						continue
					}
					level, falls := -1, false
					for i, d := range [6][3]int{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}} {
						nx, ny, nz := x+d[0], y+d[1], z+d[2]
						if !inLand(nx, ny, nz) {
							continue
						}
						other, p := l.at(nx, ny, nz), int(l.param2[landIndex(nx, ny, nz)])
						switch {
						case i == 5:
							falls = other == "air" || other == "water_flowing"
						case other == "water_source":
							level = most
						case other == "water_flowing" && i == 0:
							level = max(level, min(most, p&mask+4))
						case other == "water_flowing" && p&down == 0:
							level = max(level, p&mask-1)
						}
					}
					want, param2 := "air", uint8(0)
					if level > 0 {
						want, param2 = "water_flowing", uint8(level)
						if falls {
							param2 |= down
						}
					}
					if i := landIndex(x, y, z); l.names[i] != want || l.param2[i] != param2 {
						l.names[i], l.param2[i], changed = want, param2, true
					}
				}
			}
		}
	}
}

// fullName returns the name of a node with its mod.
func fullName(name string) string {
	if name == "air" || strings.Contains(name, ":") {
		return name
	}
	return "glade:" + name
}
