package worlddir

import (
	"bytes"
	"math"
	"slices"
	"time"

	"trowel.example/internal/text/strictjson"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
)

// playerForm is the file of a player.
type playerForm struct {
	Position   [3]nodes       `json:"position"`
	Pitch      float          `json:"pitch"`
	Yaw        float          `json:"yaw"`
	HP         int            `json:"hp"`
	Breath     int            `json:"breath"`
	Created    *time.Time     `json:"created,omitempty"`
	Modified   *time.Time     `json:"modified,omitempty"`
	Attributes pairs          `json:"attributes,omitempty"`
	Inventory  *inventoryForm `json:"inventory,omitempty"`
}

func playerFormOf(p *world.Player) *playerForm {
	f := &playerForm{Pitch: float(p.Pitch), Yaw: float(p.Yaw), HP: p.HP, Breath: p.Breath}
	for i, v := range p.Pos {
		f.Position[i] = nodes(v)
	}
	moment := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	f.Created, f.Modified = moment(p.Created), moment(p.Modified)
	for _, a := range p.Attributes {
		f.Attributes = append(f.Attributes, pair{value(a.Key), value(a.Value)})
	}
	f.Inventory = inventoryFormOf(p.Inventory, p.Broken)
	return f
}

func (f *playerForm) player(name string) *world.Player {
	p := &world.Player{Name: name, Pitch: float64(f.Pitch), Yaw: float64(f.Yaw), HP: f.HP, Breath: f.Breath}
	for i, v := range f.Position {
		p.Pos[i] = float64(v)
	}
	if f.Created != nil {
		p.Created = *f.Created
	}
	if f.Modified != nil {
		p.Modified = *f.Modified
	}
	for _, a := range f.Attributes {
		p.Attributes = append(p.Attributes, world.Attribute{Key: string(a.Key), Value: string(a.Value)})
	}
	if f.Inventory != nil {
		p.Inventory, p.Broken = f.Inventory.inventory()
	}
	return p
}

// inventoryForm is an inventory: its lists, or its text if lists do not represent it exactly.
type inventoryForm struct {
	lists []listForm
	text  *value
}

// maxSlots is the maximum number of slots of a list in an inventory that is written as lists, because a short text
// can represent many empty slots.
const maxSlots = 1 << 18

type listForm struct {
	Name    value   `json:"name"`
	Size    int     `json:"size"`
	Width   int     `json:"width,omitempty"`
	NoWidth bool    `json:"noWidth,omitempty"`
	Items   []value `json:"items"` // "" is an empty slot; trailing empty slots can be omitted
}

func inventoryFormOf(inv *item.Inventory, broken []byte) *inventoryForm {
	if inv == nil {
		if broken == nil {
			return nil
		}
		v := value(broken)
		return &inventoryForm{text: &v}
	}
	f := &inventoryForm{lists: []listForm{}}
	for _, l := range inv.Lists {
		form := listForm{Name: value(l.Name), Size: l.Size, Width: l.Width, NoWidth: l.NoWidth, Items: []value{}}
		for _, s := range l.Items {
			form.Items = append(form.Items, value(s.String()))
		}
		for n := len(form.Items); n > 0 && len(form.Items[n-1]) == 0; n-- {
			form.Items = form.Items[:n-1]
		}
		f.lists = append(f.lists, form)
	}
	large := func(l item.List) bool { return l.Size > maxSlots || l.Width > maxSlots }
	if slices.ContainsFunc(inv.Lists, large) || !f.means(inv) {
		v := value(inv.Append(nil))
		return &inventoryForm{text: &v}
	}
	return f
}

// means reports whether the lists have the same meaning as an inventory. Trailing empty slots are ignored.
func (f *inventoryForm) means(inv *item.Inventory) bool {
	again, _ := f.inventory()
	return again != nil && again.Equal(&item.Inventory{Lists: full(inv.Lists)})
}

// full returns lists with all slots of their size, as the engine writes them.
func full(lists []item.List) []item.List {
	lists = slices.Clone(lists)
	for i := range lists {
		if l := &lists[i]; len(l.Items) < l.Size {
			l.Items = append(slices.Clone(l.Items), make([]item.Slot, l.Size-len(l.Items))...)
		}
	}
	return lists
}

