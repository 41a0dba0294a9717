package minecraft_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/internal/minecraft"
	"trowel.example/trace"
)

// tag returns a tag with a name.
func tag(kind minecraft.Kind, name string, value ...any) []byte {
	b := append([]byte{byte(kind)}, 0, byte(len(name)))
	return append(append(b, name...), values(value...)...)
}

// values returns numbers in big-endian order, and bytes and strings as they are.
func values(list ...any) (b []byte) {
	for _, v := range list {
		switch v := v.(type) {
		case []byte:
			b = append(b, v...)
		case string:
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(v))), v...)
		default:
			b, _ = binary.Append(b, binary.BigEndian, v)
		}
	}
	return b
}

// file has a tag of each kind.
func file() []byte {
	inner := values(tag(minecraft.String, "id", "minecraft:chest"), byte(0))
	return tag(minecraft.Compound, "Schematic",
		tag(minecraft.Byte, "b", int8(-3)), tag(minecraft.Short, "s", int16(-300)), tag(minecraft.Int, "i", int32(-70000)),
		tag(minecraft.Long, "l", int64(-1<<40)), tag(minecraft.Float, "f", float32(1.5)), tag(minecraft.Double, "d", math.Pi),
		tag(minecraft.ByteArray, "bytes", int32(3), []byte{7, 8, 9}), tag(minecraft.IntArray, "ints", int32(1), int32(5)),
		tag(minecraft.LongArray, "longs", int32(1), int64(6)), tag(minecraft.String, "text", "hello"),
		tag(minecraft.List, "empty", byte(minecraft.End), int32(0)),
		tag(minecraft.List, "shorts", byte(minecraft.Short), int32(2), int16(1), int16(2)),
		tag(minecraft.List, "things", byte(minecraft.Compound), int32(2), inner, inner),
		tag(minecraft.Int, "twice", int32(1)), tag(minecraft.Int, "twice", int32(2)), tag(minecraft.Compound, "inner", inner), byte(0))
}

func TestParse(t *testing.T) {
	root, err := minecraft.ParseTag(file(), 1<<10)
	if err != nil || root.Name != "Schematic" {
		t.Fatal(root.Name, err)
	}
	for name, want := range map[string]int64{"b": -3, "s": -300, "i": -70000, "l": -1 << 40, "twice": 2} {
		if v, ok := root.Get(name).Integer(); v != want || !ok {
			t.Errorf("%s is %d, %v", name, v, ok)
		}
	}
	if v := root.Get("bytes"); !bytes.Equal(v.Bytes(), []byte{7, 8, 9}) || file()[v.Offset()] != 7 {
		t.Errorf("bytes %v at %d", v.Bytes(), v.Offset())
	}
	id := root.Get("inner").Get("id")
	if id.Text() != "minecraft:chest" || !bytes.HasPrefix(file()[id.Offset():], []byte("\x00\x0fminecraft:chest")) {
		t.Errorf("%q at %d", id.Text(), id.Offset())
	}
	if root.Get("f").Number() != 1.5 || root.Get("d").Number() != math.Pi || root.Get("text").Text() != "hello" {
		t.Error("a number or text differs")
	}
	if root.Get("things").Len() != 2 || root.Get("empty").Len() != 0 || root.Get("shorts").Len() != 2 {
		t.Error("a list has another length")
	}
	var none minecraft.Tag = root.Get("nothing")
	if _, ok := none.Integer(); ok || none.Text() != "" || none.Bytes() != nil || none.Len() != 0 || none.Get("x").Kind != minecraft.End {
		t.Errorf("a tag that does not exist: %v", none)
	}
	if _, ok := root.Get("text").Integer(); ok {
		t.Error("a text is a number")
	}
}

