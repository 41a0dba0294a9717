package viewer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"sync"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/pixel"
)

// flight is the rendering of one tile, shared by all requests for the tile.
type flight struct {
	key    string
	at     spot
	cancel context.CancelFunc
	users  int // guarded by the lock of tiles
	done   chan struct{}
	tile   *tile
	err    error

	mu  sync.Mutex
	pix *image.RGBA // the finished parts of a far tile
}

// maxFlights is the maximum number of tiles being rendered or waiting. A browser requests six at a time.
const maxFlights = 256

var errFull = problem{http.StatusServiceUnavailable, "too many pictures are requested at a time"}

// tile returns a tile from the cache or renders it. The bool is false if the tile is not complete yet.
func (s *Server) tile(ctx context.Context, a *sceneRequest, at spot) (*tile, bool, error) {
	if t := s.tiles.of(a.tileKey(at), a.generation); t != nil {
		return t, true, nil
	}
	f := s.board(a, at)
	if f == nil {
		return nil, false, errFull
	}
	var part *tile
	for end := time.Now().Add(maxPatience); part == nil && time.Now().Before(end); part = f.part() {
		select {
		case <-f.done:
			s.dropWaiter(f, 0)
			return f.tile, true, f.err
		case <-ctx.Done():
			s.dropWaiter(f, 0) // the browser has cancelled the request
			return nil, false, ctx.Err()
		case <-time.After(patience):
		}
	}
	s.dropWaiter(f, 2*maxPatience) // a client that got a part requests the tile again immediately
	return cmp.Or(part, new(tile)), false, nil
}

// part returns the finished parts of a far tile, or nil.
func (f *flight) part() *tile {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pix == nil {
		return nil
	}
	return &tile{png: encode(f.pix)}
}

// tileKey returns the key of a tile. It does not depend on the generation of the file.
func (a *sceneRequest) tileKey(at spot) string {
	return fmt.Sprintf("%s\n%s\n%v\n%q\n%d\n%v", a.picture, a.View.Name, a.View.Background, a.look.Layers, a.look.Time, at)
}

// board joins the flight of a tile. If there is none, it starts the rendering. It returns nil if there are too
// many flights.
func (s *Server) board(a *sceneRequest, at spot) *flight {
	key := fmt.Sprintf("%d %s", a.generation, a.tileKey(at))
	c := &s.tiles
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[key]
	if f == nil {
		if len(c.flights) >= maxFlights {
			return nil
		}
		if c.flights == nil {
			c.flights = make(map[string]*flight)
		}
		ctx, cancel := context.WithCancel(s.life)
		f = &flight{key: key, at: at, cancel: cancel, done: make(chan struct{})}
		c.flights[key] = f
		a.hold()
		go func() {
			defer a.release()
			defer cancel()
			if p := parallel.Catch(func() { f.tile, f.err = s.draw(ctx, a, at, f) }); p != nil {
				f.err = defect(p)
			}
			s.land(f)
			close(f.done)
			if t := f.tile; f.err == nil && t.later {
				s.printLater(a, at, t)
			}
		}()
	}
	f.users++
	return f
}

// printLater computes the fingerprint of a new tile, when no other tiles are being rendered.
func (s *Server) printLater(a *sceneRequest, at spot, t *tile) {
	c := &s.tiles
	c.printing.Lock()
	defer c.printing.Unlock()
	for resting := false; !resting; {
		select {
		case <-time.After(pause):
		case <-s.life.Done():
			return
		}
		c.mu.Lock()
		resting = len(c.flights) == 0
		c.mu.Unlock()
	}
	var print *[32]byte
	var err error
	if p := parallel.Catch(func() { print, err = s.print(s.life, a, at) }); p == nil && err == nil && print != nil {
		c.mu.Lock()
		t.print = *print
		c.mu.Unlock()
	}
}

// land removes a flight, so that no request joins it any more.
func (s *Server) land(f *flight) {
	c := &s.tiles
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[f.key] == f {
		delete(c.flights, f.key)
	}
}

// dropWaiter drops one waiter. If the flight has no waiters after the given time, it is cancelled.
func (s *Server) dropWaiter(f *flight, after time.Duration) {
	c := &s.tiles
	c.mu.Lock()
	f.users--
	c.mu.Unlock()
	end := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.users == 0 && c.flights[f.key] == f {
			delete(c.flights, f.key)
			f.cancel()
		}
	}
	if after == 0 {
		end()
	} else {
		time.AfterFunc(after, end)
	}
}

// withSlot runs do while holding one of the CPU slots. There are as many slots as cores.
func (s *Server) withSlot(ctx context.Context, do func() error) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return do()
}

