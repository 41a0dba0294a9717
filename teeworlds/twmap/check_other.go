package twmap

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
)

// Other games on the same engine have maps of nearly the same format. Their particularities are reported once, as
// information and never as an error.

const (
	modInfclass = "infclass"
	modNinslash = "Ninslash"
)

// infclassLayer reports whether a layer is one of infclass, not a truncated layer of DDNet. Only the name
// distinguishes them.
func infclassLayer(kind Kind, name string) bool { return kind.infclass() && name == kind.physicsName() }

// ninslashImage reports whether the integers of an image are those of Ninslash, which has seven in version 1.
func ninslashImage(v []int32) bool { return len(v) == 7 && v[0] == 1 }

// ninslash reports whether the item has a type that only Ninslash uses.
func (e *Extra) ninslash() bool { return e.UUID == nil && (e.Type == 9 || e.Type == 10) }

// findForeign determines whether the map is for another game, and which of its layers have another meaning there.
func (c *checker) findForeign() {
	c.foreign = make(map[*TileLayer]bool)
	var layers, images spots
	for _, g := range c.m.Groups {
		if g.Name == "#Entities" || g.Name == "#Zones" { // where the current infclass keeps its entities and zones
			c.mod = modInfclass
		}
		for _, l := range g.Layers {
			if t, ok := l.(*TileLayer); ok && infclassLayer(t.Kind(), t.Name) {
				c.foreign[t] = true
				layers.addAs(c.layers[l].Whole(), func() string { return t.Name })
			}
		}
	}
	for i, im := range c.m.Images {
		if im.item != nil && ninslashImage(im.item.Data) {
			images.add((&Part{Kind: PartImage, Number: i, Name: im.Name}).Whole())
		}
	}
	var types []string
	extras := images
	for i, e := range c.m.Extras {
		if e.ninslash() {
			extras.add((&Part{Kind: PartExtra, Number: i, Name: e.describe()}).Whole())
			if name := fmt.Sprintf("items of type %d", e.Type); !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	if layers.n > 0 {
		c.mod = modInfclass
	}
	if layers.n > 0 && (c.profile == nil || !c.profile.ownLayers) {
		c.add(func(sink check.Sink) {
			sink.AddAt(foundOtherGame, layers.at(), "", -1, "the map has %s of %s, which was not checked: %s", layers.of("layer"), c.mod, &layers)
		})
	}
	const sevenIntegers = "images of seven integers in version 1"
	if images.n > 0 && types == nil { // other programs write them, too
		c.add(func(sink check.Sink) {
			sink.AddAt(foundOtherGame, images.at(), "", -1, "the map has %s, as %s and other programs write them", sevenIntegers, modNinslash)
		})
	} else if images.n > 0 {
		types = append([]string{sevenIntegers}, types...)
	}
	if types != nil {
		c.mod = modNinslash
		c.add(func(sink check.Sink) {
			sink.AddAt(foundOtherGame, extras.at(), "", -1, "the map has %s, as %s writes them", strings.Join(types, " and "), c.mod)
		})
	}
}
