package format

import (
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Declare returns a command with the fields of T, a struct, as its arguments and options. Do reads them by [Values]. The
// type of a field determines that of the value:
//
//	string       Text
//	bool         Bool
//	int          Integer
//	float64      Number
//	color.NRGBA  Color
//	[]float64    Place: x,y or x,y,z
//	[]string     List of Texts
//	[]int        List of Integers
//	[][]float64  List of Places
//
// A field has its zero value if the option has no value. A pointer to one of these types is nil then. Embedded structs
// add their fields. Tags set the other fields of [Option]:
//
//	arg:"NAME"       an argument; after the name may follow input, output, required or optional, each after a comma
//	option:"NAME"    an option, with the same words
//	help:"TEXT"      {braces} are the `backquotes` of [Option.Help]
//	default:"VALUE"
//	names:"KIND"
//	choices:"A|B"
//
// The rest is set by a [Describer]. Declare panics if a declaration is wrong.
func Declare[T any](c Command, do any) *Command {
	c.Fields, c.Do = reflect.TypeFor[T](), do
	c.Args, c.Options = declared(c.Fields)
	known := make(map[string]bool)
	for _, o := range slices.Concat(c.Args, c.Options) {
		if err := o.Check(o.Default); known[o.Name] || o.Help == "" || o.Default != "" && err != nil {
			panic(fmt.Sprintf("%s: the option %s has no help, a wrong default, or the name of another one", c.Name, o.Name))
		}
		known[o.Name] = true
	}
	return &c
}

// OptionsOf returns the options that the fields of T declare, see [Declare].
func OptionsOf[T any]() []Option {
	_, options := declared(reflect.TypeFor[T]())
	return options
}

// A Describer is a struct of arguments and options. Describe sets what is too long for a tag, or computed. It is called for
// each argument and option of the struct, also those of embedded structs after their own Describe.
type Describer interface{ Describe(o *Option) }

// Explain sets the help of the option with a name.
func (o *Option) Explain(name, help string) {
	if o.Name == name {
		o.Help = help
	}
}

// As makes the option a copy of another one with its name.
func (o *Option) As(other Option) {
	if o.Name == other.Name {
		*o = other
	}
}

// declared returns the arguments and options that the fields of a struct declare.
func declared(t reflect.Type) (args, options []Option) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			a, o := declared(f.Type)
			args, options = append(args, a...), append(options, o...)
			continue
		}
		o, isArg, err := optionOf(f)
		switch {
		case err != nil:
			panic(fmt.Sprintf("%v.%s: %v", t, f.Name, err))
		case isArg:
			args = append(args, o)
		default:
			options = append(options, o)
		}
	}
	if d, ok := reflect.Zero(t).Interface().(Describer); ok {
		for _, list := range [][]Option{args, options} {
			for i := range list {
				d.Describe(&list[i])
			}
		}
	}
	return args, options
}

// fieldTypes are the options for the types of fields.
var fieldTypes = map[reflect.Type]Option{
	reflect.TypeFor[string]():      {},
	reflect.TypeFor[bool]():        {Type: Bool},
	reflect.TypeFor[int]():         {Type: Integer},
	reflect.TypeFor[float64]():     {Type: Number},
	reflect.TypeFor[color.NRGBA](): {Type: Color},
	reflect.TypeFor[[]float64]():   {Type: Place},
	reflect.TypeFor[[]string]():    {List: true},
	reflect.TypeFor[[]int]():       {Type: Integer, List: true},
	reflect.TypeFor[[][]float64](): {Type: Place, List: true},
}

var tagForm = regexp.MustCompile(`(\w+):("(?:[^"\\]|\\.)*")`)

// optionOf returns the argument or option that a field declares.
func optionOf(f reflect.StructField) (o Option, isArg bool, err error) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	of, ok := fieldTypes[t]
	if !ok {
		return o, false, fmt.Errorf("no option has values of type %v", t)
	}
	o, isArg, err = ParseTag(f.Tag, func(string) bool { return false })
	o.Type, o.List = of.Type, of.List
	return o, isArg, err
}

// ParseTag returns the argument or option that the tag of a field declares, without the type of the field. It calls other
// for marks that only the caller knows; other returns false for an unknown mark.
func ParseTag(tag reflect.StructTag, other func(mark string) bool) (o Option, isArg bool, err error) {
	for _, tag := range tagForm.FindAllStringSubmatch(string(tag), -1) {
		value, err := strconv.Unquote(tag[2])
		if err != nil {
			return o, false, err
		}
		switch tag[1] {
		case "arg", "option":
			marks := strings.Split(value, ",")
			o.Name, isArg = marks[0], tag[1] == "arg"
			for _, mark := range marks[1:] {
				switch mark {
				case "input":
					o.Input = true
				case "output":
					o.Output = true
				case "required":
					o.Need = Required
				case "optional":
					o.Need = Optional
				default:
					if !other(mark) {
						return o, false, fmt.Errorf("unknown mark %q", mark)
					}
				}
			}
		case "help":
			o.Help = strings.NewReplacer("{", "`", "}", "`").Replace(value)
		case "default":
			o.Default = value
		case "names":
			o.Names = value
		case "choices":
			o.Choices = strings.Split(value, "|")
		default:
			return o, false, fmt.Errorf("unknown tag %s", tag[1])
		}
	}
	if o.Name == "" {
		return o, false, fmt.Errorf("expected the tag arg or option")
	}
	return o, isArg, nil
}

// Values returns the values of a job for T, a struct of [Declare].
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
		o, _, _ := optionOf(f)
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
