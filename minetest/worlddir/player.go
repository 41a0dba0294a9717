package worlddir

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"trowel/minetest/item"
	"trowel/minetest/world"
)

// playerForm is the file of a player.
type playerForm struct {
	Position   [3]float       `json:"position"` // in tenths of a node
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
		f.Position[i] = float(v)
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

// inventoryForm is an inventory: its lists, or where those do not tell all of
// it, its text.
type inventoryForm struct {
	lists []listForm
	text  *value
}

// maxSlots is how many slots a list can have that is told in lists: a few
// letters stand for all of them.
const maxSlots = 1 << 18

type listForm struct {
	Name    value   `json:"name"`
	Size    int     `json:"size"`
	Width   int     `json:"width,omitempty"`
	NoWidth bool    `json:"no_width,omitempty"`
	Items   []value `json:"items"` // "" for an empty slot; those at the end can be left out
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
	again, _ := f.inventory()
	large := func(l item.List) bool { return l.Size > maxSlots || l.Width > maxSlots }
	if again == nil || !again.Equal(inv) || slices.ContainsFunc(inv.Lists, large) {
		v := value(inv.Append(nil))
		return &inventoryForm{text: &v}
	}
	return f
}

// inventory returns the inventory, or a text that is none.
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
	return inv, nil
}

func (f *inventoryForm) MarshalJSON() ([]byte, error) {
	if f.text != nil {
		return f.text.MarshalJSON()
	}
	return marshal(f.lists)
}

func (f *inventoryForm) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		f.text = new(value)
		return f.text.UnmarshalJSON(data)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f.lists); err != nil {
		return err
	}
	for i := range f.lists {
		if err := f.lists[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// check tells what keeps a list from being written.
func (l *listForm) check() error {
	name := string(l.Name)
	switch {
	case name == "" || bytes.ContainsAny(l.Name, " \n"):
		return &Error{Msg: "a list needs a name without spaces"}
	case l.Size < 0 || l.Size > maxSlots || l.Width < 0 || l.Width > maxSlots:
		return &Error{Msg: "the size or width of the list " + name + " is no number from 0 to " + strconv.Itoa(maxSlots)}
	case len(l.Items) > l.Size:
		return &Error{Msg: "the list " + name + " has more items than slots"}
	}
	i := slices.IndexFunc(l.Items, func(text value) bool {
		_, err := item.ParseStack(string(text))
		return err != nil || bytes.ContainsRune(text, '\n')
	})
	if i >= 0 {
		return &Error{Msg: "the list " + name + " has something that is no item: " + abridge(string(l.Items[i]))}
	}
	return nil
}
