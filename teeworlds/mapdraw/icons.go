package mapdraw

import "math"

// The elements of the signs for entities.

// block draws a stone that fills the cell, lit from the top left.
func (p *pen) block(c uint32) {
	p.rect(c, 0, 0, 64, 64)
	p.poly(0xffffff50, 0, 0, 64, 0, 58, 6, 6, 6, 6, 58, 0, 64)
	p.poly(0x00000060, 64, 64, 0, 64, 6, 58, 58, 58, 58, 6, 64, 0)
}

// plate draws the background of a sign.
func (p *pen) plate(c uint32) {
	p.rect(c, 1, 1, 62, 62)
	for _, side := range [4]float64{0, 90, 180, 270} {
		p.turned(side).rect(0xffffff60, 1, 1, 62, 2)
	}
}

// tag draws a word at the bottom of a sign.
func (p *pen) tag(word string) {
	if word != "" {
		p.text(white, dark, word, 32, 54, 15, 58)
	}
}

// stroke crosses out the drawing below it.
func (p *pen) stroke() {
	p.line(dark, 10, 8, 8, 56, 56)
	p.line(no, 6, 9, 9, 55, 55)
}

func (p *pen) skull() {
	p.disc(white, 32, 28, 18)
	p.rect(white, 23, 40, 18, 12)
	p.disc(dark, 25, 29, 5.5)
	p.disc(dark, 39, 29, 5.5)
	p.poly(dark, 32, 34, 35, 40, 29, 40)
	p.rect(dark, 28, 44, 2, 8)
	p.rect(dark, 34, 44, 2, 8)
}

func (p *pen) rivets() {
	for _, at := range [4][2]float64{{14, 14}, {50, 14}, {14, 50}, {50, 50}} {
		p.disc(0x00000070, at[0]+1, at[1]+1, 5)
		p.disc(0xc0ccdcff, at[0], at[1], 4.5)
	}
	p.line(0xc0ccdc60, 6, 22, 42, 42, 22)
}

// checks draws a pattern of squares in a range of 8 rows.
func (p *pen) checks(c uint32, from, to int) {
	for y := from; y < to; y++ {
		for x := y % 2; x < 8; x += 2 {
			p.rect(c, float64(8*x), float64(8*y), 8, 8)
		}
	}
}

func (p *pen) hook(c uint32) {
	for _, part := range []struct {
		c    uint32
		more float64
	}{{dark, 4}, {c, 0}} {
		p.line(part.c, 5+part.more, 14, 44, 40, 18)
		p.bow(part.c, 40, 28, 10, 5+part.more, -100, 110)
		p.disc(part.c, 14, 44, 5+part.more/2)
	}
}

func (p *pen) flake(x, y, r float64, c uint32) {
	for a := range 6 {
		q := *p
		sin, cos := math.Sincos(float64(a) * math.Pi / 3)
		at := func(along, across float64) (float64, float64) {
			return x + along*sin - across*cos, y - along*cos - across*sin
		}
		x1, y1 := at(r, 0)
		bx, by := at(r*0.6, 0)
		lx, ly := at(r*0.9, r*0.3)
		rx, ry := at(r*0.9, -r*0.3)
		q.line(c, 4, x, y, x1, y1)
		q.line(c, 3, lx, ly, bx, by, rx, ry)
	}
}

func (p *pen) sun() {
	for a := range 8 {
		p.turned(float64(45*a)).poly(gold, 32, 4, 36, 14, 28, 14)
	}
	p.disc(gold, 32, 32, 14)
	p.disc(0xfff0a0ff, 32, 32, 9)
}

// portal draws a ring with an arrow into it or out of it.
func (p *pen) portal(c uint32, in bool) {
	p.plate(c)
	p.ring(white, 38, 26, 16, 5)
	if in {
		p.arrow(dark, 9, 4, 26, 42, 26)
		p.arrow(gold, 6, 6, 26, 40, 26)
	} else {
		p.arrow(dark, 9, 40, 26, 2, 26)
		p.arrow(gold, 6, 38, 26, 5, 26)
	}
}

