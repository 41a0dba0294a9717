//go:build !js

package modscene

import (
	"fmt"
	"os"
	"testing"

	"trowel.example/torchlight/moddir"
)

// TestDrops tests what the inspector says about what drops what.
func TestDrops(t *testing.T) {
	open := func(name string) moddir.Files {
		files, err := moddir.SourcesOf(os.DirFS("../../../samples/"+name), moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	m := &modSheets{media: []moddir.Files{open("cinder"), open("ember")}}
	d := m.newDrops()
	for file, want := range map[string]string{
		"MEDIA/UNITS/ITEMS/EMBER/ASHEN_BLADE.DAT": "[{droppedBy dropped by [Cinder Matron: 1 in 10 (EMBER_CHEST_LOOT) " +
			"Ash Chest: 1 in 13 (EMBER_CHEST_LOOT) Cinder Hound, Cinder Matron: 1 in 334 (EMBER_HOUND_LOOT > EMBER_CHEST_LOOT)]}]",
		"MEDIA/UNITS/ITEMS/EMBER/CINDER_SHARD.DAT": "[{droppedBy dropped by [Ash Chest: always (EMBER_CHEST_LOOT) " +
			"Cinder Matron: always (EMBER_CHEST_LOOT) Cinder Hound, Cinder Matron: 1 in 2.5 (EMBER_HOUND_LOOT)]} " +
			"{droppedAs dropped as some EMBER GEM by [Cinder Matron: 1 in 2.4 (EMBER_CHEST_LOOT) Ash Chest: 1 in 2.9 (EMBER_CHEST_LOOT) " +
			"Cinder Hound, Cinder Matron: 1 in 67 (EMBER_HOUND_LOOT > EMBER_CHEST_LOOT)]}]",
		"MEDIA/UNITS/MONSTERS/EMBER/CINDER_HOUND.DAT": "[{drops drops [Cinder Shard: 1 in 2.5 some EMBER GEM: 1 in 67 " +
			"Ashen Blade: 1 in 334 Ashen Guard: 1 in 667]} {foundIn found in [The Ember Hollow]}]",
		"MEDIA/SKILLS/NONE.DAT": "[]",
	} {
		if got := fmt.Sprint(d.facts(file)); got != want {
			t.Errorf("%s:\n%s, want\n%s", file, got, want)
		}
	}
	if got := fmt.Sprint(firstFew([]string{"a", "b", "c"}, 2)); got != "[a b and 1 more]" {
		t.Error(got)
	}
}