// draw renders a tile, or returns an older tile with the same fingerprint.
func (s *Server) draw(ctx context.Context, a *sceneRequest, at spot, f *flight) (*tile, error) {
	if t := s.tiles.of(a.tileKey(at), a.generation); t != nil {
		return t, nil // another flight finished after this request's lookup
	}
	if a.Cover != nil && at.z <= far {
		return s.farTile(ctx, a, at, f)
	}
	t := &tile{key: a.tileKey(at), from: a.generation, to: a.generation}
	if !at.reaches(a.View) {
		return s.tiles.keep(t), nil
	}
	prints := a.Fingerprint != nil
	if t.later = prints && s.tiles.find(t.key) == nil; prints && !t.later {
		print, err := s.print(ctx, a, at)
		if err != nil {
			return nil, err
		}
		if old := s.tiles.still(t.key, a.generation, *print); old != nil {
			return old, nil
		}
		if t.print = *print; t.print == ([32]byte{}) {
			return s.tiles.keep(t), nil // the tile is empty
		}
	}
	look := at.look(a.View, a.look)
	missed := new(format.Missed)
	dst, err := s.render(format.WithMissed(ctx, missed), a, look, at.rect())
	if err != nil {
		return nil, err
	}
	t.png, t.missing = encode(dst), missed.All()
	return s.tiles.keep(t), nil
}

// print returns the fingerprint of a tile, or nil if the scene has no fingerprints.
func (s *Server) print(ctx context.Context, a *sceneRequest, at spot) (print *[32]byte, err error) {
	if a.Fingerprint == nil {
		return nil, nil
	}
	err = s.withSlot(ctx, func() error {
		sum, err := a.Fingerprint(ctx, at.look(a.View, a.look), at.rect())
		print = &sum
		return err
	})
	return print, err
}

// render draws a part of a picture while holding a CPU slot.
func (s *Server) render(ctx context.Context, a *sceneRequest, look format.Look, part image.Rectangle) (dst *image.RGBA, err error) {
	err = s.withSlot(ctx, func() error {
		dst = image.NewRGBA(part)
		if a.View.Background != (color.NRGBA{}) {
			draw.Draw(dst, part, image.NewUniform(a.View.Background), image.Point{}, draw.Src)
		}
		return a.Render(ctx, dst, look)
	})
	return dst, err
}

// farTile composes a tile from the four tiles of the next zoom, so that nothing is drawn twice for different
// zooms.
func (s *Server) farTile(ctx context.Context, a *sceneRequest, at spot, f *flight) (*tile, error) {
	key := a.tileKey(at)
	if t := s.tiles.of(key, a.generation); t != nil {
		return t, nil
	}
	t := &tile{key: key, from: a.generation, to: a.generation}
	known, err := s.covered(ctx, a, at)
	if err != nil {
		return nil, err
	}
	if blank(known) {
		return s.tiles.keep(t), nil
	}
	if at.z >= far {
		missed := new(format.Missed)
		pix, err := s.render(format.WithMissed(ctx, missed), a, at.look(a.View, a.look), at.rect())
		if err != nil {
			return nil, err
		}
		t.png, t.missing = encode(pix), missed.All()
		return s.tiles.keep(t), nil
	}
	var parts [4]*image.RGBA
	var errs [4]error
	one := func(i int) {
		child := spot{at.z + 1, 2*at.x + i%2, 2*at.y + i/2, at.side}
		part, err := s.farTile(ctx, a, child, f)
		if err == nil {
			parts[i], err = part.half()
		}
		if errs[i] = err; parts[i] != nil {
			f.show(child, parts[i])
		}
	}
	if at.z == far-1 {
		parallel.Each(4, one)
	} else { // sequentially, because thousands of tiles would be in memory otherwise
		for i := 0; i < 4 && errors.Join(errs[:]...) == nil; i++ {
			one(i)
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	pix := image.NewRGBA(at.rect())
	for i, part := range parts {
		if part != nil {
			to := part.Rect.Sub(part.Rect.Min).Add(pix.Rect.Min).Add(image.Pt(i%2, i/2).Mul(at.side / 2))
			draw.Draw(pix, to, part, part.Rect.Min, draw.Src)
		}
	}
	t.png = encode(pix)
	return s.tiles.keep(t), nil
}

// covered draws the quick preview of a tile.
func (s *Server) covered(ctx context.Context, a *sceneRequest, at spot) (*image.RGBA, error) {
	if a.Cover == nil {
		return nil, problem{http.StatusNotFound, "the picture has not been drawn yet"}
	}
	dst := image.NewRGBA(at.rect())
	return dst, s.withSlot(ctx, func() error { return a.Cover(ctx, dst, at.look(a.View, a.look)) })
}

// half returns the picture of a tile at half its size, or nil if the tile is empty.
func (t *tile) half() (*image.RGBA, error) {
	if len(t.png) == 0 {
		return nil, nil
	}
	m, err := png.Decode(bytes.NewReader(t.png))
	if err != nil {
		return nil, err
	}
	pix := image.NewRGBA(m.Bounds())
	draw.Draw(pix, pix.Rect, m, pix.Rect.Min, draw.Src)
	return pixel.Half(pix), nil
}

// show draws a finished part of a far tile, given at half its size, into the incomplete tile.
func (f *flight) show(at spot, half *image.RGBA) {
	zooms := at.z - f.at.z
	for range zooms - 1 {
		half = pixel.Half(half)
	}
	small := at.side >> zooms
	if small == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pix == nil {
		f.pix = image.NewRGBA(f.at.rect())
	}
	to := image.Rect(0, 0, small, small).Add(image.Pt(at.x, at.y).Mul(small))
	draw.Draw(f.pix, to, half, half.Rect.Min, draw.Src)
}
