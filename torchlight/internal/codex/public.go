package codex

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Publish removes what is not for players: internal names, paths of files, values that are neither numbers nor truth values, and
// the holes. Things without a display name are named after their kind and a part of their ID.
func Publish(d *Data) {
	d.Holes = []Hole{}
	for _, g := range d.Graphs {
		g.File = ""
	}
	for i := range d.Mods {
		d.Mods[i].Name = ""
	}
	named := make(map[string]bool) // types of effects that show their name
	for _, e := range d.Effects {
		named[strings.ToUpper(e.Name)] = strings.Contains(e.Good+e.Bad+e.GoodOver+e.BadOver, "[NAME]")
	}
	walk(reflect.ValueOf(d).Elem(), func(v any) (done bool) {
		switch x := v.(type) {
		case *Link:
			x.Name = ""
		case *Thing:
			if x.Title == x.Name {
				x.Title = "#" + x.ID[max(len(x.ID)-6, 0):]
			}
			x.Name, x.Files, x.Twins, x.Icon = "", nil, nil, ""
			x.Values = slices.DeleteFunc(x.Values, func(v Value) bool { return !shown(v.Key, v.Value) })
			for i := range x.Values {
				x.Values[i].From = 0
			}
		case *mention:
			if x.File = ""; x.Kind == kindLayout {
				x.Title = ""
			}
		case *Effect:
			name, has := x.Keys["NAME"]
			publishKeys(x.Keys)
			if has && named[strings.ToUpper(strings.TrimSpace(x.Keys["TYPE"]))] {
				x.Keys["NAME"] = name
			}
			return true
		case *Entry:
			x.Flags = slices.DeleteFunc(x.Flags, func(f string) bool {
				key, value, _ := strings.Cut(f, "=")
				return !shown(key, value)
			})
		case *map[string]string:
			publishKeys(*x)
		}
		return false
	})
}

// Shorten removes the names of links to things that the data contains.
func Shorten(d *Data) {
	walk(reflect.ValueOf(d).Elem(), func(v any) bool {
		l, is := v.(*Link)
		if is && l.ID != "" {
			l.Name = ""
		}
		return is
	})
}

// shownKeys are the keys with texts that are no internal names.
var shownKeys = []string{"TYPE", "UNITTYPE", "ACTIVATION", "DAMAGE_TYPE", "NOGRAPH", "GRAPHOVERRIDE", "ACTIVATION_TYPE", "TARGET_TYPE"}

func shown(key, value string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil || strings.EqualFold(value, "true") || strings.EqualFold(value, "false") || slices.Contains(shownKeys, key)
}

// walk calls see with a pointer to a value and to each value below it, except those in maps and those for which see returns true.
func walk(v reflect.Value, see func(v any) (done bool)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), see)
		}
		return
	case reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Pointer:
			for i := range v.Len() {
				walk(v.Index(i), see)
			}
		}
		return
	case reflect.Struct:
		if see(v.Addr().Interface()) {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), see)
			}
		}
	case reflect.Map:
		see(v.Addr().Interface())
	}
}

func publishKeys(keys map[string]string) {
	for key, value := range keys {
		if !shown(key, value) {
			delete(keys, key)
		}
	}
}
