package codex

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/text"
)

// Graph is a curve of values by level.
type Graph struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`           // x and y, by ascending x
	Past   bool         `json:"past,omitempty"`   // the last two points continue beyond the last one
	Curved bool         `json:"curved,omitempty"` // the rule for values between two points is unknown
	Mod    int          `json:"mod"`
	File   string       `json:"file,omitempty"`
}

// At returns the value at x. Lines lead from point to point; before the first point its value applies.
func (g *Graph) At(x float64) float64 {
	p := g.Points
	if len(p) == 0 {
		return 0
	}
	i, _ := slices.BinarySearchFunc(p, x, func(p [2]float64, x float64) int { return cmp.Compare(p[0], x) })
	last := len(p) - 1
	switch {
	case i == 0:
		return p[0][1]
	case i <= last:
	case !g.Past || last == 0:
		return p[last][1]
	default:
		i = last
	}
	a, b := p[i-1], p[i]
	if a[0] == b[0] {
		return b[1]
	}
	return a[1] + (x-a[0])*((b[1]-a[1])/(b[0]-a[0]))
}

// Graphs are graphs by their names in upper case.
type Graphs map[string]*Graph

// At returns the value of a graph at a level, and whether the graph exists.
func (g Graphs) At(name string, level float64) (float64, bool) {
	graph := g[strings.ToUpper(name)]
	if graph == nil {
		return 0, false
	}
	return graph.At(level), true
}

// newGraph returns the graph of a node [LINE], or nil if it has no points.
func newGraph(n *text.Node, name string) *Graph {
	g := &Graph{Name: name, Points: [][2]float64{}}
	if own, _ := n.Get("NAME"); own != "" {
		g.Name = own
	}
	past, _ := n.Get("INFER_PASSED_END")
	g.Past, _ = text.ParseBool(past)
	curved, _ := n.Get("CURVED")
	g.Curved, _ = text.ParseBool(curved)
	for p := range n.Nodes("POINT") {
		x, y := number(p, "X"), number(p, "Y")
		g.Points = append(g.Points, [2]float64{x, y})
	}
	slices.SortStableFunc(g.Points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	if len(g.Points) == 0 {
		return nil
	}
	return g
}

// number returns the value of a key as a finite number, or 0.
func number(n *text.Node, key string) float64 {
	value, _ := n.Get(key)
	return Number(value)
}

// Number returns the number in a value of a file, or 0.
func Number(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// whole returns a number of a file as an integer of at most 32 bits.
func whole(s string) int { return int(min(max(Number(s), math.MinInt32), math.MaxInt32)) }
