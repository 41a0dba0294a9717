package worlddir

import (
	"bytes"
	"strconv"
	"strings"

	"trowel.example/fault"
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

func (c *codec) usualObjects() bool {
	o := &c.b.Objects
	return stopped(c.b) || len(o.List) == 0 && o.Version == 0
}

func (c *codec) objects() {
	o := &c.b.Objects
	if version := c.listVersion(int64(o.Version), 0, 0xff); c.reading {
		o.Version = uint8(max(version, 0))
	}
	listEntries(c, "objects", &o.List, func(i int, o *mapblock.Object) {
		c.part(SectionObjects, i, [3]int{-1, -1, -1}, [3]int{-1, -1, -1})
		column := c.at
		if c.object(o); len(o.Data) > 0xffff && c.reading {
			c.failAt(column, "the data of the object have %d bytes: expected at most 65535", len(o.Data))
		}
	})
}

// object reads or writes an object. Its type and position are followed by the name of an entity or by an item, if the text represents
// its data exactly, and otherwise by the raw data.
func (c *codec) object(o *mapblock.Object) {
	word(c, "the type of an object", &o.Type, appendObjectType, objectType, "expected the type of an object, such as LuaEntity or type:9")
	c.vector("the position", &o.Pos, 4)
	it, e := mapblock.Item{}, mapblock.LuaEntity{Version: 1}
	raw := c.reading && c.ended()
	if !c.reading {
		raw = !decode(o, &it, &e)
	}
	if raw {
		c.end()
		c.objectFields([]field{{"data", len(o.Data) == 0, func() { c.lastHex(&o.Data) }}})
		return
	}
	column, name := c.at, &e.Name
	if o.Type == mapblock.ObjectItem {
		name = &it.Stack
	}
	c.name("a name", name)
	c.end()
	at := c.line
	switch o.Type {
	case mapblock.ObjectItem:
		c.objectFields([]field{textField(c, "rest", &it.Rest)})
	case mapblock.ObjectLuaEntity:
		c.entity(&e)
	default:
		c.failAt(column, "expected the end of the line: an object of this type has only data")
	}
	if !c.reading || c.err != nil {
		return
	}
	var err error
	if o.Type == mapblock.ObjectItem {
		o.Data, err = it.Encode()
	} else {
		o.Data, err = e.Encode()
	}
	if err != nil {
		c.err = &fault.TextError{Line: at, Msg: err.Error()}
	}
}

// decode decodes the data of an object as an item or an entity, and reports whether it gives the same data again.
func decode(o *mapblock.Object, it *mapblock.Item, e *mapblock.LuaEntity) bool {
	var again []byte
	var err error
	switch o.Type {
	case mapblock.ObjectItem:
		if *it, err = o.Item(); err == nil {
			again, err = it.Encode()
		}
	case mapblock.ObjectLuaEntity:
		if *e, err = o.LuaEntity(); err == nil {
			again, err = e.Encode()
		}
	default:
		return false
	}
	return err == nil && bytes.Equal(again, o.Data)
}

// objectFields reads or writes the fields of an object.
func (c *codec) objectFields(list []field) map[string]bool {
	return c.fields(list, func(word string, column int) {
		names := make([]string, len(list))
		for i, f := range list {
			names[i] = f.name
		}
		c.failAt(column, "unknown field %s: expected %s", abridge(word), strings.Join(names, " "))
	})
}

func (c *codec) entity(e *mapblock.LuaEntity) {
	seen := c.objectFields([]field{
		c.set("version", e.Version == 1, func() { number(c, "a version", &e.Version, 0, 1) }),
		textField(c, "static", &e.StaticData),
		c.set("hp", e.HP == 0, func() { number(c, "half hearts", &e.HP, -0x8000, 0x7fff) }),
		c.set("velocity", e.Velocity == [3]int32{}, func() { c.vector("the velocity", &e.Velocity, 4) }),
		c.set("yaw", e.Yaw == 0, func() { c.fixed("degrees", &e.Yaw, 3) }),
		c.set("pitch", e.Version2 < 1, func() { c.fixed("degrees", &e.Pitch, 3) }),
		c.set("roll", e.Version2 < 1, func() { c.fixed("degrees", &e.Roll, 3) }),
		c.set("guid", e.Version2 < 2, func() { c.guid(&e.GUID) }),
		c.set("version2", e.Version2 <= 2, func() { number(c, "a version", &e.Version2, 0, 0xff) }),
		textField(c, "rest", &e.Rest),
	})
	switch {
	case seen["version2"]:
	case seen["guid"]:
		e.Version2 = 2
	case seen["pitch"] || seen["roll"]:
		e.Version2 = 1
	}
}

func (c *codec) guid(p *[16]byte) {
	data := p[:]
	if c.bytes(&data); c.reading && (copy(p[:], data) != len(p) || len(data) != len(p)) {
		c.fail("expected a GUID of 16 bytes")
	}
}
