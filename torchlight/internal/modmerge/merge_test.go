package modmerge_test

import (
	"strings"
	"testing"

	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/modmerge"
)

// lines returns the text of a data file or layout that is abbreviated as "[X", "]X", "sKEY:VALUE".
func lines(s string) string {
	types := map[byte]string{'s': "STRING", 'i': "INTEGER", 'f': "FLOAT", 'g': "INTEGER64", 'u': "UNSIGNED INT"}
	var b strings.Builder
	for _, w := range strings.Fields(s) {
		switch {
		case w[0] == '[':
			b.WriteString(w + "]\n")
		case w[0] == ']':
			b.WriteString("[/" + w[1:] + "]\n")
		default:
			b.WriteString("<" + types[w[0]] + ">" + w[1:] + "\n")
		}
	}
	return b.String()
}

func TestData(t *testing.T) {
	secret := hash.Escape(hash.Of("SECRETIVE_LITTLE_KEY")) // as in a compiled file
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{"both keys", "[U iA:1 iB:2 ]U", "[U iA:3 iB:2 ]U", "[U iA:1 iB:4 ]U", "[U iA:3 iB:4 ]U", 0},
		{"the same", "[U iA:1 iB:1 ]U", "[U iA:3 iB:1 ]U", "[U iA:3 iB:2 ]U", "[U iA:3 iB:2 ]U", 0},
		{"one key", "[U iA:1 ]U", "[U iA:3 ]U", "[U iA:4 ]U", "[U iA:3 ]U", 1},
		{"types count", "[U iA:1 ]U", "[U fA:1 ]U", "[U uA:1 ]U", "[U fA:1 ]U", 1},
		{"numbers by type", "[U fA:1 iB:1 ]U", "[U fA:1.0 iB:2 ]U", "[U fA:2 iB:1 ]U", "[U fA:2 iB:2 ]U", 0},
		{"added keys", "[U iA:1 ]U", "[U iA:1 iB:2 ]U", "[U iA:1 iC:3 ]U", "[U iA:1 iB:2 iC:3 ]U", 0},
		{"keys by hash", "[U iSECRETIVE_LITTLE_KEY:1 iB:2 ]U", "[U iSECRETIVE_LITTLE_KEY:1 iB:3 ]U",
			"[U i" + secret + ":4 iB:2 ]U", "[U iSECRETIVE_LITTLE_KEY:4 iB:3 ]U", 0},
		{"nodes by hash", "[U [SECRETIVE_LITTLE_KEY iA:1 iB:2 ]SECRETIVE_LITTLE_KEY ]U",
			"[U [" + secret + " iA:3 iB:2 ]" + secret + " ]U", "[U [SECRETIVE_LITTLE_KEY iA:1 iB:4 ]SECRETIVE_LITTLE_KEY ]U",
			"[U [" + secret + " iA:3 iB:4 ]" + secret + " ]U", 0},
		{"added to both", "[U iA:1 ]U", "[U iA:1 iB:2 ]U", "[U iA:1 iB:3 ]U", "[U iA:1 iB:2 ]U", 1},
		{"removed key", "[U iA:1 iB:2 ]U", "[U iA:5 iB:2 ]U", "[U iA:1 ]U", "[U iA:5 ]U", 0},
		{"removed and changed", "[U iA:1 iB:2 ]U", "[U iA:1 iB:3 ]U", "[U iA:1 ]U", "[U iA:1 iB:3 ]U", 1},
		{"lists are sets", "[U sAFFIX:A sAFFIX:B sAFFIX:C ]U", "[U sAFFIX:A sAFFIX:B sAFFIX:C sAFFIX:X ]U",
			"[U sAFFIX:A sAFFIX:Y sAFFIX:C sAFFIX:Z ]U", "[U sAFFIX:A sAFFIX:Y sAFFIX:C sAFFIX:X sAFFIX:Z ]U", 0},
		{"one value of a list", "[U sAFFIX:A sAFFIX:B ]U", "[U sAFFIX:A sAFFIX:X ]U", "[U sAFFIX:A sAFFIX:Y ]U",
			"[U sAFFIX:A sAFFIX:X ]U", 1},
		{"nodes by name", "[U [E sNAME:A iV:1 ]E [E sNAME:B iV:2 ]E ]U", "[U [E sNAME:B iV:9 ]E ]U",
			"[U [E sNAME:A iV:1 ]E [E sNAME:B iV:2 ]E [E sNAME:C iV:3 ]E ]U",
			"[U [E sNAME:B iV:9 ]E [E sNAME:C iV:3 ]E ]U", 0},
		{"added nodes of both", "[U iA:1 ]U", "[U iA:1 [E sNAME:A ]E ]U", "[U iA:1 [E sNAME:B ]E ]U",
			"[U iA:1 [E sNAME:A ]E [E sNAME:B ]E ]U", 0},
		{"node removed and changed", "[U [E sNAME:A iV:1 ]E [F iV:1 ]F ]U", "[U [F iV:1 ]F ]U",
			"[U [E sNAME:A iV:2 ]E [F iV:1 ]F ]U", "[U [F iV:1 ]F ]U", 1},
		{"nodes without names", "[U [E iV:1 iW:1 ]E [E iV:2 iW:2 ]E [E iV:3 iW:3 ]E ]U",
			"[U [E iV:1 iW:1 ]E [E iV:2 iW:8 ]E [E iV:3 iW:3 ]E ]U", "[U [E iV:2 iW:2 ]E [E iV:7 iW:3 ]E ]U",
			"[U [E iV:2 iW:8 ]E [E iV:7 iW:3 ]E ]U", 0},
		{"order of nodes", "[U [E sNAME:A iV:1 ]E [E sNAME:B iV:1 ]E ]U",
			"[U [E sNAME:A iV:2 ]E [E sNAME:B iV:1 ]E ]U", "[U [E sNAME:B iV:1 ]E [E sNAME:A iV:1 ]E ]U",
			"[U [E sNAME:B iV:1 ]E [E sNAME:A iV:2 ]E ]U", 0},
		{"without a base", "", "[U iA:1 iB:2 [E sNAME:A ]E ]U", "[U iA:1 iC:3 [E sNAME:B ]E ]U",
			"[U iA:1 iB:2 iC:3 [E sNAME:A ]E [E sNAME:B ]E ]U", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := ""
			if test.base != "" {
				base = lines(test.base)
			}
			got, conflicts := texts(t, "MEDIA/X.DAT", base, lines(test.ours), lines(test.theirs), modmerge.Options{})
			flat := strings.ReplaceAll(got, "\t", "")
			if flat != lines(test.want) || len(conflicts) != test.conflicts {
				t.Errorf("%d conflicts %v, got\n%s", len(conflicts), conflicts, got)
			}
		})
	}
}

