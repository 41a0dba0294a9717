package worlddir

import (
	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

func (p *parser) objects() {
	p.b.Objects.Version = uint8(p.sectionVersion(0, 0xff))
	for p.more(1) {
		column := p.at
		o := p.object()
		if len(o.Data) > 0xffff {
			p.failAt(column, "the data of the object have %d bytes: expected at most 65535", len(o.Data))
		}
		if p.b.Objects.List = append(p.b.Objects.List, o); len(p.b.Objects.List) > 0xffff {
			p.failAt(column, "expected at most 65535 objects")
		}
	}
}

// object reads an object. Its type and position are followed by the name of an entity, by an item, or by the raw
// data.
func (p *parser) object() (o mapblock.Object) {
	word, column := p.plain("the type of an object")
	t, ok := objectType(word)
	if !ok {
		p.failAt(column, "expected the type of an object, such as LuaEntity or type:9, not %s", abridge(word))
	}
	o.Type, o.Pos = t, p.vector("the position", 4)
	if p.ended() {
		p.fieldsOf("data", func(string) { o.Data = p.hex() })
		return o
	}
	name, _, column := p.word("a name")
	p.end()
	at := p.line
	var err error
	switch t {
	case mapblock.ObjectItem:
		it := mapblock.Item{Stack: name}
		p.fieldsOf("rest", func(string) { it.Rest = []byte(p.value()) })
		o.Data, err = it.Encode()
	case mapblock.ObjectLuaEntity:
		o.Data, err = p.entity(name).Encode()
	default:
		p.failAt(column, "expected the end of the line: an object of this type has only data")
	}
	if err != nil && p.err == nil {
		p.err = &fault.TextError{Line: at, Msg: err.Error()}
	}
	return o
}

// fieldsOf reads the lines of an object, each of which must begin with one of the given words. It fails if read does
// not consume the whole line.
func (p *parser) fieldsOf(words string, read func(word string)) {
	seen := make(map[string]bool)
	for p.more(2) {
		word, column := p.plain("a field")
		switch {
		case !isOneOf(word, words):
			p.failAt(column, "unknown field %s: expected %s", abridge(word), words)
		case seen[word]:
			p.failAt(column, "duplicate %s", word)
		default:
			seen[word] = true
			before := p.line
			if read(word); p.line == before {
				p.end()
			}
		}
	}
}

func (p *parser) entity(name string) mapblock.LuaEntity {
	e := mapblock.LuaEntity{Version: 1, Name: name}
	stated := false
	since := func(version uint8) {
		if !stated {
			e.Version2 = max(e.Version2, version)
		}
	}
	p.fieldsOf("version static hp velocity yaw pitch roll guid version2 rest", func(word string) {
		if word == "static" || word == "rest" {
			text := p.value()
			if word == "static" {
				e.StaticData = text
			} else {
				e.Rest = []byte(text)
			}
			return
		}
		if !p.equals() {
			p.fail("expected =")
			return
		}
		p.at++
		switch word {
		case "version":
			e.Version = uint8(p.number("a version", 0, 1))
		case "hp":
			e.HP = uint16(p.number("half hearts", 0, 0xffff))
		case "velocity":
			e.Velocity = p.vector("the velocity", 4)
		case "yaw":
			e.Yaw = p.fixed("degrees", 3)
		case "pitch":
			e.Pitch = p.fixed("degrees", 3)
			since(1)
		case "roll":
			e.Roll = p.fixed("degrees", 3)
			since(1)
		case "guid":
			if guid := p.hex(); copy(e.GUID[:], guid) != len(e.GUID) || len(guid) != len(e.GUID) {
				p.fail("expected a GUID of 16 bytes")
			}
			since(2)
		case "version2":
			e.Version2, stated = uint8(p.number("a version", 0, 0xff)), true
		}
	})
	return e
}