func (p *pen) flag(c uint32) {
	p.rect(white, 16, 8, 5, 42)
	p.poly(dark, 19, 7, 54, 18, 19, 31)
	p.poly(c, 21, 10, 49, 18, 21, 28)
}

func (p *pen) finish() {
	for y := range 4 {
		for x := range 6 {
			c := uint32(white)
			if (x+y)%2 == 0 {
				c = dark
			}
			p.rect(c, float64(8+8*x), float64(8+8*y), 8, 8)
		}
	}
}

// bar draws a barrier on a side of the cell.
func (p *pen) bar(degrees float64) {
	q := p.turned(degrees)
	q.rect(dark, 3, 3, 58, 11)
	q.rect(gold, 5, 5, 54, 7)
}

// upwards draws the mark of a bar that can be passed upwards.
func (p *pen) upwards() {
	for _, y := range [2]float64{22, 38} {
		p.line(dark, 9, 16, y+15, 32, y, 48, y+15)
		p.line(laser, 5, 17, y+14, 32, y+1, 47, y+14)
	}
}

func (p *pen) halt() {
	p.disc(dark, 32, 32, 15)
	p.disc(no, 32, 32, 13)
	p.rect(white, 23, 29, 18, 6)
}

// chevrons draws arrows in the direction of a speeder.
func (p *pen) chevrons(n int) {
	for i := range n {
		y := 12 + 20*float64(i)
		p.poly(dark, 32, y-6, 56, y+32, 32, y+22, 8, y+32)
		p.poly(0x3a8ef0ff, 32, y, 51, y+28, 32, y+18, 13, y+28)
	}
}

func (p *pen) feather() {
	p.poly(dark, 12, 44, 24, 14, 52, 6, 46, 30, 22, 42)
	p.poly(white, 16, 40, 27, 17, 48, 10, 43, 27, 22, 38)
	p.line(0x8090a0ff, 2.5, 12, 44, 42, 16)
}

func (p *pen) beam() {
	p.line(dark, 10, 6, 32, 58, 32)
	p.line(laser, 6, 8, 32, 56, 32)
	p.disc(white, 32, 32, 6)
}

func (p *pen) beams() {
	for i := range 3 {
		y := 12 + 12*float64(i)
		p.line(dark, 9, 6, y, 58, y)
		p.line(laser, 5, 8, y, 56, y)
	}
}

func (p *pen) tee(c uint32) {
	p.disc(dark, 32, 25, 19)
	p.disc(c, 32, 25, 17)
	for _, x := range [2]float64{22, 42} {
		p.disc(dark, x, 41, 7)
		p.disc(c, x, 41, 5.5)
	}
	p.disc(dark, 33, 22, 3)
	p.disc(dark, 42, 22, 3)
}

func (p *pen) pair() {
	for _, x := range [2]float64{21, 43} {
		p.disc(dark, x, 26, 14)
		p.disc(0xe8b050ff, x, 26, 12)
		p.disc(dark, x-2, 24, 2.5)
		p.disc(dark, x+5, 24, 2.5)
	}
}

func (p *pen) hammer() {
	p.line(dark, 10, 16, 46, 40, 20)
	p.line(0xb07840ff, 6, 17, 45, 40, 20)
	p.turned(45).rect(dark, 20, 6, 28, 18)
	p.turned(45).rect(0xc0c0ccff, 22, 8, 24, 14)
}

func (p *pen) gun(c uint32) {
	p.poly(dark, 6, 16, 58, 16, 58, 30, 30, 30, 24, 46, 10, 46, 15, 30, 6, 30)
	p.poly(c, 9, 19, 55, 19, 55, 27, 28, 27, 22, 43, 14, 43, 19, 27, 9, 27)
}

func (p *pen) clock() {
	p.disc(dark, 32, 24, 17)
	p.disc(white, 32, 24, 14)
	p.line(dark, 4, 32, 14, 32, 25, 40, 29)
}

