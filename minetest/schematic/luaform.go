package schematic

import (
	"fmt"
	"math"
	"strings"

	"trowel.example/fault"
)

// decodeLua reads a schematic as core.serialize_schematic writes it for Lua. In it
// probabilities are twice what they are in .mts.
func decodeLua(data []byte) (*Schematic, error) {
	_, vars, err := readLua(data, 0)
	if err != nil {
		return nil, err
	}
	fail := func(path, want string) error {
		return &fault.Error{Path: path, Offset: -1, Want: want, Got: "something else", Err: fault.ErrFormat}
	}
	root, _ := vars["schematic"].(*table)
	if root == nil {
		return nil, fail("schematic", "a table")
	}
	size, _ := root.get("size").(*table)
	nodes, _ := root.get("data").(*table)
	if size == nil || nodes == nil {
		return nil, fail("schematic", "size and data")
	}
	s := &Schematic{Form: Lua}
	for axis, key := range []string{"x", "y", "z"} {
		n, ok := whole(size.get(key), math.MaxInt32)
		if !ok {
			return nil, fail("size."+key, "a whole number")
		}
		s.Size[axis] = n
	}
	n, err := volume(s.Size)
	if err != nil {
		return nil, err
	}
	list := nodes.items()
	if len(list) != n {
		return nil, &fault.Error{Path: "data", Offset: -1, Want: fmt.Sprintf("%d nodes", n), Got: fmt.Sprint(len(list)), Err: fault.ErrFormat}
	}
	if probs, ok := root.get("yslice_prob").(*table); ok {
		for i, v := range probs.items() {
			t, _ := v.(*table)
			if t == nil {
				return nil, fail(fmt.Sprintf("yslice_prob[%d]", i), "a table")
			}
			y, okY := whole(t.get("ypos"), math.MaxInt32)
			p, okP := prob(t, "prob")
			if !okY || !okP {
				return nil, fail(fmt.Sprintf("yslice_prob[%d]", i), "ypos, and a prob of 0 to 255")
			}
			if y < s.Size[1] && p != Always && s.Slices == nil {
				s.Slices = []uint8(strings.Repeat(string(rune(Always)), s.Size[1]))
			}
			if y < s.Size[1] && s.Slices != nil {
				s.Slices[y] = p
			}
		}
	}
	s.Name, s.Param2, s.Prob = make([]uint16, n), make([]uint8, n), make([]uint8, n)
	id := s.Namer()
	for i, v := range list {
		t, _ := v.(*table)
		if t == nil {
			return nil, fail(fmt.Sprintf("data[%d]", i), "a table")
		}
		name, named := t.get("name").(string)
		p, okP := prob(t, "prob", "param1")
		param2, ok2 := whole(t.get("param2"), 255)
		if !named || !okP || t.get("param2") != nil && !ok2 {
			return nil, fail(fmt.Sprintf("data[%d]", i), "a name, and a prob and a param2 of 0 to 255")
		}
		if s.Name[i], err = id(name); err != nil {
			return nil, err
		}
		s.Prob[i], s.Param2[i] = p, uint8(param2)
		s.SetForce(i, t.get("force_place") == true)
	}
	return s, nil
}

// whole returns a value that is a whole number from 0 to most.
func whole(v value, most float64) (int, bool) {
	n, ok := v.(float64)
	if !ok || n != math.Trunc(n) || n < 0 || n > most {
		return 0, false
	}
	return int(n), true
}

// prob returns a probability, which is Always where none of the keys is there.
func prob(t *table, keys ...string) (uint8, bool) {
	for _, key := range keys {
		if v := t.get(key); v != nil {
			n, ok := whole(v, 255)
			return uint8(n >> 1), ok
		}
	}
	return Always, true
}

func (s *Schematic) encodeLua() ([]byte, error) {
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
