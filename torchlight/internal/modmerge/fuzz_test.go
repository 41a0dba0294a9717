package modmerge_test

import (
	"bytes"
	"testing"

	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/internal/modmerge"
)

// FuzzFile tests that any merge terminates, and that if one side changed nothing the result is the other side.
func FuzzFile(f *testing.F) {
	set := `<Imageset Name="S" Imagefile="s.dds"><Image Name="a" XPos="0" /></Imageset>`
	f.Add([]byte(lines("[U iA:1 [E sNAME:A ]E ]U")), []byte(lines("[U iA:2 [E sNAME:B ]E ]U")), []byte(lines("[U iB:1 ]U")), false)
	f.Add([]byte(level(object("1", "Group", ""), object("2", "Light", ""))),
		[]byte(level(object("1", "Group", "", object("2", "Light", "")))), []byte(level(object("2", "Light",
			""))), true)
	f.Add([]byte(set), []byte(set+" "), []byte("\xff\xfe<\x00"), true)
	f.Add([]byte(`<Imageset <Image Name="a">`), []byte(`<Imageset <Image Name="b">`), []byte(`<Imageset <Image Name="c">`), true)
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte, prefer bool) {
		for _, name := range []string{"MEDIA/X.DAT", "MEDIA/X.LAYOUT", "MEDIA/X.IMAGESET"} {
			var o modmerge.Options
			if prefer {
				o.Prefer = merge3.Theirs
			}
			if _, _, err := modmerge.File(name, base, ours, theirs, o); err != nil {
				t.Fatal(err)
			}
			if data, _, err := modmerge.File(name, base, base, theirs, o); err != nil || !bytes.Equal(data, theirs) {
				t.Fatalf("%s: other bytes, %v", name, err)
			}
		}
	})
}
