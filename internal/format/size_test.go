package format_test

import (
	"reflect"
	"testing"

	"trowel.example/internal/format"
)

// TestDeclarationsStaySmall limits what a person must read to declare a format. Fields that belong together are a struct of
// their own, such as [format.Comparison].
func TestDeclarationsStaySmall(t *testing.T) {
	for of, most := range map[reflect.Type]int{
		reflect.TypeFor[format.Format](): 25,
		reflect.TypeFor[format.Option](): 12,
		reflect.TypeFor[format.Job]():    8,
	} {
		if n := of.NumField(); n > most {
			t.Errorf("%v has %d fields, at most %d are allowed: group those that belong together", of, n, most)
		}
	}
}
