package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// Catalog lists the findings that Check and CheckText can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-layout-unreadable", check.Error,
		"The layout cannot be read.",
		"Restore the file, or compile the layout again from its text.")
	foundSpare = Catalog.Add("tl-layout-spare", check.Warning,
		"The compiled layout has bytes that belong to no field.",
		"Compile the layout again from its text.")
	foundEmpty = Catalog.Add("tl-layout-empty-object", check.Warning,
		"An object has neither a kind nor properties.",
		"Remove the object from the text, and compile again.")
	foundObject = Catalog.Add("tl-layout-unknown-object", check.Warning,
		"An object has an unknown kind.",
		"Correct DESCRIPTOR; if the game has this kind, please report it to Trowel.")
	foundProperty = Catalog.Add("tl-layout-unknown-property", check.Warning,
		"An object has a property that its kind does not have; in texts, the game ignores it.",
		"Correct the name, or remove the line.")
	foundValue = Catalog.Add("tl-layout-value", check.Warning,
		"The value of a property does not fit the type of the property.",
		"Set the property again in the text, and compile again.")
	foundDuplicate = Catalog.Add("tl-layout-duplicate-id", check.Warning,
		"Two objects of the layout have the same id; links by id reach only one of them.",
		"Give one of them a new ID.")
	foundExtra = Catalog.Add("tl-layout-extra", check.Error,
		"The logic or timeline of an object cannot be read, or its kind must not have one.",
		"Compile the layout again from its text.")
	foundLogicEnd = Catalog.Add("tl-layout-logic-end", check.Error,
		"The offsets in a logic group do not match the ends of its nodes.",
		"Compile the layout again from its text.")
	foundLink = Catalog.Add("tl-layout-logic-link", check.Warning,
		"A link of a logic group refers to a missing node.",
		"Remove the link, or set LINKINGTO to the ID of a node.")
	foundTarget = Catalog.Add("tl-layout-missing-object", check.Warning,
		"A logic group or timeline refers to an object that is not in the layout.",
		"Remove that part, or set OBJECTID to the ID of an object.")
	foundTimeline = Catalog.Add("tl-layout-timeline", check.Warning,
		"A timeline has a track with the names of both a property and an event, or of neither, an unknown interpolation, or a time "+
			"outside of 0 to 1.",
		"Correct the track in the text, and compile again.")
	foundGroups = Catalog.Add("tl-layout-groups", check.Error,
		"The tree of groups, from which the game chooses objects, does not match the objects.",
		"Compile the layout again from its text.")
	foundFlag = Catalog.Add("tl-layout-group-flag", check.Info,
		"A byte of a group that must be 0 or 1 has another value; some editors do not initialize it.",
		"Nothing to do; to clean the value, compile the layout again from its text.")
	foundCount = Catalog.Add("tl-layout-count", check.Info,
		"COUNT is not the number of objects.",
		"Set COUNT to the number of objects; compiling ignores it.")
	foundParent = Catalog.Add("tl-layout-parent", check.Warning,
		"PARENTID is not the id of the parent object, or -1 without a parent.",
		"Set PARENTID to that ID; compiling uses the nesting instead.")
	foundTag = Catalog.Add("tl-layout-unknown-tag", check.Warning,
		"TAG is not the name of a feature tag; the value is not compiled.",
		"Correct the name, or write the number of the tag.")
	foundWrong = Catalog.Add("tl-layout-text-number", check.Error,
		"A value in the text of a layout is not a valid number or truth value of its type: `pack` rejects the text.",
		"Correct the value. If a spreadsheet wrote 5.14E+18, restore the whole number.")
	foundText = Catalog.Add("tl-layout-text-value", check.Warning,
		"A value in the text of a layout is invalid in its place, so another value is compiled.",
		"Correct the value.")
	foundLeftOut = Catalog.Add("tl-layout-left-out", check.Warning,
		"A part or line in the text of a layout belongs to no object: it is not compiled.",
		"Correct its name, or remove it.")
	foundMark = Catalog.Add("tl-layout-marked", check.Info,
		"The text has a marked line, which only Trowel understands.",
		"Nothing to do, unless you open the text in the editor, which ignores that line.")
)

// Check reports problems that are visible in a compiled layout alone. Check returns the layout, or nil if it cannot be decoded.
func Check(data []byte, sink check.Sink) *File {
	f, err := Decode(data)
	if err != nil {
		unreadable(sink, err)
		return nil
	}
	f.check(sink)
	return f
}