func TestPrefer(t *testing.T) {
	got, conflicts := texts(t, "MEDIA/X.DAT", lines("[U iA:1 iB:2 ]U"), lines("[U iA:3 iB:5 ]U"),
		lines("[U iA:4 iB:2 ]U"), modmerge.Options{Options: merge3.Options{Prefer: merge3.Theirs}})
	if got != lines("[U iA:4 iB:5 ]U") || len(conflicts) != 1 || conflicts[0].Took != "theirs" ||
		conflicts[0].Base != "1" || conflicts[0].Ours != "3" || conflicts[0].Theirs != "4" {
		t.Errorf("%v\n%s", conflicts, got)
	}
}

// object returns the text of an object of a layout.
func object(id, kind, more string, children ...string) string {
	return " [BASEOBJECT [PROPERTIES sDESCRIPTOR:" + kind + " sNAME:" + kind + " gID:" + id + " " + more +
		" ]PROPERTIES [CHILDREN " + strings.Join(children, " ") + " ]CHILDREN ]BASEOBJECT "
}

func level(objects ...string) string {
	return lines("[Layout [OBJECTS " + strings.Join(objects, " ") + " ]OBJECTS ]Layout")
}

func TestLayouts(t *testing.T) {
	const x, y = "fPOSITIONX:1", "fPOSITIONX:1 fPOSITIONZ:2"
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{"keys of two objects", level(object("1", "Light", x), object("2", "Light", x)),
			level(object("1", "Light", y), object("2", "Light", x)),
			level(object("1", "Light", x), object("2", "Light", y)),
			level(object("1", "Light", y), object("2", "Light", y)), 0},
		{"added and removed", level(object("1", "Light", x), object("2", "Light", x)),
			level(object("1", "Light", x), object("2", "Light", x), object("3", "Light", x)),
			level(object("1", "Light", x), object("4", "Light", x)),
			level(object("1", "Light", x), object("3", "Light", x), object("4", "Light", x)), 0},
		{"moved into a group", level(object("1", "Group", ""), object("2", "Light", x)),
			level(object("1", "Group", ""), object("2", "Light", y)),
			level(object("1", "Group", "", object("2", "Light", x))),
			level(object("1", "Group", "", object("2", "Light", y))), 0},
		{"removed and changed", level(object("1", "Light", x), object("2", "Light", x)),
			level(object("1", "Light", y), object("2", "Light", x)), level(object("2", "Light", x)),
			level(object("1", "Light", y), object("2", "Light", x)), 1},
		{"into what is removed", level(object("1", "Group", ""), object("2", "Light", x)),
			level(object("2", "Light", x)), level(object("1", "Group", "", object("3", "Light", x)),
				object("2", "Light", x)), level(object("2", "Light", x)), 1},
		{"into each other", level(object("1", "Group", ""), object("2", "Group", "")),
			level(object("1", "Group", "", object("2", "Group", ""))),
			level(object("2", "Group", "", object("1", "Group", ""))),
			level(object("1", "Group", "", object("2", "Group", ""))), 1},
		{"other kinds", level(object("1", "Light", x), object("2", "Light", x)),
			level(object("1", "Group", ""), object("2", "Light", x)),
			level(object("1", "Sound", ""), object("2", "Light", y)),
			level(object("1", "Group", ""), object("2", "Light", x)), 1},
		{"order", level(object("1", "Light", x), object("2", "Light", x), object("3", "Light", x)),
			level(object("1", "Light", y), object("2", "Light", x), object("3", "Light", x)),
			level(object("3", "Light", x), object("1", "Light", x), object("2", "Light", x)),
			level(object("3", "Light", x), object("1", "Light", y), object("2", "Light", x)), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, conflicts := texts(t, "MEDIA/LAYOUTS/X.LAYOUT", test.base, test.ours, test.theirs, modmerge.Options{})
			if strings.ReplaceAll(got, "\t", "") != test.want || len(conflicts) != test.conflicts {
				t.Errorf("%d conflicts %v, got\n%s", len(conflicts), conflicts, got)
			}
		})
	}
}

