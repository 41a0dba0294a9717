package trowel

import "trowel.example/internal/format"

// Info describes a file as a whole, as printed by `trowel info`.
type Info struct {
	Format string // as [File.Format]
	Title  string // title of the format, for people
	Fields []Field
}

// A Field is one fact.
type Field struct {
	Key   string // stable, in lower camel case, such as "mapVersion"
	Label string // for people, such as "map version"
	Value any    // a string, an integer, a bool, a []string, or a []Field for a fact with parts
}

func infoOf(f *format.Format, info format.Info) Info {
	return Info{Format: f.Name, Title: f.Title, Fields: fieldsOf(info.Fields)}
}

func fieldsOf(facts []format.InfoField) []Field {
	fields := make([]Field, len(facts))
	for i, fact := range facts {
		fields[i] = Field{fact.Key, fact.Label, fact.Value}
		if parts, ok := fact.Value.([]format.InfoField); ok {
			fields[i].Value = fieldsOf(parts)
		}
	}
	return fields
}
