package layout

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/text"
)

// Options control how a layout is converted to text and back.
type Options struct {
	Path   string          // of the text in the game's tree, for example "MEDIA/UI/X.LAYOUT"; gives the name of the root if no object does
	Floats text.FloatStyle // the format of numbers

	FormOnly bool // Decompile computes no residue, which takes most of its time

	// Warn receives items that Compile leaves out, or interprets differently from their spelling. If Warn is nil, they
	// are errors. Numbers out of range always are.
	Warn func(*text.Error)
}

// roots are the names of the root by the folder of the layout.
var roots = []struct{ folder, name string }{
	{"MEDIA/UI/", "UI"},
	{"MEDIA/SKILLTREE", "UI"},
	{"MEDIA/PARTICLES/", "Particle Creator"},
}

// rootName returns the name that the editor gives to the root of the layout's text, which the compiled file does not
// contain. It follows from kinds of objects that occur only in menus or only in particle effects, or else from the
// folder.
func (f *File) rootName(path string) string {
	for o := range f.All() {
		if d := DescriptorOf(o.Descriptor); d != nil && !o.Empty {
			if name := rootOf(d); name != "" {
				return name
			}
		}
	}
	path = strings.ToUpper(strings.ReplaceAll(path, `\`, "/"))
	for _, r := range roots {
		if strings.HasPrefix(path, r.folder) || strings.Contains(path, "/"+r.folder) {
			return r.name
		}
	}
	return "Layout"
}

// rootOf returns the root of the only layouts in which a kind of object can occur, or "" if it can occur in any.
// (Levels open menus and show messages, too.)
func rootOf(d *Descriptor) string {
	switch d.Category {
	case "UI", "UI Controllers", "UI Network Controllers":
		return "UI"
	case "Particles", "Emitter", "Affectors":
		return "Particle Creator"
	}
	if d.Name == "Menu Definition" {
		return "UI"
	}
	return ""
}

// Text returns the text form of the layout, as the editor writes it.
func (f *File) Text(o Options) *text.Node {
	t := textWriter{style: o.Floats, groups: f.Groups.byObject()}
	root := &text.Node{Name: f.rootName(o.Path)}
	root.Add(text.Integer, "VERSION", strconv.Itoa(Version))
	root.Add(text.Unsigned, "COUNT", strconv.Itoa(f.count()))
	t.objects(root.AddNode("OBJECTS"), f.Objects, -1)
	return root
}

// TextOf returns the [PROPERTIES] of an object of the layout in its text form. The parent is the ID of the object that
// contains it, or -1.
func (f *File) TextOf(o *Object, parent int64, style text.FloatStyle) *text.Node {
	t := textWriter{style: style, groups: f.Groups.byObject()}
	n := &text.Node{Name: "PROPERTIES"}
	t.properties(n, o, parent)
	return n
}

// Lines returns the lines, from 1, at which the [PROPERTIES] of the objects in a text begin, in the order of [File.All]
// of the compiled layout.
func Lines(form []byte) ([]int, error) {
	t, at, err := text.ParseLines(form)
	if err != nil {
		return nil, err
	}
	var lines []int
	var visit func(parent *text.Node)
	visit = func(parent *text.Node) {
		for n := range parent.Nodes("BASEOBJECT") {
			line := at[n]
			if p := n.Child("PROPERTIES"); p != nil {
				line = at[p]
			}
			lines = append(lines, line)
			for c := range n.Nodes("CHILDREN") {
				visit(c)
			}
		}
	}
	for n := range t.Root.Nodes("OBJECTS") {
		visit(n)
	}
	return lines, nil
}

// count returns the number of objects.
func (f *File) count() int {
	n := 0
	for range f.All() {
		n++
	}
	return n
}

type textWriter struct {
	style  text.FloatStyle
	groups map[*Object]*Group
}

func (t *textWriter) objects(parent *text.Node, list []*Object, parentID int64) {
	parent.Items = slices.Grow(parent.Items, len(list))
	for _, o := range list {
		n := parent.AddNode("BASEOBJECT")
		if o.Empty {
			continue
		}
		t.properties(n.AddNode("PROPERTIES"), o, parentID)
		t.objects(n.AddNode("CHILDREN"), o.Children, o.ID)
	}
}

func (t *textWriter) properties(n *text.Node, o *Object, parentID int64) {
	n.Items = make([]text.Item, 0, 5+len(o.Properties))
	desc := DescriptorOf(o.Descriptor)
	if desc != nil {
		n.Add(text.String, "DESCRIPTOR", desc.Name)
	} else {
		n.Add(text.String, "DESCRIPTOR", mark+strconv.Itoa(int(o.Descriptor)))
	}
	addString(n, "NAME", o.Title())
	n.Add(text.Integer64, "ID", strconv.FormatInt(o.ID, 10))
	n.Add(text.Integer64, "PARENTID", strconv.FormatInt(parentID, 10))
	g := t.groups[o]
	if g != nil {
		o.addGroup(n, g)
	}
	for _, p := range o.Properties {
		info := desc.Property(p.Code)
		if info != nil && !p.ownLine(o, info) {
			info = nil
		}
		p.addTo(n, info, t.style)
	}
	if g != nil {
		o.addGroupMarked(n, g)
	}
	t.extra(n, o)
}

// ownLine reports whether a line with the property's name means the property with this value, and nothing else.
func (p Property) ownLine(o *Object, info *PropertyInfo) bool {
	switch {
	case leftOut(info, p.Data):
		return false
	case info.Name == "NAME":
		// The editor writes the name of the object into this line.
		s, _ := p.Text()
		return s == o.Title()
	case o.Descriptor == groupCode:
		i := groupFieldNamed(info.Name)
		return i < 0 || groupFields[i].place != forTree
	}
	return true
}

func (t *textWriter) float(n *text.Node, key string, v float32) {
	n.Add(text.Float, key, text.FormatFloat(v, t.style))
}

func (t *textWriter) extra(n *text.Node, o *Object) {
	switch x := o.Extra.(type) {
	case RawExtra:
		n.Add(text.String, mark+"EXTRA", hex.EncodeToString(x))
	case *LogicGroup:
		t.logic(n.AddNode("LOGICGROUP"), x)
	case *Timeline:
		t.timeline(n.AddNode("TIMELINEDATA"), x, o.ID)
	}
}

func (t *textWriter) logic(n *text.Node, g *LogicGroup) {
	for _, o := range g.Objects {
		on := n.AddNode("LOGICOBJECT")
		on.Add(text.Unsigned, "ID", strconv.Itoa(int(o.ID)))
		on.Add(text.Integer64, "OBJECTID", strconv.FormatInt(o.ObjectID, 10))
		t.float(on, "X", o.X)
		t.float(on, "Y", o.Y)
		for _, l := range o.Links {
			ln := on.AddNode("LOGICLINK")
			ln.Add(text.Integer, "LINKINGTO", strconv.Itoa(int(l.To)))
			addString(ln, "OUTPUTNAME", l.Output)
			addString(ln, "INPUTNAME", l.Input)
		}
	}
}

func (t *textWriter) timeline(n *text.Node, line *Timeline, id int64) {
	n.Add(text.Integer64, "ID", strconv.FormatInt(id, 10))
	for _, o := range line.Objects {
		on := n.AddNode("TIMELINEOBJECT")
		on.Add(text.Integer64, "OBJECTID", strconv.FormatInt(o.ObjectID, 10))
		for _, track := range o.Tracks {
			t.track(on, &track)
		}
	}
}

func (t *textWriter) track(parent *text.Node, track *Track) {
	name := "TIMELINEOBJECTPROPERTY"
	if track.Event != "" {
		name = "TIMELINEOBJECTEVENT"
	}
	n := parent.AddNode(name)
	if track.Property != "" || track.Event == "" {
		addString(n, "OBJECTPROPERTYNAME", track.Property)
	}
	if track.Event != "" {
		addString(n, "OBJECTEVENTNAME", track.Event)
	}
	for _, p := range track.Points {
		pn := n.AddNode("TIMELINEPOINT")
		t.float(pn, "TIMEPERCENT", p.Time)
		pn.Add(text.String, "INTERPOLATION", interpolations.name(p.Interpolation))
		if track.Event == "" {
			addString(pn, "VALUE", p.Value)
		}
	}
}
