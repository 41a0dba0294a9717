package worlddir

import (
	"bytes"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
)

// metaVersion returns the usual version of a list of metadata.
func metaVersion(version, entries int) uint16 {
	switch {
	case version <= 22:
		return 1
	case entries == 0:
		return 0
	case version <= 27:
		return 1
	}
	return 2
}

func (t *blockText) metadata() {
	m := &t.Metadata
	usual := metaVersion(t.Version, len(m.List)+m.Missing)
	if m.Version == usual && len(m.List) == 0 && m.Missing == 0 && len(m.Rest) == 0 && m.Raw == nil {
		return
	}
	if m.Raw != nil {
		t.heading()
		t.dst = append(appendHex(append(t.dst, "meta\n  raw "...), m.Raw), '\n')
		return
	}
	t.sectionHead(SectionMeta, m.Version, usual)
	for i := range m.List {
		t.nodePart(SectionMeta, i, m.List[i].Pos)
		t.entry(&m.List[i])
	}
	if m.Missing > 0 || len(m.Rest) > 0 {
		t.heading()
	}
	if m.Missing > 0 {
		t.dst = append(strconv.AppendInt(append(t.dst, "  missing "...), int64(m.Missing), 10), '\n')
	}
	t.hexLine(1, "rest", m.Rest)
}

func (t *blockText) entry(m *mapblock.NodeMeta) {
	t.dst = appendPlace(indent(t.dst, 1), m.Pos)
	if m.Legacy != nil {
		t.legacy(m.Legacy)
		return
	}
	t.dst = append(t.dst, '\n')
	for _, v := range m.Vars {
		t.dst = indent(t.dst, 2)
		switch v.Private {
		case 0:
		case 1:
			t.dst = append(t.dst, private+" "...)
		default: // has no meaning
			t.dst = strconv.AppendUint(append(t.dst, private+":"...), uint64(v.Private), 10)
			t.dst = append(t.dst, ' ')
		}
		t.pair(v.Key, v.Value)
	}
	t.inventory(m.Inventory)
}

const private = "private"

// pair writes the rest of a line "key = value" after its indentation.
func (t *blockText) pair(key, value string) {
	t.dst = append(appendWord(t.dst, key), " ="...)
	t.dst = appendText(t.dst, value, 3)
}

// legacyKinds are the words for the forms of legacy metadata.
var legacyKinds = map[mapblock.LegacyID]string{
	mapblock.LegacyGeneric:     "generic",
	mapblock.LegacySign:        "sign",
	mapblock.LegacyChest:       "chest",
	mapblock.LegacyFurnace:     "furnace",
	mapblock.LegacyChestLocked: "locked_chest",
}

// Furnaces of 2011 end before the burned item: "0 0 " is missing.
const (
	oldFurnace     = "old_furnace"
	oldFurnaceLack = "0 0 "
)

// legacyFields are the fields of legacy metadata other than inventories and variables, in the order in which they are
// written.
func legacyFields(l *mapblock.LegacyContent) []field {
	return []field{
		{"text", &l.Text}, {"owner", &l.Owner}, {"infotext", &l.InfoText}, {"drawspec", &l.DrawSpec},
		{"allow_text_input", &l.AllowTextInput}, {"removal_disabled", &l.RemovalDisabled}, {"enforce_owner", &l.EnforceOwner},
		{"fuel_total", &l.FuelTotal}, {"fuel", &l.Fuel}, {"source_total", &l.SourceTotal}, {"source", &l.Src},
		{"rest", &l.Rest},
	}
}

// field is a named field: a *string, a number, or *[]byte. It is written if it is not empty or 0.
type field struct {
	name  string
	value any
}

func (t *blockText) fields(fields []field) {
	for _, f := range fields {
		value := ""
		switch p := f.value.(type) {
		case *string:
			value = *p
		case *[]byte:
			value = string(*p)
		case *uint8:
			value = number(int(*p))
		case *uint16:
			value = number(int(*p))
		case *int:
			value = number(*p)
		}
		if value != "" {
			t.dst = indent(t.dst, 2)
			t.pair(f.name, value)
		}
	}
}

// number formats a number; 0 is "".
func number(v int) string {
	if v == 0 {
		return ""
	}
	return strconv.Itoa(v)
}

// legacy writes legacy metadata: as fields, if these represent it exactly.
func (t *blockText) legacy(m *mapblock.LegacyMeta) {
	content, err := m.Content()
	if err == nil {
		var again *mapblock.LegacyMeta
		again, err = content.Meta(m.ID)
		kind := legacyKinds[m.ID]
		if err == nil && m.ID == mapblock.LegacyFurnace && string(again.Body) == string(m.Body)+oldFurnaceLack {
			again, kind = m, oldFurnace
		}
		if err == nil && bytes.Equal(again.Body, m.Body) {
			t.dst = append(append(append(t.dst, ' '), kind...), '\n')
			t.fields(legacyFields(&content))
			for _, v := range content.Vars {
				t.dst = append(indent(t.dst, 2), "var "...)
				t.pair(v.Key, v.Value)
			}
			if m.ID != mapblock.LegacySign {
				t.inventory(content.Inventory)
			}
			return
		}
	}
	t.dst = strconv.AppendInt(append(t.dst, " "+numericID...), int64(m.ID), 10)
	t.dst = append(appendHex(append(t.dst, ' '), m.Body), '\n')
}

