//go:build !js

package mapdir

import (
	"path"
	"reflect"
	"strings"

	"trowel.example/internal/text/strictjson"
	"trowel.example/teeworlds/twmap"
)

// Field is a field of an object in a JSON file of the folder.
type Field struct {
	Name string
	Type string // such as "number", "list" or "name of an image"
	Help string // what the field contains, if it is required; "" if it is optional
}

// Fields returns the fields of an object in a JSON file of the folder. Way are the names of the fields that contain the
// object, without indexes. The type of a layer or envelope is read from its content, which may be incomplete.
func Fields(file string, content []byte, way ...string) []Field {
	t := formFor(file, strictjson.Type(content, "type"))
	for _, name := range way {
		t = element(t)
		if t == nil || t.Kind() != reflect.Struct {
			return nil
		}
		found := reflect.Type(nil)
		eachField(t, func(f reflect.StructField, own string) {
			if own == name {
				found = f.Type
			}
		})
		t = found
	}
	if t = element(t); t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var fields []Field
	eachField(t, func(f reflect.StructField, name string) {
		fields = append(fields, Field{name, typeName(f.Type, name), f.Tag.Get("need")})
	})
	return fields
}

// formFor returns the form of a JSON file, or nil.
func formFor(file, typ string) reflect.Type {
	dir, base := path.Split(file)
	switch top, _, _ := strings.Cut(dir, "/"); {
	case path.Ext(base) != ".json":
		return nil
	case file == fileMap:
		return reflect.TypeFor[mapForm]()
	case top == dirImages:
		return reflect.TypeFor[imageForm]()
	case top == dirSounds:
		return reflect.TypeFor[soundForm]()
	case top == dirEnvelopes && typ == twmap.ChannelsColor.String():
		return reflect.TypeFor[envelopeForm[shade]]()
	case top == dirEnvelopes:
		return reflect.TypeFor[envelopeForm[fixed]]()
	case top == dirGroups && base == fileGroup:
		return reflect.TypeFor[groupForm]()
	case top != dirGroups && top != dirOrphans:
		return nil
	}
	if _, tiles := twmap.ParseKind(typ); tiles {
		return reflect.TypeFor[tileForm]()
	}
	switch typ {
	case typeQuads:
		return reflect.TypeFor[quadsForm]()
	case typeSounds:
		return reflect.TypeFor[soundsForm]()
	case typeUnknown:
		return reflect.TypeFor[unknownForm]()
	}
	return reflect.TypeFor[baseForm]()
}

// element returns the type of the objects in a list or behind a pointer.
func element(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		t = t.Elem()
	}
	return t
}

// eachField calls yield for each field in JSON, also of embedded forms.
func eachField(t reflect.Type, yield func(f reflect.StructField, name string)) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			eachField(f.Type, yield)
		case name != "" && name != "-":
			yield(f, name)
		}
	}
}

// refFields are the fields that name a part, by the folder of these parts.
var refFields = map[string]string{"image": dirImages, "sound": dirSounds, "colorEnv": dirEnvelopes, "posEnv": dirEnvelopes,
	"soundEnv": dirEnvelopes}

// RefField returns the folder of the parts, such as images, that a field of a layer names.
func RefField(name string) (dir string, ok bool) {
	dir, ok = refFields[name]
	return dir, ok
}

func typeName(t reflect.Type, name string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if dir, isRef := refFields[name]; isRef && t == reflect.TypeFor[ref]() {
		return "name from " + dir + "/" + fileOrder
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int32, reflect.Uint16:
		return "number"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.String:
		return "text"
	}
	if t == reflect.TypeFor[choice]() {
		return "text"
	}
	return "object"
}
