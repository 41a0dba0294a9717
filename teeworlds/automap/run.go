package automap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// MaxSeed is the largest seed that the editor accepts.
const MaxSeed = 1_000_000_000

// Reference selects tiles of the game layer that the first run of a section reads instead of the layer itself. The
// run removes tiles of the layer where the game layer has none of the selected tiles.
type Reference int

// The references in DDNet's editor.
const (
	NoReference Reference = iota
	ReferenceGame
	ReferenceHookable
	ReferenceDeath
	ReferenceUnhookable
	ReferenceFreeze
	ReferenceUnfreeze
	ReferenceDeepFreeze
	ReferenceDeepUnfreeze
	ReferenceLiveFreeze
	ReferenceLiveUnfreeze
)

var references = []struct {
	name string
	tile twmap.GameTile
}{
	{"none", 0}, {"game", 0}, {"hookable", twmap.TileSolid}, {"death", twmap.TileDeath}, {"unhookable", twmap.TileNoHook},
	{"freeze", twmap.TileFreeze}, {"unfreeze", twmap.TileUnfreeze},
	{"deep-freeze", twmap.TileDeepFreeze}, {"deep-unfreeze", twmap.TileDeepUnfreeze},
	{"live-freeze", twmap.TileLiveFreeze}, {"live-unfreeze", twmap.TileLiveUnfreeze},
}

// References returns the names of all references in their order, as returned by String.
func References() []string {
	names := make([]string, len(references))
	for i, r := range references {
		names[i] = r.name
	}
	return names
}

func (r Reference) String() string {
	if r >= 0 && int(r) < len(references) {
		return references[r].name
	}
	return fmt.Sprintf("reference %d", int(r))
}

// Options specify how a layer is drawn.
type Options struct {
	Section   int   // the number of the section
	Seed      int32 // of the random choices; 0: a random seed from 1 to [MaxSeed]
	Reference Reference
	Game      *twmap.TileLayer // the game layer, needed for a reference and for doodads
	Physics   bool             // physics layers may be drawn
	Amount    int              // of doodads, 1 to [MaxAmount]; 0: [DefaultAmount]
	Spent     *atomic.Int64    // the work of all runs that share it, which have one budget; nil: of this run
}

// The amount of doodads.
const (
	MaxAmount     = 100
	DefaultAmount = 50
)

// Result describes what Run did.
type Result struct {
	Seed    int32 // the seed that was used
	Changed int   // number of tiles that changed
}

// Run draws a design layer of tiles by a section, like the button Automap of the editor; with [Options.Physics] also a
// physics layer, where other fields of tiles keep their values, and are 0 for new tiles. It fails for invalid options,
// for a section with undefined rules, for too much work ([fault.ErrLimit]), and if ctx is done; the layer is then
// unchanged.
func (r *Rules) Run(ctx context.Context, layer *twmap.TileLayer, o Options) (Result, error) {
	result := Result{Seed: o.Seed}
	if err := r.reject(layer, o); err != nil {
		return result, err
	}
	s := r.sections[o.Section]
	before, err := cellsOf(layer)
	if err != nil {
		return result, err
	}
	if o.Game != nil && (o.Reference != NoReference || s.doodads != nil) {
		if _, err := o.Game.Tiles().Cells(); err != nil {
			return result, err
		}
	}
	if result.Seed == 0 {
		result.Seed = 1 + rand.Int32N(MaxSeed)
	}
	p := pass{meter: effort.Rules.Resume(cmp.Or(o.Spent, new(atomic.Int64)), 0), seed: uint32(result.Seed),
		w: layer.Width(), h: layer.Height(), cells: slices.Clone(before)}
	switch {
	case s.tileset != nil:
		err = s.tileset.run(ctx, &p)
	case s.doodads != nil:
		err = s.doodads.run(ctx, &p, o.Game.Tiles(), cmp.Or(o.Amount, DefaultAmount))
	default:
		p.read = make([]state, len(p.cells))
		for i, run := range s.runs {
			if err = p.meter.Spend(int64(len(p.cells) + len(run.rules))); err != nil {
				break
			}
			p.prepare(i, run, o)
			if err = p.do(ctx); err != nil {
				break
			}
		}
	}
	if errors.Is(err, effort.ErrMet) {
		err = fmt.Errorf("section %q: %w", s.name, err)
	}
	if err != nil {
		return result, err
	}
	settle(layer.Kind(), p.cells)
	for i, c := range p.cells {
		if c != before[i] {
			result.Changed++
		}
	}
	if result.Changed > 0 {
		setCells(layer, p.cells)
	}
	return result, nil
}

