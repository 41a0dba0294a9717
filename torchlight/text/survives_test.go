package text_test

import (
	"testing"

	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/text"
)

// FuzzSurvives tests that a tree for which Survives returns true is preserved in its text.
func FuzzSurvives(f *testing.F) {
	f.Add([]byte("A\x00"), []byte("K\x00"), []byte("V\x00 \x00"), uint8(5))
	f.Add([]byte("]\x00[\x00"), []byte(" \x00"), []byte("\r\x00"), uint8(1))
	f.Add([]byte("/\x00A\x00"), []byte("a\x00:\x00"), []byte("\n\x00"), uint8(9))
	f.Add([]byte("/\x00"), []byte("/\x00/\x00"), []byte("\x3d\xd8"), uint8(8))
	f.Fuzz(func(t *testing.T, name, key, value []byte, kind uint8) {
		root := &text.Node{Name: bin.DecodeUTF16(name)}
		root.Add(text.Type(kind), bin.DecodeUTF16(key), bin.DecodeUTF16(value))
		root.AddNode(bin.DecodeUTF16(key)).Add(text.String, bin.DecodeUTF16(name), bin.DecodeUTF16(value))
		if !text.Survives(root) {
			return
		}
		back, err := text.Parse(text.Format(root))
		if err != nil || !text.Equal(back.Root, root) {
			t.Fatalf("name %q, key %q, value %q: %v", root.Name, bin.DecodeUTF16(key), bin.DecodeUTF16(value), err)
		}
		// The lines of a file with other line ends that a value replaces, and the next ones, stay what they are.
		plain := []byte("\ufeff[A]\n<STRING>K:v\r\r\n<STRING>L:w\n[/A]\n")
		edited, err := text.Edit(plain, func(root *text.Node) error {
			root.Items[0].(*text.Property).Value = bin.DecodeUTF16(value)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		again, err := text.Parse(edited)
		want := text.Property{Type: text.String, Key: "K", Value: bin.DecodeUTF16(value)}
		if err != nil || len(again.Root.Items) != 2 || *again.Root.Items[0].(*text.Property) != want {
			t.Fatalf("value %q: %q, %v", bin.DecodeUTF16(value), edited, err)
		}
	})
}
