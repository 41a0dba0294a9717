package mapdraw

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Digest returns a hash of all that decides how pictures look but the map itself: the
// options, and the external images that were found.
func (r *Renderer) Digest() [32]byte {
	h := sha256.New()
	o := r.o
	fmt.Fprintln(h, o.Entities, o.Mask, o.Checker, r.sheets07())
	if p := o.EntitiesImage; p != nil {
		fmt.Fprintln(h, p.Rect)
		h.Write(p.Pix)
	}
	for _, p := range r.pictures {
		if p.users > 0 && p.image.External() {
			data, _, _ := r.mapres(p.image.Name)
			binary.Write(h, binary.LittleEndian, int64(len(data)))
			h.Write(data)
		}
	}
	return [32]byte(h.Sum(nil))
}
