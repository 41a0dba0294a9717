// Package nodedef reads node definitions exported by the game, from the file that the mod
// contrib/minetest/trowel_nodes writes. Definitions are programs, so only the engine can evaluate them.
package nodedef

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
)

// List maps node names to the definitions of a game.
type List map[string]*Node

// The format and version in the file.
const (
	Format  = "trowel-nodes"
	Version = 1
)

// maxSize is the maximum file size in bytes, a hundred times that of a large game.
const maxSize = 256 << 20

// Parse reads definitions. If a name has several, the last counts.
func Parse(r io.Reader) (List, error) {
	d := json.NewDecoder(io.LimitReader(r, maxSize))
	fail := func(want, got string) error {
		return &fault.Error{Offset: d.InputOffset(), Want: want, Got: got, Err: fault.ErrFormat}
	}
	var file struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Nodes   []struct {
			Node
			LightSource float64 `json:"light_source"` // a Lua number
		} `json:"nodes"`
	}
	if err := d.Decode(&file); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			want := wrong.Type.String()
			switch wrong.Type.Kind() {
			case reflect.Struct:
				want = "an object"
			case reflect.Slice:
				want = "an array"
			}
			return nil, &fault.Error{Path: wrong.Field, Offset: wrong.Offset, Want: want, Got: wrong.Value, Err: fault.ErrFormat}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &fault.Error{Offset: d.InputOffset(), Want: "JSON of node definitions", Got: "the end of the text", Err: fault.ErrShort}
		}
		return nil, fail("JSON of node definitions", err.Error())
	}
	switch {
	case file.Format != Format:
		return nil, fail(fmt.Sprintf(`"format": %q`, Format), fmt.Sprintf("%.40q", file.Format))
	case file.Version != Version:
		return nil, &fault.Error{Path: "version", Offset: -1, Want: fmt.Sprint(Version), Got: fmt.Sprint(file.Version), Err: fault.ErrVersion}
	}
	list := make(List, len(file.Nodes))
	for i := range file.Nodes {
		n := file.Nodes[i].Node
		n.LightSource = int(max(0, min(14, file.Nodes[i].LightSource)))
		list[n.Name] = &n
	}
	return list, nil
}

// ReadFile reads a file as Parse does.
func ReadFile(path string) (List, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := Parse(f)
	return list, fault.InFile(err, path)
}
