package mapblock

import (
	"fmt"
	"slices"
	"strconv"

	"trowel.example/internal/text/words"
	"trowel.example/minetest/item"
)

// forms are the formspecs of nodes, which became a variable as well. Their syntax changed with block version 25.
type forms struct{ sign, chest, furnace string }

var (
	oldForms = forms{
		sign:    "hack:sign_text_input",
		chest:   "invsize[8,9;]" + listsChest,
		furnace: "invsize[8,9;]" + listsFurnace,
	}
	newForms = forms{
		sign:    "field[text;;${text}]",
		chest:   "size[8,9]" + listsChest,
		furnace: "size[8,9]" + listsFurnace,
	}
)

const (
	listsChest   = "list[current_name;main;0,0;8,4;]list[current_player;main;0,5;8,4;]"
	listsFurnace = "list[current_name;fuel;2,3;1,1;]list[current_name;src;2,1;1,1;]" +
		"list[current_name;dst;5,1;2,2;]list[current_player;main;0,5;8,4;]"
)

// formsOf returns the forms of a version.
func formsOf(version int) forms {
	if version < 25 {
		return oldForms
	}
	return newForms
}

// furnaceTimer returns the timer for a furnace that is converted from an old version.
func furnaceTimer(pos uint16) Timer { return Timer{Pos: pos, Timeout: 1000} }

// metadata converts the metadata if the versions have them in different forms.
func (c *converter) metadata() {
	from, to := &c.from.Metadata, &c.to.Metadata
	unread := from.Missing > 0 || len(from.Rest) > 0 || from.Raw != nil
	// Unreadable data keeps its meaning only in its present form.
	if unread && (c.across(23) || c.across(28) || c.to.Version >= 29) {
		c.lose(foundLostMeta, nil, "metadata", "%s and %s that cannot be read",
			words.Count(from.Missing, "entry"), words.Count(len(from.Rest)+len(from.Raw), "byte"))
		to.Missing, to.Rest, to.Raw = 0, nil, nil
	}
	to.List = make([]NodeMeta, 0, len(from.List))
	for i, e := range from.List {
		path := fmt.Sprintf("metadata.entries[%d]", i)
		ok := true
		if c.across(23) && c.to.Version >= 23 {
			e, ok = c.modernMeta(path, e)
		} else if c.across(23) {
			e, ok = c.antiqueMeta(path, e)
		}
		if ok && c.to.Version >= 29 { // other parts follow in the same stream
			e.Inventory = endedLine(e.Inventory)
		}
		if ok {
			to.List = append(to.List, c.publish(path, e))
		}
	}
	if c.across(23) || c.across(28) {
		to.Version = c.metaVersion()
	}
	if len(to.List) == 0 {
		to.List = nil
	}
}

// metaVersion returns the version that games write for the list.
func (c *converter) metaVersion() uint16 {
	switch {
	case c.to.Version <= 22:
		return 1
	case len(c.to.Metadata.List) == 0:
		return 0
	case c.to.Version <= 27:
		return 1
	}
	return 2
}

// publish clears the private mark of variables in versions without private variables.
func (c *converter) publish(path string, e NodeMeta) NodeMeta {
	if c.to.Version >= 28 {
		return e
	}
	e.Vars = slices.Clone(e.Vars)
	for i := range e.Vars {
		if e.Vars[i].IsPrivate() {
			c.lose(foundLostPrivate, node(e.Pos), path, "%q is private", e.Vars[i].Key)
		}
		e.Vars[i].Private = 0
	}
	return e
}

// modernMeta converts legacy metadata to variables.
func (c *converter) modernMeta(path string, e NodeMeta) (NodeMeta, bool) {
	vars, inventory, err := e.Legacy.modern(formsOf(c.to.Version))
	if err != nil {
		c.lose(foundLostMeta, node(e.Pos), path, "%v: %v", e.Legacy.ID, err)
		return e, c.all
	}
	if e.Legacy.ID == LegacyFurnace && c.to.Version >= 24 {
		c.to.Timers.List = append(slices.Clip(c.to.Timers.List), furnaceTimer(e.Pos))
	}
	return NodeMeta{Pos: e.Pos, Vars: vars, Inventory: inventory}, true
}

// modern returns the variables and the inventory that a game makes of the metadata. Variables with an empty value are
// omitted.
func (m *LegacyMeta) modern(forms forms) (vars []Var, inventory []byte, err error) {
	l, err := m.Content()
	if err != nil {
		return nil, nil, err
	}
	set := func(key, value string) {
		vars = slices.DeleteFunc(vars, func(v Var) bool { return v.Key == key })
		if value != "" {
			vars = append(vars, Var{Key: key, Value: value})
		}
	}
	rename := false
	switch m.ID {
	case LegacyGeneric:
		set("text", l.Text)
		set("owner", l.Owner)
		set("infotext", l.InfoText)
		set("formspec", l.DrawSpec)
		for _, v := range l.Vars {
			set(v.Key, v.Value)
		}
	case LegacySign:
		set("text", l.Text)
		set("infotext", `"`+l.Text+`"`)
		set("formspec", forms.sign)
		l.Inventory = emptyInventory
	case LegacyChest, LegacyChestLocked:
		set("owner", l.Owner)
		set("formspec", forms.chest)
		rename = true
	case LegacyFurnace:
		set("fuel_totaltime", tenths(l.FuelTotal))
		set("fuel_time", tenths(l.Fuel))
		set("src_time", tenths(l.Src))
		set("formspec", forms.furnace)
	}
	inventory, err = modernInventory(l.Inventory, rename, forms == oldForms)
	return vars, inventory, err
}

