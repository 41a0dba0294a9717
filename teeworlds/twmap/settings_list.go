//go:build !js

package twmap

// Setting is a command that DDNet's server runs for a map.
type Setting struct {
	Name      string
	Arguments []Argument // all are required
}

// Argument is an argument of a setting.
type Argument struct {
	Name     string
	Number   bool
	Whole    bool     // the number is a whole number
	Min, Max float64  // the range of a number
	Words    []string // the words that it can be; nil: any
	Rest     bool     // it is the rest of the line
}

// Settings returns the commands that DDNet's server runs for a map, sorted by name.
func Settings() []Setting {
	list := make([]Setting, 0, len(mapCommandNames))
	for _, name := range mapCommandNames {
		s := Setting{Name: name}
		for _, p := range mapCommands[name] {
			s.Arguments = append(s.Arguments, Argument{Name: p.name, Number: p.kind == paramInteger || p.kind == paramNumber,
				Whole: p.kind == paramInteger, Min: p.min, Max: p.max, Words: p.words, Rest: p.kind == paramRest})
		}
		list = append(list, s)
	}
	return list
}
