package viewer

import (
	"context"
	"io/fs"

	"trowel.example/check"
	"trowel.example/format"
)

// locate returns the files and lines of the tree that say what is at places, as
// [format.Locator] has it.
func (e *edition) locate(ctx context.Context, places []check.Place, want func(path string) bool) ([]check.Line, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]check.Line, len(places))
	if l, ok := e.file.(format.Locator); ok {
		if lines, err = l.Locate(ctx, fsys, places, want); err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		if lines[i].Path != "" {
			continue
		}
		var own check.Line
		switch p := p.(type) {
		case check.Line:
			own = p
		case check.File:
			own.Path = string(p)
		}
		if _, err := fs.Stat(fsys, own.Path); err == nil && own.Path != "" && own.Path != "." {
			lines[i] = own
		}
	}
	return lines, nil
}