func (p *pen) lever(c uint32) {
	p.plate(0x404048d0)
	p.disc(dark, 32, 25, 21)
	p.disc(c, 32, 25, 19)
	p.disc(0xffffff50, 27, 19, 8)
}

func (p *pen) sliders() {
	for i, x := range [3]float64{16, 32, 48} {
		p.line(0x505050ff, 5, x, 10, x, 54)
		p.disc(0x303030ff, x, [3]float64{20, 42, 30}[i], 7)
		p.disc(white, x, [3]float64{20, 42, 30}[i], 5)
	}
}

func (p *pen) shield(c uint32) {
	p.poly(dark, 32, 4, 54, 12, 52, 34, 32, 52, 12, 34, 10, 12)
	p.poly(c, 32, 8, 50, 15, 48, 32, 32, 47, 16, 32, 14, 15)
	p.poly(0xffffff40, 32, 8, 14, 15, 16, 32, 32, 47)
}

func (p *pen) heart() {
	for _, part := range []struct {
		c    uint32
		more float64
	}{{dark, 3}, {0xf04060ff, 0}} {
		p.disc(part.c, 21, 24, 12+part.more)
		p.disc(part.c, 43, 24, 12+part.more)
		p.poly(part.c, 10-part.more, 29, 54+part.more, 29, 32, 54+part.more)
	}
	p.disc(0xffffff80, 18, 20, 4)
}

// turning draws a laser that rotates, clockwise or counter-clockwise.
func (p *pen) turning(clockwise bool, speed string) {
	p.plate(teal)
	p.line(laser, 5, 32, 26, 56, 26)
	p.bow(white, 32, 26, 15, 5, -150, 60)
	if clockwise {
		p.poly(white, 31, 44, 46, 34, 47, 48)
	} else {
		p.poly(white, 12, 24, 12, 8, 27, 17)
	}
	p.disc(gold, 32, 26, 6)
	p.tag(speed)
}

func (p *pen) length(n int) {
	p.disc(gold, 14, 26, 7)
	p.line(laser, 6, 14, 26, 20+13*float64(n), 26)
	p.text(white, dark, string(rune('0'+n)), 32, 48, 22, 58)
}

// moving draws a laser that grows or shrinks.
func (p *pen) moving(opens bool) {
	p.disc(gold, 12, 26, 6)
	if opens {
		p.arrow(laser, 7, 14, 26, 58, 26)
	} else {
		p.arrow(laser, 7, 58, 26, 20, 26)
	}
}

// claw draws a dragger; a stronger one has more teeth.
func (p *pen) claw(strength int) {
	p.ring(dark, 32, 32, 21, 9)
	p.ring(0x9a9ae8ff, 32, 32, 21, 6)
	for i := range strength {
		p.turned(float64(i)*360/float64(strength)).arrow(white, 6, 32, 4, 32, 30)
	}
}

func (p *pen) turret() {
	p.burst()
	p.disc(dark, 32, 26, 11)
	p.disc(0xc080ffff, 32, 26, 9)
}

func (p *pen) burst() {
	for a := range 10 {
		p.turned(float64(36*a)).poly(0xff8030ff, 32, 2, 39, 24, 25, 24)
	}
	p.disc(gold, 32, 32, 16)
}

// bullet draws a bullet that flies upwards.
func (p *pen) bullet() {
	p.disc(dark, 32, 38, 15)
	p.disc(0x707078ff, 32, 38, 12)
	p.line(dark, 9, 16, 32, 32, 12, 48, 32)
	p.line(laser, 6, 17, 31, 32, 13, 47, 31)
}

// speaker draws a loudspeaker, which marks a sound source.
func (p *pen) speaker() {
	p.poly(dark, 6, 22, 18, 22, 34, 8, 34, 56, 18, 42, 6, 42)
	p.poly(white, 10, 26, 20, 26, 30, 17, 30, 47, 20, 38, 10, 38)
	for r := 12.0; r <= 26; r += 7 {
		p.bow(dark, 32, 32, r, 6, -45, 45)
		p.bow(white, 32, 32, r, 3, -43, 43)
	}
}
