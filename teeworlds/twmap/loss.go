package twmap

import (
	"fmt"

	"trowel.example/teeworlds/datafile"
)

// ReportLosses calls report for everything that cannot be read of the map's file: at once for what is missing, and later
// for each data block that turns out to be unreadable when it is needed. ReportLosses must be called before goroutines
// share the map; they may call report concurrently.
func (m *Map) ReportLosses(report func(message string)) {
	reportLosses(m.file.datafile, m, report)
}

// ReportLosses is [Map.ReportLosses] for a datafile that is not a map.
func ReportLosses(f *datafile.File, report func(message string)) { reportLosses(f, nil, report) }

func reportLosses(f *datafile.File, m *Map, report func(message string)) {
	for _, loss := range f.Losses() {
		report(loss)
	}
	f.OnUnreadable(func(n int, err error) {
		holder := ""
		if m != nil {
			holder = m.holder(f.Data[n])
		}
		report(fmt.Sprintf("data block %d%s cannot be read: %s", n, holder, reason(err)))
	})
}

// holder returns the use of a data block, such as " (the tiles of ...)", or "" if no known item refers to the block.
func (m *Map) holder(b *datafile.Block) string {
	is := func(ref *dataRef) bool { return ref.block == b }
	if i := m.Info; i != nil {
		for _, text := range []struct {
			ref  *dataRef
			what string
		}{{&i.author, "author"}, {&i.version, "map version"}, {&i.credits, "credits"}, {&i.license, "license"}, {&i.settings, "settings"}} {
			if is(text.ref) {
				return fmt.Sprintf(" (%s)", text.what)
			}
		}
	}
	for i, im := range m.Images {
		switch {
		case is(&im.name):
			return fmt.Sprintf(" (the name of image %d)", i)
		case is(&im.data):
			return fmt.Sprintf(" (image %d %q)", i, im.Name)
		}
	}
	for i, s := range m.Sounds {
		switch {
		case is(&s.name):
			return fmt.Sprintf(" (the name of sound %d)", i)
		case is(&s.data):
			return fmt.Sprintf(" (sound %d %q)", i, s.Name)
		}
	}
	for i, g := range m.Groups {
		for j, l := range g.Layers {
			if layerHolds(l, is) {
				return fmt.Sprintf(" (groups[%d].layers[%d], %s)", i, j, title(layerType(l), l.Base().Name))
			}
		}
	}
	for i, l := range m.Orphans {
		if layerHolds(l, is) {
			return fmt.Sprintf(" (orphans[%d], %s)", i, title(layerType(l), l.Base().Name))
		}
	}
	return ""
}

// layerHolds reports whether is accepts a meaningful reference of the layer.
func layerHolds(l Layer, is func(*dataRef) bool) bool {
	switch l := l.(type) {
	case *TileLayer:
		return is(&l.data[l.dataKind()])
	case *QuadLayer:
		return is(&l.data)
	case *SoundLayer:
		return is(&l.data)
	}
	return false
}
