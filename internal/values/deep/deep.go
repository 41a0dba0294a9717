// Package deep copies and compares models: trees of exported fields, lists and pointers, as returned by decoders.
// Unexported fields only record where a part was in a file, and are not part of the model.
package deep

import (
	"math"
	"reflect"
)

// Clone returns a copy that shares nothing with v. If two fields of v point to the same part, those of the copy do
// too.
func Clone[T any](v T) T {
	var c T
	cloner{}.copy(reflect.ValueOf(&c).Elem(), reflect.ValueOf(&v).Elem())
	return c
}

// cloner contains the copies of all parts reached through pointers.
type cloner map[any]reflect.Value // by the pointer

func (c cloner) copy(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return
		}
		part, known := c[from.Interface()]
		if !known {
			part = reflect.New(from.Type().Elem())
			c[from.Interface()] = part
			c.copy(part.Elem(), from.Elem())
		}
		to.Set(part)
	case reflect.Interface:
		if !from.IsNil() {
			part := reflect.New(from.Elem().Type()).Elem()
			c.copy(part, from.Elem())
			to.Set(part)
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		if k := from.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String {
			reflect.Copy(to, from)
			return
		}
		for i := range from.Len() {
			c.copy(to.Index(i), from.Index(i))
		}
	case reflect.Struct:
		to.Set(from) // includes unexported fields
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				c.copy(to.Field(i), from.Field(i))
			}
		}
	default:
		to.Set(from)
	}
}

// Equal reports whether two models are equal. A nil list equals an empty one, and numbers are compared bit by bit. If
// two fields of one model point to the same part, those of the other must too.
func Equal[T any](a, b T) bool {
	return comparer{make(map[any]any), make(map[any]any)}.equal(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem())
}

// comparer contains the counterparts of all parts reached through pointers.
type comparer struct{ a, b map[any]any } // by the pointers

func (c comparer) equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		p, q := a.Interface(), b.Interface()
		if c.a[p] != nil || c.b[q] != nil {
			return c.a[p] == q && c.b[q] == p
		}
		c.a[p], c.b[q] = q, p
		return c.equal(a.Elem(), b.Elem())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
			return a.IsNil() && b.IsNil()
		}
		return c.equal(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !c.equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !c.equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}
