package layout

import (
	"encoding/hex"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/text"
)

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
		t.value(p, &text.Error{Want: "a number from 0 to 255", Got: strconv.FormatInt(v, 10), Err: fault.ErrFormat, Wrong: true})
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

// string returns the string of a line with a key, or of the marked line with it.
func (t *textReader) string(n *text.Node, key string) string {
	if s, ok := n.Get(key); ok {
		return s
	}
	p := n.Property(mark + key)
	if p == nil {
		return ""
	}
	t.reads(p)
	units, err := hex.DecodeString(p.Value)
	if err != nil || len(units)%2 != 0 {
		t.fail(fault.ErrFormat, "UTF-16 units in hexadecimal after "+p.Key, strconv.Quote(p.Value))
	}
	return bin.DecodeUTF16(units)
}

func (t *textReader) logic(n *text.Node) *LogicGroup {
	g := new(LogicGroup)
	t.only(n, "a logic group", nil, []string{"LOGICOBJECT"})
	for on := range n.Nodes("LOGICOBJECT") {
		t.only(on, "a node of a logic group", []string{"ID", "OBJECTID", "X", "Y"}, []string{"LOGICLINK"})
		o := LogicObject{
			ID:       t.uint8(on.Property("ID")),
			ObjectID: t.int64(on.Property("OBJECTID")),
			X:        t.float(on.Property("X")),
			Y:        t.float(on.Property("Y")),
		}
		for ln := range on.Nodes("LOGICLINK") {
			t.only(ln, "a link of a logic group", []string{"LINKINGTO", "OUTPUTNAME", "INPUTNAME", mark + "OUTPUTNAME", mark + "INPUTNAME"}, nil)
			o.Links = append(o.Links, LogicLink{
				To:     t.uint8(ln.Property("LINKINGTO")),
				Output: t.string(ln, "OUTPUTNAME"),
				Input:  t.string(ln, "INPUTNAME"),
			})
		}
		g.Objects = append(g.Objects, o)
	}
	return g
}

func (t *textReader) timeline(n *text.Node) *Timeline {
	line := new(Timeline)
	t.only(n, "a timeline", []string{"ID"}, []string{"TIMELINEOBJECT"})
	for on := range n.Nodes("TIMELINEOBJECT") {
		t.only(on, "an object of a timeline", []string{"OBJECTID"}, []string{"TIMELINEOBJECTPROPERTY", "TIMELINEOBJECTEVENT"})
		o := TimelineObject{ObjectID: t.int64(on.Property("OBJECTID"))}
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
	keys := []string{"OBJECTPROPERTYNAME", "OBJECTEVENTNAME", mark + "OBJECTPROPERTYNAME", mark + "OBJECTEVENTNAME"}
	t.only(n, "a track of a timeline", keys, []string{"TIMELINEPOINT"})
	track := Track{Property: t.string(n, "OBJECTPROPERTYNAME"), Event: t.string(n, "OBJECTEVENTNAME")}
	keys = []string{"TIMEPERCENT", "INTERPOLATION", "VALUE", mark + "VALUE"}
	if track.Event != "" {
		keys = keys[:2]
	}
	for pn := range n.Nodes("TIMELINEPOINT") {
		t.only(pn, "a point of a timeline", keys, nil)
		p := Point{Time: t.float(pn.Property("TIMEPERCENT"))}
		if how := pn.Property("INTERPOLATION"); how != nil {
			var known bool
			if p.Interpolation, known = interpolations.index(how.Value); !known {
				t.value(how, &text.Error{Want: "the name of an interpolation, such as " + interpolations[0],
					Got: strconv.Quote(how.Value) + ", read as " +
						interpolations.name(p.Interpolation), Err: fault.ErrFormat})
			}
		}
		if track.Event == "" {
			p.Value = t.string(pn, "VALUE")
		}
		track.Points = append(track.Points, p)
	}
	return track
}