func unreadable(sink check.Sink, err error) {
	if text.ReportErrors(foundUnreadable, err, sink) {
		return
	}
	sink.Add(foundUnreadable, "", fault.OffsetOf(err), "the layout cannot be read: %v", err)
}

type checker struct {
	check.Sink
	ids   map[int64]*Object
	nodes map[*Object]*Group
}

func (f *File) check(sink check.Sink) {
	c := checker{sink, make(map[int64]*Object), f.Groups.byObject()}
	for o := range f.All() {
		if first, ok := c.ids[o.ID]; ok && !o.Empty {
			c.add(foundDuplicate, o, "%q has the id %d of %q", o.Title(), o.ID, first.Title())
		} else if !o.Empty {
			c.ids[o.ID] = o
		}
	}
	for o := range f.All() {
		c.object(o)
	}
	c.groups(f)
	if n := len(f.spare.objects) + len(f.spare.end); n > 0 {
		sink.Add(foundSpare, "", -1, "%s of the file without a field", words.Count(n, "byte"))
	}
}

func (c *checker) add(k *check.Kind, o *Object, format string, args ...any) {
	at := o.at
	if at == 0 {
		at = -1 // the objects were not read from a file
	}
	c.Sink.AddAt(k, atObject(o.ID), fmt.Sprintf("object %d", o.ID), at, format, args...)
}

func atObject(id int64) []check.Place { return []check.Place{text.Place{Object: id}} }

func (c *checker) object(o *Object) {
	if o.Empty {
		c.add(foundEmpty, o, "an object has a length of 0")
		return
	}
	desc := DescriptorOf(o.Descriptor)
	if desc == nil {
		c.add(foundObject, o, "%q has the unknown kind %d", o.Name, o.Descriptor)
	}
	for _, p := range o.Properties {
		info := desc.Property(p.Code)
		switch {
		case desc == nil:
		case info == nil:
			c.add(foundProperty, o, "%s has no property of code %d", desc.Name, p.Code)
		case !p.fitsKind(info.Kind):
			c.add(foundValue, o, "the %d bytes of %s are not a value of type %v", len(p.Data), info.Name, info.Kind)
		}
	}
	switch x := o.Extra.(type) {
	case RawExtra:
		c.add(foundExtra, o, "%q has an extra part of %d bytes that cannot be read", o.Title(), len(x))
	case *LogicGroup:
		c.logic(o, x)
	case *Timeline:
		for _, t := range x.Objects {
			c.target(o, t.ObjectID)
			for _, track := range t.Tracks {
				c.track(o, &track)
			}
		}
	}
}

func (c *checker) track(o *Object, t *Track) {
	switch {
	case t.Property != "" && t.Event != "":
		c.add(foundTimeline, o, "a track of %q has both the property %q and the event %q", o.Title(), t.Property, t.Event)
	case t.Property == "" && t.Event == "":
		c.add(foundTimeline, o, "a track of %q has the name of neither a property nor an event", o.Title())
	}
	name := cmp.Or(t.Property, t.Event)
	for i, p := range t.Points {
		if int(p.Interpolation) >= len(interpolations) {
			c.add(foundTimeline, o, "point %d of the track %q has the interpolation %d, expected 0 to %d", i+1, name, p.Interpolation,
				len(interpolations)-1)
		}
		if !(p.Time >= 0 && p.Time <= 1) {
			c.add(foundTimeline, o, "point %d of the track %q has the time %v, expected 0 to 1", i+1, name, p.Time)
		}
	}
}

func (c *checker) target(o *Object, id int64) {
	if c.ids[id] == nil {
		c.add(foundTarget, o, "%q acts on object %d, which is not in the layout", o.Title(), id)
	}
}

func (c *checker) logic(o *Object, g *LogicGroup) {
	if g.badEnd {
		c.add(foundLogicEnd, o, "the logic group %q has wrong offsets", o.Title())
	}
	var there [256]bool
	for _, n := range g.Objects {
		there[n.ID] = true
	}
	for _, n := range g.Objects {
		c.target(o, n.ObjectID)
		for _, l := range n.Links {
			if !there[l.To] {
				c.add(foundLink, o, "%s of node %d in %q refers to the missing node %d", strconv.Quote(l.Output), n.ID, o.Title(), l.To)
			}
		}
	}
}

