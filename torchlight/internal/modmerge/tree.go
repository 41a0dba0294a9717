package modmerge

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// merger merges the trees of one file. It changes ours in place, so that unchanged items keep their identity.
type merger struct {
	path   string
	log    merge3.Log
	object int64
	atomic bool // nodes below properties are merged as a whole
	took   []check.Place
}

// node merges the changes of two sides to a node; base is nil if both added it.
func (m *merger) node(base, ours, theirs *text.Node, way string) {
	if base == nil {
		base = new(text.Node)
	}
	in := newInsertion(ours, theirs)
	m.properties(base, ours, theirs, in, way)
	if m.atomic {
		m.extras(base, ours, theirs, way)
		return
	}
	m.children(base, ours, theirs, in, way)
}

// place returns the place of a key or node.
func (m *merger) place(way string) check.Place { return text.Place{Node: way, Object: m.object} }

func (m *merger) conflict(way, what string, base, ours, theirs any) merge3.Side {
	c := check.Conflict{Path: m.path, What: what, Base: base, Ours: ours, Theirs: theirs}
	if way != "" || m.object != 0 {
		c.At = []check.Place{m.place(way)}
	}
	return m.log.Conflict(c)
}

// pick returns the side from which a part is taken that is merged as a whole; what describes a conflict.
func pick[T any](m *merger, way string, base, ours, theirs T, equal func(x, y T) bool, what string) merge3.Side {
	return merge3.Pick(base, ours, theirs, equal, func() { m.take(way) }, func() merge3.Side {
		return m.conflict(way, what, nil, nil, nil)
	})
}

func sameText(x, y string) bool { return x == y }

func (m *merger) take(way string) { m.took = append(m.took, m.place(way)) }

// insertion finds the positions in ours for items that theirs added.
type insertion struct {
	ours, theirs *text.Node
	counterpart  map[text.Item]text.Item // for items of theirs, the same items in ours
	added        map[text.Item]bool      // items that only ours added
}

func newInsertion(ours, theirs *text.Node) *insertion {
	return &insertion{ours, theirs, make(map[text.Item]text.Item), make(map[text.Item]bool)}
}

// insert inserts an item of theirs into ours, after the item that precedes it in theirs and after items that ours added
// at the same position.
func (in *insertion) insert(it text.Item) {
	var before []text.Item
	for _, x := range in.theirs.Items[:slices.Index(in.theirs.Items, it)] {
		if c, ok := in.counterpart[x]; ok {
			before = append(before, c)
		}
	}
	at := merge3.Place(in.ours.Items, before, func(x text.Item) bool { return in.added[x] && isNode(x) == isNode(it) })
	for i := at; isNode(it) && i < len(in.ours.Items); i++ { // nodes come after properties
		if !isNode(in.ours.Items[i]) {
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
	for _, h := range merge3.Union(keysOf(ours), keysOf(theirs), keysOf(base)) {
		bs, os, ts := b[h], o[h], t[h]
		key := strings.ToUpper(slices.Concat(os, ts, bs)[0].Key)
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
	side := merge3.Pick(b, o, t, same, func() { m.take(way) }, func() merge3.Side {
		return m.conflict(way, fmt.Sprintf("%s: %s became %s and %s", lastOf(way), describe(b), describe(o), describe(t)),
			value(b), value(o), value(t))
	})
	if side == merge3.Ours {
		return
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
	want := func(c string) int { return merge3.Count(nb[c], no[c], nt[c]) }
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
	if pick(m, way, of(base), of(ours), of(theirs), sameText,
		"the effects of the object on other objects were changed on both sides") == merge3.Ours {
		return
	}
	ours.Items = slices.DeleteFunc(ours.Items, isNode)
	for c := range theirs.Children() {
		ours.Items = append(ours.Items, c)
	}
}

func isNode(it text.Item) bool {
	_, ok := it.(*text.Node)
	return ok
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
		case o != nil:
			if pick(m, at, signature(b), signature(o), "", sameText, b.Name+": changed by ours, removed by theirs") == merge3.Theirs {
				in.remove(o)
			}
		case t != nil:
			if pick(m, at, signature(b), "", signature(t), sameText, b.Name+": removed by ours, changed by theirs") == merge3.Theirs {
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
	if pick(m, way, stay, orderO, orderT, slices.Equal, "both sides changed the order of the nodes") == merge3.Theirs {
		order := make([]text.Item, len(orderT))
		for i, b := range orderT {
			order[i] = toOurs[b]
		}
		merge3.Arrange(ours.Items, order)
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

// byKey returns the properties of a node by the hashes of their keys: one side may have a name, and the other an escape
// because its file is compiled.
func byKey(n *text.Node) map[uint32][]*text.Property {
	keys := make(map[uint32][]*text.Property)
	for p := range n.Properties() {
		h := hash.Of(p.Key)
		keys[h] = append(keys[h], p)
	}
	return keys
}

// keysOf yields the hashes of the keys of a node.
func keysOf(n *text.Node) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for p := range n.Properties() {
			if !yield(hash.Of(p.Key)) {
				return
			}
		}
	}
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

func describe(p *text.Property) string {
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
var same = merge3.Item(func(a, b *text.Property) bool { return canonical(a) == canonical(b) })

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

// nameOf returns the same text for all spellings of the name of a key or node.
func nameOf(name string) string {
	return string(binary.LittleEndian.AppendUint32(nil, hash.Of(name)))
}

// signature returns the contents of a node in a normalized order.
func signature(n *text.Node) string {
	var b strings.Builder
	sign(&b, n, false)
	return b.String()
}

func sign(b *strings.Builder, n *text.Node, objects bool) {
	b.WriteString("[" + nameOf(n.Name) + "\n")
	for p := range n.Properties() {
		if !objects || !strings.EqualFold(p.Key, "PARENTID") {
			b.WriteString(nameOf(p.Key) + canonical(p) + "\n")
		}
	}
	for c := range n.Children() {
		sign(b, c, objects)
	}
	b.WriteString("]\n")
}
