package pak

import (
	"encoding/binary"
	"fmt"

	"trowel.example/fault"
)

// Kind is the kind of a .PAK file, as detected from its first bytes.
type Kind int

const (
	KindUnknown     Kind = iota
	KindTorchlight       // an archive of Torchlight II: its manifest is a separate .PAK.MAN
	KindPreview          // an archive of the preview of May 2012, which has no hash
	KindRebelGalaxy      // a single file with its list at the end
	KindHob              // a single file with its list at the end
	KindRebelOutlaw      // a single file with its list at the end
	KindZip              // Torchlight's pak.zip, an ordinary zip
)

func (k Kind) String() string {
	switch k {
	case KindTorchlight:
		return "an archive of Torchlight II"
	case KindPreview:
		return "an archive of the preview of Torchlight II"
	case KindRebelGalaxy:
		return "an archive of Rebel Galaxy"
	case KindHob:
		return "an archive of Hob"
	case KindRebelOutlaw:
		return "an archive of Rebel Galaxy Outlaw"
	case KindZip:
		return "a zip archive, such as that of Torchlight"
	}
	return "unknown"
}

// sniffed is the number of bytes that Sniff needs.
const sniffed = 22

// Sniff returns the kind of a .PAK of size bytes that begins with head; 22 bytes of head are enough. Torchlight II's
// archives have no magic number: they are recognized by the header of their first block. An archive whose first block
// is stored is not recognized, whether it is of Torchlight II or of its preview.
func Sniff(head []byte, size int64) Kind {
	if len(head) >= 4 && string(head[:4]) == "PK\x03\x04" {
		return KindZip
	}
	if len(head) < min(sniffed, int(min(size, sniffed))) || len(head) < headerSize {
		return KindUnknown
	}
	if k := sniffSingle(head, size); k != KindUnknown {
		return k
	}
	u32 := binary.LittleEndian.Uint32
	most := u32(head)
	block := func(at int) bool {
		if len(head) < at+10 {
			return false
		}
		compressed := u32(head[at+4:])
		return 0 < compressed && compressed <= most && int64(at)+blockHeaderSize+int64(compressed) <= size &&
			head[at+8] == 0x78 && (uint32(head[at+8])<<8|uint32(head[at+9]))%31 == 0
	}
	switch {
	case block(headerSize):
		return KindTorchlight
	case block(headerSize - 4):
		return KindPreview
	case size == headerSize && most == 0: // an archive without files
		return KindTorchlight
	}
	return KindUnknown
}

// sniffSingle recognizes the archives that contain their own list.
func sniffSingle(head []byte, size int64) Kind {
	if len(head) < 18 {
		return KindUnknown
	}
	u32 := binary.LittleEndian.Uint32
	version, zero, list := binary.LittleEndian.Uint16(head), u32(head[2:]), int64(u32(head[6:]))
	if zero != 0 || list < 14 || list > size-8 {
		return KindUnknown
	}
	switch version {
	case 1:
		return KindRebelGalaxy
	case 5:
		if int64(u32(head[10:])) == size-list {
			return KindRebelOutlaw
		}
		return KindHob
	}
	return KindUnknown
}

// Supported returns an error that names the kind of the .PAK if this package cannot read that kind.
func (k Kind) Supported() error {
	switch k {
	case KindUnknown, KindTorchlight:
		return nil
	}
	return &fault.Error{Offset: 0, Want: "an archive of Torchlight II",
		Got: fmt.Sprintf("%v, which is not supported", k), Err: fault.ErrVersion}
}