// reject returns an error for a layer or options that Run does not accept.
func (r *Rules) reject(layer *twmap.TileLayer, o Options) error {
	noGame := o.Game == nil || o.Game.Tiles() == nil
	kind := layer.Kind()
	switch {
	case kind != twmap.KindTiles && !(o.Physics && kind.Physics()):
		return fmt.Errorf("a %v layer is not drawn by rules", kind)
	case o.Section < 0 || o.Section >= len(r.sections):
		return fmt.Errorf("no section %d: the rules have %s", o.Section, r.names())
	case o.Reference < 0 || int(o.Reference) >= len(references):
		return fmt.Errorf("no %v", o.Reference)
	case o.Amount < 0 || o.Amount > MaxAmount:
		return fmt.Errorf("amount %d: expected 1 to %d", o.Amount, MaxAmount)
	case o.Reference != NoReference && noGame:
		return errors.New("a reference needs the game layer")
	}
	s := r.sections[o.Section]
	switch {
	case s.err != nil:
		return fmt.Errorf("section %q: %w", s.name, s.err)
	case o.Reference != NoReference && (s.tileset != nil || s.doodads != nil):
		return fmt.Errorf("section %q: rules of Teeworlds 0.7 use no reference", s.name)
	case s.doodads == nil:
		return nil
	case kind != twmap.KindTiles:
		return fmt.Errorf("section %q: doodads are drawn in design layers", s.name)
	case noGame || o.Game.Width() != layer.Width() || o.Game.Height() != layer.Height():
		return fmt.Errorf("section %q: doodads need a game layer of the same size as the layer", s.name)
	}
	return nil
}

// pass is a run over a layer.
type pass struct {
	meter effort.Meter
	seed  uint32
	w, h  int
	cells []twmap.Tile // the tiles to write
	read  []state      // the tiles that conditions see

	filter bool // read holds the game layer
	seen   bool // written tiles are read at once
	rules  []prepared

	onAir, onTile, all []*prepared // rules by the tiles that they apply to
}

// prepared is a rule that was prepared for a layer.
type prepared struct {
	*rule
	hash                  uint32 // partial hash of the values that are the same for all tiles
	state                 state
	tests                 []test
	left, up, right, down int // the largest distances of its conditions
}

// test is a prepared condition.
type test struct {
	x, y int
	at   int // distance in the list of all cells
	*states
}

// prepare prepares a run: its rules, and the tiles that they read.
func (p *pass) prepare(number int, run *run, o Options) {
	p.filter = number == 0 && o.Reference != NoReference
	p.seen = run.noCopy && !p.filter
	p.rules = make([]prepared, len(run.rules))
	p.onAir, p.onTile, p.all = nil, nil, nil
	same := make(map[states]*states)
	for i, r := range run.rules {
		n := prepared{rule: r, hash: add(1, p.seed, uint32(number), uint32(i)), state: stateOf(r.tile.ID, r.tile.Flags)}
		for _, c := range r.conditions {
			set := c.states()
			if same[set] == nil {
				same[set] = &set
			}
			n.tests = append(n.tests, test{c.x, c.y, c.y*p.w + c.x, same[set]})
			n.left, n.right = max(n.left, -c.x), max(n.right, c.x)
			n.up, n.down = max(n.up, -c.y), max(n.down, c.y)
		}
		p.rules[i] = n
		p.all = append(p.all, &p.rules[i])
		if !r.skipEmpty {
			p.onAir = append(p.onAir, &p.rules[i])
		}
		if !r.skipFull {
			p.onTile = append(p.onTile, &p.rules[i])
		}
	}
	switch {
	case !p.filter:
		for i, c := range p.cells {
			p.read[i] = stateOf(c.ID, c.Flags)
		}
	case run.noCopy:
		// The game reads the game layer here as if it had the width of the layer that it draws, so it may read
		// unrelated tiles.
		game, _ := o.Game.Tiles().Cells()
		clear(p.read)
		for i := range min(len(game), len(p.read)) {
			p.read[i] = stateOf(game[i].ID, game[i].Flags)
		}
	default:
		clear(p.read)
		only := uint8(references[o.Reference].tile)
		for y, row := range o.Game.Tiles().Rows() {
			if y >= p.h {
				break
			}
			for x, c := range row[:min(len(row), p.w)] {
				if only != 0 && c.ID != only {
					c.ID = 0
				}
				p.read[y*p.w+x] = stateOf(c.ID, c.Flags)
			}
		}
	}
}

