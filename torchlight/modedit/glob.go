package modedit

import (
	"fmt"
	"iter"
	"strings"

	"trowel.example/internal/text/glob"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// Choice selects nodes of data files and layouts. The zero value selects all.
type Choice struct {
	// Node is the end of the path of a node: LEVEL1 or SKILL.LEVEL*. It consists of names separated by periods, with *
	// and ? within a name, and ** for any number of names. "" selects any node.
	Node string
	// Where are conditions that must all hold: KEY=VALUE or KEY!=VALUE, where * and ? match any text and VALUE can be
	// several values separated by |; KEY<NUMBER, <=, >, >=; or KEY alone, which must exist. The key is searched in the
	// node and then in the nodes that contain it. In a layout the key is a key of an object: DESCRIPTOR=Monster.
	Where []string
	// Top selects only the root of a data file, and the objects of a layout.
	Top bool
}

// chooser is a parsed Choice.
type chooser struct {
	node  func(string) bool // nil accepts any node
	names map[uint32]string // names in the pattern of the node, without * and ?, by their hashes
	where []condition
	top   bool
}

type condition struct {
	key, op string
	value   func(string) bool
	number  float64
}

func (c Choice) compile() (*chooser, error) {
	out := &chooser{top: c.Top}
	if c.Node != "" {
		out.node = glob.Path('.', "**."+c.Node)
		out.names = make(map[uint32]string)
		for name := range strings.SplitSeq(c.Node, ".") {
			if !strings.ContainsAny(name, "*?") {
				out.names[hash.Meant(name)] = name
			}
		}
	}
	for _, w := range c.Where {
		cond := condition{key: w}
		if i := strings.IndexAny(w, "=!<>"); i >= 0 {
			cond.key = strings.TrimSpace(w[:i])
			n := 1
			if strings.HasPrefix(w[i:], "!=") || strings.HasPrefix(w[i:], "<=") || strings.HasPrefix(w[i:], ">=") {
				n = 2
			}
			cond.op = w[i : i+n]
			value := strings.TrimSpace(w[i+n:])
			switch cond.op {
			case "=", "!=":
				cond.value = glob.Folded(strings.Split(value, "|")...)
			case "!":
				return nil, fmt.Errorf("%q: expected KEY=VALUE, KEY!=VALUE, KEY<NUMBER or KEY", w)
			default:
				v, clean := text.ParseDouble(value)
				if !clean {
					return nil, fmt.Errorf("%q: expected a number after %s, not %q", w, cond.op, value)
				}
				cond.number = v
			}
		}
		if cond.key == "" {
			return nil, fmt.Errorf("%q: expected a key", w)
		}
		out.where = append(out.where, cond)
	}
	return out, nil
}

// Match returns a function that reports whether a node meets conditions like those of [Choice.Where].
func Match(where []string) (func(*text.Node) bool, error) {
	c, err := Choice{Where: where}.compile()
	if err != nil {
		return nil, err
	}
	return func(n *text.Node) bool {
		for i := range c.where {
			if !c.where[i].holds([]*text.Node{n}) {
				return false
			}
		}
		return true
	}, nil
}

// holds reports whether the condition holds for the last node of a path of nested nodes.
func (c *condition) holds(way []*text.Node) bool {
	object := false // whether the object that contains the node was seen
	for i := len(way) - 1; i >= 0; i-- {
		value, has := way[i].Get(c.key)
		if !object && strings.EqualFold(way[i].Name, partObject) {
			object = true
			if p := way[i].Child(partProperties); p != nil && !has {
				value, has = p.Get(c.key)
			}
		}
		if !has {
			continue
		}
		number, clean := text.ParseDouble(value)
		switch c.op {
		case "":
			return true
		case "=":
			return c.value(value)
		case "!=":
			return !c.value(value)
		case "<":
			return clean && number < c.number
		case "<=":
			return clean && number <= c.number
		case ">":
			return clean && number > c.number
		default:
			return clean && number >= c.number
		}
	}
	return c.op == "!="
}

// called returns the name of a node as the pattern spells it, or as the file does.
func (c *chooser) called(n *text.Node) string {
	if name, ok := c.names[hash.Of(n.Name)]; ok {
		return name
	}
	return n.Name
}

// nodes yields the selected nodes with their places.
func (c *chooser) nodes(root *text.Node) iter.Seq2[*text.Node, nodePlace] {
	return func(yield func(*text.Node, nodePlace) bool) {
		c.visit(root, nodePlace{names: c.called(root), name: root.Name}, yield)
	}
}

func (c *chooser) visit(n *text.Node, at nodePlace, yield func(*text.Node, nodePlace) bool) bool {
	at.way = append(at.way, n)
	if strings.EqualFold(n.Name, partProperties) {
		if id, ok := n.Get("ID"); ok {
			at.object, _ = text.ParseInt64(id)
		}
	}
	chosen := !c.top || at.top(n)
	chosen = chosen && (c.node == nil || c.node("."+at.names))
	for i := range c.where {
		chosen = chosen && c.where[i].holds(at.way)
	}
	if chosen && !yield(n, at) {
		return false
	}
	times := make(map[string]int)
	for child := range n.Children() {
		name := strings.ToUpper(child.Name)
		times[name]++
		below := at
		below.names, below.name, below.depth = at.names+"."+c.called(child), at.name+"."+child.Name, at.depth+1
		if k := times[name]; k > 1 {
			below.name += fmt.Sprintf("[%d]", k)
		}
		if !c.visit(child, below, yield) {
			return false
		}
	}
	return true
}

// nodePlace is the place of a node.
type nodePlace struct {
	names  string       // names from the root on, separated by periods
	name   string       // the same, with an index from [2] on for repeated names
	object int64        // the ID of the layout's object that contains the node
	depth  int          // 0 for the root
	way    []*text.Node // the node, after the nodes that contain it; valid while the node is seen
}

// top reports whether the node is the root of a data file or the properties of an object.
func (n nodePlace) top(node *text.Node) bool {
	if n.depth == 0 {
		return node.Child("OBJECTS") == nil
	}
	return n.object != 0 && strings.EqualFold(node.Name, "PROPERTIES")
}

// place returns the place of a key of the node in its file, or of the node if key is "".
func (n nodePlace) place(key string) text.Place {
	p := text.Place{Node: n.name, Object: n.object}
	if key != "" {
		p.Node += "." + key
	}
	return p
}
