package layout

import (
	"iter"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// nodes yields the direct children of n with a name, ignoring case.
func nodes(n *text.Node, name string) iter.Seq[*text.Node] {
	return func(yield func(*text.Node) bool) {
		for c := range n.Children() {
			if strings.EqualFold(c.Name, name) && !yield(c) {
				return
			}
		}
	}
}

// get returns the first property with a key, ignoring case, or nil.
func (t *textReader) get(n *text.Node, key string) *text.Property {
	for p := range n.Properties() {
		if strings.EqualFold(p.Key, key) {
			return p
		}
	}
	return nil
}

// int64 reads a number, and reports a value that is not a number.
func (t *textReader) int64(p *text.Property) int64 {
	if p == nil {
		return 0
	}
	v, clean := text.ParseInt64(p.Value)
	if !clean {
		t.value(p, (&text.Property{Type: text.Integer64, Value: p.Value}).Problem())
	}
	return v
}

// uint8 reads a number from 0 to 255.
func (t *textReader) uint8(p *text.Property) uint8 {
	v := t.int64(p)
	if v != int64(uint8(v)) {
		t.value(p, &text.Error{Want: "a number from 0 to 255", Got: strconv.FormatInt(v, 10), Err: fault.ErrLimit, Wrong: true})
	}
	return uint8(v)
}

func (t *textReader) float(p *text.Property) float32 {
	if p == nil {
		return 0
	}
	v, clean := text.ParseFloat(p.Value)
	if !clean {
		t.value(p, (&text.Property{Type: text.Float, Value: p.Value}).Problem())
	}
	return v
}

func getText(n *text.Node, key string) string {
	s, _ := n.Get(key)
	return s
}

func (t *textReader) logic(n *text.Node) *LogicGroup {
	g := new(LogicGroup)
	t.only(n, "a logic group", nil, []string{"LOGICOBJECT"})
	for on := range nodes(n, "LOGICOBJECT") {
		t.only(on, "a node of a logic group", []string{"ID", "OBJECTID", "X", "Y"}, []string{"LOGICLINK"})
		o := LogicObject{
			ID:       t.uint8(t.get(on, "ID")),
			ObjectID: t.int64(t.get(on, "OBJECTID")),
			X:        t.float(t.get(on, "X")),
			Y:        t.float(t.get(on, "Y")),
		}
		for ln := range nodes(on, "LOGICLINK") {
			t.only(ln, "a link of a logic group", []string{"LINKINGTO", "OUTPUTNAME", "INPUTNAME"}, nil)
			o.Links = append(o.Links, LogicLink{
				To:     t.uint8(t.get(ln, "LINKINGTO")),
				Output: getText(ln, "OUTPUTNAME"),
				Input:  getText(ln, "INPUTNAME"),
			})
		}
		g.Objects = append(g.Objects, o)
	}
	return g
}

func (t *textReader) timeline(n *text.Node) *Timeline {
	line := new(Timeline)
	t.only(n, "a timeline", []string{"ID"}, []string{"TIMELINEOBJECT"})
	for on := range nodes(n, "TIMELINEOBJECT") {
		t.only(on, "an object of a timeline", []string{"OBJECTID"}, []string{"TIMELINEOBJECTPROPERTY", "TIMELINEOBJECTEVENT"})
		o := TimelineObject{ObjectID: t.int64(t.get(on, "OBJECTID"))}
		for tn := range on.Children() {
			if strings.EqualFold(tn.Name, "TIMELINEOBJECTPROPERTY") || strings.EqualFold(tn.Name, "TIMELINEOBJECTEVENT") {
				o.Tracks = append(o.Tracks, t.track(tn))
			}
		}
		line.Objects = append(line.Objects, o)
	}
	return line
}

func (t *textReader) track(n *text.Node) Track {
	t.only(n, "a track of a timeline", []string{"OBJECTPROPERTYNAME", "OBJECTEVENTNAME"}, []string{"TIMELINEPOINT"})
	track := Track{Property: getText(n, "OBJECTPROPERTYNAME"), Event: getText(n, "OBJECTEVENTNAME")}
	keys := []string{"TIMEPERCENT", "INTERPOLATION", "VALUE"}
	if track.Event != "" {
		keys = keys[:2]
	}
	for pn := range nodes(n, "TIMELINEPOINT") {
		t.only(pn, "a point of a timeline", keys, nil)
		p := Point{Time: t.float(t.get(pn, "TIMEPERCENT"))}
		if how := t.get(pn, "INTERPOLATION"); how != nil {
			var known bool
			if p.Interpolation, known = interpolations.index(how.Value); !known {
				t.value(how, &text.Error{Want: "the name of an interpolation, such as " + interpolations[0],
					Got: strconv.Quote(how.Value) + ", read as " +
						interpolations.name(p.Interpolation), Err: fault.ErrFormat})
			}
		}
		if track.Event == "" {
			p.Value = getText(pn, "VALUE")
		}
		track.Points = append(track.Points, p)
	}
	return track
}
