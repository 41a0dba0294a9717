package format_test

import (
	"testing"

	"trowel.example/internal/format"
)

func TestIsLitter(t *testing.T) {
	for _, name := range []string{"settings.cfg~", "groups/.Game.txt.swp", "groups/.Game.txt.swo", "4913", "a/4913", ".#a", "#a#", ".DS_Store",
		"._icon.png", "Thumbs.db", "desktop.ini", ".Trash-1000/files/a", ".~lock.a.odt#", "~$a.doc", ".goutputstream-ABC", ".nfs0001",
		".fuse_hidden01", ".a.txt.trowel-part"} {
		if !format.IsLitter(name) {
			t.Errorf("%q is kept", name)
		}
	}
	for _, name := range []string{"settings.cfg", "groups/Game/Game.txt", "49130", "swap.swp", ".hidden", "a#b", "blocks/z-1/y0/4,9,13.txt",
		"MEDIA/~A.DAT"} {
		if format.IsLitter(name) {
			t.Errorf("%q is left out", name)
		}
	}
}
