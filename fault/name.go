package fault

import "fmt"

// NameError is the error of an operation when the file does not contain the name that the user gave.
type NameError struct {
	Kind   string   // kind of the named thing, such as "image"
	Name   string   // as the user gave it, possibly a pattern
	Names  []string // existing names of this kind, as far as they are known
	Where  string   // where the name was looked up; "" means in the file
	Advice string   // what to do if the name is right; "" for no advice
	Fixed  bool     // the name is wrong whatever the other files contain
}

func (e *NameError) Error() string {
	where := e.Where
	if where == "" {
		where = "in the file"
	}
	return fmt.Sprintf("no %s %q %s", e.Kind, e.Name, where)
}

// NameErrors returns all errors of this type in err, which may join several errors.
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
