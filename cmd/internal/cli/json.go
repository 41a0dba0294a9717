package cli

import (
	"bytes"
	"encoding/json"
	"io"
)

// jsonArray prints a JSON array, one element per line, as the elements arrive.
type jsonArray struct {
	w io.Writer
	n int
}

func (j *jsonArray) add(v any) error {
	data, err := compact(v)
	if err != nil {
		return err
	}
	return j.addRaw(data)
}

// addRaw prints an element that is already encoded as JSON, or the beginning of one.
func (j *jsonArray) addRaw(data []byte) error {
	head := ",\n  "
	if j.n == 0 {
		head = "[\n  "
	}
	j.n++
	_, err := j.w.Write(append([]byte(head), data...))
	return err
}

func (j *jsonArray) end() error {
	tail := "\n]\n"
	if j.n == 0 {
		tail = "[]\n"
	}
	_, err := io.WriteString(j.w, tail)
	return err
}

// compact encodes v as JSON on one line. <, > and & are not escaped.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := compact(m.key)
		if err != nil {
			return nil, err
		}
		value, err := compact(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}
