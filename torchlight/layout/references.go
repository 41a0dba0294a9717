package layout

import (
	"iter"
	"strings"
)

// Reference is a file that an object refers to.
type Reference struct {
	Object   *Object
	Property *PropertyInfo
	Path     string // as stored, for example "media/particles/x.layout"
}

// References yields the files that the objects of the layout refer to: the values of LAYOUT FILE, and those of other
// properties that are paths below MEDIA.
func (f *File) References() iter.Seq[Reference] {
	return func(yield func(Reference) bool) {
		for o := range f.All() {
			desc := DescriptorOf(o.Descriptor)
			for _, p := range o.Properties {
				info := desc.Property(p.Code)
				if info == nil || info.Kind != String {
					continue
				}
				path, ok := p.Text()
				if ok && isPath(info, path) && !yield(Reference{o, info, path}) {
					return
				}
			}
		}
	}
}

func isPath(info *PropertyInfo, s string) bool {
	const media = "media/"
	return info.Name == "LAYOUT FILE" && s != "" ||
		len(s) > len(media) && strings.EqualFold(strings.ReplaceAll(s[:len(media)], `\`, "/"), media)
}
