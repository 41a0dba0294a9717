package worlddir

import (
	"bytes"
	"errors"
	"fmt"
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
	Created    *moment        `json:"created,omitempty"`
	Modified   *moment        `json:"modified,omitempty"`
	Attributes pairs          `json:"attributes,omitempty"`
	Inventory  *inventoryForm `json:"inventory,omitempty"`
}

func playerFormOf(p *world.Player) *playerForm {
	f := &playerForm{Pitch: float(p.Pitch), Yaw: float(p.Yaw), HP: p.HP, Breath: p.Breath}
	for i, v := range p.Pos {
		f.Position[i] = nodes(v)
	}
	date := func(t time.Time) *moment {
		if t.IsZero() {
			return nil
		}
		return &moment{t}
	}
	f.Created, f.Modified = date(p.Created), date(p.Modified)
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
		p.Created = f.Created.Time
	}
	if f.Modified != nil {
		p.Modified = f.Modified.Time
	}
	for _, a := range f.Attributes {
		p.Attributes = append(p.Attributes, world.Attribute{Key: string(a.Key), Value: string(a.Value)})
	}
	if f.Inventory != nil {
		p.Inventory, p.Broken = f.Inventory.inventory()
	}
	return p
}

// CheckJSON checks the numbers.
func (f *playerForm) CheckJSON() error {
	if f.HP != int(int32(f.HP)) || f.Breath != int(int32(f.Breath)) {
		return fmt.Errorf("hp, breath: expected a whole number from %d to %d", math.MinInt32, math.MaxInt32)
	}
	return nil
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
	Name    value  `json:"name" need:"a name without spaces"`
	Size    int    `json:"size"`
	Width   int    `json:"width,omitempty"`
	NoWidth bool   `json:"noWidth,omitempty"`
	Items   []slot `json:"items"` // an empty slot is ""; trailing empty slots can be omitted
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
		form := listForm{Name: value(l.Name), Size: l.Size, Width: l.Width, NoWidth: l.NoWidth, Items: []slot{}}
		for _, s := range l.Items {
			form.Items = append(form.Items, slot{value(s.String())})
		}
		for n := len(form.Items); n > 0 && len(form.Items[n-1].value) == 0; n-- {
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
			stack, err := item.ParseStack(string(text.value))
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
	return strictjson.Marshal(f.lists, "")
}

// JSONForm reads lists or a text.
func (f *inventoryForm) JSONForm(first byte) any {
	if first == '[' {
		return &f.lists
	}
	return &f.text
}

// CheckJSON checks the name and the number of slots.
func (l *listForm) CheckJSON() error {
	switch {
	case len(l.Name) == 0 || bytes.ContainsAny(l.Name, " \n"):
		return errors.New("a list needs a name without spaces")
	case min(l.Size, l.Width) < 0 || max(l.Size, l.Width) > maxSlots:
		return fmt.Errorf("size, width: expected a whole number from 0 to %d", maxSlots)
	case len(l.Items) > l.Size:
		return fmt.Errorf("the list %s has more items than slots: %d and %d", l.Name, len(l.Items), l.Size)
	}
	return nil
}

// slot is the text of an item stack.
type slot struct{ value }

func (s *slot) UnmarshalJSON(data []byte) error {
	if err := s.value.UnmarshalJSON(data); err != nil {
		return err
	}
	if _, err := item.ParseStack(string(s.value)); err != nil || bytes.ContainsRune(s.value, '\n') {
		return fmt.Errorf("not an item: %s", abridge(string(s.value)))
	}
	return nil
}
