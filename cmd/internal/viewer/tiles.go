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

	"trowel.example/format"
)

const (
	maxTile  = 1 << 22 // tiles to each side
	minZoom  = -24
	maxZoom  = 8
	maxTiles = 64 << 20 // bytes of tiles that are kept

	// far is the zoom from which on the tiles of a scene that is costly to draw are made of
	// those of the next zoom.
	far = -2
	// patience is how long a request waits for a whole tile, before it gets what is there.
	patience = 2 * time.Second
	// pause is how long nothing may be drawn before what can wait is done.
	pause = 20 * time.Millisecond
)

// spot is the place of a tile: in zoom 0 a unit has its natural size, in each zoom below half
// as many pixels. The tile 0,0 has the pixels from the origin of the scene on.
type spot struct{ z, x, y, side int }

func (t spot) rect() image.Rectangle {
	return image.Rect(t.x*t.side, t.y*t.side, (t.x+1)*t.side, (t.y+1)*t.side)
}

// look returns the look of which t is a part. A tile of twice the side shows the same.
func (t spot) look(v format.View, look format.Look) format.Look {
	look.Scale = v.Scale * math.Exp2(float64(t.z)) * float64(t.side) / 256
	return look
}

// reaches reports whether a tile shows a part of what there is to see.
func (t spot) reaches(v format.View) bool {
	area := t.look(v, format.Look{}).Area(t.rect())
	return area.Min[0] < v.Bounds.Max[0] && area.Max[0] > v.Bounds.Min[0] && area.Min[1] < v.Bounds.Max[1] && area.Max[1] > v.Bounds.Min[1]
}

// tiles keeps the tiles that were drawn last.
type tiles struct {
	mu      sync.Mutex
	kept    map[string]*list.Element
	order   list.List // of *tile, the last used in front
	size    int64
	flights map[string]*flight

	printing sync.Mutex // held by whoever finds fingerprints of what was drawn
}

// tile is a tile that was drawn: as PNG, empty where nothing is to be seen. What may change
// later is under the lock of tiles.
type tile struct {
	key      string
	png      []byte
	print    [32]byte // the fingerprint of what it shows; zero if nobody knows it
	later    bool     // the fingerprint is to be found once there is time
	from, to int      // the generations of the file that look like this
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

// missing adds what the tiles of a picture lack that are kept of a generation of the file: its scene
// may have drawn none of them. Parts of a picture overlap, so that no counts add up.
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

// still returns the tile that was drawn for an older generation of the file, if a newer one
// has the same fingerprint: it is a tile of that, too.
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

// serveTile answers with a part of a picture: 200 and a PNG, 204 where nothing is, 202 and
// what there is so far where it takes long, to be asked for again.
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

// spotOf reads the place of a tile from a request.
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

// encode writes a picture as PNG; nothing if nothing is in it.
func encode(pix *image.RGBA) []byte {
	if blank(pix) {
		return nil
	}
	var b bytes.Buffer
	_ = fast.Encode(&b, pix) // into memory nothing fails
	return b.Bytes()
}

// fast is for pictures that go no farther than to this machine's browser.
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