func TestErrors(t *testing.T) {
	whole := file()
	for n := range len(whole) {
		if _, err := minecraft.ParseTag(whole[:n], 1<<10); !errors.Is(err, fault.ErrShort) {
			t.Fatalf("of %d bytes %d are no error of a file that ends too early: %v", len(whole), n, err)
		}
	}
	deep := []byte{}
	for range 600 {
		deep = append(deep, tag(minecraft.Compound, "x")...)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"rest":        {append(file(), 1), "expected the end of the file, found 1 more bytes"},
		"no compound": {tag(minecraft.Int, "x", int32(1)), "expected a compound"},
		"kind":        {tag(minecraft.Compound, "x", tag(minecraft.Kind(13), "y")), "kind 13"},
		"negative":    {tag(minecraft.Compound, "x", tag(minecraft.ByteArray, "y", int32(-1))), "expected a count of 0 or more, found -1"},
		"huge":        {tag(minecraft.Compound, "x", tag(minecraft.LongArray, "y", int32(math.MaxInt32))), "bytes, found"},
		"huge list": {tag(minecraft.Compound, "x", tag(minecraft.List, "y", byte(minecraft.Compound), int32(math.MaxInt32))),
			"bytes, found 0"},
		"list of ends": {tag(minecraft.Compound, "x", tag(minecraft.List, "y", byte(minecraft.End), int32(5)), byte(0)),
			"a tag of a known kind"},
		"list of what":   {tag(minecraft.Compound, "x", tag(minecraft.List, "y", byte(99), int32(5)), byte(0)), "kind 99"},
		"deeply nested":  {deep, "nested tags"},
		"end at the top": {[]byte{0}, "expected a compound, found end"},
	} {
		if _, err := minecraft.ParseTag(c.data, 1<<10); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		err := minecraft.Trace(c.data, 1<<10, func(trace.Field) {})
		if err == nil && name != "rest" && name != "no compound" && name != "end at the top" {
			t.Errorf("%s: no error of the trace", name)
		}
	}
}

func TestDecompress(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(file())
	z.Close()
	if data, err := minecraft.Decompress(b.Bytes()); err != nil || !bytes.Equal(data, file()) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := minecraft.Decompress(b.Bytes()[:b.Len()-9]); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a file that ends early: %v", err)
	}
	if data, err := minecraft.Decompress(file()); err != nil || !bytes.Equal(data, file()) {
		t.Errorf("without compression: %v", err)
	}
}

// TestTrace tests that each byte belongs to one field.
func TestTrace(t *testing.T) {
	at := int64(0)
	var shown []string
	err := minecraft.Trace(file(), 1<<10, func(f trace.Field) {
		if f.Offset != at || !bytes.Equal(f.Bytes, file()[at:at+f.Len]) {
			t.Errorf("%s: %d bytes from %d, expected from %d", f.Path, f.Len, f.Offset, at)
		}
		at += f.Len
		shown = append(shown, fmt.Sprint(f.Path, "=", f.Value))
	})
	if err != nil || at != int64(len(file())) {
		t.Errorf("%d of %d bytes, %v", at, len(file()), err)
	}
	for _, want := range []string{"Schematic.things[1].id=minecraft:chest", "Schematic.shorts[0]=1", "Schematic.d=3.141592653589793"} {
		if !strings.Contains(strings.Join(shown, "\n"), want) {
			t.Errorf("no %s in %s", want, shown)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file())
	f.Add(tag(minecraft.Compound, "",
		tag(minecraft.List, "y", byte(minecraft.List), int32(1), byte(minecraft.Byte), int32(1), byte(5)), byte(0)))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := minecraft.ParseTag(data, 1<<10)
		length := 0
		traced := minecraft.Trace(data, 1<<10, func(f trace.Field) { length += int(f.Len) })
		if err != nil {
			return
		}
		if traced != nil || length != len(data) {
			t.Fatalf("the trace has %d of %d bytes: %v", length, len(data), traced)
		}
		var walk func(minecraft.Tag)
		walk = func(tag minecraft.Tag) {
			for c := range tag.Tags() {
				if c.Offset() <= tag.Offset() || c.Offset() > int64(len(data)) {
					t.Fatalf("%s is at %d of %d", c.Name, c.Offset(), len(data))
				}
				c.Integer()
				_, _, _, _ = c.Number(), c.Text(), c.Bytes(), c.Len()
				walk(c)
			}
		}
		walk(root)
	})
}
