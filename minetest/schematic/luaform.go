package schematic

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/text/luatable"
	"trowel.example/internal/text/words"
)

// decodeLua reads a schematic in the Lua form of core.serialize_schematic. Its probabilities are twice those in .mts.
func decodeLua(data []byte) (*Schematic, error) {
	fail := func(path, want string, got luatable.Value) error {
		return &fault.Error{Path: path, Offset: -1, Want: want, Got: describe(got), Err: fault.ErrFormat}
	}
	start := len(luaForm.Find(data)) - len("{")
	root, err := luatable.Parse(data[start:])
	if at, ok := errors.AsType[*fault.Error](err); ok && at.Offset >= 0 {
		at.Offset += int64(start)
	}
	if err != nil {
		return nil, err
	}
	size, nodes := root.Table.Get("size"), root.Table.Get("data")
	if size.Kind != luatable.TableKind || nodes.Kind != luatable.TableKind {
		return nil, fail("schematic", "size and data", size)
	}
	s := &Schematic{Form: Lua}
	for axis, key := range []string{"x", "y", "z"} {
		n, ok := whole(size.Table.Get(key), math.MaxInt32)
		if !ok {
			return nil, fail("size."+key, "a whole number", size.Table.Get(key))
		}
		s.Size[axis] = n
	}
	n, err := volumeOf(s.Size, len(data))
	if err != nil {
		return nil, err
	}
	list := nodes.Table.List()
	if len(list) != n {
		return nil, &fault.Error{Path: "data", Offset: -1, Want: words.Count(n, "node"), Got: fmt.Sprint(len(list)), Err: fault.ErrFormat}
	}
	if probs := root.Table.Get("yslice_prob"); probs.Kind == luatable.TableKind {
		for i, v := range probs.Table.List() {
			path := fmt.Sprintf("yslice_prob[%d]", i)
			if v.Kind != luatable.TableKind {
				return nil, fail(path, "a table", v)
			}
			y, okY := whole(v.Table.Get("ypos"), math.MaxInt32)
			p, okP := prob(v.Table, "prob")
			if !okY || !okP {
				return nil, fail(path, "ypos, and a prob of 0 to 255", v)
			}
			if y < s.Size[1] && p != Always && s.Slices == nil {
				s.Slices = bytes.Repeat([]byte{Always}, s.Size[1])
			}
			if y < s.Size[1] && s.Slices != nil {
				s.Slices[y] = p
			}
		}
	}
	s.Name, s.Param2, s.Prob = make([]uint16, n), make([]uint8, n), make([]uint8, n)
	id := s.Namer()
	for i, v := range list {
		path := fmt.Sprintf("data[%d]", i)
		if v.Kind != luatable.TableKind {
			return nil, fail(path, "a table", v)
		}
		name := v.Table.Get("name")
		p, okP := prob(v.Table, "prob", "param1")
		param2, ok2 := param(v.Table.Get("param2"))
		if name.Kind != luatable.String || !okP || !ok2 {
			return nil, fail(path, "a name, and a prob and a param2 of 0 to 255", name)
		}
		if s.Name[i], err = id(name.Text); err != nil {
			return nil, err
		}
		s.Prob[i], s.Param2[i] = p, param2
		s.SetForce(i, v.Table.Get("force_place").Bool)
	}
	return s, nil
}

// whole returns the value of a whole number from 0 to most.
func whole(v luatable.Value, most float64) (int, bool) {
	if v.Kind != luatable.Number || v.Number != math.Trunc(v.Number) || v.Number < 0 || v.Number > most {
		return 0, false
	}
	return int(v.Number), true
}

// prob returns a probability, or Always if none of the keys exists.
func prob(t *luatable.Table, keys ...string) (uint8, bool) {
	for _, key := range keys {
		if v := t.Get(key); v.Kind != luatable.Nil {
			n, ok := whole(v, 255)
			return uint8(n >> 1), ok
		}
	}
	return Always, true
}

func (s *Schematic) encodeLua() ([]byte, error) {
	if err := s.spendText(); err != nil {
		return nil, err
	}
	w := luaWriter{}
	w.dst = fmt.Appendf(w.dst, "schematic = {\n\tsize = {x=%d, y=%d, z=%d},\n\tyslice_prob = {\n", s.Size[0], s.Size[1], s.Size[2])
	for y := range s.Size[1] {
		w.dst = fmt.Appendf(w.dst, "\t\t{ypos=%d, prob=%d},\n", y, 2*s.slice(y))
	}
	w.dst = append(w.dst, "\t},\n\tdata = {\n"...)
	for i := range s.Name {
		w.dst = append(w.dst, "\t\t{name="...)
		w.text(s.At(i))
		w.dst = fmt.Appendf(w.dst, ", prob=%d, param2=%d", 2*s.Prob[i], s.Param2[i])
		if s.forced(i) {
			w.dst = append(w.dst, ", force_place=true"...)
		}
		w.dst = append(w.dst, "},\n"...)
	}
	w.dst = append(w.dst, "\t},\n}\n"...)
	return w.dst, nil
}
