package worldscene

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worlddraw"
)

// Limits of the length of a value and of an inventory.
const (
	maxValue = 4 << 10
	maxSlots = 1 << 10
	maxKept  = 500 // values of a node or a player
	rowSlots = 8   // of a list without a width
)

// facts is a list of facts, in order.
type facts []format.InfoField

func (f *facts) add(key, label string, value any) {
	if text, ok := value.(string); ok {
		value = readable(text)
	}
	*f = append(*f, format.Fact(key, label, value))
}

// readable converts values of mods to valid text, and shortens them if they are too long for a page.
func readable(s string) string {
	return words.Cut(strings.ToValidUTF8(s, "\uFFFD"), maxValue)
}

// xyz formats the position of a node.
func xyz(p [3]int) string { return fmt.Sprintf("%d,%d,%d", p[0], p[1], p[2]) }

// exact formats a position between nodes.
func exact(p [3]float64) string { return fmt.Sprintf("%.2f,%.2f,%.2f", p[0], p[1], p[2]) }

// layer returns name, or "" if the view has no layers to choose from.
func (in *inspection) layer(name string) string {
	if v, _ := format.ViewOf(in.s.views, in.look.View); v.Layers == nil {
		return ""
	}
	return name
}

// link returns a link to a node of the world.
func (in *inspection) link(title string, at [3]int) format.Link {
	return format.Link{Title: title, At: in.view.Point([3]float64{float64(at[0]), float64(at[1]), float64(at[2])})}
}

// nodeThing describes a node, or several equal nodes behind each other.
func (in *inspection) nodeThing(r *run) format.Thing {
	n := r.node
	index := indexOf(n.pos)
	t := format.Thing{
		Title: n.name + " at " + xyz(n.pos), Layer: in.layer(layerNodes), Place: place.At(n.pos),
		Line: n.line(worlddir.SectionNodes, index), Bytes: n.bytesOf(index),
	}
	if n.name == "" {
		t.Title = "a node without a name at " + xyz(n.pos)
	}
	if r.n > 1 {
		t.Title += fmt.Sprintf(" and %d more up to %s", r.n-1, xyz(r.last))
	}
	var f facts
	f.add("node", "node", n.name)
	if r.hidden {
		f.add("drawn", "in the picture", "hidden")
	} else {
		f.add("drawn", "in the picture", partNames[r.part])
	}
	if c, ok := in.s.colors.Color(n.name); ok && c.A > 0 {
		if p := in.s.colors.Palette(n.name); p != nil {
			c = p[n.param2]
		}
		f.add("color", "colour", c.NRGBA())
	}
	id, _ := n.b.ID(index)
	f.add("id", "id in the block", int(id))
	def := in.s.definition(n.name)
	f.add("param1", "param1", int(n.param1))
	if def == nil || def.ParamType == "light" {
		f.add("light", "light", fmt.Sprintf("%d by day, %d by night, of 15", n.param1&15, n.param1>>4))
	}
	f.add("param2", "param2", int(n.param2))
	if def != nil {
		if means := turn.Describe(def.ParamType2, n.param2); means != "" {
			f.add("param2Means", "param2 means", means)
		}
	}
	if timer := n.timer(index); timer != nil {
		f.add("timer", "timer", fmt.Sprintf("%g of %g seconds have passed", float64(timer.Elapsed)/1000, float64(timer.Timeout)/1000))
	}
	if m := n.b.Metadata.At(index); m != nil {
		t.Line = n.line(worlddir.SectionMeta, index)
		f.metadata(m)
		if marker, ok := worlddraw.MarkerOf(in.s.rules, n.name, m); ok {
			f.add("marker", marker.Kind, marker.Label)
		}
	}
	t.Facts = f
	return t
}

// definition returns the definition of a node, or nil if it is unknown.
func (s *worldScene) definition(name string) *nodedef.Node {
	if def := s.colors.Nodes[name]; def != nil {
		return def
	}
	return nodedef.MinetestGame()[name]
}

