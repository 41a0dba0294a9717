package worlddir

import (
	"bytes"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
)

// numericType marks an object whose type has no name.
const numericType = "type:"

// objectTypes are the types of objects by their names.
var objectTypes = func() map[string]mapblock.ObjectType {
	types := make(map[string]mapblock.ObjectType)
	for t := mapblock.ObjectTest; t <= mapblock.ObjectLuaEntity; t++ {
		types[t.String()] = t
	}
	return types
}()

func appendObjectType(dst []byte, t mapblock.ObjectType) []byte {
	name := t.String()
	if known, ok := objectTypes[name]; ok && known == t {
		return append(dst, name...)
	}
	return strconv.AppendUint(append(dst, numericType...), uint64(t), 10)
}

func objectType(word string) (mapblock.ObjectType, bool) {
	if t, ok := objectTypes[word]; ok {
		return t, true
	}
	digits, ok := strings.CutPrefix(word, numericType)
	v, err := strconv.ParseUint(digits, 10, 8)
	return mapblock.ObjectType(v), ok && err == nil
}

func (t *blockText) objects() {
	o := &t.Objects
	if len(o.List) == 0 && o.Version == 0 {
		return
	}
	t.sectionHead(SectionObjects, uint16(o.Version), 0)
	for i := range o.List {
		t.part(SectionObjects, i, [3]int{-1, -1, -1}, [3]int{-1, -1, -1})
		object := &o.List[i]
		t.dst = append(appendObjectType(indent(t.dst, 1), object.Type), ' ')
		t.dst = appendVector(t.dst, object.Pos, 4)
		if !t.entity(object) && !t.item(object) {
			t.dst = append(t.dst, '\n')
			t.hexLine(2, "data", object.Data)
		}
	}
}

// item writes the data of a dropped item, if the text represents it exactly.
func (t *blockText) item(o *mapblock.Object) bool {
	if o.Type != mapblock.ObjectItem {
		return false
	}
	it, err := o.Item()
	if err != nil {
		return false
	}
	if again, err := it.Encode(); err != nil || !bytes.Equal(again, o.Data) {
		return false
	}
	t.dst = append(appendWord(append(t.dst, ' '), it.Stack), '\n')
	t.fields([]field{{"rest", &it.Rest}})
	return true
}

// entity writes the data of an entity, if the text represents it exactly.
func (t *blockText) entity(o *mapblock.Object) bool {
	if o.Type != mapblock.ObjectLuaEntity {
		return false
	}
	e, err := o.LuaEntity()
	if err != nil {
		return false
	}
	if again, err := e.Encode(); err != nil || !bytes.Equal(again, o.Data) {
		return false
	}
	t.dst = append(appendWord(append(t.dst, ' '), e.Name), '\n')
	if e.Version == 0 {
		t.dst = append(t.dst, "    version = 0\n"...)
	}
	t.fields([]field{{"static", &e.StaticData}, {"hp", &e.HP}})
	if e.Velocity != [3]int32{} {
		t.dst = append(appendVector(append(t.dst, "    velocity = "...), e.Velocity, 4), '\n')
	}
	t.angle("yaw", e.Yaw, e.Yaw != 0)
	t.angle("pitch", e.Pitch, e.Version2 >= 1)
	t.angle("roll", e.Roll, e.Version2 >= 1)
	if e.Version2 >= 2 {
		t.hexLine(2, "guid =", e.GUID[:])
	}
	if e.Version2 > 2 {
		t.dst = append(strconv.AppendUint(append(t.dst, "    version2 = "...), uint64(e.Version2), 10), '\n')
	}
	t.fields([]field{{"rest", &e.Rest}})
	return true
}

func (t *blockText) angle(name string, v int32, there bool) {
	if there {
		t.dst = append(append(indent(t.dst, 2), name...), " = "...)
		t.dst = append(appendFixed(t.dst, v, 3), '\n')
	}
}
