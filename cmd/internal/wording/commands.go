package wording

import (
	"slices"
	"strings"

	"trowel.example/internal/format"
)

// removing is the class of words for operations that remove something.
const removing = "remove"

// classes are the words that users and names of operations have for the same thing to do.
var classes = func() map[string]string {
	of := make(map[string]string)
	for _, line := range []string{"remove delete rm del drop erase purge clear prune destroy wipe unset",
		"rename mv", "move shift", "add new create insert make",
		"set change modify update edit alter", "replace swap substitute exchange", "copy cp duplicate clone paste", "draw fill paint",
		"mirror flip", "find list show get"} {
		all := strings.Fields(line)
		for _, word := range all {
			of[word] = all[0]
		}
	}
	return of
}()

// instead are the classes of operations that do what users mean by another class, if no operation has that class.
var instead = map[string][]string{"rename": {"set", "replace"}, "set": {"draw", "replace"}, "add": {"draw", "set"}, "draw": {"set"}}

// insteadOf are operations with arguments that do what users mean by a class and a thing.
var insteadOf = map[string]string{"remove node": "replace NODE air", "remove tile": "replace-tiles TILE 0"}

// things are other words for things in the names of operations.
var things = map[string]string{"command": "setting", "picture": "image", "texture": "image", "user": "player", "account": "player",
	"entity": "object", "entitie": "object", "name": "", "all": "", "everything": ""}

// A sense is the meaning of the name of an operation: the class of what it does, and the thing.
type sense struct{ class, thing string }

// senseOf returns the meaning of a name such as rename-layer.
func senseOf(name string) sense {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	s := sense{}
	if len(words) > 0 && (len(words) > 1 || classes[words[0]] != "") {
		s.class = words[0]
		if class := classes[s.class]; class != "" {
			s.class = class
		}
		words = words[1:]
	}
	if len(words) > 0 {
		s.thing = thingOf(words[len(words)-1])
	}
	return s
}

// thingOf returns a word for a thing in singular.
func thingOf(word string) string {
	word = strings.ToLower(word)
	if !strings.HasSuffix(word, "ss") {
		word = strings.TrimSuffix(word, "s")
	}
	if thing, ok := things[word]; ok {
		return thing
	}
	return word
}

// sensesOf returns the meanings of operations or queries. The heading of an operation without a thing in its name is the thing:
// replace of nodes.
func sensesOf(commands []*format.Command) []sense {
	var list []sense
	for _, c := range commands {
		s := senseOf(c.Name)
		if !strings.Contains(c.Name, "-") {
			heading, _, _ := strings.Cut(c.Heading, " ")
			if s.class == "" {
				s.class = s.thing
			}
			s.thing = thingOf(heading)
		}
		list = append(list, s)
	}
	return list
}

// LikeCommands returns the operations that a word means without being one of their names: delete-layer means remove-layers. They have
// arguments if only these make them do what the word means. A word for removing means only operations that remove, and no other
// word means these.
func LikeCommands(word string, commands []*format.Command) (like []string) {
	senses, want := sensesOf(commands), senseOf(word)
	offer := func(class, thing string) {
		for i, c := range commands {
			named := want.class == "rename" && class == "set"
			option := slices.ContainsFunc(c.Options, func(o format.Option) bool { return o.Name == "name" })
			s := senses[i]
			if s.class != class && class != "" || class == "" && s.class == removing || named && !option ||
				thing != "" && s.thing != thing {
				continue
			}
			call := c.Name
			if named {
				call = c.Usage() + " --name NAME"
			}
			if !slices.Contains(like, call) {
				like = append(like, call)
			}
		}
	}
	if want.class == "find" {
		want.class = ""
	}
	if want == (sense{}) {
		return nil
	}
	if want.class == "" {
		for _, c := range commands {
			if thingOf(c.Name) == want.thing && !slices.Contains(like, c.Name) {
				like = append(like, c.Name)
			}
		}
		if like != nil {
			return like
		}
	}
	offer(want.class, want.thing)
	if want.class != "" && want.thing != "" {
		for _, class := range instead[want.class] {
			if len(like) == 0 {
				offer(class, want.thing)
			}
		}
		call := insteadOf[want.class+" "+want.thing]
		name, _, _ := strings.Cut(call, " ")
		if len(like) == 0 && slices.ContainsFunc(commands, func(c *format.Command) bool { return c.Name == name }) {
			like = append(like, call)
		}
	}
	return like
}

// nearCommand returns the operation or query whose name was probably mistyped, or "". A known part of the word must have the same
// meaning in the name, and an operation that removes something needs a word for that.
func nearCommand(word string, commands []*format.Command) string {
	senses, want := sensesOf(commands), senseOf(word)
	first, _, _ := strings.Cut(strings.ToLower(word), "-")
	verbs, class, thing := make(map[string]string), false, false
	for known, of := range classes {
		verbs[known] = of
	}
	for i, c := range commands {
		known, _, _ := strings.Cut(c.Name, "-")
		verbs[known] = senses[i].class
		thing = thing || senses[i].thing == want.thing
	}
	nearest, least := "", len(first)
	for known, of := range verbs {
		class = class || known == first
		if d := Distance(known, first, len(first)); d < least || d == least && nearest == removing {
			nearest, least = of, d
		}
	}
	var names []string
	for i, c := range commands {
		s := senses[i]
		if class && s.class != want.class && want.class != "" || thing && s.thing != want.thing && want.thing != "" ||
			s.class == removing && nearest != removing {
			continue
		}
		names = append(names, c.Name)
	}
	return Near(strings.ToLower(word), names)
}

// CommandHint adds to an error about an unknown operation or query the ones that were probably meant, or other advice.
func CommandHint(err error, word string, commands []*format.Command, advice string, args ...any) error {
	like := LikeCommands(word, commands)
	if near := nearCommand(word, commands); near != "" && len(like) == 0 {
		like = []string{near}
	}
	switch {
	case len(like) == 1:
		return Hint(err, "did you mean %s?", like[0])
	case len(like) > 8:
		like = append(like[:8:8], "and others")
		fallthrough
	case len(like) > 0:
		return Hint(err, "there is %s", strings.Join(like, ", "))
	}
	return Hint(err, advice, args...)
}
