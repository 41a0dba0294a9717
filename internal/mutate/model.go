package mutate

import (
	"bytes"
	"reflect"
	"testing"

	"trowel.example/internal/deep"
)

// Model takes a model through every change of one of its fields: a number, a text, a list
// that gets shorter, a part that is not there. Neither equal nor encode may panic, encode
// must leave the model alone, a clone must equal what it is of, and a changed one must not,
// nor may what was done to it be seen in the model.
func Model[T any](t *testing.T, model T, clone func(T) T, equal func(a, b T) bool, encode func(T) ([]byte, error)) {
	t.Helper()
	want, err := encode(model)
	if err != nil {
		t.Fatal(err)
	}
	c := clone(model)
	if got, err := encode(c); err != nil || !equal(c, model) || !bytes.Equal(got, want) {
		t.Fatalf("a clone is another, or encodes to other bytes: %v", err)
	}
	changes := 0
	eachChange(reflect.ValueOf(&c).Elem(), "", map[any]bool{}, func(path string) {
		changes++
		if equal(c, model) || equal(model, c) {
			t.Errorf("%s: equal although it was changed", path)
		}
		before := deep.Clone(c)
		data, err := encode(c)
		if !deep.Equal(c, before) {
			t.Errorf("%s: encode changed the model", path)
		}
		if again, errAgain := encode(c); !bytes.Equal(again, data) || (err == nil) != (errAgain == nil) {
			t.Errorf("%s: encodes to other bytes each time: %v, %v", path, err, errAgain)
		}
	})
	if got, err := encode(model); err != nil || !bytes.Equal(got, want) {
		t.Errorf("a change of the clone changed the model: %v", err)
	}
	if changes < 8 {
		t.Errorf("only %d changes were tried", changes)
	}
}

// eachChange changes one thing after the other, calls try, and changes it back.
func eachChange(v reflect.Value, path string, seen map[any]bool, try func(path string)) {
	change := func(to reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(to)
		try(path)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Interface()] {
			return
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Interface()] = true
			eachChange(v.Elem(), path, seen, try)
		} else if part := v.Elem(); part.Kind() == reflect.Pointer {
			eachChange(part.Elem(), path, seen, try)
			change(reflect.Zero(part.Type()))
		}
		if path != "" { // a model that is not there is nobody's
			change(reflect.Zero(v.Type()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				eachChange(v.Field(i), path+"."+f.Name, seen, try)
			}
		}
	case reflect.Slice:
		if v.Len() > 0 {
			eachChange(v.Index(v.Len()-1), path+"[last]", seen, try)
			change(v.Slice(0, v.Len()-1))
		}
	case reflect.Array:
		eachChange(v.Index(0), path+"[0]", seen, try)
	case reflect.String:
		change(reflect.ValueOf(v.String() + "x").Convert(v.Type()))
	case reflect.Bool:
		change(reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.Float32, reflect.Float64:
		change(reflect.ValueOf(v.Float() + 1).Convert(v.Type()))
	default:
		if v.CanInt() {
			change(reflect.ValueOf(v.Int() ^ 1).Convert(v.Type()))
		} else if v.CanUint() {
			change(reflect.ValueOf(v.Uint() ^ 1).Convert(v.Type()))
		}
	}
}
