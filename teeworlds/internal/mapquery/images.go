package mapquery

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"math"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// ImageQuery are the options of the query image.
type ImageQuery struct {
	PartQuery
	SameAs string `option:"same-as,input" help:"only images with the same size and pixels as this {picture}, a PNG"`
	Near   string `option:"near,input"`
	mapscene.Pictures
}

// Describe describes the options.
func (ImageQuery) Describe(o *format.Option) {
	if o.Name == "name" {
		o.Names = "image"
	}
	o.Explain("near", "only images that look like this `picture`, a PNG: scaled to 64 x 64 pixels, the mean "+
		"difference of a channel is at most 4 of 255, where one of them is visible")
}

// Lacks returns an error for a name that no image has.
func (o ImageQuery) Lacks(e *mapedit.Editor) error { return lacks(e.Images, o.Name) }

// maxNear is the largest mean difference of near pictures, in a channel from 0 to 255.
const maxNear = 4

// Images finds the users of images.
func Images(_ context.Context, q *Query, o ImageQuery) error {
	if o.SameAs != "" && o.Near != "" {
		return errors.New("--same-as and --near: expected one of them")
	}
	images := images{q: q, o: o, known: make(map[int]*imageFacts)}
	if err := images.compareWith(o); err != nil {
		return err
	}
	return q.Uses(twmap.PartImage, o.Name, func(u Use) error {
		facts := images.facts(u.Part)
		if !facts.wanted {
			return nil
		}
		im := q.m.Images[u.Part]
		stored := "embedded"
		if im.External() {
			stored = "external"
		}
		return q.hit(u.Path, u.At, format.Fact("name", "image", u.Name), format.Fact("use", "for", u.What),
			format.Fact("stored", "", stored), format.Fact("width", "", facts.width), format.Fact("height", "", facts.height),
			format.Fact("hash", "", facts.hash), format.Fact("difference", "", facts.difference))
	})
}

// images finds the facts about the images of a map.
type images struct {
	q     *Query
	o     ImageQuery
	like  func(*image.NRGBA) (difference any, ok bool) // reports whether a picture matches; nil: any
	size  image.Point                                  // of pictures that can match; zero: any
	known map[int]*imageFacts
	games *mapdraw.Renderer // finds the pictures of external images; nil until it is needed
}

// compareWith sets the picture of the user, with which others are compared.
func (s *images) compareWith(o ImageQuery) error {
	if o.SameAs == "" && o.Near == "" {
		return nil
	}
	own, err := mapdraw.ReadPNG(o.SameAs + o.Near)
	if err != nil {
		return err
	}
	if o.SameAs != "" {
		s.size = own.Rect.Size()
		hash := hashOf(own)
		s.like = func(p *image.NRGBA) (any, bool) { return nil, hashOf(p) == hash }
		return nil
	}
	small := smallOf(own)
	s.like = func(p *image.NRGBA) (any, bool) {
		d := small.difference(smallOf(p))
		return math.Round(d*100) / 100, d <= maxNear
	}
	return nil
}

// imageFacts describes an image.
type imageFacts struct {
	width, height int    // of the picture; as the map states them, if there is no picture
	hash          string // of a picture that matches; "" if pictures are not compared
	difference    any
	wanted        bool
}

func (s *images) facts(i int) *imageFacts {
	if f := s.known[i]; f != nil {
		return f
	}
	im := s.q.m.Images[i]
	f := &imageFacts{width: im.Width(), height: im.Height(), wanted: s.like == nil}
	s.known[i] = f
	if f.wanted || !im.External() && s.size != (image.Point{}) && s.size != (image.Point{X: f.width, Y: f.height}) {
		return f
	}
	p, err := s.picture(im)
	switch path := "images/" + im.Name; {
	case err != nil && im.External():
		s.q.warn(s.q.src.Path, "%s: not compared: %v", path, err)
	case err != nil:
		s.q.miss(path, err)
	default:
		f.width, f.height = p.Rect.Dx(), p.Rect.Dy()
		if f.difference, f.wanted = s.like(p); f.wanted {
			f.hash = hashOf(p)
		}
	}
	return f
}

// picture returns the picture of an image; that of an external image from the games.
func (s *images) picture(im *twmap.Image) (*image.NRGBA, error) {
	if !im.External() {
		return im.Picture()
	}
	if s.games == nil {
		draw, err := s.o.Options(s.q.src)
		if err != nil {
			return nil, err
		}
		if s.games, err = mapdraw.New(s.q.m, draw); err != nil {
			return nil, err
		}
	}
	return s.games.External(im.Name)
}

// hashOf returns the first 16 digits of the SHA-256 of the size and the pixels of a picture, in hexadecimal.
func hashOf(p *image.NRGBA) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d ", p.Rect.Dx(), p.Rect.Dy())
	for y := range p.Rect.Dy() {
		h.Write(p.Pix[y*p.Stride:][:4*p.Rect.Dx()])
	}
	return fmt.Sprintf("%.8x", h.Sum(nil))
}

// smallSide is the side at which pictures are compared, in pixels.
const smallSide = 64

// small is a picture of smallSide x smallSide premultiplied pixels, 0 to 255.
type small [smallSide * smallSide][4]float32

// smallOf scales a picture: each pixel is the mean of the area that it covers.
func smallOf(p *image.NRGBA) *small {
	s := new(small)
	w, h := p.Rect.Dx(), p.Rect.Dy()
	columns, rows := shares(w), shares(h)
	for y := range h {
		var row [smallSide][4]float32
		for x := range w {
			c := p.Pix[y*p.Stride+4*x:][:4]
			if c[3] == 0 {
				continue
			}
			alpha := float32(c[3]) / 255
			for _, to := range columns[x] {
				for i, v := range [4]float32{float32(c[0]) * alpha, float32(c[1]) * alpha, float32(c[2]) * alpha, float32(c[3])} {
					row[to.at][i] += v * to.part
				}
			}
		}
		for _, to := range rows[y] {
			for x, c := range row {
				for i, v := range c {
					s[to.at*smallSide+x][i] += v * to.part
				}
			}
		}
	}
	return s
}

// share is the part of a small pixel that a pixel covers.
type share struct {
	at   int
	part float32
}

// shares returns the small pixels that each of n pixels covers, in one direction.
func shares(n int) [][]share {
	list := make([][]share, n)
	size := float64(n) / smallSide // of a small pixel, in pixels
	for at := range smallSide {
		from, to := float64(at)*size, float64(at+1)*size
		for i := int(from); i < n && float64(i) < to; i++ {
			if part := min(to, float64(i+1)) - max(from, float64(i)); part > 0 {
				list[i] = append(list[i], share{at, float32(part / size)})
			}
		}
	}
	return list
}

// difference returns the mean difference of a channel, in the pixels that one of the pictures shows.
func (s *small) difference(other *small) float64 {
	sum, n := 0.0, 0
	for i := range s {
		if s[i][3] == 0 && other[i][3] == 0 {
			continue
		}
		n++
		for c := range 4 {
			sum += math.Abs(float64(s[i][c] - other[i][c]))
		}
	}
	return sum / float64(max(4*n, 1))
}
