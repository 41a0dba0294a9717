// Package fields formats the fields of a dump for users and programs: values as text and as JSON, and the bytes
// that belong to no field.
package fields

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"trowel.example/internal/text/words"
)

// Under reports whether a field is at path or below it.
func Under(field, path string) bool {
	rest, ok := strings.CutPrefix(field, path)
	return ok && (rest == "" || strings.ContainsRune(".[/", rune(rest[0])))
}

// Preview is the number of bytes or numbers shown of a long value.
const Preview = 16

// Text formats a value for users, shortened.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		const most = 100
		if len(v) > most {
			return strconv.Quote(v[:most]) + "… (" + words.Thousands(int64(len(v))) + " bytes)"
		}
		return strconv.Quote(v)
	case []byte:
		s := Hex(v)
		if len(v) > Preview {
			s += " (" + words.Thousands(int64(len(v))) + " bytes)"
		}
		return s
	case fmt.Stringer:
		return words.Printable(v.String())
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		n := min(v.Len(), Preview)
		s := fmt.Sprint(v.Slice(0, n).Interface())
		if n < v.Len() {
			s = strings.TrimSuffix(s, "]") + " …] (" + words.Thousands(int64(v.Len())) + " numbers)"
		}
		return s
	}
	return words.Printable(fmt.Sprint(value))
}

// Hex formats the first bytes of b.
func Hex(b []byte) string {
	s := fmt.Sprintf("% x", b[:min(len(b), Preview)])
	if len(b) > Preview {
		s += " …"
	}
	return s
}

// JSON converts a value to one that can be encoded as JSON.
func JSON(value any) any {
	switch v := value.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case float32:
		return JSON(float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return v
	}
	if _, err := json.Marshal(value); err != nil {
		return fmt.Sprint(value)
	}
	return value
}
