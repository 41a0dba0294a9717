// Package minetestmapper implements the command line of the program minetestmapper, which draws worlds from above.
// Existing scripts need only another program name.
//
// Differences: all backends and block versions are supported; a damaged block leaves a hole and prints a line on
// standard error; and the output file appears only when it is complete.
package minetestmapper

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/bmp"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/pixel"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
)

// IO contains the outputs of the program.
type IO struct {
	Out, Talk io.Writer
	// Write creates or replaces the file at path with the output of write once the output is complete. The data comes
	// from the given world.
	Write func(path, world string, write func(io.Writer) error) error
}

// Run runs minetestmapper with the given arguments. It returns the exit code: 0, or 1 if it failed or if blocks could
// not be read.
func Run(ctx context.Context, args []string, files IO) int {
	o, err := parse(args)
	if err == nil && (o.help || o.input == "" || o.output == "" && !o.extent && o.dump == nil) {
		fmt.Fprint(files.Out, Usage)
		return 0
	}
	r := &run{o: o, IO: files, lost: make(map[string]bool)}
	if err == nil {
		err = r.run(ctx)
	}
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(files.Out, Usage)
		return 1
	case err != nil:
		fmt.Fprintf(files.Talk, "minetestmapper: %v\n", err)
		return 1
	case len(r.lost) > 0:
		return 1
	}
	return 0
}

// run is one run of the program.
type run struct {
	IO
	o        *options
	settings *world.Settings
	backend  string
	db       mapdb.DB
	lost     map[string]bool // errors reported so far, each once
}

func (r *run) printf(format string, args ...any) { fmt.Fprintf(r.Talk, format+"\n", args...) }

func (r *run) verbose(format string, args ...any) {
	if r.o.verbose {
		r.printf(format, args...)
	}
}

// lose reports data that could not be read.
func (r *run) lose(err error) {
	if text := err.Error(); !r.lost[text] {
		r.lost[text] = true
		r.printf("minetestmapper: %s", text)
	}
}

func (r *run) run(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	defer r.db.Close()
	if r.o.dump != nil {
		data, err := r.db.Get(ctx, *r.o.dump)
		if errors.Is(err, mapdb.ErrNotFound) {
			return nil
		}
		if err == nil {
			_, err = fmt.Fprintf(r.Out, "%x\n", data)
		}
		return err
	}
	var list nodecolor.List
	if !r.o.extent {
		var err error
		if list, err = r.colors(); err != nil {
			return err
		}
	}
	m, err := r.newMap(ctx, list)
	if err != nil {
		return err
	}
	if r.o.extent {
		a := emptyArea(m.Bounds())
		_, err := fmt.Fprintf(r.Out, "Map extent: %d:%d+%d+%d\n", a.Min.X, -a.Max.Y, a.Dx(), a.Dy())
		return err
	}
	return r.draw(ctx, m)
}

// open opens the blocks of the world.
func (r *run) open(ctx context.Context) error {
	dir := r.o.input
	switch info, err := os.Stat(dir); {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file: expected the folder of the world", dir)
	}
	var err error
	if r.settings, err = world.ReadWorldMT(dir); err != nil {
		return err
	}
	c, err := world.MapConfig(dir, r.settings, world.Options{Backend: r.o.backend, Remote: r.o.remote})
	if r.backend = c.Backend; r.backend == mapdb.Dummy {
		return fmt.Errorf("%s: worlds of the backend dummy have no blocks", dir)
	}
	if err == nil {
		r.db, err = mapdb.Open(ctx, dir, c)
	}
	return err
}

// colors reads the list of colours.
func (r *run) colors() (nodecolor.List, error) {
	path := r.o.colors
	if path == "" {
		if path, _ = nodecolor.Find(r.o.input); path == "" {
			return nil, fmt.Errorf("no %s in the world, ~/.minetest, the system or the current folder", nodecolor.FileName)
		}
		if path == nodecolor.FileName {
			r.printf("minetestmapper: using %s of the current folder", path)
		}
	}
	r.verbose("colours: %s", path)
	list, bad, err := nodecolor.ReadFile(path)
	for _, b := range bad {
		r.printf("minetestmapper: %s: %v", path, b)
	}
	return list, err
}

func (r *run) newMap(ctx context.Context, list nodecolor.List) (*worlddraw.Map, error) {
	g, box := r.o.geometry, worlddraw.Everything()
	// With a lower limit below 0, the version of 2022, which Debian has, omits the nodes of the lowest block that are
	// within the limit; the current version does not.
	minY := max(r.o.minY, r.o.minY/16*16)
	box.Min = [3]int{g.x0 * 16, minY, g.z0 * 16}
	box.Max = [3]int{g.x1*16 - 1, r.o.maxY, g.z1*16 - 1}
	return worlddraw.New(ctx, r.db, worlddraw.Options{
		View: worlddraw.Top, Colors: list, Box: box, Alpha: r.o.alpha, Flat: r.o.flat, Gaps: r.gaps(), Lost: r.lose,
	})
}

// gaps reports whether minetestmapper would query every block of the geometry. If so, rows without blocks become gaps
// in the relief.
func (r *run) gaps() bool {
	if r.o.exhaustive != "auto" {
		return r.o.exhaustive == "full"
	}
	const fewBlocks = 200_000
	if r.backend == mapdb.Postgres || mapdb.SchemaOf(r.db) == mapdb.SchemaXYZ {
		return false
	}
	g := r.o.geometry
	heights := r.o.maxY/16 + 1 - r.o.minY/16
	return float64(g.x1-g.x0)*float64(heights)*float64(g.z1-g.z0) < fewBlocks
}

