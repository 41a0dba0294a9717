package service

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

// FieldUnder reports whether a field is at path or below it.
func FieldUnder(field, path string) bool {
	rest, ok := strings.CutPrefix(field, path)
	return ok && (rest == "" || strings.ContainsRune(".[/", rune(rest[0])))
}

// FieldPreview is the number of bytes or numbers shown of a long value.
const FieldPreview = 16

// FieldText formats a value for users, shortened.
func FieldText(value any) string {
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
		s := FieldHex(v)
		if len(v) > FieldPreview {
			s += " (" + words.Thousands(int64(len(v))) + " bytes)"
		}
		return s
	case fmt.Stringer:
		return words.Printable(v.String())
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		n := min(v.Len(), FieldPreview)
		s := fmt.Sprint(v.Slice(0, n).Interface())
		if n < v.Len() {
			s = strings.TrimSuffix(s, "]") + " …] (" + words.Thousands(int64(v.Len())) + " numbers)"
		}
		return s
	}
	return words.Printable(fmt.Sprint(value))
}

// FieldHex formats the first bytes of b.
func FieldHex(b []byte) string {
	s := fmt.Sprintf("% x", b[:min(len(b), FieldPreview)])
	if len(b) > FieldPreview {
		s += " …"
	}
	return s
}

// FieldJSON converts a value to one that can be encoded as JSON.
func FieldJSON(value any) any {
	switch v := value.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case float32:
		return FieldJSON(float64(v))
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
