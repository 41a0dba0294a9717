package text

import (
	"encoding/json"
	"strconv"

	"trowel.example/check"
)

// Place is a place in a file of the game: a node or key of a data file, a record of a
// table, an object of a layout.
type Place struct {
	Path   string // of the file; "" if there is only one
	Node   string // names separated by periods, or a field of a record such as "skills[3]"
	Object int64  // the ID of an object; 0 for none
}

func (p Place) String() string {
	s := p.Path
	for _, part := range []string{p.Node, p.object()} {
		if s != "" && part != "" {
			s += ": "
		}
		s += part
	}
	return s
}

func (p Place) object() string {
	if p.Object == 0 {
		return ""
	}
	return "object " + strconv.FormatInt(p.Object, 10)
}

// MarshalJSON writes {path, node, object}, without the fields that are unknown. An ID is a string, because many
// programs round numbers of that size.
func (p Place) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path   string `json:"path,omitempty"`
		Node   string `json:"node,omitempty"`
		Object int64  `json:"object,omitempty,string"`
	}(p))
}

// Within is a place in a file of a mod that is printed without the path of the file. Its zero value is not a place.
type Within struct {
	check.Place
	Path string // of the file
}

// Whole returns the place with its path.
func (w Within) Whole() check.Place {
	switch p := w.Place.(type) {
	case Place:
		p.Path = w.Path
		return p
	case check.Line:
		p.Path = w.Path
		return p
	}
	return w.Place
}

// Whole returns the place in a mod for the place of a finding or a hit. The result is a [Place], a [check.Line] or
// [check.File], or another place.
func Whole(p check.Place) check.Place {
	if w, ok := p.(interface{ Whole() check.Place }); ok {
		return w.Whole()
	}
	return p
}

// AtNodes returns a sink that turns the paths of findings, which are paths of nodes, into their places.
func AtNodes(sink check.Sink) check.Sink {
	return func(f check.Finding) {
		if f.Path != "" && f.At == nil {
			f.At = []check.Place{Place{Node: f.Path}}
		}
		sink(f)
	}
}

// InFile returns a sink for findings about a single file: it adds the path of the file to their places and to their
// paths.
func InFile(path string, sink check.Sink) check.Sink {
	return func(f check.Finding) {
		at := make([]check.Place, len(f.At))
		for i, p := range f.At {
			switch p := p.(type) {
			case Place:
				p.Path = path
				at[i] = p
			case check.Line:
				p.Path = path
				at[i] = p
			default:
				at[i] = p
			}
		}
		if len(at) == 0 {
			at = []check.Place{check.File(path)}
		}
		f.At = at
		switch {
		case f.Path == "":
			f.Path = path
		case path != "":
			f.Path = path + ": " + f.Path
		}
		sink(f)
	}
}

// ReportErrors reports the problems of a text from its error err. If err is about something else, it reports nothing
// and returns false.
func ReportErrors(k *check.Kind, err error, sink check.Sink) bool {
	all := AllErrors(err)
	for _, e := range all {
		message := e.Problem()
		if e.Column > 0 {
			message = "column " + strconv.Itoa(e.Column) + ": " + message
		}
		sink.AddAt(k, []check.Place{check.Line{Line: e.Line, Column: e.Column}}, "line "+strconv.Itoa(e.Line), -1, "%s", message)
	}
	return len(all) > 0
}
