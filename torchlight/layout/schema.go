package layout

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is the kind of the value of a property.
type Kind uint8

// The kinds of values. A Float and an Unsigned may also be a list of them.
const (
	Bool      Kind = iota + 1 // 32 bits, 0 or 1
	Integer                   // 32 bits, signed
	Unsigned                  // 32 bits, unsigned
	Float                     // IEEE 754 single
	Integer64                 // 64 bits, signed
	String                    // text
	Translate                 // text that is translated
	Vector2                   // 2 singles: X, Y
	Vector3                   // 3 singles: X, Y, Z
	Vector4                   // 4 singles: X, Y, Z, W
)

// kinds has the letter that the dictionary file has for a kind, and its name.
var kinds = [...]struct{ letter, name string }{
	Bool: {"B", "BOOL"}, Integer: {"I", "INTEGER"}, Unsigned: {"U", "UNSIGNED INT"}, Float: {"F", "FLOAT"},
	Integer64: {"Q", "INTEGER64"}, String: {"S", "STRING"}, Translate: {"T", "TRANSLATE"},
	Vector2: {"2", "VECTOR2"}, Vector3: {"3", "VECTOR3"}, Vector4: {"4", "VECTOR4"},
}

// String returns the name of the kind, such as "UNSIGNED INT".
func (k Kind) String() string {
	if int(k) < len(kinds) && k != 0 {
		return kinds[k].name
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// components returns the number of components of a vector, 0 for other kinds.
func (k Kind) components() int {
	if k < Vector2 {
		return 0
	}
	return int(k-Vector2) + 2
}

// PropertyInfo says what a property of an object is.
type PropertyInfo struct {
	Code uint8  // its number, unique within the descriptor
	Kind Kind   // what its value is
	Name string // its name in the text, in upper case
}

// Descriptor is a kind of object.
type Descriptor struct {
	Code       uint8          // its number
	Name       string         // its name, such as "Layout Link"
	Category   string         // where the editor lists it, such as "Building Blocks"; may be ""
	Properties []PropertyInfo // ascending by code

	byCode [256]*PropertyInfo
	byName map[string]textName
}

// textName is what a name in the text stands for: a property, or a component of one.
type textName struct {
	info      *PropertyInfo
	component int // of a vector, 0 for X; -1 for a whole property
}

// Property returns the property of a code, or nil.
func (d *Descriptor) Property(code uint8) *PropertyInfo {
	if d == nil {
		return nil
	}
	return d.byCode[code]
}

// Named returns the property of a name, ignoring case, or nil. Components of
// vectors, such as POSITIONX, have no property of their own.
func (d *Descriptor) Named(name string) *PropertyInfo {
	if t := d.named(name); t.component < 0 {
		return t.info
	}
	return nil
}

// Has reports whether objects of the kind have something of a name, ignoring case: a property,
// or a component of one, such as POSITIONX. A nil descriptor has nothing.
func (d *Descriptor) Has(name string) bool { return d.named(name).info != nil }

func (d *Descriptor) named(name string) textName {
	if d == nil {
		return textName{component: -1}
	}
	if t, ok := d.byName[name]; ok {
		return t
	}
	if t, ok := d.byName[strings.ToUpper(name)]; ok {
		return t
	}
	return textName{component: -1}
}

// Codes of the descriptors that are more than their properties.
const (
	groupCode    = 1
	timelineCode = 35
	logicCode    = 36
)

// dictionaryFile is made by the program in gen.
//
//go:embed dictionary.txt.gz
var dictionaryFile []byte

type dictionary struct {
	byCode  [256]*Descriptor
	byName  map[string]*Descriptor // by name in lower case
	tags    map[int32]string
	tagNums map[string]int32 // by name in upper case
}

var known = sync.OnceValue(func() *dictionary {
	zr, err := gzip.NewReader(bytes.NewReader(dictionaryFile))
	if err != nil {
		panic("layout: dictionary: " + err.Error())
	}
	data, err := io.ReadAll(zr)
	if err != nil {
		panic("layout: dictionary: " + err.Error())
	}
	d := &dictionary{byName: make(map[string]*Descriptor), tags: make(map[int32]string), tagNums: make(map[string]int32)}
	var at *Descriptor
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		code, err := strconv.Atoi(f[1])
		if err != nil {
			panic("layout: dictionary: " + err.Error())
		}
		switch f[0] {
		case "object":
			at = &Descriptor{Code: uint8(code), Name: f[2], Category: f[3], byName: make(map[string]textName)}
			d.byCode[at.Code], d.byName[strings.ToLower(at.Name)] = at, at
		case "tag":
			d.tagNums[strings.ToUpper(f[2])] = int32(code)
			if _, ok := d.tags[int32(code)]; !ok {
				d.tags[int32(code)] = f[2]
			}
		default:
			kind := slices.IndexFunc(kinds[:], func(k struct{ letter, name string }) bool { return k.letter == f[0] })
			at.Properties = append(at.Properties, PropertyInfo{uint8(code), Kind(kind), f[2]})
		}
	}
	for _, o := range d.byName {
		o.index()
	}
	return d
})

// index fills the tables of d from its properties.
func (d *Descriptor) index() {
	for i := range d.Properties {
		p := &d.Properties[i]
		d.byCode[p.Code] = p
		d.byName[p.Name] = textName{p, -1}
		for c := range p.Kind.components() {
			d.byName[p.Name+componentNames[c]] = textName{p, c}
		}
	}
}

// componentNames are the ends of the names of the components of vectors.
var componentNames = [...]string{"X", "Y", "Z", "W"}

// DescriptorOf returns the descriptor of a code, or nil.
func DescriptorOf(code uint8) *Descriptor { return known().byCode[code] }

// DescriptorNamed returns the descriptor of a name, ignoring case, or nil.
func DescriptorNamed(name string) *Descriptor { return known().byName[strings.ToLower(name)] }

// Descriptors yields all descriptors, ascending by code.
func Descriptors() iter.Seq[*Descriptor] {
	return func(yield func(*Descriptor) bool) {
		for _, d := range known().byCode {
			if d != nil && !yield(d) {
				return
			}
		}
	}
}

// TagName returns the name of the feature tag of a number.
func TagName(number int32) (string, bool) {
	name, ok := known().tags[number]
	return name, ok
}

// TagNumber returns the number of a feature tag by its name, ignoring case.
func TagNumber(name string) (int32, bool) {
	number, ok := known().tagNums[strings.ToUpper(name)]
	return number, ok
}
