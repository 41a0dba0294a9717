package texture

import (
	"image/color"
	"math"
)

// toByte converts a channel of 0 to 1.
func toByte(v float32) uint8 { return uint8(min(max(0, v*255+0.5), 255)) }

// toHSL returns hue (0 to 360), saturation and lightness (0 to 100).
func toHSL(c color.NRGBA) (h, s, l float32) {
	r, g, b := float32(c.R)/255, float32(c.G)/255, float32(c.B)/255
	most, least := max(r, g, b), min(r, g, b)
	l = (most + least) * 50
	if most == least {
		return 0, 0, l
	}
	delta := most - least
	if l <= 50 {
		s = delta / (most + least)
	} else {
		s = delta / (2 - most - least)
	}
	switch most {
	case r:
		h = (g - b) / delta
	case g:
		h = 2 + (b-r)/delta
	default:
		h = 4 + (r-g)/delta
	}
	if h *= 60; h < 0 {
		h += 360
	}
	return h, s * 100, l
}

// fromHSL is the reverse of toHSL.
func fromHSL(h, s, l float32, alpha uint8) color.NRGBA {
	l, s = l/100, s/100
	if s == 0 {
		v := toByte(l)
		return color.NRGBA{v, v, v, alpha}
	}
	high := l + l*s
	if l > 0.5 {
		high = l + (1-l)*s
	}
	low := 2*l - high
	channel := func(t float32) uint8 {
		if t < 0 {
			t++
		} else if t > 1 {
			t--
		}
		switch {
		case t < 1./6:
			return toByte(low + (high-low)*t*6)
		case t < 1./2:
			return toByte(high)
		case t < 2./3:
			return toByte(low + (high-low)*(2./3-t)*6)
		}
		return toByte(low)
	}
	h /= 360
	return color.NRGBA{channel(h + 1./3), channel(h), channel(h - 1./3), alpha}
}

// hslArguments reads hue, saturation and lightness. The last two are optional.
func hslArguments(a *arguments, saturation int) (h, s, l float32) {
	h = float32(min(max(-360, a.number(":")), 360))
	s = float32(saturation)
	if !a.done() {
		s = float32(min(max(-100, a.number(":")), 1000))
	}
	if !a.done() {
		l = float32(min(max(-100, a.number(":")), 100)) / 100
	}
	return h, s, l
}

// turnHue adds an angle to a hue.
func turnHue(hue, angle float32) float32 {
	if hue = float32(math.Mod(float64(hue+angle), 360)); hue < 0 {
		hue += 360
	}
	return hue
}

func (j *job) hsl(base layer, a *arguments) layer {
	hue, saturation, lightness := hslArguments(a, 0)
	return j.each(base, func(c color.NRGBA) color.NRGBA {
		h, s, l := toHSL(c)
		if lightness < 0 {
			l *= 1 + lightness
		} else {
			l += lightness * (100 - l)
		}
		s = min(max(0, s*(1+saturation/100)), 100)
		return fromHSL(turnHue(h, hue), s, l, c.A)
	})
}

func (j *job) colorizeHSL(base layer, a *arguments) layer {
	hue, saturation, lightness := hslArguments(a, 50)
	hue, saturation = turnHue(0, hue), min(max(0, saturation), 100)
	return j.each(base, func(c color.NRGBA) color.NRGBA {
		y := (0.3*float32(c.R) + 0.59*float32(c.G) + 0.11*float32(c.B)) / 255
		if lightness < 0 {
			y *= 1 + lightness
		} else {
			y = y*(1-lightness) + lightness
		}
		return fromHSL(hue, saturation, 100*y, 255)
	})
}

// overlay darkens the light t where b is dark, and lightens it where b is light.
func overlay(b, t color.NRGBA, alpha uint8) color.NRGBA {
	mix := func(b, t uint8) uint8 {
		v, w := float32(b)/255, float32(t)/255
		if v < 0.5 {
			return uint8(2 * v * w * 255)
		}
		return uint8((1 - 2*(1-v)*(1-w)) * 255)
	}
	return color.NRGBA{mix(b.R, t.R), mix(b.G, t.G), mix(b.B, t.B), alpha}
}

func (j *job) contrast(base layer, a *arguments) layer {
	contrast, brightness := float64(min(max(-127, a.number(":")), 127)), float64(min(max(-127, a.number(":")), 127))
	slope := 1 - math.Abs(brightness/127)
	angle := math.Atan(slope)
	if contrast <= 0 {
		angle += contrast / 128 * angle
	} else {
		angle += contrast / 128 * (math.Pi/2 - angle)
	}
	slope = math.Tan(angle)
	brightness *= 127.5 / 127
	k := 127.5 - slope*(127.5-brightness)
	if slope <= 1 {
		k = 127.5 - 127.5*slope + brightness
	}
	var table [256]uint8
	for v := range table {
		table[v] = uint8(min(max(0, math.Floor(slope*float64(v)+k+0.5)), 255))
	}
	return j.each(base, func(c color.NRGBA) color.NRGBA { return color.NRGBA{table[c.R], table[c.G], table[c.B], c.A} })
}
