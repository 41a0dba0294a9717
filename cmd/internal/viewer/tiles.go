package viewer

import (
	"bytes"
	"container/list"
	"image"
	"image/png"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"trowel.example/internal/format"
)

const (
	maxTile  = 1 << 22 // number of tiles to each side
	minZoom  = -24
	maxZoom  = 8
	maxTiles = 64 << 20 // size of the cache in bytes

	// far is the zoom from which on tiles are composed of the tiles of the next zoom, for scenes that are
	// expensive to draw.
	far = -2
	// patience is the time that a request waits for a complete tile before it gets an incomplete one, and maxPatience
	// the time that it waits while no part is finished.
	patience, maxPatience = 500 * time.Millisecond, 2 * time.Second
	// pause is the time without drawing after which background work starts.
	pause = 20 * time.Millisecond
)

// spot is the position of a tile: in zoom 0, a unit has its natural size; each zoom below halves the number of
// pixels. The tile 0,0 begins at the origin of the scene.
type spot struct{ z, x, y, side int }

func (t spot) rect() image.Rectangle {
	return image.Rect(t.x*t.side, t.y*t.side, (t.x+1)*t.side, (t.y+1)*t.side)
}

// look returns the look of the picture that contains the tile. Tiles of twice the side show the same.
func (t spot) look(v format.View, look format.Look) format.Look {
	look.Scale = v.Scale * math.Exp2(float64(t.z)) * float64(t.side) / 256
	return look
}

// reaches reports whether a tile overlaps the bounds of a view.
func (t spot) reaches(v format.View) bool {
	area := t.look(v, format.Look{}).Area(t.rect())
	return area.Min[0] < v.Bounds.Max[0] && area.Max[0] > v.Bounds.Min[0] && area.Min[1] < v.Bounds.Max[1] && area.Max[1] > v.Bounds.Min[1]
}

// tiles is the cache of the tiles drawn last.
type tiles struct {
	mu      sync.Mutex
	kept    map[string]*list.Element
	order   list.List // of *tile, the last used first
	size    int64
	flights map[string]*flight

	printing sync.Mutex // held while fingerprints of new tiles are computed
}

// tile is a rendered tile as PNG, empty if nothing is visible. Fields that may change later are guarded by the
// lock of tiles.
type tile struct {
	key      string
	png      []byte
	print    [32]byte // fingerprint of the content; zero if unknown
	later    bool     // the fingerprint is computed later
	from, to int      // the range of generations with this content
	missing  []format.Missing
}

func (t *tile) bytes() int64 { return int64(len(t.png) + len(t.key) + 256 + 100*len(t.missing)) }

func (c *tiles) find(key string) *tile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[key]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*tile)
	}
	return nil
}

// missing adds the missing data of the cached tiles of a picture and a generation of the file: the current
// scene may have drawn none of them. Parts of a picture overlap, so counts are not added up.
func (c *tiles) missing(picture string, generation int, all *format.Missed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*tile); generation >= t.from && generation <= t.to && strings.HasPrefix(t.key, picture+"\n") {
			for _, m := range t.missing {
				m.Adds = false
				all.Add(m)
			}
		}
	}
}

// of returns the tile of a generation of the file, or nil.
func (c *tiles) of(key string, generation int) *tile {
	t := c.find(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t == nil || generation < t.from || generation > t.to {
		return nil
	}
	return t
}

// still returns the cached tile of another generation of the file if its fingerprint is the same, and marks it
// as valid for this generation. Otherwise it returns nil.
func (c *tiles) still(key string, generation int, print [32]byte) *tile {
	t := c.find(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t == nil || print == ([32]byte{}) || t.print != print {
		return nil
	}
	t.from, t.to = min(t.from, generation), max(t.to, generation)
	return t
}

func (c *tiles) keep(t *tile) *tile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[string]*list.Element)
	}
	if old := c.kept[t.key]; old != nil {
		c.size -= old.Value.(*tile).bytes()
		c.order.Remove(old)
	}
	c.kept[t.key] = c.order.PushFront(t)
	for c.size += t.bytes(); c.size > maxTiles && c.order.Len() > 1; {
		oldest := c.order.Remove(c.order.Back()).(*tile)
		delete(c.kept, oldest.key)
		c.size -= oldest.bytes()
	}
	return t
}

// serveTile sends a tile: status 200 and a PNG, 204 if the tile is empty, or 202 and an incomplete tile if
// drawing takes long; the page then repeats the request.
func (s *Server) serveTile(w http.ResponseWriter, r *http.Request) error {
	_, a, release, err := s.current(r)
	if err != nil {
		return err
	}
	defer release()
	at, err := spotOf(r.URL.Query(), r.PathValue("z"), r.PathValue("x"), r.PathValue("y"))
	if err != nil {
		return err
	}
	var got *tile
	whole := true
	switch r.PathValue("kind") {
	case "cover":
		var pix *image.RGBA
		if pix, err = s.covered(r.Context(), a, at); err == nil {
			got = &tile{png: encode(pix)}
		}
	case "tile":
		got, whole, err = s.tile(r.Context(), a, at)
	default:
		err = fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	switch {
	case !whole:
		w.WriteHeader(http.StatusAccepted)
	case len(got.png) == 0:
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
		w.WriteHeader(http.StatusNoContent)
		return nil
	default:
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	_, err = w.Write(got.png)
	return err
}

// spotOf parses the position of a tile from a request.
func spotOf(q url.Values, z, x, y string) (t spot, err error) {
	if t.z, err = whole(z, minZoom, maxZoom); err != nil {
		return t, err
	}
	if t.x, err = whole(x, -maxTile, maxTile); err != nil {
		return t, err
	}
	if t.y, err = whole(y, -maxTile, maxTile); err != nil {
		return t, err
	}
	t.side = 256
	if q.Get("side") == "512" {
		t.side = 512
	}
	return t, nil
}

// encode encodes a picture as PNG. It returns nil if the picture is empty.
func encode(pix *image.RGBA) []byte {
	if blank(pix) {
		return nil
	}
	return encodePNG(pix)
}

func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	_ = fast.Encode(&b, m) // writing to memory cannot fail
	return b.Bytes()
}

// fast is for pictures that are sent only to a browser on this machine.
var fast = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(buffers)}

type buffers struct{ sync.Pool }

func (b *buffers) Get() *png.EncoderBuffer {
	e, _ := b.Pool.Get().(*png.EncoderBuffer)
	return e
}

func (b *buffers) Put(e *png.EncoderBuffer) { b.Pool.Put(e) }

func blank(pix *image.RGBA) bool {
	for i := 3; i < len(pix.Pix); i += 4 {
		if pix.Pix[i] != 0 {
			return false
		}
	}
	return true
}