// metadata adds the metadata of a node.
func (f *facts) metadata(m *mapblock.NodeMeta) {
	vars, inventory := m.Vars, m.Inventory
	var fields facts
	if m.Legacy != nil {
		c, err := m.Legacy.Content()
		if err != nil {
			f.add("metadata", "metadata", "cannot be read: "+err.Error())
			return
		}
		for _, v := range []struct{ key, value string }{{"text", c.Text}, {"owner", c.Owner}, {"infotext", c.InfoText}} {
			if v.value != "" {
				fields.add(v.key, v.key, v.value)
			}
		}
		vars, inventory = c.Vars, c.Inventory
	}
	for _, v := range vars {
		label := readable(v.Key)
		if v.IsPrivate() {
			label += " (private)"
		}
		fields.add(v.Key, label, v.Value)
	}
	f.kept("metadata", "metadata", fields)
	inv, err := item.SalvageInventory(inventory)
	if err != nil && len(inventory) > 0 {
		f.add("inventoryDamage", "inventory", "cannot be read in full: "+err.Error())
	}
	f.inventory(inv)
}

// kept adds the values of mods, if there are any.
func (f *facts) kept(key, label string, all facts) {
	if n := len(all); n > maxKept {
		all = all[:maxKept]
		all.add("more", "more", words.Count(n-maxKept, "value"))
	}
	if len(all) > 0 {
		f.add(key, label, []format.InfoField(all))
	}
}

// inventory adds the lists of an inventory.
func (f *facts) inventory(inv *item.Inventory) {
	if inv == nil {
		return
	}
	for i := range inv.Lists {
		l := &inv.Lists[i]
		slots := format.Slots{Width: l.Width, Items: make([]string, min(max(l.Size, len(l.Items)), maxSlots))}
		if slots.Width <= 0 || slots.Width > maxSlots {
			slots.Width = rowSlots
		}
		some := 0
		for k, slot := range l.Items {
			if !slot.Empty() {
				some++
				if k < len(slots.Items) {
					slots.Items[k] = readable(slot.String())
				}
			}
		}
		f.add("list."+l.Name, fmt.Sprintf("list %s, %d of %d in use", readable(l.Name), some, l.Size), slots)
	}
}

// objectThing describes an object.
func (s *worldScene) objectThing(o *openBlock, i int, object *worldquery.Object) format.Thing {
	t := format.Thing{Title: fmt.Sprintf("%s at %s", readable(object.Name), exact(object.Pos)), Place: object.At, Line: o.line("", 0)}
	for _, p := range o.parts {
		if p.Section == worlddir.SectionObjects && p.Index == i {
			t.Line.Line = p.Line
		}
	}
	var f facts
	f.add("object", "object", object.Name)
	if object.Item != "" {
		t.Title = fmt.Sprintf("%s, dropped at %s", readable(object.Item), exact(object.Pos))
		f.add("item", "item", object.Item)
	}
	f.add("position", "position", exact(object.Pos))
	if e, err := o.b.Objects.List[i].LuaEntity(); err == nil && o.b.Objects.List[i].Type == mapblock.ObjectLuaEntity {
		f.add("hp", "hit points", int(e.HP))
		if e.Velocity != [3]int32{} {
			f.add("velocity", "velocity in nodes a second",
				exact([3]float64{float64(e.Velocity[0]) / 10000, float64(e.Velocity[1]) / 10000, float64(e.Velocity[2]) / 10000}))
		}
		f.add("yaw", "yaw in degrees", fmt.Sprintf("%g", float64(e.Yaw)/1000))
	}
	if object.Data != "" {
		f.add("data", "data", object.Data)
	}
	t.Facts = f
	return t
}

// blockThing describes a block.
func (s *worldScene) blockThing(o *openBlock) format.Thing {
	at := place.Block(o.pos.X, o.pos.Y, o.pos.Z)
	path := dumpPath(o.pos)
	t := format.Thing{
		Title: at.String(), Place: at, Line: check.Line{Path: worlddir.BlockPath(o.pos), Line: 1},
		Bytes: format.Bytes{Path: path, Space: path, Len: int64(len(o.data))},
	}
	var f facts
	f.add("position", "position in blocks", path)
	if o.err != nil {
		t.Title += " cannot be read"
		f.add("damage", "damage", o.err.Error())
	}
	f.add("size", "bytes in the store", len(o.data))
	if b := o.b; b != nil {
		f.add("version", "version", b.Version)
		f.add("flags", "flags", b.Flags.String())
		f.add("generated", "generated", b.IsGenerated())
		if b.Version >= 27 {
			complete := fmt.Sprintf("%#04x", b.LightingComplete)
			if b.LightingComplete == mapblock.AllLit {
				complete = "in all directions"
			}
			f.add("lightingComplete", "light is complete", complete)
		}
		if b.Version >= 17 {
			stamp := "unknown"
			if b.Timestamp != mapblock.NoTimestamp {
				stamp = fmt.Sprintf("%s of game time", words.Count(b.Timestamp, "second"))
			}
			f.add("timestamp", "saved at", stamp)
		}
		f.add("names", "kinds of nodes", len(o.nodes.Names))
		f.add("withMetadata", "nodes with metadata", len(b.Metadata.List))
		f.add("timers", "timers", len(b.Timers.List))
		f.add("objects", "objects", len(b.Objects.List))
	}
	t.Facts = f
	return t
}

