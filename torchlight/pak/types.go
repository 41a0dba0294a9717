package pak

import (
	"fmt"
	"path"
	"strings"
)

// Type is the type code of a record. It depends on the extension of the name.
type Type uint8

// The types of Torchlight II. Compiled files keep the names of their sources: a TypeDat called FOO.DAT holds the file
// that is FOO.DAT.BINDAT on disk.
const (
	TypeDat            Type = iota // .DAT and .TEMPLATE, compiled
	TypeLayout                     // .LAYOUT, compiled
	TypeMesh                       // .MESH
	TypeSkeleton                   // .SKELETON
	TypeDDS                        // .DDS
	TypePNG                        // .PNG
	TypeSound                      // .WAV and .OGG
	TypeDirectory                  // a name that ends in a slash
	TypeMaterial                   // .MATERIAL
	TypeRaw                        // .RAW
	TypeUILayout                   // .UILAYOUT
	TypeImageset                   // .IMAGESET
	TypeFontFile                   // .TTF and .TTC
	TypeFont                       // .FONT
	TypeSourceDat                  // a .DAT as text
	TypeSourceLayout               // a .LAYOUT as text
	TypeAnimation                  // .ANIMATION, compiled
	TypeHie                        // .HIE, compiled
	TypeUnknown                    // any other extension
	TypeScheme                     // .SCHEME
	TypeLookNFeel                  // .LOOKNFEEL
	TypePathing                    // .MPP and .MPD
	TypeSourceTemplate             // a .TEMPLATE as text
	TypeVideo                      // .BIK
	TypeJPEG                       // .JPG

	// TypeRemovedDirectory is the type of a directory in which the archive has no files, but only removes some.
	TypeRemovedDirectory = TypeUnknown
)

var typeNames = [...]string{
	"DAT", "LAYOUT", "MESH", "SKELETON", "DDS", "PNG", "sound", "directory", "MATERIAL", "RAW", "UILAYOUT", "IMAGESET",
	"TrueType", "FONT", "source DAT", "source LAYOUT", "ANIMATION", "HIE", "unknown", "SCHEME", "LOOKNFEEL", "MPP",
	"source TEMPLATE", "BIK", "JPG",
}

func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

var typesByExtension = map[string]Type{
	".DAT": TypeDat, ".TEMPLATE": TypeDat, ".LAYOUT": TypeLayout, ".MESH": TypeMesh, ".SKELETON": TypeSkeleton,
	".DDS": TypeDDS, ".PNG": TypePNG, ".WAV": TypeSound, ".OGG": TypeSound, ".MATERIAL": TypeMaterial, ".RAW": TypeRaw,
	".UILAYOUT": TypeUILayout, ".IMAGESET": TypeImageset, ".TTF": TypeFontFile, ".TTC": TypeFontFile, ".FONT": TypeFont,
	".ANIMATION": TypeAnimation, ".HIE": TypeHie, ".SCHEME": TypeScheme, ".LOOKNFEEL": TypeLookNFeel,
	".MPP": TypePathing, ".MPD": TypePathing, ".BIK": TypeVideo, ".JPG": TypeJPEG,
}

// TypeOf returns the type that the editor gives to a file of this name, ignoring case. A name that ends in a slash is a
// directory.
func TypeOf(name string) Type {
	if strings.HasSuffix(name, "/") {
		return TypeDirectory
	}
	ext := path.Ext(name)
	if t, ok := typesByExtension[ext]; ok { // nearly all names are upper-case
		return t
	}
	if t, ok := typesByExtension[strings.ToUpper(ext)]; ok {
		return t
	}
	return TypeUnknown
}

// Stored reports whether files of this type are not compressed.
func (t Type) Stored() bool { return t == TypeJPEG }

// storedSize is the size in bytes from which the editor stores files without compressing them.
const storedSize = 0x1900000
