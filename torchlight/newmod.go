//go:build !js

package torchlight

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"
	"unicode"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// newModFields are the fields of a new mod.
type newModFields struct {
	Name        string `arg:"name" help:"the name of the mod"`
	Author      string `option:"author" help:"the {name} of the author"`
	Description string `option:"description" help:"a {text} about the mod"`
}

// newMod makes the folder of a new mod.
var newMod = format.Declare[newModFields](format.Command{Name: "mod", Title: "Start a mod of Torchlight II",
	Long: "The mod has a MOD_ID that no other mod has, and as an example a ring with its icon, a set that the ring belongs to, and the " +
		"affix of the set. All files are texts and pictures for any editor. The mod needs no file of the game, and can be packed at once.",
	Example: "mod Frost --author Ada",
}, format.NewTree(func(job *format.Job) (fs.FS, error) {
	o := format.Values[newModFields](job)
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return makeMod(o, int64(binary.LittleEndian.Uint64(id[:])&math.MaxInt64|1))
}))

// makeMod returns the folder of a new mod.
func makeMod(o newModFields, id int64) (fs.FS, error) {
	stem := stemOf(o.Name)
	if stem == "" || len(stem) > maxStem || safename.Escape(stem) != stem {
		return nil, fmt.Errorf("%q: expected a name with 1 to %d letters A to Z or digits, after which the files of the mod are named (`edit -- "+
			"info --title` changes the title)", o.Name, maxStem)
	}
	header := &text.Node{Name: "MOD"}
	for _, p := range []struct {
		t          text.Type
		key, value string
	}{
		{text.String, "NAME", o.Name}, {text.Integer64, "MOD_ID", fmt.Sprint(id)}, {text.Integer, "VERSION", "0"},
		{text.String, "AUTHOR", o.Author}, {text.String, "DESCRIPTION", o.Description}, {text.String, "WEBSITE", ""},
		{text.String, "DOWNLOAD_URL", ""}, {text.String, "MOD_FILE_NAME", stem},
	} {
		if strings.ContainsAny(p.value, "\r\n\x00") {
			return nil, fmt.Errorf("%s: a text of a mod is one line", p.key)
		}
		header.Add(p.t, p.key, p.value)
	}
	begin := new(tree.FS)
	begin.AddBytes("MOD.DAT", text.Format(header))
	e, err := modedit.OfFolder(begin, modedit.Options{})
	if err != nil {
		return nil, err
	}
	for _, add := range []func(*modedit.Editor, string, string) error{addFirstIcon, addFirstAffix, addFirstItem, addFirstSet} {
		if err := add(e, o.Name, stem); err != nil {
			return nil, err
		}
	}
	if err := e.UpdateTables(); err != nil {
		return nil, err
	}
	made := new(tree.FS)
	return made, e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
		data, err := io.ReadAll(content)
		made.AddBytes(at, data)
		return err
	})
}

// maxStem is the maximum length of what the names in a new mod begin with.
const maxStem = 60

// stemOf returns what the names in a mod begin with, such as FROST_RINGS for Frost rings.
func stemOf(name string) string {
	isOther := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.ToUpper(strings.Join(strings.FieldsFunc(name, isOther), "_"))
}

// addFirstIcon adds an image set with the icon of the first item.
func addFirstIcon(e *modedit.Editor, _, stem string) error {
	icons := map[string]*image.NRGBA{"icon_" + strings.ToLower(stem) + "_ring": drawRing()}
	return putIcons(e, stem, "UI/"+stem+"_ICONS", icons, dds.Plain)
}

// addFirstAffix adds the affix of the first set.
func addFirstAffix(e *modedit.Editor, _, stem string) error {
	affix := &text.Node{Name: "AFFIX"}
	affix.Add(text.String, "NAME", stem+"_SET_BONUS")
	affix.Add(text.Integer, "RANK", "1")
	affix.Add(text.Integer, "MIN_SPAWN_RANGE", "1")
	affix.Add(text.Integer, "MAX_SPAWN_RANGE", "999")
	affix.Add(text.Integer, "WEIGHT", "0")
	affix.Add(text.Integer, "SLOTS_OCCUPY", "0")
	addHealth(affix, stem+"_SET_BONUS", "50")
	return e.Put("AFFIXES/"+stem+"_SET_BONUS.DAT", text.Format(affix))
}

// addHealth adds an effect of more health.
func addHealth(n *text.Node, name, value string) {
	effect := n.AddNode("EFFECT")
	effect.Add(text.String, "NAME", name)
	effect.Add(text.String, "ACTIVATION", "PASSIVE")
	effect.Add(text.String, "DURATION", "ALWAYS")
	effect.Add(text.String, "TYPE", "MAX HP")
	effect.Add(text.Float, "MIN", value)
	effect.Add(text.Float, "MAX", value)
}

// addFirstItem adds the first item. Its GUID is that of a copy of an item without one.
func addFirstItem(e *modedit.Editor, title, stem string) error {
	path := "MEDIA/UNITS/ITEMS/" + stem + "/" + stem + "_RING.DAT"
	unit := &text.Node{Name: "UNIT"}
	unit.Add(text.String, "NAME", stem+"_RING")
	unit.Add(text.Translate, "DISPLAYNAME", "Ring of "+title)
	unit.Add(text.Translate, "DESCRIPTION", "The first item of "+title+".")
	unit.Add(text.Integer64, "UNIT_GUID", "0")
	unit.Add(text.String, "UNITTYPE", "RING")
	unit.Add(text.String, "CREATEAS", "EQUIPMENT")
	unit.Add(text.String, "ICON", "icon_"+strings.ToLower(stem)+"_ring")
	unit.Add(text.Integer, "LEVEL", "5")
	unit.Add(text.Integer, "MINLEVEL", "1")
	unit.Add(text.Integer, "MAXLEVEL", "100")
	unit.Add(text.Integer, "RARITY", "10")
	addHealth(unit, stem+"_RING", "20")
	if err := e.Put(path, text.Format(unit)); err != nil {
		return err
	}
	_, err := e.NewGUIDs(path)
	return err
}

// addFirstSet adds a set, with the first item as a member.
func addFirstSet(e *modedit.Editor, title, stem string) error {
	return e.NewSet(stem+"_SET", "The Set of "+title, []string{stem + "_RING"}, []modedit.SetBonus{{Count: 2, Affix: stem + "_SET_BONUS"}})
}

// drawRing draws an icon of a ring with a stone.
func drawRing() *image.NRGBA {
	const side, fine = 64, 4 // samples of a pixel, each way
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		x, y := i%side, i/side
		var r, g, b, a float64
		for j := range fine * fine {
			px := (float64(x*fine+j%fine)+.5)/(side*fine/2) - 1
			py := (float64(y*fine+j/fine)+.5)/(side*fine/2) - 1
			band := (math.Hypot(px, py-.2) - .55) / .14
			light := .5 - .35*(px+py-.2)
			switch {
			case math.Abs(px)+math.Abs(py+.5) < .34: // the stone
				r, g, b, a = r+.35*light+.1, g+.7*light+.1, b+light+.2, a+1
			case math.Abs(band) < 1:
				light *= .5 + math.Sqrt(1-band*band)
				r, g, b, a = r+.95*light, g+.8*light, b+.45*light, a+1
			}
		}
		if a > 0 {
			at := func(v float64) uint8 { return uint8(math.Round(255 * min(1, v/a))) }
			m.SetNRGBA(x, y, color.NRGBA{R: at(r), G: at(g), B: at(b), A: uint8(math.Round(255 * a / (fine * fine)))})
		}
	}
	return m
}
