package modmerge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

// merger merges the trees of one file. It changes ours in place, so that unchanged items keep their identity.
type merger struct {
	path      string
	theirs    bool // resolve conflicts with theirs
	object    int64
	atomic    bool // nodes below properties are merged as a whole
	conflicts []check.Conflict
	took      []check.Place
}

// node merges the changes of two sides to a node; base is nil if both added it.
func (m *merger) node(base, ours, theirs *text.Node, way string) {
	if base == nil {
		base = new(text.Node)
	}
	in := &insertion{ours: ours, theirs: theirs, counterpart: make(map[text.Item]text.Item), added: make(map[text.Item]bool)}
	m.properties(base, ours, theirs, in, way)
	if m.atomic {
		m.extras(base, ours, theirs, way)
		return
	}
	m.children(base, ours, theirs, in, way)
}

// place returns the place of a key or node.
func (m *merger) place(way string) check.Place { return text.Place{Node: way, Object: m.object} }

func (m *merger) conflict(way, what string, base, ours, theirs any) {
	took := "ours"
	if m.theirs {
		took = "theirs"
	}
	c := check.Conflict{Path: m.path, What: what, Base: base, Ours: ours, Theirs: theirs, Took: took}
	if way != "" || m.object != 0 {
		c.At = []check.Place{m.place(way)}
	}
	m.conflicts = append(m.conflicts, c)
}

func (m *merger) take(way string) { m.took = append(m.took, m.place(way)) }

// insertion finds the positions in ours for items that theirs added.
type insertion struct {
	ours, theirs *text.Node
	counterpart  map[text.Item]text.Item // for items of theirs, the same items in ours
	added        map[text.Item]bool      // items that only ours added
}

// insert inserts an item of theirs into ours, after the item that precedes it in theirs and after items that ours added
// at the same position.
func (in *insertion) insert(it text.Item) {
	_, isNode := it.(*text.Node)
	at := 0
	for i := slices.Index(in.theirs.Items, it) - 1; i >= 0; i-- {
		if c, ok := in.counterpart[in.theirs.Items[i]]; ok {
			if j := slices.Index(in.ours.Items, c); j >= 0 {
				at = j + 1
				break
			}
		}
	}
	for at < len(in.ours.Items) && in.added[in.ours.Items[at]] {
		if _, node := in.ours.Items[at].(*text.Node); node != isNode {
			break
		}
		at++
	}
	for i := at; isNode && i < len(in.ours.Items); i++ { // nodes come after properties
		if _, property := in.ours.Items[i].(*text.Property); property {
			at = i + 1
		}
	}
	in.ours.Items = slices.Insert(in.ours.Items, at, it)
	in.counterpart[it] = it
}

func (in *insertion) remove(it text.Item) {
	if i := slices.Index(in.ours.Items, it); i >= 0 {
		in.ours.Items = slices.Delete(in.ours.Items, i, i+1)
	}
}

// properties merges the keys of a node.
func (m *merger) properties(base, ours, theirs *text.Node, in *insertion, way string) {
	b, o, t := byKey(base), byKey(ours), byKey(theirs)
	for _, key := range keysOf(ours, theirs, base) {
		bs, os, ts := b[key], o[key], t[key]
		if m.atomic && key == "PARENTID" { // it follows from the position of the object
			continue
		}
		n := max(len(bs), len(os), len(ts))
		if n > 1 && (len(bs) != len(os) || len(bs) != len(ts)) {
			m.set(bs, os, ts, in, join(way, key))
			continue
		}
		for i := range n {
			m.property(nth(bs, i), nth(os, i), nth(ts, i), in, join(way, key))
		}
	}
}

func (m *merger) property(b, o, t *text.Property, in *insertion, way string) {
	if o != nil && t != nil {
		in.counterpart[t] = o
	}
	if o != nil && b == nil {
		in.added[o] = true
	}
	switch {
	case same(o, t) || same(b, t):
		return
	case same(b, o):
		m.take(way)
	default:
		m.conflict(way, fmt.Sprintf("%s: %s became %s and %s", lastOf(way), said(b), said(o), said(t)), value(b), value(o), value(t))
		if !m.theirs {
			return
		}
	}
	switch {
	case t == nil:
		in.remove(o)
	case o == nil:
		in.insert(t)
	default:
		o.Type, o.Value = t.Type, t.Value
	}
}

