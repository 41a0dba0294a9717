package codex

import (
	"math"
	"slices"

	"trowel.example/torchlight/internal/hole"
)

// classes are spawn classes by their IDs.
type classes struct {
	byID   map[string]*Class
	list   []*Class
	within map[string][]string // the classes with an entry for a thing, by the key of its link
	leaf   []Link              // items, units and types in the entries, by their numbers less 1
}

// tables are the odds of everything in rolls of classes.
type tables struct {
	*classes
	gives func(*Entry) bool  // reports whether an entry can give its item, unit or type
	known map[string][]share // by the ID of the class
	sums  []sum              // of the table that is made, by the numbers of the leaves less 1
}

func (c *classes) newTables(gives func(*Entry) bool) *tables {
	return &tables{c, gives, make(map[string][]share), make([]sum, len(c.leaf))}
}

// share is the odds of a leaf in a roll of a class.
type share struct {
	leaf             int
	chance, expected float64
}

type sum struct{ chosen, miss, expected float64 }

func keyOf(l Link) string { return l.Kind + "=" + l.ID }

// newClasses computes the shares of all entries, and cuts loops.
func newClasses(list []*Class) *classes {
	c := &classes{byID: make(map[string]*Class), list: list, within: make(map[string][]string)}
	for _, class := range list {
		c.byID[class.ID] = class
		class.share()
	}
	c.cut()
	leaves := make(map[string]int)
	for _, class := range list {
		for i := range class.Entries {
			e := &class.Entries[i]
			if key := keyOf(e.To); e.To.ID != "" && e.To.Kind != KindClass {
				if leaves[key] == 0 {
					c.leaf = append(c.leaf, e.To)
					leaves[key] = len(c.leaf)
				}
				e.leaf = leaves[key]
			}
			if to := keyOf(e.To); e.To.ID != "" && !e.Cut && !slices.Contains(c.within[to], class.ID) {
				c.within[to] = append(c.within[to], class.ID)
			}
		}
	}
	return c
}

// share computes the shares of the entries. One of those with a positive weight is chosen.
func (c *Class) share() {
	var sum float64
	for _, e := range c.Entries {
		sum += max(e.Weight, 0)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		switch {
		case e.Weight > 0:
			e.Share = e.Weight / sum
		case e.Weight < 0, sum == 0:
			e.Share, e.Always = 1, true
		}
	}
}

// cut cuts the entries that lead back to their class, and those that are too deep. It follows the classes of earlier mods first, so
// that entries of the later ones are cut.
func (c *classes) cut() {
	list := slices.Clone(c.list)
	slices.SortStableFunc(list, func(a, b *Class) int { return a.Mod - b.Mod })
	number := make(map[string]int, len(list))
	for i, class := range list {
		number[class.ID] = i
	}
	entries := make([][]int, len(list))
	for i, class := range list {
		for _, e := range class.Entries {
			to, has := number[e.To.ID]
			if e.To.Kind != KindClass || !has {
				to = -1
			}
			entries[i] = append(entries[i], to)
		}
	}
	hole.Cut(entries, func(class, entry int) { list[class].Entries[entry].Cut = true })
}

// odds are the chances of one thing in one roll of a class.
type odds struct {
	chance, expected float64
	best             int // index of the entry that contributes most
}

// search computes the odds of one thing in the classes that can give it.
type search struct {
	*classes
	gives func(*Entry) float64 // chance that an entry for a unit or a type gives the thing
	only  map[string]bool      // the classes that can give it; nil: unknown
	known map[string]odds
}

// of returns the odds in a roll of a class.
func (s *search) of(class *Class) odds {
	if o, ok := s.known[class.ID]; ok {
		return o
	}
	o := odds{best: -1}
	var chosen, most float64
	miss := 1.0
	for i := range class.Entries {
		e := &class.Entries[i]
		if e.Cut || e.Share == 0 {
			continue
		}
		var one odds
		if to := s.byID[e.To.ID]; e.To.Kind == KindClass && to != nil {
			if s.only != nil && !s.only[to.ID] {
				continue
			}
			one = s.of(to)
		} else if e.To.Kind != KindClass && e.To.ID != "" {
			one.chance = s.gives(e)
			one.expected = one.chance
		}
		if one.chance == 0 {
			continue
		}
		q := Any(one.chance, e.Min, e.Max)
		o.expected += e.Share * one.expected * mean(e.Min, e.Max)
		if e.Always {
			miss *= 1 - q
		} else {
			chosen += e.Share * q
		}
		if e.Share*q > most {
			most, o.best = e.Share*q, i
		}
	}
	o.chance = 1 - (1-chosen)*miss
	s.known[class.ID] = o
	return o
}

