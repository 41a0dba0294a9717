package mutate

import (
	"bytes"
	"reflect"
	"testing"

	"trowel.example/internal/values/deep"
)

// Model applies every change of a single field to a model: a number, a text, a shorter list, a missing part. It checks
// that equal and encode do not panic, that encode does not modify the model, that a clone equals its original and a
// changed clone does not, and that changes of a clone do not affect the original.
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

// eachChange makes one change after the other, calls try, and undoes the change.
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
		if path != "" { // not for the model itself
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
