package viewer

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"sync"
	"time"

	"trowel.example/format"
	"trowel.example/internal/parallel"
	"trowel.example/internal/pixel"
)

// flight is a tile that is being made, for all requests that want it.
type flight struct {
	key    string
	at     spot
	cancel context.CancelFunc
	users  int // under the lock of tiles
	done   chan struct{}
	tile   *tile
	err    error

	mu  sync.Mutex
	pix *image.RGBA // what is there of a far tile before it is whole
}

// tile draws a tile, or finds it. It is false if the tile is not whole yet.
func (s *Server) tile(ctx context.Context, a *asked, at spot) (*tile, bool, error) {
	key := a.tileKey(at)
	if t := s.tiles.find(key); t != nil {
		return t, true, nil
	}
	f := s.board(a, at, key)
	defer s.leave(f)
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-f.done:
		return f.tile, true, f.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-wait.C:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pix == nil {
		return new(tile), false, nil
	}
	return &tile{png: encode(f.pix)}, false, nil
}

func (a *asked) tileKey(at spot) string {
	return fmt.Sprintf("%s\n%s\n%q\n%d\n%v", a.key, a.View.Name, a.look.Layers, a.look.Time, at)
}

// board joins the flight of a tile, and starts it if it is the first.
func (s *Server) board(a *asked, at spot, key string) *flight {
	c := &s.tiles
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[key]
	if f == nil {
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
				f.err = fmt.Errorf("a defect of this program: %v", p)
			}
			c.mu.Lock()
			if c.flights[key] == f {
				delete(c.flights, key)
			}
			c.mu.Unlock()
			close(f.done)
		}()
	}
	f.users++
	return f
}

// leave ends a flight that nobody waits for, if nobody comes back soon: whoever got a part
// asks again at once.
func (s *Server) leave(f *flight) {
	c := &s.tiles
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.users--; f.users > 0 {
		return
	}
	time.AfterFunc(patience/4, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.users == 0 && c.flights[f.key] == f {
			delete(c.flights, f.key)
			f.cancel()
		}
	})
}

// draw makes a tile.
func (s *Server) draw(ctx context.Context, a *asked, at spot, f *flight) (*tile, error) {
	_, costly := a.Scene.(format.Coverer)
	if costly && at.z <= far {
		return s.farTile(ctx, a, at, f)
	}
	look := at.look(a.View, a.look)
	t := &tile{key: f.key}
	if p, ok := a.Scene.(format.Fingerprinter); ok && costly {
		sum, err := p.Fingerprint(ctx, look, at.rect())
		if err != nil {
			return nil, err
		}
		if sum == [32]byte{} {
			return s.tiles.keep(t), nil
		}
	}
	dst, err := s.render(ctx, a, look, at.rect())
	if err != nil {
		return nil, err
	}
	t.png = encode(dst)
	return s.tiles.keep(t), nil
}

// render draws a part of a picture when its turn comes.
func (s *Server) render(ctx context.Context, a *asked, look format.Look, part image.Rectangle) (*image.RGBA, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	dst := image.NewRGBA(part)
	if a.View.Background != (color.NRGBA{}) {
		draw.Draw(dst, part, image.NewUniform(a.View.Background), image.Point{}, draw.Src)
	}
	return dst, a.Scene.Render(ctx, dst, look)
}

// farTile makes a tile of the four of the next zoom, so that nothing is drawn twice however
// many zooms are looked at.
func (s *Server) farTile(ctx context.Context, a *asked, at spot, f *flight) (*tile, error) {
	key := a.tileKey(at)
	if t := s.tiles.find(key); t != nil {
		return t, nil
	}
	known := image.NewRGBA(at.rect())
	if err := a.Scene.(format.Coverer).Cover(ctx, known, at.look(a.View, a.look)); err != nil {
		return nil, err
	}
	if blank(known) {
		return s.tiles.keep(&tile{key: key}), nil
	}
	if at.z >= far {
		pix, err := s.render(ctx, a, at.look(a.View, a.look), at.rect())
		if err != nil {
			return nil, err
		}
		return s.tiles.keep(&tile{key: key, png: encode(pix), pix: pix}), nil
	}
	double := image.NewRGBA(image.Rect(0, 0, 2*at.side, 2*at.side))
	var errs [4]error
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			var part *tile
			child := spot{at.z + 1, 2*at.x + i%2, 2*at.y + i/2, at.side}
			if p := parallel.Catch(func() { part, errs[i] = s.farTile(ctx, a, child, f) }); p != nil {
				errs[i] = p
			}
			if errs[i] != nil || part.pix == nil {
				return
			}
			to := image.Rect(0, 0, at.side, at.side).Add(image.Pt(i%2, i/2).Mul(at.side))
			draw.Draw(double, to, part.pix, part.pix.Rect.Min, draw.Src)
			f.show(child, part.pix)
		})
	}
	wait.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	pix := pixel.Half(double)
	pix.Rect = at.rect()
	return s.tiles.keep(&tile{key: key, png: encode(pix), pix: pix}), nil
}

// show puts what is there of a far tile on what is shown until it is whole.
func (f *flight) show(at spot, pix *image.RGBA) {
	zooms := at.z - f.at.z
	for range zooms {
		pix = pixel.Half(pix)
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
	draw.Draw(f.pix, to, pix, pix.Rect.Min, draw.Src)
}
