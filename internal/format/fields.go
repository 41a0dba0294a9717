package format

import (
	"fmt"
	"image/color"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Values returns the values of the options of a job as fields of T, a struct. A field with the tag `option:"NAME"` has
// the value of the option with that name. The type of the field follows from the option:
//
//	string       Text
//	bool         Bool
//	int          Integer
//	float64      Number
//	color.NRGBA  Color
//	[]float64    Place: x,y or x,y,z
//	[]int        List of Integers
//	[][]float64  List of Places
//	[]string     List of other types
//
// A field has its zero value if the option has no value. A pointer to one of these types is nil then. Embedded structs
// add their fields.
func Values[T any](j *Job) T {
	var values T
	setFields(j, reflect.ValueOf(&values).Elem())
	return values
}

func setFields(j *Job, v reflect.Value) {
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		if f.Anonymous {
			setFields(j, field)
			continue
		}
		o := Option{Name: f.Tag.Get("option")}
		if _, given := j.Values[o.Name]; !given {
			continue
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(f.Type.Elem()))
			field = field.Elem()
		}
		var value any
		switch field.Interface().(type) {
		case string:
			value = o.Value(j)
		case bool:
			value = o.On(j)
		case int:
			value = o.Integer(j)
		case float64:
			value = o.Number(j)
		case color.NRGBA:
			value, _ = o.Color(j)
		case []float64:
			value = o.Place(j)
		case []int:
			value = parseList(o.Values(j), strconv.Atoi)
		case [][]float64:
			value = parseList(o.Values(j), ParsePlace)
		case []string:
			value = o.Values(j)
		}
		field.Set(reflect.ValueOf(value))
	}
}

// parseList parses the values of a list, which are valid.
func parseList[T any](words []string, parse func(string) (T, error)) []T {
	list := make([]T, len(words))
	for i, word := range words {
		list[i], _ = parse(word)
	}
	return list
}

// fieldTypes are the types of the fields for the types of options.
var fieldTypes = map[Type]reflect.Type{
	Text: reflect.TypeFor[string](), Integer: reflect.TypeFor[int](), Number: reflect.TypeFor[float64](),
	Color: reflect.TypeFor[color.NRGBA](), Place: reflect.TypeFor[[]float64](),
}

// fieldType returns the type of a field for the option.
func (o *Option) fieldType() reflect.Type {
	switch {
	case o.List && (o.Type == Integer || o.Type == Place):
		return reflect.SliceOf(fieldTypes[o.Type])
	case o.List:
		return reflect.TypeFor[[]string]()
	case o.Bool:
		return reflect.TypeFor[bool]()
	}
	return fieldTypes[o.Type]
}

// checkFields returns an error unless each field of a struct belongs to an option, with the type of its values, and
// each option has a field. A nil struct has no fields.
func checkFields(fields reflect.Type, options []Option) error {
	left := make(map[string]*Option)
	for i := range options {
		left[options[i].Name] = &options[i]
	}
	var check func(t reflect.Type) error
	check = func(t reflect.Type) error {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				if err := check(f.Type); err != nil {
					return err
				}
				continue
			}
			name := f.Tag.Get("option")
			o, ok := left[name]
			if !ok {
				return fmt.Errorf("%v.%s: no option has the name %q", t, f.Name, name)
			}
			if want := o.fieldType(); f.Type != want && f.Type != reflect.PointerTo(want) {
				return fmt.Errorf("%v.%s: the values of option %s are a %v, not a %v", t, f.Name, name, want, f.Type)
			}
			delete(left, name)
		}
		return nil
	}
	if fields != nil {
		if err := check(fields); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		names := make([]string, 0, len(left))
		for name := range left {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("%v has no field for %s", fields, strings.Join(names, ", "))
	}
	return nil
}
