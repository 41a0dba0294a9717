package layout

import (
	"iter"
	"strings"

	"trowel.example/torchlight/text"
)

// nodes yields the nodes below n that have a name, ignoring case.
func nodes(n *text.Node, name string) iter.Seq[*text.Node] {
	return func(yield func(*text.Node) bool) {
		for c := range n.Children() {
			if strings.EqualFold(c.Name, name) && !yield(c) {
				return
			}
		}
	}
}

func getText(n *text.Node, key string) string {
	s, _ := n.Get(key)
	return s
}

func getInt64(n *text.Node, key string) int64 {
	v, _ := text.ParseInt64(getText(n, key))
	return v
}

func getFloat(n *text.Node, key string) float32 {
	v, _ := text.ParseFloat(getText(n, key))
	return v
}

func logicFromText(n *text.Node) *LogicGroup {
	g := new(LogicGroup)
	for on := range nodes(n, "LOGICOBJECT") {
		o := LogicObject{
			ID:       uint8(getInt64(on, "ID")),
			ObjectID: getInt64(on, "OBJECTID"),
			X:        getFloat(on, "X"),
			Y:        getFloat(on, "Y"),
		}
		for ln := range nodes(on, "LOGICLINK") {
			o.Links = append(o.Links, LogicLink{
				To:     uint8(getInt64(ln, "LINKINGTO")),
				Output: getText(ln, "OUTPUTNAME"),
				Input:  getText(ln, "INPUTNAME"),
			})
		}
		g.Objects = append(g.Objects, o)
	}
	return g
}

func timelineFromText(n *text.Node) *Timeline {
	t := new(Timeline)
	for on := range nodes(n, "TIMELINEOBJECT") {
		o := TimelineObject{ObjectID: getInt64(on, "OBJECTID")}
		for tn := range on.Children() {
			if strings.EqualFold(tn.Name, "TIMELINEOBJECTPROPERTY") || strings.EqualFold(tn.Name, "TIMELINEOBJECTEVENT") {
				o.Tracks = append(o.Tracks, trackFromText(tn))
			}
		}
		t.Objects = append(t.Objects, o)
	}
	return t
}

func trackFromText(n *text.Node) Track {
	t := Track{Property: getText(n, "OBJECTPROPERTYNAME"), Event: getText(n, "OBJECTEVENTNAME")}
	for pn := range nodes(n, "TIMELINEPOINT") {
		p := Point{Time: getFloat(pn, "TIMEPERCENT")}
		p.Interpolation, _ = interpolations.index(getText(pn, "INTERPOLATION"))
		if t.Event == "" {
			p.Value = getText(pn, "VALUE")
		}
		t.Points = append(t.Points, p)
	}
	return t
}