// set merges the values of a repeated key as an ordered set.
func (m *merger) set(b, o, t []*text.Property, in *insertion, way string) {
	nb, no, nt := count(b), count(o), count(t)
	spare := make(map[string][]*text.Property)
	for _, p := range o {
		c := canonical(p)
		spare[c] = append(spare[c], p)
		if nb[c] == 0 {
			in.added[p] = true
		}
	}
	for _, p := range t {
		if c := canonical(p); len(spare[c]) > 0 {
			in.counterpart[p] = spare[c][0]
			spare[c] = spare[c][1:]
		}
	}
	want := func(c string) int {
		do, dt := no[c]-nb[c], nt[c]-nb[c]
		switch {
		case do > 0 && dt > 0:
			return nb[c] + max(do, dt)
		case do < 0 && dt < 0:
			return nb[c] + min(do, dt)
		}
		return max(0, nb[c]+do+dt)
	}
	for _, p := range slices.Backward(o) {
		if c := canonical(p); no[c] > want(c) {
			in.remove(p)
			no[c]--
			m.take(way)
		}
	}
	for _, p := range t {
		if c := canonical(p); no[c] < want(c) && in.counterpart[p] == nil {
			in.insert(p)
			no[c]++
			m.take(way)
		}
	}
}

func count(list []*text.Property) map[string]int {
	n := make(map[string]int)
	for _, p := range list {
		n[canonical(p)]++
	}
	return n
}

// extras merges the nodes below the properties of an object, such as the graph of a Logic Group, as a whole.
func (m *merger) extras(base, ours, theirs *text.Node, way string) {
	of := func(n *text.Node) string {
		var s strings.Builder
		for c := range n.Children() {
			s.WriteString(signature(c))
		}
		return s.String()
	}
	b, o, t := of(base), of(ours), of(theirs)
	switch {
	case o == t || b == t:
		return
	case b == o:
		m.take(way)
	default:
		m.conflict(way, "what the object does to others was changed on both sides", nil, nil, nil)
		if !m.theirs {
			return
		}
	}
	ours.Items = slices.DeleteFunc(ours.Items, isNode)
	for c := range theirs.Children() {
		ours.Items = append(ours.Items, c)
	}
}

func isNode(it text.Item) bool {
	_, is := it.(*text.Node)
	return is
}

// children merges the nodes below a node.
func (m *merger) children(base, ours, theirs *text.Node, in *insertion, way string) {
	bs, os, ts := slices.Collect(base.Children()), slices.Collect(ours.Children()), slices.Collect(theirs.Children())
	names := newNaming(bs, os, ts)
	toOurs, toTheirs := names.match(bs, os, false), names.match(bs, ts, false)
	knownO, knownT := make(map[*text.Node]bool), make(map[*text.Node]bool)
	for _, b := range bs {
		o, t := toOurs[b], toTheirs[b]
		knownO[o], knownT[t] = true, true
		if o != nil && t != nil {
			in.counterpart[t] = o
		}
	}
	for _, o := range os {
		in.added[o] = !knownO[o]
	}
	m.order(bs, ours, toOurs, toTheirs, os, ts, way)
	for i, b := range bs {
		o, t := toOurs[b], toTheirs[b]
		at := names.way(way, bs, i)
		switch {
		case o != nil && t != nil:
			m.node(b, o, t, at)
		case o != nil: // theirs removed it
			if signature(b) == signature(o) {
				in.remove(o)
				m.take(at)
				continue
			}
			m.conflict(at, b.Name+": changed by ours, removed by theirs", nil, nil, nil)
			if m.theirs {
				in.remove(o)
			}
		case t != nil: // ours removed it
			if signature(b) == signature(t) {
				continue
			}
			m.conflict(at, b.Name+": removed by ours, changed by theirs", nil, nil, nil)
			if m.theirs {
				in.insert(t)
			}
		}
	}
	newO := slices.DeleteFunc(slices.Clone(os), func(n *text.Node) bool { return knownO[n] })
	newT := slices.DeleteFunc(slices.Clone(ts), func(n *text.Node) bool { return knownT[n] })
	both := names.match(newO, newT, true)
	twin := make(map[*text.Node]*text.Node)
	for o, t := range both {
		twin[t] = o
		in.counterpart[t] = o
	}
	for _, t := range newT {
		at := names.way(way, ts, slices.Index(ts, t))
		if o := twin[t]; o != nil {
			m.node(nil, o, t, at)
			continue
		}
		in.insert(t)
		m.take(at)
	}
}

