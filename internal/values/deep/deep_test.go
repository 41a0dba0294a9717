package deep_test

import (
	"math"
	"testing"

	"trowel.example/internal/values/deep"
)

type part struct {
	Name  string
	Parts []*part
	At    *part
	Value any
	Bytes []byte
	Grid  [2]float32
	from  int
}

func model() *part {
	leaf := &part{Name: "leaf", Value: &part{Name: "value"}, Grid: [2]float32{1, float32(math.NaN())}, from: 7}
	root := &part{Name: "root", Parts: []*part{leaf, {Name: "other", At: leaf, Bytes: []byte{1}}}}
	root.At = root // a cycle
	return root
}

func TestClone(t *testing.T) {
	m := model()
	c := deep.Clone(m)
	if !deep.Equal(m, c) || c == m || c.At != c || c.Parts[1].At != c.Parts[0] || c.Parts[0] == m.Parts[0] || c.Parts[0].from != 7 {
		t.Fatalf("a clone is %+v", c)
	}
	c.Parts[1].Bytes[0] = 2
	c.Parts[0].Value.(*part).Name = "x"
	if !deep.Equal(m, model()) {
		t.Error("a change of the clone changed the model")
	}
}

func TestEqual(t *testing.T) {
	for name, edit := range map[string]func(*part){
		"name":         func(m *part) { m.Parts[0].Name = "x" },
		"value":        func(m *part) { m.Parts[0].Value = part{Name: "value"} },
		"no value":     func(m *part) { m.Parts[0].Value = nil },
		"no part":      func(m *part) { m.Parts[1] = nil },
		"less parts":   func(m *part) { m.Parts = m.Parts[:1] },
		"bits":         func(m *part) { m.Parts[0].Grid[0] = float32(math.Copysign(0, -1)) },
		"another leaf": func(m *part) { m.Parts[1].At = deep.Clone(m.Parts[0]) },
	} {
		m := model()
		edit(m)
		if deep.Equal(m, model()) || deep.Equal(model(), m) {
			t.Errorf("%s: equal", name)
		}
	}
	m := model()
	m.Parts[0].Parts, m.Parts[0].from = []*part{}, 8
	if !deep.Equal(m, model()) {
		t.Error("an empty list, or what is not exported, makes a difference")
	}
}