// emptyArea returns the area with content, or the area that minetestmapper draws if a world is empty.
func emptyArea(r image.Rectangle) image.Rectangle {
	if r.Empty() {
		return image.Rect(-16, -16, 16, 16)
	}
	return r
}

// maxUsual is the side length of a picture above which a warning is printed.
const maxUsual = 4096

func (r *run) draw(ctx context.Context, m *worlddraw.Map) error {
	o := r.o
	if o.noEmpty && m.Bounds().Empty() { // blocks without a colour count, as in minetestmapper
		r.verbose("no block in the area: no picture is written")
		return nil
	}
	area := emptyArea(m.Bounds())
	x, z := o.geometry.exact()
	if x {
		area.Min.X, area.Max.X = o.geometry.x0*16, o.geometry.x1*16
	}
	if z {
		area.Min.Y, area.Max.Y = -o.geometry.z1*16, -o.geometry.z0*16
	}
	s := &worlddraw.Sheet{
		Map: m, Area: area, Zoom: o.zoom, Background: o.background,
		ScaleColor: o.scale, Origin: o.drawOrigin, OriginColor: o.origin, PlayerColor: o.player,
	}
	if o.drawScale {
		s.Scales = o.scales
	}
	if o.drawPlayers {
		if err := r.players(ctx, s); err != nil {
			return err
		}
	}
	size := s.Size()
	if size.X > maxUsual || size.Y > maxUsual {
		r.printf("minetestmapper: the picture will have %d x %d pixels", size.X, size.Y)
	}
	write, err := writerFor(o.output)
	if err != nil {
		return err
	}
	path := o.output
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // write the target of the link, not the link
	}
	err = r.Write(path, o.input, func(w io.Writer) error {
		return write(w, size, func(emit func(*image.RGBA) error) error { return bands(ctx, s, emit) })
	})
	if err == nil {
		r.unknown(m)
	}
	return err
}

// unknown lists the nodes without a colour.
func (r *run) unknown(m *worlddraw.Map) {
	hidden := m.Hidden()
	if len(hidden) == 0 {
		return
	}
	r.printf("Unknown nodes:")
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		r.printf("\t%s", name)
	}
	if !m.Shown() {
		r.printf("No drawn node has a colour: does %s belong to the game of this world?", nodecolor.FileName)
	}
}

// players draws the players in the picture on the sheet.
func (r *run) players(ctx context.Context, s *worlddraw.Sheet) error {
	store, err := world.OpenPlayers(ctx, r.o.input, r.settings,
		world.Options{Remote: r.o.remote, Lost: func(err error, _ []check.Place) { r.lose(err) }})
	if err != nil {
		return err
	}
	defer store.Close()
	players, err := worlddraw.Players(ctx, store, r.lose)
	for _, p := range players {
		if s.Has(p, r.o.minY, r.o.maxY) {
			s.Players = append(s.Players, p)
		}
	}
	return err
}

// bands draws a sheet band by band, several at a time.
func bands(ctx context.Context, s *worlddraw.Sheet, emit func(*image.RGBA) error) error {
	const least = 1 << 18 // approximate minimum of pixels per band
	size := s.Size()
	rows := max(least/size.X/(16*s.Zoom), 1) * 16 * s.Zoom
	type drawn struct {
		img *image.RGBA
		err error
	}
	var free sync.Pool // pixels of bands for reuse
	return parallel.Ordered(ctx, func(send func(image.Rectangle) error) error {
		for y := 0; y < size.Y; y += rows {
			if err := send(image.Rect(0, y, size.X, min(y+rows, size.Y))); err != nil {
				return err
			}
		}
		return nil
	}, func(part image.Rectangle) drawn {
		img, ok := free.Get().(*image.RGBA)
		if ok && img.Rect.Dy() == part.Dy() {
			img.Rect = part
		} else {
			img = image.NewRGBA(part)
		}
		return drawn{img, s.Render(ctx, img)}
	}, func(d drawn) error {
		if d.err != nil {
			return d.err
		}
		err := emit(d.img)
		free.Put(d.img)
		return err
	})
}

// A writer writes a picture from its bands.
type writer func(w io.Writer, size image.Point, bands func(emit func(*image.RGBA) error) error) error

// writerFor returns the writer for a file name. All formats except PNG need the whole picture in memory.
func writerFor(path string) (writer, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		return writePNG, nil
	case ".jpg", ".jpeg":
		return whole(func(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) }), nil
	case ".gif":
		return whole(func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }), nil
	case ".bmp":
		return whole(bmp.Encode), nil
	default:
		return nil, fmt.Errorf("%s: expected a name that ends in .png, .jpg, .gif or .bmp", path)
	}
}

func writePNG(w io.Writer, size image.Point, bands func(func(*image.RGBA) error) error) error {
	p, err := pixel.NewPNG(w, size, pixel.RGB)
	if err != nil {
		return err
	}
	if err := bands(p.Add); err != nil {
		return err
	}
	return p.Close()
}

func whole(encode func(io.Writer, image.Image) error) writer {
	return func(w io.Writer, size image.Point, bands func(func(*image.RGBA) error) error) error {
		const most = math.MaxUint16 // maximum side length in these formats
		if size.X > most || size.Y > most {
			return fmt.Errorf("a picture of %d x %d pixels is too large for all formats but PNG", size.X, size.Y)
		}
		img := image.NewRGBA(image.Rectangle{Max: size})
		if err := bands(func(band *image.RGBA) error {
			copy(img.Pix[img.PixOffset(0, band.Rect.Min.Y):], band.Pix)
			return nil
		}); err != nil {
			return err
		}
		return encode(w, img)
	}
}
