package fault

import "fmt"

// NameError is the error of an operation to which the user gave the name of something that
// the file does not have.
type NameError struct {
	Kind   string   // such as "image"
	Name   string   // as the user gave it, perhaps a pattern
	Names  []string // existing names of the kind, as far as they are known
	Where  string   // where it was looked for; "": in the file
	Advice string   // what to do if the name is right; "": nothing
	Fixed  bool     // the name is wrong whatever other files have
}

func (e *NameError) Error() string {
	where := e.Where
	if where == "" {
		where = "in the file"
	}
	return fmt.Sprintf("no %s %q %s", e.Kind, e.Name, where)
}

// NameErrors returns all errors of names in an error, which may join several.
func NameErrors(err error) (list []*NameError) {
	switch e := err.(type) {
	case nil:
	case *NameError:
		list = append(list, e)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = append(list, NameErrors(err)...)
		}
	case interface{ Unwrap() error }:
		list = NameErrors(e.Unwrap())
	}
	return list
}
