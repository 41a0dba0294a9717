package item

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
)

// Catalog lists the kinds of findings that [Stack.Check] and [Inventory.Check] report.
var Catalog check.Catalog

var (
	foundLegacy = Catalog.Add("mt-item-legacy", check.Info,
		"The item is in a format from before 0.4.", "Nothing to do: every later engine reads it, and rewrites it.")
	foundDead = Catalog.Add("mt-item-dead", check.Error,
		"The item is an object of 2011 that no current engine reads; its container cannot be read either.", "Remove the item.")
	foundNumber = Catalog.Add("mt-item-number", check.Warning,
		"A count or a wear is not a number from 0 to 65535: the engine reads another number.", "Write the intended number.")
	foundName = Catalog.Add("mt-item-name", check.Warning,
		"No item can have this name: names consist of a mod and a name of a-z, A-Z, 0-9 and _, with a colon between.", "Correct the name.")
	foundMeta = Catalog.Add("mt-item-metadata", check.Warning,
		"Two metadata fields have the same key: the engine keeps the last.", "Remove the others.")
	foundForm = Catalog.Add("mt-item-form", check.Info,
		"The text is valid, but current engines write it differently.", "Nothing to do: the engine rewrites it when it saves it.")
	foundListTwice = Catalog.Add("mt-item-list-twice", check.Warning,
		"Two lists of the inventory have the same name: the engine uses the first.", "Rename or remove the second.")
	foundListShort = Catalog.Add("mt-item-list-short", check.Info,
		"The list has fewer lines than its size: the engine treats missing slots as empty.", "Nothing to do.")
	foundListHuge = Catalog.Add("mt-item-list-huge", check.Error,
		"The list has more slots than memory has room for: the engine makes all of them when it reads the list, and aborts.",
		"Correct the size of the list.")
)

// hugeList is a number of slots for which the engine needs hundreds of megabytes. Lists of games have dozens.
const hugeList = 1 << 20

// Check reports the problems of the stack to sink. The findings have no path.
func (s Stack) Check(sink check.Sink) {
	switch {
	case s.Legacy == "MBOItem":
		sink.Add(foundDead, "", -1, "the item is an MBOItem")
		return
	case s.Legacy != "":
		sink.Add(foundLegacy, "", -1, "the item is a %s", s.Legacy)
		return
	case s.raw != "":
		s.checkText(sink)
	}
	for _, n := range []int{s.Count, s.Wear} {
		if n < 0 || n > 65535 {
			sink.Add(foundNumber, "", -1, "%d is not in 0 to 65535", n)
		}
	}
	if !s.Empty() && !validName(s.Name) {
		sink.Add(foundName, "", -1, "%s is not a valid name of an item", strconv.Quote(s.Name))
	}
	seen := make(map[string]bool, len(s.Meta))
	for _, f := range s.Meta {
		if seen[f.Key] {
			sink.Add(foundMeta, "", -1, "the metadata has the key %s twice", strconv.Quote(f.Key))
			break
		}
		seen[f.Key] = true
	}
}

// checkText reports oddities in the text of a stack.
func (s Stack) checkText(sink check.Sink) {
	if was, err := parseStack(s.raw); err != nil || !was.Equal(s) {
		return // the text no longer applies
	}
	t := scanner{text: s.raw}
	t.quoted("name")
	t.space("name")
	for _, field := range []struct {
		name  string
		value int
	}{{"count", s.Count}, {"wear", s.Wear}} {
		if word := t.word(); word != "" && word != strconv.Itoa(field.value) {
			sink.Add(foundNumber, "", -1, "the engine reads the %s %s as %d", field.name, strconv.Quote(word), field.value)
			return
		} else if word == "" {
			break
		}
	}
	sink.Add(foundForm, "", -1, "the itemstring is not in the current format")
}

func validName(name string) bool {
	if name == "air" || name == "ignore" || name == "unknown" {
		return true
	}
	mod, rest, ok := strings.Cut(name, ":")
	if _, alias := Alias(name); !ok && alias {
		return true
	}
	return ok && mod != "" && rest != "" && strings.Trim(mod+rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// Check reports the problems of the inventory and its items to sink. If several slots have the same problem, Check
// reports one finding with the places of all of them, of
// type [place.Slot].
func (inv *Inventory) Check(sink check.Sink) {
	var seen map[string]bool
	if len(inv.Lists) > 1 {
		seen = make(map[string]bool)
	}
	var found []check.Finding
	same := make(map[[2]string]int) // the index of the first finding with this ID and message
	add := func(f check.Finding) {
		key := [2]string{f.ID, f.Message}
		if i, ok := same[key]; ok {
			found[i].At = append(found[i].At, f.At...)
			return
		}
		same[key] = len(found)
		found = append(found, f)
	}
	for i, l := range inv.Lists {
		at := func() string { return fmt.Sprintf("lists[%d]", i) }
		list := []check.Place{place.Slot{List: l.Name, Slot: -1}}
		if seen[l.Name] {
			check.Sink(add).AddAt(foundListTwice, list, at(), -1, "an earlier list also has the name %s", strconv.Quote(l.Name))
		}
		if seen != nil {
			seen[l.Name] = true
		}
		if l.Size > hugeList {
			check.Sink(add).AddAt(foundListHuge, list, at(), -1, "the list has %s slots", words.Thousands(int64(l.Size)))
		} else if !l.Keep && len(l.Items) < l.Size {
			check.Sink(add).AddAt(foundListShort, list, at(), -1, "the list has %d of its %d slots", len(l.Items), l.Size)
		}
		slot := 0
		inSlot := func(f check.Finding) {
			f.Path = fmt.Sprintf("%s.items[%d]", at(), slot)
			f.At = []check.Place{place.Slot{List: l.Name, Slot: slot}}
			add(f)
		}
		for slot = range l.Items {
			l.Items[slot].Stack.Check(inSlot)
		}
	}
	for _, f := range found {
		if n := len(f.At) - 1; n > 0 {
			f.Message += fmt.Sprintf(", and likewise in %s", words.Count(n, "more slot"))
		}
		sink(f)
	}
}
