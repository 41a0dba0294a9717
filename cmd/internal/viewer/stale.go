package viewer

import (
	"context"
	"net/http"
)

// maxStale is the maximum number of tiles in a request.
const maxStale = 4096

// stale returns which of the tiles x0,y0 to x1,y1 of zoom z have changed since the generation since, as [x, y].
// The look is that of a request for tiles. Tiles not known to be unchanged are returned, too.
func stale(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	q := r.URL.Query()
	since, err := whole(q.Get("since"), 1, a.generation)
	if err != nil {
		return nil, err
	}
	var from, to spot
	if from, err = spotOf(q, q.Get("z"), q.Get("x0"), q.Get("y0")); err != nil {
		return nil, err
	}
	if to, err = spotOf(q, q.Get("z"), q.Get("x1"), q.Get("y1")); err != nil {
		return nil, err
	}
	if wide, high := to.x-from.x+1, to.y-from.y+1; wide > maxStale || high > maxStale || wide*high > maxStale {
		return nil, problem{http.StatusBadRequest, "too many tiles"}
	}
	list := [][2]int{}
	for y := from.y; y <= to.y; y++ {
		for x := from.x; x <= to.x; x++ {
			at := from
			at.x, at.y = x, y
			same, err := e.of.server.unchanged(ctx, a, at, since)
			if err != nil {
				return nil, err
			}
			if !same {
				list = append(list, [2]int{x, y})
			}
		}
	}
	return map[string]any{"generation": a.generation, "tiles": list}, nil
}

// unchanged reports whether a tile is known to look the same as in an older generation.
func (s *Server) unchanged(ctx context.Context, a *sceneRequest, at spot, since int) (bool, error) {
	key := a.tileKey(at)
	old := s.tiles.of(key, since)
	if old == nil || since == a.generation {
		return old != nil, nil
	}
	if a.Cover != nil && at.z <= far {
		return s.tiles.of(key, a.generation) == old, nil // the scene has no fingerprints
	}
	print, err := s.print(ctx, a, at)
	if err != nil || print == nil {
		return false, err
	}
	return s.tiles.still(key, a.generation, *print) == old, nil
}

// renew reopens a file as it is now. It is for files that are not watched, such as worlds.
func renew(ctx context.Context, e *edition, _ *http.Request) (any, error) {
	f := e.of
	if err := f.renew(ctx, true); err != nil {
		return nil, err
	}
	return map[string]any{"generation": f.current()}, nil
}