// areaThing describes a protected area.
func (in *inspection) areaThing(a *protect.Area) format.Thing {
	var f facts
	f.add("id", "number", a.ID)
	f.add("name", "name", a.Name)
	f.add("owner", "owner", a.Owner)
	f.add("from", "from", xyz(a.Min))
	f.add("to", "to", xyz(a.Max))
	if a.Parent != 0 {
		f.add("parent", "part of area", a.Parent)
	}
	f.add("open", "open to everyone", a.Open)
	if len(a.Factions) > 0 {
		f.add("factions", "factions", a.Factions)
	}
	title := fmt.Sprintf("area %d of %s", a.ID, readable(a.Owner))
	return format.Thing{
		Title: title, Place: check.File(protect.AreasFile), Facts: f,
		Links: []format.Link{in.link("the corner "+xyz(a.Min)+" of "+title, a.Min), in.link("the corner "+xyz(a.Max)+" of "+title, a.Max)},
	}
}

// protectorThing describes a protector that has a node in its range.
func (in *inspection) protectorThing(o *openBlock, p *protect.Protector) format.Thing {
	var f facts
	f.add("node", "node", p.Node)
	f.add("owner", "owner", p.Owner)
	if len(p.Members) > 0 {
		f.add("members", "other players that may build", p.Members)
	}
	if p.Needs != "" {
		f.add("needs", "or players with", p.Needs)
	}
	return format.Thing{
		Title: fmt.Sprintf("protected by %s at %s", readable(p.Owner), xyz(p.Pos)), Place: place.At(p.Pos),
		Line: o.line(worlddir.SectionMeta, indexOf(p.Pos)), Facts: f,
		Links: []format.Link{in.link("the protector at "+xyz(p.Pos), p.Pos)},
	}
}

// markThing describes a player or a marker.
func (in *inspection) markThing(layer string, m *worlddraw.Marker, at [2]float64) (t format.Thing, err error) {
	node := worldquery.NodeOf(m.Pos)
	t = format.Thing{Title: fmt.Sprintf("%s %s at %s", m.Kind, m.Label, xyz(node)), Layer: layer, Place: place.At(node)}
	t.Links = []format.Link{{Title: t.Title, At: at}}
	var f facts
	if layer == layerMarkers {
		o, err := in.block(blockOf(node))
		if err != nil {
			return t, err
		}
		if o != nil && o.b != nil {
			t.Line = o.line(worlddir.SectionMeta, indexOf(node))
			f.add("node", "node", o.node(node).name)
		}
		f.add("marker", m.Kind, m.Label)
		t.Facts = f
		return t, nil
	}
	t.Place, t.Line = place.Player(m.Label), check.Line{Path: worlddir.PlayerPath(m.Label), Line: 1}
	f.add("name", "name", m.Label)
	f.add("position", "last position", exact(m.Pos))
	p, err := in.s.world.player(in.ctx, m.Label)
	switch {
	case errors.Is(err, world.ErrNotFound):
	case world.Failed(err) || in.ctx.Err() != nil:
		return t, err
	case err != nil:
		f.add("damage", "damage", err.Error())
	default:
		f.add("hp", "hit points", p.HP)
		f.add("breath", "breath", p.Breath)
		f.add("yaw", "yaw in degrees", fmt.Sprintf("%.1f", p.Yaw))
		if !p.Modified.IsZero() {
			f.add("modified", "saved", p.Modified.Format(time.DateTime))
		}
		var kept facts
		for _, a := range p.Attributes {
			kept.add(a.Key, readable(a.Key), a.Value)
		}
		f.kept("attributes", "attributes set by mods", kept)
		f.inventory(p.Inventory)
	}
	t.Facts = f
	return t, nil
}

// player reads a player.
func (w *sharedWorld) player(ctx context.Context, name string) (*world.Player, error) {
	store, err := world.OpenPlayers(ctx, w.dir, w.settings, world.Options{Remote: w.remote})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return store.Get(ctx, name)
}
