package worlddiff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/mapblock"
)

// near is the largest distance, in nodes, of changes that belong together although they are in different blocks.
const near = 8

// A Region is what changed at one place: changes in blocks side by side.
type Region struct {
	Box      Box         `json:"box"`    // contains all nodes that differ
	Blocks   int         `json:"blocks"` // number of blocks with changes
	Nodes    int         `json:"nodes,omitempty"`
	Removed  []nodeCount `json:"removed,omitempty"` // nodes that were there, by name without param2, the most frequent first
	Placed   []nodeCount `json:"placed,omitempty"`  // nodes that are there now
	Metadata int         `json:"metadata,omitempty"`
	Timers   int         `json:"timers,omitempty"`
	Objects  int         `json:"objects,omitempty"`
	Gone     int         `json:"gone,omitempty"`   // blocks that no longer exist
	Unread   int         `json:"unread,omitempty"` // blocks that cannot be decoded
	By       []Actor     `json:"by,omitempty"`     // who changed something, as far as the server recorded it
	PutBack  string      `json:"putBack,omitempty"`
}

// nodeCount is a number of nodes of a name.
type nodeCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Actor is who made recorded changes.
type Actor struct {
	Name  string    `json:"name"`
	Count int       `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Regions gathers the changes of blocks into regions, those with the most nodes first; of has the region of each change, nil for those
// that are not gathered. Blocks that were added are not, because a server generates them wherever a player goes, nor those that were only
// saved again: their numbers are returned.
func Regions(changes []*Change) (regions []*Region, of []*Region, added, saved int) {
	at := make(map[[3]int]int)
	boxes := make([]Box, len(changes))
	var gathered []int
	for i, c := range changes {
		switch {
		case c.Part != Block:
		case c.Change == Added:
			added++
		case c.Change == Changed && c.Unread == "" && c.Nodes+c.Objects+len(c.Metadata)+len(c.Timers) == 0:
			saved++
		default:
			at[*c.Block], boxes[i] = i, c.bounds()
			gathered = append(gathered, i)
		}
	}
	of = make([]*Region, len(changes))
	for _, i := range gathered {
		if of[i] != nil {
			continue
		}
		r := new(Region)
		of[i] = r
		list := []int{i}
		for n := 0; n < len(list); n++ {
			p := *changes[list[n]].Block
			for dz := -1; dz <= 1; dz++ {
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						k, ok := at[[3]int{p[0] + dx, p[1] + dy, p[2] + dz}]
						if ok && of[k] == nil && boxes[list[n]].within(boxes[k], near) {
							of[k] = r
							list = append(list, k)
						}
					}
				}
			}
		}
		r.gather(changes, boxes, list)
		regions = append(regions, r)
	}
	slices.SortStableFunc(regions, func(a, b *Region) int { return cmp.Compare(b.Weight(), a.Weight()) })
	return regions, of, added, saved
}

// Weight is how much changed, in nodes.
func (r *Region) Weight() int {
	return r.Nodes + r.Metadata + r.Objects + (r.Gone+r.Unread)*mapblock.NodeCount
}

// A nodeSet has a bit for each node of a block.
type nodeSet struct {
	bounds Box
	bits   [mapblock.NodeCount / 64]uint64
}

// Compact keeps of a change of a block only what [Regions] and [Actors] need: up to 4,096 boxes become 512 bytes, and kinds of nodes lose
// their param2.
func (c *Change) Compact() {
	if c.Block == nil || c.Change != Changed || c.Unread != "" {
		return
	}
	kinds := make(map[Kind]int)
	for _, k := range c.Kinds {
		old, _, _ := strings.Cut(k.Old, " ")
		now, _, _ := strings.Cut(k.New, " ")
		kinds[Kind{Old: old, New: now}] += k.Count
	}
	set := &nodeSet{bounds: c.bounds()}
	c.eachNode(func(i int) { set.bits[i/64] |= 1 << (i % 64) })
	c.set, c.Boxes, c.Kinds = set, nil, make([]Kind, 0, len(kinds))
	for k, n := range kinds {
		k.Count = n
		c.Kinds = append(c.Kinds, k)
	}
}

// bounds returns the box of all nodes that a change of a block affects: the whole block if they are unknown.
func (c *Change) bounds() Box {
	if c.set != nil {
		return c.set.bounds
	}
	if len(c.Boxes)+len(c.Metadata)+len(c.Timers) == 0 {
		return Box{c.node(0), c.node(mapblock.NodeCount - 1)}
	}
	b := Box{c.node(mapblock.NodeCount - 1), c.node(0)}
	for _, one := range c.Boxes {
		b.add(one)
	}
	for _, list := range [][][3]int{c.Metadata, c.Timers} {
		for _, p := range list {
			b.add(Box{p, p})
		}
	}
	return b
}

func (b *Box) add(o Box) {
	for i := range b.Min {
		b.Min[i], b.Max[i] = min(b.Min[i], o.Min[i]), max(b.Max[i], o.Max[i])
	}
}

// within reports whether two boxes are at most a distance apart in each direction.
func (b Box) within(o Box, distance int) bool {
	for i := range b.Min {
		if b.Min[i]-o.Max[i] > distance || o.Min[i]-b.Max[i] > distance {
			return false
		}
	}
	return true
}

// gather adds up the changes of a list, whose boxes are given.
func (r *Region) gather(changes []*Change, boxes []Box, list []int) {
	r.Box, r.Blocks = boxes[list[0]], len(list)
	removed, placed := make(map[string]int), make(map[string]int)
	for _, i := range list {
		c := changes[i]
		r.Box.add(boxes[i])
		r.Nodes += c.Nodes
		r.Metadata += len(c.Metadata)
		r.Timers += len(c.Timers)
		r.Objects += c.Objects
		if c.Change == Removed {
			r.Gone++
		}
		if c.Unread != "" {
			r.Unread++
		}
		for _, k := range c.Kinds {
			old, _, _ := strings.Cut(k.Old, " ")
			now, _, _ := strings.Cut(k.New, " ")
			removed[old] += k.Count
			placed[now] += k.Count
		}
	}
	r.Removed, r.Placed = counts(removed), counts(placed)
}

// counts returns the numbers by name, the greatest first, without air.
func counts(of map[string]int) (list []nodeCount) {
	delete(of, "air")
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, nodeCount{name, of[name]})
	}
	slices.SortStableFunc(list, func(a, b nodeCount) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// Did adds a recorded change to the region.
func (r *Region) Did(d rollback.Deed) {
	if d.Actor == "" {
		return
	}
	name := strings.TrimPrefix(d.Actor, "player:")
	i := slices.IndexFunc(r.By, func(a Actor) bool { return a.Name == name })
	if i < 0 {
		i = len(r.By)
		r.By = append(r.By, Actor{Name: name, First: d.Time, Last: d.Time})
	}
	a := &r.By[i]
	a.Count++
	if d.Time.Before(a.First) {
		a.First = d.Time
	}
	if d.Time.After(a.Last) {
		a.Last = d.Time
	}
	slices.SortStableFunc(r.By, func(a, b Actor) int { return cmp.Compare(b.Count, a.Count) })
}

// Corners returns the box as two corners, as the option --box accepts it.
func (b Box) Corners() string {
	return fmt.Sprintf("%d,%d,%d:%d,%d,%d", b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2])
}

// String describes the region in one line.
func (r *Region) String() string {
	var all []string
	names := func(what string, list []nodeCount) {
		var parts []string
		for i, n := range list {
			if i == 3 {
				parts = append(parts, words.Count(len(list)-i, "other kind"))
				break
			}
			parts = append(parts, words.Thousands(int64(n.Count))+" "+n.Name)
		}
		if len(parts) > 0 {
			all = append(all, what+" "+strings.Join(parts, ", "))
		}
	}
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			all = append(all, "1 "+one)
		case n > 1:
			all = append(all, words.Thousands(int64(n))+" "+many)
		}
	}
	names("removed", r.Removed)
	names("placed", r.Placed)
	count(r.Metadata, "node with different metadata or inventory", "nodes with different metadata or inventories")
	count(r.Objects, "object", "objects")
	count(r.Gone, "block is gone", "blocks are gone")
	count(r.Unread, "block cannot be read", "blocks cannot be read")
	if len(all) == 0 {
		all = append(all, words.Count(r.Timers, "timer"))
	}
	size := [3]int{}
	for i := range size {
		size[i] = r.Box.Max[i] - r.Box.Min[i] + 1
	}
	line := fmt.Sprintf("%s (%d x %d x %d): %s", r.Box.Corners(), size[0], size[1], size[2], strings.Join(all, "; "))
	for i, a := range r.By {
		if i == 0 {
			line += "; by "
		} else {
			line += ", "
		}
		line += fmt.Sprintf("%s (%s, %s", a.Name, words.Thousands(int64(a.Count)), a.First.Local().Format("2006-01-02 15:04"))
		if a.Last.Sub(a.First) >= time.Minute {
			line += " to " + a.Last.Local().Format("2006-01-02 15:04")
		}
		line += ")"
	}
	return line
}
