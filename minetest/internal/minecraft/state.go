package minecraft

import (
	"maps"
	"slices"
	"strings"
)

// State is a kind of block: its name, and the properties that distinguish its forms, such as the direction of stairs.
type State struct {
	Name       string // with its namespace, such as "minecraft:oak_stairs"
	Properties map[string]string
}

// parseState parses NAME[KEY=VALUE,...]. Without a namespace, the name belongs to minecraft.
func parseState(text string) (s State, ok bool) {
	name, rest, has := strings.Cut(text, "[")
	s.Name = withNamespace(name)
	if !has {
		return s, name != ""
	}
	rest, ok = strings.CutSuffix(rest, "]")
	if !ok || name == "" {
		return s, false
	}
	s.Properties = make(map[string]string)
	for word := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(word, "=")
		if ok {
			s.Properties[key] = value
		} else if word != "" {
			return s, false
		}
	}
	return s, true
}

func withNamespace(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return "minecraft:" + name
}

// String returns the state as in files, with its properties in order.
func (s State) String() string {
	if len(s.Properties) == 0 {
		return s.Name
	}
	var words []string
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		words = append(words, key+"="+s.Properties[key])
	}
	return s.Name + "[" + strings.Join(words, ",") + "]"
}
