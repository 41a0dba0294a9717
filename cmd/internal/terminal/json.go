package terminal

import (
	"bytes"
	"io"

	"trowel.example/internal/text/strictjson"
)

// Array prints a JSON array, one element per line, as the elements arrive.
type Array struct {
	W io.Writer
	n int
}

func (j *Array) Add(v any) error {
	data, err := Compact(v)
	if err != nil {
		return err
	}
	return j.AddRaw(data)
}

// AddRaw prints an element that is already encoded as JSON, or the beginning of one.
func (j *Array) AddRaw(data []byte) error {
	head := ",\n  "
	if j.n == 0 {
		head = "[\n  "
	}
	j.n++
	_, err := j.W.Write(append([]byte(head), data...))
	return err
}

func (j *Array) End() error {
	tail := "\n]\n"
	if j.n == 0 {
		tail = "[]\n"
	}
	_, err := io.WriteString(j.W, tail)
	return err
}

// Compact encodes v as JSON on one line. <, > and & are not escaped.
func Compact(v any) ([]byte, error) {
	data, err := strictjson.Marshal(v, "")
	return bytes.TrimRight(data, "\n"), err
}

// Object is a JSON object whose keys keep their order.
type Object []Member

// Member is a member of an object: its key, which is a string, and its value.
type Member [2]any

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := Compact(m[0])
		if err != nil {
			return nil, err
		}
		value, err := Compact(m[1])
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}