// do applies all rules to all cells, row by row. If written tiles are not read, it may process the rows in parallel.
func (p *pass) do(ctx context.Context) error {
	var err error
	if p.seen {
		for y := 0; y < p.h && err == nil; y++ {
			err = p.row(ctx, y)
		}
		return err
	}
	var failed atomic.Pointer[error]
	parallel.Each(p.h, func(y int) {
		if failed.Load() == nil {
			if err := p.row(ctx, y); err != nil {
				failed.Store(&err)
			}
		}
	})
	if e := failed.Load(); e != nil {
		return *e
	}
	return nil
}

// manySteps is how many steps are counted at a time.
const manySteps = 1 << 14

// spend counts steps, and returns an error if they are too many or if ctx is done.
func (p *pass) spend(ctx context.Context, steps int) error {
	return cmp.Or(ctx.Err(), p.meter.Spend(int64(steps)))
}

func (p *pass) row(ctx context.Context, y int) error {
	steps := 0
	for x := range p.w {
		if steps++; steps >= manySteps {
			if err := p.spend(ctx, steps); err != nil {
				return err
			}
			steps = 0
		}
		i := y*p.w + x
		list := p.all
		switch d := p.read[i]; {
		case p.seen:
		case !d.air():
			list = p.onTile
		case !p.filter:
			list = p.onAir
		}
		steps += len(list)
		for _, r := range list {
			if d := p.read[i]; d.air() {
				if p.filter && p.cells[i].ID != 0 {
					p.cells[i].ID, p.cells[i].Flags = 0, r.tile.Flags
					continue
				}
				if r.skipEmpty {
					continue
				}
			} else if r.skipFull {
				continue
			}
			holds, tests := p.holds(r, x, y, i)
			if steps += tests; holds {
				p.cells[i].ID, p.cells[i].Flags = r.tile.ID, r.tile.Flags
				if p.seen {
					p.read[i] = r.state
				}
			}
		}
	}
	return p.spend(ctx, steps)
}

// holds reports whether a rule holds for a tile, which has index i among all cells, and after how many conditions.
func (p *pass) holds(r *prepared, x, y, i int) (bool, int) {
	if x >= r.left && x < p.w-r.right && y >= r.up && y < p.h-r.down {
		for j := range r.tests {
			if t := &r.tests[j]; !t.has(p.read[i+t.at]) {
				return false, j
			}
		}
	} else {
		for j := range r.tests {
			t, s := &r.tests[j], outside
			if x, y := x+t.x, y+t.y; x >= 0 && x < p.w && y >= 0 && y < p.h {
				s = p.read[y*p.w+x]
			}
			if !t.has(s) {
				return false, j
			}
		}
	}
	n := len(r.tests) + len(r.modulos)
	if len(r.modulos) > 0 && !slices.ContainsFunc(r.modulos, func(m modulo) bool { return m.holds(x, y) }) {
		return false, n
	}
	return r.probability >= 1 || float32(mix(add(r.hash, uint32(x), uint32(y))*31)%65536) < 65536*r.probability, n
}

// add adds values to a partial hash.
func add(h uint32, values ...uint32) uint32 {
	for _, v := range values {
		h = h*31 + mix(v)
	}
	return h
}

// mix distributes the bits of a number over the whole result.
func mix(n uint32) uint32 {
	n++
	n ^= n >> 17
	n *= 0xed5ad4bb
	n ^= n >> 11
	n *= 0xac4c1b51
	n ^= n >> 15
	n *= 0x31848bab
	n ^= n >> 14
	return n
}