// groups compares the tree of groups with the objects.
func (c *checker) groups(f *File) {
	want := arrange(f.Objects, newGroup)
	switch {
	case f.Groups == nil && want == nil:
	case f.Groups == nil:
		c.Sink.Add(foundGroups, "", -1, "there are objects of kind Group, but no tree of groups")
	case want == nil:
		c.Sink.Add(foundGroups, "", -1, "there is a tree of groups, but no object of kind Group")
	case !sameShape(f.Groups, want):
		c.Sink.Add(foundGroups, "", -1, "the tree of groups does not match the objects of kind Group")
	}
	for o := range f.All() {
		if g := c.nodes[o]; g != nil && (g.NoTagFound > 1 || g.LevelUnique > 1) {
			c.add(foundFlag, o, "NO TAG FOUND is %d and LEVEL UNIQUE %d", g.NoTagFound, g.LevelUnique)
		}
	}
}

func sameShape(a, b *Group) bool {
	return a.ID == b.ID && a.Object == b.Object && slices.EqualFunc(a.Children, b.Children, sameShape)
}

// CheckText reports problems that are visible in the text of a layout alone, as Check does for the compiled form.
func CheckText(form []byte, sink check.Sink) {
	t, lines, err := text.ParseLines(form)
	if err != nil {
		unreadable(sink, err)
		return
	}
	type problem struct {
		kind *check.Kind
		*text.Error
	}
	var problems []problem
	f, _, err := readText(form, nil, func(k *check.Kind, _ text.Item, e *text.Error) { problems = append(problems, problem{k, e}) })
	if err != nil {
		unreadable(sink, err)
		return
	}
	for _, p := range problems {
		if p.Line > 0 { // the lines are known
			at := check.Line{Line: p.Line}
			sink.AddAt(p.kind, []check.Place{at}, fmt.Sprintf("line %d", p.Line), -1, "%s", p.Problem())
		}
	}
	c := textChecker{sink, lines}
	f.check(c.atLines(t.Root))
	if p := t.Root.Property("COUNT"); p != nil {
		if n, _ := text.ParseUint(p.Value); int64(n) != int64(f.count()) {
			c.add(foundCount, p, "COUNT is %s, the layout has %s", p.Value, words.Count(f.count(), "object"))
		}
	}
	for n := range t.Root.Nodes("OBJECTS") {
		c.objects(n, -1)
	}
}

type textChecker struct {
	sink  check.Sink
	lines map[text.Item]int
}

func (c *textChecker) add(k *check.Kind, it text.Item, format string, args ...any) {
	line := c.lines[it]
	c.sink.AddAt(k, []check.Place{check.Line{Line: line}}, fmt.Sprintf("line %d", line), -1, format, args...)
}

// atLines returns a sink that adds the lines of objects to findings about them.
func (c *textChecker) atLines(root *text.Node) check.Sink {
	lines := make(map[int64]int)
	for n := range root.All() {
		if id := n.Int64("ID"); strings.EqualFold(n.Name, "PROPERTIES") && lines[id] == 0 {
			lines[id] = c.lines[n]
		}
	}
	return func(f check.Finding) {
		for _, at := range f.At {
			if p, ok := at.(text.Place); ok && lines[p.Object] > 0 {
				f.At = append(f.At, check.Line{Line: lines[p.Object]})
				f.Path = fmt.Sprintf("line %d", lines[p.Object])
			}
		}
		c.sink(f)
	}
}

// objects checks the objects of a text. FromText has read the text already, so it is not nested too deep.
func (c *textChecker) objects(parent *text.Node, parentID int64) {
	for n := range parent.Nodes("BASEOBJECT") {
		id := parentID
		if p := n.Child("PROPERTIES"); p != nil {
			id = p.Int64("ID")
			c.properties(p, parentID)
		}
		for children := range n.Nodes("CHILDREN") {
			c.objects(children, id)
		}
	}
}

func (c *textChecker) properties(n *text.Node, parentID int64) {
	inParent := false // whether the first PARENTID was seen
	for p := range n.Properties() {
		switch key := strings.ToUpper(p.Key); {
		case strings.HasPrefix(key, mark):
			c.add(foundMark, p, "only Trowel understands the line of %s", p.Key)
		case key == "PARENTID":
			if v, _ := text.ParseInt64(p.Value); v != parentID && !inParent {
				c.add(foundParent, p, "PARENTID is %s, the parent of the object is %d", p.Value, parentID)
			}
			inParent = true
		}
	}
	for part := range n.All() {
		for p := range part.Properties() {
			if part != n && strings.HasPrefix(p.Key, mark) {
				c.add(foundMark, p, "only Trowel understands the line of %s", p.Key)
			}
		}
	}
}
