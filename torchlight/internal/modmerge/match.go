package modmerge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// identities are the keys that identify nodes with the same name. The first key that distinguishes all of them is used.
var identities = []string{"NAME", "FILE", "UNIT", "SPAWNCLASS", "AFFIX", "LEVEL", "UNIT_GUID", "UNIQUE_GUID", "GUID",
	"ID", "ORIGINAL", "SKILL", "MONSTER", "TYPE", "THEME", "KEY"}

// naming determines how nodes of one list are identified in another.
type naming struct {
	key   map[uint32]string // by the hash of the node name: the key that identifies the nodes
	times map[uint32]int    // the greatest number of nodes of a name in one list
}

func newNaming(lists ...[]*text.Node) *naming {
	n := &naming{make(map[uint32]string), make(map[uint32]int)}
	var groups []map[uint32][]*text.Node
	for _, list := range lists {
		g := byName(list)
		groups = append(groups, g)
		for name, nodes := range g {
			n.times[name] = max(n.times[name], len(nodes))
		}
	}
	for name, times := range n.times {
		if times == 1 {
			continue
		}
		for _, key := range identities {
			if !slices.ContainsFunc(groups, func(g map[uint32][]*text.Node) bool { return !unique(g[name], key) }) {
				n.key[name] = key
				break
			}
		}
	}
	return n
}

func byName(list []*text.Node) map[uint32][]*text.Node {
	g := make(map[uint32][]*text.Node)
	for _, n := range list {
		name := hash.Of(n.Name)
		g[name] = append(g[name], n)
	}
	return g
}

func unique(list []*text.Node, key string) bool {
	seen := make(map[string]bool)
	for _, n := range list {
		v, ok := n.Get(key)
		if v = strings.ToUpper(v); !ok || seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}

// way returns the path of a node of a list.
func (n *naming) way(above string, list []*text.Node, i int) string {
	name, h := list[i].Name, hash.Of(list[i].Name)
	if n.times[h] > 1 {
		before := 0
		for _, other := range list[:i] {
			if hash.Of(other.Name) == h {
				before++
			}
		}
		name += "[" + strconv.Itoa(before) + "]"
	}
	return join(above, name)
}

// match finds the nodes of one list in another. If strict is set, it finds only certain matches.
func (n *naming) match(from, to []*text.Node, strict bool) map[*text.Node]*text.Node {
	pairs := make(map[*text.Node]*text.Node)
	others := byName(to)
	for name, as := range byName(from) {
		bs := others[name]
		if n.times[name] == 1 && len(bs) == 1 {
			if !strict || !differ(as[0], bs[0]) {
				pairs[as[0]] = bs[0]
			}
			continue
		}
		if len(bs) == 0 {
			continue
		}
		taken := make(map[*text.Node]bool)
		if key := n.key[name]; key != "" {
			by := make(map[string]*text.Node)
			for _, b := range bs {
				v, _ := b.Get(key)
				by[strings.ToUpper(v)] = b
			}
			for _, a := range as {
				v, _ := a.Get(key)
				if b := by[strings.ToUpper(v)]; b != nil {
					pairs[a], taken[b] = b, true
				}
			}
		} else {
			for _, p := range equalRuns(as, bs) {
				pairs[as[p[0]]], taken[bs[p[1]]] = bs[p[1]], true
			}
		}
		if strict {
			continue
		}
		leftA := slices.DeleteFunc(slices.Clone(as), func(a *text.Node) bool { return pairs[a] != nil })
		leftB := slices.DeleteFunc(slices.Clone(bs), func(b *text.Node) bool { return taken[b] })
		if len(leftA) == len(leftB) && n.key[name] == "" {
			for i, a := range leftA {
				pairs[a] = leftB[i]
			}
			continue
		}
		alike(leftA, leftB, pairs)
	}
	return pairs
}

// differ reports whether two nodes have keys that identify them as different things.
func differ(a, b *text.Node) bool {
	for _, key := range identities {
		x, okX := a.Get(key)
		y, okY := b.Get(key)
		if okX && okY {
			return !strings.EqualFold(x, y)
		}
	}
	return false
}

// equalRuns returns the equal nodes of two lists, in the order of both: their longest common subsequence.
func equalRuns(as, bs []*text.Node) (pairs [][2]int) {
	x, y := make([]string, len(as)), make([]string, len(bs))
	for i, a := range as {
		x[i] = signature(a)
	}
	for i, b := range bs {
		y[i] = signature(b)
	}
	head := 0
	for head < min(len(x), len(y)) && x[head] == y[head] {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	tail := 0
	for tail < min(len(x), len(y))-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
		pairs = append(pairs, [2]int{len(x) - tail, len(y) - tail})
	}
	x, y = x[head:len(x)-tail], y[head:len(y)-tail]
	const most = 1 << 24 // steps; longer lists are matched by similarity only
	if len(x) == 0 || len(y) == 0 || len(x)*len(y) > most {
		return pairs
	}
	length := make([][]int32, len(x)+1)
	for i := range length {
		length[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			pairs = append(pairs, [2]int{head + i, head + j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// alike pairs nodes that have at least half of their contents in common, the most similar ones first.
func alike(as, bs []*text.Node, pairs map[*text.Node]*text.Node) {
	const most = 1 << 16 // greatest number of pairs to compare
	if len(as)*len(bs) > most {
		return
	}
	type pair struct {
		a, b  *text.Node
		share float64
	}
	var list []pair
	for _, a := range as {
		for _, b := range bs {
			if s := share(a, b); s >= 0.5 {
				list = append(list, pair{a, b, s})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b pair) int { return cmp.Compare(b.share, a.share) })
	taken := make(map[*text.Node]bool)
	for _, p := range list {
		if pairs[p.a] == nil && !taken[p.b] {
			pairs[p.a], taken[p.b] = p.b, true
		}
	}
}

// share returns the share of the contents of two nodes that is equal, 0 to 1.
func share(a, b *text.Node) float64 {
	parts := func(n *text.Node) map[string]int {
		m := make(map[string]int)
		for p := range n.Properties() {
			m[nameOf(p.Key)+canonical(p)]++
		}
		for c := range n.Children() {
			m[signature(c)]++
		}
		return m
	}
	x, y := parts(a), parts(b)
	same, all := 0, max(len(x), len(y))
	for k := range x {
		if y[k] > 0 {
			same++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(same) / float64(all)
}
