package mapblock

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Objects is the list of static objects: the movable objects, in their state when the block was saved.
type Objects struct {
	Version uint8 // 0; games ignore it
	List    []Object
}

// ObjectType is the type of a static object.
type ObjectType uint8

// Current games create only items and LuaEntity objects. They keep objects of the other types until the block is
// activated, then delete them.
const (
	ObjectTest      ObjectType = 1
	ObjectItem      ObjectType = 2
	ObjectRat       ObjectType = 3
	ObjectOerkki1   ObjectType = 4
	ObjectFirefly   ObjectType = 5
	ObjectMobV2     ObjectType = 6
	ObjectLuaEntity ObjectType = 7
)

func (t ObjectType) String() string {
	names := []string{"", "Test", "Item", "Rat", "Oerkki1", "Firefly", "MobV2", "LuaEntity"}
	if int(t) < len(names) && t > 0 {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Object is a static object.
type Object struct {
	Type ObjectType
	Pos  [3]int32 // x, y, z in the world, in 1/10000 of a node
	Data []byte   // the meaning depends on the type: see Item and LuaEntity
}

// objectSize is the minimum number of bytes of an object.
const objectSize = 1 + 3*4 + 2

func (c *codec) objects(b *Block) {
	c.enterName("objects")
	defer c.leavePath()
	c.u8("version", &b.Objects.Version)
	n := c.count16("count", len(b.Objects.List))
	elements(c, "entries", n, objectSize, &b.Objects.List, func(o *Object) {
		t := uint8(o.Type)
		if c.u8("type", &t); !c.writing() {
			o.Type = ObjectType(t)
		}
		c.means("%v", o.Type)
		c.i32("x", &o.Pos[0])
		c.i32("y", &o.Pos[1])
		c.i32("z", &o.Pos[2])
		if c.tracer != nil && (o.Type == ObjectItem || o.Type == ObjectLuaEntity) {
			c.traceObject(o)
			return
		}
		c.bytes16("data", &o.Data)
	})
}

// traceObject reports the fields of the object data to a tracer.
func (c *codec) traceObject(o *Object) {
	n := c.r.Count16("data_size", 1)
	if c.failed() {
		return
	}
	o.Data = bytes.Clone(c.left()[:n])
	c.traceBody("data", n, func(c *codec) {
		if o.Type == ObjectItem {
			new(Item).layout(c)
		} else {
			new(LuaEntity).layout(c)
		}
	})
}

// Item is the data of an object of type ObjectItem.
type Item struct {
	Version uint8  // 0
	Stack   string // the item stack, such as "default:dirt 5"
	Rest    []byte // following bytes; usually none
}

func (it *Item) layout(c *codec) {
	c.u8("version", &it.Version)
	c.expect("version", it.Version, "version 0", it.Version == 0)
	c.string16("stack", &it.Stack)
	c.rest("rest", &it.Rest)
}

// Item decodes the data of an object of type ObjectItem.
func (o *Object) Item() (Item, error) {
	c := newReader(o.Data, "")
	var it Item
	it.layout(c)
	return it, c.fault()
}

// Encode returns the data of an object of type ObjectItem.
func (it Item) Encode() ([]byte, error) {
	var c codec
	it.layout(&c)
	return c.w, c.err
}

// LuaEntity is the data of an object of type ObjectLuaEntity.
type LuaEntity struct {
	Version    uint8 // 1; in 0 nothing follows the static data
	Name       string
	StaticData string
	HP         int16
	Velocity   [3]int32 // in 1/10000 of a node per second
	Yaw        int32    // in 1/1000 of a degree

	// Version2 determines which fields follow: 0 means none, as before 5.0; 1 means Pitch and Roll; 2 or more means
	// GUID as well.
	Version2    uint8
	Pitch, Roll int32    // in 1/1000 of a degree
	GUID        [16]byte // since 5.17 or a little before

	Rest []byte // following bytes; usually none
}

func (e *LuaEntity) layout(c *codec) {
	c.u8("version", &e.Version)
	c.expect("version", e.Version, "version 0 or 1", e.Version <= 1)
	c.string16("name", &e.Name)
	c.string32("static_data", &e.StaticData)
	if e.Version >= 1 {
		c.i16("hp", &e.HP)
		for i, name := range []string{"velocity_x", "velocity_y", "velocity_z"} {
			c.i32(name, &e.Velocity[i])
		}
		c.i32("yaw", &e.Yaw)
		e.tail(c)
	}
	c.rest("rest", &e.Rest)
}

// tail reads or writes the fields added since 5.0. Version2 is 0 if they are missing.
func (e *LuaEntity) tail(c *codec) {
	if c.writing() && e.Version2 == 0 || !c.writing() && (c.r.Len() == 0 || c.left()[0] == 0) {
		return
	}
	c.u8("version2", &e.Version2)
	c.i32("pitch", &e.Pitch)
	c.i32("roll", &e.Roll)
	if e.Version2 < 2 {
		return
	}
	if c.writing() {
		c.w = append(c.w, e.GUID[:]...)
	} else {
		copy(e.GUID[:], c.r.Bytes("guid", len(e.GUID)))
	}
}

// LuaEntity decodes the data of an object of type ObjectLuaEntity.
func (o *Object) LuaEntity() (LuaEntity, error) {
	c := newReader(o.Data, "")
	var e LuaEntity
	e.layout(c)
	return e, c.fault()
}

// Encode returns the data of an object of type ObjectLuaEntity.
func (e LuaEntity) Encode() ([]byte, error) {
	var c codec
	e.layout(&c)
	return c.w, c.err
}

// DroppedItem is the name of the Lua entity of dropped items.
const DroppedItem = "__builtin:item"

// Dropped returns the itemstring of a dropped item; ok is false for other objects. Entities of dropped items have it as a field of the
// Lua table in their static data or, in old worlds, as the whole static data.
func (o *Object) Dropped() (stack string, ok bool) {
	if o.Type == ObjectItem {
		it, err := o.Item()
		return it.Stack, err == nil
	}
	e, from, to, err := o.dropped()
	if err != nil {
		return "", false
	}
	if stack = e.StaticData[from:to]; to < len(e.StaticData) {
		stack = luaEscape.ReplaceAllStringFunc(stack, unescape)
	}
	return stack, true
}

// SetDropped replaces the itemstring of a dropped item.
func (o *Object) SetDropped(stack string) error {
	if o.Type == ObjectItem {
		it, err := o.Item()
		if err != nil {
			return err
		}
		it.Stack = stack
		o.Data, err = it.Encode()
		return err
	}
	e, from, to, err := o.dropped()
	if err != nil {
		return err
	}
	if to < len(e.StaticData) {
		stack = luaQuote.Replace(stack)
	}
	e.StaticData = e.StaticData[:from] + stack + e.StaticData[to:]
	o.Data, err = e.Encode()
	return err
}

// dropped returns the entity of a dropped item, and where its static data have the itemstring.
func (o *Object) dropped() (e LuaEntity, from, to int, err error) {
	if o.Type != ObjectLuaEntity {
		return e, 0, 0, errNotDropped
	}
	if e, err = o.LuaEntity(); err != nil {
		return e, 0, 0, err
	}
	switch m := itemstring.FindStringSubmatchIndex(e.StaticData); {
	case e.Name != DroppedItem:
		err = errNotDropped
	case !strings.HasPrefix(e.StaticData, "return"):
		to = len(e.StaticData)
	case m == nil:
		err = errNotDropped
	default:
		from, to = m[2], m[3]
	}
	return e, from, to, err
}

var (
	errNotDropped = errors.New("not a dropped item")
	itemstring    = regexp.MustCompile(`(?s)\bitemstring(?:"\])?\s*=\s*"((?:[^"\\]|\\.)*)"`)
	luaEscape     = regexp.MustCompile(`(?s)\\(?:[0-9]{1,3}|.)`)
	luaQuote      = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`) // as %q
)

// unescape returns the meaning of an escape in a Lua string.
func unescape(escape string) string {
	switch c := escape[1]; {
	case c == 'n':
		return "\n"
	case c == 'r':
		return "\r"
	case c == 't':
		return "\t"
	case c >= '0' && c <= '9':
		if v, err := strconv.ParseUint(escape[1:], 10, 8); err == nil {
			return string([]byte{byte(v)})
		}
	}
	return escape[1:]
}