// tenths formats tenths of a second as seconds.
func tenths(n int) string { return strconv.FormatFloat(float64(float32(n)/10), 'g', 6, 32) }

// modernInventory returns the text of an inventory as current games write it, with item names instead of ids. If
// rename is set, the list "0" of a chest becomes "main". If old is set, lists get no width, which games of versions 23 and
// 24 do not read.
func modernInventory(text []byte, rename, old bool) ([]byte, error) {
	if len(text) == 0 {
		return emptyInventory, nil
	}
	inv, _, err := item.ParseInventory(text)
	if err != nil {
		return nil, err
	}
	for i := range inv.Lists {
		list := &inv.Lists[i]
		list.NoWidth = list.NoWidth && old
		for j := range list.Items {
			stack, err := list.Items[j].MigrateLegacy(LegacyName)
			if err != nil {
				return nil, err
			}
			list.Items[j].Stack = stack
		}
	}
	if list := inv.List("0"); rename && list != nil && inv.List("main") == nil {
		list.Name = "main"
	}
	return inv.Append(nil), nil
}

// LegacyName returns the name of a node id of versions 20 and 21, and whether the id has one.
func LegacyName(id uint16) (string, bool) {
	name, ok := legacyNames[id]
	return name, ok
}

// legacyOf maps node names to the ids of their legacy metadata.
var legacyOf = map[string]LegacyID{
	"default:sign_wall":    LegacySign,
	"default:chest":        LegacyChest,
	"default:chest_locked": LegacyChestLocked,
	"default:furnace":      LegacyFurnace,
}

// antiqueMeta looks for a legacy form from which the variables can be restored. Versions up to 20 have legacy forms
// for four nodes only.
func (c *converter) antiqueMeta(path string, e NodeMeta) (NodeMeta, bool) {
	name := ""
	if e.Pos < NodeCount {
		id, _ := c.from.ID(int(e.Pos))
		name, _ = c.nameOf(id)
	}
	id, known := legacyOf[name]
	if known {
		if m, err := e.antique(id); err == nil && m.gives(e) {
			return NodeMeta{Pos: e.Pos, Legacy: m}, true
		}
	}
	if c.to.Version >= 21 {
		m, err := e.antique(LegacyGeneric)
		if err != nil {
			c.lose(foundLostMeta, node(e.Pos), path, "%v", err)
		} else if !m.gives(e) {
			c.lose(foundLostMeta, node(e.Pos), path, "a part of the metadata of %q", name)
		}
		return NodeMeta{Pos: e.Pos, Legacy: m}, err == nil
	}
	if !known {
		c.lose(foundLostMeta, node(e.Pos), path, "version %d has no metadata of %q", c.to.Version, name)
		return e, false
	}
	m, err := e.antique(id)
	c.lose(foundLostMeta, node(e.Pos), path, "a part of the metadata of %q", name)
	return NodeMeta{Pos: e.Pos, Legacy: m}, err == nil
}

// antique returns legacy metadata of an id with as much of the metadata as fits.
func (e *NodeMeta) antique(id LegacyID) (*LegacyMeta, error) {
	l := LegacyContent{Inventory: e.Inventory}
	switch id {
	case LegacyGeneric:
		for _, v := range e.Vars {
			switch v.Key {
			case "text":
				l.Text = v.Value
			case "owner":
				l.Owner = v.Value
			case "infotext":
				l.InfoText = v.Value
			case "formspec":
				l.DrawSpec = v.Value
			default:
				l.Vars = append(l.Vars, Var{Key: v.Key, Value: v.Value})
			}
		}
	case LegacySign:
		l.Inventory, l.Text = nil, e.Var("text")
	case LegacyChest, LegacyChestLocked:
		l.Owner = e.Var("owner")
		inv, _, err := item.ParseInventory(e.Inventory)
		if err != nil {
			return nil, err
		}
		if list := inv.List("main"); list != nil && inv.List("0") == nil {
			list.Name = "0"
		}
		for i := range inv.Lists {
			inv.Lists[i].NoWidth = inv.Lists[i].Width == 0
		}
		l.Inventory = inv.Append(nil)
	case LegacyFurnace:
		l.FuelTotal, l.Fuel, l.Src = inTenths(e.Var("fuel_totaltime")), inTenths(e.Var("fuel_time")), inTenths(e.Var("src_time"))
	}
	return l.Meta(id)
}

func inTenths(seconds string) int {
	v, err := strconv.ParseFloat(seconds, 32)
	if err != nil || v < -1e6 || v > 1e6 {
		return 0
	}
	return int(v*10 + 0.5)
}

// gives reports whether games would convert the metadata back to e.
func (m *LegacyMeta) gives(e NodeMeta) bool {
	return m.givesWith(oldForms, e) || m.givesWith(newForms, e)
}

func (m *LegacyMeta) givesWith(forms forms, e NodeMeta) bool {
	vars, inventory, err := m.modern(forms)
	if err != nil || len(vars) != len(e.Vars) {
		return false
	}
	for _, v := range vars {
		if e.Var(v.Key) != v.Value {
			return false
		}
	}
	a, _, errA := item.ParseInventory(inventory)
	b, _, errB := item.ParseInventory(e.Inventory)
	if errA != nil || errB != nil {
		return false
	}
	for _, inv := range []*item.Inventory{a, b} {
		for i := range inv.Lists {
			inv.Lists[i].NoWidth = false
		}
	}
	return a.Equal(b)
}