// maxEmpties is the maximum number of empty slots in the item lists of a block that are written as lists, because a
// short text can represent many empty slots.
const maxEmpties = 1 << 18

const (
	emptyInventory = "EndInventory\n"
	endList        = "EndInventoryList\n"
	emptySlot      = "Empty"
	empty          = "empty" // in the text
)

// inventory writes an inventory as lists if it has the form that games write, otherwise as a string.
func (t *blockText) inventory(text []byte) {
	lists, empties, ok := splitInventory(string(text))
	if !ok || t.empties+empties > maxEmpties {
		t.dst = append(indent(t.dst, 2), "inventory"...)
		t.dst = appendText(t.dst, string(text), 3)
		return
	}
	t.empties += empties
	for _, l := range lists {
		t.dst = appendWord(append(indent(t.dst, 2), "list "...), l.name)
		t.dst = append(append(t.dst, ' '), l.size...)
		if l.width != "" {
			t.dst = append(append(t.dst, " width "...), l.width...)
		}
		t.dst = append(t.dst, '\n')
		for i := 0; i < len(l.slots); {
			n := 1
			for l.slots[i] == "" && i+n < len(l.slots) && l.slots[i+n] == "" {
				n++
			}
			t.slot(l.slots[i], n)
			i += n
		}
	}
}

// slot writes an item, or n empty slots.
func (t *blockText) slot(stack string, n int) {
	t.dst = indent(t.dst, 3)
	switch {
	case stack != "":
		t.dst = appendItem(t.dst, stack)
	case n == 1:
		t.dst = append(t.dst, empty...)
	default:
		t.dst = strconv.AppendInt(append(t.dst, empty+"*"...), int64(n), 10)
	}
	t.dst = append(t.dst, '\n')
}

// appendItem writes an itemstring. It is written without quotes if all characters are printable and the beginning
// cannot be misread.
func appendItem(dst []byte, stack string) []byte {
	plain := isBare(stack[0]) && stack[len(stack)-1] != ' ' && !strings.HasPrefix(stack, empty)
	for i := 0; i < len(stack) && plain; i++ {
		plain = ' ' <= stack[i] && stack[i] < 0x7f
	}
	if plain {
		return append(dst, stack...)
	}
	return strconv.AppendQuote(dst, stack)
}

// listText is a list of an inventory; size and width are numbers.
type listText struct {
	name, size, width string
	slots             []string // items; "" is an empty slot
}

// over reports whether the list has more slots than its size.
func (l *listText) over() bool {
	size, err := strconv.ParseUint(l.size, 10, 32)
	return err == nil && uint64(len(l.slots)) > size
}

// splitInventory splits an inventory that has the form that games write.
func splitInventory(text string) (lists []listText, empties int, ok bool) {
	line := func() (s string) {
		s, text, ok = strings.Cut(text, "\n")
		return s
	}
	for text != emptyInventory {
		var l listText
		head, isList := strings.CutPrefix(line(), "List ")
		l.name, l.size, _ = strings.Cut(head, " ")
		if !isList || l.name == "" || !isSize(l.size) {
			return nil, 0, false
		}
		if strings.HasPrefix(text, "Width ") {
			if l.width = line()[len("Width "):]; !isSize(l.width) {
				return nil, 0, false
			}
		}
		for !strings.HasPrefix(text, endList) {
			s := line()
			stack, isItem := strings.CutPrefix(s, "Item ")
			switch {
			case !ok || !isItem && s != emptySlot || isItem && stack == "":
				return nil, 0, false
			case isItem:
				l.slots = append(l.slots, stack)
			default:
				l.slots = append(l.slots, "")
				empties++
			}
		}
		if l.over() {
			return nil, 0, false // the engine stops reading here; a list is never written like this
		}
		text = text[len(endList):]
		lists = append(lists, l)
	}
	return lists, empties, true
}

// isSize reports whether a text is a number of slots in the form that games write.
func isSize(text string) bool {
	v, err := strconv.ParseUint(text, 10, 32)
	return err == nil && strconv.FormatUint(v, 10) == text
}

// appendInventory is the inverse of splitInventory.
func appendInventory(dst []byte, lists []listText) []byte {
	for _, l := range lists {
		dst = append(dst, "List "+l.name+" "+l.size+"\n"...)
		if l.width != "" {
			dst = append(dst, "Width "+l.width+"\n"...)
		}
		for _, stack := range l.slots {
			if stack == "" {
				dst = append(dst, emptySlot+"\n"...)
			} else {
				dst = append(dst, "Item "+stack+"\n"...)
			}
		}
		dst = append(dst, endList...)
	}
	return append(dst, emptyInventory...)
}