func TestImageSets(t *testing.T) {
	set := func(images ...string) string {
		return "<Imageset Name=\"a\" Imagefile=\"a.dds\">\n\t" + strings.Join(images, "\n\t") + "\n</Imageset>\n"
	}
	image := func(name, x string) string {
		return `<Image Name="` + name + `" XPos="` + x + `" YPos="0" Width="1" Height="1" />`
	}
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{"added to both", set(image("a", "1")), set(image("a", "1"), image("b", "2")),
			set(image("a", "1"), image("c", "3")), set(image("a", "1"), image("b", "2"), image("c", "3")), 0},
		{"changed and removed", set(image("a", "1"), image("b", "2")), set(image("a", "5"), image("b", "2")),
			set(image("a", "1")), set(image("a", "5")), 0},
		{"another rectangle", set(image("a", "1")), set(image("a", "2")), set(image("a", "3")), set(image("a", "2")), 1},
		{"> in a name", set(image("a>b", "1")), set(image("a>b", "2"), image("c", "3")),
			set(image("a>b", "1"), image("d", "4")), set(image("a>b", "2"), image("c", "3"), image("d", "4")), 0},
		{"a tag without an end", set(`<Image Name="a"`, image("b", "1")), set(`<Image Name="a"`, image("b", "2")),
			set(`<Image Name="a"`, image("b", "3")), set(`<Image Name="a"`, image("b", "2")), 1},
		{"a quote without an end", set(`<Image Name="a />`, image("b", "1")),
			set(`<Image Name="a />`, image("b", "2")), set(`<Image Name="a />`, image("b", "3")),
			set(`<Image Name="a />`, image("b", "2")), 1},
		{"a set that is cut off", "<Imageset Name='a' ", "<Imageset " + image("b", "2"), "<Imageset Name='c' ",
			"<Imageset " + image("b", "2"), 1},
		{"images before the set", image("a", "1") + set(), image("a", "2") + set(), image("a", "3") + set(), image("a", "2") + set(), 1},
		{"without a base", "", set(image("a", "1"), image("b", "2")), set(image("a", "1"), image("c", "3")),
			set(image("a", "1"), image("c", "3"), image("b", "2")), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, conflicts := texts(t, "MEDIA/UI/A.IMAGESET", test.base, test.ours, test.theirs, modmerge.Options{})
			if len(conflicts) != test.conflicts || got != test.want && test.name != "without a base" ||
				strings.Count(got, "<Image ") != strings.Count(test.want, "<Image ") {
				t.Errorf("%d conflicts %v, got\n%s", len(conflicts), conflicts, got)
			}
		})
	}
}