// order gives the nodes of ours the order of theirs, if only theirs changed it or conflicts are resolved with theirs.
func (m *merger) order(bs []*text.Node, ours *text.Node, toOurs, toTheirs map[*text.Node]*text.Node, os, ts []*text.Node, way string) {
	var stay []*text.Node
	for _, b := range bs {
		if toOurs[b] != nil && toTheirs[b] != nil {
			stay = append(stay, b)
		}
	}
	orderO, orderT := ordered(stay, toOurs, os), ordered(stay, toTheirs, ts)
	switch {
	case slices.Equal(orderT, stay) || slices.Equal(orderO, orderT):
		return
	case slices.Equal(orderO, stay):
		m.take(way)
	default:
		m.conflict(way, "the nodes have another order on both sides", nil, nil, nil)
		if !m.theirs {
			return
		}
	}
	moved := make(map[text.Item]bool)
	for _, b := range stay {
		moved[toOurs[b]] = true
	}
	next := 0
	for i, it := range ours.Items {
		if moved[it] {
			ours.Items[i] = toOurs[orderT[next]]
			next++
		}
	}
}

// ordered returns nodes of base in the order of their counterparts.
func ordered(bs []*text.Node, to map[*text.Node]*text.Node, list []*text.Node) []*text.Node {
	at := make(map[*text.Node]int, len(list))
	for i, n := range list {
		at[n] = i
	}
	out := slices.Clone(bs)
	slices.SortStableFunc(out, func(a, b *text.Node) int { return at[to[a]] - at[to[b]] })
	return out
}

func byKey(n *text.Node) map[string][]*text.Property {
	keys := make(map[string][]*text.Property)
	for p := range n.Properties() {
		k := strings.ToUpper(p.Key)
		keys[k] = append(keys[k], p)
	}
	return keys
}

// keysOf returns the keys of nodes, each once.
func keysOf(nodes ...*text.Node) []string {
	var keys []string
	seen := make(map[string]bool)
	for _, n := range nodes {
		for p := range n.Properties() {
			if k := strings.ToUpper(p.Key); !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	return keys
}

func nth[T any](list []*T, i int) *T {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func join(way, name string) string {
	if way == "" {
		return name
	}
	return way + "." + name
}

func lastOf(way string) string { return way[strings.LastIndexByte(way, '.')+1:] }

func said(p *text.Property) string {
	const most = 60
	switch {
	case p == nil:
		return "nothing"
	case p.Value == "":
		return `""`
	}
	if r := []rune(p.Value); len(r) > most {
		return string(r[:most]) + "..."
	}
	return p.Value
}

func value(p *text.Property) any {
	if p == nil {
		return nil
	}
	return p.Value
}

// same reports whether two properties have equal values; numbers are compared by their bits.
func same(a, b *text.Property) bool {
	if a == nil || b == nil {
		return a == b
	}
	return canonical(a) == canonical(b)
}

// canonical returns the value of a property in a normalized form.
func canonical(p *text.Property) string {
	v := p.Value
	switch p.Type {
	case text.Float:
		if f, ok := text.ParseFloat(v); ok {
			v = strconv.FormatUint(uint64(math.Float32bits(f)), 16)
		}
	case text.Double:
		if f, ok := text.ParseDouble(v); ok {
			v = strconv.FormatUint(math.Float64bits(f), 16)
		}
	case text.Integer:
		if i, ok := text.ParseInt(v); ok {
			v = strconv.Itoa(int(i))
		}
	case text.Bool:
		if b, ok := text.ParseBool(v); ok {
			v = strconv.FormatBool(b)
		}
	}
	return p.Type.String() + ":" + v
}

// signature returns the contents of a node in a normalized order.
func signature(n *text.Node) string {
	var b strings.Builder
	sign(&b, n, false)
	return b.String()
}

func sign(b *strings.Builder, n *text.Node, objects bool) {
	b.WriteString("[" + strings.ToUpper(n.Name) + "\n")
	for p := range n.Properties() {
		if key := strings.ToUpper(p.Key); !objects || key != "PARENTID" {
			b.WriteString(key + "\x00" + canonical(p) + "\n")
		}
	}
	for c := range n.Children() {
		sign(b, c, objects)
	}
	b.WriteString("]\n")
}