// Any returns the chance that a thing of chance q comes at least once in a number of tries between least and most.
func Any(q float64, least, most int) float64 {
	least, most = ordered(least, most)
	switch {
	case q <= 0 || most == 0:
		return 0
	case least == most && least == 1:
		return q
	case q >= 1 && least == 0:
		return 1 - 1/float64(most+1)
	case q >= 1:
		return 1
	}
	stay := math.Log1p(-q) // (1-q)^n = exp(n*stay), also for a tiny q
	none := math.Exp(float64(least)*stay) * math.Expm1(float64(most-least+1)*stay) / (-q * float64(most-least+1))
	return 1 - none
}

// mean returns the mean of the numbers between two numbers.
func mean(least, most int) float64 {
	least, most = ordered(least, most)
	return (float64(least) + float64(most)) / 2
}

// ordered returns the bounds of a count: no count is negative.
func ordered(least, most int) (int, int) {
	least, most = max(least, 0), max(most, 0)
	return min(least, most), max(least, most)
}

// of returns the odds of all leaves in a roll of a class, in the order of their numbers. They are those of a [search] for each leaf.
func (c *tables) of(class *Class) []share {
	if t, known := c.known[class.ID]; known {
		return t
	}
	for i := range class.Entries { // first those below: c.sums is for one class
		if e := &class.Entries[i]; e.To.Kind == KindClass && !e.Cut && e.Share > 0 && c.byID[e.To.ID] != nil {
			c.of(c.byID[e.To.ID])
		}
	}
	var found []int
	add := func(e *Entry, s share) {
		v := &c.sums[s.leaf-1]
		if v.miss == 0 && v.chosen == 0 && v.expected == 0 {
			v.miss = 1
			found = append(found, s.leaf)
		}
		q := Any(s.chance, e.Min, e.Max)
		v.expected += e.Share * s.expected * mean(e.Min, e.Max)
		if e.Always {
			v.miss *= 1 - q
		} else {
			v.chosen += e.Share * q
		}
	}
	for i := range class.Entries {
		e := &class.Entries[i]
		if e.Cut || e.Share == 0 {
			continue
		}
		if e.leaf > 0 && c.gives(e) {
			add(e, share{e.leaf, 1, 1})
		} else if e.To.Kind == KindClass && c.byID[e.To.ID] != nil {
			for _, s := range c.known[e.To.ID] {
				add(e, s)
			}
		}
	}
	slices.Sort(found)
	list := make([]share, 0, len(found))
	for _, leaf := range slices.Compact(found) {
		v := &c.sums[leaf-1]
		if chance := 1 - (1-v.chosen)*v.miss; chance != 0 {
			list = append(list, share{leaf, chance, v.expected})
		}
		*v = sum{}
	}
	c.known[class.ID] = list
	return list
}

// above returns the classes that can give a thing, directly or through others.
func (c *classes) above(what Link) map[string]bool {
	found := make(map[string]bool)
	next := []string{keyOf(what)}
	for len(next) > 0 {
		key := next[len(next)-1]
		next = next[:len(next)-1]
		for _, id := range c.within[key] {
			if !found[id] {
				found[id] = true
				next = append(next, KindClass+"="+id)
			}
		}
	}
	return found
}

// search returns the search for a thing: an item, a unit, or "some item of a type". Rarity reports whether an entry can give it.
func (c *classes) search(what Link, rarity func(*Entry) bool) *search {
	return &search{c, func(e *Entry) float64 {
		if e.To.Kind == what.Kind && e.To.ID == what.ID && rarity(e) {
			return 1
		}
		return 0
	}, c.above(what), make(map[string]odds)}
}

// path returns the likeliest path of classes from a class to the thing.
func (s *search) path(class *Class) (path []Link) {
	for class != nil && len(path) <= hole.MaxDepth {
		path = append(path, Link{KindClass, class.ID, class.Name})
		o := s.of(class)
		if o.best < 0 {
			break
		}
		class = s.byID[class.Entries[o.best].To.ID]
	}
	return path
}