// inventory returns the inventory, or its text if it is not valid.
func (f *inventoryForm) inventory() (inv *item.Inventory, broken []byte) {
	if f.text != nil {
		inv, n, err := item.ParseInventory(*f.text)
		if err != nil || n != len(*f.text) {
			return nil, *f.text
		}
		return inv, nil
	}
	inv = new(item.Inventory)
	for _, form := range f.lists {
		l := item.List{Name: string(form.Name), Size: form.Size, Width: form.Width, NoWidth: form.NoWidth}
		for _, text := range form.Items {
			stack, err := item.ParseStack(string(text))
			if err != nil {
				return nil, nil
			}
			l.Items = append(l.Items, item.Slot{Stack: stack})
		}
		inv.Lists = append(inv.Lists, l)
	}
	inv.Lists = full(inv.Lists)
	return inv, nil
}

func (f *inventoryForm) MarshalJSON() ([]byte, error) {
	if f.text != nil {
		return f.text.MarshalJSON()
	}
	return marshal(f.lists)
}

// read reads the file of a player.
func (f *playerForm) read(r *jsonReader, v strictjson.Value) {
	whole := func(to *int) func(strictjson.Value) {
		return func(v strictjson.Value) { *to = int(r.int(v, math.MinInt32, math.MaxInt32)) }
	}
	r.object(v, "a player", map[string]func(strictjson.Value){
		"position": func(v strictjson.Value) {
			list := r.array(v, "three numbers")
			if r.err == nil && len(list) != 3 {
				r.fail(v.At, "expected three numbers, not %d", len(list))
				return
			}
			for i, n := range list {
				f.Position[i] = r.nodes(n)
			}
		},
		"pitch": func(v strictjson.Value) { f.Pitch = r.float(v) }, "yaw": func(v strictjson.Value) { f.Yaw = r.float(v) },
		"hp": whole(&f.HP), "breath": whole(&f.Breath),
		"created": func(v strictjson.Value) { f.Created = r.time(v) }, "modified": func(v strictjson.Value) { f.Modified = r.time(v) },
		"attributes": func(v strictjson.Value) { f.Attributes.read(r, v) },
		"inventory": func(v strictjson.Value) {
			f.Inventory = new(inventoryForm)
			f.Inventory.read(r, v)
		},
	})
}

// read reads lists or a text.
func (f *inventoryForm) read(r *jsonReader, v strictjson.Value) {
	if v.Kind != '[' {
		text := r.bytes(v)
		f.text = &text
		return
	}
	f.lists = []listForm{}
	for _, v := range v.List {
		var l listForm
		l.read(r, v)
		f.lists = append(f.lists, l)
	}
}

func (l *listForm) read(r *jsonReader, v strictjson.Value) {
	slots := func(to *int) func(strictjson.Value) {
		return func(v strictjson.Value) { *to = int(r.int(v, 0, maxSlots)) }
	}
	var items []strictjson.Value
	r.object(v, "a list", map[string]func(strictjson.Value){
		"name": func(v strictjson.Value) {
			if l.Name = r.bytes(v); len(l.Name) == 0 || bytes.ContainsAny(l.Name, " \n") {
				r.fail(v.At, "a list needs a name without spaces")
			}
		},
		"size": slots(&l.Size), "width": slots(&l.Width), "noWidth": func(v strictjson.Value) { l.NoWidth = r.bool(v) },
		"items": func(v strictjson.Value) { items = r.array(v, "items") },
	})
	if l.Name == nil {
		r.fail(v.At, "a list needs a name without spaces")
	}
	for i, v := range items {
		if i == l.Size {
			r.fail(v.At, "the list %s has more items than slots: %d and %d", l.Name, len(items), l.Size)
		}
		text := r.bytes(v)
		if _, err := item.ParseStack(string(text)); err != nil || bytes.ContainsRune(text, '\n') {
			r.fail(v.At, "not an item: %s", abridge(string(text)))
		}
		l.Items = append(l.Items, text)
	}
}
